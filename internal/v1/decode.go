package v1

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"homeward/internal/lost"
)

// decode reads a body, which must be one JSON object. It returns an error if the body is not valid JSON. Problems
// with single fields are collected in received, so that the client gets them together with the problems that the
// domain finds. Names must match exactly, whereas encoding/json would accept "BRAND" for brand. Duplicate names are
// rejected, because otherwise one of the values would be lost.
func decode(body []byte, received *lost.DecodeResult, read func(*object)) error {
	body = bytes.TrimPrefix(body, byteOrderMark)
	if !utf8.Valid(body) {
		return lost.E(lost.Unreadable, "The body is not UTF-8 text.")
	}
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return lost.E(lost.Unreadable, "The body must be a JSON object.")
	}
	if err := json.Unmarshal(body, new(unread)); err != nil {
		return lost.E(lost.Unreadable, "The body %s.", jsonFault(err)).WithCause(err)
	}
	o := newObject("", body, received)
	read(o)
	o.refuseRest()
	return nil
}

// byteOrderMark is what some programs write at the beginning of a text in UTF-8. It has no meaning.
var byteOrderMark = []byte("\ufeff")

// unread accepts any JSON and stores nothing. It is used to validate JSON with encoding/json.
type unread struct{}

func (*unread) UnmarshalJSON([]byte) error { return nil }

// DecodeEmpty reads a body, which must be an empty JSON object.
func DecodeEmpty(body []byte) (r lost.DecodeResult, err error) {
	err = decode(body, &r, func(*object) {})
	return r, err
}

// jsonFault returns an explanation of a JSON error for API clients, without terms that only Go programmers know.
func jsonFault(err error) string {
	switch text := err.Error(); {
	case strings.HasSuffix(text, "after top-level value"):
		return "must be a single JSON object"
	case strings.HasPrefix(text, "unexpected end"):
		return "is not valid JSON: it ends too early"
	default:
		return "is not valid JSON: " + strings.TrimPrefix(text, "json: ")
	}
}

// object is a JSON object that is read field by field. Fields that are never read are unknown and are rejected.
type object struct {
	path     string // prefix of the field names in problems, such as "contact."
	fields   map[string]json.RawMessage
	known    []string
	received *lost.DecodeResult
}

// newObject splits a JSON object into its fields. The text must be valid JSON.
func newObject(path string, text []byte, received *lost.DecodeResult) *object {
	o := &object{path: path, fields: map[string]json.RawMessage{}, received: received}
	twice := map[string]bool{}
	rest := afterSpace(text)[1:] // skip the opening brace
	for {
		if rest = afterSpace(rest); rest[0] == ',' {
			rest = afterSpace(rest[1:])
		}
		if rest[0] == '}' {
			return o
		}
		end := valueEnd(rest)
		name, _ := plainText(rest[:end])
		rest = afterSpace(afterSpace(rest[end:])[1:]) // skip the colon
		end = valueEnd(rest)
		if _, again := o.fields[name]; again && !twice[name] {
			twice[name] = true
			o.bad(name, "duplicate", "was sent twice; send it once")
		}
		o.fields[name], rest = rest[:end:end], rest[end:]
	}
}

func afterSpace(text []byte) []byte { return bytes.TrimLeft(text, " \t\r\n") }

// valueEnd returns the length of the value at the start of the text, which must be valid JSON.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i += stringEnd(text[i:]) - 1
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		case ',', ':', ' ', '\t', '\r', '\n':
			continue
		default: // a number, true, false or null
			i += bytes.IndexAny(text[i:], ",]} \t\r\n") - 1
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(text)
}

