package app

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// tempFolder returns the folder for temporary files, such as the photos of an upload, and creates it.
// It is inside the data folder because a container image may have no other writable folder.
func (c *Config) tempFolder() (string, error) {
	folder := filepath.Join(c.Data, "tmp")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("HOMEWARD_DATA: %w", err)
	}
	return folder, nil
}

// UseTempFolder makes the whole program use the temporary folder by setting TMPDIR. The standard library writes large
// forms to temporary files, and their folder can only be set through the environment. Each command calls restore when
// it ends, because tests run several commands in one process.
func (c *Config) UseTempFolder() (restore func(), err error) {
	folder, err := c.tempFolder()
	if err != nil {
		return nil, err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return nil, fmt.Errorf("HOMEWARD_DATA: %w", err)
	}
	removeStaleForms(folder)
	const variable = "TMPDIR"
	before, wasSet := os.LookupEnv(variable)
	if err := os.Setenv(variable, folder); err != nil {
		return nil, err
	}
	return func() {
		if wasSet {
			_ = os.Setenv(variable, before) // the previous value is valid
			return
		}
		_ = os.Unsetenv(variable)
	}, nil
}

// removeStaleForms removes temporary form files that a killed process left behind. Files older than a day are stale,
// because reading a form never takes that long.
func removeStaleForms(folder string) {
	const maxAge = 24 * time.Hour
	files, _ := filepath.Glob(filepath.Join(folder, "multipart-*")) // the pattern is valid
	for _, name := range files {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > maxAge {
			_ = os.Remove(name) // if this fails, the next start tries again
		}
	}
}
