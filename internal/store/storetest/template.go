package storetest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"homeward/internal/store"
)

// Databases of tests are copies of one that was migrated: a test that wants an empty one need not wait for the same steps as every other.

var sqliteFile struct {
	once sync.Once
	made []byte
}

// SQLite makes a database file, migrated and empty, and gives its path.
func SQLite(t testing.TB) string {
	t.Helper()
	sqliteFile.once.Do(func() {
		file := filepath.Join(t.TempDir(), "template.db")
		migrated(t, file)
		var err error
		if sqliteFile.made, err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	})
	file := filepath.Join(t.TempDir(), "homeward.db")
	if err := os.WriteFile(file, sqliteFile.made, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func migrated(t testing.TB, setting string) {
	t.Helper()
	db, err := store.Open(t.Context(), setting, Now)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatalf("migrate: %v", err)
	}
}

var postgresTemplate struct {
	once sync.Once
	name string
}

// template names the database on a server that others are copied from. It stays there for every program of tests that has the same steps.
func template(t testing.TB, server string) string {
	t.Helper()
	postgresTemplate.once.Do(func() {
		const prefix = "homeward_template_"
		name := prefix + steps(t)
		conn := connect(t, server)
		ctx := t.Context()
		defer func() { _ = conn.Close(ctx) }()
		exec := func(sql string) {
			if _, err := conn.Exec(ctx, sql); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
		exec("SELECT pg_advisory_lock(hashtext('" + prefix + "'))") // until the connection ends
		var there bool
		if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)", name).Scan(&there); err != nil {
			t.Fatal(err)
		}
		if !there {
			exec("DROP DATABASE IF EXISTS " + name + "_begun")
			exec("CREATE DATABASE " + name + "_begun")
			migrated(t, onServer(t, server, name+"_begun"))
			exec("ALTER DATABASE " + name + "_begun RENAME TO " + name)
		}
		postgresTemplate.name = name
	})
	if postgresTemplate.name == "" {
		t.Fatal("the database that others are copied from could not be made: see the first test")
	}
	return postgresTemplate.name
}

// steps tells one sequence of migrations from another.
func steps(t testing.TB) string {
	t.Helper()
	const enough = 8
	sum := sha256.New()
	err := fs.WalkDir(store.Migrations(), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(store.Migrations(), path)
		fmt.Fprintf(sum, "%s %d %s", path, len(text), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(sum.Sum(nil)[:enough])
}
