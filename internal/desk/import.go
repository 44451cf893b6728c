package desk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/itemcsv"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// Imports imports items from CSV files, and exports items as CSV files.
type Imports struct {
	slots        chan struct{} // limits how many files are read at the same time
	db           *store.DB
	wire         v1.Encoder
	now          func() time.Time
	reader       *access.Reader
	search       Searcher
	finds        *Finds
	wake         func()
	wakeMessages func()
}

// ImportsOptions are the dependencies of Imports.
type ImportsOptions struct {
	DB           *store.DB
	Wire         v1.Encoder
	Now          func() time.Time
	Reader       *access.Reader
	Search       Searcher
	Finds        *Finds
	Wake         func()
	WakeMessages func()
}

// NewImports creates Imports.
func NewImports(o ImportsOptions) *Imports {
	return &Imports{
		slots: make(chan struct{}, concurrentReads),
		db:    o.DB, wire: o.Wire, now: o.Now, reader: o.Reader, search: o.Search, finds: o.Finds,
		wake: o.Wake, wakeMessages: o.WakeMessages,
	}
}

// Limits of an imported file, in bytes and in rows.
const (
	MaxImport = itemcsv.MaxBytes
	MaxRows   = itemcsv.MaxRows
)

// Stage reads a file and saves its rows, but creates no items until somebody confirms the import with Start. It
// returns an error if the file cannot be parsed. Invalid rows are listed in the import with their problems. If location
// is empty, every row names its location; so also in the other methods.
func (s *Imports) Stage(ctx context.Context, a lost.Actor, location, name string,
	file io.Reader) (m lost.Import, err error) {
	if err := mayImport(a, location, "location"); err != nil {
		return m, err
	}
	m, pieces, err := s.readImport(ctx, a, location, file, func(lost.RowProblem) {})
	if err != nil {
		return m, err
	}
	return s.saveImport(ctx, m, name, pieces)
}

// saveImport saves an uploaded file with its rows.
func (s *Imports) saveImport(ctx context.Context, m lost.Import, name string, pieces []string) (lost.Import, error) {
	m.File = lost.Shorten(name, lost.MaxShort)
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		m.ID, m.CreatedAt = lost.NewID(lost.ImportID, tx.Now()), tx.Now()
		if err := evictImports(tx, m); err != nil {
			return err
		}
		if err := tx.InsertImport(m); err != nil {
			return err
		}
		for n, piece := range pieces {
			if err := tx.AddImportChunk(m, n, piece); err != nil {
				return err
			}
		}
		return nil
	})
	return m, err
}

// Check reports all problems that Stage would find in a file, without saving anything.
func (s *Imports) Check(ctx context.Context, a lost.Actor, location string, file io.Reader,
	each func(lost.RowProblem)) (lost.Import, error) {
	if err := mayImport(a, location, "location"); err != nil {
		return lost.Import{}, err
	}
	m, _, err := s.readImport(ctx, a, location, file, each)
	return m, err
}

// readImport checks every row of a file, and returns the valid rows in batches.
func (s *Imports) readImport(ctx context.Context, a lost.Actor, location string, file io.Reader,
	each func(lost.RowProblem)) (m lost.Import, pieces []string, err error) {
	target, err := s.importTarget(ctx, a, location, "")
	if err != nil {
		return m, nil, err
	}
	done, err := s.waitForSlot(ctx)
	if err != nil {
		return m, nil, err
	}
	defer done()
	m, content, err := newImport(a, location, file)
	if err != nil {
		return m, nil, err
	}
	r, err := itemcsv.NewReader(content, location == "")
	if err != nil {
		return m, nil, err
	}
	m.Unknown = r.Unknown
	b := rowBatches{}
	err = itemcsv.EachRow(r, func(row itemcsv.Row) error {
		problems, ok, err := s.checkRow(&row, &m, target, r.Problems)
		if err != nil {
			return err
		}
		for _, p := range problems {
			each(p)
		}
		return b.add(row, ok)
	})
	if err != nil {
		return m, nil, err
	}
	target.close(&m)
	pieces, err = b.all()
	return m, pieces, err
}

