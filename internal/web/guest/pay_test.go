package guest_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/lost"
)

func TestThePaymentPageShowsPriceAddressAndNextSteps(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		for by, says := range map[lost.PayBy][]string{
			lost.PayStripe: {
				"Check and pay", "Pay €8.40", "secure page of our payment provider", "Hotel Adler will then pack it",
			},
			lost.PayTest: {"Check and pay", "Continue to the test payment", "no real money is charged"},
			lost.PayDesk: {"Have it sent?", "Yes, send it for €8.40",
				"Hotel Adler will collect the fee and tell you how to pay."},
		} {
			i, link := h.toPay(by)
			a := h.get(link + "/pay")
			a.want(t, 200,
				append(says, i.Reference, "Black umbrella", "Lindenweg 3", "10115 Berlin", "Standard parcel",
					"1 to 3 working days", "€5.90", "Handling", "€2.50", "Total", "What happens next")...)
			if len(a.all("a", "href", link+"/ship?country=DE")) != 1 || len(a.all("a", "href", link+"?change=1")) != 1 {
				t.Errorf("%s: the address or the choice cannot be changed", by)
			}
			if len(a.all("button")) != 1 {
				t.Errorf("%s: got %d buttons, want 1", by, len(a.all("button")))
			}
		}
	})
}

func TestTheCheapestOfSeveralOffersIsPreselected(t *testing.T) {
	h := newServer(t)
	h.carrier.offers = offers()
	h.provider.by = lost.PayStripe
	i := h.item(h.location(adler()), weighedUmbrella())
	link := h.link(i)
	h.get(link).want(t, 200, "To Germany: from €8.40")
	h.get(link+"/ship?country=DE").want(t, 200, "Sending it to Germany costs €8.40 or more",
		"This includes €2.50 for handling.")
	h.provider.page = "https://pay.example/c/1"
	h.post(link+"/ship", berlin()).redirects(t, link+"/pay")
	a := h.get(link + "/pay")
	a.want(t, 200, "How should it be sent?", "GroundAdvantage", "€8.40", "Priority", "2 working days", "€11.45",
		"Express", "up to 1 working day", "€35.60", "This includes €2.50 for handling.")
	if got := a.fields().Get("offer"); got != offers()[0].Key() || len(a.all("input", "type", "radio")) != 3 {
		t.Errorf("the page preselects %q", got)
	}
	chosen := a.fields()
	chosen.Set("offer", offers()[2].Key())
	h.post(link+"/pay", chosen).want(t, 200, "You are being taken to the payment page")
	if b := h.provider.opened[0]; b.Shipment.Quote != offers()[2] || b.Language != "en" {
		t.Errorf("got a checkout for %+v in the language %s", b.Shipment.Quote, b.Language)
	}
	h.provider.by = lost.PayDesk
	h.get(link+"/pay").want(t, 200, "Yes, send it")
}

// offers are three shipping offers.
func offers() []lost.Quote {
	price := func(postage int64) lost.Price { return lost.Price{Postage: postage, Handling: 250, Currency: "EUR"} }
	return []lost.Quote{
		{Service: "GroundAdvantage", Price: price(590)},
		{Service: "Priority", Price: price(895), FromDays: 2, ToDays: 2},
		{Service: "Express", Price: price(3310), ToDays: 1},
	}
}

