package main

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// model is what the templates of the clients need, in a form that suits both languages.
type model struct {
	Title   string
	Enums   []*enum
	Records []*record
	Calls   []*call
	Headers []parameter // the header parameters of all operations, without repeats

	doc *document
}

// enum is a text with known values. Later versions of the service may add values to responses.
type enum struct {
	Name   string
	Values []string
}

// record is a JSON object.
type record struct {
	Name     string
	Input    bool   // the client sends it, and the service refuses unknown fields
	Response bool   // the same record without the suffix exists as a response
	Base     string // another record whose fields this one has too; empty for none
	Fields   []field
}

type field struct {
	Name, Doc string
	Type      kind
	Required  bool
	Nullable  bool
}

// call is an operation.
type call struct {
	ID, Method, Path string
	Summary, Doc     string
	Deprecated       bool
	PathParameters   []pathParameter
	Query            []field
	Body             *kind  // nil without a JSON body
	Upload           string // the form part with the file; empty for none
	Response         *kind  // nil without a body
	Repeatable       bool   // accepts an Idempotency-Key
	Element          *kind  // the type of the elements, if the response is a list with pages
	ByCursor         bool   // the list accepts a cursor
	MaxLimit         int    // the largest accepted limit; 0 if the list has none
}

type pathParameter struct{ Name, Wire string }

// kind is the type of a value.
type kind struct {
	Base string // string, integer, number, boolean, time, any, record, enum, list or map
	Name string // of a record or an enum
	Of   *kind  // of the elements of a list or the values of a map
	Null bool   // the values of a map may be null
}

// newModel converts a document. It returns an error if the document contains something that no client can express.
func newModel(doc *document) (*model, error) {
	m := &model{Title: doc.Info.Title, doc: doc}
	m.findEnums()
	for _, s := range doc.Components.Schemas {
		r, err := m.record(s.name, s.value)
		if err != nil {
			return nil, fmt.Errorf("schema %s: %w", s.name, err)
		}
		m.Records = append(m.Records, r)
	}
	for _, p := range doc.Paths {
		for _, op := range p.value {
			c, err := m.call(strings.ToUpper(op.name), p.name, op.value)
			if err != nil {
				return nil, fmt.Errorf("operation %s: %w", op.value.ID, err)
			}
			m.Calls = append(m.Calls, c)
		}
	}
	return m, m.checkNames()
}

// checkNames returns an error if two types have the same name.
func (m *model) checkNames() error {
	used := map[string]bool{}
	for _, e := range m.Enums {
		used[e.Name] = true
	}
	for _, r := range m.Records {
		if used[r.Name] {
			return fmt.Errorf("two types have the name %s", r.Name)
		}
		used[r.Name] = true
	}
	return nil
}

// findEnums collects the enumerations of all schemas. Those with a title come first, because equal enumerations
// without one share its name.
func (m *model) findEnums() {
	for _, titled := range []bool{true, false} {
		for _, s := range m.doc.Components.Schemas {
			for _, p := range s.value.Properties {
				element := p.value
				if element.Items != nil {
					element = element.Items
				}
				if (element.Title != "") == titled {
					m.addEnum(element, s.name+upperFirst(p.name))
				}
			}
		}
	}
}

func (m *model) addEnum(s *schema, fallback string) {
	values := s.values()
	if len(values) == 0 {
		return
	}
	name := s.Title
	if name == "" {
		name = fallback
	}
	same := func(e *enum) bool { return e.Name == s.Title || s.Title == "" && slices.Equal(e.Values, values) }
	if i := slices.IndexFunc(m.Enums, same); i >= 0 {
		known := m.Enums[i]
		for _, v := range values { // an input may allow fewer values than a response contains
			if !slices.Contains(known.Values, v) {
				known.Values = append(known.Values, v)
			}
		}
		return
	}
	m.Enums = append(m.Enums, &enum{Name: name, Values: values})
}

