package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestUseTempFolderSetsTMPDIRAndRemovesStaleForms(t *testing.T) {
	before := os.TempDir()
	cfg := Config{Data: t.TempDir()}
	folder, err := cfg.tempFolder()
	if err != nil {
		t.Fatal(err)
	}
	left, underWay := filepath.Join(folder, "multipart-left"), filepath.Join(folder, "multipart-under-way")
	for name, age := range map[string]time.Duration{left: 48 * time.Hour, underWay: time.Minute} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	undo, err := cfg.UseTempFolder()
	if err != nil {
		t.Fatal(err)
	}
	if os.TempDir() != folder {
		t.Errorf("got the temporary folder %s", os.TempDir())
	}
	undo()
	if os.TempDir() != before {
		t.Errorf("got the temporary folder %s after it was restored", os.TempDir())
	}
	if now, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(now) != 1 || now[0] != underWay {
		t.Errorf("the folder contains %v: %v", now, err)
	}
}
