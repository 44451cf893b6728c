package guest_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store/storetest"
)

func form(pairs ...string) url.Values {
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return values
}

// upload adds a photo to an item.
func (h *server) upload(i lost.Item, width, height int) {
	h.t.Helper()
	must(h.desk.Items.UploadImage(h.t.Context(), h.actor, i.LocationID, i.ID, reader(photo(width, height)),
		lost.IdempotencyKey{}))
}

// report returns a report with all fields.
func report() map[string]string {
	return map[string]string{
		"description": "A blue scarf", "lostPlace": "Room 12", "lostDate": "2026-11-13", "proof": "Initials A.B.",
		"owner.firstName": "Anna", "owner.lastName": "Berg", "owner.email": "anna@example.com",
		"owner.phone": "+49 30 901820",
	}
}

// withFormToken adds the token of a form that was opened long enough ago to be accepted.
func (h *server) withFormToken(l lost.Location, fields map[string]string) map[string]string {
	h.t.Helper()
	fields = maps.Clone(fields)
	fields["stamp"] = h.get("/l/" + l.Permalink).fields().Get("stamp")
	h.clock.Advance(10 * time.Second)
	return fields
}

// reported files a report and returns the path of the confirmation page.
func (h *server) reported(l lost.Location, fields map[string]string) string {
	h.t.Helper()
	a := h.send("/l/"+l.Permalink, h.withFormToken(l, fields), nil)
	if a.StatusCode != http.StatusSeeOther {
		h.t.Fatalf("got status %d, want 303: %s", a.StatusCode, a.shownText())
	}
	return a.Header.Get("Location")
}

func reader(b []byte) *bytes.Reader { return bytes.NewReader(b) }

// requests lists the requests at a location.
func (h *server) requests(l lost.Location) []lost.Item {
	h.t.Helper()
	return must(h.desk.Requests.List(h.t.Context(), h.actor, l.ID, lost.ItemFilter{Page: lost.FirstPage()})).Data
}

// values returns the fields of a form for sending it again.
func values(fields url.Values) map[string]string {
	sent := map[string]string{}
	for name := range fields {
		sent[name] = fields.Get(name)
	}
	return sent
}

func TestAReportIsFiledOnThePublicPage(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adler())
		page := "/l/" + l.Permalink
		h.get(page).want(t, 200, "Lost something at Hotel Adler?", "A house by the lake.", "Seestraße 1",
			"14467 Potsdam", "Marta Kahl", "+4933112345678", "desk@adler.example", "https://adler.example")
		if body := h.get(page).body; strings.Contains(body, "cellar") {
			t.Error("the page shows where things are stored")
		}
		a := h.send(page, h.withFormToken(l, report()), photo(40, 30), "Accept-Language", "de")
		filed := h.requests(l)
		if len(filed) != 1 {
			t.Fatalf("got %d requests, want 1; status %d: %s", len(filed), a.StatusCode, a.shownText())
		}
		i := filed[0]
		want := lost.Claim{
			State: lost.RequestPending, LostPlace: "Room 12", LostDate: "2026-11-13", Proof: "Initials A.B.",
		}
		owner := lost.Owner{FirstName: "Anna", LastName: "Berg", Email: "anna@example.com", Phone: "+4930901820"}
		if i.Description != "A blue scarf" || i.Claim != want || i.Owner != owner || i.Language != "de" ||
			len(i.Images) != 1 {
			t.Errorf("filed %+v", i)
		}
		link := h.link(i)
		a.redirects(t, page+"/thanks/"+strings.TrimPrefix(link, "/g/"))
		thanks := h.get(a.Header.Get("Location"), "Accept-Language", "en")
		thanks.want(t, 200, "Thank you", i.Reference, "anna@example.com", "What happens next")
		if follow := thanks.all("a", "href", link); len(follow) != 1 || attr(follow[0], "target") != "" {
			t.Errorf("links to the request: got %v", follow)
		}
	})
}

