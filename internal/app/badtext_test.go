package app_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/store/storetest"
)

// badTexts are not UTF-8, or contain NUL. PostgreSQL cannot store them.
var badTexts = []string{"%ff", "%00", "%ed%a0%80", "a%c3"}

func TestTextsThatAreNotUTF8AreRefused(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newConfig(t, setting))
		at := "/v1/locations/" + s.newLocation(`{"name": "Hotel Adler"}`)
		public := "/l/" + s.must(http.StatusOK, "GET", at, nil)["permalink"].(string)
		cookies := s.session("admin@example.com", adminPassword)
		want := func(status int, method, path, kind, body string, headers ...string) {
			t.Helper()
			r, err := http.NewRequest(method, s.url, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.URL.Opaque = path
			r.Header.Set("Cookie", cookies)
			r.Header.Set("svc-api-key", s.key)
			r.Header.Set("Content-Type", kind)
			for n := 0; n < len(headers); n += 2 {
				r.Header.Set(headers[n], headers[n+1])
			}
			a, err := send(s.unchecked, r)
			if err != nil || a.status != status {
				t.Errorf("%s %s: got %d, %v; want %d: %.200s", method, path, a.status, err, status, a.body)
			}
		}
		const form = "application/x-www-form-urlencoded"
		for _, bad := range badTexts {
			want(400, "GET", at+"/stays?date=2026-11-14&room="+bad, "", "")
			want(400, "GET", at+"/items?term="+bad, "", "")
			want(400, "GET", at+"/items?"+bad+"=1", "", "")
			want(404, "GET", at+"/items/item_"+bad, "", "")
			want(404, "PUT", at+"/items/item_"+bad, "application/json", `{"description":"Hat"}`)
			want(400, "GET", public+"?lang="+bad, "", "")
			want(400, "POST", public, form, "description="+bad)
			want(400, "GET", "/search?q="+bad, "", "")
			want(404, "GET", "/at/"+bad+"/items", "", "")
			want(400, "POST", "/login", form, "email="+bad+"&password=x")
			want(400, "POST", strings.Replace(at, "/v1/locations", "/at", 1)+"/views", form, "name="+bad)
			plain, _ := url.PathUnescape(bad)
			body, kind := formWithFile(t, "file", plain+".csv", "description\nHat\n")
			want(400, "POST", strings.Replace(at, "/v1/locations", "/at", 1)+"/import", kind, body)
		}
		agent := "Browser \xff"
		login := url.Values{"email": {"admin@example.com"}, "password": {adminPassword}}
		want(303, "POST", "/login", form, login.Encode(), "User-Agent", agent)
	})
}

// formWithFile returns a form with a file, and its content type. The name of the file is not escaped.
func formWithFile(t *testing.T, field, name, content string) (body, kind string) {
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
