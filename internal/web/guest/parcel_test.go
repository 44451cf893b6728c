package guest_test

import (
	"maps"
	"strings"
	"testing"

	"homeward/internal/lost"
)

func TestAPaidItemShowsItsParcelAndOnlyTheInvoice(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		h.carrier.postage = lost.Postage{
			TrackingNumber: "00340434161094015902", TrackingURL: "https://carrier.example/t?n=1",
		}
		i, link := h.toPay(lost.PayStripe)
		h.checkOut(link)
		h.confirm()
		h.carrier.refuses = lost.E(lost.Invalid, "The carrier does not know the street.")
		h.ship(i)
		a := h.get(link)
		a.want(t, 200, "It will be sent soon", "Hotel Adler is preparing the parcel", "€8.40")
		if strings.Contains(a.body, "street.") {
			t.Error("a problem for staff is shown")
		}
		h.carrier.refuses = nil
		must(h.desk.Labels.RetryLabel(t.Context(), h.actor, i.LocationID, i.ID, lost.IdempotencyKey{}))
		h.ship(i)
		now := h.reload(i)
		a = h.get(link)
		a.want(t, 200, "Hotel Adler packs it", "Service Standard parcel", "Shipping date Monday 16 November 2026",
			"Paid €8.40", "Open the invoice (PDF)", "Tracking number 00340434161094015902")
		if invoice := now.Parcel.Document(lost.InvoicePaper).File; invoice == "" ||
			len(a.all("a", "href", "/files/"+invoice)) != 1 {
			t.Errorf("the invoice %q is not linked", invoice)
		}
		for _, kind := range []lost.DocumentKind{lost.LabelPaper, lost.SlipPaper} {
			if file := now.Parcel.Document(kind).File; file == "" || strings.Contains(a.body, file) {
				t.Errorf("the %s %q is only for staff", kind, file)
			}
		}
		if strings.Contains(a.body, "carrier.example") {
			t.Error("a tracking link is shown before the carrier has the parcel")
		}
		for _, status := range []string{"SHIPPED", "DELIVERED"} {
			h.move(i, lost.MovePatch{Status: lost.Set(status)})
			a := h.get(link)
			a.want(t, 200, "00340434161094015902", "Follow the parcel at the carrier", "Open the invoice (PDF)")
			follow := a.all("a", "href", "https://carrier.example/t?n=1")
			if len(follow) != 1 || attr(follow[0], "rel") != "noreferrer noopener" || attr(follow[0], "target") != "" {
				t.Errorf("%s: the way to the carrier: %v", status, follow)
			}
			said := a.shownText()
			if at := order(said, "What happens next", "Your parcel", "Service Standard parcel", "It goes to"); at < 0 ||
				strings.Index(said, "Follow the parcel") > at {
				t.Errorf("%s: the way to the carrier, or what is to know of the parcel, is elsewhere: %s", status, said)
			}
		}
	})
}

// order returns the index of the second text if all texts occur in this order, and -1 otherwise.
func order(said string, texts ...string) int {
	last, second := -1, -1
	for n, text := range texts {
		at := strings.Index(said, text)
		if at <= last {
			return -1
		}
		last = at
		if n == 1 {
			second = at
		}
	}
	return second
}

func TestAnInvalidTrackingURLIsNotLinked(t *testing.T) {
	h := newServer(t)
	for _, bad := range []string{
		"javascript:alert(1)", "//carrier.example", "carrier.example/x", "ftp://carrier.example",
	} {
		h.carrier.postage = lost.Postage{TrackingNumber: "1", TrackingURL: bad}
		i, link := h.toPay(lost.PayTest)
		h.checkOut(link)
		h.post(link+"/test-payment", nil)
		h.ship(i)
		h.move(i, lost.MovePatch{Status: lost.Set("SHIPPED")})
		a := h.get(link)
		a.want(t, 200, "It is on its way")
		if strings.Contains(a.shownText(), "Follow the parcel") || strings.Contains(a.body, bad) {
			t.Errorf("%s is linked to", bad)
		}
	}
}