func TestAnInvalidReportIsShownAgainWithItsValues(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adler())
		fields := h.withFormToken(l, map[string]string{
			"description": "", "lostPlace": strings.Repeat("x", 501), "lostDate": "2027-01-01", "proof": "Initials",
			"owner.firstName": "An\x07na", "owner.email": "nonsense", "owner.phone": "030",
		})
		a := h.send("/l/"+l.Permalink, fields, photo(40, 30))
		if a.StatusCode != 422 {
			t.Errorf("got status %d, want 422", a.StatusCode)
		}
		for field, want := range map[string]string{
			"description": "Fill this in.", "lostPlace": "Use at most 500 characters.",
			"lostDate": "That date is in the future. Choose today or an earlier date.", "proof": "",
			"owner.firstName": "Remove line breaks and invisible characters.",
			"owner.email":     "Enter an e-mail address like anna@example.com.",
			"owner.phone":     "Enter a phone number with the country code, like +49 30 901820.",
			"photo":           "The photo was not saved. Choose it again.",
		} {
			if got := a.fieldError(field); got != want {
				t.Errorf("%s: %q, want %q", field, got, want)
			}
		}
		shown := a.fields()
		for field, value := range fields {
			if shown.Get(field) != value && field != "owner.firstName" { // HTML cannot contain a control character
				t.Errorf("%s is shown again as %q, want %q", field, shown.Get(field), value)
			}
		}
		none := h.send("/l/"+l.Permalink, h.withFormToken(l, map[string]string{"description": "A scarf"}), nil)
		if got := none.fieldError("owner.email"); none.StatusCode != 422 ||
			got != "Enter an e-mail address or a phone number so that we can contact you." {
			t.Errorf("form without a contact: got status %d, error %q", none.StatusCode, got)
		}
		if filed := h.requests(l); len(filed) != 0 {
			t.Errorf("%d requests were filed", len(filed))
		}
		maps.Copy(fields, map[string]string{
			"description": "A scarf", "lostPlace": "", "lostDate": "",
			"owner.firstName": "Anna", "owner.email": "anna@example.com", "owner.phone": "",
		})
		if a := h.send("/l/"+l.Permalink, fields, nil); a.StatusCode != 303 {
			t.Errorf("got status %d for the corrected form, want 303: %s", a.StatusCode, a.shownText())
		}
	})
}

// bomb returns a small PNG whose header declares too many pixels.
func bomb() []byte {
	head := []byte("IHDR\x00\x00\x27\x10\x00\x00\x27\x10\x08\x02\x00\x00\x00") // 10000 × 10000
	png := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	return binary.BigEndian.AppendUint32(png, crc32.ChecksumIEEE(head))
}

func TestAnInvalidPhotoKeepsTheText(t *testing.T) {
	h := newServer(t)
	l := h.location(adler())
	server := httptest.NewServer(h.handler)
	t.Cleanup(server.Close)
	for name, c := range map[string]struct {
		photo  []byte
		status int
		wrong  string
	}{
		"20 MB": {append(photo(40, 30), make([]byte, 20<<20)...), 413,
			"The photo is larger than 10 MB. Choose a smaller one, or send the form without it."},
		"not a photo": {[]byte("%PDF-1.7"), 415,
			"We cannot use that file. Choose a JPEG, PNG, WebP or GIF image."},
		"damaged": {photo(40, 30)[:200], 415,
			"We cannot use that file. Choose a JPEG, PNG, WebP or GIF image."},
		"too many pixels": {bomb(), 422, "The photo has more than 50 megapixels. Choose a smaller one."},
		"HTML as a photo": {[]byte("<html><script>alert(1)</script>"), 415,
			"We cannot use that file. Choose a JPEG, PNG, WebP or GIF image."},
		"an empty picture": {nil, 303, ""},
	} {
		r := multipartRequest(server.URL+"/l/"+l.Permalink, h.withFormToken(l, report()), c.photo)
		r.RequestURI = ""
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}
		a := read(must(client.Do(r)))
		if a.StatusCode != c.status || a.fieldError("photo") != c.wrong {
			t.Errorf("%s: %d %q", name, a.StatusCode, a.fieldError("photo"))
		}
		if shown := a.fields(); c.status != 303 &&
			(shown.Get("description") != "A blue scarf" || shown.Get("owner.email") != "anna@example.com") {
			t.Errorf("%s: the form is shown again with %v", name, shown)
		}
	}
	if filed := h.requests(l); len(filed) != 1 {
		t.Errorf("%d requests were filed, want the one without a photo", len(filed))
	}
}

