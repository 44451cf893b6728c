package media

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
)

// Stager is a Store in which a file can be written before it has a name. An upload is then written only once.
type Stager interface {
	// Stage creates a file without a name, or returns nil if the store cannot do that. The caller must close it.
	Stage() (*Staged, error)
	// Keep stores a staged file under a name. It then survives a power failure, as after Put.
	Keep(ctx context.Context, f *Staged, name string) error
}

// Staged is a file that a store does not show yet. After a crash, the store removes it.
type Staged struct {
	file *os.File
	temp string // the path relative to the root of the store; empty once the file has a name
	in   *disk
}

// Close closes the file. It removes the file unless it was kept.
func (s *Staged) Close() error {
	err := s.file.Close()
	if s.temp != "" {
		err = errors.Join(err, s.in.root.Remove(s.temp))
	}
	return err
}

// Stage creates a file in the store, if the store is a Stager. Otherwise it returns nil.
func Stage(store Store) (*Staged, error) {
	if s, is := store.(Stager); is {
		return s.Stage()
	}
	return nil, nil //nolint:nilnil // the store cannot do that
}

// Stage creates a file in tempFolder.
func (d *disk) Stage() (*Staged, error) {
	temp := path.Join(tempFolder, strings.ToLower(rand.Text()))
	f, err := d.root.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		return nil, fmt.Errorf("make temporary file: %w", err)
	}
	return &Staged{file: f, temp: temp, in: d}, nil
}

// Keep flushes a staged file and renames it.
func (d *disk) Keep(_ context.Context, f *Staged, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	if !d.noSync {
		if err := f.file.Sync(); err != nil {
			return diskFullError(fmt.Errorf("write file: %w", err))
		}
	}
	if err := d.rename(f.temp, name); err != nil {
		return diskFullError(err)
	}
	f.temp = ""
	return nil
}
