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
	options := transfer.LoadOptions{
		Setting: to.Database, Schema: h.Schema, Tables: h.Tables, Force: to.Force, Offline: to.Offline, Clock: to.Now,
	}
	return transfer.Load(ctx, options, func(l *transfer.Loader) error {
		_, again, err := read(ctx, from, to.Progress, func(Header) error { return nil }, func(p part) error {
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
		for _, name := range slices.Sorted(maps.Keys(m.Tables)) {
			to.Progress.report("comparing table "+name, m.Tables[name].Rows)
			if err := l.Check(ctx, name, m.Tables[name].Rows, m.Tables[name].Sum); err != nil {
				return err
			}
		}
		return nil
	})
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
			progress.report("files", copied)
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
