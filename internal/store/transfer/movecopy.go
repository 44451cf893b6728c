package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"homeward/internal/store"
)

// moveProgress is the progress of a move: the number of rows copied for each table, and whether all
// tables have been compared.
type moveProgress struct {
	rows     map[string]int64
	compared bool
}

// readProgress reads the progress of an earlier attempt.
func (m Move) readProgress(ctx context.Context, to *store.DB) (p moveProgress, err error) {
	type line struct {
		subject, part string
		n             int64
	}
	rs, err := to.Raw().Query(ctx, "SELECT what, part, n FROM "+store.MoveTable)
	lines, err := collect(rs, err, func(rs store.Rows) (l line, err error) {
		err = rs.Scan(&l.subject, &l.part, &l.n)
		return l, err
	})
	if err != nil {
		return p, fmt.Errorf("the target: %w", err)
	}
	p.rows = map[string]int64{}
	for _, l := range lines {
		switch {
		case l.subject != m.subject():
			return p, fmt.Errorf("another move into the target was not finished: the move of %s", l.subject)
		case l.part == everything:
			p.compared = true
		default:
			p.rows[l.part] = l.n
		}
	}
	return p, nil
}

// saveProgress records that the first n rows of a part, such as a table, have been copied.
func (m Move) saveProgress(tx *store.Tx, part string, n int64) error {
	_, err := tx.Raw().Exec("INSERT INTO "+store.MoveTable+" (what, part, n) VALUES ($1, $2, $3)"+
		" ON CONFLICT (what, part) DO UPDATE SET n = excluded.n", m.subject(), part, n)
	return err
}

// Abort undoes an unfinished move. It deletes the copied rows from the target, and nothing else,
// and makes the source usable again.
func (m Move) Abort(ctx context.Context) error {
	ctx = store.MaintenanceContext(ctx)
	to, err := store.Open(ctx, m.To, m.Clock)
	if err != nil {
		return err
	}
	defer to.Close()
	note, err := os.ReadFile(m.From + store.MovingSuffix)
	if err == nil && string(note) != m.note() {
		err = errors.New(strings.TrimSpace(string(note)))
	}
	if err != nil {
		return fmt.Errorf("no unfinished move between these databases was found: %w", err)
	}
	reason, err := to.Unfinished(ctx)
	if err != nil {
		return err
	}
	if reason != "" {
		if err := m.deleteCopied(ctx, to); err != nil {
			return err
		}
	}
	return os.Remove(m.From + store.MovingSuffix)
}

func (m Move) deleteCopied(ctx context.Context, to *store.DB) error {
	progress, err := m.readProgress(ctx, to)
	if err != nil {
		return err
	}
	if progress.compared {
		return errors.New("everything was copied and compared: run the move again to finish it")
	}
	tables, err := dataTables(ctx, to.Raw())
	if err != nil {
		return err
	}
	slices.Reverse(tables)
	return to.Write(ctx, func(tx *store.Tx) error {
		raw := tx.Raw()
		if err := raw.AllowAuditDelete(); err != nil {
			return err
		}
		if err := deleteRows(raw, tables, m.Account); err != nil {
			return err
		}
		return raw.Script("DROP TABLE " + store.MoveTable)
	})
}

// copyAll copies the rows of every table, and then compares the source with the target.
func (m Move) copyAll(ctx context.Context, from, to *store.DB, done moveProgress) (all []MovedTable, err error) {
	err = from.Snapshot(ctx, func(s *store.Snapshot) error {
		tables, err := Tables(ctx, s)
		if err != nil {
			return err
		}
		if _, err := compareTables(ctx, to.Raw(), tables, 0); err != nil {
			return fmt.Errorf("the tables of the source and the target differ: %w", err)
		}
		work, err := m.countWork(ctx, s, tables)
		if err != nil {
			return err
		}
		for _, t := range tables {
			if err := m.copyTable(ctx, s, to, t, done.rows[t.Name], work); err != nil {
				return fmt.Errorf("move table %s: %w", t.Name, err)
			}
			work.finished += work.rows[t.Name]
		}
		if err := to.Write(ctx, func(tx *store.Tx) error { return resetSequences(ctx, tx.Raw()) }); err != nil {
			return err
		}
		if all, err = m.compareAll(ctx, s, to, tables, work); err != nil {
			return err
		}
		if m.BeforeFinish != nil {
			if err := m.BeforeFinish(s); err != nil {
				return err
			}
		}
		return to.Write(ctx, func(tx *store.Tx) error { return m.saveProgress(tx, everything, 1) })
	})
	return all, err
}

