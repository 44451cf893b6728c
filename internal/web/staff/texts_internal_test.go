package staff

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// TestEveryTextIsInACatalog searches the templates and the code of the dashboard for texts that are not in a catalog of
// package i18n and would always be shown in English.
func TestEveryTextIsInACatalog(t *testing.T) {
	areas, err := filepath.Glob("*/templates")
	if err != nil {
		t.Fatal(err)
	}
	for _, templates := range areas {
		area := filepath.Dir(templates)
		var found []string
		for _, file := range glob(t, templates+"/*.html") {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, prefixed(file, textsInTemplate(string(text)))...)
		}
		for _, file := range glob(t, area+"/*.go") {
			if !strings.HasSuffix(file, "_test.go") {
				found = append(found, prefixed(file, textsInCode(t, file, nil))...)
			}
		}
		if len(found) > 0 {
			t.Errorf("move these texts to the catalog of %s:\n%s", area, strings.Join(found, "\n"))
		}
	}
}

func TestTheSearchFindsEveryText(t *testing.T) {
	for template, want := range map[string]string{
		`<p class="quiet">{{say "today.title"}} · 1, {{.Name}}</p>`: "",
		`<p>Open {{.Name}}</p>`:                                  "Open",
		`<p>{{if .A}}{{.B}}{{else}}none{{end}}</p>`:              "none",
		`<input placeholder="Search" name="term">`:               "Search",
		`<a title="{{say "frame.a"}}" aria-label='Next' alt="">`: "Next",
		`<td data-label="Last used">{{.}}</td>`:                  "Last used",
		`<p>Homeward &nbsp; <kbd>Enter</kbd> <kbd>/</kbd></p>`:   "",
		`{{/* A comment. */}}{{.Text}}`:                          "",
		`{{define "chart"}}<title>Chart of {{.}}</title>{{end}}`: "Chart of",
		`<script type="module">let text = 1</script>`:            "",
	} {
		if got := strings.Join(textsInTemplate(template), "|"); got != want {
			t.Errorf("%s: got %q, want %q", template, got, want)
		}
	}
	for code, want := range map[string]string{
		`c.NewPage("Items", "items.js")`:                      "Items",
		`c.NewPage(c.Say("items.title"))`:                     "",
		`c.Flash("It is kept " + name + ".")`:                 "It is kept ",
		`frame.Link{Href: "/", Name: "Back"}`:                 "Back",
		`frame.Input{Name: "email", Label: "E-mail address"}`: "E-mail address",
		`lost.E(lost.Conflict, "This is used.")`:              "",
		`fmt.Errorf("staff: no page %q is known", x)`:         "",
		`frame.State{"likely match", "done"}`:                 "likely match",
		`p.Add("hold", "required", "enter a reason")`:         "",
		`i18n.Element{Open: "<span class=\"state\">"}`:        "",
	} {
		found := textsInCode(t, "a.go", "package a\nfunc f() { g("+code+") }")
		if got := strings.Join(found, "|"); got != want {
			t.Errorf("%s: got %q, want %q", code, got, want)
		}
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func prefixed(file string, texts []string) (lines []string) {
	for _, text := range texts {
		lines = append(lines, file+": "+text)
	}
	return lines
}

var (
	actions = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	scripts = regexp.MustCompile(`(?s)<(script|style|svg)\b.*?</(script|style|svg)>`)
	shown   = regexp.MustCompile(`\b(?:title|aria-label|placeholder|alt|data-label|data-say-\w+)=` +
		`(?:"([^"]*)"|'([^']*)')`)
	tags      = regexp.MustCompile(`(?s)<[^>]*>`)
	attribute = regexp.MustCompile(`^"? ?([a-z-]+="[^"]*"?|required|autofocus|checked|selected|hidden)$`)
	entities  = regexp.MustCompile(`&#?\w+;`)
	// sameWords are the same in every language.
	sameWords = regexp.MustCompile(`\b(Homeward|Enter|CSV|JSON|PDF|URL|ID|API|webauthn|[a-z])\b`)
)

// textsInTemplate returns the texts outside the actions of a template. \x00 stands for an action.
func textsInTemplate(template string) (texts []string) {
	text := actions.ReplaceAllString(template, "\x00")
	if title := regexp.MustCompile(`(?s)<svg.*?<title>(.*?)</title>`); title.MatchString(text) {
		texts = appendTexts(texts, title.FindStringSubmatch(text)[1])
	}
	text = scripts.ReplaceAllString(text, "")
	for _, found := range shown.FindAllStringSubmatch(text, -1) {
		texts = appendTexts(texts, found[1]+found[2])
	}
	return appendTexts(texts, tags.ReplaceAllString(text, "\n"))
}

// appendTexts appends the parts of a text that have words.
func appendTexts(texts []string, text string) []string {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\x00' }) {
		words := sameWords.ReplaceAllString(entities.ReplaceAllString(part, ""), "")
		if strings.ContainsFunc(words, unicode.IsLetter) && !attribute.MatchString(part) {
			texts = append(texts, strings.TrimSpace(part))
		}
	}
	return texts
}

// notShown are functions whose arguments people do not see, or see only in English: see frame.Locale.ErrorText.
var notShown = []string{
	"E", "Add", "Errorf", "New", "panic", "Get", "Set", "Del", "Contains", "HasPrefix", "WriteBytes", "Parse",
	"Execute",
}

// notShownFields are fields of structs whose values people do not see.
var notShownFields = []string{"Key"}

// otherFiles have words that are not texts: product names, words in several languages that are searched for, parts of
// English messages for API clients, and functions for the areas in inEnglish.
var otherFiles = []string{"browser.go", "itemkind.go", "label.go", "english.go"}

// phrase matches texts of several words, and single words that begin with a capital letter.
var phrase = regexp.MustCompile(`\pL\pL[,.:;]? \pL|^\p{Lu}\p{Ll}+[.:?]?$`)

// textsInCode returns the literals in a Go file that look like texts for people.
func textsInCode(t *testing.T, name string, source any) (texts []string) {
	t.Helper()
	if slices.Contains(otherFiles, filepath.Base(name)) {
		return nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.CallExpr:
			return !slices.Contains(notShown, calledName(n))
		case *ast.KeyValueExpr:
			name, is := n.Key.(*ast.Ident)
			return !is || !slices.Contains(notShownFields, name.Name)
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				words := sameWords.ReplaceAllString(text, "")
				if phrase.MatchString(words) && !strings.HasPrefix(text, "<") { // HTML
					texts = append(texts, text)
				}
			}
		}
		return true
	})
	return texts
}

// calledName returns the name of a called function without its package or receiver.
func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}
