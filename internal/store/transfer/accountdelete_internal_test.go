package transfer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

var errKilled = errors.New("killed")

// deletionTest deletes the account acc_1 of a filled database, and is interrupted again and again.
type deletionTest struct {
	AccountDeletion
	files map[string]bool // the files that exist
	steps int             // number of deleted files and committed transactions
	stop  int             // the step after which the deletion is interrupted
}

// addSampleFiles makes the sample rows refer to files. The other texts of these rows are not in their usual format.
const addSampleFiles = `
	UPDATE items SET images = '[{"file": "photo' || seq || '.jpg"}]',
		care = '{"handover": {"signature": "signature' || seq || '.png", "receipt": "receipt' || seq || '.pdf"}}';
	UPDATE locations SET logo_file = 'logo' || created_at || '.png';
	UPDATE shipments SET detail = '{"Documents": [{"File": "label' || created_at || '.pdf"}]}';
	UPDATE jobs SET kind = 'delete-files', payload = '["photo1.jpg", "former' || due_at || '.jpg"]'`

func newDeletionTest(t *testing.T, setting string) *deletionTest {
	t.Helper()
	db := openMigrated(t, setting)
	fillTables(t, db, 20)
	runScript(t, db, addSampleFiles)
	d := &deletionTest{files: map[string]bool{}}
	d.AccountDeletion = AccountDeletion{
		DB: db, Account: "acc_1", Now: time.Now, batch: 3,
		HasFile:     func(_ context.Context, name string) (bool, error) { return d.files[name], nil },
		afterCommit: d.step,
		DeleteFile: func(_ context.Context, name string) error {
			if !d.files[name] {
				return nil
			}
			delete(d.files, name)
			return d.step()
		},
	}
	for _, table := range []string{"items", "locations", "shipments", "jobs"} {
		for _, name := range d.filesIn(t, table) {
			d.files[name] = true
		}
	}
	const want = 6 * 10 // photos, signatures, receipts, logos, labels and former files of ten rows each
	if len(d.files) != want {
		t.Fatalf("the account has %d files, want %d", len(d.files), want)
	}
	return d
}

