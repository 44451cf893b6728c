package media

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"homeward/internal/lost"
)

const (
	// tempFolder holds files until they are whole. It lies in the store's folder,
	// because a rename is atomic only within one file system.
	tempFolder = ".tmp"

	// staleAfter is the age at which a file in tempFolder is taken for left behind
	// by a crash. Another process may be writing to the same folder right now.
	staleAfter = time.Hour

	walkBatch = 256
)

// disk is a Store in a folder. A file lies two folders deep, by the first two
// characters of its name: 1024 folders, of which each stays small.
type disk struct {
	root  *os.Root
	hasty bool // nothing is flushed

	mu   sync.Mutex
	made map[string]bool // folders that are known to be on the disk, at most 1024
}

func openDisk(ctx context.Context, folder string) (*disk, error) {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return nil, fmt.Errorf("files: cannot make the folder: %w", err)
	}
	if err := syncFolder(os.Open(filepath.Dir(filepath.Clean(folder)))); err != nil {
		return nil, fmt.Errorf("files: cannot save the folder: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("files: cannot open the folder: %w", err)
	}
	d := &disk{root: root, made: make(map[string]bool)}
	if err := d.removeStale(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("files: cannot clear %s: %w", tempFolder, err), root.Close())
	}
	return d, nil
}

// Hasty gives a store to be filled. One in a folder does not wait for the disk: should the machine lose power meanwhile, files may be missing, and it is
// to be filled again.
func Hasty(s Store) Store {
	if d, is := s.(*disk); is {
		return &disk{root: d.root, hasty: true, made: make(map[string]bool)}
	}
	return s
}

// Close gives the folder up.
func (d *disk) Close() error { return d.root.Close() }

// place is where a file lies, relative to the root.
func place(name string) string { return path.Join(name[:1], name[1:2], name) }

// Put writes to a temporary file, then renames it into place. Everything is
// flushed on the way, so that an acknowledged file is there after a power cut.
func (d *disk) Put(ctx context.Context, name string, r io.Reader, size int64, _ string) (err error) {
	if err := checkName(name); err != nil {
		return err
	}
	defer func() { err = noRoom(err) }()
	temp := path.Join(tempFolder, strings.ToLower(rand.Text()))
	// A rename has taken it away already when all went well.
	defer func() { _ = d.root.Remove(temp) }()
	if err := d.write(ctx, temp, r, size); err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	folder := path.Dir(place(name))
	if err := d.makeFolder(folder); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	if err := d.root.Rename(temp, place(name)); err != nil {
		return fmt.Errorf("place file: %w", err)
	}
	if err := d.flush(folder); err != nil {
		return fmt.Errorf("place file: %w", err)
	}
	return nil
}

// write puts exactly size bytes into a new file and flushes it.
func (d *disk) write(ctx context.Context, name string, r io.Reader, size int64) (err error) {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	n, err := io.Copy(f, io.LimitReader(ctxReader{ctx, r}, size))
	if err != nil {
		return err
	}
	if n != size {
		return fmt.Errorf("%d bytes of %d: %w", n, size, io.ErrUnexpectedEOF)
	}
	if d.hasty {
		return nil
	}
	return f.Sync()
}

// flush has a folder's entries outlast a power cut.
func (d *disk) flush(folder string) error {
	if d.hasty {
		return nil
	}
	return syncFolder(d.root.Open(folder))
}

// makeFolder makes a folder of files and flushes its parents, once per folder:
// a file in a folder that a power cut takes away is lost as well.
func (d *disk) makeFolder(folder string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.made[folder] {
		return nil
	}
	if err := d.root.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	for _, parent := range []string{path.Dir(folder), "."} {
		if err := d.flush(parent); err != nil {
			return err
		}
	}
	d.made[folder] = true
	return nil
}

