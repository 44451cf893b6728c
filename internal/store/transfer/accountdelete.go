package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
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
	// VisitNames calls visit with the name of each file in a text.
	VisitNames func(text string, visit func(name string))
	// HasFile reports whether a file exists.
	HasFile func(ctx context.Context, name string) (bool, error)
	// DeleteFile deletes a file. It returns no error if the file does not exist.
	DeleteFile func(ctx context.Context, name string) error
	Now        func() time.Time

	// batch is the maximum number of rows that a transaction deletes, and afterCommit is called after each transaction
	// that changed something. Tests set them to interrupt the deletion. The zero values are 500 and no function.
	batch       int
	afterCommit func() error
}

// defaultBatch is the maximum number of rows that a transaction deletes.
const defaultBatch = 500

// Count counts the account's rows by table, and the files that they refer to.
func (d AccountDeletion) Count(ctx context.Context) (AccountErasure, error) {
	e, _, err := d.read(ctx)
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

// Run deletes the account's files, then its rows in batches, and stores a record of the erasure. If it is interrupted,
// it can be called again: a row is deleted only after the files that it refers to. The record counts what all calls
// have deleted. The account must be disabled.
func (d AccountDeletion) Run(ctx context.Context) (AccountErasure, error) {
	if exists, err := d.exists(ctx); err != nil {
		return AccountErasure{}, err
	} else if !exists {
		if e, found, err := ErasedAccount(ctx, d.DB, d.Account); found || err != nil {
			return e, err // an earlier call has finished
		}
	}
	p, _, err := readEntry[deletionProgress](ctx, d.DB, store.ErasingAccountEntry, d.Account)
	if err != nil {
		return p.AccountErasure, err
	}
	r := &runningDeletion{AccountDeletion: d, progress: p, gone: map[string]bool{}}
	if err := r.deleteFiles(ctx); err != nil {
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

// exists reports whether the account exists.
func (d AccountDeletion) exists(ctx context.Context) (bool, error) {
	rs, err := d.DB.Raw().Query(ctx, "SELECT 1 FROM accounts WHERE account_id = $1", d.Account)
	_, found, err := value[int64](rs, err)
	return found, err
}

// runningDeletion is the state of a running deletion.
type runningDeletion struct {
	AccountDeletion
	progress deletionProgress
	gone     map[string]bool // the names of files that are known to be deleted
}

// deleteFiles deletes the files that the account's rows refer to, unless an earlier run has done it, and counts them.
func (d *runningDeletion) deleteFiles(ctx context.Context) error {
	if d.progress.FilesDeleted {
		return nil
	}
	_, files, err := d.read(ctx)
	if err != nil {
		return err
	}
	err = d.save(ctx, func(p *deletionProgress) { p.Files = max(p.Files, int64(len(files))) })
	if err != nil {
		return err
	}
	for name := range files {
		if err := d.DeleteFile(ctx, name); err != nil {
			return err
		}
		d.gone[name] = true
	}
	return d.save(ctx, func(p *deletionProgress) { p.FilesDeleted = true })
}

// deleteLateFiles deletes the files that rows were given after the others had been deleted, and counts them.
func (d *runningDeletion) deleteLateFiles(ctx context.Context, names []string) error {
	for _, name := range names {
		exists, err := d.HasFile(ctx, name)
		if err != nil {
			return err
		}
		if exists {
			if err := d.save(ctx, func(p *deletionProgress) { p.addLateFile(name) }); err != nil {
				return err
			}
			if err := d.DeleteFile(ctx, name); err != nil {
				return err
			}
		}
		d.gone[name] = true
	}
	return nil
}

// deleteRows deletes the account's rows from all tables except accounts.
func (d *runningDeletion) deleteRows(ctx context.Context) error {
	tables, err := dataTables(ctx, d.DB.Raw())
	if err != nil {
		return err
	}
	slices.Reverse(tables)
	for _, t := range tables {
		if !t.hasColumn("account_id") || t.Name == "accounts" {
			continue
		}
		for more := true; more; {
			if more, err = d.deleteBatch(ctx, t); err != nil {
				return fmt.Errorf("delete from table %s: %w", t.Name, err)
			}
		}
	}
	return nil
}

// lateFilesError says that rows refer to files that are not deleted yet.
type lateFilesError []string

func (lateFilesError) Error() string { return "rows refer to files that are not deleted yet" }

// deleteBatch deletes some of the account's rows from a table and stores the progress in the same transaction. If a row
// refers to a file that is not known to be deleted, it deletes the file instead, and no row. It reports whether there
// may be more rows.
func (d *runningDeletion) deleteBatch(ctx context.Context, t Table) (more bool, err error) {
	var after deletionProgress
	err = d.DB.Write(store.MaintenanceContext(ctx), func(tx *store.Tx) error {
		n, late, err := d.deleteSome(tx, t)
		if err != nil {
			return err
		}
		if len(late) > 0 {
			return late
		}
		if more = n > 0; !more {
			return nil
		}
		after, err = changeProgress(tx, d.Account, func(p *deletionProgress) { p.addRows(t.Name, n) })
		return err
	})
	if late, ok := errors.AsType[lateFilesError](err); ok {
		return true, d.deleteLateFiles(ctx, late)
	}
	if err != nil || !more {
		return false, err
	}
	d.progress = after
	return true, d.committed()
}

// deleteSome deletes some of the account's rows from a table. It returns the number of rows, and the files that they
// refer to and that are not known to be deleted. The hash of a permalink stays, without account and location.
func (d *runningDeletion) deleteSome(tx *store.Tx, t Table) (n int64, late lateFilesError, err error) {
	raw, row := tx.Raw(), "rowid"
	if raw.Postgres() {
		row = "ctid"
	}
	condition := "account_id = $1"
	if batched, err := raw.HasRowIDs(t.Name); err != nil {
		return 0, nil, err
	} else if batched {
		condition += " AND " + row + " IN (SELECT " + row + " FROM " + store.QuoteName(t.Name) +
			" WHERE account_id = $1 LIMIT " + strconv.Itoa(cmp.Or(d.batch, defaultBatch)) + ")"
	}
	if err := raw.AllowAuditDelete(); err != nil {
		return 0, nil, err
	}
	rs, err := raw.Query(tx.Context(), "DELETE FROM "+store.QuoteName(t.Name)+" WHERE "+condition+" RETURNING "+
		t.quotedColumns(), d.Account)
	var permalinks []string
	err = t.visitRows(rs, err, func(r Row) error {
		n++
		if hash, ok := t.permalinkHash(r); ok {
			permalinks = append(permalinks, hash)
		}
		r.Texts(func(text string) {
			d.VisitNames(text, func(name string) {
				if !d.gone[name] {
					late = append(late, name)
				}
			})
		})
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	for _, hash := range permalinks { // printed addresses of the account must not lead to another one
		if err := tx.AddEntry(store.PermalinkEntry, hash, store.DirectoryEntry{}); err != nil {
			return 0, nil, err
		}
	}
	return n, late, raw.ForbidAuditDelete()
}

// permalinkHash returns the hash of a permalink if the row is its directory entry.
func (t Table) permalinkHash(r Row) (hash string, ok bool) {
	if t.Name != "directory" {
		return "", false
	}
	for n, c := range t.Columns {
		text, _ := r.values[n].(string)
		switch c.Name {
		case "kind":
			ok = text == string(store.PermalinkEntry)
		case "hash":
			hash = text
		}
	}
	return hash, ok
}

// committed is called after each transaction that changed something.
func (d *runningDeletion) committed() error {
	if d.afterCommit == nil {
		return nil
	}
	return d.afterCommit()
}

// save changes the progress in a transaction of its own.
func (d *runningDeletion) save(ctx context.Context, change func(*deletionProgress)) (err error) {
	var after deletionProgress
	err = d.DB.Write(ctx, func(tx *store.Tx) error {
		after, err = changeProgress(tx, d.Account, change)
		return err
	})
	if err != nil {
		return err
	}
	d.progress = after
	return d.committed()
}

// finish deletes the account itself, and replaces the progress with the record of the erasure.
func (d *runningDeletion) finish(ctx context.Context) (e AccountErasure, err error) {
	err = d.DB.Write(ctx, func(tx *store.Tx) error {
		p, err := takeProgress(tx, d.Account)
		if err != nil {
			return err
		}
		n, err := tx.Raw().Exec("DELETE FROM accounts WHERE account_id = $1", d.Account)
		if err != nil {
			return err
		}
		if n == 0 { // another run has finished
			e, _, err = readEntry[AccountErasure](ctx, tx, store.ErasedAccountEntry, d.Account)
			return err
		}
		p.addRows("accounts", n)
		e = p.AccountErasure
		e.At = d.Now().UTC()
		if err := removeEntry(tx, store.ErasedAccountEntry, d.Account); err != nil {
			return err
		}
		return addEntry(tx, store.ErasedAccountEntry, d.Account, e)
	})
	if err != nil {
		return e, err
	}
	return e, d.committed()
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