// stringEnd returns the length of the JSON string at the start of the text.
func stringEnd(text []byte) int {
	for i := 1; ; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

// maxNamed is the maximum number of characters of an unknown field name that a response repeats.
const maxNamed = 100

func (o *object) bad(name, code, message string) {
	o.received.Problems.Add(o.path+lost.Shorten(name, maxNamed), code, "%s", message)
}

// take returns the raw value of a field and marks it as known.
func (o *object) take(name string) (raw json.RawMessage, sent bool) {
	o.known = append(o.known, name)
	raw, sent = o.fields[name]
	delete(o.fields, name)
	return raw, sent
}

// refuseRest adds a problem for each field that was not read.
func (o *object) refuseRest() {
	rest := make([]string, 0, len(o.fields))
	for name := range o.fields {
		rest = append(rest, name)
	}
	slices.Sort(rest)
	for _, name := range rest {
		message := "is not a known field; leave it out"
		if i := slices.IndexFunc(o.known, func(k string) bool { return strings.EqualFold(k, name) }); i >= 0 {
			message = "is not a known field; did you mean " + o.known[i] + "?"
		}
		o.bad(name, "unknown-field", message)
	}
}

func isNull(raw json.RawMessage) bool { return string(raw) == "null" }

// scalar reads a field with parse. Null clears the field. If parse returns false, scalar adds a problem whose message
// is must.
func scalar[T any](o *object, name, must string, dst *lost.Field[T], parse func(json.RawMessage) (T, bool)) {
	raw, sent := o.take(name)
	if !sent {
		return
	}
	if isNull(raw) {
		*dst = lost.Clear[T]()
		return
	}
	v, ok := parse(raw)
	if !ok {
		o.bad(name, "wrong-type", must)
		return
	}
	*dst = lost.Set(v)
}

func (o *object) text(name string, dst *lost.Field[string]) {
	raw := o.fields[name]
	scalar(o, name, "must be a string", dst, plainText)
	if broken(raw, dst.Value) {
		o.bad(name, "invalid-text", "must be valid Unicode: it has an unpaired surrogate")
		dst.Drop()
	}
}

// readTexts reads the text fields of an object into a patch. The object's fields are those whose names start with
// prefix.
func readTexts[R, P any](o *object, prefix string, fields []lost.RecordField[R, P], patch *P) {
	for n := range fields {
		f := &fields[n]
		name, inside := strings.CutPrefix(f.Name, prefix)
		if inside && f.Patch != nil && !strings.Contains(name, ".") {
			o.text(name, f.Patch(patch))
		}
	}
}

// broken reports whether a string has an unpaired surrogate. encoding/json would replace it silently.
func broken(raw json.RawMessage, s string) bool {
	return strings.ContainsRune(s, utf8.RuneError) && !bytes.ContainsRune(raw, utf8.RuneError) &&
		!bytes.Contains(bytes.ToLower(raw), []byte(`\ufffd`))
}

func (o *object) flag(name string, dst *lost.Field[bool]) {
	scalar(o, name, "must be true or false", dst, plain[bool])
}

func (o *object) number(name string, dst *lost.Field[float64]) {
	scalar(o, name, "must be a number", dst, plain[float64])
}

// whole reads an integer, which may also be written as a decimal such as 30.0.
func (o *object) whole(name string, dst *lost.Field[int]) {
	scalar(o, name, mustBeWhole, dst, wholeNumber[int])
}

// amount reads an integer that may be large, such as an amount of money or a weight.
func (o *object) amount(name string, dst *lost.Field[int64]) {
	scalar(o, name, mustBeWhole, dst, wholeNumber[int64])
}

const mustBeWhole = "must be a whole number"

func wholeNumber[T int | int64](raw json.RawMessage) (T, bool) {
	f, ok := plain[float64](raw)
	return T(f), ok && isWhole(f)
}

func isWhole(f float64) bool { return f == math.Trunc(f) && math.Abs(f) < 1<<53 }

// wholes reads a list of integers.
func (o *object) wholes(name string, dst *lost.Field[[]int]) {
	scalar(o, name, "must be a list of whole numbers", dst, func(raw json.RawMessage) ([]int, bool) {
		list, ok := plain[[]float64](raw)
		out := make([]int, len(list))
		for i, f := range list {
			out[i] = int(f)
			ok = ok && isWhole(f)
		}
		return out, ok
	})
}

func (o *object) texts(name string, dst *lost.Field[[]string]) {
	scalar(o, name, "must be a list of strings", dst, plain[[]string])
}

// moment reads a time. An empty string clears the field, like null.
func (o *object) moment(name string, dst *lost.Field[time.Time]) {
	if s, ok := o.fields[name]; ok && string(s) == `""` {
		o.fields[name] = json.RawMessage("null")
	}
	scalar(o, name, "must be a time such as 2027-01-31T12:00:00Z", dst, func(raw json.RawMessage) (time.Time, bool) {
		s, ok := plainText(raw)
		t, err := time.Parse(time.RFC3339, s)
		t = t.UTC().Truncate(time.Millisecond)
		return t, ok && err == nil && t.Year() <= 9999
	})
}

// plainText decodes a string. It has a fast path for strings without escapes.
func plainText(raw json.RawMessage) (string, bool) {
	if raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), true
	}
	return plain[string](raw)
}

