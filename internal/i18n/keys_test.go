package i18n_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// speakers are the folders whose programs and templates say something. This package is among
// them, for what is common.
var speakers = []string{".", filepath.Join("..", "message"), filepath.Join("..", "pdf"), filepath.Join("..", "web")}

// builtAtRunTime are the beginnings of keys whose end only the running service
// knows, and why. Every English text with such a beginning counts as used: keep them few.
var builtAtRunTime = map[string]string{
	"common.month.":    "the number of the month",
	"common.weekday.":  "the number of the day, Monday first",
	"common.currency.": "a currency's code; one without a text goes by its code",
	"common.country.":  "a country's code; one without a text has its name from x/text",
}

func TestEveryKeyThatIsUsedIsInEnglishAndTheOtherWayRound(t *testing.T) {
	english := catalog(t, "en")
	used := usedKeys(t)
	for _, key := range slices.Sorted(maps.Keys(used.keys)) {
		if _, has := english[key]; !has {
			t.Errorf("%s: %s is not in catalog/en/%s.json", used.keys[key], key, areaOf(key))
		}
	}
	for _, beginning := range slices.Sorted(maps.Keys(used.beginnings)) {
		if builtAtRunTime[beginning] == "" {
			t.Errorf("%s: keys are built from %q: write them out, or list it in builtAtRunTime with the reason", used.beginnings[beginning], beginning)
		}
	}
	for beginning := range builtAtRunTime {
		if _, built := used.beginnings[beginning]; !built {
			t.Errorf("no key is built from %q any more: take it from builtAtRunTime", beginning)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(english)) {
		if _, is := used.keys[key]; !is && !hasBeginning(key) {
			t.Errorf("en %s %s: nobody says it", areaOf(key), key)
		}
	}
}

func TestTheSearchFindsEveryKey(t *testing.T) {
	for _, c := range []struct{ file, text, keys, beginnings string }{
		{"a.go", `package a; var x = l.Say("guest.choose.title", "n", 1)`, "guest.choose.title", ""},
		{"a.go", "package a; var x = l.Say(`error.not_found`)", "error.not_found", ""},
		{"a.go", "package a\n// \"guest.comment\" is only a comment\nvar x = \"guest.a\" + \"guest.b-2\"", "guest.a guest.b-2", ""},
		{"a.go", `package a; var x, y = "error." + code, fmt.Sprintf("guest.state.%s", s)`, "", "error. guest.state."},
		{"a.go", `package a; var x = "guest.html" + "message.txt" + "error.css" + "message.Send failed" + "guest" + "guests.all" + "myguest.x"`, "", ""},
		{"a.go", "package a; var x = `<p>{{.Say \"public.intro\"}}</p>`", "public.intro", ""},
		{"a.html", `<a title="{{.L.Say "guest.a.title"}}" class="guest.css">{{.L.Say "guest.b" "n" .N}}</a>`, "guest.a.title guest.b", ""},
		{"a.html", "{{.L.Say `guest.raw`}} guest.prose {{.L.Say (print \"error.\" .Code)}} {{printf \"guest.x.%d\" 1}}", "guest.raw", "error. guest.x."},
	} {
		found := finds{keys: map[string]string{}, beginnings: map[string]string{}}
		found.search(c.file, []byte(c.text))
		keys := strings.Join(slices.Sorted(maps.Keys(found.keys)), " ")
		beginnings := strings.Join(slices.Sorted(maps.Keys(found.beginnings)), " ")
		if keys != c.keys || beginnings != c.beginnings {
			t.Errorf("%s: found keys %q and beginnings %q, want %q and %q", c.text, keys, beginnings, c.keys, c.beginnings)
		}
	}
}

func hasBeginning(key string) bool {
	for beginning := range builtAtRunTime {
		if strings.HasPrefix(key, beginning) {
			return true
		}
	}
	return false
}

// finds holds keys, and beginnings of keys, each with a file that has it.
type finds struct{ keys, beginnings map[string]string }

// usedKeys searches every program and template of the speakers. Tests do not count: what only they say, nobody hears.
func usedKeys(t *testing.T) finds {
	t.Helper()
	found := finds{keys: map[string]string{}, beginnings: map[string]string{}}
	for _, folder := range speakers {
		err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && isAside(d.Name()):
				return fs.SkipDir
			case d.IsDir() || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			text, err := os.ReadFile(name)
			found.search(name, text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// isAside tells folders that say nothing to people.
func isAside(folder string) bool {
	return folder == "testdata" || folder == "catalog" || strings.HasSuffix(folder, "test")
}

// quoted finds a key in a template, where quotes may stand inside quotes.
var quoted = regexp.MustCompile("[\"`]((?:" + strings.Join(areas, "|") + ")\\.[\\w.%-]*)[\"`]")

func (f finds) search(name string, text []byte) {
	if filepath.Ext(name) != ".go" {
		f.searchTemplate(name, text)
		return
	}
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile(name, -1, len(text)), text, nil, 0)
	for {
		_, kind, literal := s.Scan()
		if kind == token.EOF {
			return
		}
		if kind != token.STRING {
			continue
		}
		if value, err := strconv.Unquote(literal); err == nil {
			f.take(name, value)
			f.searchTemplate(name, []byte(value))
		}
	}
}

func (f finds) searchTemplate(name string, text []byte) {
	for _, found := range quoted.FindAllSubmatch(text, -1) {
		f.take(name, string(found[1]))
	}
}

// files are endings that make a file's name of what looks like a key.
var files = []string{".html", ".txt", ".css", ".js", ".json", ".tmpl", ".svg", ".png"}

// take keeps a string if it is a key or the beginning of one.
func (f finds) take(name, value string) {
	beginning, _, formatted := strings.Cut(value, "%")
	switch {
	case !slices.Contains(areas, areaOf(value)) || slices.Contains(files, filepath.Ext(value)):
	case keyForm.MatchString(value):
		f.keys[value] = name
	case formatted, strings.HasSuffix(value, "."):
		if keyForm.MatchString(beginning + "x") {
			f.beginnings[beginning] = name
		}
	}
}
