package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// jsonNode is a JSON value that preserves the order of its fields.
type jsonNode struct {
	kind     byte     // '{', '[', '"' or 0 for other scalars
	text     string   // for a scalar, the string itself or the JSON source
	names    []string // for an object, the field names
	children []*jsonNode
}

func parseJSON(data []byte) (*jsonNode, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	t, err := readJSON(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is data after the value")
	}
	return t, nil
}

func readJSON(dec *json.Decoder) (*jsonNode, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Delim:
		t := &jsonNode{kind: byte(v)}
		for dec.More() {
			if t.kind == '{' {
				name, err := dec.Token()
				if err != nil {
					return nil, err
				}
				t.names = append(t.names, name.(string))
			}
			child, err := readJSON(dec)
			if err != nil {
				return nil, err
			}
			t.children = append(t.children, child)
		}
		_, err := dec.Token()
		return t, err
	case string:
		return &jsonNode{kind: '"', text: v}, nil
	case nil:
		return &jsonNode{text: "null"}, nil
	default:
		return &jsonNode{text: fmt.Sprint(v)}, nil
	}
}

// dropColors removes the colours of all images. They appear at any time after the upload.
func (t *jsonNode) dropColors() {
	for n, name := range t.names {
		if name == "images" {
			for _, image := range t.children[n].children {
				image.drop("colors")
			}
		}
	}
	for _, child := range t.children {
		child.dropColors()
	}
}

// drop removes a field of an object.
func (t *jsonNode) drop(name string) {
	if n := slices.Index(t.names, name); n >= 0 {
		t.names, t.children = slices.Delete(t.names, n, n+1), slices.Delete(t.children, n, n+1)
	}
}

func (t *jsonNode) field(name string) *jsonNode {
	if t == nil {
		return nil
	}
	for n, have := range t.names {
		if have == name {
			return t.children[n]
		}
	}
	return nil
}

func (t *jsonNode) element(n int) *jsonNode {
	if t == nil || t.kind != '[' || n >= len(t.children) {
		return nil
	}
	return t.children[n]
}

// differences describes each place where a value differs from the expected one.
func differences(path string, want, got *jsonNode, vars variables) (faults []string) {
	switch {
	case want.kind == '"' && got.kind != '{' && got.kind != '[':
		if got.kind == 0 && !pattern.MatchString(want.text) || !vars.match(want.text, got.text) {
			return []string{fmt.Sprintf("%s is %s, want %s", path, got.inline(nil, vars), want.inline(nil, vars))}
		}
	case want.kind != got.kind:
		return []string{fmt.Sprintf("%s is %s, want %s", path, got.inline(nil, vars), want.inline(nil, vars))}
	case want.kind == '{':
		for n, name := range want.names {
			if child := got.field(name); child == nil {
				faults = append(faults,
					fmt.Sprintf("%s.%s is missing, want %s", path, name, want.children[n].inline(nil, vars)))
			} else {
				faults = append(faults, differences(path+"."+name, want.children[n], child, vars)...)
			}
		}
		for n, name := range got.names {
			if want.field(name) == nil {
				faults = append(faults,
					fmt.Sprintf("%s.%s is %s, want none", path, name, got.children[n].inline(nil, vars)))
			}
		}
	case want.kind == '[':
		if len(want.children) != len(got.children) {
			return []string{fmt.Sprintf("%s has %d elements, want %d", path, len(got.children), len(want.children))}
		}
		for n := range want.children {
			faults = append(faults,
				differences(fmt.Sprintf("%s[%d]", path, n), want.children[n], got.children[n], vars)...)
		}
	case want.text != got.text:
		return []string{fmt.Sprintf("%s is %s, want %s", path, got.text, want.text)}
	}
	return faults
}

// render formats a response for a script. It keeps the parts of the previously expected response that still match.
func render(body []byte, former string, vars variables) string {
	t, err := parseJSON(body)
	if err != nil {
		return fmt.Sprintf("%.500q", body)
	}
	t.dropColors()
	old, _ := parseJSON([]byte(former))
	return t.block(old, vars, 0)
}

const maxWidth = 116

// inline formats a value on one line.
func (t *jsonNode) inline(old *jsonNode, vars variables) string {
	switch t.kind {
	case '{':
		parts := make([]string, len(t.children))
		for n, child := range t.children {
			parts[n] = quote(t.names[n]) + ": " + child.inline(old.field(t.names[n]), vars)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case '[':
		parts := make([]string, len(t.children))
		for n, child := range t.children {
			parts[n] = child.inline(old.element(n), vars)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case '"':
		if old != nil && old.kind == '"' && vars.match(old.text, t.text) {
			return quote(old.text)
		}
		return quote(vars.describe(t.text))
	default:
		if old != nil && old.kind == '"' && vars.match(old.text, t.text) {
			return quote(old.text)
		}
		return t.text
	}
}

// block formats a value on several lines: short fields side by side, long ones below each other.
func (t *jsonNode) block(old *jsonNode, vars variables, depth int) string {
	if line := t.inline(old, vars); t.kind != '{' && t.kind != '[' || len(t.children) == 0 ||
		len(line)+2*depth <= maxWidth && depth > 0 {
		return line
	}
	indent := strings.Repeat("  ", depth+1)
	var b strings.Builder
	column := 0
	for n, child := range t.children {
		var part string
		if t.kind == '{' {
			part = quote(t.names[n]) + ": " + child.block(old.field(t.names[n]), vars, depth+1)
		} else {
			part = child.block(old.element(n), vars, depth+1)
		}
		onOwnLine := len(child.children) > 0 && len(part) > maxWidth/2
		if n > 0 {
			b.WriteString(",")
		}
		if n == 0 || onOwnLine || column+len(part)+2 > maxWidth {
			b.WriteString("\n" + indent + part)
			column = len(indent) + len(part)
		} else {
			b.WriteString(" " + part)
			column += len(part) + 2
		}
		if onOwnLine {
			column = maxWidth
		}
	}
	end := map[byte]string{'{': "}", '[': "]"}[t.kind]
	return string(t.kind) + b.String() + "\n" + strings.Repeat("  ", depth) + end
}

// quote formats a string without escaping readable characters.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}