// Only one photo is stored, so a form with two is shown again.
func TestAFormHasOnePhoto(t *testing.T) {
	h := newServer(t)
	l := h.location(adler())
	twice := func(path string, fields map[string]string) response {
		r := multipartRequest(path, fields, photo(20, 20))
		body := must(io.ReadAll(r.Body))
		_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		must(0, err)
		end := []byte("--" + params["boundary"] + "--")
		another := "--" + params["boundary"] + "\r\nContent-Disposition: form-data; name=\"photo\"; " +
			"filename=\"two.jpg\"\r\n\r\n" + string(photo(30, 20)) + "\r\n"
		r.Body = io.NopCloser(bytes.NewReader(bytes.Replace(body, end, append([]byte(another), end...), 1)))
		return h.do(r)
	}
	a := twice("/l/"+l.Permalink, h.withFormToken(l, report()))
	a.want(t, 422, "Choose only one photo.")
	if a.fields().Get("description") != "A blue scarf" || len(h.requests(l)) != 0 {
		t.Errorf("%d requests were filed, and the form is shown with %v", len(h.requests(l)), a.fields())
	}
	h.reported(l, report())
	claim := h.requests(l)[0]
	a = twice(h.link(claim)+"/details", map[string]string{"details": "It has a tear"})
	a.want(t, 422, "Choose only one photo.")
	if now := h.requests(l)[0]; len(now.Images) != 0 || now.Description != claim.Description {
		t.Errorf("the request was changed: %+v", now)
	}
}

func TestAFormIsAcceptedBetweenThreeSecondsAndADay(t *testing.T) {
	h := newServer(t)
	l, other := h.location(adler()), h.location(lost.LocationPatch{Name: lost.Set("Zoo")})
	page := "/l/" + l.Permalink
	stamp := func(of string) string { return h.get(of).fields().Get("stamp") }
	for _, c := range []struct {
		name   string
		stamp  func() string
		status int
	}{
		{"no stamp", func() string { return "" }, 422},
		{"nonsense", func() string { return "nonsense" }, 422},
		{"invented", func() string { return "1789000000.AAAAAAAAAA.c2lnbmF0dXJl" }, 422},
		{"of another location", func() string {
			s := stamp("/l/" + other.Permalink)
			h.clock.Advance(time.Minute)
			return s
		}, 422},
		{"with a forged time", func() string {
			s := stamp(page)
			h.clock.Advance(time.Minute)
			return "1" + s[1:len(s)-1] + "x"
		}, 422},
		{"too early", func() string { s := stamp(page); h.clock.Advance(2 * time.Second); return s }, 422},
		{"early enough", func() string { s := stamp(page); h.clock.Advance(3 * time.Second); return s }, 303},
		{"almost a day later", func() string { s := stamp(page); h.clock.Advance(23 * time.Hour); return s }, 303},
		{"too late", func() string { s := stamp(page); h.clock.Advance(25 * time.Hour); return s }, 422},
	} {
		h.clock.Advance(10 * time.Minute) // so that the rate limit allows reports again
		fields := report()
		fields["stamp"] = c.stamp()
		a := h.send(page, fields, nil)
		if a.StatusCode != c.status {
			t.Errorf("%s: %d %s", c.name, a.StatusCode, a.shownText())
		}
		if c.status == 303 {
			continue
		}
		a.want(t, 422, "Please send the form again. Everything you entered is still here.")
		again := values(a.fields())
		if again["description"] != "A blue scarf" {
			t.Errorf("%s: the description is not shown again", c.name)
		}
		h.clock.Advance(10 * time.Minute)
		if a := h.send(page, again, nil); a.StatusCode != 303 {
			t.Errorf("%s: got status %d for the form sent again, want 303", c.name, a.StatusCode)
		}
	}
}

