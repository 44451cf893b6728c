package app_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"homeward/internal/store/storetest"
)

// badTexts are not UTF-8, or contain NUL. PostgreSQL cannot store them.
var badTexts = []string{"%ff", "%00", "%ed%a0%80", "a%c3"}

// badTextFixture is a service with one location, item and request, to which texts are sent that cannot be stored.
type badTextFixture struct {
	*service
	at      string // the path of the location in the API
	staff   string // and in the dashboard
	public  string // its public page
	cookies string // of an administrator
	item    string
}

const badForm = "application/x-www-form-urlencoded"

func newBadTextFixture(s *service) *badTextFixture {
	f := &badTextFixture{service: s}
	location := s.newLocation(`{"name": "Hotel Adler"}`)
	f.at, f.staff = "/v1/locations/"+location, "/at/"+location
	f.public = "/l/" + s.must(http.StatusOK, "GET", f.at, nil)["permalink"].(string)
	f.cookies = s.session("admin@example.com", adminPassword)
	f.item = s.newItem(location, `{"description": "Hat", "owner": {"email": "anna@example.com"}}`)
	return f
}

// want sends a request to a path that is not escaped again, and fails if the status differs.
func (f *badTextFixture) want(status int, method, path, kind, body string, headers ...string) {
	f.t.Helper()
	r, err := http.NewRequest(method, f.url, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	r.URL.Opaque = path
	r.Header.Set("Cookie", f.cookies)
	r.Header.Set("svc-api-key", f.key)
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	for n := 0; n < len(headers); n += 2 {
		r.Header.Set(headers[n], headers[n+1])
	}
	a, err := send(f.unchecked, r)
	if err != nil || a.status != status {
		f.t.Errorf("%s %s %q %q: got %d, %v; want %d: %.200s", method, path, body, headers, a.status, err, status,
			a.body)
	}
}

// eachBadText runs fn on both databases with each text that cannot be stored: escaped as in an address, and plain. Then
// it checks that nothing was stored.
func eachBadText(t *testing.T, fn func(f *badTextFixture, escaped, plain string)) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		f := newBadTextFixture(startService(t, newConfig(t, setting)))
		for _, bad := range badTexts {
			plain, err := url.PathUnescape(bad)
			if err != nil {
				t.Fatal(err)
			}
			fn(f, bad, plain)
		}
		for _, list := range []string{"/items", "/requests"} {
			if records, _ := f.listAll(f.at + list); list == "/items" && len(records) != 1 || len(records) > 1 {
				t.Errorf("%s: got %d records", list, len(records))
			}
		}
		db := storetest.Open(t, setting, storetest.Now)
		for line := range strings.Lines(storetest.Dump(t, db)) {
			// the dump has binary columns as numbers
			if strings.Contains(line, "\x00") || !utf8.ValidString(line) {
				t.Errorf("a text was stored that cannot be moved to PostgreSQL: %.200q", line)
			}
		}
	})
}

func TestTheAPIRefusesTextsThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	const object = "application/json"
	eachBadText(t, func(f *badTextFixture, bad, plain string) {
		f.want(400, "GET", f.at+"/stays?date=2026-11-14&room="+bad, "", "")
		f.want(400, "GET", f.at+"/items?term="+bad, "", "")
		f.want(400, "GET", f.at+"/items?"+bad+"=1", "", "")
		f.want(400, "GET", f.at+"/items?cursor="+bad, "", "")
		f.want(400, "GET", "/v1/events?cursor="+bad, "", "")
		f.want(404, "GET", f.at+"/items/item_"+bad, "", "")
		f.want(404, "GET", "/v1/locations/"+bad, "", "")
		f.want(404, "PUT", f.at+"/items/item_"+bad, object, `{"description":"Hat"}`)
		f.want(404, "DELETE", f.at+"/items/"+bad, "", "")
		f.want(400, "POST", f.at+"/items", object, `{"description":"`+plain+`"}`)
		f.want(400, "POST", f.at+"/items", object, `{"`+plain+`":"Hat"}`)
		f.want(400, "POST", f.at+"/items/"+f.item+"/owner-from-stay?lookup="+bad, object, `{}`)
		body, kind := formWithFile(f.t, "image", plain+".jpg", "not a picture")
		if strings.Contains(plain, "\x00") { // it is also not allowed in headers
			f.want(400, "POST", f.at+"/items/"+f.item+"/upload-image", kind, body)
			return
		}
		f.want(415, "POST", f.at+"/items/"+f.item+"/upload-image", kind, body) // its name is not read
		f.want(422, "POST", f.at+"/items", object, `{"description":"Hat"}`, "Idempotency-Key", plain)
		f.want(401, "GET", f.at, "", "", "svc-api-key", plain)
		f.want(200, "GET", f.at, "", "", "If-None-Match", `"`+plain+`"`, "Accept-Language", plain, "User-Agent", plain,
			"Traceparent", plain, "X-Request-Id", plain)
		f.want(412, "PUT", f.at, object, `{"name":"Hotel"}`, "If-Match", `"`+plain+`"`)
	})
}

