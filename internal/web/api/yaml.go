package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// yamlOf converts a JSON document to YAML in block style. The members keep their order. Texts are quoted as in JSON,
// which YAML accepts.
func yamlOf(document []byte) ([]byte, error) {
	w := &yamlWriter{source: json.NewDecoder(bytes.NewReader(document))}
	w.source.UseNumber()
	if err := w.value(0, ""); err != nil {
		return nil, fmt.Errorf("convert JSON to YAML: %w", err)
	}
	return w.out.Bytes(), nil
}

type yamlWriter struct {
	source *json.Decoder
	out    bytes.Buffer
}

// value writes the next value after the text before. The elements of an object or a list are on the following lines,
// indented by depth levels.
func (w *yamlWriter) value(depth int, before string) error {
	token, err := w.source.Token()
	if err != nil {
		return err
	}
	bracket, nested := token.(json.Delim)
	if !nested {
		return w.line(before, token)
	}
	if !w.source.More() {
		empty := "{}\n"
		if bracket == '[' {
			empty = "[]\n"
		}
		w.out.WriteString(before + empty)
		return w.skip()
	}
	w.out.WriteString(strings.TrimSpace(before))
	if before != "" {
		w.out.WriteByte('\n')
	}
	for w.source.More() {
		w.out.WriteString(strings.Repeat("  ", depth))
		if bracket == '[' {
			err = w.value(depth+1, "- ")
		} else {
			err = w.member(depth)
		}
		if err != nil {
			return err
		}
	}
	return w.skip()
}

// member writes a member of an object.
func (w *yamlWriter) member(depth int) error {
	token, err := w.source.Token()
	if err != nil {
		return err
	}
	name := fmt.Sprint(token)
	if !plainName.MatchString(name) {
		quoted, err := json.Marshal(name)
		if err != nil {
			return err
		}
		name = string(quoted)
	}
	return w.value(depth+1, name+": ")
}

// line writes a text, a number, a boolean or null, and ends the line.
func (w *yamlWriter) line(before string, token json.Token) error {
	w.out.WriteString(before)
	text := json.NewEncoder(&w.out) // ends the line
	text.SetEscapeHTML(false)
	return text.Encode(token)
}

// skip reads a closing bracket.
func (w *yamlWriter) skip() error {
	_, err := w.source.Token()
	return err
}

// plainName matches names that need no quotes. Short ones are quoted, because YAML reads some of them, such as no, as
// values of other types.
var plainName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{5,}$`)
