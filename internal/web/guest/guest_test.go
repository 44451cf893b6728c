package guest_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/guest"
	"homeward/internal/web/respond"
)

func TestAMissingPageIsExplained(t *testing.T) {
	h := newServer(t)
	l, _, link := h.guest()
	for path, says := range map[string]string{
		"/g/nobody": "This link does not work", "/g/nobody/pickup": "This link does not work",
		link + "/nowhere": "This link does not work", "/g": "Page not found", "/g/": "This link does not work",
		"/g//x": "This link does not work", "/g/../x": "This link does not work", "/l": "Page not found",
		"/l/": "Page not found", "/l/nowhere": "Page not found",
		"/l/" + l.Permalink + "/nowhere":       "Page not found",
		"/l/" + l.Permalink + "/thanks/nobody": "Page not found", "/l/nowhere/embed.js": "Page not found",
		"/assets/none.css": "Page not found", "/l/x//y": "Page not found",
	} {
		a := h.get(path)
		a.want(t, 404, says)
		if a.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %s", path, a.Header.Get("Content-Type"))
		}
	}
}

func TestALinkWithTrailingPunctuationWorks(t *testing.T) {
	h := newServer(t)
	_, _, link := h.guest()
	for _, mangled := range []string{link + ".", link + ")", strings.ToUpper(link[:3]) + strings.ToUpper(link[3:])} {
		mangled = "/g/" + mangled[3:]
		h.get(mangled).want(t, 200, "Hotel Adler has found something of yours")
	}
}

func TestOtherMethodsAreRefusedWithAPage(t *testing.T) {
	h := newServer(t)
	l, _, link := h.guest()
	for _, c := range []struct{ method, path, allow string }{
		{"POST", link, "GET, HEAD"}, {"DELETE", link, "GET, HEAD"}, {"PUT", link + "/pickup", "GET, HEAD, POST"},
		{"GET", link + "/renew", "POST"},
		{"POST", "/g/paid", "GET, HEAD"}, {"DELETE", "/g/unpaid", "GET, HEAD"},
		{"PUT", link + "/pay", "GET, HEAD, POST"}, {"PATCH", link + "/test-payment", "GET, HEAD, POST"},
		{"DELETE", "/l/" + l.Permalink, "GET, HEAD, POST"}, {"POST", "/l/" + l.Permalink + "/embed.js", "GET, HEAD"},
	} {
		a := h.do(httptest.NewRequest(c.method, c.path, nil))
		a.want(t, 405, "This action is not available here")
		if got := a.Header.Get("Allow"); got != c.allow {
			t.Errorf("%s %s: allows %q, want %q", c.method, c.path, got, c.allow)
		}
	}
}

func TestAFormOfAnotherSiteIsRefused(t *testing.T) {
	h := newServer(t)
	l, i, link := h.guest()
	for name, headers := range map[string][]string{
		"cross-site": {"Sec-Fetch-Site", "cross-site"}, "same-site": {"Sec-Fetch-Site", "same-site"},
		"by origin":         {"Origin", "https://evil.example"},
		"a sandboxed frame": {"Sec-Fetch-Site", "cross-site", "Origin", "null"},
	} {
		h.post(link+"/leave", form("seen", "PENDING"), headers...).want(t, 403, "This form was sent from another site")
		if a := h.send("/l/"+l.Permalink, h.withFormToken(l, report()), nil, headers...); a.StatusCode != 403 {
			t.Errorf("%s: got status %d for a report, want 403", name, a.StatusCode)
		}
	}
	if now := h.reload(i); now.Status != lost.Pending {
		t.Fatalf("the item is %s", now.Status)
	}
	// The service's own forms are accepted: with TLS, without TLS (where the origin is null because there is no
	// referrer), and behind a proxy that changes the host.
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "same-origin", "Origin", "null"}, {"Origin", "null"}, {"Origin", "http://example.com"},
		{"Origin", "https://homeward.example"}, {},
	} {
		h.post(link+"/leave", form("seen", "PENDING"), headers...).redirects(t, link)
	}
	a := h.send("/l/"+l.Permalink+"?embed=1", h.withFormToken(l, report()), nil, "Sec-Fetch-Site", "same-origin",
		"Origin", "null")
	if a.StatusCode != 303 || !strings.HasSuffix(a.Header.Get("Location"), "?embed=1") {
		t.Errorf("embedded form: got status %d, redirected to %s", a.StatusCode, a.Header.Get("Location"))
	}
}