func TestABotThatFillsInEverythingFilesNothing(t *testing.T) {
	h := newServer(t)
	l := h.location(adler())
	fields := h.withFormToken(l, report())
	fields["homepage"] = "https://pills.example"
	a := h.send("/l/"+l.Permalink, fields, nil)
	if a.StatusCode != 303 || len(h.requests(l)) != 0 {
		t.Fatalf("got status %d and %d requests, want 303 and none", a.StatusCode, len(h.requests(l)))
	}
	h.get(a.Header.Get("Location")).want(t, 200, "Thank you, we have your report")
	filed := h.reported(l, report())
	if len(filed) != len(a.Header.Get("Location")) {
		t.Errorf("a bot can distinguish %s from %s", a.Header.Get("Location"), filed)
	}
	trap := h.get("/l/"+l.Permalink).all("input", "name", "homepage")[0]
	if attr(trap, "tabindex") != "-1" || attr(trap, "autocomplete") != "off" ||
		attr(trap.Parent, "aria-hidden") != "true" {
		t.Error("people can see the honeypot")
	}
}

func TestReportsAreThrottledByClient(t *testing.T) {
	h := newServer(t)
	l := h.location(adler())
	send := func(remote string) response {
		r := multipartRequest("/l/"+l.Permalink, h.withFormToken(l, report()), nil)
		r.RemoteAddr = remote
		return h.do(r)
	}
	bad := report()
	delete(bad, "description")
	for range 20 { // invalid reports do not count against the limit
		h.send("/l/"+l.Permalink, h.withFormToken(l, bad), nil)
	}
	const network = "[2001:db8:1:2:aaaa::1]:1000"
	for n := range 5 {
		if a := send(network); a.StatusCode != 303 {
			t.Fatalf("report %d: %d %s", n, a.StatusCode, a.shownText())
		}
	}
	for name, c := range map[string]struct {
		remote string
		status int
	}{
		"the same IPv6 network":    {"[2001:db8:1:2:bbbb::2]:1000", 429},
		"another IPv6 network":     {"[2001:db8:1:3::1]:1000", 303},
		"an IPv4 address":          {"198.51.100.2:4711", 303},
		"the same, mapped to IPv6": {"[::ffff:198.51.100.2]:4711", 303}, // the second of five allowed reports
	} {
		a := send(c.remote)
		if a.StatusCode != c.status {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.shownText())
		}
		if c.status == 429 {
			a.want(t, 429, "Nothing was saved.", "minutes", "Marta Kahl")
			if a.fields().Get("description") == "" {
				t.Errorf("%s: the form is shown again without its values", name)
			}
			if seconds := must(strconv.Atoi(a.Header.Get("Retry-After"))); seconds < 1 || seconds > 600 {
				t.Errorf("%s: got Retry-After %d, want 1 to 600", name, seconds)
			}
		}
	}
	h.clock.Advance(10 * time.Minute)
	if a := send(network); a.StatusCode != 303 {
		t.Errorf("report ten minutes later: got status %d, want 303", a.StatusCode)
	}
	if a := send(network); a.StatusCode != 429 {
		t.Errorf("another report immediately after that: got status %d, want 429", a.StatusCode)
	}
}

func TestAFormSentTwiceIsFiledOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adler())
		fields := h.withFormToken(l, report())
		var sending sync.WaitGroup
		locations := make([]string, 4)
		for n := range locations {
			sending.Go(func() {
				w := httptest.NewRecorder()
				h.handler.ServeHTTP(w, multipartRequest("/l/"+l.Permalink, fields, photo(20, 20)))
				locations[n] = w.Result().Header.Get("Location")
			})
		}
		sending.Wait()
		if filed := h.requests(l); len(filed) != 1 || locations[0] == "" || len(slices.Compact(locations)) != 1 {
			t.Errorf("filed %d: %q", len(filed), locations)
		}
		h.send("/l/"+l.Permalink, fields, photo(20, 20)).redirects(t, locations[0]) // after going back
		fields = h.withFormToken(l, report())                                       // from a new page
		h.send("/l/"+l.Permalink, fields, nil)
		if filed := h.requests(l); len(filed) != 2 {
			t.Errorf("got %d requests, want 2", len(filed))
		}
	})
}

