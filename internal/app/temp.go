package app

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// tempFolder is where lies what is put aside for a moment, such as the photos of an upload: in the data folder, because an image has no other.
func (c *Config) tempFolder() (string, error) {
	folder := filepath.Join(c.Data, "tmp")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("HOMEWARD_DATA: %w", err)
	}
	return folder, nil
}

// useTempFolder has the whole program use it. The standard library, which puts aside large forms, asks the environment alone. A command undoes it
// at its end, because tests run several in one process.
func (c *Config) useTempFolder() (undo func(), err error) {
	folder, err := c.tempFolder()
	if err != nil {
		return nil, err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return nil, fmt.Errorf("HOMEWARD_DATA: %w", err)
	}
	removeLeft(folder)
	const variable = "TMPDIR"
	before, was := os.LookupEnv(variable)
	if err := os.Setenv(variable, folder); err != nil {
		return nil, err
	}
	return func() {
		if was {
			_ = os.Setenv(variable, before) // which it could be a moment ago
			return
		}
		_ = os.Unsetenv(variable)
	}, nil
}

// removeLeft removes the forms that a process was reading when it was killed. One that is still being read is never so old.
func removeLeft(folder string) {
	const old = 24 * time.Hour
	left, _ := filepath.Glob(filepath.Join(folder, "multipart-*")) // the pattern is good
	for _, name := range left {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > old {
			_ = os.Remove(name) // what is left again is removed at the next start
		}
	}
}
