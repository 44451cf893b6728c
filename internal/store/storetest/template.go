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

// Test databases are copies of a migrated template, because migrating each one would take too long.

var sqliteFile struct {
	once    sync.Once
	content []byte
}

// SQLite creates a migrated, empty database file and returns its path.
func SQLite(t testing.TB) string {
	t.Helper()
	sqliteFile.once.Do(func() {
		file := filepath.Join(t.TempDir(), "template.db")
		migrate(t, file)
		var err error
		if sqliteFile.content, err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	})
	file := filepath.Join(t.TempDir(), "homeward.db")
	if err := os.WriteFile(file, sqliteFile.content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func migrate(t testing.TB, setting string) {
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

// template returns the name of the template database on the server. All test programs with the same
// migrations share this database, and it is never deleted.
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
		exec("SELECT pg_advisory_lock(hashtext('" + prefix + "'))") // released when the connection closes
		var exists bool
		if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)",
			name).Scan(&exists); err != nil {
			t.Fatal(err)
		}
		if !exists {
			exec("DROP DATABASE IF EXISTS " + name + "_begun")
			exec("CREATE DATABASE " + name + "_begun")
			migrate(t, databaseURL(t, server, name+"_begun"))
			exec("ALTER DATABASE " + name + "_begun RENAME TO " + name)
		}
		postgresTemplate.name = name
	})
	if postgresTemplate.name == "" {
		t.Fatal("the template database could not be created; see the first failed test")
	}
	return postgresTemplate.name
}

// migrationsHash returns a hash of all migrations.
func migrationsHash(t testing.TB) string {
	t.Helper()
	const hashLength = 8
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
	return hex.EncodeToString(sum.Sum(nil)[:hashLength])
}