// A form that was already sent and is sent again with other content is another report. Nothing is filed before the
// visitor has confirmed that by sending it once more.
func TestAUsedFormWithOtherContentIsShownAgain(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adler())
		page := "/l/" + l.Permalink
		first := h.withFormToken(l, report())
		h.send(page, first, photo(20, 20))
		other := func(field, value string) map[string]string {
			fields := maps.Clone(first)
			fields[field] = value
			return fields
		}
		for name, c := range map[string]struct {
			fields map[string]string
			photo  []byte
		}{
			"another description": {other("description", "And a red hat"), photo(20, 20)},
			"another address":     {other("owner.email", "bob@example.com"), photo(20, 20)},
			"no description":      {other("description", ""), photo(20, 20)},
			"another photo":       {first, photo(30, 20)},
			"no photo":            {first, nil},
			"not a photo":         {first, []byte("text")},
			"too large a photo":   {first, make([]byte, desk.MaxImage+1)},
		} {
			a := h.send(page, c.fields, c.photo)
			a.want(t, http.StatusConflict, "You have already sent a report with this form.")
			if got := a.fields(); got.Get("description") != c.fields["description"] ||
				got.Get("stamp") == "" || got.Get("stamp") == first["stamp"] {
				t.Errorf("%s: the form is shown with %v", name, got)
			}
			if again := a.fieldError("photo"); (again != "") != (c.photo != nil) {
				t.Errorf("%s: the error of the photo is %q", name, again)
			}
		}
		h.wantDecoded(t, 1)
		if filed := h.requests(l); len(filed) != 1 || filed[0].Description != "A blue scarf" {
			t.Fatalf("filed %+v, want only the first report", filed)
		}
		second := values(h.send(page, other("description", "And a red hat"), nil).fields())
		h.clock.Advance(3 * time.Second)
		confirmation := h.send(page, second, nil)
		confirmation.want(t, http.StatusSeeOther)
		h.send(page, second, nil).redirects(t, confirmation.Header.Get("Location"))
		if filed := h.requests(l); len(filed) != 2 || filed[0].Description != "And a red hat" {
			t.Errorf("filed %+v, want the second report too", filed)
		}
	})
}

// A client that has sent too many reports gets the confirmation of a form that was filed, and a new token for one with
// other content.
func TestAUsedFormOfAThrottledClient(t *testing.T) {
	h := newServer(t)
	l := h.location(adler())
	page := "/l/" + l.Permalink
	first := h.withFormToken(l, report())
	confirmation := h.send(page, first, photo(20, 20)).Header.Get("Location")
	for range 4 {
		h.reported(l, report())
	}
	h.send(page, first, photo(20, 20)).redirects(t, confirmation)
	first["description"] = "And a red hat"
	a := h.send(page, first, photo(20, 20))
	a.want(t, http.StatusTooManyRequests)
	if stamp := a.fields().Get("stamp"); stamp == "" || stamp == first["stamp"] {
		t.Errorf("the form is shown with the token %q", stamp)
	}
	h.wantDecoded(t, 1)
	h.clock.Advance(10 * time.Minute)
	h.send(page, values(a.fields()), nil).want(t, http.StatusSeeOther)
}

