package store

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"homeward/internal/lost"
)

// removeAddress removes a person's address from a text. If the text is a JSON object or list, it decodes each string
// first, and its key tells whether it is prose.
func removeAddress(text string, p lost.Person, prose bool) string {
	trimmed := strings.TrimLeft(text, " \t\r\n")
	if (strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[")) && json.Valid([]byte(text)) {
		return replaceStrings(text, func(path []string, s string) string {
			return removeAddressFromText(s, p, isProsePath(path))
		})
	}
	return removeAddressFromText(text, p, prose)
}

func removeAddressFromText(text string, p lost.Person, prose bool) string {
	if prose {
		return lost.RemoveNames(text, p.Address())
	}
	return lost.RemoveNamesFromCode(text, p.Address())
}

// removeAddressFromQuery is like removeAddress, but for a URL query.
func removeAddressFromQuery(text string, p lost.Person) string {
	values, err := url.ParseQuery(text)
	if err != nil {
		return removeAddress(text, p, false)
	}
	changed := false
	for _, list := range values {
		for n := range list {
			without := removeAddressFromText(list[n], p, false)
			changed, list[n] = changed || without != list[n], without
		}
	}
	if !changed {
		return text
	}
	return values.Encode()
}

// isProsePath reports whether people write sentences into the string at a path of JSON keys: those of lost.ItemFields,
// with the names of the API or of Go, and the texts of messages and notes.
func isProsePath(path []string) bool {
	if len(path) == 0 || slices.ContainsFunc(path[:len(path)-1], func(key string) bool {
		return strings.EqualFold(key, "metadata")
	}) {
		return false
	}
	key := path[len(path)-1]
	if strings.EqualFold(key, "text") || strings.EqualFold(key, "note") {
		return true
	}
	fields := lost.ItemFields()
	return slices.ContainsFunc(fields, func(f lost.ItemField) bool {
		return f.IsProse() && strings.EqualFold(key, f.Name[strings.LastIndex(f.Name, ".")+1:])
	})
}

// replaceStrings replaces the strings in a valid JSON text, including the keys of objects, and leaves the rest of the
// text as it is. The path of a string is the keys of the objects around it; that of a key ends with an empty string.
func replaceStrings(text string, replace func(path []string, s string) string) string {
	w := &stringReplacer{text: text, decoder: json.NewDecoder(strings.NewReader(text)), replace: replace}
	w.decoder.UseNumber()
	w.value(nil)
	return w.out.String() + text[w.read:]
}

type stringReplacer struct {
	text    string
	decoder *json.Decoder
	read    int // length of the text that is in out, with its strings replaced
	out     strings.Builder
	replace func(path []string, s string) string
}

// value copies a value with all values inside.
func (w *stringReplacer) value(path []string) {
	switch w.token(path) {
	case json.Delim('{'):
		for w.decoder.More() {
			key, _ := w.token(append(path, "")).(string)
			w.value(append(path, key))
		}
		w.token(path)
	case json.Delim('['):
		for w.decoder.More() {
			w.value(path)
		}
		w.token(path)
	}
}

// token copies the next token and returns it as it was. It returns nil at the end.
func (w *stringReplacer) token(path []string) json.Token {
	token, err := w.decoder.Token()
	if err != nil {
		return nil
	}
	end := int(w.decoder.InputOffset())
	raw := strings.TrimLeft(w.text[w.read:end], " \t\r\n,:")
	w.out.WriteString(w.text[w.read : end-len(raw)])
	if s, is := token.(string); is {
		if replaced := w.replace(path, s); replaced != s {
			raw = toJSON(replaced)
		}
	}
	w.out.WriteString(raw)
	w.read = end
	return token
}
