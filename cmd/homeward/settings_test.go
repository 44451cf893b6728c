package main_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"homeward/internal/cli"
)

// runInProcess runs a command in this process, without settings from the environment.
func runInProcess(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var out, diag bytes.Buffer
	code = cli.Run(ctx, args, &out, &diag)
	return out.String(), diag.String(), code
}

// settingValue is a setting with a value.
type settingValue struct{ setting, value string }

// invalidSecret is part of invalid values, and must not be printed.
const invalidSecret = "S3cr3t-of-the-test"

func invalidSettings() []settingValue {
	const secret = invalidSecret
	return []settingValue{
		{"HOMEWARD_LISTEN", "8080"},
		{"HOMEWARD_LISTEN", "localhost:http-alt-nonsense"},
		{"HOMEWARD_LISTEN", "127.0.0.1:99999"},
		{"HOMEWARD_METRICS_LISTEN", "9090"},
		{"HOMEWARD_BASE_URL", "lost.example.com"},
		{"HOMEWARD_BASE_URL", "ftp://lost.example.com"},
		{"HOMEWARD_BASE_URL", "http://0.0.0.0:8080"},
		{"HOMEWARD_BASE_URL", "http://[::]:8080"},
		{"HOMEWARD_DATABASE", "mysql://root:" + secret + "@localhost/db"},
		{"HOMEWARD_DATABASE", "postgres://root:" + secret + "@127.0.0.1:1/db"},
		{"HOMEWARD_DATABASE", "postgres://root:" + secret + "@127.0.0.1:port/db"},
		{"HOMEWARD_DATABASE", "postgres://root:" + secret + "@127.0.0.1:1/db?sslmode=" + secret},
		{"HOMEWARD_DATABASE", "/dev/null/homeward.db"},
		{"HOMEWARD_FILES", "gs://bucket?key=" + secret},
		{"HOMEWARD_FILES", "s3://bucket?secret=" + secret},
		{"HOMEWARD_FILES", "/dev/null/files"},
		{"HOMEWARD_DATA", "/dev/null/data"},
		{"HOMEWARD_SECRET", secret[:10]},
		{"HOMEWARD_SECRET", strings.Repeat("a", 40)},
		{"HOMEWARD_SECRET", "changeme-changeme-changeme"},
		{"HOMEWARD_SECRET_OLD", secret + "," + secret[:10]},
		{"HOMEWARD_SECRET_FILE", "/dev/null/secret"},
		{"HOMEWARD_SECRET_OLD_FILE", "/dev/null/secret"},
		{"HOMEWARD_SMTP", "mail://user:" + secret + "@host"},
		{"HOMEWARD_IMAP", "pop3://user:" + secret + "@host/INBOX"},
		{"HOMEWARD_IMAP", "imaps://user:" + secret + "@host/INBOX"}, // without a mail server
		{"HOMEWARD_MAIL_FROM", "nobody"},
		{"HOMEWARD_WEBHOOK_ALLOW_PRIVATE", "perhaps"},
		{"HOMEWARD_WEBHOOK_RETRY_UNIT", "15"},
		{"HOMEWARD_WEBHOOK_RETRY_UNIT", "-1s"},
		{"HOMEWARD_WEBHOOK_RETENTION", "30"},
		{"HOMEWARD_ADMIN_EMAIL", "admin"},
		{"HOMEWARD_ADMIN_PASSWORD", secret[:9]},
		{"HOMEWARD_API_KEY", secret},
		{"HOMEWARD_API_KEY", secret + " with blanks"},
		{"HOMEWARD_API_KEY", "-" + secret},
		{"HOMEWARD_RATE_LIMIT", "many"},
		{"HOMEWARD_RATE_LIMIT", "-1"},
		{"HOMEWARD_RATE_LIMIT", "NaN"},
		{"HOMEWARD_PAYMENT", "cash"},
		{"HOMEWARD_PAYMENT", "stripe"},
		{"HOMEWARD_STRIPE_API", "stripe"},
		{"HOMEWARD_CARRIER", "pigeon"},
		{"HOMEWARD_CARRIER", "easypost"},
		{"HOMEWARD_EASYPOST_API", "easypost"},
		{"HOMEWARD_VISION", "ollama"},
		{"HOMEWARD_VISION", "https://key:" + secret + "@api.example.com/v1"},
		{"HOMEWARD_VISION", "https://api.example.com/v1"},
		{"HOMEWARD_VISION_MODEL", "eyes-1"},
		{"HOMEWARD_VISION_KEY", secret},
		{"HOMEWARD_VISION_DAILY", "many"},
		{"HOMEWARD_EMBEDDINGS", "ollama"},
		{"HOMEWARD_EMBEDDINGS", "https://api.example.com/v1?key=" + secret},
		{"HOMEWARD_EMBEDDINGS", "https://api.example.com/v1"},
		{"HOMEWARD_EMBEDDINGS_MODEL", "words-1"},
		{"HOMEWARD_EMBEDDINGS_KEY", secret},
		{"HOMEWARD_OIDC_ISSUER", "https://login.example.com"},
		{"HOMEWARD_OIDC_CLIENT_ID", "homeward"},
		{"HOMEWARD_OIDC_CLIENT_SECRET", secret},
		{"HOMEWARD_OIDC_NAME", "Our log-in"},
		{"HOMEWARD_LOG", "xml"},
	}
}

