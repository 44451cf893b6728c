package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"homeward/internal/store"
)

// Move copies a SQLite database to PostgreSQL and then retires the source. Neither database may be
// used in the meantime: a file next to the source and a table in the target make the service refuse
// to start with either of them, even after an interruption. Run resumes an interrupted move.
type Move struct {
	From, To string // database settings
	Account  string // account to move; empty for all accounts
	Offline  bool   // skip the check for other connections; the operator guarantees that no service is running
	Clock    func() time.Time
	Progress Progress
	// BeforeFinish is called after everything has been copied and compared, before the source is retired.
	BeforeFinish func(s *store.Snapshot) error

	batch int // number of rows to copy in one transaction; 0 for the default
}

// MovedTable is a table that was moved, and the number of rows moved.
type MovedTable struct {
	Table string
	Rows  int64
}

// everything stands for all accounts in the records of a move.
const everything = "*"

// subject returns the id of the account to move, or everything for all accounts.
func (m Move) subject() string {
	if m.Account == "" {
		return everything
	}
	return m.Account
}

// Run performs or resumes the move, and returns the moved tables.
func (m Move) Run(ctx context.Context) (all []MovedTable, err error) {
	ctx = store.MaintenanceContext(ctx)
	if store.IsPostgres(m.From) || !store.IsPostgres(m.To) {
		return nil, errors.New("a move must be from a SQLite file to a PostgreSQL database (postgres://…)")
	}
	if err := m.lockSource(ctx); err != nil {
		return nil, err
	}
	from, err := store.Open(ctx, m.From, m.Clock)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	if _, err := from.MigrateUnfinished(ctx); err != nil {
		return nil, fmt.Errorf("the source: %w", err)
	}
	to, err := store.Open(ctx, m.To, m.Clock)
	if err != nil {
		return nil, err
	}
	defer to.Close()
	progress, err := m.lockTarget(ctx, from, to)
	if err != nil {
		return nil, errors.Join(err, m.unlockSource(ctx, to))
	}
	if !progress.compared {
		if all, err = m.copyAll(ctx, from, to, progress); err != nil {
			return all, err
		}
	}
	return all, m.finish(ctx, from, to)
}

// target returns the target's address without its credentials.
func (m Move) target() string {
	u, err := url.Parse(m.To)
	if err != nil {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = "5432"
	}
	return net.JoinHostPort(u.Hostname(), port) + u.Path
}

// note returns the content of the file next to the source that records the move.
func (m Move) note() string { return m.subject() + " to " + m.target() + "\n" }

