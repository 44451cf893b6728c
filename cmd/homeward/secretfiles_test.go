package main_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"homeward/internal/app"
	"homeward/internal/message/mailtest"
	"homeward/internal/store/storetest"
)

// secretFile writes a file and returns its path.
func secretFile(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// The service runs with every secret in a file, as in compose.yaml. None of them is in its environment.
func TestServiceReadsSecretsFromFiles(t *testing.T) {
	s3, err := url.Parse(os.Getenv("HOMEWARD_TEST_S3"))
	if err != nil {
		t.Fatal(err)
	}
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		mails := mailtest.Start(t)
		values := map[string]string{
			"HOMEWARD_DATABASE": setting, "HOMEWARD_API_KEY": apiKey, "HOMEWARD_SMTP": mails.URL(),
			"HOMEWARD_ADMIN_PASSWORD": secret("admin password"), "HOMEWARD_SECRET": secret("own"),
		}
		settings := newSettings(t, "", "HOMEWARD_ADMIN_EMAIL=admin@example.com")
		settings = slices.DeleteFunc(settings, func(s string) bool {
			name, _, _ := strings.Cut(s, "=")
			return values[name] != ""
		})
		for name, value := range values {
			settings = append(settings, name+"=", name+"_FILE="+secretFile(t, value+"\n"))
		}
		if keys := s3.Query(); keys.Has("secret_key") {
			settings = append(settings, "HOMEWARD_FILES="+withoutKeys(*s3),
				"AWS_SHARED_CREDENTIALS_FILE="+secretFile(t, "[default]\naws_access_key_id = "+
					keys.Get("access_key")+"\naws_secret_access_key = "+keys.Get("secret_key")+"\n"))
			values["AWS_SECRET_ACCESS_KEY"] = keys.Get("secret_key")
		}
		p := startService(t, settings...)
		items := "/v1/locations/" + p.must(http.StatusCreated, "POST", "/v1/locations",
			`{"name": "Hotel"}`)["id"].(string) + "/items"
		item := p.must(http.StatusCreated, "POST", items, `{"description": "Hat"}`)["id"].(string)
		if err := (&writer{t: t}).upload(p.url, &savedItem{path: items + "/" + item}); err != nil {
			t.Error(err)
		}
		printed, stderr, code := runCommand(t, settings, "doctor", "--listen", strings.TrimPrefix(p.url, "http://"))
		if code != 0 || strings.Contains(printed, "HOMEWARD_SMTP  it is not set") {
			t.Errorf("doctor: exit code %d\n%s%s", code, printed, stderr)
		}
		if runtime.GOOS == "linux" {
			environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), "environ"))
			if err != nil {
				t.Fatal(err)
			}
			for name, value := range values {
				if strings.Contains(string(environ), value) {
					t.Errorf("the environment contains the value of %s", name)
				}
			}
		}
		p.terminate()
		for name, value := range values {
			if len(value) >= 16 && strings.Contains(p.stderr.String()+p.stdout.String()+printed+stderr, value) {
				t.Errorf("the output contains the value of %s", name)
			}
		}
	})
}

// withoutKeys returns an S3 setting without its keys.
func withoutKeys(s3 url.URL) string {
	query := s3.Query()
	query.Del("access_key")
	query.Del("secret_key")
	s3.RawQuery = query.Encode()
	return s3.String()
}

// Each mistake with a file is reported in one line that names the variable and contains nothing of the file.
func TestMistakesWithSecretFilesAreReported(t *testing.T) {
	t.Chdir(t.TempDir())
	const value = invalidSecret
	unreadable := secretFile(t, value)
	if err := os.Chmod(unreadable, 0); err != nil {
		t.Fatal(err)
	}
	for _, name := range app.SecretSettings() {
		variable := name + "_FILE"
		try := func(what, want string, args []string, environment ...string) {
			t.Helper()
			for _, e := range environment {
				name, value, _ := strings.Cut(e, "=")
				t.Setenv(name, value)
				defer func() { _ = os.Unsetenv(name) }() // t.Setenv restores it only after the test
			}
			stdout, stderr, code := runInProcess(t, append([]string{"migrate"}, args...)...)
			if code != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) ||
				!strings.Contains(stderr, variable) || strings.Contains(stderr, value[:9]) {
				t.Errorf("%s is %s: exit code %d, printed %q, error %q", variable, what, code, stdout, stderr)
			}
		}
		file := secretFile(t, value+"\n")
		both := variable + " and " + name
		try("missing", "no such file", nil, variable+"=/none")
		try("a folder", "is a directory", nil, variable+"="+t.TempDir())
		try("empty", "is empty", nil, variable+"="+secretFile(t, "\n"))
		try("two lines", "on one line", nil, variable+"="+secretFile(t, value+"\n"+value))
		try("too large", "64 KB", nil, variable+"="+secretFile(t, strings.Repeat(value, 1<<13)))
		try("set twice", both, nil, variable+"="+file, name+"="+value)
		try("set twice, once in the settings file", both, []string{"--config", settingsFile(t, name+"="+value)},
			variable+"="+file)
		try("set twice in the settings file", both,
			[]string{"--config", settingsFile(t, name+"="+value, variable+"="+file)})
		if os.Geteuid() != 0 { // root may read every file
			try("unreadable", "permission denied", nil, variable+"="+unreadable)
		}
	}
}

func TestSecretFilesFollowThePrecedenceOfSettings(t *testing.T) {
	t.Chdir(t.TempDir())
	exists := func(file string) bool {
		_, err := os.Stat(file)
		return err == nil
	}
	migrate := func(args ...string) {
		t.Helper()
		if _, stderr, code := runInProcess(t, append([]string{"migrate"}, args...)...); code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
	}
	t.Setenv("HOMEWARD_DATABASE", "") // an empty variable counts as not set
	migrate("--config", settingsFile(t, "HOMEWARD_DATABASE_FILE="+secretFile(t, "from-config.db\r\n")))
	if !exists("from-config.db") {
		t.Error("the file that the settings file names was not read")
	}
	t.Setenv("HOMEWARD_DATABASE_FILE", secretFile(t, "from-environment.db"))
	migrate("--config", settingsFile(t, "HOMEWARD_DATABASE_FILE=/none"))
	if !exists("from-environment.db") {
		t.Error("the environment does not override the settings file")
	}
	migrate("--database", "from-flag.db")
	if !exists("from-flag.db") {
		t.Error("a flag does not override the file")
	}
}
