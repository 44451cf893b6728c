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

// searched lists the folders whose code and templates use texts. It includes this package, which uses the texts in
// the common area.
var searched = []string{".", filepath.Join("..", "message"), filepath.Join("..", "pdf"), filepath.Join("..", "web"),
	filepath.Join("..", "itemcsv")}

// builtAtRunTime lists prefixes of keys that are completed at run time, with what completes them. Every English text
// with such a prefix counts as used, so there should be few prefixes.
var builtAtRunTime = map[string]string{
	"assistant.color.":       "a colour that the photo assistant may name",
	"bulk.column.":           "a column of an exported file; one without a text has the label of its field",
	"bulk.invalid.":          "the code of a problem in an imported file, and the same with a field",
	"common.category.":       "a category of items",
	"common.country.":        "a country's code; a country without a text has its name from x/text",
	"common.currency.":       "a currency's code; a currency without a text is shown by its code",
	"common.month.":          "the number of the month",
	"common.month.short.":    "the number of the month",
	"common.weekday.":        "the number of the day, Monday first",
	"common.weekday.short.":  "the number of the day, Monday first",
	"reports.by-trait.":      "a trait of items; see lost.ReportTraits",
	"reports.trait.":         "a trait of items; see lost.ReportTraits",
	"frame.action.":          "an action in the history of an item",
	"frame.box.":             "a type of box",
	"frame.field.":           "the API name of a field",
	"frame.then.":            "what is due when the storage time has ended",
	"frame.invalid.":         "the code of a field error; a code without a text is shown as frame.invalid.other",
	"reports.figure.":        "a figure of a report",
	"frame.language.":        "the tag of a language of guests",
	"frame.message.":         "a kind of message",
	"frame.note.":            "a kind of note that the service writes",
	"frame.photo-color.":     "a colour that a photo shows",
	"frame.problem.":         "the code of an error",
	"frame.refusal.":         "its English text, which is the message of a use case",
	"frame.reason.":          "a reason of a match",
	"frame.role.":            "a role, and the same with .may for its permissions",
	"frame.step.":            "a next step of an item",
	"locations.type.":        "a type of location",
	"reports.month.":         "the number of the month",
	"settings.audit.action.": "an action in the audit log",
	"stays.list.refused.":    "the code of a problem in a guest list",
	"stays.problem.":         "why a hotel system could not be asked",
	"stays.reason.":          "why a guest comes into question",
	"stays.setting.":         "the name of a setting of a connection",
	"items.identity.who.":    "somebody who is informed about an identity paper",
	"paper.items.":           "a kind of paper",
	"paper.items.method.":    "a way to destroy items",
	"paper.items.outcome.":   "what happened to an item",
	"storage.handover.to.":   "a destination of items",
	"storage.papers.hint.":   "a kind of paper",
	"today.task.":            "a kind of task, and the same with .why for its explanation",
}