func TestTheLogContainsNoToken(t *testing.T) {
	h := newServer(t)
	l, _, link := h.guest()
	token := strings.TrimPrefix(link, "/g/")
	h.carrier.err = errors.New("no carrier today")
	for _, path := range []string{
		link, link + "/pickup", link + "/ship", link + "/pay", link + "/test-payment", link + "/nowhere", link + "//x",
		link + ".", "/l/" + l.Permalink + "/thanks/" + token,
	} {
		h.get(path)
		h.post(path, form("seen", "x", "pickupDate", "yesterday"))
	}
	h.clock.Advance(lost.LinkLife)
	h.get(link)
	h.post(link+"/renew", nil)
	if log := h.log.String(); strings.Contains(log, token) || !strings.Contains(log, "/g/{token}") {
		t.Errorf("the log:\n%s", log)
	}
}

func TestAFaultIsAPageWithTheRequestID(t *testing.T) {
	h := newServer(t)
	_, link := h.toPay(lost.PayStripe)
	bill := h.get(link + "/pay").fields()
	h.provider.openErr = errors.New("secret cause")
	a := h.post(link+"/pay", bill, "X-Request-Id", "req-1")
	a.want(t, 500, "Something went wrong on our side", "req-1", "Marta Kahl")
	if strings.Contains(a.body, "secret cause") || !strings.Contains(h.log.String(), "secret cause") {
		t.Error("the page shows the cause")
	}
	h.provider.openErr = lost.E(lost.Unavailable, "Later.")
	a = h.post(link+"/pay", bill)
	a.want(t, 503, "We are busy right now", "Nothing was paid. Try again in a minute.")
	if a.Header.Get("Retry-After") == "" || len(a.all("a", "href", link)) != 1 {
		t.Errorf("the page has no link back: %v %s", a.Header, a.body)
	}
}

// This test's server has no services, so every page that uses one panics.
func TestAPanicIsAPageToo(t *testing.T) {
	pages := must(guest.New(guest.Options{
		Base: "https://homeward.example", FormKey: make([]byte, 32), Assets: must(respond.NewAssets()), Now: time.Now,
	}))
	w := httptest.NewRecorder()
	pages.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/l/x", nil))
	read(w.Result()).want(t, 500, "Something went wrong on our side")
}

func TestPagesUseTheReadersLanguage(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		p := adler()
		p.Language = lost.Set("fr")
		l := h.location(p)
		spanish := umbrella()
		spanish.Language = lost.Set("es-MX")
		known, unknown, public := h.link(h.item(l, spanish)), h.link(h.item(l, umbrella())), "/l/"+l.Permalink
		for _, c := range []struct{ path, accept, cookie, want string }{
			{known, "de", "", "es"}, {known, "de", "lang=nl", "nl"}, {known + "?lang=ja", "de", "lang=nl", "ja"},
			{known + "?lang=xx", "de", "", "es"},
			{unknown, "de-AT, en;q=0.5", "", "de"}, {unknown, "", "", "fr"}, {unknown, "sv", "", "fr"},
			{unknown, "de", "lang=klingon", "de"},
			{public, "pl", "", "pl"}, {public, "", "", "fr"}, {public + "?lang=it", "pl", "", "it"},
			{"/g/nobody", "pt-BR", "", "pt"}, {"/l/nowhere", "zh-TW", "", "zh"},
		} {
			a := h.get(c.path, "Accept-Language", c.accept, "Cookie", c.cookie)
			if got := attr(a.all("html")[0], "lang"); got != c.want {
				t.Errorf("%s, Accept-Language %q, cookie %q: got language %s, want %s", c.path, c.accept, c.cookie,
					got, c.want)
			}
		}
		a := h.get(known + "/ship?country=DE&lang=de")
		cookies := a.Cookies()
		if len(cookies) != 1 || cookies[0].Value != "de" || !cookies[0].HttpOnly ||
			cookies[0].SameSite != http.SameSiteLaxMode || !cookies[0].Secure {
			t.Errorf("cookies: %v", cookies)
		}
		if menu := a.all("a", "hreflang", "nl"); len(menu) != 1 || attr(menu[0], "href") != "?country=DE&lang=nl" {
			t.Errorf("language menu: got the links %v", menu)
		}
		if len(h.get(known).Cookies()) != 0 {
			t.Error("an unexpected cookie")
		}
	})
}

