package store_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// addShipment adds a shipment that costs 840 cents for an item.
func addShipment(t testing.TB, db *store.DB, i lost.Item) (s lost.Shipment) {
	t.Helper()
	write(t, db, func(tx *store.Tx) error {
		s = lost.NewShipment(&i, lost.PayStripe, tx.Now())
		s.Quote = lost.Quote{Service: "Parcel", Price: lost.Price{Postage: 590, Handling: 250, Currency: "EUR"}}
		return tx.InsertShipment(s)
	})
	return s
}

// withAllFields sets every field of a shipment.
func withAllFields(s lost.Shipment) lost.Shipment {
	at := s.CreatedAt.Add(time.Minute)
	s.State, s.To = lost.ShipmentReady, lost.Recipient{Name: "Анна 花子", Country: "JP"}
	s.Basis, s.Offers, s.At = "basis",
		[]lost.Quote{s.Quote, {Service: "Express", Rate: "rate_2", FromDays: 1, ToDays: 2}}, at
	s.Checkout = lost.Checkout{
		ID: "cs_1", URL: "https://till.example/", ExpiresAt: at,
	}
	s.Rounds = 3
	s.Reference = "pi_1"
	s.PaidAt = at
	s.Refund, s.Reason = lost.RefundFailed, "Broken."
	s.Strays = []lost.UnexpectedPayment{{
		By: lost.PayStripe, Reference: "pi_2", Amount: 1, Currency: "USD", Why: "Late.", Refund: lost.RefundWanted,
	}}
	s.Postage = lost.Postage{
		Shipment: "carrier_1", Rate: "rate_1", Tracker: "trk_1", LabelURL: "https://carrier.example/l",
		TrackingNumber: "TN", TrackingURL: "https://carrier.example/t", ShippingDate: "2026-11-16",
	}
	s.Voided, s.Announced, s.Invoice = true, true, 12
	s.Documents = []lost.Document{{Kind: lost.LabelPaper, File: "label.pdf", Paper: "A6"},
		{Kind: lost.InvoicePaper, File: "invoice.pdf", Paper: "A4"}}
	s.UpdatedAt = at
	return s
}

func TestAShipmentIsStoredCompletely(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := addShipment(t, db, addItem(t, db, addLocation(t, db, withName("Hotel")), withDescription("Umbrella")))
		got, err := db.Shipment(t.Context(), account, s.ID)
		if d := cmp.Diff(s, got); d != "" || err != nil {
			t.Errorf("after InsertShipment (-want +got): %s (%v)", d, err)
		}
		s = withAllFields(s)
		write(t, db, func(tx *store.Tx) error { return tx.SaveShipment(s) })
		got, err = db.Shipment(t.Context(), account, s.ID)
		if d := cmp.Diff(s, got); d != "" || err != nil {
			t.Errorf("after SaveShipment (-want +got): %s (%v)", d, err)
		}
		if _, err := db.Shipment(t.Context(), "acc_2", s.ID); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("Shipment of another account: got error %v, want NotFound", err)
		}
		foreign := s
		foreign.Account, foreign.State = "acc_2", lost.ShipmentCancelled
		write(t, db, func(tx *store.Tx) error { return tx.SaveShipment(foreign) })
		if got, err := db.Shipment(t.Context(), account, s.ID); got.State != lost.ShipmentReady || err != nil {
			t.Errorf("after SaveShipment of another account: got state %s, %v", got.State, err)
		}
	})
}

func TestAnItemIsStoredWithItsParcel(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		i := addItem(t, db, addLocation(t, db, withName("Hotel")), withDescription("Umbrella"))
		after := i
		after.Parcel = lost.Parcel{
			ShipmentID: "shp_1", PayBy: lost.PayStripe, Offered: true, Paid: true, Refund: lost.RefundWanted,
			Service: "Parcel",
			Price:   lost.Price{Postage: 590, Handling: 250, Currency: "EUR"}, ShippingDate: "2026-11-16",
			TrackingURL: "https://carrier.example/t",
			Documents:   []lost.Document{{Kind: lost.LabelPaper, File: "label.pdf", Paper: "A6"}},
			Troubles:    []lost.ParcelProblem{{Kind: lost.LabelTask, Why: "Too heavy."}},
		}
		after.Shipping.NotShipped = "It is a knife."
		write(t, db, func(tx *store.Tx) error { return tx.SaveItem(i, after) })
		got, err := db.Item(t.Context(), account, i.LocationID, i.ID)
		if d := cmp.Diff(after, got); d != "" || err != nil {
			t.Errorf("(-want +got): %s (%v)", d, err)
		}
	})
}

// assignNumber assigns an invoice number and retries after conflicts.
func assignNumber(db *store.DB, s lost.Shipment) (n int64, err error) {
	for {
		err = db.Write(context.Background(), func(tx *store.Tx) (err error) {
			n, err = tx.AssignInvoiceNumber(s)
			return err
		})
		if lost.CodeOf(err) != lost.Conflict {
			return n, err
		}
	}
}

