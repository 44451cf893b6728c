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
	// tempFolder holds files until they are complete. It is inside the store's folder, because files can be renamed
	// atomically only within one file system.
	tempFolder = ".tmp"

	// staleAfter is how old a file in tempFolder must be to be treated as left over from a crash. Newer files may
	// belong to another process.
	staleAfter = time.Hour

	walkBatch = 256
)

// disk is a Store in a folder. Files are stored in 1024 subfolders, chosen by the first two characters of their
// names, so that each subfolder stays small.
type disk struct {
	root   *os.Root
	noSync bool // do not flush files to disk

	mu           sync.Mutex
	knownFolders map[string]bool // folders that exist and have been flushed, at most 1024
}

func openDisk(ctx context.Context, folder string) (*disk, error) {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return nil, fmt.Errorf("files: cannot create the folder: %w", err)
	}
	if err := syncFolder(os.Open(filepath.Dir(filepath.Clean(folder)))); err != nil {
		return nil, fmt.Errorf("files: cannot flush the folder: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("files: cannot open the folder: %w", err)
	}
	d := &disk{root: root, knownFolders: make(map[string]bool)}
	if err := d.removeStale(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("files: cannot clear %s: %w", tempFolder, err), root.Close())
	}
	return d, nil
}

// WithoutSync returns a store for bulk loading. If files are stored in a folder, they are not flushed to disk: if the
// machine loses power during the load, files may be missing, and the load has to be repeated.
func WithoutSync(s Store) Store {
	if d, ok := s.(*disk); ok {
		return &disk{root: d.root, noSync: true, knownFolders: make(map[string]bool)}
	}
	return s
}

// Close closes the folder.
func (d *disk) Close() error { return d.root.Close() }

// filePath returns the path of a file relative to the root.
func filePath(name string) string { return path.Join(name[:1], name[1:2], name) }

// Put writes a temporary file and renames it. It flushes the file and its folders, so that the file survives a power
// failure once Put has returned.
func (d *disk) Put(ctx context.Context, name string, r io.Reader, size int64, _ string) (err error) {
	if err := checkName(name); err != nil {
		return err
	}
	defer func() { err = diskFullError(err) }()
	temp := path.Join(tempFolder, strings.ToLower(rand.Text()))
	defer func() { _ = d.root.Remove(temp) }() // does nothing after a successful rename
	if err := d.write(ctx, temp, r, size); err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	return d.rename(temp, name)
}

// rename gives a temporary file its name, and ensures that it has it after a power failure.
func (d *disk) rename(temp, name string) error {
	folder := path.Dir(filePath(name))
	if err := d.makeFolder(folder); err != nil {
		return fmt.Errorf("create folder: %w", err)
	}
	if err := d.root.Rename(temp, filePath(name)); err != nil {
		return fmt.Errorf("rename file: %w", err)
	}
	if err := d.flush(folder); err != nil {
		return fmt.Errorf("flush folder: %w", err)
	}
	return nil
}

// write writes exactly size bytes to a new file and flushes it. It returns an error if r has fewer bytes.
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
		return fmt.Errorf("got only %d of %d bytes: %w", n, size, io.ErrUnexpectedEOF)
	}
	if d.noSync {
		return nil
	}
	return f.Sync()
}

// flush ensures that a folder's entries survive a power failure.
func (d *disk) flush(folder string) error {
	if d.noSync {
		return nil
	}
	return syncFolder(d.root.Open(folder))
}

// makeFolder creates a folder and flushes its parents, once per folder. Without the flush, a power failure could
// remove the folder and its files.
func (d *disk) makeFolder(folder string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.knownFolders[folder] {
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
	d.knownFolders[folder] = true
	return nil
}

// Open opens a file. It returns lost.NotFound if there is none.
func (d *disk) Open(_ context.Context, name string) (*File, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	f, err := d.root.Open(filePath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, lost.Missing("file") // without the name, because errors are logged and the name gives access
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

// Delete removes a file and ensures that the removal survives a power failure.
func (d *disk) Delete(_ context.Context, name string) error {
	if !IsName(name) {
		return nil
	}
	err := d.root.Remove(filePath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = d.flush(path.Dir(filePath(name)))
	}
	if err != nil {
		return fmt.Errorf("delete file: %w", err)
	}
	return nil
}

// Check writes, reads and deletes a file, and checks that the folder was not moved or replaced. A folder that was
// moved away remains writable, but its files would be missing after the next start.
func (d *disk) Check(ctx context.Context) error {
	want := []byte("homeward")
	temp := path.Join(tempFolder, "check-"+strings.ToLower(rand.Text()))
	defer func() { _ = d.root.Remove(temp) }()
	if err := d.write(ctx, temp, bytes.NewReader(want), int64(len(want))); err != nil {
		return fmt.Errorf("files: cannot write: %w", err)
	}
	got, err := d.root.ReadFile(temp)
	if err != nil || !bytes.Equal(got, want) {
		return fmt.Errorf("files: cannot read a file that was just written: %w", err)
	}
	if err := d.root.Remove(temp); err != nil {
		return fmt.Errorf("files: cannot delete: %w", err)
	}
	return d.checkFolder()
}

// checkFolder returns an error if the folder was moved away or replaced.
func (d *disk) checkFolder() error {
	open, err := d.root.Stat(".")
	if err != nil {
		return fmt.Errorf("files: cannot inspect the folder: %w", err)
	}
	current, err := os.Stat(d.root.Name())
	if err != nil {
		return fmt.Errorf("files: the folder was moved away: %w", err)
	}
	if !os.SameFile(open, current) {
		return errors.New("files: the folder was replaced by another one")
	}
	return nil
}

// Walk visits all files, folder by folder.
func (d *disk) Walk(ctx context.Context, visit func(name string) error) error {
	return d.walk(ctx, ".", func(e fs.DirEntry) error {
		if !IsName(e.Name()) {
			return nil
		}
		return visit(e.Name())
	})
}

// walk calls visit for all regular files below a folder, except those in tempFolder.
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

// list calls visit for each entry of a folder. It reads the entries in batches.
func (d *disk) list(ctx context.Context, folder string, visit func(fs.DirEntry) error) error {
	f, err := d.root.Open(folder)
	if err != nil {
		return fmt.Errorf("list files: %w", err)
	}
	defer func() { _ = f.Close() }()
	for {
		entries, err := f.ReadDir(walkBatch)
		for _, e := range entries {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := visit(e); err != nil {
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

// removeStale removes files left over in tempFolder after a crash.
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
			return nil // another process has renamed or removed the file
		}
		return err
	})
}

// syncFolder flushes a folder's entries and closes it. It does not flush on Windows, which has no such call.
func syncFolder(f *os.File, err error) error {
	if err != nil {
		return err
	}
	if runtime.GOOS != "windows" {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
