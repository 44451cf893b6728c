package transfer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// addAccountWithFiles adds a disabled account with a location, an item, a shipment and jobs, and returns the names of
// its files. Every text that a user can write contains the given text.
func addAccountWithFiles(t *testing.T, db *store.DB, account, text string) (files map[string]bool) {
	t.Helper()
	files = map[string]bool{}
	file := func(ext string) string {
		name := "signature" + strings.ToLower(rand.Text()) + "." + ext // the longest names
		files[name] = true
		return name
	}
	now := time.Now().Truncate(time.Microsecond)
	i := lost.Item{
		Account: account, ID: "itm_" + account, LocationID: "loc_" + account, Source: lost.Found,
		Description: text, Notes: text, ImageURL: text, CreatedAt: now, UpdatedAt: now,
		Handover: lost.Handover{Name: text, At: now, SignatureFile: file("png"), ReceiptFile: file("pdf")},
	}
	for range 100 {
		name := file("jpg")
		i.Images = append(i.Images, lost.Image{File: name, Thumbnail: name, ContentType: text})
	}
	s := lost.Shipment{
		Account: account, ID: "shp_" + account, LocationID: i.LocationID, ItemID: i.ID,
		Documents: []lost.Document{{Kind: lost.LabelPaper, File: file("pdf"), Paper: text}},
		Guest:     lost.Owner{FirstName: text}, CreatedAt: now, UpdatedAt: now,
	}
	i.Parcel = lost.Parcel{ShipmentID: s.ID, Documents: s.Documents, TrackingURL: text}
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		return errors.Join(
			tx.InsertAccount(lost.Account{ID: account, Name: account, CreatedAt: now, DisabledAt: now}),
			tx.InsertLocation(lost.Location{
				Account: account, ID: i.LocationID, Name: account, LogoURL: text, Description: text,
				LogoFile: file("png"), Permalink: account, CreatedAt: now, UpdatedAt: now,
			}),
			tx.InsertItem(i), tx.InsertShipment(s),
			tx.AddDeleteFilesJobs(account, file("jpg")),
			tx.AddJob(account, store.JobThumbnail, file("jpg"), now),
			tx.AddAudit(lost.NewAuditEntry(lost.Actor{Account: account}, lost.LoggedIn, "", text, now)),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The texts of an account contain the names of another account's files, as a logo URL or a note may.
func TestADeletionLeavesTheFilesOfOtherAccounts(t *testing.T) {
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		db := openMigrated(t, setting)
		others := addAccountWithFiles(t, db, "acc_other", "/files/")
		names := strings.Join(slices.Sorted(maps.Keys(others)), " /files/")
		files := addAccountWithFiles(t, db, "acc_1", "/files/"+names)
		own := int64(len(files))
		maps.Copy(files, others)
		d := AccountDeletion{
			DB: db, Account: "acc_1", Now: time.Now,
			HasFile: func(_ context.Context, name string) (bool, error) { return files[name], nil },
			DeleteFile: func(_ context.Context, name string) error {
				delete(files, name)
				return nil
			},
		}
		e, err := d.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(others, files); diff != "" || e.Files != own {
			t.Errorf("got %d files, want %d; files that are left (-want +got)\n%s", e.Files, own, diff)
		}
	})
}

// No transaction deletes more rows than a batch, whether the rows are selected by row id or by primary key, as in a
// table without row ids and with Citus.
func TestADeletionIsBounded(t *testing.T) {
	for _, byKey := range []bool{false, true} {
		t.Run(fmt.Sprintf("by key %t", byKey), func(t *testing.T) {
			storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
				d := newDeletionTest(t, setting)
				d.byKey = byKey
				before, want := rowsOf(t, d.DB, "acc_1"), rowsOf(t, d.DB, "acc_1")
				maps.DeleteFunc(want, func(_ string, n int64) bool { return n == 0 })
				d.afterCommit = func() error {
					after := rowsOf(t, d.DB, "acc_1")
					for table, n := range before {
						if deleted := n - after[table]; deleted > int64(d.batch) {
							t.Errorf("a transaction deletes %d rows of %s, want at most %d", deleted, table, d.batch)
						}
					}
					before = after
					return nil
				}
				counted, err := d.Count(t.Context())
				if diff := cmp.Diff(want, counted.Rows); diff != "" || err != nil {
					t.Errorf("the count: %v, (-want +got)\n%s", err, diff)
				}
				e, err := d.Run(t.Context())
				if diff := cmp.Diff(want, e.Rows); diff != "" || err != nil {
					t.Errorf("the record: %v, (-want +got)\n%s", err, diff)
				}
				d.checkGone(t)
			})
		})
	}
}

func TestAnAccountThatIsNotDisabledIsNotDeleted(t *testing.T) {
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		d := newDeletionTest(t, setting)
		runScript(t, d.DB, "UPDATE accounts SET disabled_at = 0 WHERE account_id = 'acc_1'")
		before, files := rowsOf(t, d.DB, "acc_1"), len(d.files)
		if _, err := d.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "not disabled") {
			t.Errorf("got %v, want an error", err)
		}
		if diff := cmp.Diff(before, rowsOf(t, d.DB, "acc_1")); diff != "" || len(d.files) != files {
			t.Errorf("%d of %d files are left; rows (-before +after)\n%s", len(d.files), files, diff)
		}
	})
}

// Another transaction uses the database for longer than a request would wait. The deletion says that it waits, and
// continues afterwards.
func TestADeletionWaitsForABusyDatabase(t *testing.T) {
	for _, before := range []string{"counting files", "deleting rows"} {
		t.Run(before, func(t *testing.T) {
			t.Parallel()
			storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
				t.Parallel()
				newDeletionTest(t, setting).runWhileBusy(t, setting, before)
			})
		})
	}
}

// runWhileBusy runs the deletion with a database that is busy before its next step is counting files or deleting rows.
func (d *deletionTest) runWhileBusy(t *testing.T, setting, before string) {
	t.Helper()
	if store.IsPostgres(setting) { // requests wait for a connection
		d.DB = storetest.Open(t, setting+"&pool_max_conns=1", time.Now)
	}
	waited, ended := make(chan struct{}), make(chan error, 1)
	d.OnWait = func(time.Duration) { close(waited) }
	var busy bool
	occupy := func() {
		busy = true
		occupied := make(chan struct{})
		go func() {
			ended <- d.DB.Write(t.Context(), func(*store.Tx) error {
				close(occupied)
				select {
				case <-waited:
				case <-t.Context().Done():
				}
				return nil
			})
		}()
		<-occupied
	}
	if before == "counting files" {
		has := d.HasFile
		d.HasFile = func(ctx context.Context, name string) (bool, error) {
			if !busy {
				occupy()
			}
			return has(ctx, name)
		}
	} else {
		d.afterCommit = func() error {
			if rest, err := d.Count(t.Context()); err != nil || busy || rest.RowCount() > 1 {
				return err
			}
			occupy()
			return nil
		}
	}
	_, err := d.Run(t.Context())
	if err != nil || !busy {
		t.Fatalf("busy: %v, %v", busy, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	d.checkGone(t)
}
