package guest_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/browsertest"
)

// allPages returns the path of one page of each kind, keyed by a name for the kind.
func allPages(h *server) map[string]string {
	h.t.Helper()
	l := h.location(adler())
	linkAfter := func(change func(i lost.Item, link string)) string {
		i := h.item(l, umbrella())
		link := h.link(i)
		change(i, link)
		return link
	}
	plain := linkAfter(func(lost.Item, string) {})
	pages := map[string]string{
		"choose": plain, "pickup": plain + "/pickup", "leave": plain + "/leave", "country": plain + "/ship",
		"wrong": "/g/nobody",
		"photo": linkAfter(func(i lost.Item, _ string) {
			h.upload(i, 300, 450)
			h.upload(i, 800, 600)
		}),
		"collects": linkAfter(func(_ lost.Item, link string) {
			h.post(link+"/pickup", form("pickupDate", "2026-11-20", "pickupTime", "14:30"))
		}),
		"conversation": linkAfter(func(i lost.Item, link string) {
			ask(h, i, "Is the handle light or dark?")
			h.send(link+"/messages", map[string]string{"text": "Dark.\nIt has a duck's head."}, nil)
		}),
		"location": "/l/" + l.Permalink, "embedded": "/l/" + l.Permalink + "?embed=1",
		"thanks": h.reported(l, report()),
	}
	maps.Copy(pages, paymentPages(h))
	pages["request"] = "/g/" + pages["thanks"][len("/l/"+l.Permalink+"/thanks/"):]
	return pages
}

// paymentPages returns the paths of the pages that a guest sees between the price and the delivery, keyed by name.
func paymentPages(h *server) map[string]string {
	h.t.Helper()
	h.provider.by = lost.PayTest
	p := adler()
	p.Shipping = lost.Set(lost.ShippingRulesPatch{Handling: lost.Set[int64](250)})
	l := h.location(p)
	linkAfter := func(change func(i lost.Item, link string)) string {
		i := h.item(l, weighedUmbrella())
		h.upload(i, 400, 300)
		link := h.link(i)
		change(i, link)
		return link
	}
	enterAddress := func(_ lost.Item, link string) { h.post(link+"/ship", berlin()).redirects(h.t, link+"/pay") }
	acceptOffer := func(i lost.Item, link string) {
		enterAddress(i, link)
		h.checkOut(link).redirects(h.t, link+"/test-payment")
	}
	payFee := func(i lost.Item, link string) {
		acceptOffer(i, link)
		h.post(link+"/test-payment", nil).redirects(h.t, link+"?paid=1")
		h.ship(i)
	}
	h.carrier.postage = lost.Postage{
		TrackingNumber: "00340434161094015902", TrackingURL: "https://carrier.example/t?n=1",
	}
	pages := map[string]string{
		"address": linkAfter(func(lost.Item, string) {}) + "/ship?country=DE", "to pay": linkAfter(enterAddress),
		"pay":          linkAfter(enterAddress) + "/pay?changed=1",
		"test payment": linkAfter(acceptOffer) + "/test-payment",
		"confirming":   linkAfter(acceptOffer) + "?paid=1&look=15",
		"paid":         linkAfter(payFee) + "?paid=1",
		"followed": linkAfter(func(i lost.Item, link string) {
			payFee(i, link)
			h.move(i, lost.MovePatch{Status: lost.Set(string(lost.Shipped))})
		}),
		"refunded": linkAfter(func(i lost.Item, link string) {
			payFee(i, link)
			must(h.desk.Refunds.Refund(h.t.Context(), h.actor, i.LocationID, i.ID, lost.RefundPatch{},
				lost.IdempotencyKey{}))
			h.refund(i)
		}),
		"not sent": linkAfter(func(i lost.Item, _ string) {
			notShipped := lost.ShippingPatch{NotShipped: lost.Set("It has a battery that is not allowed on planes.")}
			must(h.desk.Items.Update(h.t.Context(), h.actor, i.LocationID, i.ID,
				lost.ItemPatch{Shipping: lost.Set(notShipped)}))
		}),
	}
	pages["country and price"] = pages["to pay"] + "/ship"
	h.provider.by = lost.PayDesk
	pages["agreed"] = linkAfter(func(i lost.Item, link string) {
		enterAddress(i, link)
		h.checkOut(link).redirects(h.t, link)
	})
	h.provider.by = lost.PayTest
	h.carrier.offers = offers()
	pages["pay several"] = linkAfter(enterAddress) + "/pay"
	h.carrier.offers = nil
	return pages
}

