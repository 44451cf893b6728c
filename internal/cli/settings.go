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

// settingsFile returns a resolver that reads all but the ignored settings from the --config file. The file contains
// NAME=value lines, optionally prefixed with the word export, blank lines, and comments that begin with # or ;. A
// flag overrides an environment variable, which overrides the file, which overrides the default.
func settingsFile(args []string, ignored map[string]bool) kong.Resolver {
	values := map[string]string{}
	var problem error
	if file := configFlag(args); file != "" {
		values, problem = readSettings(file)
		maps.DeleteFunc(values, func(name, _ string) bool { return ignored[name] })
	}
	lookup := kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		for _, name := range flag.Envs {
			if _, set := os.LookupEnv(name); set {
				return nil, nil
			}
			if v, ok := values[name]; ok {
				return v, nil
			}
		}
		return nil, nil
	})
	return fileResolver{ResolverFunc: lookup, values: values, problem: problem}
}

type fileResolver struct {
	kong.ResolverFunc
	values  map[string]string
	problem error
}

// Validate returns an error if the file could not be read or contains an unknown setting.
func (r fileResolver) Validate(application *kong.Application) error {
	if r.problem != nil {
		return r.problem
	}
	known := map[string]bool{}
	for _, flag := range application.Flags {
		for _, name := range flag.Envs {
			known[name] = true
		}
	}
	for name := range r.values {
		if !known[name] {
			err := fmt.Errorf("--config: %s is not a setting; homeward serve --help lists all settings", name)
			return settingProblem{name, err}
		}
	}
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
	case "rate-limit":
		valid = "a number of requests per second"
	case "webhook-allow-private", "discreet":
		valid = "true or false"
	}
	setting := application.Flags[i].Envs[0]
	return settingProblem{setting, app.InvalidSetting(setting, valid)}
}