// enumOf returns the name of the enumeration of a schema, or "" if the values of the schema have no name.
func (m *model) enumOf(s *schema) string {
	values := s.values()
	if len(values) == 0 {
		return ""
	}
	for _, e := range m.Enums {
		if e.Name == s.Title || s.Title == "" && slices.Equal(e.Values, values) {
			return e.Name
		}
	}
	return ""
}

func (m *model) record(name string, s *schema) (*record, error) {
	if alternatives := append(s.AnyOf, s.OneOf...); len(s.Properties) == 0 && len(alternatives) > 0 {
		return m.alternatives(name, alternatives)
	}
	r := &record{Name: name, Input: s.Additional.forbidden}
	for _, p := range s.Properties {
		k, nullable, err := m.kind(p.value)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", p.name, err)
		}
		r.Fields = append(r.Fields, field{
			Name: p.name, Doc: p.value.Description, Type: k,
			Required: slices.Contains(s.Required, p.name), Nullable: nullable,
		})
	}
	if base, is := strings.CutSuffix(name, "Patch"); is {
		_, r.Response = m.doc.Components.Schemas.get(base)
	}
	return r, nil
}

// alternatives returns a record that is one of several, such as an item or a deleted item. It has the fields of the
// first, and those that only the others have, which may be absent.
func (m *model) alternatives(name string, several []*schema) (*record, error) {
	r := &record{Name: name, Base: several[0].refName()}
	base, ok := m.doc.Components.Schemas.get(r.Base)
	if !ok {
		return nil, errors.New("an alternative is not a component")
	}
	for _, s := range several[1:] {
		component, _ := m.doc.Components.Schemas.get(s.refName())
		if component == nil {
			return nil, errors.New("an alternative is not a component")
		}
		other, err := m.record(s.refName(), component)
		if err != nil {
			return nil, err
		}
		for _, f := range other.Fields {
			if _, known := base.Properties.get(f.Name); !known {
				f.Required = false
				r.Fields = append(r.Fields, f)
			}
		}
	}
	return r, nil
}

// kind returns the type of a schema, and whether the value may be null.
func (m *model) kind(s *schema) (k kind, nullable bool, err error) {
	if s.Ref != "" {
		return kind{Base: "record", Name: s.refName()}, false, nil
	}
	if len(s.Type) == 0 && len(s.AnyOf)+len(s.OneOf) > 0 {
		return m.choice(append(s.AnyOf, s.OneOf...))
	}
	nullable = slices.Contains(s.Type, "null")
	if name := m.enumOf(s); name != "" {
		return kind{Base: "enum", Name: name}, nullable, nil
	}
	base := ""
	for _, t := range s.Type {
		if t != "null" {
			base = t
		}
	}
	switch base {
	case "string":
		if s.Format == "date-time" {
			base = "time"
		}
		return kind{Base: base}, nullable, nil
	case "integer", "number", "boolean":
		return kind{Base: base}, nullable, nil
	case "array":
		of, _, err := m.kind(s.Items)
		return kind{Base: "list", Of: &of}, nullable, err
	case "object":
		if s.Additional.values == nil {
			return kind{Base: "any"}, nullable, nil
		}
		of, null, err := m.kind(s.Additional.values)
		return kind{Base: "map", Of: &of, Null: null}, nullable, err
	default:
		return kind{Base: "any"}, nullable, nil
	}
}

// choice returns the type of a schema with alternatives. One alternative may be null. If there are several others, the
// value can be anything.
func (m *model) choice(alternatives []*schema) (k kind, nullable bool, err error) {
	rest := slices.DeleteFunc(slices.Clone(alternatives), func(s *schema) bool {
		return slices.Equal(s.Type, types{"null"})
	})
	nullable = len(rest) < len(alternatives)
	if len(rest) != 1 {
		return kind{Base: "any"}, nullable, nil
	}
	k, _, err = m.kind(rest[0])
	return k, nullable, err
}

