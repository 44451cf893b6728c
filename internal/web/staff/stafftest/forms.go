// Package stafftest contains helpers for tests of the dashboard. They create items, fill in and send forms, and check
// pages.
package stafftest

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"homeward/internal/testkit"
)

// UploadFile sends a file as the import form would.
func UploadFile(v *testkit.Visitor, at, name, text string) testkit.Response {
	return UploadForm(v, at, nil, name, text)
}

// UploadForm is like UploadFile, and also sends other fields of the form.
func UploadForm(v *testkit.Visitor, at string, fields url.Values, name, text string) testkit.Response {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for field := range fields {
		_ = w.WriteField(field, fields.Get(field))
	}
	part := testkit.Must(w.CreateFormFile("file", name))
	_, _ = part.Write([]byte(text))
	_ = w.Close()
	r := httptest.NewRequest(http.MethodPost, testkit.Base+at, &b)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return v.Do(r)
}

// ExpectPage fails the test unless a page has this status and contains all texts.
func ExpectPage(t *testing.T, a testkit.Response, code int, texts ...string) {
	t.Helper()
	if a.Code != code {
		t.Fatalf("got status %d, want %d: %s", a.Code, code, a.Body)
	}
	body := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(a.Body, " ")), " ")
	for _, text := range texts {
		if !strings.Contains(body, text) {
			t.Errorf("the page does not contain %q: %s", text, body)
		}
	}
}

// FileForm encodes a form with one file and returns its body and content type.
func FileForm(field string, content []byte) (body, kind string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	testkit.Must(testkit.Must(w.CreateFormFile(field, "file.png")).Write(content))
	testkit.Must(0, w.Close())
	return b.String(), w.FormDataContentType()
}

// FormValues returns the values that a browser would send if the user submitted the last form of the page's content
// unchanged.
func FormValues(t *testing.T, body string) url.Values {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var last url.Values
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == "dialog" && last != nil {
			break // the layout's
		}
		if n.Type == html.ElementNode && n.Data == "form" {
			last = fieldsOf(n)
		}
	}
	if last == nil {
		t.Fatal("the page has no form")
	}
	return last
}

// FormWith returns the values of the form that contains a field with this name. The test fails if there is none.
func FormWith(t *testing.T, body, name string) url.Values {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == "form" {
			if fields := fieldsOf(n); fields.Has(name) {
				return fields
			}
		}
	}
	t.Fatalf("the page has no form with the field %s", name)
	return nil
}

func fieldsOf(form *html.Node) url.Values {
	values := url.Values{}
	for n := range form.Descendants() {
		name := attribute(n, "name")
		switch {
		case n.Type != html.ElementNode || name == "" || inTemplate(n):
		case n.Data == "textarea" && n.FirstChild != nil:
			values.Add(name, strings.TrimPrefix(n.FirstChild.Data, "\n"))
		case n.Data == "select":
			for o := range n.Descendants() {
				if o.Data == "option" && has(o, "selected") {
					values.Add(name, attribute(o, "value"))
				}
			}
		case n.Data == "input" &&
			(attribute(n, "type") != "checkbox" && attribute(n, "type") != "radio" || has(n, "checked")):
			values.Add(name, attribute(n, "value"))
		}
	}
	return values
}

// inTemplate reports whether an element is only a model for a script.
func inTemplate(n *html.Node) bool {
	for a := range n.Ancestors() {
		if a.Data == "template" {
			return true
		}
	}
	return false
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}
