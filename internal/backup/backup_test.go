package backup_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"homeward/internal/backup"
	"homeward/internal/lost"
	"homeward/internal/media"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/store/transfer"
)

// run executes an SQL script directly in a database, bypassing the store.
func run(t *testing.T, setting, script string) {
	t.Helper()
	if store.IsPostgres(setting) {
		conn, err := pgx.Connect(t.Context(), setting)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(t.Context()) }()
		if _, err := conn.Exec(t.Context(), script); err != nil {
			t.Fatal(err)
		}
		return
	}
	db, err := sql.Open("sqlite", setting)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), script); err != nil {
		t.Fatal(err)
	}
}

func folder(t *testing.T) media.Store {
	t.Helper()
	files, err := media.Open(t.Context(), filepath.Join(t.TempDir(), "files"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestANewTableAndItsFilesAreInABackup(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		db := storetest.Open(t, setting, storetest.Now)
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		present := media.NewName("jpg")
		missing := media.NewName("pdf")
		thumb := media.ThumbName(media.NewName("png"))
		unreferenced := media.NewName("gif")
		files := folder(t)
		for _, name := range []string{present, unreferenced} {
			if err := files.Put(t.Context(), name, strings.NewReader("a picture"), 9, "image/jpeg"); err != nil {
				t.Fatal(err)
			}
		}
		run(t, setting,
			"CREATE TABLE umbrellas (account_id TEXT NOT NULL, id TEXT NOT NULL, photo TEXT NOT NULL, PRIMARY KEY "+
				"(account_id, id))")
		run(t, setting,
			`INSERT INTO umbrellas VALUES ('a', '1', '{"file":"`+present+`","thumbnail":"`+thumb+
				`"}'), ('a', '2', 'see /files/`+missing+`, and `+present+`')`)
		var file bytes.Buffer
		m, err := backup.Write(t.Context(), &file, backup.Source{DB: db, Files: files, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		if m.Tables["umbrellas"].Rows != 2 || m.Files != 1 || m.Bytes != 9 {
			t.Errorf("manifest: got %+v, want 2 umbrellas and 1 file of 9 bytes", m)
		}
		if d := cmp.Diff([]string{missing}, m.Names); d != "" || m.Missing != 1 {
			t.Error("missing files (-want +got):\n", d)
		}
		h, verified, err := backup.Verify(t.Context(), &file, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(m, verified); d != "" {
			t.Error("manifest (-written +verified):\n", d)
		}
		if !slices.ContainsFunc(h.Tables, func(t transfer.Table) bool {
			return t.Name == "umbrellas" && len(t.Columns) == 3
		}) {
			t.Errorf("tables in the header: got %v, want umbrellas with 3 columns among them", h.Tables)
		}
	})
}

func TestABackupKeepsPrivacyNotices(t *testing.T) {
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		files := folder(t)
		db := storetest.Open(t, filepath.Join(t.TempDir(), "source.db"), storetest.Now)
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		a := lost.Account{ID: "acc_1", Privacy: lost.PrivacyNotice{Text: "Two\nlines", URL: "https://a.example/"}}
		l := lost.Location{Account: a.ID, ID: "loc_1", PrivacyText: "Own\ntext", PrivacyURL: "https://l.example/"}
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			return errors.Join(tx.InsertAccount(a), tx.InsertLocation(l))
		})
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if _, err := backup.Write(t.Context(), &file, backup.Source{DB: db, Files: files, Now: time.Now}); err != nil {
			t.Fatal(err)
		}
		h, m, err := backup.Verify(t.Context(), bytes.NewReader(file.Bytes()), nil)
		if err != nil {
			t.Fatal(err)
		}
		to := backup.Target{Database: setting, Files: files, Now: time.Now}
		if err := backup.Restore(t.Context(), &file, h, m, to); err != nil {
			t.Fatal(err)
		}
		restored := storetest.Open(t, setting, storetest.Now)
		account, err := restored.Account(t.Context(), a.ID)
		if err != nil || account.Privacy != a.Privacy {
			t.Errorf("account: got %+v, %v, want %+v", account.Privacy, err, a.Privacy)
		}
		location, err := restored.Location(t.Context(), a.ID, l.ID)
		if err != nil || location.PrivacyText != l.PrivacyText || location.PrivacyURL != l.PrivacyURL {
			t.Errorf("location: got %+v, %v, want %+v", location, err, l)
		}
	})
}

