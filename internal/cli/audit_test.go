package cli_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/cli"
	"homeward/internal/store/storetest"
)

// runCommand runs a command with the settings in the environment.
func runCommand(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.Run(t.Context(), args, &out, &errs)
	return out.String(), errs.String(), code
}

// exportAudit exports the audit log as JSON Lines and returns the account, action and address of each line.
func exportAudit(t *testing.T, args ...string) (lines []string) {
	t.Helper()
	out, stderr, code := runCommand(t, append([]string{"audit", "export"}, args...)...)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for line := range strings.Lines(out) {
		var e struct {
			Account, ID, Action, Address string
			At                           time.Time
			Actor                        struct{ Type, ID, Name string }
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil || !strings.HasPrefix(e.ID, "aud_") || e.At.IsZero() {
			t.Fatalf("not an entry: %s (%v)", line, err)
		}
		lines = append(lines, strings.Join([]string{e.Account, e.Actor.Type, e.Action, e.Address}, " "))
	}
	return lines
}

func TestTheAuditLogIsExportedWhileTheServiceRuns(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		cfg := newConfig(t, setting)
		s := startService(t, cfg)
		t.Setenv("HOMEWARD_DATA", cfg.Data)
		t.Setenv("HOMEWARD_DATABASE", setting)
		for range 3 {
			s.create(t, "/v1/locations", map[string]any{"name": "Hotel"})
		}
		ids := regexp.MustCompile(`acc_\w+`)
		list, _, _ := runCommand(t, "account", "list")
		first := ids.FindString(list)
		created, _, _ := runCommand(t, "account", "create", "--name", "Zoo")
		second := ids.FindString(created)
		if _, stderr, code := runCommand(t, "key", "create", "--account", second, "--name", "Till"); code != 0 {
			t.Fatal(stderr)
		}
		location := first + " key location-created 127.0.0.1"
		want := []string{location, location, location, second + " command key-created "}
		if got := exportAudit(t); !slices.Equal(sorted(got), sorted(want)) {
			t.Errorf("all accounts: got %q, want %q", got, want)
		}
		// The first export was recorded in both accounts.
		if got := exportAudit(t, "--account", second, "--from", "2026-01-01T00:00:00Z"); !slices.Equal(got,
			[]string{second + " command exported ", second + " command key-created "}) {
			t.Errorf("one account: got %q", got)
		}
		if got := exportAudit(t, "--to", "2026-01-01"); len(got) != 0 {
			t.Errorf("entries up to a day in the past: got %q", got)
		}
		checkAuditFile(t, first)
		for args, want := range map[string]string{
			"--from yesterday": "--from must be a date such as", "--to 2026-02-30": "--to must be a date such as",
			"--account acc_none": "--account acc_none: ", "--format xml": "must be one of",
		} {
			out, stderr, code := runCommand(t, append([]string{"audit", "export"}, strings.Fields(args)...)...)
			if code != 1 || out != "" || !strings.Contains(stderr, want) {
				t.Errorf("%s: exit code %d, output %q, %s", args, code, out, stderr)
			}
		}
	})
}

// checkAuditFile exports an account to a CSV file.
func checkAuditFile(t *testing.T, account string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "audit.csv")
	_, stderr, code := runCommand(t, "audit", "export", "--format", "csv", "--account", account, file)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, want 0600 (%v)", info, err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil || strings.Join(rows[0], " ") !=
		"account id time actor actorId actorName action subject note address" {
		t.Fatalf("got %q, %v", rows, err)
	}
	oldest := rows[len(rows)-1]
	if oldest[0] != account || oldest[6] != "location-created" || oldest[9] != "127.0.0.1" {
		t.Errorf("the oldest entry is %q", oldest)
	}
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}
