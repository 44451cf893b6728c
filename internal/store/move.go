package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Move takes what a SQLite file holds to a PostgreSQL database. Nobody may use either meanwhile: a file beside the one and a table in the other say so to
// whoever tries, also after the move was cut off. It then goes on where it was.
type Move struct {
	From, To string // their settings
	Account  string // empty for everything
	Offline  bool   // whoever asks for it knows that no service runs on the target, whatever connections there are
	Clock    func() time.Time
	Progress func(table string, rows int64) // is told from time to time; nil for nobody
	// Before is called when everything has arrived and was compared, before the source is given up.
	Before func(s *Snapshot) error

	atOnce int // rows; 0 for as many as is fast
}

// Moved is how many rows of a table were moved.
type Moved struct {
	Table string
	Rows  int64
}

// everything is what stands for all accounts in what is noted of a move.
const everything = "*"

func (m Move) what() string {
	if m.Account == "" {
		return everything
	}
	return m.Account
}

// Run moves, and tells what.
func (m Move) Run(ctx context.Context) (all []Moved, err error) {
	ctx = patiently(across(ctx, Operator))
	if IsPostgres(m.From) || !IsPostgres(m.To) {
		return nil, errors.New("a move goes from a SQLite file to postgres://…")
	}
	if m.Progress == nil {
		m.Progress = func(string, int64) {}
	}
	if err := m.takeSource(ctx); err != nil {
		return nil, err
	}
	from, err := Open(ctx, m.From, m.Clock)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	if _, err := from.migrate(ctx); err != nil {
		return nil, fmt.Errorf("the source: %w", err)
	}
	to, err := Open(ctx, m.To, m.Clock)
	if err != nil {
		return nil, err
	}
	defer to.Close()
	done, err := m.takeTarget(ctx, from, to)
	if err != nil {
		return nil, errors.Join(err, m.letGo(ctx, to))
	}
	if !done.compared {
		if all, err = m.copyAll(ctx, from, to, done); err != nil {
			return all, err
		}
	}
	return all, m.finish(ctx, from, to)
}

// target names the target without who may use it.
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

// note is what the file beside the source says.
func (m Move) note() string { return m.what() + " to " + m.target() + "\n" }

