package main

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var hump = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// wordsOf splits a name in any spelling (list-items, paper_size, imageUrl, INFO COMPLETED) into lower-case words.
func wordsOf(name string) []string {
	if name == "*" {
		return []string{"all"}
	}
	name = hump.ReplaceAllString(name, "$1 $2")
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i := range words {
		words[i] = strings.ToLower(words[i])
	}
	return words
}

// initialisms are written in capitals in Go.
var initialisms = []string{"api", "id", "ip", "sms", "url"}

// goName returns the exported Go name.
func goName(name string) string {
	var b strings.Builder
	for _, word := range wordsOf(name) {
		if slices.Contains(initialisms, word) {
			b.WriteString(strings.ToUpper(word))
		} else {
			b.WriteString(upperFirst(word))
		}
	}
	return b.String()
}

// goArgument returns the name of a Go parameter.
func goArgument(name string) string {
	exported, first := goName(name), wordsOf(name)[0]
	return first + exported[len(first):]
}

// pascal returns the name of a TypeScript constant, and camel of a method or an argument.
func pascal(name string) string {
	var b strings.Builder
	for _, word := range wordsOf(name) {
		b.WriteString(upperFirst(word))
	}
	return b.String()
}

func camel(name string) string {
	out := pascal(name)
	return strings.ToLower(out[:1]) + out[1:]
}

func upperFirst(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// allName returns the name of the iterator of a list operation: list-items becomes all-items, and list-all-items
// becomes all-items-of-all-locations.
func allName(id string) string {
	if rest, is := strings.CutPrefix(id, "list-all-"); is {
		return "all-" + rest + "-of-all-locations"
	}
	for _, verb := range []string{"list-", "get-"} {
		if rest, is := strings.CutPrefix(id, verb); is {
			return "all-" + rest
		}
	}
	return "all-" + id
}

// wrapped breaks a text into lines, each with a prefix.
func wrapped(text, prefix string, width int) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(prefix)+len(line)+1+len(word) > width {
			lines = append(lines, prefix+line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return strings.Join(append(lines, prefix+line), "\n")
}