// filesIn returns the names of the files that belong to the account's rows in a table.
func (d *deletionTest) filesIn(t *testing.T, table string) (names []string) {
	t.Helper()
	err := d.DB.Snapshot(t.Context(), func(at *store.Snapshot) error {
		tables, err := Tables(t.Context(), at)
		if err != nil {
			return err
		}
		n := slices.IndexFunc(tables, func(found Table) bool { return found.Name == table })
		return Rows(t.Context(), at, tables[n], d.Account, func(r Row) error {
			found, err := tables[n].files(r)
			names = append(names, found...)
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// step returns an error if the deletion is to be interrupted here.
func (d *deletionTest) step() error {
	if d.steps++; d.steps == d.stop {
		return errKilled
	}
	return nil
}

// run runs the deletion until it succeeds. Each time, it is interrupted after some more steps.
func (d *deletionTest) run(t *testing.T, every int) (e AccountErasure, interruptions int) {
	t.Helper()
	for {
		d.stop = d.steps + every
		e, err := d.Run(t.Context())
		if err == nil {
			return e, interruptions
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		interruptions++
	}
}

// A deletion that is interrupted after a file or a transaction, anywhere, continues. Its record counts what all runs
// have deleted.
func TestTheRecordOfAnInterruptedDeletionIsComplete(t *testing.T) {
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		d := newDeletionTest(t, setting)
		want, files := rowsOf(t, d.DB, "acc_1"), int64(len(d.files))
		others := rowsOf(t, d.DB, "acc_0")
		maps.DeleteFunc(want, func(_ string, n int64) bool { return n == 0 })
		e, interruptions := d.run(t, 5)
		if interruptions < 20 {
			t.Errorf("the deletion was interrupted %d times, want at least 20", interruptions)
		}
		if diff := cmp.Diff(want, e.Rows); diff != "" || e.Files != files {
			t.Errorf("got %d files, want %d, rows (-want +got)\n%s", e.Files, files, diff)
		}
		stored, found, err := ErasedAccount(t.Context(), d.DB, "acc_1")
		if diff := cmp.Diff(e, stored); diff != "" || !found || err != nil {
			t.Errorf("the stored record: found %v, %v, (-want +got)\n%s", found, err, diff)
		}
		d.checkGone(t)
		if diff := cmp.Diff(others, rowsOf(t, d.DB, "acc_0")); diff != "" {
			t.Errorf("rows of the other account (-before +after)\n%s", diff)
		}
	})
}

// A deleted account leaves the hashes of its permalinks, so that nobody else gets the addresses that it has printed.
func TestPermalinksOfADeletedAccountStayReserved(t *testing.T) {
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		d := newDeletionTest(t, setting)
		hash := store.DirectoryHash("grand-hotel")
		err := d.DB.Write(t.Context(), func(tx *store.Tx) error {
			return tx.AddEntry(store.PermalinkEntry, hash, store.DirectoryEntry{Account: "acc_1", Subject: "loc_1"})
		})
		if err != nil {
			t.Fatal(err)
		}
		d.run(t, 5)
		d.checkGone(t)
		e, found, err := d.DB.Lookup(t.Context(), store.PermalinkEntry, hash)
		if !found || err != nil || e != (store.DirectoryEntry{}) {
			t.Errorf("got %+v, %t, %v; want an entry without account and location", e, found, err)
		}
	})
}

// checkGone checks that nothing of the account is left, nor the progress of its deletion.
func (d *deletionTest) checkGone(t *testing.T) {
	t.Helper()
	for table, n := range rowsOf(t, d.DB, "acc_1") {
		if n > 0 {
			t.Errorf("%d rows are left in the table %s", n, table)
		}
	}
	if len(d.files) > 0 {
		t.Errorf("files are left: %v", d.files)
	}
	if _, found, err := d.Interrupted(t.Context()); found || err != nil {
		t.Errorf("the progress is still stored: %v, %v", found, err)
	}
}

// A request that began before the account was disabled adds a row and a file, as soon as the last job or the last
// audit entry is deleted: the row belongs to a table that is just being emptied, or was emptied before.
func TestRowsThatAreAddedDuringADeletionAreDeletedAndCounted(t *testing.T) {
	for _, table := range []string{"jobs", "audit"} {
		for _, every := range []int{1000, 2} {
			t.Run(fmt.Sprintf("after %s, interrupted every %d steps", table, every), func(t *testing.T) {
				storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
					d := newDeletionTest(t, setting)
					rows, files := rowsOf(t, d.DB, "acc_1"), int64(len(d.files))
					late := false
					d.afterCommit = func() error {
						if !late && d.isEmpty(t, table) {
							late = true
							d.addLate(t)
						}
						return d.step()
					}
					e, _ := d.run(t, every)
					if !late || e.Files != files+1 || e.Rows["jobs"] != rows["jobs"]+1 ||
						e.Rows["items"] != rows["items"] {
						t.Errorf("late row: %v; got %d files, want %d; got %d jobs, want %d", late, e.Files, files+1,
							e.Rows["jobs"], rows["jobs"]+1)
					}
					d.checkGone(t)
				})
			})
		}
	}
}

// isEmpty reports whether the account has no row in a table.
func (d *deletionTest) isEmpty(t *testing.T, table string) bool {
	t.Helper()
	rs, err := d.DB.Raw().Query(t.Context(), "SELECT count(*) FROM "+table+" WHERE account_id = 'acc_1'")
	n, _, err := value[int64](rs, err)
	if err != nil {
		t.Fatal(err)
	}
	return n == 0
}

// addLate adds a job that refers to a new file.
func (d *deletionTest) addLate(t *testing.T) {
	t.Helper()
	const file = "late.jpg"
	d.files[file] = true
	err := d.DB.Write(t.Context(), func(tx *store.Tx) error { return tx.AddDeleteFilesJobs("acc_1", file) })
	if err != nil {
		t.Fatal(err)
	}
}
