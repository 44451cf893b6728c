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
		h.carrier.buyErr = lost.E(lost.Invalid, "The carrier does not know the street.")
		h.ship(i)
		a := h.get(link)
		a.want(t, 200, "It will be sent soon", "Hotel Adler is preparing the parcel", "€8.40")
		if strings.Contains(a.body, "street.") {
			t.Error("the page shows a problem that is only for staff")
		}
		h.carrier.buyErr = nil
		must(h.desk.Labels.RetryLabel(t.Context(), h.actor, i.LocationID, i.ID, lost.IdempotencyKey{}))
		h.ship(i)
		now := h.reload(i)
		a = h.get(link)
		a.want(t, 200, "Hotel Adler will pack it", "Service Standard parcel", "Shipping date Monday 16 November 2026",
			"Paid €8.40", "Open the invoice (PDF)", "Tracking number 00340434161094015902")
		if invoice := now.Parcel.Document(lost.InvoicePaper).File; invoice == "" ||
			len(a.all("a", "href", "/files/"+invoice)) != 1 {
			t.Errorf("the invoice %q is not linked", invoice)
		}
		for _, kind := range []lost.DocumentKind{lost.LabelPaper, lost.SlipPaper} {
			if file := now.Parcel.Document(kind).File; file == "" || strings.Contains(a.body, file) {
				t.Errorf("the file of the %s is missing or is on the page: %q", kind, file)
			}
		}
		if strings.Contains(a.body, "carrier.example") {
			t.Error("a tracking link is shown before the carrier has the parcel")
		}
		for _, status := range []string{"SHIPPED", "DELIVERED"} {
			h.move(i, lost.MovePatch{Status: lost.Set(status)})
			a := h.get(link)
			a.want(t, 200, "00340434161094015902", "Track the parcel with the carrier", "Open the invoice (PDF)")
			follow := a.all("a", "href", "https://carrier.example/t?n=1")
			if len(follow) != 1 || attr(follow[0], "rel") != "noreferrer noopener" || attr(follow[0], "target") != "" {
				t.Errorf("%s: links to the carrier: got %v", status, follow)
			}
			shown := a.shownText()
			if at := order(shown, "What happens next", "Your parcel", "Service Standard parcel",
				"Delivery address"); at < 0 || strings.Index(shown, "Track the parcel") > at {
				t.Errorf("%s: the tracking link or the parcel's details are in the wrong place: %s", status, shown)
			}
		}
	})
}

// order returns the position of the second text in shown if all texts occur in the given order, and -1 otherwise.
func order(shown string, texts ...string) int {
	last, second := -1, -1
	for n, text := range texts {
		at := strings.Index(shown, text)
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
		if strings.Contains(a.shownText(), "Track the parcel") || strings.Contains(a.body, bad) {
			t.Errorf("%s is linked", bad)
		}
	}
}

func TestARefundIsShownAboveTheChoices(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		i, link := h.toPay(lost.PayStripe)
		h.checkOut(link)
		h.confirm()
		must(h.desk.Refunds.Refund(t.Context(), h.actor, i.LocationID, i.ID, lost.RefundPatch{}, lost.IdempotencyKey{}))
		h.get(link).want(t, 200, "The fee is being refunded.", "What would you like?")
		h.refund(i)
		a := h.get(link)
		a.want(t, 200, "The fee was refunded. A card refund", "What would you like?", "Have it sent")
		if strings.Index(a.shownText(), "refunded") > strings.Index(a.shownText(), "Pick it up") {
			t.Error("the refund is shown below the choices")
		}
		h.get(link+"/pay").redirects(t, link)
		h.post(link+"/ship", berlin()).redirects(t, link+"/pay") // again, from the start
		h.checkOut(link).want(t, 200, "You are being taken to the payment page")
	})
}

func TestTheTextOfARefundDependsOnThePayment(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		for by, says := range map[lost.PayBy]string{
			lost.PayTest: "This was a test: no real money was paid, and none is refunded.",
			lost.PayDesk: "Hotel Adler will refund the fee. The staff will tell you how.",
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
			if strings.Contains(a.shownText(), "card") || strings.Contains(a.shownText(), "was refunded") {
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
				t.Error("shipping is still offered")
			}
			h.get(link+"/ship").redirects(t, link+"?unsent=1")
			h.get(link+"/ship?country=DE").redirects(t, link+"?unsent=1")
			h.post(link+"/ship", tab).redirects(t, link+"?unsent=1")
			page := h.get(link + "?unsent=1")
			page.want(t, 200, says)
			if strings.Count(page.shownText(), says) != 1 || len(page.all("div", "role", "status")) != 1 {
				t.Errorf("got the reason %d times, want once, in a notice", strings.Count(page.shownText(), says))
			}
		}
		must(h.desk.Items.Update(t.Context(), h.actor, l.ID, i.ID,
			lost.ItemPatch{
				Shipping: lost.Set(lost.ShippingPatch{NotShipped: lost.Set("It has a <b>battery</b> & leaks.")}),
			}))
		check("It cannot be sent: It has a <b>battery</b> & leaks.")
		if strings.Contains(h.get(link).body, "<b>battery") {
			t.Error("the text that staff entered is not escaped")
		}
		must(h.desk.Items.Update(t.Context(), h.actor, l.ID, i.ID,
			lost.ItemPatch{Shipping: lost.Set(lost.ShippingPatch{NotShipped: lost.Clear[string]()})}))
		must(h.desk.Locations.Update(t.Context(), h.actor, l.ID,
			lost.LocationPatch{Shipping: lost.Set(lost.ShippingRulesPatch{Offered: lost.Set(false)})}))
		check("Hotel Adler does not ship items.")
		must(h.desk.Locations.Update(t.Context(), h.actor, l.ID,
			lost.LocationPatch{Shipping: lost.Set(lost.ShippingRulesPatch{Offered: lost.Set(true)})}))
		h.get(link+"?unsent=1").want(t, 200, "Have it sent")
		h.post(link+"/ship", tab).redirects(t, link)
		must(h.desk.Items.Update(t.Context(), h.actor, l.ID, i.ID,
			lost.ItemPatch{Shipping: lost.Set(lost.ShippingPatch{NotShipped: lost.Set("It leaks.")})}))
		h.get(link).want(t, 200, "It cannot be sent: It leaks.", "Choose another option.",
			"Change my choice")
	})
}