func (m *model) call(method, path string, op operation) (*call, error) {
	c := &call{
		ID: op.ID, Method: method, Path: path, Summary: op.Summary, Doc: op.Description, Deprecated: op.Deprecated,
	}
	for _, p := range op.Parameters {
		if err := m.addParameter(c, p); err != nil {
			return nil, err
		}
	}
	if op.RequestBody != nil {
		if err := m.addBody(c, op.RequestBody.Content); err != nil {
			return nil, err
		}
	}
	for _, r := range op.Responses {
		if content, ok := r.value.Content.get("application/json"); ok && strings.HasPrefix(r.name, "2") {
			k, _, err := m.kind(content.Schema)
			if err != nil {
				return nil, err
			}
			c.Response = &k
		}
	}
	m.addPages(c)
	return c, nil
}

func (m *model) addParameter(c *call, p parameter) error {
	switch p.In {
	case "path":
		c.PathParameters = append(c.PathParameters, pathParameter{pathName(c.Path, p.Name), p.Name})
	case "header":
		c.Repeatable = c.Repeatable || p.Name == "Idempotency-Key" && c.Method == http.MethodPost
		if !slices.ContainsFunc(m.Headers, func(h parameter) bool { return h.Name == p.Name }) {
			m.Headers = append(m.Headers, p)
		}
	case "query":
		k, _, err := m.kind(p.Schema)
		if err != nil {
			return err
		}
		if k.Base == "any" { // such as a date or a time
			k.Base = "string"
		}
		c.Query = append(c.Query, field{Name: p.Name, Doc: p.Description, Type: k})
		c.ByCursor = c.ByCursor || p.Name == "cursor"
		if p.Name == "limit" && p.Schema.Maximum != nil {
			c.MaxLimit = int(*p.Schema.Maximum)
		}
	default:
		return fmt.Errorf("parameter %s: unknown place %s", p.Name, p.In)
	}
	return nil
}

func (m *model) addBody(c *call, content ordered[media]) error {
	for _, body := range content {
		switch {
		case body.name == "application/json":
			k, _, err := m.kind(body.value.Schema)
			if err != nil {
				return err
			}
			c.Body = &k
		case body.name == "multipart/form-data" && c.Body != nil: // the clients have an option for images
		case body.name == "multipart/form-data" && len(body.value.Schema.Properties) == 1:
			c.Upload = body.value.Schema.Properties[0].name
		default:
			return fmt.Errorf("unknown kind of body %s", body.name)
		}
	}
	return nil
}

// addPages finds the type of the elements if an operation responds with a list in pages.
func (m *model) addPages(c *call) {
	if c.Response == nil || c.Response.Base != "record" || !c.HasQuery("page") && !c.ByCursor {
		return
	}
	list, _ := m.doc.Components.Schemas.get(c.Response.Name)
	if data, ok := list.Properties.get("data"); ok && data.Items != nil {
		if of, _, err := m.kind(data.Items); err == nil {
			c.Element = &of
		}
	}
}

// HasQuery reports whether the operation has a query parameter.
func (c *call) HasQuery(name string) bool {
	return slices.ContainsFunc(c.Query, func(f field) bool { return f.Name == name })
}

// pathName returns the name of the argument for a path parameter. Short names such as {id} are extended by what the
// path says about them: locationId in /locations/{id}.
func pathName(path, name string) string {
	if name != "id" && name != "lid" {
		return name
	}
	before, _, _ := strings.Cut(path, "/{"+name+"}")
	return singular(before[strings.LastIndex(before, "/")+1:]) + "Id"
}

func singular(noun string) string {
	switch {
	case strings.HasSuffix(noun, "ies"):
		return strings.TrimSuffix(noun, "ies") + "y"
	case strings.HasSuffix(noun, "ches"):
		return strings.TrimSuffix(noun, "es")
	default:
		return strings.TrimSuffix(noun, "s")
	}
}
