package lost_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
)

// due returns an item and its shipment with an open payment page for 840 cents.
func due(t *testing.T) (lost.Item, lost.Shipment) {
	t.Helper()
	i := annasItem(t, berlinLocation(t))
	i.Status = lost.InfoCompleted
	s := lost.NewShipment(&i, lost.PayStripe, noon)
	q := lost.Quote{Service: "Parcel", Price: lost.Price{Postage: 590, Handling: 250, Currency: "EUR"}}
	s.SetOffers(lost.Offers{Quotes: []lost.Quote{q}, Basis: "basis"}, &i, noon)
	s.ChooseQuote(q, &i, noon)
	s.Checkout = lost.Checkout{ID: "cs_1", ExpiresAt: noon.Add(time.Hour)}
	return i, s
}

func paidBy(reference string, amount int64, currency string) lost.PaymentUpdate {
	return lost.PaymentUpdate{
		Checkout: "cs_1", Reference: reference, State: lost.PaymentPaid, Amount: amount, Currency: currency,
	}
}

func TestPaymentsAreComparedWithTheAgreedPrice(t *testing.T) {
	agreed := paidBy("pi_1", 840, "EUR")
	with := func(change func(*lost.PaymentUpdate)) lost.PaymentUpdate { n := agreed; change(&n); return n }
	nothing := func(*lost.Item, *lost.Shipment) {}
	for what, c := range map[string]struct {
		before func(*lost.Item, *lost.Shipment)
		update lost.PaymentUpdate
		want   lost.PaymentOutcome
	}{
		"as agreed":          {nothing, agreed, lost.PaidNow},
		"from an older page": {nothing, with(func(n *lost.PaymentUpdate) { n.Checkout = "cs_0" }), lost.PaidNow},
		"a cent less":        {nothing, with(func(n *lost.PaymentUpdate) { n.Amount-- }), lost.PaymentUnexpected},
		"a cent more":        {nothing, with(func(n *lost.PaymentUpdate) { n.Amount++ }), lost.PaymentUnexpected},
		"another currency": {nothing, with(func(n *lost.PaymentUpdate) {
			n.Currency = "USD"
		}), lost.PaymentUnexpected},
		"payment pending": {nothing, with(func(n *lost.PaymentUpdate) {
			n.State = lost.PaymentWaiting
		}), lost.PaymentPending},
		"failed": {nothing, with(func(n *lost.PaymentUpdate) {
			n.State = lost.PaymentFailed
		}), lost.Unpaid},
		"page expired": {nothing, with(func(n *lost.PaymentUpdate) {
			n.State = lost.PaymentExpired
		}), lost.Unpaid},
		"an older page expired": {nothing, with(func(n *lost.PaymentUpdate) {
			n.State, n.Checkout = lost.PaymentExpired, "cs_0"
		}), lost.NothingNew},
		"unknown state": {nothing, with(func(n *lost.PaymentUpdate) { n.State = "disputed" }), lost.NothingNew},
		"repeated update": {func(i *lost.Item, s *lost.Shipment) {
			s.ApplyPayment(agreed, i, noon)
		}, agreed, lost.NothingNew},
		"paid twice": {func(i *lost.Item, s *lost.Shipment) {
			s.ApplyPayment(agreed, i, noon)
		}, paidBy("pi_2", 840, "EUR"), lost.PaymentUnexpected},
		"repeated unexpected payment": {func(i *lost.Item, s *lost.Shipment) {
			s.ApplyPayment(paidBy("pi_1", 1, "EUR"), i, noon)
		}, paidBy("pi_1", 1, "EUR"), lost.NothingNew},
		"expired, then paid": {func(i *lost.Item, s *lost.Shipment) {
			s.Checkout = lost.Checkout{}
		}, agreed, lost.PaidNow},
		"paid at the desk": {func(i *lost.Item, s *lost.Shipment) {
			s.PayAtDesk(i, noon)
		}, agreed, lost.PaymentUnexpected},
		"cancelled": {func(i *lost.Item, s *lost.Shipment) { s.Cancel(i, noon) }, agreed, lost.PaymentUnexpected},
		"another shipment": {func(i *lost.Item, s *lost.Shipment) {
			lost.NewShipment(i, lost.PayStripe, noon)
		}, agreed, lost.PaymentUnexpected},
		"status changed by the desk": {func(i *lost.Item, s *lost.Shipment) {
			i.Status = lost.PickUp
		}, agreed, lost.PaymentUnexpected},
		"shipped without payment": {func(i *lost.Item, s *lost.Shipment) {
			i.Status = lost.Shipped
		}, agreed, lost.PaymentUnexpected},
	} {
		i, s := due(t)
		c.before(&i, &s)
		known, status := len(s.Strays), i.Status
		if got := s.ApplyPayment(c.update, &i, noon); got != c.want {
			t.Errorf("%s: %s, want %s", what, got, c.want)
		}
		if added := len(s.Strays) - known; (added == 1) != (c.want == lost.PaymentUnexpected) || i.Status != status {
			t.Errorf("%s: got %d unexpected payments, status %s", what, added, i.Status)
		}
		if len(i.Parcel.Troubles) > 0 { // unexpected payments are refunded automatically
			t.Errorf("%s: %+v", what, i.Parcel.Troubles)
		}
		if c.want == lost.PaidNow &&
			(s.State != lost.ShipmentPaid || s.Reference != "pi_1" || !i.Parcel.Paid || s.Checkout.ID != "") {
			t.Errorf("%s: %+v", what, s)
		}
	}
}

