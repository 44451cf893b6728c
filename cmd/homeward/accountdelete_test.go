package main_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

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

// interruptedRows returns how many rows an unfinished deletion has deleted, by table.
func interruptedRows(t *testing.T, db *store.DB, account string) map[string]int64 {
	t.Helper()
	entry, found, err := db.Lookup(t.Context(), store.ErasingAccountEntry, account)
	if err != nil || !found {
		t.Fatalf("no unfinished deletion was found: %v", err)
	}
	var e erasure
	if err := json.Unmarshal([]byte(entry.Subject), &e); err != nil {
		t.Fatal(err)
	}
	return e.Rows
}

// blockDeletes makes every transaction that deletes a row of a table hang, until unblock is called.
func blockDeletes(t *testing.T, database, table string) (unblock func()) {
	t.Helper()
	if store.IsPostgres(database) {
		return lockRows(t, database, table)
	}
	db, err := sql.Open("sqlite", database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	run := func(script string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), script); err != nil {
			t.Fatal(err)
		}
	}
	run("CREATE VIEW endless AS WITH RECURSIVE e (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM e) SELECT n FROM e")
	run("CREATE TRIGGER hang BEFORE DELETE ON " + table + " BEGIN SELECT count(*) FROM endless; END")
	return func() { run("DROP TRIGGER hang; DROP VIEW endless") }
}

// lockRows locks the rows of a PostgreSQL table, until unlock is called.
func lockRows(t *testing.T, database, table string) (unlock func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	if _, err := conn.Exec(t.Context(), "BEGIN; SELECT 1 FROM "+table+" FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := conn.Exec(t.Context(), "ROLLBACK"); err != nil {
			t.Error(err)
		}
	}
}

// killDeletion deletes an account in a separate process that hangs when it comes to the given table. It kills the
// process after it has deleted the rows of another table, and returns the name of that table.
func killDeletion(t *testing.T, settings []string, database, account, table string) (deleted string) {
	t.Helper()
	unblock := blockDeletes(t, database, table)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, self(t), "account", "delete", account, "--name", "Homeward")
	cmd.Env = environment(settings...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var printed []string
	for lines := bufio.NewScanner(stderr); deleted == "" && lines.Scan(); {
		printed = append(printed, lines.Text())
		var rows int64
		_, _ = fmt.Sscanf(lines.Text(), "deleted %d rows from %s", &rows, &deleted) // other lines leave it empty
	}
	_ = cmd.Process.Kill() // if it has ended, Wait returns no signal
	_ = cmd.Wait()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); deleted == "" || !ok ||
		status.Signal() != syscall.SIGKILL {
		t.Fatalf("the process was not killed while it deleted rows: %s: %q", cmd.ProcessState, printed)
	}
	unblock()
	return deleted
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
		const added = 2000
		addAuditEntries(t, db, account, added)
		for _, table := range []string{"users", "locations", "audit"} { // in the order of deletion
			deleted := killDeletion(t, settings, database, account, table)
			if rows := interruptedRows(t, db, account); rows[deleted] == 0 || rows[table] != 0 {
				t.Errorf("killed before %s and after %s: the stored progress is %v", table, deleted, rows)
			}
		}
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
