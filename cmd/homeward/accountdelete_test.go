package main_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// erasure is the record that homeward account delete prints with --json, or stores while it runs.
type erasure struct {
	Rows  map[string]int64
	Files int64
}

// addAuditEntries adds entries to the audit log of an account.
func addAuditEntries(t *testing.T, db *store.DB, account string, count int) {
	t.Helper()
	const batch = 500
	for range count / batch {
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			for range batch {
				e := lost.NewAuditEntry(lost.Actor{Account: account, Kind: lost.ByService}, lost.LoggedIn, "", "",
					tx.Now())
				if err := tx.AddAudit(e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// deletedRows returns how many audit entries an unfinished deletion has deleted.
func deletedRows(t *testing.T, db *store.DB, account string) int64 {
	t.Helper()
	entry, found, err := db.Lookup(t.Context(), store.ErasingAccountEntry, account)
	if err != nil {
		t.Fatal(err)
	}
	var e erasure
	if found {
		if err := json.Unmarshal([]byte(entry.Subject), &e); err != nil {
			t.Fatal(err)
		}
	}
	return e.Rows["audit"]
}

// killDeletion deletes an account in a separate process, and kills the process after it has deleted some more rows. It
// reports whether the process was killed before it ended.
func killDeletion(t *testing.T, settings []string, db *store.DB, account string) bool {
	t.Helper()
	before := deletedRows(t, db, account)
	cmd := exec.Command(self(t), "account", "delete", account, "--name", "Homeward")
	cmd.Env = environment(settings...)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return false
		case <-tick.C:
		}
		if deletedRows(t, db, account) > before {
			_ = cmd.Process.Kill() // it may have ended already
			return <-ended != nil
		}
	}
}

// The command is killed again and again while it deletes rows. The last run finishes the deletion, and prints and
// stores a record of everything that was deleted. If the command is run once more, it prints the record again.
func TestKilledAccountDeletionContinuesAndCountsEverything(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, database string) {
		settings := newSettings(t, database)
		p := startService(t, settings...)
		hotel := p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
		p.must(http.StatusCreated, "POST", "/v1/locations/"+hotel+"/items", `{"description": "Hat"}`)
		account := p.must(http.StatusOK, "GET", "/v1/account", "")["id"].(string)
		if code := p.terminate(); code != 0 {
			t.Fatalf("exit code %d: %s", code, p.stderr)
		}
		db := storetest.Open(t, database, time.Now)
		const added = 10_000
		addAuditEntries(t, db, account, added)
		kills := 0
		for range 3 {
			if killDeletion(t, settings, db, account) {
				kills++
			}
		}
		t.Logf("killed %d times, after %d audit entries", kills, deletedRows(t, db, account))
		var last, again erasure
		stdout, _ := mustRun(t, settings, "account", "delete", account, "--name", "Homeward", "--json")
		if err := json.Unmarshal([]byte(stdout), &last); err != nil {
			t.Fatal(err)
		}
		// The location was created, and the account was disabled once.
		if last.Rows["audit"] != added+2 || last.Rows["items"] != 1 || last.Rows["locations"] != 1 ||
			last.Rows["accounts"] != 1 || last.Rows["users"] != 1 {
			t.Errorf("the record is %+v", last)
		}
		stdout, stderr := mustRun(t, settings, "account", "delete", account, "--json")
		if err := json.Unmarshal([]byte(stdout), &again); err != nil || again.Rows["audit"] != last.Rows["audit"] ||
			!strings.Contains(stderr, "already deleted") {
			t.Errorf("the command prints %s, %s", stdout, stderr)
		}
	})
}
