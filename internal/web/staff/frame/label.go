package frame

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"homeward/internal/lost"
)

// fieldWord returns the label of a field for use within a sentence, in error messages and the history. Forms may use
// other labels. For a field without a label it returns the last part of the field's name.
func (l Locale) fieldWord(field string) string {
	if key := fieldPrefix + field; field != "" && l.Has(key) {
		return l.Say(key)
	}
	last := field[strings.LastIndexByte(field, '.')+1:]
	if at := strings.IndexByte(last, '['); at > 0 {
		last = last[:at]
	}
	if key := fieldPrefix + last; last != "" && l.Has(key) {
		return l.Say(key)
	}
	var b strings.Builder
	for _, r := range last {
		if unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// fieldPrefix begins the keys of the labels of fields.
const fieldPrefix = "frame.field."

// FieldLabel returns the label of a field, capitalised for the beginning of a line.
func (l Locale) FieldLabel(field string) string { return Capitalize(l.fieldWord(field)) }

// joinLabel joins a label and a text, as in "Name: is required".
func joinLabel(l Locale, label, text string) string {
	return l.Say("frame.labelled", "label", label, "text", text)
}

// Capitalize makes the first letter upper case.
func Capitalize(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// FieldErrorText returns the message of an invalid field for the user. In English it is the message for API clients in
// plain words. Other languages have a text for the message or, for most messages, one text for each code, which may
// contain the first two numbers of the message.
func (l Locale) FieldErrorText(e lost.FieldError) string {
	english := Sentence(e.Message)
	if l.isEnglish() {
		return english
	}
	if text, known := l.translateRefusal(english); known {
		return text
	}
	if key := "frame.invalid." + e.Code; l.Has(key) {
		limits := append(NumbersIn(e.Message), 0, 0)
		return l.Say(key, "n", limits[0], "m", limits[1], "fields", l.Enumerate(lost.TemplateFields()...))
	}
	return l.Say("frame.invalid.other")
}

// refusalPrefix begins the keys of the messages of use cases that have a text of their own in every language. Their
// English texts are the messages, with placeholders for what varies.
const refusalPrefix = "frame.refusal."

// refusal matches an English message of a use case.
type refusal struct {
	key     string
	pattern *regexp.Regexp
	names   []string // of the placeholders, in the order of the pattern's groups
}

// refusals returns all refusals, those with the longest patterns first, because they are the most specific.
var refusals = sync.OnceValue(func() (all []refusal) { //nolint:gochecknoglobals // made once, never changed
	english := English()
	for _, key := range english.Keys(refusalPrefix) {
		text := english.Source(key)[""]
		r := refusal{key: key}
		pattern := placeholder.ReplaceAllStringFunc(regexp.QuoteMeta(text), func(quoted string) string {
			r.names = append(r.names, strings.Trim(quoted, `\{}`))
			return "(.+)"
		})
		r.pattern = regexp.MustCompile("^" + pattern + "$")
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b refusal) int {
		return cmp.Or(len(b.pattern.String())-len(a.pattern.String()), strings.Compare(a.key, b.key))
	})
	return all
})

// placeholder matches a placeholder in a quoted pattern.
var placeholder = regexp.MustCompile(`\\\{\w+\\\}`)

// translateRefusal returns the text for an English message of a use case, if it has one of its own.
func (l Locale) translateRefusal(english string) (text string, known bool) {
	for _, r := range refusals() {
		found := r.pattern.FindStringSubmatch(english)
		if found == nil {
			continue
		}
		var values []any
		for n, name := range r.names {
			values = append(values, name, found[n+1])
		}
		return l.Say(r.key, values...), true
	}
	return "", false
}

var wholeNumbers = regexp.MustCompile(`\b\d{1,9}\b`)

// NumbersIn returns the whole numbers in a validation message, such as limits and lines of a file.
func NumbersIn(message string) (numbers []int) {
	for _, digits := range wholeNumbers.FindAllString(message, -1) {
		n, _ := strconv.Atoi(digits) // it has at most nine digits
		numbers = append(numbers, n)
	}
	return numbers
}

// plainMessages returns what turns English validation messages for API clients into messages for users: it replaces
// field names with labels and removes advice about JSON.
var plainMessages = sync.OnceValue(func() *strings.Replacer { //nolint:gochecknoglobals // made once, never changed
	return strings.NewReplacer(append([]string{
		"; send null to clear it", "",
		"cannot be cleared; send a value or leave the field out", "is required",
		"; send the day", "; choose the day",
	}, fieldPairs()...)...)
})

// fieldPairs returns the field names that are not plain words, each followed by its label. The longest names come
// first because they contain shorter ones.
func fieldPairs() (pairs []string) {
	english := English()
	names := slices.SortedFunc(slices.Values(english.Keys(fieldPrefix)), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	for _, key := range names {
		name := strings.TrimPrefix(key, fieldPrefix)
		if strings.ContainsFunc(name, func(r rune) bool { return r == '.' || unicode.IsUpper(r) }) {
			pairs = append(pairs, name, "“"+english.Say(key)+"”")
		}
	}
	return pairs
}

// Sentence turns an English validation message into a sentence.
func Sentence(message string) string {
	s := plainMessages().Replace(message)
	if rest, required := strings.CutPrefix(s, "is required"); required {
		s = "this field is required" + rest
	}
	s = Capitalize(s)
	if s != "" && !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// labelFields returns err with the messages that a page would show, for responses to scripts.
func labelFields(l Locale, err error) error {
	e, ok := errors.AsType[*lost.Error](err)
	if !ok {
		return err
	}
	labelled := *e
	labelled.Detail, labelled.Fields = l.ErrorText(err), slices.Clone(e.Fields)
	for n, f := range labelled.Fields {
		labelled.Fields[n].Message = l.FieldErrorText(f)
	}
	return &labelled
}