func TestUsedKeysAndEnglishKeysAreTheSame(t *testing.T) {
	english := catalog(t, "en")
	used := usedKeys(t)
	for _, key := range slices.Sorted(maps.Keys(used.keys)) {
		if _, has := english[key]; !has {
			t.Errorf("%s: %s is not in catalog/en/%s", used.keys[key], key, fileOf(areaOf(key)))
		}
	}
	for _, prefix := range slices.Sorted(maps.Keys(used.prefixes)) {
		if builtAtRunTime[prefix] == "" {
			t.Errorf("%s: keys are built from %q; write them out, or list the prefix in builtAtRunTime with the reason",
				used.prefixes[prefix], prefix)
		}
	}
	for prefix := range builtAtRunTime {
		if _, built := used.prefixes[prefix]; !built {
			t.Errorf("no key is built from %q; remove it from builtAtRunTime", prefix)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(english)) {
		if _, is := used.keys[key]; !is && !hasPrefix(key) {
			t.Errorf("en %s %s: unused", areaOf(key), key)
		}
	}
}

func TestTheSearchFindsEveryKey(t *testing.T) {
	for _, c := range []struct{ file, text, keys, prefixes string }{
		{"a.go", `package a; var x = l.Say("guest.choose.title", "n", 1)`, "guest.choose.title", ""},
		{"a.go", "package a; var x = l.Say(`error.not_found`)", "error.not_found", ""},
		{
			"a.go", "package a\n// \"guest.comment\" is only a comment\nvar x = \"guest.a\" + \"guest.b-2\"",
			"guest.a guest.b-2", "",
		},
		{"a.go", `package a; var x, y = "error." + code, fmt.Sprintf("guest.state.%s", s)`, "", "error. guest.state."},
		{
			"a.go",
			`package a; var x = "guest.html" + "message.txt" + "error.css" + "message.Send failed" + ` +
				`"guest" + "guests.all" + "myguest.x"`, "", "",
		},
		{"a.go", "package a; var x = `<p>{{.Say \"public.intro\"}}</p>`", "public.intro", ""},
		{
			"a.html", `<a title="{{.L.Say "guest.a.title"}}" class="guest.css">{{.L.Say "guest.b" "n" .N}}</a>`,
			"guest.a.title guest.b", "",
		},
		{
			"a.html",
			"{{.L.Say `guest.raw`}} guest.prose {{.L.Say (print \"error.\" .Code)}} {{printf \"guest.x.%d\" 1}}",
			"guest.raw", "error. guest.x.",
		},
	} {
		found := usages{keys: map[string]string{}, prefixes: map[string]string{}}
		found.search(c.file, []byte(c.text))
		keys := strings.Join(slices.Sorted(maps.Keys(found.keys)), " ")
		prefixes := strings.Join(slices.Sorted(maps.Keys(found.prefixes)), " ")
		if keys != c.keys || prefixes != c.prefixes {
			t.Errorf("%s: found keys %q and prefixes %q, want %q and %q", c.text, keys, prefixes, c.keys, c.prefixes)
		}
	}
}

func hasPrefix(key string) bool {
	for prefix := range builtAtRunTime {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// usages holds keys and key prefixes, each with a file that uses it.
type usages struct{ keys, prefixes map[string]string }

// usedKeys searches all code and templates except tests for keys.
func usedKeys(t *testing.T) usages {
	t.Helper()
	found := usages{keys: map[string]string{}, prefixes: map[string]string{}}
	for _, folder := range searched {
		err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && hasNoTexts(d.Name()):
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

// hasNoTexts reports whether a folder contains no texts that are shown to people.
func hasNoTexts(folder string) bool {
	return folder == "testdata" || folder == "catalog" || strings.HasSuffix(folder, "test")
}

// quoted matches a quoted key in a template, even inside other quotes.
var quoted = regexp.MustCompile("[\"`]((?:" + strings.Join(areas, "|") + ")\\.[\\w.%-]*)[\"`]")

func (f usages) search(name string, text []byte) {
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
			f.record(name, value)
			f.searchTemplate(name, []byte(value))
		}
	}
}

func (f usages) searchTemplate(name string, text []byte) {
	for _, found := range quoted.FindAllSubmatch(text, -1) {
		f.record(name, string(found[1]))
	}
}

// files lists file extensions. A string that ends with one of them is a file name, not a key.
var files = []string{".html", ".txt", ".css", ".js", ".json", ".tmpl", ".svg", ".png"}

// record records a string if it is a key or a key prefix.
func (f usages) record(name, value string) {
	prefix, _, formatted := strings.Cut(value, "%")
	switch {
	case !slices.Contains(areas, areaOf(value)) || slices.Contains(files, filepath.Ext(value)):
	case keyForm.MatchString(value):
		f.keys[value] = name
	case slices.Contains(staffAreas, areaOf(prefix)) && strings.Count(prefix, ".") < 2: // such as "All locations."
	case formatted, strings.HasSuffix(value, "."):
		if keyForm.MatchString(prefix + "x") {
			f.prefixes[prefix] = name
		}
	}
}
