package main_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"homeward/internal/store/storetest"
)

// writeFile writes a file and returns its name.
func writeFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "finds.csv")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestImportAndExportWhileTheServiceIsRunning(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		settings := newSettings(t, setting)
		setEnvironment(t, settings)
		p := startService(t, settings...)
		hotel := p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
		name := writeFile(t,
			"description;date;email;Shoe size\nHat;15.11.2026;anna@example.com;42\nCap;yesterday;anna;\n")
		items := func() float64 {
			return p.must(http.StatusOK, "GET", "/v1/locations/"+hotel+"/items", "")["total"].(float64)
		}
		for _, args := range [][]string{{"--dry-run"}, nil} {
			stdout, stderr, code := runInProcess(t,
				append(append([]string{"import", "--location", hotel}, args...), name)...)
			for _, want := range []string{
				`line 3, column "date": “yesterday” is not a valid date; use the format 2026-11-15`,
				`line 3, column "email": the text is not a valid e-mail address`, `column "Shoe size" is unknown`,
				"1 of 2 rows can be imported\n",
			} {
				if !strings.Contains(stdout, want) {
					t.Errorf("%v: the output lacks %q: %s", args, want, stdout)
				}
			}
			if code != 1 || !strings.Contains(stderr, "nothing was imported") || items() != 0 {
				t.Errorf("%v: exit code %d, %s", args, code, stderr)
			}
		}
		stdout, stderr, code := runInProcess(t, "import", "--location", hotel, "--skip-bad", "--tell-owners", name)
		if code != 0 || !strings.Contains(stdout, "imported 1 items") ||
			!strings.Contains(stdout, "the running service will notify") || items() != 1 {
			t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
		}
		item := p.must(http.StatusOK, "GET", "/v1/locations/"+hotel+"/items",
			"")["data"].([]any)[0].(map[string]any)["id"].(string)
		waitUntil(t, "the owner is notified", func() bool {
			return p.must(http.StatusOK, "GET", "/v1/locations/"+hotel+"/items/"+item+"/messages",
				"")["total"].(float64) == 1
		})
		out := filepath.Join(t.TempDir(), "out.csv")
		if _, stderr, code := runInProcess(t, "export", "--location", hotel, "--status", "PENDING", "--excel",
			out); code != 0 {
			t.Fatal(stderr)
		}
		if text, err := os.ReadFile(out); err != nil ||
			!strings.HasPrefix(string(text), "\ufeffreference,status,description,") ||
			!strings.Contains(string(text), ",PENDING,Hat,") {
			t.Errorf("%v: %s", err, text)
		}
		if again, stderr, code := runInProcess(t, "import", "--location", hotel, "--skip-bad", name); code != 0 ||
			!strings.Contains(again, "the same file was imported before") {
			t.Errorf("exit code %d: %s%s", code, again, stderr)
		}
		if none, stderr, code := runInProcess(t, "export", "--location", hotel, "--status", "DONATE", "-"); code != 0 ||
			strings.Count(none, "\n") != 1 {
			t.Errorf("exit code %d: %s%s", code, none, stderr)
		}
		if _, stderr, code := runInProcess(t, "export", "--location", "loc_none", "-"); code != 1 ||
			!strings.Contains(stderr, "no such location") {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
}

// If an import process is killed, the service finishes the import. No row is missing or duplicated.
func TestServiceFinishesAKilledImport(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		settings := newSettings(t, setting)
		setEnvironment(t, settings)
		first := startService(t, settings...)
		hotel := first.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
		first.kill()
		account := runList(t, "account", "list")[0]["id"].(string)
		db := storetest.Open(t, setting, storetest.Now)

		const rows = 1500
		var text strings.Builder
		text.WriteString("description\n")
		for n := range rows {
			fmt.Fprintf(&text, "Umbrella %d\n", n)
		}
		child := exec.CommandContext(t.Context(), self(t), "import", "--location", hotel, writeFile(t, text.String()))
		child.Env = environment(settings...)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		exported := func() (lines []string) {
			t.Helper()
			stdout, stderr, code := runInProcess(t, "export", "--location", hotel, "-")
			if code != 0 {
				t.Fatal(stderr)
			}
			return strings.Split(strings.TrimSpace(stdout), "\n")[1:]
		}
		for begun := int64(0); begun == 0; { // polls without pausing, to notice the import before it has finished
			var err error
			if begun, err = db.LastItemNumber(t.Context(), account, hotel); err != nil {
				t.Fatal(err)
			}
		}
		_ = child.Process.Kill()
		_ = child.Wait() // it was killed
		if n := len(exported()); n >= rows || n%100 != 0 {
			t.Errorf("%d items exist after the kill", n)
		}
		startService(t, settings...)
		waitUntil(t, "the service continues the import", func() bool { return len(exported()) >= rows })
		for n, line := range exported() {
			if !strings.Contains(line, fmt.Sprintf(",PENDING,Umbrella %d,", n)) {
				t.Fatalf("row %d is %s", n, line)
			}
		}
	})
}