func TestPayingOnlineDoesNotRevealTheToken(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		i, link := h.toPay(lost.PayStripe)
		token := strings.TrimPrefix(link, "/g/")
		h.get(link).want(t, 200, "Pay and have it sent", "Hotel Adler will send it as soon as the fee is paid.")
		h.provider.page = `https://pay.example/c/1?a=b&c=%22d#fid"x`
		a := h.checkOut(link)
		a.want(t, 200, "You are being taken to the payment page", "Go to the payment page")
		const to = "https://pay.example/c/1?a=b&c=%22d#fid%22x"
		if metas := a.all("meta", "http-equiv", "refresh"); len(metas) != 1 ||
			attr(metas[0], "content") != "0; url="+to {
			t.Errorf("meta refresh elements: got %v", metas)
		}
		if links := a.all("a", "href", to); len(links) != 1 || !strings.Contains(attr(links[0], "rel"), "noreferrer") {
			t.Errorf("links to the payment page: got %v", links)
		}
		if b := h.provider.opened[0]; strings.Contains(b.Done+b.Back+b.Title, token) ||
			b.Done != "https://homeward.example/g/paid" || b.Back != "https://homeward.example/g/unpaid" {
			t.Errorf("the provider receives %+v", b)
		}
		cookie := a.Cookies()[0]
		if cookie.Name != "back" || cookie.Value != token || cookie.Path != "/g" || !cookie.HttpOnly ||
			!cookie.Secure || cookie.SameSite != http.SameSiteLaxMode || cookie.MaxAge != 24*60*60 {
			t.Errorf("the cookie is %v", cookie)
		}
		for at, to := range map[string]string{"/g/paid": link + "?paid=1", "/g/unpaid": link + "/pay?unpaid=1"} {
			back := h.get(at, "Cookie", "back="+token)
			back.redirects(t, to)
			if cleared := back.Cookies(); len(cleared) != 1 || cleared[0].MaxAge != -1 || cleared[0].Path != "/g" {
				t.Errorf("%s: the cookie was not deleted: %v", at, cleared)
			}
		}
		h.get(link+"/pay?unpaid=1").want(t, 200, "Nothing was paid. You can pay now")
		waiting := h.get(link + "?paid=1")
		waiting.want(t, 200, "Your payment is being confirmed", "We will write to you as soon as it is confirmed")
		if strings.Contains(waiting.shownText(), "and have it sent") || h.reload(i).Status != lost.InfoCompleted {
			t.Error("returning counts as payment, or the guest is asked to pay again")
		}
		h.confirm()
		h.get(link+"?paid=1").want(t, 200, "Thank you. The fee is paid.", "It will be sent soon",
			"Hotel Adler is preparing the parcel")
	})
}

func TestAPageChecksForTheConfirmationForAMinute(t *testing.T) {
	h := newServer(t)
	_, link := h.toPay(lost.PayStripe)
	h.checkOut(link)
	next := func(at string) (href string, soon bool) {
		again := h.get(at).all("a", "class", "button second")
		if len(again) != 1 {
			t.Fatalf("%s: got %d links to check again, want 1", at, len(again))
		}
		return attr(again[0], "href"), hasAttr(again[0], "data-again")
	}
	checks, at := 0, link+"?paid=1"
	for ; checks < 100; checks++ {
		to, soon := next(at)
		if !soon {
			break
		}
		at = to
	}
	if checks != 15 {
		t.Errorf("the page checked %d times, want 15", checks)
	}
	for _, invalid := range []string{"-1", "x", "99999999999999999999", "16"} {
		if _, soon := next(link + "?paid=1&look=" + invalid); soon {
			t.Errorf("the query look=%s restarts the automatic checks", invalid)
		}
	}
}

func TestReturningWithoutACookieIsExplained(t *testing.T) {
	h := newServer(t)
	for _, cookie := range []string{
		"", "back=", "back=../l/x", "back=https://evil.example", "back=//evil.example",
		"back=" + strings.Repeat("a", 33), "back=ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
	} {
		h.get("/g/paid", "Cookie", cookie).want(t, 200, "Thank you",
			"To see the current status of your item, open the link in the message that we sent you.")
		h.get("/g/unpaid", "Cookie", cookie).want(t, 200, "Nothing was paid",
			"To pay or choose something else, open the link in the message that we sent you.")
	}
	h.get("/g/paid", "Cookie", "back="+strings.Repeat("a", 32)).redirects(t, "/g/"+strings.Repeat("a", 32)+"?paid=1")
	a := h.get("/g/paid?lang=de")
	a.want(t, 200, "Danke")
	if a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the page may be cached: %v", a.Header)
	}
}

