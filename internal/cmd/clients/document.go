package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// The parts of an OpenAPI document that the clients are generated from.
type (
	document struct {
		Info struct{ Title, Version, Description string }
		Tags []struct{ Name, Description string }

		Paths      ordered[ordered[operation]]
		Components struct {
			Schemas ordered[*schema]
		}
	}

	operation struct {
		ID          string `json:"operationId"`
		Tags        []string
		Summary     string
		Description string
		Deprecated  bool
		Parameters  []parameter
		RequestBody *struct {
			Content ordered[media]
		}
		Responses ordered[struct {
			Content ordered[media]
		}]
	}

	parameter struct {
		Name, In, Description string
		Required              bool
		Schema                *schema
		Example               any
	}

	media struct {
		Schema  *schema
		Example json.RawMessage
	}

	schema struct {
		Ref         string `json:"$ref"`
		Title       string
		Description string
		Format      string
		Type        types
		Enum        []any
		Open        []any    `json:"x-extensible-enum"`
		Maximum     *float64 `json:"maximum"`
		Properties  ordered[*schema]
		Required    []string
		Items       *schema
		AnyOf       []*schema
		OneOf       []*schema
		Examples    []any
		Additional  additional `json:"additionalProperties"`
	}

	// types is the keyword type: one name or a list of names.
	types []string

	// additional is the keyword additionalProperties: false, true or a schema.
	additional struct {
		forbidden bool
		values    *schema
	}
)

// readDocument parses an OpenAPI document.
func readDocument(text []byte) (*document, error) {
	doc := &document{}
	if err := json.Unmarshal(text, doc); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	return doc, nil
}

// refName returns the name of the component that a schema refers to, or "" if it is not a reference.
func (s *schema) refName() string {
	return strings.TrimPrefix(s.Ref, "#/components/schemas/")
}

// values returns the values of an enumeration, open or closed, without null.
func (s *schema) values() []string {
	var out []string
	for _, v := range append(s.Enum, s.Open...) {
		if text, is := v.(string); is {
			out = append(out, text)
		}
	}
	return out
}

func (t *types) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*t = types{one}
		return nil
	}
	var several []string
	err := json.Unmarshal(text, &several)
	*t = several
	return err
}

func (a *additional) UnmarshalJSON(text []byte) error {
	var allowed bool
	if json.Unmarshal(text, &allowed) == nil {
		a.forbidden = !allowed
		return nil
	}
	return json.Unmarshal(text, &a.values)
}

// ordered is a JSON object whose members keep the order of the document.
type ordered[T any] []named[T]

type named[T any] struct {
	name  string
	value T
}

func (o *ordered[T]) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil { // the opening brace
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		member := named[T]{name: fmt.Sprint(name)}
		if err := d.Decode(&member.value); err != nil {
			return err
		}
		*o = append(*o, member)
	}
	return nil
}

// get returns the member with the given name.
func (o ordered[T]) get(name string) (value T, ok bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return value, false
}
