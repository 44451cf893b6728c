package i18n_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"homeward/internal/i18n"
)

// areas are the areas of guests and desks, and those of the dashboard.
var areas = append([]string{"common", "guest", "public", "message", "paper", "error"}, staffAreas...)

// staffAreas are the areas of the dashboard. Their files are staff-<area>.json.
var staffAreas = []string{
	"frame", "signin", "today", "items", "finds", "requests", "storage", "bulk", "locations", "search", "settings",
	"users", "reports", "calendar", "notices", "stays", "assistant",
}

// fileOf returns the name of an area's file.
func fileOf(area string) string {
	if slices.Contains(staffAreas, area) {
		return "staff-" + area + ".json"
	}
	return area + ".json"
}

// TestEveryLanguageIsComplete reports missing and faulty translations, with language, area and key. To check one
// language, run go test -run IsComplete/pl.
func TestEveryLanguageIsComplete(t *testing.T) {
	english := catalog(t, "en")
	for _, tag := range i18n.Tags() {
		t.Run(tag, func(t *testing.T) {
			translated := catalog(t, tag)
			for _, key := range slices.Sorted(maps.Keys(english)) {
				if translation, has := translated[key]; !has {
					t.Errorf("%s %s %s: missing", tag, areaOf(key), key)
				} else {
					for _, fault := range faultsOf(tag, english[key], translation) {
						t.Errorf("%s %s %s: %s", tag, areaOf(key), key, fault)
					}
				}
			}
			for _, key := range slices.Sorted(maps.Keys(translated)) {
				if _, has := english[key]; !has {
					t.Errorf("%s %s %s: not in English", tag, areaOf(key), key)
				}
			}
		})
	}
}

func TestTheCatalogHasAFolderForEachLanguageAndAFileForEachArea(t *testing.T) {
	var tags []string
	for _, folder := range list(t, "catalog") {
		tags = append(tags, folder)
		for _, file := range list(t, filepath.Join("catalog", folder)) {
			if !slices.ContainsFunc(areas, func(area string) bool { return fileOf(area) == file }) {
				t.Errorf("%s/%s is not an area; the areas are %s", folder, file, strings.Join(areas, ", "))
			}
		}
	}
	if want := slices.Sorted(slices.Values(i18n.Tags())); !slices.Equal(tags, want) {
		t.Errorf("there are folders for %s, want %s", tags, want)
	}
}

func TestTheComparisonNoticesEveryFault(t *testing.T) {
	const plain, counted = `"Kept until {date}."`, `{"one": "{n} day at {place}", "other": "{n} days at {place}"}`
	for _, c := range []struct{ tag, english, translated, fault string }{
		{"de", plain, `"Bis {date} aufbewahrt."`, ""},
		{"de", `"Fish & chips, “quoted” 'and' \"so\""`, `"Fisch & Pommes, „zitiert“"`, ""},
		{"de", plain, `"Aufbewahrt."`, "{date} is missing"},
		{"de", plain, `"Bis {date} in {place}."`, "{place} is not in English"},
		{"de", plain, `"Bis {Date} {date}."`, "a brace"},
		{"de", plain, `"Bis {date"`, "a brace"},
		{"de", plain, `""`, "empty"},
		{"de", plain, `" Bis {date}"`, "a space"},
		{"de", plain, `"Bis {date}\u00a0"`, "a space"},
		{"de", plain, `"Bis <b>{date}</b>"`, "HTML"},
		{"de", plain, `"Bis&nbsp;{date}"`, "HTML"},
		{"de", plain, `"Bis&#160;{date}"`, "HTML"},
		{"de", plain, `"Bis\n{date}"`, "invisible"},
		{"de", plain, `"Bis\u200b{date}"`, "invisible"},
		{"de", plain, `"Bis\ufffd{date}"`, "invisible"},
		{"de", plain, `{"one": "{date}", "other": "{date}"}`, "has plural forms"},
		{"de", counted, `"{n} Tage in {place}"`, "has no plural forms"},
		{"de", `"{em}A{end} or {em}B{end}"`, `"{em}A{end} oder {em}B"`, "{end} occurs"},
		{"de", counted, `{"one": "ein Tag in {place}", "other": "{n} Tage in {place}"}`, ""},
		{"de", counted, `{"one": "{n} Tag", "other": "{n} Tage in {place}"}`, "{place} is missing"},
		{"de", counted, `{"other": "{n} Tage in {place}"}`, "one is missing"},
		{"de", counted, `{"one": "{n} {place}", "few": "{n} {place}", "other": "{n} {place}"}`, "few is not"},
		{"pl", counted, `{"one": "{n} {place}", "few": "{n} {place}", "many": "{n} {place}"}`, ""},
		{"pl", counted, `{"one": "{n} {place}", "other": "{n} {place}"}`, "few is missing"},
		{
			"pl", counted,
			`{"one": "{n} {place}", "few": "{n} {place}", "many": "{n} {place}", "other": "{n} {place}"}`,
			"other is not",
		},
		{"ja", counted, `{"other": "{place}に{n}日"}`, ""},
		{"ja", counted, `{"one": "{place}に{n}日", "other": "{place}に{n}日"}`, "one is not"},
		{
			"en", `{"one": "{n} day", "other": "{n} days at {place}"}`,
			`{"one": "{n} day", "other": "{n} days at {place}"}`, "{place} is missing",
		},
	} {
		english, translated := entryOf(t, c.english), entryOf(t, c.translated)
		found := strings.Join(faultsOf(c.tag, english, translated), "; ")
		if (c.fault == "") != (found == "") || !strings.Contains(found, c.fault) {
			t.Errorf("%s %s for %s: found %q, want %q", c.tag, c.translated, c.english, found, c.fault)
		}
	}
}

