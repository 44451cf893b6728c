package store

import (
	"strings"
	"testing"
)

// each is set by SetEach, because internal tests cannot import storetest.
var each func(t *testing.T, fn func(t *testing.T, setting string))

// SetEach sets the function that runs an internal test on each kind of database.
func SetEach(fn func(t *testing.T, fn func(t *testing.T, setting string))) { each = fn }

// EncryptedTexts returns the texts of the encrypted columns of endpoints.
func EncryptedTexts(t *testing.T, db *DB) []string {
	t.Helper()
	rs, err := db.h.Query(withScope(t.Context(), OperatorScope),
		"SELECT headers || ' ' || secret || ' ' || old_secrets FROM endpoints")
	texts, err := collect(rs, err, func(rs rows) (text string, err error) {
		err = rs.Scan(&text)
		return text, err
	})
	if err != nil || len(texts) == 0 {
		t.Fatalf("got %d endpoints, %v", len(texts), err)
	}
	return texts
}

// TableRows returns the given columns of all rows of a table as texts.
func TableRows(t *testing.T, db *DB, table string, columns string) []string {
	t.Helper()
	rs, err := db.h.Query(withScope(t.Context(), OperatorScope),
		"SELECT "+strings.ReplaceAll(columns, " ", " || ' ' || ")+" FROM "+table)
	texts, err := collect(rs, err, func(rs rows) (text string, err error) {
		err = rs.Scan(&text)
		return text, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// SetScanLimits makes bounded lists reach their limits with few items.
func SetScanLimits(db *DB, beforeIndex, withoutIndex int) {
	db.limits = scanLimits{beforeIndex, withoutIndex}
}

// PickUnlocked makes workers pick due rows without locking them, as with Citus.
func PickUnlocked(db *DB) { db.d.pickLocked, db.d.waitingQueues = "", citusDialect().waitingQueues }

// EncryptedColumns returns the encrypted columns as table.column, each with the condition for the
// encrypted rows.
func EncryptedColumns() map[string]string {
	columns := map[string]string{}
	for _, c := range encryptedColumns() {
		columns[c.table+"."+c.column] = c.only
	}
	return columns
}

// Columns returns every column of the schema as table.column.
func Columns(t *testing.T, db *DB) []string {
	t.Helper()
	text := "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public'"
	if db.d.name == "sqlite" {
		text = "SELECT m.name || '.' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = " +
			"'table' AND m.name NOT LIKE 'items_search%' AND m.name NOT LIKE 'sqlite_%'"
	}
	rs, err := db.h.Query(withScope(t.Context(), OperatorScope), text)
	names, err := collect(rs, err, func(rs rows) (name string, err error) { err = rs.Scan(&name); return name, err })
	if err != nil || len(names) == 0 {
		t.Fatalf("got %d columns, %v", len(names), err)
	}
	return names
}

// Do runs a statement as an operator with the tools of the database would.
func Do(t *testing.T, db *DB, statement string) error {
	t.Helper()
	return db.Write(t.Context(), func(tx *Tx) error { _, err := tx.deleteOld(statement); return err })
}
