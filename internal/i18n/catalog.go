package i18n

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"golang.org/x/text/feature/plural"
)

//go:embed catalog/*/*.json
var catalogs embed.FS

// message is the catalog entry of one key.
type message struct {
	plain text
	forms map[plural.Form]text // the form for each plural category, chosen by n; nil for a plain text
}

// text is a sequence of literals and placeholders.
type text []part

// part is a literal and the name of the argument after it, which is empty at the end of a text.
type part struct{ literal, name string }

var forms = map[string]plural.Form{
	"zero": plural.Zero, "one": plural.One, "two": plural.Two,
	"few": plural.Few, "many": plural.Many, "other": plural.Other,
}

// readCatalog reads the texts of one language. It panics if a file cannot be parsed: that is a bug, and every test
// finds it. Missing files are found by tests, too.
func readCatalog(tag string) map[string]message {
	all := map[string]message{}
	names, err := fs.Glob(catalogs, "catalog/"+tag+"/*.json")
	if err != nil {
		panic("i18n: " + err.Error())
	}
	for _, name := range names {
		if err := readArea(name, all); err != nil {
			panic(fmt.Sprintf("i18n: %s: %v", name, err))
		}
	}
	return all
}

func readArea(name string, into map[string]message) error {
	raw, err := catalogs.ReadFile(name)
	if err != nil {
		return err
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return err
	}
	for key, entry := range entries {
		m, err := parseMessage(entry)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		into[key] = m
	}
	return nil
}

func parseMessage(entry json.RawMessage) (message, error) {
	var plain string
	if json.Unmarshal(entry, &plain) == nil {
		t, err := parseText(plain)
		return message{plain: t}, err
	}
	var counted map[string]string
	if err := json.Unmarshal(entry, &counted); err != nil {
		return message{}, err
	}
	m := message{forms: map[plural.Form]text{}}
	for category, s := range counted {
		form, known := forms[category]
		if !known {
			return message{}, fmt.Errorf("%q is not a plural category", category)
		}
		t, err := parseText(s)
		if err != nil {
			return message{}, err
		}
		m.forms[form] = t
	}
	return m, nil
}

var placeholder = regexp.MustCompile(`\{([a-z][a-zA-Z]*)\}`)

func parseText(s string) (text, error) {
	var t text
	end := 0
	for _, at := range placeholder.FindAllStringSubmatchIndex(s, -1) {
		t = append(t, part{literal: s[end:at[0]], name: s[at[2]:at[3]]})
		end = at[1]
	}
	if end < len(s) || t == nil {
		t = append(t, part{literal: s[end:]})
	}
	for _, p := range t {
		if strings.ContainsAny(p.literal, "{}") {
			return nil, fmt.Errorf("%q has a brace that is not part of a placeholder", s)
		}
	}
	return t, nil
}