// moveWork is what a move has to do: to copy and to compare every row.
type moveWork struct {
	rows     map[string]int64 // the number of rows by table
	total    int64            // each row counts twice
	finished int64            // rows of the tables that are finished
}

// countWork counts the rows to move.
func (m Move) countWork(ctx context.Context, s *store.Snapshot, tables []Table) (*moveWork, error) {
	work := &moveWork{rows: map[string]int64{}}
	for _, t := range tables {
		condition, args := t.where(m.Account)
		rs, err := s.Raw().Query(ctx, "SELECT count(*) FROM "+store.QuoteName(t.Name)+condition, args...)
		n, _, err := value[int64](rs, err)
		if err != nil {
			return nil, fmt.Errorf("count table %s: %w", t.Name, err)
		}
		work.rows[t.Name] = n
		work.total += 2 * n
	}
	return work, nil
}

// share returns the completed share of the move, with done rows of the current table.
func (w *moveWork) share(done int64) float64 {
	return float64(w.finished+done) / float64(max(w.total, 1))
}

const (
	batchRows  = 2000
	batchBytes = 4 << 20
)

// copyTable copies the rows of a table. It skips rows that were copied before; done is their
// number.
func (m Move) copyTable(
	ctx context.Context, s *store.Snapshot, to *store.DB, t Table, done int64, work *moveWork,
) error {
	order, err := primaryKeyOrder(ctx, s.Raw(), t)
	if err != nil {
		return err
	}
	var batch [][]any
	size := 0
	send := func() error {
		if len(batch) == 0 {
			return nil
		}
		done += int64(len(batch))
		if err := m.sendBatch(ctx, to, t, batch, done); err != nil {
			return err
		}
		batch, size = batch[:0], 0
		m.Progress.Report(Step{Name: "table " + t.Name, Done: done, Share: work.share(done)})
		return nil
	}
	rest := fmt.Sprintf("%s LIMIT -1 OFFSET %d", order, done)
	err = eachRow(ctx, s.Raw(), t, m.Account, rest, func(r Row) error {
		values, _, err := t.parse(r.Line) // the line has only texts that can be stored
		if err != nil {
			return err
		}
		batch = append(batch, values)
		size += len(r.Line)
		if len(batch) < cmp.Or(m.batch, batchRows) && size < batchBytes {
			return nil
		}
		return send()
	})
	if err != nil {
		return err
	}
	return send()
}

// sendBatch inserts rows and records the number of copied rows in the same transaction.
func (m Move) sendBatch(ctx context.Context, to *store.DB, t Table, batch [][]any, done int64) error {
	err := to.WriteOnce(ctx, func(tx *store.Tx) error {
		next := 0
		err := tx.Raw().InsertRows(t.Name, t.columnNames(), func() ([]any, error) {
			if next == len(batch) {
				return nil, nil
			}
			next++
			return batch[next-1], nil
		})
		if err != nil {
			return err
		}
		return m.saveProgress(tx, t.Name, done)
	})
	if store.IsConflict(err) {
		return fmt.Errorf("the target already has a row with the same key, "+
			"such as a user's e-mail address or a location's permalink: %w", err)
	}
	return err
}

// compareAll compares the rows of every table in the source and in the target.
func (m Move) compareAll(
	ctx context.Context, s *store.Snapshot, to *store.DB, tables []Table, work *moveWork,
) (all []MovedTable, err error) {
	for _, t := range tables {
		m.Progress.Report(Step{Name: "comparing table " + t.Name, Done: work.rows[t.Name], Share: work.share(0)})
		source, err := sumOf(ctx, s.Raw(), t, m.Account)
		if err != nil {
			return all, err
		}
		target, err := sumOf(ctx, to.Raw(), t, m.Account)
		if err != nil {
			return all, err
		}
		if source != target {
			return all,
				fmt.Errorf("table %s has %d rows in the source and %d in the target, or their content differs: "+
					"a database was changed during the move; abort the move and start again with an empty target",
					t.Name, source.Rows, target.Rows)
		}
		work.finished += work.rows[t.Name]
		all = append(all, MovedTable{t.Name, source.Rows})
	}
	return all, nil
}