func TestTheReaderNoticesADuplicateKey(t *testing.T) {
	for text, fault := range map[string]string{
		`{"guest.a": "1", "guest.b": "2"}`:         "",
		`{"guest.a": "1", "guest.a": "2"}`:         "is a duplicate",
		`{"guest.a": {"one": "1", "one": "2"}}`:    "is a duplicate",
		`{"public.a": "1"}`:                        "does not begin",
		`{"guest.": "1"}`:                          "is not a key",
		`{"guest.a b": "1"}`:                       "is not a key",
		`{"guest.a": ["1"]}`:                       "neither",
		`{"guest.a": 1}`:                           "neither",
		`{"guest.a": {"one": null}}`:               "neither",
		`{"guest.a": "1"} {}`:                      "after",
		`[]`:                                       "neither",
		`{"guest.a": "1",}`:                        "invalid",
		`{"guest.a": {"one": "1", "other": "2"}} `: "",
	} {
		_, err := readArea("guest", []byte(text))
		if found := fmt.Sprint(err); (err == nil) != (fault == "") || !strings.Contains(found, fault) {
			t.Errorf("%s: %v, want %q", text, err, fault)
		}
	}
}

// entry holds the texts of a key by plural category. A text without plural forms has the category "".
type entry map[string]string

func (e entry) counts() bool { _, plain := e[""]; return !plain }

// names returns the names of the placeholders in a text.
func names(text string) []string {
	var all []string
	for _, found := range braces.FindAllStringSubmatch(text, -1) {
		all = append(all, found[1])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var (
	braces  = regexp.MustCompile(`\{([a-z][a-zA-Z]*)\}`)
	markup  = regexp.MustCompile(`[<>]|&#?\w+;`)
	keyForm = regexp.MustCompile(`^[a-z]+(\.[A-Za-z0-9_-]+)+$`)
)

// faultsOf returns what is wrong with a translated entry. English entries are compared with themselves.
func faultsOf(tag string, english, translated entry) []string {
	var faults []string
	switch {
	case english.counts() && !translated.counts():
		return []string{"it has no plural forms, but the English text does"}
	case !english.counts() && translated.counts():
		return []string{"it has plural forms, but the English text does not"}
	case translated.counts():
		faults = formFaults(categories(tag), slices.Sorted(maps.Keys(translated)))
	}
	var wanted []string
	for _, text := range english {
		wanted = append(wanted, names(text)...)
	}
	ends := 0
	for _, text := range english {
		ends = strings.Count(text, "{end}")
	}
	for _, form := range slices.Sorted(maps.Keys(translated)) {
		if strings.Count(translated[form], "{end}") != ends {
			faults = append(faults, "{end} occurs more or less often than in English")
		}
		for _, fault := range append(textFaults(translated[form]),
			nameFaults(wanted, names(translated[form]), translated.counts())...) {
			if form != "" {
				fault = form + ": " + fault
			}
			faults = append(faults, fault)
		}
	}
	return faults
}

func formFaults(want, have []string) []string {
	var faults []string
	for _, form := range want {
		if !slices.Contains(have, form) {
			faults = append(faults, "the form "+form+" is missing")
		}
	}
	for _, form := range have {
		if !slices.Contains(want, form) {
			faults = append(faults, "the form "+form+" is not used for whole numbers in this language")
		}
	}
	return faults
}

// nameFaults compares placeholders. A plural form may omit the number, as in "one day".
func nameFaults(want, have []string, counts bool) []string {
	var faults []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(want))) {
		if !slices.Contains(have, name) && !(counts && name == "n") {
			faults = append(faults, "{"+name+"} is missing")
		}
	}
	for _, name := range have {
		if !slices.Contains(want, name) && !(counts && name == "n") {
			faults = append(faults, "{"+name+"} is not in English")
		}
	}
	return faults
}