func TestAMalformedFormIsRefused(t *testing.T) {
	h := newServer(t)
	l, _, link := h.guest()
	page := "/l/" + l.Permalink
	h.post(page, form("description", "x")).want(t, 400, "The form is incomplete")
	cut := multipartRequest(page, h.withFormToken(l, report()), photo(40, 30))
	body := must(io.ReadAll(cut.Body))
	cut.Body = io.NopCloser(bytes.NewReader(body[:len(body)-100]))
	a := h.do(cut)
	if a.StatusCode != 400 || a.fieldError("photo") != "The photo upload was interrupted. Choose the photo again." {
		t.Errorf("incomplete form: got status %d: %s", a.StatusCode, a.shownText())
	}
	long := h.withFormToken(l, report())
	long["other"] = strings.Repeat("x", 64<<10)
	h.send(page, long, nil).want(t, 413, "The form is too large")
	h.post(link+"/ship", form("recipient.name", strings.Repeat("x", 64<<10))).want(t, 413,
		"The form is too large")
	many := h.withFormToken(l, report())
	for n := range 60 {
		many["more"+strconv.Itoa(n)] = "x"
	}
	h.send(page, many, nil).want(t, 400)
	if filed := h.requests(l); len(filed) != 0 {
		t.Errorf("filed %d", len(filed))
	}
}

func TestADeletedLocationHasNoPage(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l, _, link := h.guest()
		fields := h.withFormToken(l, report())
		must(0, h.desk.Locations.Delete(t.Context(), h.actor, l.ID))
		h.get("/l/"+l.Permalink).want(t, 404, "Page not found")
		h.send("/l/"+l.Permalink, fields, nil).want(t, 404)
		h.get("/l/"+l.Permalink+"/embed.js").want(t, 404)
		h.get(link).want(t, 404, "This link does not work")
	})
}

func TestTheFormCanBeEmbedded(t *testing.T) {
	h := newServer(t)
	l := h.location(adler())
	page := "/l/" + l.Permalink
	script := h.get(page + "/embed.js")
	if script.StatusCode != 200 || script.Header.Get("Content-Type") != "text/javascript; charset=utf-8" ||
		!strings.Contains(script.body, `"Lost something at Hotel Adler?"`) ||
		!strings.Contains(script.body, "event.origin !== origin") {
		t.Errorf("%d %v %s", script.StatusCode, script.Header, script.body)
	}
	form := h.get(page + "?embed=1&lang=de")
	if got := attr(form.all("form")[0], "action"); got != page+"?embed=1&lang=de" {
		t.Errorf("the form is sent to %s", got)
	}
	if len(form.all("header")) != 0 || attr(form.all("html")[0], "class") != "embed" {
		t.Error("the page is not marked as embedded")
	}
	a := h.send(page+"?embed=1&lang=de", h.withFormToken(l, report()), nil)
	thanks := h.get(a.Header.Get("Location"))
	link := h.link(h.requests(l)[0])
	if follow := thanks.all("a", "href", link); thanks.StatusCode != 200 || len(follow) != 1 ||
		attr(follow[0], "target") != "_blank" || attr(follow[0], "rel") != "noopener" ||
		attr(thanks.all("html")[0], "lang") != "de" {
		t.Errorf("%d %s", thanks.StatusCode, thanks.body)
	}
	other := h.location(lost.LocationPatch{Name: lost.Set("Zoo")})
	h.get("/l/"+other.Permalink+"/thanks/"+strings.TrimPrefix(link, "/g/")).want(t, 404)
}

