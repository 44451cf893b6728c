package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"homeward/internal/lost"
	"homeward/internal/media"
	"homeward/internal/store"
	"homeward/internal/store/transfer"
)

// Target is the database and the file store that a backup is restored into.
type Target struct {
	Database string      // database setting: postgres://… or a SQLite file
	Files    media.Store // nil to skip files
	Force    bool        // replace existing data
	Offline  bool        // the caller guarantees that no service is using the database
	Now      func() time.Time
	Progress Progress
}

// Restore restores a backup that Verify has accepted. The rows become visible only after everything is restored; files
// are stored immediately, but no visible row refers to them until then. Restore verifies everything again, because the
// backup may have changed since Verify read it.
func Restore(ctx context.Context, from io.Reader, h Header, m Manifest, to Target) error {
	loaded, compared := workShares(m, store.IsPostgres(to.Database))
	options := transfer.LoadOptions{
		Setting: to.Database, Schema: h.Schema, Tables: h.Tables, Force: to.Force, Offline: to.Offline, Clock: to.Now,
		Progress: to.Progress.Between(compared, 1),
	}
	return transfer.Load(ctx, options, func(l *transfer.Loader) error {
		loading := to.Progress.Between(0, loaded)
		_, again, err := read(ctx, from, loading, func(Header) error { return nil }, func(p part) error {
			if p.table != "" {
				return l.Insert(ctx, p.table, p.content)
			}
			return to.storeFile(ctx, p)
		})
		if err != nil {
			return err
		}
		if again.SHA256 != m.SHA256 {
			return brokenError("the file was replaced while it was being read")
		}
		progress, done := to.Progress.Between(loaded, compared), int64(0)
		for _, name := range slices.Sorted(maps.Keys(m.Tables)) {
			progress.Report(transfer.Step{
				Name: "comparing table " + name, Done: m.Tables[name].Rows,
				Share: float64(done) / float64(max(m.Rows(), 1)),
			})
			done += m.Tables[name].Rows
			if err := l.Check(ctx, name, m.Tables[name].Rows, m.Tables[name].Sum); err != nil {
				return err
			}
		}
		return nil
	})
}

// workShares estimates which share of a restore is done after everything has been loaded, and after
// it has been compared. The rest of a restore into SQLite is building the indexes.
func workShares(m Manifest, postgres bool) (loaded, compared float64) {
	// Relative to loading a row. Storing a file takes as long as many rows.
	const comparison, indexing, file, fileByte = 0.5, 0.5, 10, 1.0 / 20_000
	rows := float64(m.Rows())
	load := 1 + rows + file*float64(m.Files) + fileByte*float64(m.Bytes)
	compare, index := comparison*rows, indexing*rows
	if postgres {
		index = 0
	}
	all := load + compare + index
	return load / all, (load + compare) / all
}

func (to Target) storeFile(ctx context.Context, p part) error {
	if to.Files == nil {
		return nil
	}
	if err := to.Files.Put(ctx, p.file, bytes.NewReader(p.content), int64(len(p.content)),
		media.ContentType(p.file)); err != nil {
		return fmt.Errorf("file %s: %w", p.file, err)
	}
	return nil
}

// CopyFiles copies the files that an account's rows refer to, or the files of all accounts if
// account is empty. It returns how many files were copied and how many were missing. Files that
// already exist in the target are skipped.
func CopyFiles(ctx context.Context, at *store.Snapshot, account string, from, to media.Store,
	progress Progress) (copied, missing int64, err error) {
	referenced := newNames()
	defer referenced.close()
	tables, err := transfer.Tables(ctx, at)
	if err != nil {
		return 0, 0, err
	}
	for _, t := range tables {
		err := transfer.Rows(ctx, at, t, account, func(r transfer.Row) (err error) {
			r.Texts(func(text string) {
				media.VisitNames(text, func(name string) { err = errors.Join(err, referenced.add(name)) })
			})
			return err
		})
		if err != nil {
			return 0, 0, err
		}
	}
	for name, err := range referenced.all() {
		if err != nil {
			return copied, missing, err
		}
		found, err := copyFile(ctx, name, from, to)
		switch {
		case err != nil:
			return copied, missing, fmt.Errorf("file %s: %w", name, err)
		case found:
			copied++
			progress.Report(transfer.Step{Name: "files", Done: copied, Share: 1})
		case !media.IsThumb(name):
			missing++
		}
	}
	return copied, missing, nil
}

func copyFile(ctx context.Context, name string, from, to media.Store) (found bool, err error) {
	content, err := readFile(ctx, from, name)
	if lost.CodeOf(err) == lost.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if f, err := to.Open(ctx, name); err == nil {
		size := f.Size
		if err := f.Close(); err != nil || size == int64(len(content)) {
			return true, err
		}
	}
	return true, to.Put(ctx, name, bytes.NewReader(content), int64(len(content)), media.ContentType(name))
}