func TestTheLanguageMenuLinksToPages(t *testing.T) {
	h := newServer(t)
	l, _, link := h.guest()
	h.reported(l, report())
	request := h.link(h.requests(l)[0])
	for path, a := range map[string]response{
		link + "/pickup":     h.post(link+"/pickup", form("pickupDate", "")),
		request + "/details": h.send(request+"/details", map[string]string{"details": ""}, nil),
		link + "/renew":      h.post(link+"/renew", nil),
	} {
		base := must(url.Parse(path))
		to := base.ResolveReference(must(url.Parse(attr(a.all("a", "hreflang", "de")[0], "href"))))
		if got := h.get(to.String()); got.StatusCode != 200 || attr(got.all("html")[0], "lang") != "de" {
			t.Errorf("from %s to %s: %d", path, to, got.StatusCode)
		}
	}
}

func TestAssetsAreCachedForeverByTheirHash(t *testing.T) {
	h := newServer(t)
	page := h.get("/g/nobody")
	var paths []string
	for _, n := range page.all("link") {
		paths = append(paths, attr(n, "href"))
	}
	paths = append(paths, attr(page.all("script")[0], "src"))
	hashed := regexp.MustCompile(`^/assets/[a-z]+\.[0-9a-f]{12}\.(css|js|svg)$`)
	for _, path := range paths {
		a := h.get(path)
		if !hashed.MatchString(path) || a.StatusCode != 200 ||
			a.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			a.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", path, a.StatusCode, a.Header)
		}
		zipped := h.get(path, "Accept-Encoding", "gzip")
		if zipped.Header.Get("Content-Encoding") != "gzip" || zipped.ContentLength >= a.ContentLength ||
			zipped.Header.Get("Vary") == "" {
			t.Errorf("%s: got %d bytes without gzip and %d with gzip", path, a.ContentLength, zipped.ContentLength)
		}
	}
}

func TestAClientThatGuessesTokensIsThrottled(t *testing.T) {
	h := newServer(t)
	_, _, link := h.guest()
	const guesser, other = "203.0.113.7:1234", "203.0.113.8:1234"
	ask := func(path, remote string) int {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.RemoteAddr = remote
		return h.do(r).StatusCode
	}
	var statuses []int
	for range 61 {
		statuses = append(statuses, ask("/g/guess", guesser))
	}
	if slices.Index(statuses, 429) != 60 {
		t.Errorf("throttled after %d requests, want 60", slices.Index(statuses, 429))
	}
	if got := ask(link, guesser); got != 200 { // a guest may share an IP address with the client that guesses
		t.Errorf("got status %d for the correct link, want 200", got)
	}
	if got := ask(link, other); got != 200 {
		t.Errorf("got status %d for another client, want 200", got)
	}
	h.clock.Advance(time.Minute)
	if got := ask(link, guesser); got != 200 {
		t.Errorf("got status %d a minute later, want 200", got)
	}
}

// checkEscaped fails if a page contains an unescaped script from a field.
func checkEscaped(t *testing.T, pages []response) {
	t.Helper()
	for _, a := range pages {
		if strings.Contains(a.body, "<script>alert") || strings.Contains(a.body, `"><`+"script") ||
			strings.Contains(a.body, "'onmouseover='") {
			t.Errorf("%s: a script is not escaped:\n%s", a.title(), a.body)
		}
		if n := len(a.all("script")); n > 1 {
			t.Errorf("%s has %d scripts", a.title(), n)
		}
	}
}