func TestTheAPIRefusesEscapesOfCharactersThatCannotBeStored(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		f := newBadTextFixture(startService(t, newConfig(t, setting)))
		for _, escape := range []string{`\u0000`, `\ud800`, `\udc00\ud800`} {
			f.want(422, "POST", f.at+"/items", "application/json", `{"description":"`+escape+`"}`)
			f.want(422, "PUT", f.at+"/items/"+f.item, "application/json", `{"metadata":{"a":"`+escape+`"}}`)
		}
	})
}

func TestTheDashboardRefusesTextsThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	eachBadText(t, func(f *badTextFixture, bad, plain string) {
		f.want(400, "GET", "/search?q="+bad, "", "")
		f.want(400, "GET", f.staff+"/items?q="+bad, "", "")
		f.want(404, "GET", "/at/"+bad+"/items", "", "")
		f.want(404, "GET", f.staff+"/items/"+bad, "", "")
		f.want(400, "POST", "/login", badForm, "email="+bad+"&password=x")
		f.want(400, "POST", f.staff+"/views", badForm, "name="+bad)
		f.want(400, "POST", f.staff+"/items/bulk", badForm, "do=status&id="+bad)
		f.want(400, "POST", f.staff+"/items/bulk/status", badForm, "status=DONATE&sure=1&id="+f.item+"&seen="+bad)
		f.want(400, "POST", f.staff+"/items/bulk/place", badForm, "sure=1&place="+bad+"&id="+f.item)
		f.want(400, "POST", f.staff+"/items/"+f.item+"/status", badForm, "to=PICKUP&note="+bad)
		body, kind := formWithFile(f.t, "file", plain+".csv", "description\nHat\n")
		f.want(400, "POST", f.staff+"/import", kind, body)
		if strings.Contains(plain, "\x00") {
			return // no browser can send it in a header
		}
		// A cookie that is not text is as good as none.
		f.want(401, "GET", f.staff+"/items", "", "", "Cookie", "session="+plain)
		f.want(200, "GET", "/login", "", "", "Cookie", "session="+plain+"; browser="+plain+"; lang="+plain)
		login := url.Values{"email": {"admin@example.com"}, "password": {adminPassword}}
		f.want(303, "POST", "/login", badForm, login.Encode(), "User-Agent", "Browser "+plain,
			"Cookie", "browser="+plain)
	})
}

func TestGuestPagesRefuseTextsThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	eachBadText(t, func(f *badTextFixture, bad, plain string) {
		f.want(400, "GET", f.public+"?lang="+bad, "", "")
		f.want(400, "GET", f.public+"?find="+bad, "", "")
		f.want(400, "GET", f.public+"/found?category="+bad, "", "")
		f.want(404, "GET", "/l/"+bad, "", "")
		f.want(404, "GET", "/g/"+bad, "", "")
		f.want(400, "POST", f.public, badForm, "description="+bad)
		f.want(400, "POST", f.public, badForm, bad+"=Hat")
		f.want(400, "POST", f.public, badForm, "description=Hat&form="+bad)
		f.want(404, "POST", "/g/unknown/messages", badForm, "text="+bad)
		body, kind := formWithFile(f.t, "photo", plain+".jpg", "not a picture")
		unnamed := 422 // the name of a photo is not read, and the form is incomplete
		if strings.Contains(plain, "\x00") {
			unnamed = 400
		}
		f.want(unnamed, "POST", f.public, kind, body)
		body, kind = formWithFile(f.t, plain, "photo.jpg", "not a picture")
		f.want(400, "POST", f.public, kind, body)
	})
}

// formWithFile returns a form with a file, and its content type. The name of the file is not escaped.
func formWithFile(t testing.TB, field, name, content string) (body, kind string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="` + field + `"; filename="` + name + `"`},
		"Content-Type":        {"text/csv"},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write([]byte(content))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}