func TestInvalidSettingIsReportedInOneLine(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HOMEWARD_DATABASE_WAIT", "0s")
	for _, c := range invalidSettings() {
		flag := "--" + strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(c.setting, "HOMEWARD_")), "_", "-")
		check := func(t *testing.T, args ...string) {
			t.Helper()
			if !strings.HasSuffix(c.setting, "LISTEN") {
				args = append(args, "--listen=127.0.0.1:0")
			}
			stdout, stderr, code := runInProcess(t, append([]string{"serve"}, args...)...)
			if code != 1 || stdout != "" {
				t.Errorf("%s=%s: exit code %d, printed %q", c.setting, c.value, code, stdout)
			}
			if strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.setting) {
				t.Errorf("%s=%s prints\n%s", c.setting, c.value, stderr)
			}
			if strings.Contains(stderr, invalidSecret[:9]) {
				t.Errorf("the error of %s contains a secret: %s", c.setting, stderr)
			}
		}
		t.Run(c.setting, func(t *testing.T) {
			check(t, flag+"="+c.value)
			if c.setting != "HOMEWARD_WEBHOOK_ALLOW_PRIVATE" { // a boolean flag's value must follow an equals sign
				check(t, flag, c.value)
			}
			check(t, "--config="+settingsFile(t, "# a remark", "", c.setting+" = \""+c.value+"\""))
			t.Setenv(c.setting, c.value)
			check(t)
		})
	}
}

func settingsFile(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "settings")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestInvalidSettingsFilesAreRejected(t *testing.T) {
	t.Chdir(t.TempDir())
	for what, c := range map[string]struct{ args, want string }{
		"missing":  {"--config=none", "--config: stat none: no such file"},
		"no value": {"--config=" + settingsFile(t, "HOMEWARD_LISTEN"), "line 1 of "},
		"unknown": {"--config=" + settingsFile(t, "HOMEWARD_LISTEN=127.0.0.1:0", "HOMEWARD_LISTN=x"),
			"HOMEWARD_LISTN is not a setting"},
		"a folder": {"--config=" + t.TempDir(), "--config: "},
	} {
		stdout, stderr, code := runInProcess(t, "migrate", c.args)
		if code != 1 || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, printed %q, error %q", what, code, stdout, stderr)
		}
	}
}

