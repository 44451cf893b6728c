package app

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// settingFault is what is wrong with a setting that cannot be read.
type settingFault struct {
	setting string
	error
}

// unreadSettings are those that the doctor passed over.
type unreadSettings []error

// settingsFile reads the file that --config names, without some settings: NAME=value lines, also after the word export, blank lines, and lines of comment
// that begin with # or ;. A flag beats an environment variable, which beats the file, which beats the default.
func settingsFile(args []string, without map[string]bool) kong.Resolver {
	values := map[string]string{}
	var fault error
	if file := configFlag(args); file != "" {
		values, fault = readSettings(file)
		maps.DeleteFunc(values, func(name, _ string) bool { return without[name] })
	}
	used := kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
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
	return fileResolver{ResolverFunc: used, values: values, fault: fault}
}

type fileResolver struct {
	kong.ResolverFunc
	values map[string]string
	fault  error
}

// Validate refuses a file that cannot be read, and names in it that are no settings.
func (r fileResolver) Validate(app *kong.Application) error {
	if r.fault != nil {
		return r.fault
	}
	known := map[string]bool{}
	for _, flag := range app.Flags {
		for _, name := range flag.Envs {
			known[name] = true
		}
	}
	for name := range r.values {
		if !known[name] {
			return settingFault{name, fmt.Errorf("--config: %s is not a setting; homeward serve --help lists them all", name)}
		}
	}
	return nil
}

// configFlag finds the file before the flags are parsed: it decides what they are.
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

const maxSettings = 1 << 20

// readSettings gives the settings of a file. What is S3's goes to the environment, where its client looks for it, unless it is there; other programs' names are passed over.
func readSettings(file string) (map[string]string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	if info.Size() > maxSettings {
		return nil, errors.New("--config: the file is too large to be one of settings")
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

// unknownSettings names the variables of an environment that look like settings and are none.
func unknownSettings(environ []string) []string {
	known := map[string]bool{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		known[field.Tag.Get("env")] = true
	}
	var unknown []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "HOMEWARD_") && !known[name] && !strings.HasPrefix(name, "HOMEWARD_TEST_") && !strings.HasPrefix(name, "HOMEWARD_SERVICES_") {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// flagInError finds the flag in kong's message about a value of the wrong type.
var flagInError = regexp.MustCompile(`^--([a-z-]+):.*$`)

// settingError names a setting by its variable, and does not repeat its value: it may be a secret.
func settingError(known *kong.Application, err error) error {
	m := flagInError.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	i := slices.IndexFunc(known.Flags, func(f *kong.Flag) bool { return f.Name == m[1] && len(f.Envs) > 0 })
	if i < 0 {
		return err
	}
	takes := "a value, written --" + m[1] + "=VALUE"
	switch m[1] {
	case "webhook-retry-unit":
		takes = "a time, such as 15s"
	case "rate-limit":
		takes = "a number of requests per second"
	case "webhook-allow-private", "discreet":
		takes = "true or false"
	}
	return settingFault{known.Flags[i].Envs[0], wrong(known.Flags[i].Envs[0], takes)}
}