// newImport reads a file and returns an import without rows.
func newImport(a lost.Actor, location string, file io.Reader) (m lost.Import, content []byte, err error) {
	content, err = io.ReadAll(io.LimitReader(file, itemcsv.MaxBytes+1))
	if lost.CodeOf(err) == lost.TooSlow {
		return m, nil, err
	}
	if err != nil {
		return m, nil, lost.E(lost.Unreadable, "The file is incomplete. Upload it again.").WithCause(err)
	}
	sum := sha256.Sum256(content)
	return lost.Import{
		Account: a.Account, LocationID: location, State: lost.ImportReady, Digest: hex.EncodeToString(sum[:]), By: a,
	}, content, nil
}

// concurrentReads is the maximum number of files that are read at the same time. Each file is in memory twice: as
// bytes and as rows.
const concurrentReads = 2

// waitForSlot waits until fewer than concurrentReads files are being read. The caller must call done after reading
// its file.
func (s *Imports) waitForSlot(ctx context.Context) (done func(), err error) {
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots }, nil
	case <-ctx.Done():
		return nil, lost.E(lost.Unavailable, "Other imports are running. Try again in a minute.").WithCause(ctx.Err())
	}
}

// rowBatches collects rows in batches of JSON.
type rowBatches struct {
	batches []string
	rows    []itemcsv.Row
}

// add adds a row if it is to be kept.
func (b *rowBatches) add(row itemcsv.Row, keep bool) error {
	if keep {
		b.rows = append(b.rows, row)
	}
	if len(b.rows) < lost.ImportBatchSize {
		return nil
	}
	return b.flush()
}

func (b *rowBatches) flush() error {
	text, err := json.Marshal(b.rows)
	if err != nil {
		return fmt.Errorf("encode rows of a file: %w", err)
	}
	b.batches, b.rows = append(b.batches, string(text)), b.rows[:0]
	return nil
}

// all returns the batches, of which the last may be smaller.
func (b *rowBatches) all() ([]string, error) {
	if len(b.rows) == 0 {
		return b.batches, nil
	}
	err := b.flush()
	return b.batches, err
}

// checkRow sets the location of a row, counts the row as valid or invalid, and reports whether it is valid. If it is
// not, it returns the problems, of which the import keeps the first. The error is not about the row.
func (s *Imports) checkRow(row *itemcsv.Row, m *lost.Import, target *importTarget,
	problemsOf func(itemcsv.Row, error) []lost.RowProblem) (problems []lost.RowProblem, ok bool, err error) {
	l, wrong := target.find(*row)
	if wrong != nil && lost.CodeOf(wrong) != lost.Invalid {
		return nil, false, wrong
	}
	var i lost.Item
	if wrong == nil {
		i, wrong = lost.NewImportedItem(l, row.Patch(), m.By.Kind, s.now())
	}
	if wrong == nil {
		if i.NotifiesOwner() {
			m.Owners++
		}
		m.Total++
		if target.all {
			row.Location, target.used[l.ID] = l.ID, true
		}
		return nil, true, nil
	}
	m.Bad++
	problems = problemsOf(*row, wrong)
	m.Problems = append(m.Problems, problems[:min(len(problems), lost.MaxRowProblems-len(m.Problems))]...)
	return problems, false, nil
}

// ImportPreview is a preview of an import.
type ImportPreview struct {
	lost.Import
	First []lost.Item   // the items that the first rows would create
	Same  []lost.Import // imports of the same file that were not cancelled, newest first
	Left  []lost.Item   // some of the items that were not deleted when the import was cancelled
}

// How many rows of the file a preview shows and, for a cancelled import, how many items that were not deleted.
const (
	previewed = 20
	leftShown = 100
)

