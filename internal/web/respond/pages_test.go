package respond_test

import (
	"html/template"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"homeward/internal/web/respond"
)

func pageFiles(page string) fstest.MapFS {
	return fstest.MapFS{
		"templates/layout.html": {Data: []byte(`{{define "layout"}}{{block "head" .}}{{end}}` +
			`<h1>{{block "title" .}}Title{{end}}</h1>{{template "main" .}}{{end}}{{define "main"}}Main{{end}}`)},
		"templates/parts.html": {Data: []byte(`{{define "price"}}{{template "currency"}} {{upper .}}{{end}}` +
			`{{define "currency"}}EUR{{end}}` +
			`{{define "address"}}{{template "country"}}{{end}}{{define "country"}}DE{{end}}`)},
		"templates/page-pay.html": {Data: []byte(page)},
	}
}

func parsePage(page string) (*template.Template, error) {
	pages, err := respond.ParsePages(pageFiles(page), template.FuncMap{"upper": strings.ToUpper})
	return pages["pay"], err
}

func TestAPageUsesAndOverridesTheTemplatesOfTheLayout(t *testing.T) {
	const price = `{{with .}}{{range .}}{{else}}{{end}}{{template "price" "<x>"}}{{end}}`
	for _, c := range []struct{ page, want string }{
		{`{{define "main"}}{{if .}}` + price + `{{end}}{{end}}`, "<h1>Title</h1>EUR &lt;X&gt;"},
		{
			`{{define "title"}}Pay{{end}}{{define "currency"}}CHF{{end}}{{define "main"}}` + price + `{{end}}`,
			"<h1>Pay</h1>CHF &lt;X&gt;",
		},
		{
			`{{define "main"}}{{end}}{{define "title"}} {{end}}{{define "head"}}<!doctype html>{{end}}`,
			"<!doctype html><h1>Title</h1>Main",
		},
	} {
		parsed, err := parsePage(c.page)
		if err != nil {
			t.Errorf("%s: %v", c.page, err)
			continue
		}
		var out strings.Builder
		if err := parsed.ExecuteTemplate(&out, "layout", []string{"a"}); err != nil || out.String() != c.want {
			t.Errorf("%s: got %q, %v; want %q", c.page, out.String(), err, c.want)
		}
	}
}

func TestAPageContainsOnlyTheTemplatesItUses(t *testing.T) {
	parsed, err := parsePage(`{{define "main"}}{{template "price" "y"}}{{end}}`)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, one := range parsed.Templates() {
		names = append(names, one.Name())
	}
	slices.Sort(names)
	want := []string{"", "currency", "head", "layout", "main", "page-pay.html", "price", "title"}
	if !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

func TestAPageThatUsesAnUnknownTemplateIsRefused(t *testing.T) {
	_, err := parsePage(`{{define "main"}}{{template "prise" "y"}}{{end}}`)
	if err == nil || !strings.Contains(err.Error(), `"prise" is not defined`) {
		t.Errorf("got %v", err)
	}
}

func TestTheStyleSheetContainsNoText(t *testing.T) {
	css, err := os.ReadFile("assets/look.css")
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`"[^"]*\p{L}[^"]*"|text-transform`)
	for _, found := range regexp.MustCompile(`(?:\bcontent|text-transform):[^;}]*`).FindAllString(string(css), -1) {
		if text.MatchString(found) {
			t.Errorf("%s: texts belong to the catalogs, because every language has its own", found)
		}
	}
}
