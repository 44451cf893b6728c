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

// Test databases are copies of one that was migrated, so that not every test has to migrate.

var sqliteFile struct {
	once sync.Once
	made []byte
}

// SQLite creates a database file, migrated and empty, and returns its path.
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

// template returns the name of the database on a server that others are copied from. It stays there for all test
// programs with the same migrations.
func template(t testing.TB, server string) string {
	t.Helper()
	postgresTemplate.once.Do(func() {
		const prefix = "homeward_template_"
		name := prefix + migrationsHash(t)
		conn := connect(t, server)
		ctx := t.Context()
		defer func() { _ = conn.Close(ctx) }()
		exec := func(sql string) {
			if _, err := conn.Exec(ctx, sql); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
		exec("SELECT pg_advisory_lock(hashtext('" + prefix + "'))") // released when the connection ends
		var there bool
		if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)",
			name).Scan(&there); err != nil {
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
		t.Fatal("the template database could not be created: see the first test")
	}
	return postgresTemplate.name
}

// migrationsHash identifies the list of migrations.
func migrationsHash(t testing.TB) string {
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
