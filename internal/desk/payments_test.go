package desk_test

import (
	"math/rand/v2"
	"testing"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/lost/report"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// paymentSum is what a figure adds up, computed by the test: the number of payments and refunds, and their sum.
func (h *history) paymentSum(only []lost.Location, p report.Period, f lost.PaymentFigure,
	currency string) (number int, amount int64) {
	for _, l := range only {
		for _, paid := range h.payments {
			if paid.LocationID != l.ID || paid.Currency != currency || !within(l.Day(paid.At), p) {
				continue
			}
			add, counts := paid.Postage+paid.Handling, !paid.Refund
			switch f {
			case lost.HandlingPaid:
				add, counts = paid.Handling, counts && paid.Handling > 0
			case lost.PostagePaid:
				add, counts = paid.Postage, counts && paid.Postage > 0
			case lost.FeesRefunded:
				add, counts = -add, paid.Refund
			case lost.FeesBalance:
				counts = true
				if paid.Refund {
					add = -add
				}
			}
			if counts {
				number, amount = number+1, amount+add
			}
		}
	}
	return number, amount
}

// The payments behind each amount of a report add up to it, page by page and all at once. An account sees no payments
// of another one.
func TestTheListOfPaymentsAddsUpToTheFigure(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		t.Cleanup(d.Close)
		h, listed := newHistory(t, db, d), 0
		theirs, owned := h.otherAccount(db)
		period := report.Period{
			From: clock.Now().AddDate(0, 0, -1000).Format(lost.DateLayout),
			To:   clock.Now().AddDate(0, 0, 50).Format(lost.DateLayout),
		}
		for _, only := range [][]lost.Location{h.locations, h.locations[1:2], h.locations[2:]} {
			var ids []string
			for _, l := range only {
				ids = append(ids, l.ID)
			}
			for _, currency := range []string{"EUR", "USD", "CHF"} {
				for _, f := range lost.PaymentFigures() {
					q := desk.PaymentQuery{
						ReportQuery: desk.ReportQuery{Locations: ids, From: period.From, To: period.To},
						Figure:      f, Currency: currency, Page: lost.Page{Number: 1, Limit: 100},
					}
					number, amount := h.paymentSum(only, period, f, currency)
					listed += number
					h.expectPayments(q, number, amount)
					if list := testkit.Must(d.Reports.Payments(t.Context(), theirs, q)); list.Count+len(list.Data) > 0 {
						t.Errorf("another account sees %d payments at a location", list.Count)
					}
					q.Locations = nil
					for _, p := range testkit.Must(d.Reports.Payments(t.Context(), theirs, q)).Data {
						if p.Location.ID != owned.ID {
							t.Errorf("another account sees %+v", p)
						}
					}
				}
			}
		}
		if listed < 1000 {
			t.Errorf("the history has %d payments, want more than fit on a page", listed)
		}
		for _, after := range []string{"x", "1", "1 shp_1", "x shp_1 payment", "9999999999999999999 shp_1 payment"} {
			q := desk.PaymentQuery{
				ReportQuery: desk.ReportQuery{From: period.From, To: period.To}, Figure: lost.FeesPaid,
				Page: lost.Page{Number: 1, Limit: 100, After: after},
			}
			if _, err := d.Reports.Payments(t.Context(), h.all, q); lost.ReasonOf(err) != lost.InvalidCursor {
				t.Errorf("the position %q: got %v, want a refusal", after, err)
			}
		}
		logger := h.all
		logger.Role = lost.LoggerRole
		q := desk.PaymentQuery{Figure: lost.FeesPaid, Page: lost.FirstPage()}
		if _, err := d.Reports.Payments(t.Context(), logger, q); lost.CodeOf(err) != lost.Forbidden {
			t.Errorf("a logger: got %v", err)
		}
	})
}

// otherAccount creates an account with payments at a location of its own.
func (h *history) otherAccount(db *store.DB) (theirs lost.Actor, owned lost.Location) {
	h.t.Helper()
	r := rand.New(rand.NewPCG(4, 9))
	theirs = h.all
	theirs.Account = testkit.Must(h.d.Accounts.Create(h.t.Context(), "Theirs")).ID
	owned = testkit.Must(h.d.Locations.Create(h.t.Context(), theirs, testkit.LocationNamed("Theirs"),
		lost.IdempotencyKey{}))
	finds := someFinds(h.t, db, owned, r, 30)
	testkit.Must(0, db.Write(h.t.Context(), func(tx *store.Tx) error {
		for _, i := range finds {
			if _, err := paidShipment(tx, i, r); err != nil {
				return err
			}
		}
		return nil
	}))
	return theirs, owned
}

// expectPayments fails the test unless the list that a query selects has a number of rows with a sum.
func (h *history) expectPayments(q desk.PaymentQuery, number int, amount int64) {
	h.t.Helper()
	ctx := h.t.Context()
	first := testkit.Must(h.d.Reports.Payments(ctx, h.all, q))
	if first.Count != number || first.Amount != amount {
		h.t.Errorf("%+v: got %d payments with %d, want %d with %d", q, first.Count, first.Amount, number, amount)
	}
	var pages, all []lost.Payment
	for q.Page.Number = 1; ; q.Page.Number++ {
		list := testkit.Must(h.d.Reports.Payments(ctx, h.all, q))
		pages = append(pages, list.Data...)
		if !list.More() {
			break
		}
	}
	testkit.Must(0, h.d.Reports.EachPayment(ctx, h.all, q, func(p lost.Payment) error {
		all = append(all, p)
		return nil
	}))
	if len(pages) != number || len(all) != number {
		h.t.Errorf("%+v: the pages have %d rows and the file %d, want %d", q, len(pages), len(all), number)
		return
	}
	for n, p := range pages {
		amount -= q.Figure.Amount(p)
		if o := all[n]; o.Item.ID != p.Item.ID || !o.At.Equal(p.At) || p.Item.Reference == "" ||
			p.Location.Name == "" || n > 0 && p.At.After(pages[n-1].At) {
			h.t.Errorf("%+v: row %d is %+v on the page and %+v in the file", q, n, p, o)
		}
	}
	if amount != 0 {
		h.t.Errorf("%+v: the rows differ from the sum by %d", q, amount)
	}
}