func TestEveryPage(t *testing.T) {
	h := newServer(t)
	pages := allPages(h)
	for name, test := range map[string]func(*testing.T, *server, map[string]string){
		"sets the security headers":     checkContentSecurityPolicy,
		"has a label for every field":   checkFieldLabels,
		"responds to HEAD as to GET":    checkHeadRequests,
		"is rendered in every language": checkLanguages,
		"is accessible and small":       checkAccessibilityAndWeight,
	} {
		t.Run(name, func(t *testing.T) { test(t, h, pages) })
	}
}

func checkContentSecurityPolicy(t *testing.T, h *server, pages map[string]string) {
	t.Helper()
	for name, path := range pages {
		a := h.get(path)
		policy := a.Header.Get("Content-Security-Policy")
		for _, part := range []string{
			"default-src 'none'", "style-src 'self'", "script-src 'self'", "img-src 'self'", "form-action 'self'",
			"base-uri 'none'",
		} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy %q lacks %s", name, policy, part)
			}
		}
		private := strings.HasPrefix(path, "/g/")
		if private != strings.HasSuffix(policy, "frame-ancestors 'none'") ||
			private == strings.HasSuffix(policy, "frame-ancestors *") {
			t.Errorf("%s: %s", name, policy)
		}
		if private &&
			(a.Header.Get("Cache-Control") != "no-store" ||
				!strings.Contains(a.Header.Get("X-Robots-Tag"), "noindex")) {
			t.Errorf("%s may be cached or indexed: %v", name, a.Header)
		}
		if name == "thanks" &&
			(a.Header.Get("Cache-Control") != "no-store" ||
				!strings.Contains(a.Header.Get("X-Robots-Tag"), "noindex")) {
			t.Errorf("%s may be cached or indexed: %v", name, a.Header)
		}
		for header, want := range map[string]string{
			"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
			"Content-Type": "text/html; charset=utf-8", "Vary": "Accept-Language, Cookie",
		} {
			if got := a.Header.Get(header); got != want {
				t.Errorf("%s: %s is %q", name, header, got)
			}
		}
		if strings.Contains(a.body, " style=") || strings.Contains(a.body, " onclick=") || len(a.all("style")) > 0 {
			t.Errorf("%s has a style or script that the policy forbids", name)
		}
		if root := a.all("html")[0]; attr(root, "lang") != "en" || attr(root, "dir") != "ltr" {
			t.Errorf("%s: got lang %q and dir %q", name, attr(root, "lang"), attr(root, "dir"))
		}
	}
}

func checkFieldLabels(t *testing.T, h *server, pages map[string]string) {
	t.Helper()
	for name, path := range pages {
		a := h.get(path)
		for _, tag := range []string{"input", "select", "textarea"} {
			for _, n := range a.all(tag) {
				if attr(n, "type") != "hidden" && len(a.all("label", "for", attr(n, "id"))) != 1 {
					t.Errorf("%s: the field %s has no label", name, attr(n, "name"))
				}
			}
		}
	}
	address := h.get(pages["choose"] + "/ship?country=US")
	for field, want := range map[string]string{
		"name": "name", "address1": "address-line1", "address2": "address-line2", "zipCode": "postal-code",
		"city": "address-level2", "state": "address-level1", "phone": "tel",
	} {
		if got := attr(address.all("input", "name", "recipient."+field)[0], "autocomplete"); got != want {
			t.Errorf("%s: got autocomplete %q, want %q", field, got, want)
		}
	}
}

