package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"time"

	"homeward/internal/lost"
	"homeward/internal/media"
	"homeward/internal/store"
	"homeward/internal/store/transfer"
)

// Source is the data to back up.
type Source struct {
	DB       *store.DB
	Files    media.Store // nil to skip files
	Database string      // sqlite or postgres
	Now      func() time.Time
	Progress Progress
}

// Write writes a backup: a consistent snapshot of the rows, and the files that they refer to. The
// service may keep writing in the meantime.
func Write(ctx context.Context, to io.Writer, s Source) (m Manifest, err error) {
	if err := s.DB.Usable(ctx); err != nil {
		return m, err
	}
	w := newWriter(to, s.Now())
	referenced := newNames()
	defer referenced.close()
	err = s.DB.Snapshot(ctx, func(at *store.Snapshot) error { return w.rows(ctx, s, at, referenced) })
	if err != nil {
		return m, err
	}
	if s.Files != nil {
		if err := w.files(ctx, s, referenced); err != nil {
			return m, err
		}
		if err := w.countMissing(ctx, s); err != nil {
			return m, err
		}
	}
	return w.finish()
}

// writer writes parts and collects the totals for the manifest.
type writer struct {
	gzip     *gzip.Writer
	tar      *tar.Writer
	made     time.Time
	manifest Manifest
	all      hash.Hash
	absent   map[string]bool // names of files that did not exist
}

func newWriter(to io.Writer, now time.Time) *writer {
	// Photos are already compressed and there is little other data, so speed matters more than
	// size.
	z, _ := gzip.NewWriterLevel(to, gzip.BestSpeed)
	return &writer{
		gzip: z, tar: tar.NewWriter(z), made: now.UTC().Truncate(time.Second),
		manifest: Manifest{Tables: map[string]Count{}}, all: sha256.New(), absent: map[string]bool{},
	}
}

func (w *writer) add(name string, content []byte) error {
	sum := sha256.Sum256(content)
	text := hex.EncodeToString(sum[:])
	header := &tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: 0o600, ModTime: w.made,
		Format:     tar.FormatPAX,
		PAXRecords: map[string]string{sumRecord: text},
	}
	if err := w.tar.WriteHeader(header); err != nil {
		return err
	}
	if _, err := w.tar.Write(content); err != nil {
		return err
	}
	w.manifest.Parts++
	_, _ = io.WriteString(w.all, sumLine(text, name)) // writing to a hash does not fail
	return nil
}

func sumLine(sum, name string) string { return sum + "  " + name + "\n" }

func (w *writer) addJSON(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return w.add(name, append(text, '\n'))
}

// rows writes the header and every table.
func (w *writer) rows(ctx context.Context, s Source, at *store.Snapshot, referenced *names) (err error) {
	h := Header{Format: Format, Made: w.made, Database: s.Database, Files: s.Files != nil}
	if h.Schema, err = at.SchemaVersion(ctx); err != nil {
		return err
	}
	if h.Tables, err = transfer.Tables(ctx, at); err != nil {
		return err
	}
	if h.Secret, err = at.SecretFingerprint(ctx); err != nil {
		return err
	}
	if err := w.addJSON(headName, h); err != nil {
		return err
	}
	for _, t := range h.Tables {
		if err := w.table(ctx, s, at, t, referenced); err != nil {
			return err
		}
	}
	return nil
}

// table writes one table in parts.
func (w *writer) table(ctx context.Context, s Source, at *store.Snapshot, t transfer.Table, referenced *names) error {
	var part bytes.Buffer
	var sum transfer.Sum
	number := 0
	flush := func() error {
		number++
		err := w.add(fmt.Sprintf("%s%s/%06d.jsonl", tableFolder, t.Name, number), part.Bytes())
		part.Reset()
		s.Progress.Report(transfer.Step{Name: "table " + t.Name, Done: sum.Rows})
		return err
	}
	err := transfer.Rows(ctx, at, t, "", func(r transfer.Row) (err error) {
		sum.Add(r.Line)
		visitNames(t, r, func(name string) { err = errors.Join(err, referenced.add(name)) })
		part.Write(r.Line)
		if err == nil && part.Len() >= partSize {
			err = flush()
		}
		return err
	})
	if err == nil && part.Len() > 0 {
		err = flush()
	}
	w.manifest.Tables[t.Name] = Count{Rows: sum.Rows, Sum: sum.String()}
	return err
}

// visitNames calls visit with the name of each file that a row refers to. A job that deletes files does not need them.
func visitNames(t transfer.Table, r transfer.Row, visit func(name string)) {
	if t.Name == "jobs" && bytes.Contains(r.Line, []byte(`"`+store.JobDeleteFiles+`"`)) {
		return
	}
	r.Texts(func(text string) { media.VisitNames(text, visit) })
}

// countMissing counts the files that did not exist although the database still refers to them. The others were deleted
// together with their rows after the snapshot.
func (w *writer) countMissing(ctx context.Context, s Source) error {
	if len(w.absent) == 0 {
		return nil
	}
	missing := map[string]bool{}
	err := s.DB.Snapshot(ctx, func(at *store.Snapshot) error {
		tables, err := transfer.Tables(ctx, at)
		if err != nil {
			return err
		}
		for _, t := range tables {
			err := transfer.Rows(ctx, at, t, "", func(r transfer.Row) error {
				visitNames(t, r, func(name string) {
					if w.absent[name] {
						missing[name] = true
					}
				})
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(missing))
	w.manifest.Names = names[:min(len(names), maxMissingNames)]
	w.manifest.Missing += int64(len(names))
	w.manifest.Deleted = int64(len(w.absent) - len(names))
	return nil
}

// files writes the referenced files and records those that do not exist.
func (w *writer) files(ctx context.Context, s Source, referenced *names) error {
	for name, err := range referenced.all() {
		if err != nil {
			return err
		}
		content, err := readFile(ctx, s.Files, name)
		switch {
		case lost.CodeOf(err) == lost.NotFound && media.IsThumb(name): // created again on request
			continue
		case lost.CodeOf(err) == lost.NotFound:
			if len(w.absent) < maxNamesInMemory {
				w.absent[name] = true
			} else { // so many files were not deleted during the backup
				w.manifest.Missing++
			}
			continue
		case err != nil:
			return fmt.Errorf("file %s: %w", name, err)
		}
		if err := w.add(fileFolder+name, content); err != nil {
			return err
		}
		w.manifest.Files++
		w.manifest.Bytes += int64(len(content))
		s.Progress.Report(transfer.Step{Name: "files", Done: w.manifest.Files})
	}
	return nil
}

// readFile reads a whole file into memory. The upload limit keeps files small enough for this.
func readFile(ctx context.Context, files media.Store, name string) ([]byte, error) {
	f, err := files.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if f.Size > maxPart {
		return nil, fmt.Errorf("the file has %d bytes, more than the limit of %d", f.Size, maxPart)
	}
	content := make([]byte, f.Size)
	_, err = io.ReadFull(f.Content, content)
	return content, err
}

func (w *writer) finish() (Manifest, error) {
	m := w.manifest
	m.SHA256 = hex.EncodeToString(w.all.Sum(nil))
	return m, errors.Join(w.addJSON(manifestName, m), w.tar.Close(), w.gzip.Close())
}