func TestTheTestPaymentIsMarkedAsATest(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		i, link := h.toPay(lost.PayTest)
		h.get(link+"/test-payment").redirects(t, link+"/pay") // no offer is accepted yet
		h.post(link+"/test-payment", nil).redirects(t, link+"/pay?changed=1")
		h.checkOut(link).redirects(t, link+"/test-payment")
		a := h.get(link + "/test-payment")
		a.want(t, 200, "Pretend to pay €8.40", "as if you had paid")
		if a.title() != "This is a TEST. No real money is charged." {
			t.Errorf("the title is %q", a.title())
		}
		h.post(link+"/test-payment", a.fields()).redirects(t, link+"?paid=1")
		if now := h.reload(i); now.Status != lost.FeePaid || !now.Parcel.Paid {
			t.Errorf("the item is %s", now.Status)
		}
		h.post(link+"/test-payment", a.fields()).redirects(t, link+"?paid=1") // a second tap
		history := must(h.desk.Items.History(t.Context(), h.actor, i.LocationID, i.ID, lost.FirstPage()))
		paid := 0
		for _, e := range history.Data {
			if e.To == lost.FeePaid {
				paid++
			}
		}
		if paid != 1 {
			t.Errorf("the fee was paid %d times, want 1", paid)
		}
		h.get(link+"/test-payment").redirects(t, link)
		h.get(link+"/pay").redirects(t, link)
		h.get(link+"?paid=1").want(t, 200, "Thank you. The fee is paid.")
		h.provider.by = lost.PayStripe
		h.get(link+"/test-payment").want(t, 404)
		h.post(link+"/test-payment", a.fields()).want(t, 404)
	})
}

func TestAnOutdatedTestPaymentPaysNothing(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		i, link := h.toPay(lost.PayTest)
		h.checkOut(link)
		bill, old := h.get(link+"/pay").fields(), h.get(link+"/test-payment").fields()
		elsewhere := berlin()
		set(elsewhere, "recipient.address1", "Ahornweg 4")
		h.post(link+"/ship", elsewhere).redirects(t, link+"/pay")
		// The price is the same, but the address has changed.
		h.post(link+"/pay", bill).redirects(t, link+"/pay?changed=1")
		h.get(link+"/pay?changed=1").want(t, 200,
			"Something has changed since you opened this page, so no payment was started.",
			"Ahornweg 4")
		h.checkOut(link).redirects(t, link+"/test-payment")
		h.post(link+"/test-payment", old).redirects(t, link+"/pay?changed=1")
		changed := h.get(link + "/test-payment").fields()
		changed.Set("amount", "1 EUR")
		h.post(link+"/test-payment", changed).redirects(t, link+"/pay?changed=1")
		if now := h.reload(i); now.Status != lost.InfoCompleted {
			t.Fatalf("the item is %s", now.Status)
		}
		h.post(link+"/donate", form("seen", "INFO COMPLETED")).redirects(t, link)
		h.post(link+"/test-payment", h.get(link+"/test-payment").fields())
		h.post(link+"/test-payment", old).redirects(t, link+"?paid=1")
		h.get(link+"?paid=1").want(t, 200, "You are donating it")
		h.post(link+"/pay", bill).redirects(t, link+"?changed=1")
		h.get(link+"?changed=1").want(t, 200, "This was changed in the meantime", "You are donating it")
		if now := h.reload(i); now.Status != lost.Donate || now.Parcel.Paid {
			t.Errorf("got status %s, paid %t", now.Status, now.Parcel.Paid)
		}
	})
}

func TestTwoTabsPayOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		i, link := h.toPay(lost.PayTest)
		h.checkOut(link)
		form := h.get(link + "/test-payment").fields()
		var tabs sync.WaitGroup
		for range 8 {
			tabs.Go(func() { h.post(link+"/test-payment", form).redirects(t, link+"?paid=1") })
		}
		tabs.Wait()
		moves := must(h.desk.Items.History(t.Context(), h.actor, i.LocationID, i.ID, lost.FirstPage()))
		paid := 0
		for _, e := range moves.Data {
			if e.Action == lost.Moved && e.To == lost.FeePaid || e.Action == lost.Paid {
				paid++
			}
		}
		if paid != 1 {
			t.Errorf("got %d payments in the history, want 1", paid)
		}
	})
}

func TestAnUnknownOfferIsRefused(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		i, link := h.toPay(lost.PayStripe)
		good := h.get(link + "/pay").fields()
		for name, offer := range map[string][]string{
			"forged": {"Standard parcel 1 0 EUR"}, "negative": {"Standard parcel -590 250 EUR"},
			"long": {strings.Repeat("x", 60_000)}, "empty": {""}, "none": nil,
			"hostile": {`"><script>alert(1)</script>`}, "forged first": {"x", good.Get("offer")},
		} {
			sent := url.Values{"seen": good["seen"], "shipment": good["shipment"], "offer": offer}
			h.post(link+"/pay", sent).redirects(t, link+"/pay?changed=1")
			if len(h.provider.opened) != 0 {
				t.Fatalf("%s: a payment page was opened", name)
			}
		}
		h.post(link+"/pay", url.Values{"offer": {strings.Repeat("x", 70_000)}}).want(t, 413)
		good["offer"] = append(good["offer"], "x")
		h.post(link+"/pay", good).want(t, 200, "You are being taken to the payment page")
		h.post(link+"/pay", good).want(t, 200, "You are being taken to the payment page") // the same page again
		if len(h.provider.opened) != 1 || h.reload(i).Status != lost.InfoCompleted {
			t.Errorf("%d payment pages were opened, want 1", len(h.provider.opened))
		}
		h.clock.Advance(25 * time.Hour) // the payment page has expired
		h.get(link).want(t, 200, "Pay €8.40 and have it sent")
		h.checkOut(link).want(t, 200, "You are being taken to the payment page")
		if len(h.provider.opened) != 2 {
			t.Errorf("%d payment pages were opened, want 2: the first has expired", len(h.provider.opened))
		}
	})
}

func TestAPriceThatChangedIsShownBeforeItIsPaid(t *testing.T) {
	h := newServer(t)
	i, link := h.toPay(lost.PayStripe)
	bill := h.get(link + "/pay").fields()
	must(h.desk.Locations.Update(t.Context(), h.actor, i.LocationID,
		lost.LocationPatch{Shipping: lost.Set(lost.ShippingRulesPatch{Handling: lost.Set[int64](400)})}))
	h.post(link+"/pay", bill).redirects(t, link+"/pay?changed=1")
	h.get(link+"/pay?changed=1").want(t, 200, "Something has changed since you opened this page", "Pay €9.90")
	h.checkOut(link).want(t, 200, "You are being taken to the payment page")
	h.carrier.offers = offers()
	h.clock.Advance(2 * time.Hour) // an accepted price stays valid while the checkout is open
	h.checkOut(link).want(t, 200, "You are being taken to the payment page")
	h.get(link+"/pay").want(t, 200, "Pay €9.90")
}