// plain decodes a value with encoding/json. It returns false if the value has the wrong type or is a list that
// contains null.
func plain[T any](raw json.RawMessage) (v T, ok bool) {
	err := json.Unmarshal(raw, &v)
	if err == nil && bytes.Contains(raw, []byte("null")) && raw[0] == '[' {
		var each []*string
		err = json.Unmarshal(raw, &each)
		return v, err == nil && !slices.Contains(each, nil)
	}
	return v, err == nil
}

// inner returns a nested object, or nil if the field was not sent, is null or is not an object. Null clears the
// field.
func inner[T any](o *object, name string, dst *lost.Field[T]) *object {
	raw, sent := o.take(name)
	switch {
	case !sent:
		return nil
	case isNull(raw):
		*dst = lost.Clear[T]()
		return nil
	case raw[0] != '{':
		o.bad(name, "wrong-type", "must be an object")
		return nil
	}
	dst.Sent = true
	return newObject(o.path+name+".", raw, o.received)
}

// nested reads a nested object with read, and rejects its unknown fields.
func nested[T any](o *object, name string, dst *lost.Field[T], read func(o *object, v *T)) {
	if in := inner(o, name, dst); in != nil {
		read(in, &dst.Value)
		in.refuseRest()
	}
}

// objects reads a list of objects. It reads at most one element more than the limit, which is enough for the domain
// to reject the list as too long. If there are problems, the list is not set.
func objects[T any](o *object, name string, most int, dst *lost.Field[[]T], read func(o *object, v *T)) {
	var list []json.RawMessage
	scalar(o, name, "must be a list of objects", dst, func(raw json.RawMessage) ([]T, bool) {
		err := json.Unmarshal(raw, &list)
		list = list[:min(len(list), most+1)]
		return make([]T, len(list)), err == nil
	})
	before := len(o.received.Problems)
	for n, raw := range list {
		at := name + "[" + strconv.Itoa(n) + "]"
		if raw[0] != '{' {
			o.bad(at, "wrong-type", "must be an object")
			continue
		}
		in := newObject(o.path+at+".", raw, o.received)
		read(in, &dst.Value[n])
		in.refuseRest()
	}
	if len(o.received.Problems) > before {
		dst.Drop()
	}
}

// needed reads a required integer. It adds a problem if the field is missing or null.
func (o *object) needed(name string, dst *int64) {
	if raw, sent := o.fields[name]; !sent || isNull(raw) {
		o.take(name)
		o.bad(name, "required", "is required")
		return
	}
	var f lost.Field[int64]
	o.amount(name, &f)
	*dst = f.Value
}

// textMap reads an object that may have any field names, and whose values are strings.
func (o *object) textMap(name string, dst *lost.Field[map[string]string]) {
	in := inner(o, name, dst)
	if in == nil {
		return
	}
	dst.Value = make(map[string]string, len(in.fields))
	for _, key := range slices.Sorted(maps.Keys(in.fields)) {
		value := in.fields[key]
		text, ok := plainText(value)
		if !ok || isNull(value) {
			in.bad(key, "wrong-type", "must be a string")
		}
		dst.Value[key] = text
	}
}

// metadata reads the client's own data, an object that may have any field names.
func (o *object) metadata(dst *lost.Field[lost.MetadataPatch]) {
	in := inner(o, "metadata", dst)
	if in == nil {
		return
	}
	dst.Value = make(lost.MetadataPatch, len(in.fields))
	for _, key := range slices.Sorted(maps.Keys(in.fields)) {
		var value lost.Field[string]
		in.text(key, &value)
		dst.Value[key] = value
	}
}

// owned reads read-only fields into Echo. Clients may send them back if they do not change them.
func (o *object) owned(names ...string) {
	for _, name := range names {
		raw, sent := o.take(name)
		if !sent {
			continue
		}
		if o.received.Echo == nil {
			o.received.Echo = map[string]any{}
		}
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			v = string(raw) // a number that is out of range; the API never returns such a value
		}
		o.received.Echo[o.path+name] = v
	}
}