// A file is not missing if it is waiting to be deleted, or if it is deleted together with its row during the backup.
func TestDeletedFilesAreNotReportedAsMissing(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		db := storetest.Open(t, setting, storetest.Now)
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		waiting, deleted, missing := media.NewName("jpg"), media.NewName("jpg"), media.NewName("jpg")
		if err := db.Write(t.Context(), func(tx *store.Tx) error {
			return tx.AddDeleteFilesJobs("acc_1", waiting)
		}); err != nil {
			t.Fatal(err)
		}
		run(t, setting,
			"CREATE TABLE umbrellas (account_id TEXT NOT NULL, id TEXT NOT NULL, photo TEXT NOT NULL, PRIMARY KEY "+
				"(account_id, id))")
		run(t, setting, "INSERT INTO umbrellas VALUES ('a', '1', '"+deleted+"'), ('a', '2', '"+missing+"')")
		files := &deletingStore{Store: folder(t), onOpen: sync.OnceFunc(func() {
			run(t, setting, "DELETE FROM umbrellas WHERE id = '1'")
		})}
		m, err := backup.Write(t.Context(), io.Discard, backup.Source{DB: db, Files: files, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{missing}, m.Names); d != "" || m.Missing != 1 || m.Deleted != 1 {
			t.Errorf("%d missing, %d deleted (-want +got):\n%s", m.Missing, m.Deleted, d)
		}
	})
}

// deletingStore calls onOpen before it opens a file.
type deletingStore struct {
	media.Store
	onOpen func()
}

func (s *deletingStore) Open(ctx context.Context, name string) (*media.File, error) {
	s.onOpen()
	return s.Store.Open(ctx, name)
}

func TestEachNameIsReturnedOnceWhateverTheMemoryLimit(t *testing.T) {
	for _, limit := range []int{1, 2, 3, 100} {
		got, err := backup.NamesOf(limit, "d", "b", "a", "b", "c", "d", "d", "a", "e")
		if err != nil || !slices.Equal(got, []string{"a", "b", "c", "d", "e"}) {
			t.Errorf("limit %d: got %v, %v", limit, got, err)
		}
	}
}

// TestCheckOverwriteAcceptsOnlyABackup checks that only a backup may be overwritten. Any other file
// could be the database or the secret.
func TestCheckOverwriteAcceptsOnlyABackup(t *testing.T) {
	db := storetest.Open(t, storetest.SQLite(t), storetest.Now)
	var whole bytes.Buffer
	if _, err := backup.Write(t.Context(), &whole, backup.Source{DB: db, Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		content []byte
		allowed bool
	}{
		"a backup": {whole.Bytes(), true}, "an empty file": {nil, true},
		"a database": {[]byte("SQLite format 3\x00"), false}, "a secret": {[]byte("0123456789abcdef"), false},
	} {
		file := filepath.Join(t.TempDir(), "existing")
		if err := os.WriteFile(file, c.content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := backup.CheckOverwrite(t.Context(), file); (err == nil) != c.allowed {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := backup.CheckOverwrite(t.Context(), filepath.Join(t.TempDir(), "new")); err != nil {
		t.Error(err)
	}
	if _, _, err := backup.Verify(t.Context(), bytes.NewReader(append(whole.Bytes(), whole.Bytes()...)),
		nil); err == nil {
		t.Error("Verify accepted two concatenated backups")
	}
}
