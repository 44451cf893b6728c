package main_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// lastBackup returns the metric of the last backup that a running service reports. The metric is missing while the
// database does not respond in time.
func (p *process) lastBackup() time.Time {
	p.t.Helper()
	pattern := regexp.MustCompile(`(?m)^homeward_last_backup_timestamp_seconds (\S+)$`)
	var line []string
	waitUntil(p.t, "the service reports the last backup", func() bool {
		a, err := sendRequest("GET", p.url+"/metrics", "")
		if err != nil || a.status != http.StatusOK {
			p.t.Fatalf("the metrics: %d %v", a.status, err)
		}
		line = pattern.FindStringSubmatch(string(a.body))
		return line != nil
	})
	seconds, err := strconv.ParseFloat(line[1], 64)
	if err != nil {
		p.t.Fatal(err)
	}
	return time.Unix(int64(seconds), 0)
}

// diagnoseBackup returns the doctor's finding about the last backup.
func diagnoseBackup(t *testing.T, settings []string) (state, said string) {
	t.Helper()
	printed, stderr, _ := runCommand(t, settings, "doctor", "--json")
	var all []struct{ State, What, Said string }
	if err := json.Unmarshal([]byte(printed), &all); err != nil {
		t.Fatalf("%v: %s%s", err, printed, stderr)
	}
	for _, f := range all {
		if f.What == "backup" {
			return f.State, f.Said
		}
	}
	t.Fatalf("the doctor does not mention the backup: %s", printed)
	return "", ""
}

func wantNoBackup(t *testing.T, settings []string) {
	t.Helper()
	if state, said := diagnoseBackup(t, settings); state != "warning" || !strings.Contains(said, "there is no backup") {
		t.Errorf("the doctor says %s: %s, want a warning that there is no backup", state, said)
	}
}

// Only a complete backup counts. Every instance knows it, and a restored database does not count as backed up.
func TestTheLastBackupIsKnownToEveryInstance(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		settings := newEmptySettings(t, setting)
		_, _, halt := startBusyService(t, settings) // the service keeps writing
		instances := []*process{startService(t, settings...), startService(t, settings...)}
		folder := t.TempDir()
		never := time.Unix(0, 0)

		files, arrived := newHangingFiles(t)
		runAndKill(t, append(settings, "HOMEWARD_FILES="+files), arrived, "backup", filepath.Join(folder, "killed"))
		if _, _, code := runCommand(t, settings, "backup", filepath.Join(folder, "missing", "x")); code != 1 {
			t.Errorf("a backup into a missing folder: exit code %d, want 1", code)
		}
		wantNoBackup(t, settings)
		for _, p := range instances {
			if got := p.lastBackup(); !got.Equal(never) {
				t.Errorf("a failed backup counts: the metric is %s", got)
			}
		}

		file := filepath.Join(folder, "backup.tar.gz")
		before := time.Now().Truncate(time.Second)
		mustRun(t, settings, "backup", file)
		after := time.Now()
		for _, p := range instances {
			waitUntil(t, "the instance reports the backup", func() bool { return !p.lastBackup().Equal(never) })
			if got := p.lastBackup(); got.Before(before) || got.After(after) {
				t.Errorf("the metric is %s, want a time from %s to %s", got, before, after)
			}
		}
		if state, said := diagnoseBackup(t, settings); state != "ok" || !strings.Contains(said, "with files") {
			t.Errorf("the doctor says %s: %s", state, said)
		}
		mustRun(t, settings, "backup", "--no-files", filepath.Join(folder, "database.tar.gz"))
		if state, said := diagnoseBackup(t, settings); state != "ok" || !strings.Contains(said, "without files") {
			t.Errorf("after a backup without files, the doctor says %s: %s", state, said)
		}
		again := filepath.Join(folder, "again.tar.gz")
		mustRun(t, settings, "backup", again) // of a database that was backed up before
		halt()
		storetest.EachUnmigrated(t, func(t *testing.T, target string) {
			place := newEmptySettings(t, target)
			mustRun(t, place, "restore", again)
			wantNoBackup(t, place)
			if got := startService(t, place...).lastBackup(); !got.Equal(never) {
				t.Errorf("the metric of a restored database is %s", got)
			}
		})
	})
}

func TestDoctorWarnsAboutAnOldBackup(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		db := storetest.Open(t, setting, time.Now)
		for age, want := range map[time.Duration]string{47 * time.Hour: "ok", 49 * time.Hour: "warning"} {
			made := time.Now().Add(-age)
			if err := db.Write(t.Context(), func(tx *store.Tx) error {
				return tx.SetLastBackup(store.LastBackup{Made: made, Finished: made.Add(time.Hour), Files: true})
			}); err != nil {
				t.Fatal(err)
			}
			if state, said := diagnoseBackup(t, newEmptySettings(t, setting)); state != want ||
				!strings.Contains(said, made.UTC().Format(time.RFC3339)) {
				t.Errorf("a backup of %s ago: the doctor says %s: %s", age, state, said)
			}
		}
	})
}

// The backup before an update is made by a program that is newer than the database.
func TestABackupOfAnOlderSchemaIsNotRecorded(t *testing.T) {
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		db := storetest.Open(t, setting, time.Now)
		if err := db.MigrateTo(t.Context(), 48); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "backup.tar.gz")
		settings := newEmptySettings(t, setting)
		if _, stderr := mustRun(t, settings, "backup", file); !strings.Contains(stderr, "run homeward migrate") {
			t.Errorf("the output does not say that the backup is not recorded: %s", stderr)
		}
		mustRun(t, settings, "backup", "verify", file)
		mustRun(t, settings, "doctor")
		mustRun(t, settings, "migrate")
		wantNoBackup(t, settings)
	})
}
