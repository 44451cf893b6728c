package transfer

import (
	"context"
	"errors"
	"time"

	"homeward/internal/store"
)

// AccountErasure is the record of a deleted account. It contains no personal data and stays in the database.
type AccountErasure struct {
	Account string           `json:"account"`
	At      time.Time        `json:"at"`
	Rows    map[string]int64 `json:"rows"`  // by table
	Files   int64            `json:"files"` // thumbnails are not counted
}

// RowCount returns the number of rows in all tables.
func (e AccountErasure) RowCount() (n int64) {
	for _, rows := range e.Rows {
		n += rows
	}
	return n
}

// AccountDeletion deletes an account.
type AccountDeletion struct {
	DB      *store.DB
	Account string
	// HasFile reports whether a file exists.
	HasFile func(ctx context.Context, name string) (bool, error)
	// DeleteFile deletes a file, and its thumbnail if it is a picture. It returns no error if they do not exist.
	DeleteFile func(ctx context.Context, name string) error
	// Deleted is called when a table has been emptied of the account's rows. It may be nil.
	Deleted func(table string, rows int64)
	// OnWait is called when a transaction has to wait longer than usual, because the database is busy. It may be nil.
	OnWait func(waited time.Duration)
	Now    func() time.Time

	// batch is the maximum number of rows that a transaction deletes, byKey makes it select them by their primary keys
	// even if they have row ids, and afterCommit is called after each transaction that changed something. Tests set
	// them. The zero values are 500, false and no function.
	batch       int
	byKey       bool
	afterCommit func() error
}

// defaultBatch is the maximum number of rows that a transaction deletes.
const defaultBatch = 500

// Count counts the account's rows by table. It does not count the files, because it would have to read every row.
func (d AccountDeletion) Count(ctx context.Context) (AccountErasure, error) {
	e := AccountErasure{Account: d.Account, At: d.Now().UTC(), Rows: map[string]int64{}}
	err := d.DB.Snapshot(ctx, func(at *store.Snapshot) error {
		tables, err := Tables(ctx, at)
		if err != nil {
			return err
		}
		for _, t := range tables {
			condition, args := t.where(d.Account)
			rs, err := at.Raw().Query(ctx, "SELECT count(*) FROM "+store.QuoteName(t.Name)+condition, args...)
			n, _, err := value[int64](rs, err)
			if err != nil {
				return err
			}
			if n > 0 {
				e.Rows[t.Name] = n
			}
		}
		return nil
	})
	return e, err
}

// Interrupted returns what an interrupted deletion of the account has already deleted, and whether there is one.
func (d AccountDeletion) Interrupted(ctx context.Context) (AccountErasure, bool, error) {
	p, found, err := readEntry[deletionProgress](ctx, d.DB, store.ErasingAccountEntry, d.Account)
	return p.AccountErasure, found, err
}

// ErasedAccount returns the record of a deleted account, and whether there is one.
func ErasedAccount(ctx context.Context, db *store.DB, account string) (AccountErasure, bool, error) {
	return readEntry[AccountErasure](ctx, db, store.ErasedAccountEntry, account)
}

// Run deletes the account's rows in batches, with their files, and stores a record of the erasure. If it is
// interrupted, it can be called again: a row is deleted only after the files that belong to it. The record counts what
// all calls have deleted. Run returns an error unless the account is disabled. While the database is busy, it waits.
func (d AccountDeletion) Run(ctx context.Context) (AccountErasure, error) {
	ctx = store.BatchContext(store.MaintenanceContext(ctx), d.OnWait)
	if exists, err := d.checkDisabled(ctx); err != nil {
		return AccountErasure{}, err
	} else if !exists {
		if e, found, err := ErasedAccount(ctx, d.DB, d.Account); found || err != nil {
			return e, err // an earlier call has finished
		}
	}
	r := &runningDeletion{AccountDeletion: d}
	if err := r.prepare(ctx); err != nil {
		return r.progress.AccountErasure, err
	}
	const maxRounds = 100
	for range maxRounds { // a request that began before the account was disabled may still add rows
		before := r.progress.RowCount()
		if err := r.deleteRows(ctx); err != nil {
			return r.progress.AccountErasure, err
		}
		if r.progress.RowCount() == before {
			return r.finish(ctx)
		}
	}
	return r.progress.AccountErasure, errors.New("the service keeps adding rows to the account: stop it")
}

// checkDisabled reports whether the account exists. It returns an error if the account is not disabled.
func (d AccountDeletion) checkDisabled(ctx context.Context) (exists bool, err error) {
	rs, err := d.DB.Raw().Query(ctx, "SELECT disabled_at FROM accounts WHERE account_id = $1", d.Account)
	disabledAt, exists, err := value[int64](rs, err)
	if err == nil && exists && disabledAt == 0 {
		err = errors.New("the account is not disabled: disable it before it is deleted")
	}
	return exists, err
}