func TestSettingsFileMayBeAShellScriptForOtherPrograms(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("AWS_REGION", "eu-north-1") // the settings file must not change an existing variable
	t.Setenv("AWS_PROFILE", "")
	if err := os.Unsetenv("AWS_PROFILE"); err != nil { // t.Setenv restores it after the test
		t.Fatal(err)
	}
	file := settingsFile(t, "; a remark", "export HOMEWARD_DATA=\"here\"", "AWS_PROFILE=lost",
		"export AWS_REGION=us-east-1", "PGPASSFILE=/etc/pgpass")
	if _, stderr, code := runInProcess(t, "migrate", "--config", file); code != 0 {
		t.Fatal(stderr)
	}
	if _, err := os.Stat(filepath.Join("here", "homeward.db")); err != nil {
		t.Error(err)
	}
	if profile, region := os.Getenv("AWS_PROFILE"), os.Getenv("AWS_REGION"); profile != "lost" ||
		region != "eu-north-1" {
		t.Errorf("AWS_PROFILE is %q, AWS_REGION %q", profile, region)
	}
}

func TestPrecedenceOfFlagEnvironmentFileAndDefault(t *testing.T) {
	t.Chdir(t.TempDir())
	made := func() string {
		for _, folder := range []string{"flag", "env", "file", "homeward-data"} {
			if _, err := os.Stat(filepath.Join(folder, "homeward.db")); err == nil {
				if err := os.RemoveAll(folder); err != nil {
					t.Fatal(err)
				}
				return folder
			}
		}
		return "none"
	}
	migrate := func(want string, args ...string) {
		t.Helper()
		if _, stderr, code := runInProcess(t, append([]string{"migrate"}, args...)...); code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		if got := made(); got != want {
			t.Errorf("%v: the data folder is %s, want %s", args, got, want)
		}
	}
	file := settingsFile(t, "HOMEWARD_DATA=file")
	migrate("homeward-data")
	migrate("file", "--config", file)
	migrate("flag", "--config", file, "--data", "flag")
	t.Setenv("HOMEWARD_DATA", "env")
	migrate("env")
	migrate("env", "--config", file)
	migrate("flag", "--config", file, "--data=flag")
}

func TestHelpListsEverySetting(t *testing.T) {
	stdout, stderr, code := runInProcess(t, "serve", "--help")
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, name := range []string{
		"LISTEN", "BASE_URL", "DATA", "DATABASE", "FILES", "SECRET", "SECRET_FILE", "SECRET_OLD", "SECRET_OLD_FILE",
		"SMTP", "IMAP", "MAIL_FROM", "WEBHOOK_ALLOW_PRIVATE", "WEBHOOK_RETRY_UNIT", "ADMIN_EMAIL",
		"ADMIN_PASSWORD", "API_KEY", "METRICS_LISTEN", "RATE_LIMIT", "PAYMENT", "STRIPE_KEY", "STRIPE_WEBHOOK_SECRET",
		"STRIPE_API", "CARRIER",
		"EASYPOST_KEY", "EASYPOST_API", "LOG",
	} {
		if !regexp.MustCompile(`\$HOMEWARD_` + name + `\b`).MatchString(stdout) {
			t.Errorf("the help lacks HOMEWARD_%s", name)
		}
	}
}

func TestCommandHelpListsOnlyUsedSettings(t *testing.T) {
	for command, follows := range map[string]bool{
		"webhook listen": false, "version": false, "health": false, "user list": true, "key create": true,
		"migrate": true,
	} {
		stdout, stderr, code := runInProcess(t, append(strings.Fields(command), "--help")...)
		if code != 0 || stderr != "" || strings.Contains(stdout, "STRIPE") ||
			strings.Contains(stdout, "HOMEWARD_DATABASE") != follows {
			t.Errorf("%s: exit code %d: %s\n%s", command, code, stderr, stdout)
		}
	}
}

func TestErrorsSayWhatToWriteInstead(t *testing.T) {
	t.Chdir(t.TempDir())
	for want, args := range map[string][]string{
		"such as 720h for 30 days": {"serve", "--webhook-retention=30"},
		"--at HOST:PORT":           {"webhook", "listen", "--listen", "127.0.0.1:9000"},
	} {
		if _, stderr, code := runInProcess(t, args...); code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, printed %s", args, code, stderr)
		}
	}
}
