package store_test

import (
	"reflect"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/fieldtest"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	v1 "homeward/internal/v1"
)

// checkStored checks that the fields that were read are equal to the fields that were written.
func checkStored[R, P any](t *testing.T, record string, want, got []fieldtest.Leaf[R, P]) {
	t.Helper()
	for n, leaf := range want {
		if !reflect.DeepEqual(leaf.Value.Interface(), got[n].Value.Interface()) {
			t.Errorf("%s.%s is not stored correctly: wrote %v, read %v", record, leaf.Path, leaf.Value, got[n].Value)
		}
	}
}

func TestEveryFieldOfAnItemIsStored(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		var first, second lost.Item
		fieldtest.Fill(&first, func(path string) string { return "first " + path })
		fieldtest.Fill(&second, func(path string) string { return "second " + path })
		first.Account, first.ID, first.LocationID = account, lost.NewID(lost.ItemID, time.Now()), l.ID
		first.Source, first.Terms = lost.Request, l.Terms()
		second.Account, second.ID, second.LocationID = first.Account, first.ID, first.LocationID
		second.Reference, second.Source, second.CreatedAt = first.Reference, first.Source, first.CreatedAt
		second.Terms, second.Shipping.IsDocument = first.Terms, new(bool)
		second.Pickup.Planned = false

		read := func() *lost.Item {
			t.Helper()
			i, err := db.Item(t.Context(), account, l.ID, first.ID)
			if err != nil {
				t.Fatal(err)
			}
			return &i
		}
		write(t, db, func(tx *store.Tx) error { return tx.InsertItem(first) })
		checkStored(t, "lost.Item", fieldtest.ItemLeaves(&first), fieldtest.ItemLeaves(read()))
		write(t, db, func(tx *store.Tx) error { return tx.SaveItem(first, second) })
		checkStored(t, "lost.Item", fieldtest.ItemLeaves(&second), fieldtest.ItemLeaves(read()))
	})
}

func TestEveryFieldOfALocationIsStored(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var first, second lost.Location
		fieldtest.Fill(&first, func(path string) string { return "first " + path })
		fieldtest.Fill(&second, func(path string) string { return "second " + path })
		first.Account, first.ID = account, lost.NewID(lost.LocationID, time.Now())
		second.Account, second.ID, second.Permalink = first.Account, first.ID, first.Permalink
		second.CreatedAt, second.Matching.Sisters = first.CreatedAt, false

		read := func() *lost.Location {
			t.Helper()
			l, err := db.Location(t.Context(), account, first.ID)
			if err != nil {
				t.Fatal(err)
			}
			return &l
		}
		write(t, db, func(tx *store.Tx) error { return tx.InsertLocation(first) })
		checkStored(t, "lost.Location", fieldtest.LocationLeaves(&first), fieldtest.LocationLeaves(read()))
		write(t, db, func(tx *store.Tx) error { return tx.SaveLocation(second) })
		checkStored(t, "lost.Location", fieldtest.LocationLeaves(&second), fieldtest.LocationLeaves(read()))
	})
}

func TestEveryFieldOfAnAccountIsStored(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var first, second lost.Account
		fieldtest.Fill(&first, func(path string) string { return "first " + path })
		fieldtest.Fill(&second, func(path string) string { return "second " + path })
		first.ID = lost.NewID(lost.AccountID, time.Now())
		second.ID, second.CreatedAt = first.ID, first.CreatedAt
		for _, want := range []lost.Account{first, second} {
			write(t, db, func(tx *store.Tx) error {
				if want == first {
					return tx.InsertAccount(want)
				}
				return tx.SaveAccount(want)
			})
			if got, err := db.Account(t.Context(), first.ID); err != nil || got != want {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
		}
	})
}

// TestErasingAClaimantRedactsTheEventsOfTheRequest is a regression test: after a claimant's data had
// been erased, events about their request still contained their name in brand, model and color.
func TestErasingAClaimantRedactsTheEventsOfTheRequest(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		var i lost.Item
		var event lost.Event
		write(t, db, func(tx *store.Tx) (err error) {
			i, err = lost.NewRequest(account, l.ID, lost.RequestPatch{
				Description: lost.Set("Fountain pen"), Model: lost.Set("engraved for Kessler"),
				Owner: lost.Set(lost.OwnerPatch{LastName: lost.Set("Kessler"), Email: lost.Set("k@example.com")}),
			}, tx.Now())
			if err != nil {
				return err
			}
			if err := tx.InsertItem(i); err != nil {
				return err
			}
			event = lost.NewEvent(lost.RequestEvent, i, tx.Now())
			if event.Body, err = (v1.Encoder{Base: "https://homeward.example"}).EventBody(event, i); err != nil {
				return err
			}
			return tx.AddEvent(event)
		})
		write(t, db, func(tx *store.Tx) error {
			_, _, err := tx.EraseItemGuest(i, lost.Actor{Account: account, Kind: lost.ByService}, v1.WithoutGuest)
			return err
		})
		checkNotNamed(t, db, event.ID, i)
	})
}

func checkNotNamed(t *testing.T, db *store.DB, event string, i lost.Item) {
	t.Helper()
	e, err := db.Event(t.Context(), account, event)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(e.Body); lost.RemoveNames(text, "Kessler", "k@example.com") != text {
		t.Errorf("the event still names the claimant: %s", text)
	}
	if i, err = db.Item(t.Context(), account, i.LocationID, i.ID); err != nil || i.Model != "" {
		t.Errorf("the request still has the model %q (%v)", i.Model, err)
	}
}
