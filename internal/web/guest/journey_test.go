package guest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/respond"
)

func TestAGuestChoosesInTwoTapsAndSeesProblems(t *testing.T) {
	for _, o := range []browsertest.Options{{Phone: true}, {NoScript: true}} {
		h := newServer(t)
		_, i, link := h.guest()
		server := httptest.NewServer(h.handler)
		t.Cleanup(server.Close)
		v := browsertest.New(t, o)
		v.IgnoreError("422")
		v.Visit(server.URL + link)
		v.Follow("Pick it up")
		v.See("Fields marked * are required.")
		v.Fill("Time", "03:00")
		v.Follow("Confirm pick-up")
		v.See("Please check the form", "Time – Choose a time between 10:00 and 18:00.")
		v.CheckAccessibility()
		v.CheckLayoutShift()
		v.Screenshot("wrong time")
		v.Fill("Time", "16:30")
		v.Follow("Confirm pick-up")
		v.See("You are picking it up", "Sunday 15 November 2026, 16:30")
		if now := h.reload(i); now.Status != lost.PickUp || now.Pickup.Time != "16:30" {
			t.Errorf("got status %s with pickup %+v", now.Status, now.Pickup)
		}
		v.Back() // to a form that was accepted: sending it again is harmless
		v.Follow("Confirm pick-up")
		v.See("You are picking it up")
	}
}

func TestAPriceIsShownForTheChosenCountryOnly(t *testing.T) {
	h := newServer(t)
	_, link := h.toPay(lost.PayTest) // to Germany
	server := httptest.NewServer(h.handler)
	t.Cleanup(server.Close)
	for _, o := range []browsertest.Options{{Phone: true}, {}} {
		v := browsertest.New(t, o)
		v.Visit(server.URL + link + "/ship")
		v.See("Sending it to Germany costs €8.40.")
		where := func() (y float64) {
			v.Run("document.querySelector('main .button').getBoundingClientRect().top", &y)
			return y
		}
		before := where()
		var gap float64
		v.Run("document.querySelector('main .button').getBoundingClientRect().top - "+
			"document.querySelector('.price').getBoundingClientRect().bottom", &gap)
		if gap < 16 {
			t.Errorf("%s: the button is %.0f pixels below the price, want at least 16", o, gap)
		}
		v.Choose("Country", "France")
		v.SeeNot("Sending it to Germany")
		if after := where(); after != before {
			t.Errorf("%s: the button moves from %.0f to %.0f", o, before, after)
		}
		v.Screenshot("another country")
		v.Choose("Country", "Germany")
		v.See("Sending it to Germany costs €8.40.")
		v.Choose("Country", "France")
		v.Follow("Continue")
		v.See("Sending it to France costs")
	}
}

// The form is embedded in a page of another origin.
func TestTheFormWorksEmbeddedInAnotherSite(t *testing.T) {
	h := newServer(t)
	l := h.location(adler())
	posted := make(chan int, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &respond.Recorder{ResponseWriter: w}
		h.handler.ServeHTTP(rec, r)
		if r.Method == http.MethodPost {
			posted <- rec.Status
		}
	}))
	t.Cleanup(server.Close)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w,
			"<!doctype html><html lang=en><title>Adler</title><link rel=icon href='data:,'><h1>Hotel "+
				"Adler</h1><script src='%s/l/%s/embed.js'></script>", server.URL, l.Permalink)
	}))
	t.Cleanup(site.Close)
	v := browsertest.New(t, browsertest.Options{})
	v.Visit(site.URL)
	var height int
	v.Run(`new Promise(done => {
		const frame = document.querySelector('iframe')
		const check = () => frame.height == '900' ? requestAnimationFrame(check) : done(Number(frame.height))
		check()
	})`, &height)
	if height < 600 || height > 2400 {
		t.Errorf("got a frame height of %d pixels, want 600 to 2400", height)
	}
	var title string
	v.Run("document.querySelector('iframe').title", &title)
	if title != "Lost something at Hotel Adler?" {
		t.Errorf("the title of the frame is %q", title)
	}
	h.clock.Advance(time.Minute)
	v.RunInFrame(`(() => {
		document.querySelector('[name=description]').value = 'Scarf'
		document.querySelector('[name="owner.email"]').value = 'anna@example.com'
		document.querySelector('form button[type=submit], form button:not([type])').click()
	})()`, nil)
	select {
	case status := <-posted:
		if filed := h.requests(l); status != http.StatusSeeOther || len(filed) != 1 ||
			filed[0].Description != "Scarf" || filed[0].Owner.Email != "anna@example.com" {
			t.Errorf("got status %d and requests %+v", status, filed)
		}
	case <-time.After(time.Minute):
		t.Error("the form was not sent")
	}
}

// provider starts a payment provider's site, whose page links back to the service, and returns its address.
func provider(t *testing.T, service func() string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ref := r.Referer(); ref != "" {
			t.Errorf("the provider receives the referrer %s", ref)
		}
		_, _ = fmt.Fprintf(w,
			"<!doctype html><html lang=en><title>Payment</title><link rel=icon href='data:,'><h1>The payment "+
				"page</h1><a href='%s/g/paid'>Pay now</a> <a href='%[1]s/g/unpaid'>Cancel</a>", service())
	}))
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
}

func TestAGuestPaysOnAnotherSiteAndComesBack(t *testing.T) {
	for _, o := range []browsertest.Options{{Phone: true}, {NoScript: true}} {
		h := newServer(t)
		server := httptest.NewServer(h.handler)
		t.Cleanup(server.Close)
		h.provider.by, h.provider.page = lost.PayStripe, provider(t, func() string { return server.URL })
		i := h.item(h.location(adler()), weighedUmbrella())
		v := browsertest.New(t, o)
		v.Visit(server.URL + h.link(i))
		v.Follow("Have it sent")
		v.Choose("Country", "Germany")
		v.Follow("Continue")
		v.See("Sending it to Germany costs €5.90.")
		v.Fill("Street and number", "Lindenweg 3")
		v.Fill("Postal code", "10115")
		v.Fill("City", "Berlin")
		v.Follow("Save address")
		v.See("Check and pay", "Lindenweg 3")
		v.Click("Pay €5.90")
		v.See("The payment page")
		v.Follow("Cancel")
		v.See("Nothing was paid. You can pay now")
		v.Click("Pay €5.90")
		v.See("The payment page")
		v.Follow("Pay now")
		v.See("Your payment is being confirmed")
		v.CheckLayoutShift()
		h.confirm()
		if o.NoScript {
			v.Follow("Check again")
		}
		v.See("Thank you. The fee is paid.", "It will be sent soon") // with scripts, the page checks automatically
	}
}
