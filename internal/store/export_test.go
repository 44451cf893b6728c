package store

import (
	"strings"
	"testing"
)

// each runs an internal test on every kind of database. SetEach sets it, because internal tests
// cannot import storetest.
var each func(t *testing.T, fn func(t *testing.T, setting string))

// SetEach sets the function that runs an internal test on every kind of database.
func SetEach(fn func(t *testing.T, fn func(t *testing.T, setting string))) { each = fn }

// EncryptedTexts returns the values stored in the encrypted columns of all endpoints.
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

// TableRows returns the given columns of every row in a table as one string per row.
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

// SetScanLimits lowers the scan limits of bounded lists, so that few items are enough to reach
// them.
func SetScanLimits(db *DB, beforeIndex, withoutIndex int) {
	db.limits.beforeIndex, db.limits.withoutIndex = beforeIndex, withoutIndex
}

// PickUnlocked makes workers select due rows without locking them, as with Citus.
func PickUnlocked(db *DB) { db.d.pickLocked, db.d.waitingQueues = "", citusDialect().waitingQueues }

// EncryptedColumns returns the encrypted columns as table.column, each with the condition that
// selects its encrypted rows.
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

// Do runs a statement directly, as a database administrator could.
func Do(t *testing.T, db *DB, statement string) error {
	t.Helper()
	return db.Write(t.Context(), func(tx *Tx) error { _, err := tx.deleteOld(statement); return err })
}

// HasOneWriter reports whether only one transaction can write at a time.
func (db *DB) HasOneWriter() bool { return db.d.name == "sqlite" }