// takeSource has nobody else use the source.
func (m Move) takeSource(ctx context.Context) error {
	if _, err := os.Stat(m.From); err != nil {
		return fmt.Errorf("find the database to move: %w", err)
	}
	if _, err := os.Stat(m.From + restoring); err == nil {
		return errors.New("a restore into the source was not finished: run homeward restore again first")
	}
	for _, end := range []string{moving, moved} {
		switch said, err := os.ReadFile(m.From + end); {
		case err == nil && string(said) != m.note():
			return fmt.Errorf("another move of this database was begun: %s; finish that, or remove %s to give it up", strings.TrimSpace(string(said)), m.From+end)
		case err == nil:
			return unshared(ctx, m.From) // it goes on
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	if err := os.WriteFile(m.From+moving, []byte(m.note()), 0o600); err != nil {
		return err
	}
	if err := errors.Join(syncFile(m.From+moving), syncFile(filepath.Dir(m.From))); err != nil {
		return err
	}
	if err := unshared(ctx, m.From); err != nil {
		return errors.Join(err, os.Remove(m.From+moving))
	}
	return nil
}

// letGo gives the source back to those who use it, where nothing was moved yet.
func (m Move) letGo(ctx context.Context, to *DB) error {
	why, err := to.engine.unfinished(ctx)
	if err != nil || why != "" {
		return err // it goes on later
	}
	if err := os.Remove(m.From + moving); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// moveState is how far a move has come: rows of each table, and that everything was compared.
type moveState struct {
	rows     map[string]int64
	compared bool
}

// takeTarget has nobody else begin to use the target, and says how far an earlier move has come.
func (m Move) takeTarget(ctx context.Context, from, to *DB) (s moveState, err error) {
	why, err := to.engine.unfinished(ctx)
	if err != nil {
		return s, err
	}
	if why != "" {
		return m.resume(ctx, to)
	}
	if _, err := os.Stat(m.From + moved); err == nil {
		return s, errors.New("this database was moved already: set HOMEWARD_DATABASE to where it was moved to")
	}
	if err := to.onlyOurs(ctx); err != nil {
		return s, fmt.Errorf("the target: %w", err)
	}
	if !m.Offline {
		if err := to.alone(ctx); err != nil {
			return s, err
		}
	}
	if _, err := to.Migrate(ctx); err != nil {
		return s, fmt.Errorf("the target: %w", err)
	}
	if err := m.fits(ctx, from, to); err != nil {
		return s, err
	}
	return s, to.Write(ctx, func(tx *Tx) error {
		if err := tx.h.Script(tx.ctx, "CREATE TABLE "+moveTable+" (what TEXT NOT NULL, part TEXT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (what, part))"); err != nil {
			return err
		}
		return tx.note(m.what(), "", 0)
	})
}

// fits tells whether the target can take what comes: it is empty, or does not have the account and was used with the same secret.
func (m Move) fits(ctx context.Context, from, to *DB) error {
	if m.Account == "" {
		empty, err := to.empty(ctx)
		if err == nil && !empty {
			err = errors.New("the target is not empty: choose another database, or move one account with --account")
		}
		return err
	}
	tables, err := to.Tables(ctx)
	if err != nil {
		return err
	}
	for _, t := range tables {
		sum, err := to.sumOf(ctx, t, m.Account)
		if err != nil {
			return err
		}
		if sum.Rows > 0 {
			return fmt.Errorf("the target has account %s already", m.Account)
		}
	}
	if _, err := from.Account(ctx, m.Account); err != nil {
		return err
	}
	return sameSecrets(ctx, from, to)
}

// sameSecrets is nil where two databases were used with the same secrets, one after the other: what one has sealed the other can open, and links and devices go on. One that was used
// with none gets those of the other.
func sameSecrets(ctx context.Context, from, to *DB) error {
	ours, err := from.entries(ctx, secretEntry)
	if err != nil || len(ours) == 0 {
		return err
	}
	theirs, err := to.entries(ctx, secretEntry)
	if err != nil {
		return err
	}
	keys, err := from.entries(ctx, linkKeyEntry)
	if err != nil {
		return err
	}
	if len(theirs) == 0 {
		return to.Write(ctx, func(tx *Tx) (err error) {
			for _, e := range ours {
				err = cmp.Or(err, tx.AddEntry(secretEntry, e.hash, Entry{Subject: e.Subject}))
			}
			for _, e := range keys {
				err = cmp.Or(err, tx.AddEntry(linkKeyEntry, e.hash, Entry{Subject: e.Subject}))
			}
			return err
		})
	}
	theirKeys, err := to.entries(ctx, linkKeyEntry)
	sameName := func(a, b entry) bool { return a.hash == b.hash } // sealed, the same key looks different each time
	if err == nil && (!slices.Equal(ours, theirs) || !slices.EqualFunc(keys, theirKeys, sameName)) {
		err = errors.New("the target was used with other secrets than the source, now or before, and could not open what that has sealed: move everything to a database of its own instead")
	}
	return err
}

// resume reads how far a move has come.
func (m Move) resume(ctx context.Context, to *DB) (s moveState, err error) {
	type line struct {
		what, part string
		n          int64
	}
	rs, err := to.h.Query(ctx, "SELECT what, part, n FROM "+moveTable)
	lines, err := collect(rs, err, func(rs rows) (l line, err error) {
		err = rs.Scan(&l.what, &l.part, &l.n)
		return l, err
	})
	if err != nil {
		return s, fmt.Errorf("the target: %w", err)
	}
	s.rows = map[string]int64{}
	for _, l := range lines {
		switch {
		case l.what != m.what():
			return s, fmt.Errorf("another move into the target was not finished: that of %s", l.what)
		case l.part == everything:
			s.compared = true
		default:
			s.rows[l.part] = l.n
		}
	}
	return s, nil
}

// GiveUp undoes a move that was begun and not finished: what has arrived is removed from the target, and nothing else there. The source may be used again.
func (m Move) GiveUp(ctx context.Context) error {
	ctx = patiently(across(ctx, Operator))
	to, err := Open(ctx, m.To, m.Clock)
	if err != nil {
		return err
	}
	defer to.Close()
	said, err := os.ReadFile(m.From + moving)
	if err != nil || string(said) != m.note() {
		return fmt.Errorf("no such move was begun here, or it is finished: %w", cmp.Or(err, errors.New(strings.TrimSpace(string(said)))))
	}
	why, err := to.engine.unfinished(ctx)
	if err == nil && why != "" {
		err = m.removeArrived(ctx, to)
	}
	if err != nil {
		return err
	}
	return os.Remove(m.From + moving)
}

func (m Move) removeArrived(ctx context.Context, to *DB) error {
	done, err := m.resume(ctx, to)
	if err != nil {
		return err
	}
	if done.compared {
		return errors.New("everything has arrived and was compared: run the move again to finish it")
	}
	tables, err := to.Tables(ctx)
	if err != nil {
		return err
	}
	slices.Reverse(tables)
	return to.Write(ctx, func(tx *Tx) error {
		if err := tx.d.openAudit(tx, math.MaxInt64); err != nil {
			return err
		}
		for _, t := range tables {
			q := &query{}
			if m.Account != "" {
				if !t.column("account_id") {
					continue
				}
				q.where("account_id = " + q.arg(m.Account))
			}
			if _, err := tx.exec("DELETE FROM "+quoted(t.Name)+q.clause(), q.args...); err != nil {
				return fmt.Errorf("remove from table %s: %w", t.Name, err)
			}
		}
		return tx.h.Script(tx.ctx, "DROP TABLE "+moveTable)
	})
}

// note keeps how far a move has come.
func (tx *Tx) note(what, part string, n int64) error {
	return tx.later("INSERT INTO "+moveTable+" (what, part, n) VALUES ($1, $2, $3) ON CONFLICT (what, part) DO UPDATE SET n = excluded.n", what, part, n)
}

// copyAll moves the rows, table after table, and compares them.
func (m Move) copyAll(ctx context.Context, from, to *DB, done moveState) (all []Moved, err error) {
	return all, from.Snapshot(ctx, func(s *Snapshot) error {
		tables, err := s.Tables(ctx)
		if err != nil {
			return err
		}
		if _, err := (Filling{Tables: tables}).expect(ctx, to.reader); err != nil {
			return fmt.Errorf("the target is not like the source: %w", err)
		}
		for _, t := range tables {
			if err := m.copyTable(ctx, s, to, t, done.rows[t.Name]); err != nil {
				return fmt.Errorf("move table %s: %w", t.Name, err)
			}
		}
		if err := to.Write(ctx, func(tx *Tx) error { return tx.countOn() }); err != nil {
			return err
		}
		for _, t := range tables {
			m.Progress("comparing "+t.Name, 0)
			rows, err := m.same(ctx, s, to, t)
			if err != nil {
				return err
			}
			all = append(all, Moved{t.Name, rows})
		}
		if m.Before != nil {
			if err := m.Before(s); err != nil {
				return err
			}
		}
		return to.Write(ctx, func(tx *Tx) error { return tx.note(m.what(), everything, 1) })
	})
}

const (
	movedAtOnce = 2000 // rows
	movedBytes  = 4 << 20
)

// copyTable moves what a table has after the first rows, which are there already. Rows and how many they are arrive together.
func (m Move) copyTable(ctx context.Context, s *Snapshot, to *DB, t Table, done int64) error {
	order, err := s.rowOrder(ctx, t)
	if err != nil {
		return err
	}
	var some [][]any
	size := 0
	send := func() error {
		if len(some) == 0 {
			return nil
		}
		n := done + int64(len(some))
		err := to.engine.write(ctx, func(h txHandle) error {
			tx := to.transaction(ctx, h)
			next := 0
			_, err := h.Fill(ctx, t, func() ([]any, error) {
				if next == len(some) {
					return nil, nil
				}
				next++
				return some[next-1], nil
			})
			if err != nil {
				return err
			}
			return tx.note(m.what(), t.Name, n)
		})
		if errors.Is(err, errOvertaken) {
			return fmt.Errorf("the target has something of the same name already, such as a user's address or a location's permalink: %w", err)
		}
		done, some, size = n, some[:0], 0
		m.Progress(t.Name, done)
		return err
	}
	err = s.eachRow(ctx, t, m.Account, fmt.Sprintf("%s LIMIT -1 OFFSET %d", order, done), func(r Row) error {
		values, err := t.parse(r.Line)
		if err != nil {
			return err
		}
		some, size = append(some, values), size+len(r.Line)
		if len(some) < cmp.Or(m.atOnce, movedAtOnce) && size < movedBytes {
			return nil
		}
		return send()
	})
	if err != nil {
		return err
	}
	return send()
}

// same compares what both have of a table.
func (m Move) same(ctx context.Context, s *Snapshot, to *DB, t Table) (int64, error) {
	ours, err := s.sumOf(ctx, t, m.Account)
	if err != nil {
		return 0, err
	}
	theirs, err := to.sumOf(ctx, t, m.Account)
	if err == nil && ours != theirs {
		err = fmt.Errorf("table %s has %d rows here and %d there, or others than those: somebody has written meanwhile; give the move up and begin again with an empty target", t.Name, ours.Rows, theirs.Rows)
	}
	return ours.Rows, err
}

// finish gives the source up, and then lets the target be used.
func (m Move) finish(ctx context.Context, from, to *DB) error {
	if m.Account != "" {
		if err := m.leave(ctx, from); err != nil {
			return err
		}
	} else if err := os.Rename(m.From+moving, m.From+moved); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := syncFile(filepath.Dir(m.From)); err != nil {
		return err
	}
	if err := to.engine.write(ctx, func(h txHandle) error { return h.Script(ctx, "DROP TABLE IF EXISTS "+moveTable) }); err != nil {
		return err
	}
	if m.Account == "" {
		return nil
	}
	if err := os.Remove(m.From + moving); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// leave removes an account that has moved from the source, so that no reminder and no webhook is sent by both. Triggers that keep rows from being
// removed stand back for it: the rows are not lost, they are elsewhere.
func (m Move) leave(ctx context.Context, from *DB) error {
	tables, err := from.Tables(ctx)
	if err != nil {
		return err
	}
	slices.Reverse(tables)
	return from.Write(ctx, func(tx *Tx) error {
		guards, err := tx.pairs(tx.ctx, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%RAISE%'")
		if err != nil {
			return err
		}
		for _, g := range guards {
			if err := tx.h.Script(tx.ctx, "DROP TRIGGER "+quoted(g[0])); err != nil {
				return err
			}
		}
		for _, t := range tables {
			if !t.column("account_id") {
				continue
			}
			if _, err := tx.exec("DELETE FROM "+quoted(t.Name)+" WHERE account_id = $1", m.Account); err != nil {
				return fmt.Errorf("remove from table %s: %w", t.Name, err)
			}
		}
		for _, g := range guards {
			if err := tx.h.Script(tx.ctx, g[1]); err != nil {
				return err
			}
		}
		return nil
	})
}
