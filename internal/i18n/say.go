package i18n

import (
	"fmt"
	"reflect"
	"strings"

	"golang.org/x/text/feature/plural"
)

// Say gives the text under a key. args are names and values in turn, for its
// placeholders: strings stand there as they are, whole numbers in the language's
// manner, and what has a String method by that. A text that counts needs the whole number n.
//
// Say panics at a key that is in no catalog and at an argument that is missing or of
// another kind. Keys are constants of ours: that is a mistake in the program, and
// no test that comes by can overlook it. An argument that a text does not use does no harm.
func (l *Language) Say(key string, args ...any) string {
	m, known := l.messages[key]
	if !known {
		panic("words: no text has the key " + key)
	}
	var said strings.Builder
	for _, p := range l.form(key, m, args) {
		said.WriteString(p.literal)
		if p.name != "" {
			said.WriteString(l.value(key, p.name, args))
		}
	}
	return said.String()
}

// form chooses the text whose plural category n has.
func (l *Language) form(key string, m message, args []any) text {
	if !m.counts {
		return m.forms[plural.Other]
	}
	n, whole := wholeNumber(argument(key, "n", args))
	if !whole {
		panic("words: " + key + " counts, and its argument n is not a whole number")
	}
	t, has := m.forms[plural.Cardinal.MatchPlural(m.rules, int(max(n, -n)), 0, 0, 0, 0)]
	if !has {
		panic(fmt.Sprintf("words: %s has no form for %d in %s", key, n, m.rules))
	}
	return t
}

// value writes the argument of a name.
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
	panic(fmt.Sprintf("words: %s: the argument %s is a %T, neither words nor a whole number", key, name, v))
}

// argument finds the value that follows a name.
func argument(key, name string, args []any) any {
	if len(args)%2 != 0 {
		panic("words: " + key + ": the arguments are not names and values in turn")
	}
	for i := 0; i < len(args); i += 2 {
		if args[i] == name {
			return args[i+1]
		}
	}
	panic("words: " + key + ": the argument " + name + " is missing")
}

func wholeNumber(v any) (int64, bool) {
	if n := reflect.ValueOf(v); n.IsValid() && n.CanInt() {
		return n.Int(), true
	}
	return 0, false
}

// List joins what is listed: "a, b and c".
func (l *Language) List(items []string) string {
	if len(items) == 0 {
		return ""
	}
	said, last := items[0], len(items)-1
	for i, item := range items[1:] {
		joint := "common.list.comma"
		if i+1 == last {
			joint = "common.list.and"
		}
		said = l.Say(joint, "a", said, "b", item)
	}
	return said
}