func textFaults(text string) []string {
	var faults []string
	if text == "" {
		faults = append(faults, "it is empty")
	}
	if strings.TrimSpace(text) != text {
		faults = append(faults, "it begins or ends with a space")
	}
	if markup.MatchString(text) {
		faults = append(faults, "it has HTML")
	}
	if strings.ContainsAny(braces.ReplaceAllString(text, ""), "{}") {
		faults = append(faults, "it has a brace that is not part of a placeholder")
	}
	if strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co) || r == unicode.ReplacementChar
	}) {
		faults = append(faults, "it has a control character or another invisible character")
	}
	return faults
}

// categories returns the plural categories that whole numbers have in a language.
func categories(tag string) []string {
	called := map[plural.Form]string{
		plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many",
		plural.Other: "other",
	}
	var all []string
	for n := range 1000 {
		all = append(all, called[plural.Cardinal.MatchPlural(language.MustParse(tag), n, 0, 0, 0, 0)])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// catalog reads all existing areas of a language.
func catalog(t *testing.T, tag string) map[string]entry {
	t.Helper()
	all := map[string]entry{}
	for _, area := range areas {
		text, err := os.ReadFile(filepath.Join("catalog", tag, fileOf(area)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		entries, err := readArea(area, text)
		if err != nil {
			t.Errorf("%s %s: %v", tag, area, err)
		}
		maps.Copy(all, entries)
	}
	return all
}

// readArea reads one catalog file. It is stricter than the service, which accepts duplicate keys and uses the last
// entry.
func readArea(area string, text []byte) (map[string]entry, error) {
	entries := map[string]entry{}
	d := json.NewDecoder(bytes.NewReader(text))
	err := readObject(d, func(key string) error {
		switch {
		case !keyForm.MatchString(key):
			return fmt.Errorf("%q is not a key", key)
		case areaOf(key) != area:
			return fmt.Errorf("%s does not begin with its area", key)
		}
		var err error
		entries[key], err = readEntry(d)
		return err
	})
	if err == nil && d.More() {
		err = errors.New("there is data after the texts")
	}
	return entries, err
}

func readEntry(d *json.Decoder) (entry, error) {
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return nil, err
	}
	forms := entry{}
	if raw[0] == '"' {
		text, err := readText(json.NewDecoder(bytes.NewReader(raw)))
		forms[""] = text
		return forms, err
	}
	inner := json.NewDecoder(bytes.NewReader(raw))
	err := readObject(inner, func(form string) error {
		var err error
		forms[form], err = readText(inner)
		return err
	})
	return forms, err
}

var errNeither = errors.New("an entry is neither a text nor texts by plural category")

func readText(d *json.Decoder) (string, error) {
	token, err := d.Token()
	if text, ok := token.(string); ok || err != nil {
		return text, err
	}
	return "", errNeither
}

// readObject decodes a JSON object. It calls read for each key, to decode the value.
func readObject(d *json.Decoder, read func(key string) error) error {
	if begin, err := d.Token(); err != nil {
		return err
	} else if begin != json.Delim('{') {
		return errNeither
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := readText(d)
		if err != nil {
			return err
		}
		if seen[key] {
			return fmt.Errorf("%s is a duplicate", key)
		}
		seen[key] = true
		if err := read(key); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	_, err := d.Token()
	return err
}

func entryOf(t *testing.T, text string) entry {
	t.Helper()
	e, err := readEntry(json.NewDecoder(strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func areaOf(key string) string {
	area, _, _ := strings.Cut(key, ".")
	return area
}

// list returns the sorted names of the entries in a folder.
func list(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}