func TestUnexpectedPaymentsOfAShipmentAreBounded(t *testing.T) {
	i, s := due(t)
	var last lost.PaymentOutcome
	for n := range 1000 {
		last = s.ApplyPayment(paidBy("pi_"+string(rune('a'+n)), 1, "EUR"), &i, noon)
	}
	if len(s.Strays) == 0 || len(s.Strays) > 100 || last != lost.UnexpectedPaid {
		t.Errorf("got %d unexpected payments and outcome %s", len(s.Strays), last)
	}
}

func TestCheckoutIsOpenWhileThereIsTimeToPay(t *testing.T) {
	c := lost.Checkout{ID: "cs_1", ExpiresAt: noon}
	for before, want := range map[time.Duration]bool{
		time.Hour: true, 6 * time.Minute: true, 5 * time.Minute: false, 0: false, -time.Hour: false,
	} {
		if got := c.Open(noon.Add(-before)); got != want {
			t.Errorf("%v before the expiry: got open %t", before, got)
		}
	}
	if (lost.Checkout{}).Open(time.Time{}) {
		t.Error("the zero checkout is open")
	}
}

func TestAtTheDeskTheFirstOfferIsPaidUnlessAnotherWasChosen(t *testing.T) {
	cheap, fast := lost.Quote{Service: "Parcel", Price: lost.Price{Postage: 1, Currency: "EUR"}},
		lost.Quote{Service: "Express", Price: lost.Price{Postage: 2, Currency: "EUR"}}
	for want, chosen := range map[lost.Quote]lost.Quote{cheap: {}, fast: fast} {
		i, s := due(t)
		s.Offers, s.Quote = []lost.Quote{cheap, fast}, chosen
		s.PayAtDesk(&i, noon)
		if s.Quote != want || i.Parcel.Service != want.Service || i.Parcel.Price != want.Price ||
			s.PayBy != lost.PayDesk || i.Parcel.PayBy != lost.PayDesk {
			t.Errorf("%+v, want %+v", s.Quote, want)
		}
	}
	i, s := due(t)
	s.Offers, s.Quote = nil, lost.Quote{}
	if s.PayAtDesk(&i, noon); s.Quote != (lost.Quote{}) || !i.Parcel.Paid {
		t.Errorf("without an offer: %+v", s.Quote)
	}
}