// Open gives the file.
func (d *disk) Open(_ context.Context, name string) (*File, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	f, err := d.root.Open(place(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, lost.Missing("file") // not with its name: that opens it elsewhere, and errors are logged
	}
	if err != nil {
		return nil, fmt.Errorf("open file: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open file: %w", err), f.Close())
	}
	return &File{Content: f, Size: info.Size(), ModTime: info.ModTime(), close: f.Close}, nil
}

// Delete removes the file, and makes sure that it stays removed.
func (d *disk) Delete(_ context.Context, name string) error {
	if !IsName(name) {
		return nil
	}
	err := d.root.Remove(place(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = d.flush(path.Dir(place(name)))
	}
	if err != nil {
		return fmt.Errorf("delete file: %w", err)
	}
	return nil
}

// Check writes, reads and deletes a file, and sees that the folder is still the one
// at its path: one that was moved away can be written, and is lost at the next start.
func (d *disk) Check(ctx context.Context) error {
	want := []byte("homeward")
	temp := path.Join(tempFolder, strings.ToLower(rand.Text()))
	defer func() { _ = d.root.Remove(temp) }()
	if err := d.write(ctx, temp, bytes.NewReader(want), int64(len(want))); err != nil {
		return fmt.Errorf("files: cannot write: %w", err)
	}
	got, err := d.root.ReadFile(temp)
	if err != nil || !bytes.Equal(got, want) {
		return fmt.Errorf("files: cannot read back what was written: %w", err)
	}
	if err := d.root.Remove(temp); err != nil {
		return fmt.Errorf("files: cannot delete: %w", err)
	}
	return d.inPlace()
}

// inPlace tells whether the folder was moved away or replaced.
func (d *disk) inPlace() error {
	open, err := d.root.Stat(".")
	if err != nil {
		return fmt.Errorf("files: cannot look at the folder: %w", err)
	}
	named, err := os.Stat(d.root.Name())
	if err != nil {
		return fmt.Errorf("files: the folder was moved away: %w", err)
	}
	if !os.SameFile(open, named) {
		return errors.New("files: the folder was replaced by another")
	}
	return nil
}

// Walk visits the files of one folder after the other.
func (d *disk) Walk(ctx context.Context, visit func(name string) error) error {
	return d.walk(ctx, ".", func(e fs.DirEntry) error {
		if !IsName(e.Name()) {
			return nil
		}
		return visit(e.Name())
	})
}

// walk calls visit for the plain files under a folder, tempFolder aside.
func (d *disk) walk(ctx context.Context, folder string, visit func(fs.DirEntry) error) error {
	return d.list(ctx, folder, func(e fs.DirEntry) error {
		switch {
		case e.IsDir() && e.Name() != tempFolder:
			return d.walk(ctx, path.Join(folder, e.Name()), visit)
		case e.Type().IsRegular():
			return visit(e)
		}
		return nil
	})
}

// list calls visit for the entries of one folder, read a few at a time.
func (d *disk) list(ctx context.Context, folder string, visit func(fs.DirEntry) error) error {
	f, err := d.root.Open(folder)
	if err != nil {
		return fmt.Errorf("list files: %w", err)
	}
	defer func() { _ = f.Close() }()
	for {
		entries, err := f.ReadDir(walkBatch)
		for _, e := range entries {
			if err := errors.Join(ctx.Err(), visit(e)); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list files: %w", err)
		}
	}
}

// removeStale removes what a crash has left in tempFolder.
func (d *disk) removeStale(ctx context.Context) error {
	if err := d.root.MkdirAll(tempFolder, 0o750); err != nil {
		return err
	}
	return d.list(ctx, tempFolder, func(e fs.DirEntry) error {
		info, err := e.Info()
		if err == nil && time.Since(info.ModTime()) > staleAfter {
			err = d.root.Remove(path.Join(tempFolder, e.Name()))
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // its writer was faster
		}
		return err
	})
}

// syncFolder flushes a folder's entries and closes it. Windows has no such call.
func syncFolder(f *os.File, err error) error {
	if err != nil {
		return err
	}
	if runtime.GOOS != "windows" {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