func checkHeadRequests(t *testing.T, h *server, pages map[string]string) {
	t.Helper()
	server := httptest.NewServer(h.handler)
	t.Cleanup(server.Close)
	for _, path := range pages {
		get, head := must(http.Get(server.URL+path)), must(http.Head(server.URL+path))
		body := must(io.ReadAll(head.Body))
		if head.StatusCode != get.StatusCode || len(body) != 0 ||
			head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
			t.Errorf("%s: got status %d for GET, %d for HEAD with %d bytes", path, get.StatusCode,
				head.StatusCode, len(body))
		}
		_ = get.Body.Close()
	}
}

func checkLanguages(t *testing.T, h *server, pages map[string]string) {
	t.Helper()
	for name, path := range pages {
		want := http.StatusOK
		if name == "wrong" {
			want = http.StatusNotFound
		}
		for _, tag := range i18n.Tags() {
			a := h.get(path, "Cookie", "lang="+tag)
			if a.StatusCode != want ||
				attr(a.all("html")[0], "lang") != tag || strings.ContainsAny(a.shownText(), "{}") {
				t.Errorf("%s in %s: %d %s", name, tag, a.StatusCode, a.shownText())
			}
		}
	}
}

// checkAccessibilityAndWeight checks the accessibility, weight and layout shift of each page twice: on a phone, and
// in dark mode without scripts.
func checkAccessibilityAndWeight(t *testing.T, h *server, pages map[string]string) {
	t.Helper()
	server := httptest.NewServer(h.handler)
	t.Cleanup(server.Close)
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true, NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			v.IgnoreError("404")
			for _, name := range slices.Sorted(maps.Keys(pages)) {
				v.Visit(server.URL + pages[name])
				v.CheckAccessibility()
				v.CheckWeight()
				v.CheckLayoutShift()
				v.Screenshot(name)
			}
		})
	}
}

// TestLongWordsDoNotMakePagesWider opens every page with texts that contain a word that is much wider than a phone.
func TestLongWordsDoNotMakePagesWider(t *testing.T) {
	h := newServer(t)
	h.word = strings.Repeat("W", 60) + strings.Repeat("שלום", 10) + strings.Repeat("🧳", 10)
	pages := allPages(h)
	slots := adlerWithSlots()
	slots.PublicRegister, slots.PublicAreas = lost.Set(true), lost.Set([]string{"Lobby " + h.word[:50]})
	l := h.location(slots)
	i := h.find(l, "umbrella")
	pages["slots"] = h.link(h.item(l, umbrella())) + "/pickup"
	fields := report()
	for _, name := range []string{"description", "lostPlace", "proof", "owner.firstName", "owner.lastName"} {
		fields[name] += " " + h.word
	}
	pages["thanks for a long report"] = h.reported(l, fields)
	pages["long request"] = "/g/" + strings.TrimPrefix(pages["thanks for a long report"], "/l/"+l.Permalink+"/thanks/")
	conversation := h.item(l, umbrella())
	link := h.link(conversation)
	ask(h, conversation, "Is it yours? "+h.word)
	h.send(link+"/messages", map[string]string{"text": "Yes " + h.word}, nil)
	pages["long conversation"] = link
	h.clock.Advance(48 * time.Hour)
	pages["register"] = "/l/" + l.Permalink + "/found"
	pages["claim"] = pages["register"] + "?find=" + i.ID
	server := httptest.NewServer(h.handler)
	t.Cleanup(server.Close)
	v := browsertest.New(t, browsertest.Options{Phone: true})
	v.IgnoreError("404")
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		v.SetOptions(browsertest.Options{Phone: true})
		v.Visit(server.URL + pages[name])
		v.Screenshot(name)
		for _, o := range []browsertest.Options{{Phone: true}, {Narrow: true}} {
			v.SetOptions(o)
			if fault := v.Overflow(); fault != "" {
				t.Errorf("%s: %s is %s", o, name, fault)
			}
		}
	}
}