func TestARefusedPaymentIsExplained(t *testing.T) {
	h := newServer(t)
	_, link := h.toPay(lost.PayStripe)
	h.provider.openErr = lost.E(lost.Invalid, "Stripe takes no amount below 50 cents.")
	a := h.checkOut(link)
	a.want(t, 422, "You cannot pay for this here", "Nothing was paid. Ask the staff at Hotel Adler", "Marta Kahl")
	if strings.Contains(a.body, "Stripe") || len(a.all("a", "href", link)) != 1 {
		t.Errorf("the page: %s", a.shownText())
	}
	for _, bad := range []string{"", "javascript:alert(1)", "//pay.example", "data:text/html,x", "https:///x"} {
		h.provider.openErr, h.provider.page = nil, bad
		h.clock.Advance(25 * time.Hour)
		if a := h.checkOut(link); a.StatusCode != 500 || len(a.all("meta", "http-equiv", "refresh")) != 0 ||
			len(a.Cookies()) != 0 {
			t.Errorf("%q: %d %s", bad, a.StatusCode, a.shownText())
		}
	}
}

func TestPagesWorkWithoutTheCarrier(t *testing.T) {
	h := newServer(t)
	h.carrier.err = lost.E(lost.Unavailable, "The carrier does not respond.").WithCause(errors.New("time-out"))
	i := h.item(h.location(adler()), weighedUmbrella())
	link := h.link(i)
	for _, path := range []string{"", "/ship", "/ship?country=DE"} {
		h.get(link+path).want(t, 200, "Hotel Adler will tell you the price before anything is sent")
	}
	if !strings.Contains(h.log.String(), "The carrier does not respond.") {
		t.Error("the carrier's error was not logged")
	}
	h.post(link+"/ship", berlin()).redirects(t, link)
	h.get(link+"/pay").want(t, 503, "We are busy right now", "Nothing was paid.")
	h.carrier.err = nil
	h.get(link+"/pay").want(t, 200, "Yes, send it for €5.90") // the price is requested again
}

func TestAPriceThatNeedsTheAddressIsShownAfterIt(t *testing.T) {
	h := newServer(t)
	h.carrier.byAddress, h.provider.by = true, lost.PayStripe
	i := h.item(h.location(adler()), weighedUmbrella())
	link := h.link(i)
	for _, path := range []string{"", "/ship", "/ship?country=DE"} {
		h.get(link+path).want(t, 200, "You will see the price before you pay.")
	}
	if n := h.carrier.requests.Load(); n != 0 {
		t.Errorf("the carrier got %d requests without an address, want none", n)
	}
	h.post(link+"/ship", berlin()).redirects(t, link+"/pay")
	h.get(link+"/pay").want(t, 200, "Pay €5.90")
}

func TestTheAcceptedPriceIsPaidAtTheDesk(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		i, link := h.toPay(lost.PayDesk)
		h.get(link).want(t, 200, "We have your address",
			"Hotel Adler will send it once you have agreed to the price.",
			"See the price and confirm")
		h.checkOut(link).redirects(t, link)
		a := h.get(link)
		a.want(t, 200, "Sending it costs €8.40. Hotel Adler will collect the fee", "will tell you how to pay",
			"desk@adler.example", "Change my choice")
		if len(h.provider.opened) != 0 || strings.Contains(a.shownText(), "See the price") {
			t.Error("the page asks for an online payment")
		}
		if a.title() != "Agreed: it will be sent to you" {
			t.Errorf("the page does not confirm the choice: %q", a.title())
		}
		h.get(link+"?paid=1").want(t, 200, "Sending it costs €8.40") // there is no payment to confirm
		h.move(i, lost.MovePatch{Status: lost.Set("FEE PAID")})
		h.get(link).want(t, 200, "It will be sent soon")
	})
}

func TestPayingIsThrottled(t *testing.T) {
	h := newServer(t)
	_, link := h.toPay(lost.PayStripe)
	bill, statuses := h.get(link+"/pay").fields(), map[int]int{}
	for range 40 {
		statuses[h.post(link+"/pay", bill).StatusCode]++
	}
	// Submitting the address already counted as one of the 30 allowed requests.
	if statuses[200] != 29 || statuses[429] != 11 {
		t.Errorf("got statuses %v, want 29 times 200 and 11 times 429", statuses)
	}
}
