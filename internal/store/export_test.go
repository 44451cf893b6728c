package store

import (
	"strings"
	"testing"
)

// each is set by tests outside the package, which may use storetest.
var each func(t *testing.T, fn func(t *testing.T, setting string))

// SetEach lends storetest.EachSetting to the tests inside the package.
func SetEach(fn func(t *testing.T, fn func(t *testing.T, setting string))) { each = fn }

// SealedColumns gives what lies in the columns of endpoints that must not be read in clear.
func SealedColumns(t *testing.T, db *DB) []string {
	t.Helper()
	rs, err := db.h.Query(across(t.Context(), Operator), "SELECT headers || ' ' || secret || ' ' || old_secrets FROM endpoints")
	texts, err := collect(rs, err, func(rs rows) (text string, err error) {
		err = rs.Scan(&text)
		return text, err
	})
	if err != nil || len(texts) == 0 {
		t.Fatalf("%d endpoints, %v", len(texts), err)
	}
	return texts
}

// Rows gives the text columns of a table's rows.
func Rows(t *testing.T, db *DB, table string, columns string) []string {
	t.Helper()
	rs, err := db.h.Query(across(t.Context(), Operator), "SELECT "+strings.ReplaceAll(columns, " ", " || ' ' || ")+" FROM "+table)
	texts, err := collect(rs, err, func(rs rows) (text string, err error) {
		err = rs.Scan(&text)
		return text, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// WalkAtMost has glances at lists give up as early as they would with many items.
func WalkAtMost(db *DB, before, alone int) { db.walk = walkBounds{before, alone} }

// PickUnlocked has background work pick what it takes as it does with Citus, without locking it.
func PickUnlocked(db *DB) { db.d.pickLocked, db.d.waitingLanes = "", citusDialect().waitingLanes }
