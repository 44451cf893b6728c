package i18n

import (
	"fmt"
	"html"
	"math"
	"reflect"
	"strconv"
	"strings"

	"golang.org/x/text/feature/plural"
)

// Say returns the text for a key. args holds pairs of names and values for its placeholders: strings are inserted
// unchanged, whole numbers are formatted for the language, and other values are formatted by their String method. A
// text with plural forms needs the argument n, a whole number.
//
// Say panics if the key is in no catalog, or if an argument is missing or has the wrong type. Keys are constants, so
// this is a bug that any test of the page finds. Arguments that the text does not use are ignored.
func (l *Language) Say(key string, args ...any) string {
	var b strings.Builder
	for _, p := range l.text(key, args) {
		b.WriteString(p.literal)
		if p.name != "" {
			b.WriteString(l.value(key, p.name, args))
		}
	}
	return b.String()
}

// text returns the text for a key, in the form for the plural category of the argument n.
func (l *Language) text(key string, args []any) text {
	m, from, known := l.message(key)
	if !known {
		panic("i18n: unknown key " + key)
	}
	if m.forms == nil {
		return m.plain
	}
	n, whole := wholeNumber(argument(key, "n", args))
	if !whole {
		panic("i18n: " + key + " has plural forms, and its argument n is not a whole number")
	}
	t, has := m.forms[plural.Cardinal.MatchPlural(from.rules, int(max(n, -n)), 0, 0, 0, 0)]
	if !has {
		panic(fmt.Sprintf("i18n: %s has no form for %d in %s", key, n, from.tag))
	}
	return t
}

// value formats the argument with the given name.
func (l *Language) value(key, name string, args []any) string {
	v := argument(key, name, args)
	if s, ok := v.(fmt.Stringer); ok {
		return s.String()
	}
	if n, ok := wholeNumber(v); ok {
		return l.numbers.whole(n)
	}
	if s := reflect.ValueOf(v); s.Kind() == reflect.String {
		return s.String()
	}
	panic(fmt.Sprintf("i18n: %s: the argument %s is a %T, neither a text nor a whole number", key, name, v))
}

// argument returns the value of the argument with the given name.
func argument(key, name string, args []any) any {
	if len(args)%2 != 0 {
		panic("i18n: " + key + ": the arguments are not pairs of names and values")
	}
	for i := 0; i < len(args); i += 2 {
		if args[i] == name {
			return args[i+1]
		}
	}
	panic("i18n: " + key + ": the argument " + name + " is missing")
}

// Number formats a whole number.
func (l *Language) Number(n int) string { return l.numbers.whole(int64(n)) }

// Decimal formats a number with this many decimal places, or as many as it needs if places is -1.
func (l *Language) Decimal(n float64, places int) string {
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(math.Abs(n), 'f', places, 64), ".")
	text := l.numbers.fraction(whole+fraction, len(fraction))
	if n < 0 {
		return "-" + text
	}
	return text
}

// DecimalMark returns what separates the whole part of a number from its fraction.
func (l *Language) DecimalMark() string { return l.numbers.decimal }

// Source returns the text for a key as it is in the catalog, for scripts, which replace its placeholders themselves. It
// has one text for each plural category; a text without plural forms has the category "".
func (l *Language) Source(key string) map[string]string {
	m, _, known := l.message(key)
	if !known {
		panic("i18n: unknown key " + key)
	}
	if m.forms == nil {
		return map[string]string{"": m.plain.source()}
	}
	all := map[string]string{}
	for category, form := range forms {
		if t, has := m.forms[form]; has {
			all[category] = t.source()
		}
	}
	return all
}

func (t text) source() string {
	var b strings.Builder
	for _, p := range t {
		b.WriteString(p.literal)
		if p.name != "" {
			b.WriteString("{" + p.name + "}")
		}
	}
	return b.String()
}

func wholeNumber(v any) (int64, bool) {
	if n := reflect.ValueOf(v); n.IsValid() && n.CanInt() {
		return n.Int(), true
	}
	return 0, false
}

// Element is an HTML element that encloses part of a text. Rich inserts both halves unchanged.
type Element struct{ Open, Close string }

// ownElements are the elements that a text can use without an argument.
var ownElements = map[string]Element{
	"em": {"<em>", "</em>"}, "strong": {"<strong>", "</strong>"}, "code": {"<code>", "</code>"},
	"unseen": {`<span class="unseen">`, "</span>"}, "mark": {`<span class="code">`, "</span>"},
}

// Rich returns the text for a key as HTML. It is like Say, but escapes the text and its arguments, and replaces
// arguments of the type Element and the names of ownElements by the beginning of an element and {end} by its end.
func (l *Language) Rich(key string, args ...any) string {
	var b strings.Builder
	var open []string // the ends of the elements that are open
	for _, p := range l.text(key, args) {
		b.WriteString(html.EscapeString(p.literal))
		element, is := ownElements[p.name]
		if !is && p.name != "" && p.name != "end" {
			if element, is = argument(key, p.name, args).(Element); !is {
				b.WriteString(html.EscapeString(l.value(key, p.name, args)))
			}
		}
		switch last := len(open) - 1; {
		case is:
			b.WriteString(element.Open)
			open = append(open, element.Close)
		case p.name == "end" && last >= 0:
			b.WriteString(open[last])
			open = open[:last]
		}
	}
	for last := len(open) - 1; last >= 0; last-- {
		b.WriteString(open[last])
	}
	return b.String()
}

// List joins items: "a, b and c".
func (l *Language) List(items []string) string {
	if len(items) == 0 {
		return ""
	}
	joined, last := items[0], len(items)-1
	for i, item := range items[1:] {
		joint := "common.list.comma"
		if i+1 == last {
			joint = "common.list.and"
		}
		joined = l.Say(joint, "a", joined, "b", item)
	}
	return joined
}