func TestAClaimantFollowsTheRequest(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adler())
		h.reported(l, report())
		i := h.requests(l)[0]
		link := h.link(i)
		h.get(link).want(t, 200, "Hotel Adler is looking for it", i.Reference, "A blue scarf", "Room 12",
			"Friday 13 November 2026", "Initials A.B.")
		h.get(link+"/pickup").redirects(t, link)

		h.send(link+"/details", map[string]string{"details": "It has a hole."}, photo(40, 30)).redirects(t,
			link+"?added=1")
		h.get(link+"?added=1").want(t, 200, "We have added this to your report.")
		if now := h.reload(i); !strings.Contains(now.Description, "It has a hole.") || len(now.Images) != 1 {
			t.Errorf("got description %q and %d photos", now.Description, len(now.Images))
		}
		h.send(link+"/details", map[string]string{}, photo(40, 30)).redirects(t, link+"?added=1")
		none := h.send(link+"/details", map[string]string{"details": " "}, nil)
		if none.StatusCode != 422 || none.fieldError("details") != "Fill this in." {
			t.Errorf("empty details: got status %d, error %q", none.StatusCode, none.fieldError("details"))
		}
		long := h.send(link+"/details", map[string]string{"details": strings.Repeat("x", 2001)}, photo(40, 30))
		if long.StatusCode != 422 || long.fieldError("details") != "Use at most 2,000 characters." ||
			long.fieldError("photo") == "" || len(long.fields().Get("details")) != 2001 {
			t.Errorf("long details: got status %d, errors %q %q", long.StatusCode, long.fieldError("details"),
				long.fieldError("photo"))
		}
		bad := h.send(link+"/details", map[string]string{"details": "Look"}, []byte("no photo"))
		if bad.StatusCode != 415 || bad.fieldError("photo") == "" || bad.fields().Get("details") != "Look" {
			t.Errorf("invalid photo: got status %d, error %q", bad.StatusCode, bad.fieldError("photo"))
		}

		h.post(link+"/found", nil).redirects(t, link)
		h.post(link+"/found", nil).redirects(t, link)
		a := h.get(link)
		a.want(t, 200, "You have it back")
		if len(a.all("form")) != 0 {
			t.Error("details can be added to a closed request")
		}
		h.send(link+"/details", map[string]string{"details": "More"}, nil).want(t, 409,
			"This was changed in the meantime", "You have it back")
		h.send(link+"/details", map[string]string{"details": "More"}, photo(40, 30)).want(t, 409, "You have it back")
		if now := h.reload(i); now.Claim.State != lost.RequestWithdrawn {
			t.Errorf("the request is %s", now.Claim.State)
		}
	})
}

func TestAClaimantSeesTheDecision(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adler())
		decide := func(i lost.Item, p lost.DecisionPatch) {
			must(h.desk.Requests.Decide(t.Context(), h.actor, l.ID, i.ID, p))
		}
		h.reported(l, report())
		no := h.requests(l)[0]
		decide(no, lost.DecisionPatch{Type: lost.Set("reject"), Reason: lost.Set("We searched the whole room.")})
		h.get(h.link(no)).want(t, 200, "Hotel Adler has not found it", "We searched the whole room.")

		h.reported(l, report())
		yes, found := h.requests(l)[0], h.item(l, lost.ItemPatch{Description: lost.Set("Scarf, blue")})
		link := h.link(yes)
		decide(yes, lost.DecisionPatch{Type: lost.Set("accept"), ItemID: lost.Set(found.ID)})
		a := h.get(link)
		a.want(t, 200, "Good news: Hotel Adler has found it",
			"We have sent you a message that explains how to get it back.")
		// Anybody's e-mail address can be entered in a report, so only the person who receives the e-mail may see the
		// item.
		if strings.Contains(a.body, h.link(found)) {
			t.Errorf("the page of the request links to the item: %s", a.body)
		}
		h.get(h.link(found)).want(t, 200, "Scarf, blue", "Pick it up")
	})
}

// readHook is an empty reader that calls a function when it is read.
type readHook func()

func (a readHook) Read([]byte) (int, error) {
	a()
	return 0, io.EOF
}

// A rejected report does not count against the client's rate limit, so the count is decreased again. If that fails, the
// client must still see what is wrong with the report.
func TestARefusedReportIsShownAgainIfTheRefundFails(t *testing.T) {
	h := open(t, storetest.Postgres(t)) // unlike SQLite, it can be closed twice
	l := h.location(adler())
	// The report has no form token, so it is rejected.
	r := multipartRequest("/l/"+l.Permalink, report(), bytes.Repeat([]byte("photo"), 100_000))
	whole := must(io.ReadAll(r.Body))
	// The database is closed while the body is being read, after the report was counted.
	r.Body = io.NopCloser(io.MultiReader(reader(whole[:len(whole)/2]), readHook(h.db.Close),
		reader(whole[len(whole)/2:])))
	h.do(r).want(t, http.StatusUnprocessableEntity, "send the form again")
	if !strings.Contains(h.log.String(), "notGivenBack") {
		t.Errorf("the failure to decrease the count was not logged: %s", h.log)
	}
}