func TestInvoicesAreNumberedWithoutGaps(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const count = 20
		shipment := func(account string) lost.Shipment {
			i := lost.Item{Account: account, ID: lost.NewID(lost.ItemID, time.Now())}
			return lost.NewShipment(&i, lost.PayDesk, time.Now())
		}
		numbers := make([]int64, count)
		var wg sync.WaitGroup
		for n := range numbers {
			wg.Go(func() {
				var err error
				if numbers[n], err = assignNumber(db, shipment(account)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		slices.Sort(numbers)
		for n, got := range numbers {
			if got != int64(n+1) {
				t.Fatalf("got numbers %d, want 1 to 20", numbers)
			}
		}
		errRollback := errors.New("rollback")
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			if _, err := tx.AssignInvoiceNumber(shipment(account)); err != nil {
				return err
			}
			return errRollback
		})
		if !errors.Is(err, errRollback) {
			t.Fatal(err)
		}
		if n, err := assignNumber(db, shipment(account)); n != count+1 || err != nil {
			t.Errorf("number after a rollback: got %d, %v, want 21", n, err)
		}
		if n, err := assignNumber(db, shipment("acc_2")); n != 1 || err != nil {
			t.Errorf("first number of another account: got %d, %v, want 1", n, err)
		}
	})
}

func TestAShipmentHasOneInvoice(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := addShipment(t, db, addItem(t, db, addLocation(t, db, withName("Hotel")), withDescription("Umbrella")))
		if n, err := assignNumber(db, s); n != 1 || err != nil {
			t.Fatalf("AssignInvoiceNumber: got %d, %v, want 1", n, err)
		}
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.AssignInvoiceNumber(s)
			return err
		})
		if err == nil {
			t.Error("the shipment got a second invoice")
		}
		want := []string{account + " " + s.ID + " EUR"}
		if got := store.TableRows(t, db, "invoices", "account_id shipment_id currency"); !slices.Equal(got, want) {
			t.Errorf("invoices: got %q, want %q", got, want)
		}
	})
}

func TestDeletingShipmentsReturnsTheirDocumentsAndAddsJobs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		deleted, kept := addItem(t, db, l, withDescription("Umbrella")), addItem(t, db, l, withDescription("Hat"))
		first, second, other := withAllFields(addShipment(t, db, deleted)), addShipment(t, db, deleted),
			withAllFields(addShipment(t, db, kept))
		other.Postage.Tracker = "trk_2"
		write(t, db, func(tx *store.Tx) error {
			return errors.Join(tx.SaveShipment(first), tx.SaveShipment(other), tx.AddTracker(first),
				tx.AddTracker(other))
		})
		if n, err := assignNumber(db, first); n != 1 || err != nil {
			t.Fatalf("AssignInvoiceNumber: got %d, %v, want 1", n, err)
		}
		var files []string
		write(t, db, func(tx *store.Tx) (err error) {
			files, err = tx.DeleteShipments("acc_2", []string{deleted.ID, kept.ID})
			if len(files) > 0 || err != nil {
				t.Errorf("DeleteShipments of another account: got %q, %v, want none", files, err)
			}
			if _, err := tx.DeleteShipments(account, nil); err != nil {
				t.Error(err)
			}
			files, err = tx.DeleteShipments(account, []string{deleted.ID})
			return err
		})
		if !slices.Equal(files, []string{"label.pdf", "invoice.pdf"}) {
			t.Errorf("DeleteShipments: got %q, want the label and the invoice", files)
		}
		for s, exists := range map[string]bool{first.ID: false, second.ID: false, other.ID: true} {
			_, err := db.Shipment(t.Context(), account, s)
			e, found, lookupErr := db.Lookup(t.Context(), store.ShipmentEntry, store.DirectoryHash(s))
			hasEntry := exists || s == first.ID // a guest may still pay on its open checkout page
			if (err == nil) != exists || found != hasEntry || lookupErr != nil || exists && e.Subject != s {
				t.Errorf("%s: got error %v, directory entry %t", s, err, found)
			}
		}
		for tracker, exists := range map[string]bool{"trk_1": false, "trk_2": true} {
			if _, found, err := db.Lookup(t.Context(), store.TrackerEntry,
				store.DirectoryHash(tracker)); found != exists || err != nil {
				t.Errorf("tracker %s: got entry %t, %v", tracker, found, err)
			}
		}
		got := slices.DeleteFunc(store.TableRows(t, db, "jobs", "kind payload"), func(job string) bool {
			return strings.HasPrefix(job, store.JobMatch+" ")
		})
		if !slices.Equal(got,
			[]string{store.JobCloseCheckout + " cs_1", store.JobRefundPayment + ` ["stripe","pi_1"]`,
				store.JobRefundPayment + ` ["stripe","pi_2"]`}) {
			t.Errorf("got jobs %q", got)
		}
		// The invoice number is not reused after its shipment is deleted.
		if n, err := assignNumber(db, other); n != 2 || err != nil {
			t.Errorf("next number: got %d, %v, want 2", n, err)
		}
	})
}

func TestATrackerStaysWithItsFirstShipment(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		first, second := addShipment(t, db, addItem(t, db, l, withDescription("Umbrella"))),
			addShipment(t, db, addItem(t, db, l, withDescription("Hat")))
		first.Postage.Tracker, second.Postage.Tracker = "trk_1", "trk_1"
		for _, s := range []lost.Shipment{first, second, first} {
			write(t, db, func(tx *store.Tx) error { return tx.AddTracker(s) })
		}
		e, found, err := db.Lookup(t.Context(), store.TrackerEntry, store.DirectoryHash("trk_1"))
		if want := (store.DirectoryEntry{Account: account, Subject: first.ID}); e != want || !found || err != nil {
			t.Errorf("got %+v, %v, want %+v", e, err, want)
		}
	})
}
