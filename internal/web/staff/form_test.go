package staff_test

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// formValues reads the fields of the last form of a page, as a browser would send them back untouched.
func formValues(t *testing.T, body string) url.Values {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var last url.Values
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == "form" {
			last = fieldsOf(n)
		}
	}
	if last == nil {
		t.Fatal("the page has no form")
	}
	return last
}

// formWith reads the fields of the form of a page that has one of a name.
func formWith(t *testing.T, body, name string) url.Values {
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
	t.Fatalf("the page has no form with %s", name)
	return nil
}

func fieldsOf(form *html.Node) url.Values {
	values := url.Values{}
	for n := range form.Descendants() {
		name := attribute(n, "name")
		switch {
		case n.Type != html.ElementNode || name == "":
		case n.Data == "textarea" && n.FirstChild != nil:
			values.Add(name, strings.TrimPrefix(n.FirstChild.Data, "\n"))
		case n.Data == "select":
			for o := range n.Descendants() {
				if o.Data == "option" && has(o, "selected") {
					values.Set(name, attribute(o, "value"))
				}
			}
		case n.Data == "input" && (attribute(n, "type") != "checkbox" && attribute(n, "type") != "radio" || has(n, "checked")):
			values.Add(name, attribute(n, "value"))
		}
	}
	return values
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
