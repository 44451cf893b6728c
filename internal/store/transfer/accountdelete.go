package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"homeward/internal/store"
)

// AccountErasure is the record of a deleted account. It contains no personal data and stays in the database.
type AccountErasure struct {
	Account string           `json:"account"`
	At      time.Time        `json:"at"`
	Rows    map[string]int64 `json:"rows"` // by table
	Files   int64            `json:"files"`
}

// AccountDeletion deletes an account.
type AccountDeletion struct {
	DB      *store.DB
	Account string
	// VisitNames calls visit with the name of each file in a text.
	VisitNames func(text string, visit func(name string))
	// DeleteFile deletes a file. It returns no error if the file does not exist.
	DeleteFile func(ctx context.Context, name string) error
	Now        func() time.Time
}

// Count counts the account's rows by table, and the files that they refer to.
func (d AccountDeletion) Count(ctx context.Context) (AccountErasure, error) {
	e, _, err := d.read(ctx)
	return e, err
}

// Run deletes the account's files, then its rows in batches, and stores a record of the erasure. If it is interrupted,
// it can be called again: a row is deleted only after the files that it refers to. The account must be disabled.
func (d AccountDeletion) Run(ctx context.Context) (AccountErasure, error) {
	e, files, err := d.read(ctx)
	if err != nil {
		return e, err
	}
	for name := range files {
		if err := d.DeleteFile(ctx, name); err != nil {
			return e, err
		}
	}
	tables, err := dataTables(ctx, d.DB.Raw())
	if err != nil {
		return e, err
	}
	slices.Reverse(tables)
	for _, t := range tables {
		if t.hasColumn("account_id") && t.Name != "accounts" {
			if err := d.deleteTable(ctx, t); err != nil {
				return e, fmt.Errorf("delete from table %s: %w", t.Name, err)
			}
		}
	}
	record, err := json.Marshal(e)
	if err != nil {
		return e, err
	}
	return e, d.DB.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.Raw().Exec("DELETE FROM accounts WHERE account_id = $1", d.Account); err != nil {
			return err
		}
		return tx.AddEntry(store.ErasedAccountEntry, d.Account, store.DirectoryEntry{Subject: string(record)})
	})
}

// read counts the account's rows by table and returns the names of the files that they refer to.
func (d AccountDeletion) read(ctx context.Context) (e AccountErasure, files map[string]bool, err error) {
	e = AccountErasure{Account: d.Account, At: d.Now().UTC(), Rows: map[string]int64{}}
	files = map[string]bool{}
	err = d.DB.Snapshot(ctx, func(at *store.Snapshot) error {
		tables, err := Tables(ctx, at)
		if err != nil {
			return err
		}
		for _, t := range tables {
			err := Rows(ctx, at, t, d.Account, func(r Row) error {
				e.Rows[t.Name]++
				r.Texts(func(text string) {
					d.VisitNames(text, func(name string) { files[name] = true })
				})
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	e.Files = int64(len(files))
	return e, files, err
}

// deleteTable deletes the account's rows of a table in batches.
func (d AccountDeletion) deleteTable(ctx context.Context, t Table) error {
	const batch = "500"
	for {
		var n int64
		err := d.DB.Write(store.MaintenanceContext(ctx), func(tx *store.Tx) (err error) {
			raw := tx.Raw()
			row := "rowid"
			if raw.Postgres() {
				row = "ctid"
			}
			condition := "account_id = $1"
			if batched, err := raw.HasRowIDs(t.Name); err != nil {
				return err
			} else if batched {
				condition += " AND " + row + " IN (SELECT " + row + " FROM " + store.QuoteName(t.Name) +
					" WHERE account_id = $1 LIMIT " + batch + ")"
			}
			if err := raw.AllowAuditDelete(); err != nil {
				return err
			}
			n, err = raw.Exec("DELETE FROM "+store.QuoteName(t.Name)+" WHERE "+condition, d.Account)
			if err != nil {
				return err
			}
			return raw.ForbidAuditDelete()
		})
		if err != nil || n == 0 {
			return err
		}
	}
}