func TestScriptsInEveryFieldAreShownAsText(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		const evil = `"><script>alert(1)</script>{{.}}`
		l := h.location(lost.LocationPatch{
			Name: lost.Set(evil), Description: lost.Set(evil), Address1: lost.Set(evil), Address2: lost.Set(evil),
			City: lost.Set(evil), State: lost.Set(evil), ZipCode: lost.Set(evil),
			Country: lost.Set("IE"), Shipping: lost.Set(lost.ShippingRulesPatch{Service: lost.Set(evil)}),
			Charity: lost.Set(evil),
			Contact: lost.Set(lost.ContactPatch{Name: lost.Set(evil), Phone: lost.Set("+49 30 901820")}),
		})
		i := h.item(l, lost.ItemPatch{
			Description: lost.Set(evil), DiscoveryPlace: lost.Set(evil), Brand: lost.Set(evil), Model: lost.Set(evil),
			Color:    lost.Set(evil),
			ImageURL: lost.Set("https://x.example/?'onmouseover='alert(1)"),
			Shipping: lost.Set(lost.ShippingPatch{Weight: lost.Set(1.0), WeightUnit: lost.Set("kg")}),
			Owner: lost.Set(lost.OwnerPatch{
				FirstName: lost.Set(evil), LastName: lost.Set(evil), Email: lost.Set("a@example.com"),
			}),
		})
		link, public := h.link(i), "/l/"+url.PathEscape(l.Permalink)
		fields := map[string]string{
			"description": evil, "lostPlace": evil, "proof": evil, "owner.firstName": evil, "owner.lastName": evil,
			"owner.email": "b@example.com",
		}
		pages := []response{
			h.get(link), h.get(link + "/pickup"), h.get(link + "/leave"), h.get(link + "/donate"),
			h.get(link + "/not-mine"), h.get(link + "/ship"), h.get(link + "/ship?country=US"),
			h.get(public), h.get(public + "?embed=1"), h.get(public + "/embed.js"),
			h.post(link+"/pickup", form("pickupDate", evil, "pickupTime", evil, "seen", evil)),
			h.post(link+"/ship",
				form("recipient.country", "US", "recipient.name", evil, "recipient.city", evil, "recipient.state", evil,
					"recipient.zipCode", evil, "recipient.phone", evil, "seen", evil)),
			h.send(public,
				map[string]string{
					"description": evil, "lostPlace": evil, "lostDate": evil, "proof": evil, "owner.email": evil,
					"owner.phone": evil, "stamp": evil,
				}, nil),
			h.get(link + "?lang=" + url.QueryEscape(evil)), h.get("/g/" + url.PathEscape(evil)),
			h.get("/l/" + url.PathEscape(evil)),
		}
		thanks := h.reported(l, fields)
		request := "/g/" + thanks[strings.LastIndexByte(thanks, '/')+1:]
		h.send(request+"/details", map[string]string{"details": evil}, nil).redirects(t, request+"?added=1")
		pages = append(pages, h.get(thanks), h.get(request))
		ship := form("recipient.country", "IE", "recipient.name", evil, "recipient.company", evil, "recipient.address1",
			evil, "recipient.address2", evil, "recipient.city", evil)
		h.post(link+"/ship", ship).redirects(t, link+"/pay")
		pages = append(pages, h.get(link+"/pay"), h.get(link))
		h.checkOut(link).redirects(t, link)
		pages = append(pages, h.get(link), h.post(link+"/pay", form("offer", evil, "seen", evil, "shipment", evil)),
			h.get("/g/paid", "Cookie", "back="+evil))
		h.move(i, lost.MovePatch{Status: lost.Set("SHIPPED"), TrackingNumber: lost.Set(evil)})
		pages = append(pages, h.get(link))
		checkEscaped(t, pages)
		if !strings.Contains(pages[0].shownText(), evil) {
			t.Error("the text is not shown")
		}
	})
}

func TestNewNeedsAKeyAndAnAddress(t *testing.T) {
	for _, o := range []guest.Options{{}, {Base: "https://homeward.example", FormKey: []byte("short")},
		{Base: "nonsense", FormKey: make([]byte, 32)}} {
		if _, err := guest.New(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}
