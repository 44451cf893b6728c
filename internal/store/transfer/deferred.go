package transfer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"homeward/internal/store"
)

// deferredIndexes is the work that a load of a SQLite file leaves until all rows are inserted:
// building an index once is much faster than updating it for every row.
type deferredIndexes struct {
	indexes  [][2]string // name and SQL of each index that was dropped
	triggers [][2]string // name and SQL of each trigger that was dropped
	searches []string    // names of the full-text indexes
}

// deferIndexes drops the indexes and triggers of an empty SQLite database. The triggers keep the
// full-text indexes up to date and protect the audit log.
func deferIndexes(ctx context.Context, db *store.DB) (d deferredIndexes, err error) {
	const ofType = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND type = '%s' ORDER BY rowid"
	if d.indexes, err = pairs(ctx, db.Raw(), fmt.Sprintf(ofType, "index")); err != nil {
		return d, err
	}
	if d.triggers, err = pairs(ctx, db.Raw(), fmt.Sprintf(ofType, "trigger")); err != nil {
		return d, err
	}
	d.searches, err = texts(db.Raw().Query(ctx, "SELECT name FROM sqlite_schema "+
		"WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%' ORDER BY rowid"))
	if err != nil {
		return d, err
	}
	var drop []string
	for _, t := range d.triggers {
		drop = append(drop, "DROP TRIGGER "+store.QuoteName(t[0]))
	}
	for _, i := range d.indexes {
		drop = append(drop, "DROP INDEX "+store.QuoteName(i[0]))
	}
	return d, runStatements(ctx, db, drop...)
}

// run builds the indexes, creates the triggers again and checks all foreign keys.
func (d deferredIndexes) run(ctx context.Context, db *store.DB, progress Progress) error {
	// The work on a search index is estimated as that on ten other indexes.
	const search = 10
	total := float64(len(d.indexes) + search*len(d.searches))
	done := 0.0
	for _, name := range d.searches {
		progress.Report(Step{Name: "building the search index", Share: done / total})
		name = store.QuoteName(name)
		if err := runStatements(ctx, db, "INSERT INTO "+name+" ("+name+") VALUES ('rebuild')"); err != nil {
			return fmt.Errorf("build the search index: %w", err)
		}
		done += search
	}
	for _, i := range d.indexes {
		progress.Report(Step{Name: "building index " + i[0], Share: done / total})
		if err := runStatements(ctx, db, i[1]); err != nil {
			return fmt.Errorf("build index %s: %w", i[0], err)
		}
		done++
	}
	for _, t := range d.triggers {
		if err := runStatements(ctx, db, t[1]); err != nil {
			return fmt.Errorf("create trigger %s: %w", t[0], err)
		}
	}
	progress.Report(Step{Name: "checking references", Share: 1})
	return checkForeignKeys(ctx, db)
}

// checkForeignKeys returns an error if a row refers to a row that does not exist.
func checkForeignKeys(ctx context.Context, db *store.DB) error {
	broken, err := pairs(ctx, db.Raw(), `SELECT DISTINCT "table", "parent" FROM pragma_foreign_key_check`)
	if err != nil || len(broken) == 0 {
		return err
	}
	var all []string
	for _, b := range broken {
		all = append(all, fmt.Sprintf("rows of table %s refer to rows of table %s that do not exist", b[0], b[1]))
	}
	return errors.New(strings.Join(all, "; "))
}

// runStatements runs statements, each in its own transaction.
func runStatements(ctx context.Context, db *store.DB, statements ...string) error {
	for _, sql := range statements {
		if err := db.WriteOnce(ctx, func(tx *store.Tx) error { return tx.Raw().Script(sql) }); err != nil {
			return err
		}
	}
	return nil
}