func TestFeeIsRefundedOnce(t *testing.T) {
	i, s := due(t)
	conflict := func(what string) {
		t.Helper()
		if err := s.RequestRefund(&i, "Broken.", noon); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("%s: %v", what, err)
		}
	}
	conflict("nothing paid")
	s.ApplyPayment(paidBy("pi_1", 840, "EUR"), &i, noon)
	i.Status = lost.FeePaid
	if err := s.RequestRefund(&i, "Broken.", noon); err != nil || s.State != lost.ShipmentCancelled ||
		s.Reason != "Broken." ||
		i.Parcel.Paid {
		t.Errorf("%v, %+v", err, s)
	}
	conflict("refund in progress")
	s.RecordRefund(&i, "The card was closed.", noon)
	if s.Refund != lost.RefundFailed || i.Parcel.Refund != lost.RefundFailed ||
		i.Parcel.Problem(lost.RefundTask) != "The card was closed." {
		t.Errorf("refused: %+v", i.Parcel)
	}
	if err := s.RequestRefund(&i, "Broken.", noon); err != nil || i.Parcel.Problem(lost.RefundTask) != "" {
		t.Errorf("second request: %v, %+v", err, i.Parcel)
	}
	s.RecordRefund(&i, "", noon)
	conflict("refunded")
	if s.Refund != lost.RefundDone || i.Parcel.Refund != lost.RefundDone || len(i.Parcel.Troubles) != 0 {
		t.Errorf("%+v, %+v", s, i.Parcel)
	}
}

func TestRefundTaskStaysUntilAllPaymentsAreRefunded(t *testing.T) {
	i, s := due(t)
	s.ApplyPayment(paidBy("pi_1", 1, "EUR"), &i, noon)
	s.ApplyPayment(paidBy("pi_2", 2, "EUR"), &i, noon)
	s.RecordUnexpectedRefund(0, &i, "No such payment.", noon)
	if s.RecordUnexpectedRefund(1, &i, "", noon); i.Parcel.Problem(lost.RefundTask) == "" {
		t.Error("problem removed before the first payment was refunded")
	}
	s.RecordUnexpectedRefund(0, &i, "", noon)
	if s.RecordUnexpectedRefund(1, &i, "The card was closed.",
		noon); i.Parcel.Problem(lost.RefundTask) != "The card was closed." || s.Strays[1].Refund != lost.RefundFailed {
		t.Errorf("%+v", s.Strays)
	}
	if s.RecordUnexpectedRefund(1, &i, "", noon); len(i.Parcel.Troubles) != 0 {
		t.Errorf("%+v", i.Parcel.Troubles)
	}
	s.ApplyPayment(paidBy("pi_3", 3, "EUR"), &i, noon)
	s.RecordRefund(&i, "The account is empty.", noon)
	if s.RecordUnexpectedRefund(2, &i, "", noon); i.Parcel.Problem(lost.RefundTask) == "" {
		t.Error("problem removed although the fee was not refunded")
	}
}

func TestRetryOfARefusedAndOfABoughtLabel(t *testing.T) {
	i, s := due(t)
	if err := s.RetryLabel(noon); lost.CodeOf(err) != lost.Conflict {
		t.Errorf("label not refused: got %v, want a conflict", err)
	}
	s.Postage = lost.Postage{Shipment: "carrier_1"}
	s.RecordRefusal(&i, "", noon)
	if why := i.Parcel.Problem(lost.LabelTask); why != "No reason was given." {
		t.Errorf("%q", why)
	}
	if err := s.RetryLabel(noon); err != nil || s.State != lost.ShipmentPaid || s.Postage != (lost.Postage{}) {
		t.Errorf("%v, %+v", err, s)
	}
	s.Postage, s.Invoice = lost.Postage{Shipment: "carrier_2"}, 7
	s.RecordRefusal(&i, "No paper.", noon)
	if err := s.RetryLabel(noon); err != nil || s.State != lost.ShipmentBought || s.Postage.Shipment != "carrier_2" {
		t.Errorf("bought: %v, %+v", err, s)
	}
}