// lockSource makes the service refuse to use the source.
func (m Move) lockSource(ctx context.Context) error {
	if _, err := os.Stat(m.From); err != nil {
		return fmt.Errorf("find the database to move: %w", err)
	}
	if _, err := os.Stat(m.From + store.RestoringSuffix); err == nil {
		return errors.New("a restore into the source was not finished: run homeward restore again first")
	}
	for _, suffix := range []string{store.MovingSuffix, store.MovedSuffix} {
		switch note, err := os.ReadFile(m.From + suffix); {
		case err == nil && string(note) != m.note():
			return fmt.Errorf("another move of this database was started (%s): finish it, or remove %s to abandon it",
				strings.TrimSpace(string(note)), m.From+suffix)
		case err == nil: // this move is being resumed
			return store.CheckUnshared(ctx, m.From)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	if err := os.WriteFile(m.From+store.MovingSuffix, []byte(m.note()), 0o600); err != nil {
		return err
	}
	if err := errors.Join(syncFile(m.From+store.MovingSuffix), syncFile(filepath.Dir(m.From))); err != nil {
		return err
	}
	if err := store.CheckUnshared(ctx, m.From); err != nil {
		return errors.Join(err, os.Remove(m.From+store.MovingSuffix))
	}
	return nil
}

// unlockSource makes the source usable again if nothing has been moved yet.
func (m Move) unlockSource(ctx context.Context, to *store.DB) error {
	reason, err := to.Unfinished(ctx)
	if err != nil || reason != "" {
		return err // the source stays locked so that the move can be resumed
	}
	return removeIfExists(m.From + store.MovingSuffix)
}

func removeIfExists(file string) error {
	if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// lockTarget makes the service refuse to use the target, and returns the progress of an earlier
// attempt.
func (m Move) lockTarget(ctx context.Context, from, to *store.DB) (p moveProgress, err error) {
	reason, err := to.Unfinished(ctx)
	if err != nil {
		return p, err
	}
	if reason != "" {
		return m.readProgress(ctx, to)
	}
	if _, err := os.Stat(m.From + store.MovedSuffix); err == nil {
		return p, errors.New("this database has already been moved: set HOMEWARD_DATABASE to its new address")
	}
	if err := checkOwnTables(ctx, to.Raw()); err != nil {
		return p, fmt.Errorf("the target: %w", err)
	}
	if !m.Offline {
		if err := checkUnconnected(ctx, to.Raw()); err != nil {
			return p, err
		}
	}
	if _, err := to.Migrate(ctx); err != nil {
		return p, fmt.Errorf("the target: %w", err)
	}
	if err := m.checkTarget(ctx, from, to); err != nil {
		return p, err
	}
	return p, to.Write(ctx, func(tx *store.Tx) error {
		const columns = " (what TEXT NOT NULL, part TEXT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (what, part))"
		if err := tx.Raw().Script("CREATE TABLE " + store.MoveTable + columns); err != nil {
			return err
		}
		return m.saveProgress(tx, "", 0)
	})
}

// checkTarget checks that the target can receive the rows: it is empty, or it does not have the
// account and was used with the same secrets.
func (m Move) checkTarget(ctx context.Context, from, to *store.DB) error {
	if m.Account == "" {
		empty, err := isEmpty(ctx, to.Raw())
		if err == nil && !empty {
			err = errors.New("the target is not empty: choose another database, or move one account with --account")
		}
		return err
	}
	tables, err := dataTables(ctx, to.Raw())
	if err != nil {
		return err
	}
	for _, t := range tables {
		sum, err := sumOf(ctx, to.Raw(), t, m.Account)
		if err != nil {
			return err
		}
		if sum.Rows > 0 {
			return fmt.Errorf("the target already has account %s", m.Account)
		}
	}
	if _, err := from.Account(ctx, m.Account); err != nil {
		return err
	}
	return shareSecrets(ctx, from, to)
}

// shareSecrets copies the records of the source's secrets to a target that was never used with a
// secret. It returns an error if the target was used with other secrets. Such a target could not
// decrypt the account's data, and the account's links and passkeys would stop working.
func shareSecrets(ctx context.Context, from, to *store.DB) error {
	source, err := from.SecretRecords(ctx)
	if err != nil || source.Empty() {
		return err
	}
	target, err := to.SecretRecords(ctx)
	if err != nil {
		return err
	}
	if target.Empty() {
		return to.Write(ctx, func(tx *store.Tx) error { return tx.AddSecretRecords(source) })
	}
	if !source.Same(target) {
		return errors.New("the target was used with other secrets and could not decrypt the data of the source: " +
			"move everything to an empty database instead")
	}
	return nil
}

// finish retires the source and then makes the target usable.
func (m Move) finish(ctx context.Context, from, to *store.DB) error {
	if m.Account != "" {
		if err := m.deleteMoved(ctx, from); err != nil {
			return err
		}
	} else {
		err := os.Rename(m.From+store.MovingSuffix, m.From+store.MovedSuffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := syncFile(filepath.Dir(m.From)); err != nil {
		return err
	}
	if err := to.RaiseChangeNumbers(ctx); err != nil {
		return err
	}
	err := to.WriteOnce(ctx, func(tx *store.Tx) error {
		return tx.Raw().Script("DROP TABLE IF EXISTS " + store.MoveTable)
	})
	if err != nil || m.Account == "" {
		return err
	}
	return removeIfExists(m.From + store.MovingSuffix)
}

// deleteMoved deletes a moved account from the source. Otherwise both databases would send its
// reminders and webhooks. It drops the triggers that forbid deletion and recreates them afterwards.
// This is safe because the rows still exist in the target.
func (m Move) deleteMoved(ctx context.Context, from *store.DB) error {
	tables, err := dataTables(ctx, from.Raw())
	if err != nil {
		return err
	}
	slices.Reverse(tables)
	return from.Write(ctx, func(tx *store.Tx) error {
		raw := tx.Raw()
		const forbiddingTriggers = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%RAISE%'"
		triggers, err := pairs(ctx, raw.Raw, forbiddingTriggers)
		if err != nil {
			return err
		}
		for _, t := range triggers {
			if err := raw.Script("DROP TRIGGER " + store.QuoteName(t[0])); err != nil {
				return err
			}
		}
		if err := deleteRows(raw, tables, m.Account); err != nil {
			return err
		}
		for _, t := range triggers {
			if err := raw.Script(t[1]); err != nil {
				return err
			}
		}
		return nil
	})
}

// deleteRows deletes the rows of an account, or all rows. In tables, each table must come before
// the tables that it refers to.
func deleteRows(raw store.RawTx, tables []Table, account string) error {
	for _, t := range tables {
		condition, args := "", []any(nil)
		if account != "" {
			if !t.hasColumn("account_id") {
				continue
			}
			condition, args = " WHERE account_id = $1", []any{account}
		}
		if _, err := raw.Exec("DELETE FROM "+store.QuoteName(t.Name)+condition, args...); err != nil {
			return fmt.Errorf("remove from table %s: %w", t.Name, err)
		}
	}
	return nil
}
