package cli

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"homeward/internal/app"
)

// settingProblem is the error returned for a setting that cannot be read.
type settingProblem struct {
	setting string
	error
}

// unreadableSettings holds the errors for unreadable settings that the doctor ignored.
type unreadableSettings []error

// newResolver returns a resolver for the settings that are in files: in the --config file, or alone in the file that
// NAME_FILE names. It leaves out the ignored settings. The --config file contains NAME=value lines, optionally prefixed
// with the word export, blank lines, and comments that begin with # or ;. A flag overrides an environment variable,
// which overrides the --config file, which overrides the default.
func newResolver(args []string, ignored map[string]bool) fileResolver {
	r := fileResolver{values: map[string]string{}, secrets: map[string]string{}}
	if file := configFlag(args); file != "" {
		r.values, r.problem = readSettings(file)
		maps.DeleteFunc(r.values, func(name, _ string) bool { return ignored[name] })
	}
	for _, name := range app.SecretSettings() {
		if err := r.readSecret(name); err != nil && r.problem == nil {
			r.problem = err
		}
	}
	return r
}

// fileResolver provides the values of settings from files.
type fileResolver struct {
	values  map[string]string // the --config file
	secrets map[string]string // the settings that are alone in a file
	problem error
}

// Resolve implements kong.Resolver.
func (r fileResolver) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		if v, ok := r.secrets[name]; ok {
			return v, nil
		}
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
		if v, ok := r.values[name]; ok {
			return v, nil
		}
	}
	return nil, nil
}

// Validate returns an error if a file could not be read or contains an unknown setting.
func (r fileResolver) Validate(application *kong.Application) error {
	if r.problem != nil {
		return r.problem
	}
	known := map[string]bool{}
	for _, node := range append(application.Leaves(true), application.Node) {
		for _, flag := range node.Flags {
			for _, name := range flag.Envs {
				known[name] = true
			}
		}
	}
	for _, name := range app.SecretSettings() {
		known[name+app.FileSuffix] = true
	}
	for name := range r.values {
		if !known[name] {
			err := fmt.Errorf("--config: %s is not a setting; homeward serve --help lists all settings", name)
			return settingProblem{name, err}
		}
	}
	return nil
}

// lookup returns the value of a variable in the environment, or else in the --config file. It is empty if the variable
// is not set.
func (r fileResolver) lookup(name string) string {
	if v, set := os.LookupEnv(name); set {
		return v
	}
	return r.values[name]
}

// readSecret reads a setting from the file that NAME_FILE names, if there is one.
func (r fileResolver) readSecret(name string) error {
	variable := name + app.FileSuffix
	file := r.lookup(variable)
	if file == "" {
		return nil
	}
	if r.lookup(name) != "" {
		return settingProblem{variable, fmt.Errorf("%s and %s are alternatives: set only one of them", variable, name)}
	}
	text, err := app.ReadSecretFile(variable, file)
	if err != nil {
		return settingProblem{variable, err}
	}
	r.secrets[name] = text
	return nil
}

// configFlag finds the value of --config before kong parses the flags, because the file provides their values.
func configFlag(args []string) string {
	for i, arg := range args {
		if file, ok := strings.CutPrefix(arg, "--config="); ok {
			return file
		}
		if arg == "--config" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

const maxSettingsFile = 1 << 20

// readSettings reads settings from a file. It copies AWS_… variables to the environment, where the S3 client looks
// for them, unless they are already set there. It ignores all other names that do not begin with HOMEWARD_.
func readSettings(file string) (map[string]string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	if info.Size() > maxSettingsFile {
		return nil, errors.New("--config: the file is too large for a settings file")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	values := map[string]string{}
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") {
			continue
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		if !ok {
			return nil, fmt.Errorf("--config: line %d of %s is not NAME=value", n+1, file)
		}
		name, value = strings.TrimSpace(name), strings.Trim(strings.TrimSpace(value), `"`)
		if _, set := os.LookupEnv(name); strings.HasPrefix(name, "AWS_") && !set {
			if err := os.Setenv(name, value); err != nil {
				return nil, fmt.Errorf("--config: %s: %w", name, err)
			}
		}
		if strings.HasPrefix(name, "HOMEWARD_") {
			values[name] = value
		}
	}
	return values, nil
}

// flagInError matches the flag in kong's error about a value of the wrong type.
var flagInError = regexp.MustCompile(`^--([a-z-]+):.*$`)

// nameSetting replaces kong's error about a setting's value with one that names the setting's environment variable
// and does not repeat the value, which may be a secret.
func nameSetting(application *kong.Application, err error) error {
	m := flagInError.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	i := slices.IndexFunc(application.Flags, func(f *kong.Flag) bool { return f.Name == m[1] && len(f.Envs) > 0 })
	if i < 0 {
		return err
	}
	valid := "set with --" + m[1] + "=VALUE"
	switch m[1] {
	case "webhook-retry-unit", "drain", "database-wait":
		valid = "a duration with its unit, such as 15s"
	case "webhook-retention":
		valid = "a duration with its unit, such as 720h for 30 days"
	case "vision-daily":
		valid = "a number of photos from 1 to 1000000"
	case "rate-limit":
		valid = "a number of requests per second"
	case "webhook-allow-private", "discreet":
		valid = "true or false"
	}
	setting := application.Flags[i].Envs[0]
	return settingProblem{setting, app.InvalidSetting(setting, valid)}
}