func TestARefundIsShownAboveTheChoices(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		i, link := h.toPay(lost.PayStripe)
		h.checkOut(link)
		h.confirm()
		must(h.desk.Refunds.Refund(t.Context(), h.actor, i.LocationID, i.ID, lost.RefundPatch{}, lost.IdempotencyKey{}))
		h.get(link).want(t, 200, "The fee is being given back to you.", "What would you like?")
		h.refund(i)
		a := h.get(link)
		a.want(t, 200, "The fee was given back to you. With a card", "What would you like?", "Have it sent")
		if strings.Index(a.shownText(), "given back") > strings.Index(a.shownText(), "Pick it up") {
			t.Error("it is below the choices")
		}
		h.get(link+"/pay").redirects(t, link)
		h.post(link+"/ship", berlin()).redirects(t, link+"/pay") // once more, from the beginning
		h.checkOut(link).want(t, 200, "You are being taken to the payment page")
	})
}

func TestTheTextOfARefundDependsOnThePayment(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		for by, says := range map[lost.PayBy]string{
			lost.PayTest: "This was a test: no real money was paid, and none is given back.",
			lost.PayDesk: "Hotel Adler gives the fee back to you. The people there tell you how.",
		} {
			i, link := h.toPay(by)
			h.checkOut(link)
			if by == lost.PayTest {
				h.post(link+"/test-payment", nil).redirects(t, link+"?paid=1")
			} else {
				h.move(i, lost.MovePatch{Status: lost.Set("FEE PAID")})
			}
			must(h.desk.Refunds.Refund(t.Context(), h.actor, i.LocationID, i.ID, lost.RefundPatch{},
				lost.IdempotencyKey{}))
			h.get(link).want(t, 200, says)
			h.refund(i)
			a := h.get(link)
			a.want(t, 200, says, "What would you like?")
			if strings.Contains(a.shownText(), "card") || strings.Contains(a.shownText(), "was given back") {
				t.Errorf("%s: %s", by, a.shownText())
			}
		}
	})
}

func TestAnItemThatIsNotShippedSaysWhy(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l, i, link := h.guest()
		tab := h.get(link + "/ship?country=DE").fields()
		maps.Copy(tab, berlin())
		check := func(says string) {
			t.Helper()
			a := h.get(link)
			a.want(t, 200, says, "Pick it up")
			if strings.Contains(a.shownText(), "Have it sent") || len(a.all("a", "href", link+"/ship")) != 0 {
				t.Error("it can still be shipped")
			}
			h.get(link+"/ship").redirects(t, link+"?unsent=1")
			h.get(link+"/ship?country=DE").redirects(t, link+"?unsent=1")
			h.post(link+"/ship", tab).redirects(t, link+"?unsent=1")
			told := h.get(link + "?unsent=1")
			told.want(t, 200, says)
			if strings.Count(told.shownText(), says) != 1 || len(told.all("div", "role", "status")) != 1 {
				t.Errorf("it is shown %d times", strings.Count(told.shownText(), says))
			}
		}
		must(h.desk.Items.Update(t.Context(), h.actor, l.ID, i.ID,
			lost.ItemPatch{
				Shipping: lost.Set(lost.ShippingPatch{NotShipped: lost.Set("It has a <b>battery</b> & leaks.")}),
			}))
		check("It cannot be sent: It has a <b>battery</b> & leaks.")
		if strings.Contains(h.get(link).body, "<b>battery") {
			t.Error("the text of staff is not escaped")
		}
		must(h.desk.Items.Update(t.Context(), h.actor, l.ID, i.ID,
			lost.ItemPatch{Shipping: lost.Set(lost.ShippingPatch{NotShipped: lost.Clear[string]()})}))
		must(h.desk.Locations.Update(t.Context(), h.actor, l.ID,
			lost.LocationPatch{Shipping: lost.Set(lost.ShippingRulesPatch{Offered: lost.Set(false)})}))
		check("Hotel Adler does not send things.")
		must(h.desk.Locations.Update(t.Context(), h.actor, l.ID,
			lost.LocationPatch{Shipping: lost.Set(lost.ShippingRulesPatch{Offered: lost.Set(true)})}))
		h.get(link+"?unsent=1").want(t, 200, "Have it sent")
		h.post(link+"/ship", tab).redirects(t, link)
		must(h.desk.Items.Update(t.Context(), h.actor, l.ID, i.ID,
			lost.ItemPatch{Shipping: lost.Set(lost.ShippingPatch{NotShipped: lost.Set("It leaks.")})}))
		h.get(link).want(t, 200, "It cannot be sent: It leaks.", "Choose something else that suits you.",
			"Change my choice")
	})
}