func TestParcelUpdatesOnlyMoveTheItemForward(t *testing.T) {
	for _, c := range []struct {
		from   lost.Status
		update lost.ParcelState
		to     lost.Status
		task   bool
	}{
		{lost.FeePaid, lost.ParcelWaiting, lost.FeePaid, false},
		{lost.FeePaid, lost.ParcelMoving, lost.Shipped, false},
		{lost.FeePaid, lost.ParcelDelivered, lost.Delivered, false},
		{lost.FeePaid, lost.ParcelTrouble, lost.FeePaid, true},
		{lost.Shipped, lost.ParcelMoving, lost.Shipped, false},
		{lost.Shipped, lost.ParcelDelivered, lost.Delivered, false},
		{lost.Shipped, lost.ParcelTrouble, lost.Shipped, true},
		{lost.Delivered, lost.ParcelMoving, lost.Delivered, false},
		{lost.Delivered, lost.ParcelTrouble, lost.Delivered, false},
		{lost.Pending, lost.ParcelMoving, lost.Pending, false},
		{lost.PickUp, lost.ParcelDelivered, lost.PickUp, false},
		{lost.InfoCompleted, lost.ParcelMoving, lost.InfoCompleted, false},
	} {
		i := annasItem(t, berlinLocation(t))
		i.Status = c.from
		for range 2 {
			if _, err := i.ApplyParcelUpdate(lost.ParcelUpdate{State: c.update, Why: "Lost."}, noon); err != nil {
				t.Fatal(err)
			}
		}
		if i.Status != c.to || (i.Parcel.Problem(lost.ParcelTask) != "") != c.task || len(i.Parcel.Troubles) > 1 {
			t.Errorf("%s of %s: %s, %+v", c.update, c.from, i.Status, i.Parcel.Troubles)
		}
	}
}

func TestTasksOfAShipmentFollowItsStatusAndProblems(t *testing.T) {
	i, s := due(t)
	expect := func(what string, want ...lost.TaskKind) {
		t.Helper()
		if got, _ := i.Tasks(false, noon); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	expect("waiting for the owner")
	i.Parcel.Offered = false
	expect("without a price", lost.ShippingTask)
	i.Parcel.Offered, i.Parcel.PayBy = true, lost.PayDesk
	expect("the desk collects the fee", lost.ShippingTask)
	i.Status = lost.FeePaid
	expect("paid", lost.ShipTask)
	s.RecordRefusal(&i, "Too heavy.", noon)
	expect("refused", lost.LabelTask)
	if _, err := i.ApplyParcelUpdate(lost.ParcelUpdate{State: lost.ParcelTrouble}, noon); err != nil {
		t.Fatal(err)
	}
	expect("with problems", lost.LabelTask, lost.ParcelTask)
	if _, err := i.ApplyParcelUpdate(lost.ParcelUpdate{State: lost.ParcelMoving}, noon); err != nil {
		t.Fatal(err)
	}
	expect("in transit")
}

func TestOnlyPaymentsCanBeRefunded(t *testing.T) {
	for name, c := range map[string]struct {
		parcel lost.Parcel
		may    bool
	}{
		"nothing paid":     {lost.Parcel{}, false},
		"not paid yet":     {lost.Parcel{ShipmentID: "shp_1", Offered: true}, false},
		"paid":             {lost.Parcel{Paid: true}, true},
		"refund requested": {lost.Parcel{Paid: true, Refund: lost.RefundWanted}, false},
		"refunded":         {lost.Parcel{Refund: lost.RefundDone}, false},
		"refund failed":    {lost.Parcel{Refund: lost.RefundFailed}, true},
		"paid twice, second refund failed": {lost.Parcel{
			Refund:   lost.RefundDone,
			Troubles: []lost.ParcelProblem{{Kind: lost.RefundTask, Why: "The card is closed."}},
		}, true},
	} {
		if err := (lost.Item{Parcel: c.parcel}).MayRefund(); (err == nil) != c.may {
			t.Errorf("%s: %v", name, err)
		}
	}
}