// Preview returns the first items that an unconfirmed import would create, or the items that were not deleted when an
// import was cancelled.
func (s *Imports) Preview(ctx context.Context, a lost.Actor, location, id string) (p ImportPreview, err error) {
	if p.Import, err = s.Get(ctx, a, location, id); err != nil {
		return p, err
	}
	imports, err := s.openImports(ctx, a, location)
	for _, other := range imports {
		imported := other.State == lost.ImportDone || other.State == lost.ImportNotifying ||
			other.State == lost.ImportRunning
		if other.ID != id && other.Digest == p.Digest && imported {
			p.Same = append(p.Same, other)
		}
	}
	if err == nil && p.Remaining > 0 {
		p.Left, err = s.stayedItems(ctx, p.Import)
	}
	if err != nil || p.Total == 0 || p.State != lost.ImportReady {
		return p, err
	}
	piece, err := s.db.ImportChunk(ctx, p.Import, 0)
	if err != nil {
		return p, err
	}
	rows, err := rowsOf(piece)
	if err != nil {
		return p, err
	}
	rows = rows[:min(len(rows), previewed)]
	locations, err := locationsOf(p.Import, rows, func(id string) (lost.Location, error) {
		return s.db.Location(ctx, a.Account, id)
	})
	if err != nil {
		return p, err
	}
	for _, row := range rows {
		i, err := lost.NewImportedItem(locations[locationOf(p.Import, row)], row.Patch(), a.Kind, s.now())
		if err != nil {
			return p, err
		}
		p.First = append(p.First, i)
	}
	return p, nil
}

// stayedItems returns some of the items that were not deleted when an import was cancelled. It returns none after the
// rows of the import have been deleted.
func (s *Imports) stayedItems(ctx context.Context, m lost.Import) ([]lost.Item, error) {
	ids, err := s.db.RemainingItems(ctx, m, leftShown)
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	return s.db.ItemsByID(ctx, m.Account, m.LocationID, ids)
}

func rowsOf(p store.ImportChunk) (rows []itemcsv.Row, err error) {
	if err = json.Unmarshal([]byte(p.Content), &rows); err != nil {
		err = fmt.Errorf("read rows of an import: %w", err)
	}
	return rows, err
}

// Start confirms an import. A background job then creates an item for each row. If tell is true, owners get a message
// after all items have been created.
func (s *Imports) Start(ctx context.Context, a lost.Actor, location, id string, tell bool) (lost.Import, error) {
	return s.changeImport(ctx, a, location, id, func(tx *store.Tx, m *lost.Import) error {
		if err := m.Start(tell, tx.Now()); err != nil {
			return err
		}
		if err := access.Audit(tx, a, lost.Imported, m.ID, fmt.Sprintf("%d items", m.Total)); err != nil {
			return err
		}
		return tx.AddJob(m.Account, store.JobImport, m.ID, tx.Now())
	})
}

// Cancel undoes an unfinished import. A background job deletes its items, except those that were changed in the
// meantime.
func (s *Imports) Cancel(ctx context.Context, a lost.Actor, location, id string) (lost.Import, error) {
	return s.changeImport(ctx, a, location, id, func(tx *store.Tx, m *lost.Import) error { return m.Cancel(tx.Now()) })
}

func (s *Imports) changeImport(ctx context.Context, a lost.Actor, location, id string, change func(*store.Tx,
	*lost.Import) error) (m lost.Import, err error) {
	if err := mayImport(a, location, "import"); err != nil {
		return m, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if m, err = tx.LockImport(a.Account, id); err != nil {
			return err
		}
		if m.LocationID != location {
			return lost.Missing("import")
		}
		if err := mayOpenImport(a, m); err != nil {
			return err
		}
		if err := change(tx, &m); err != nil {
			return err
		}
		return tx.SaveImport(m)
	})
	if err == nil {
		s.wake()
	}
	return m, err
}
