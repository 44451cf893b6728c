package media_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"homeward/internal/media"
)

func TestDiskLeavesNoTemporaryFiles(t *testing.T) {
	folder := t.TempDir()
	store := open(t, folder)
	put(t, store, media.NewName("jpg"), "x")
	failing := io.MultiReader(strings.NewReader("ha"), iotest.ErrReader(errors.New("cut off")))
	if err := store.Put(t.Context(), media.NewName("jpg"), failing, 10, ""); err == nil {
		t.Error("no error")
	}
	stale, fresh := filepath.Join(folder, ".tmp", "stale"), filepath.Join(folder, ".tmp", "fresh")
	if left, _ := filepath.Glob(filepath.Join(folder, ".tmp", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	for _, path := range []string{stale, fresh} {
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	yesterday := time.Now().Add(-24 * time.Hour)
	if err := os.Chtimes(stale, yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	open(t, folder)
	if left, _ := filepath.Glob(filepath.Join(folder, ".tmp", "*")); !slices.Equal(left, []string{fresh}) {
		t.Errorf("after opening again: %v, want only the fresh one", left)
	}
}

func TestCheckReportsAMissingFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "files")
	store := open(t, folder)
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := store.Check(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "files: cannot write") {
		t.Errorf("got %v", err)
	}
}

func TestCheckReportsAMovedOrReplacedFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "files")
	moved := folder + "-moved"
	store := open(t, folder)
	for _, step := range []struct {
		what string
		do   func() error
		want string
	}{
		{"untouched", func() error { return nil }, ""},
		{"moved away", func() error { return os.Rename(folder, moved) }, "files: the folder was moved away"},
		{"replaced", func() error {
			return os.MkdirAll(filepath.Join(folder, ".tmp"), 0o750)
		}, "files: the folder was replaced"},
		{"moved back", func() error { return errors.Join(os.RemoveAll(folder), os.Rename(moved, folder)) }, ""},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		err := store.Check(t.Context())
		if (err == nil) != (step.want == "") || err != nil && !strings.HasPrefix(err.Error(), step.want) {
			t.Errorf("%s: %v, want %q", step.what, err, step.want)
		}
	}
}

func TestAStoreWithoutSyncKeepsFiles(t *testing.T) {
	store, name := open(t, t.TempDir()), media.NewName("jpg")
	put(t, media.WithoutSync(store), name, "x")
	f, err := store.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if got, err := io.ReadAll(f.Content); string(got) != "x" || err != nil {
		t.Errorf("got %q (%v)", got, err)
	}
}
