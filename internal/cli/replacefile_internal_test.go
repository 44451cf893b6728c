package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestConcurrentWritersEachLeaveACompleteFile(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "backup.tar.gz")
	err := replaceFile(name, func(w io.Writer) error {
		_, err := io.WriteString(w, "the first, ")
		if err := replaceFile(name, func(w io.Writer) error { // while the first is writing
			_, err := io.WriteString(w, "the second")
			return err
		}); err != nil {
			return err
		}
		if now, err := os.ReadFile(name); err != nil || string(now) != "the second" {
			t.Errorf("after the second write the file contains %q: %v", now, err)
		}
		_, err2 := io.WriteString(w, "whole")
		return errors.Join(err, err2)
	})
	if now, err2 := os.ReadFile(name); err != nil || err2 != nil || string(now) != "the first, whole" {
		t.Errorf("after both writes the file contains %q: %v %v", now, err, err2)
	}
	if err := replaceFile(name, func(io.Writer) error { return io.ErrClosedPipe }); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a failing writer: %v", err)
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 1 {
		t.Errorf("the folder contains %v: %v", left, err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("file mode %v: %v", info, err)
	}
}
