package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// listedItem is the type of the elements of lists of items.
var listedItem = reflect.TypeFor[v1.ListedItem]()

// use is the purpose of a schema. Each v1 struct has up to three schemas: for responses, for requests that create a
// record, and for requests that change a record.
type use int

const (
	inResponse use = iota
	inCreation
	inUpdate
)

// schemas generates JSON schemas from the v1 structs, their tags and their descriptions.
type schemas struct {
	made map[string]object
	errs []error // errors in tags and examples
}

// components returns the schemas, sorted by name.
func (s *schemas) components() (object, error) {
	var out object
	for name, schema := range s.made {
		out.set(name, schema)
	}
	slices.SortFunc(out, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return out, errors.Join(s.errs...)
}

// field is a field of a struct, with its tags and its description.
type field struct {
	reflect.StructField
	v1.Description
	name      string
	omitempty bool
	input     string
}

func fieldsOf(t reflect.Type) []field {
	var out []field
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		description, _ := v1.Describe(typeName(t) + "." + name)
		out = append(out, field{
			StructField: f, Description: description,
			name: name, omitempty: options == "omitempty", input: f.Tag.Get("input"),
		})
	}
	return out
}

// typeName returns the name of a type without its type parameters.
func typeName(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	return name
}

// has reports whether a field is part of the schema for a use. A client may send a whole record back to change it, so
// the schema for changes includes the fields that the service sets.
func (u use) has(f field) bool { return u != inCreation || f.input != "" }

// nullable reports whether the field may be null.
func (u use) nullable(f field) bool {
	switch f.input {
	case "optional":
		return u != inResponse
	case "":
		return u == inUpdate && f.omitempty // a client may send null for a field that is not set
	default:
		return false
	}
}

// required reports whether the field must be present.
func (u use) required(f field) bool {
	switch u {
	case inResponse:
		return !f.omitempty
	case inCreation:
		return f.input == "required"
	default:
		return false
	}
}

// schemaName returns the name of a schema, such as Location, LocationInput, LocationPatch or LocationList.
func schemaName(t reflect.Type, u use) string {
	name := t.Name()
	if of, is := strings.CutPrefix(name, "List["); is {
		name = strings.TrimPrefix(strings.TrimSuffix(of[strings.LastIndex(of, ".")+1:], "]"), "Listed") + "List"
	}
	switch {
	case u == inResponse:
		return name
	case u == inUpdate && !allOptional(t):
		return name + "Patch"
	default:
		return name + "Input"
	}
}

// allOptional reports whether every field is optional. Creating and changing then accept the same fields.
func allOptional(t reflect.Type) bool {
	return !slices.ContainsFunc(fieldsOf(t), func(f field) bool { return f.input != "optional" })
}

// ref returns a reference to the schema of a struct, and generates the schema if necessary.
func (s *schemas) ref(t reflect.Type, u use) object {
	name := schemaName(t, u)
	if _, made := s.made[name]; !made {
		s.made[name] = nil // ends the recursion for a struct that contains itself
		s.made[name] = s.structure(t, u)
	}
	return object{{"$ref", "#/components/schemas/" + name}}
}

func (s *schemas) structure(t reflect.Type, u use) object {
	var properties object
	var required []string
	for _, f := range fieldsOf(t) {
		if !u.has(f) {
			continue
		}
		properties = append(properties, member{f.name, s.property(f, u)})
		if u.required(f) {
			required = append(required, f.name)
		}
	}
	out := object{{"type", "object"}, {"properties", properties}}
	if len(required) > 0 {
		out.set("required", required)
	}
	out.set("additionalProperties", false)
	return out
}

// property returns the schema of one field.
func (s *schemas) property(f field, u use) object {
	echoed := u == inUpdate && f.input == ""
	within := u
	if echoed {
		within = inResponse // the client sends it back as it received it
	}
	out := s.value(f.Type, within)
	s.addConstraints(&out, f)
	if u.nullable(f) {
		out = orNull(out)
	}
	text := f.Text
	if echoed {
		text += " Set by the service: omit it, or send it unchanged."
	}
	out.set("description", text)
	if echoed {
		out.set("readOnly", true)
	}
	if f.Example != "" {
		out.set("examples", []any{s.example(f)})
	}
	return out
}

// isRaw reports whether a type is json.RawMessage, which always contains an object here.
func isRaw(t reflect.Type) bool { return t == reflect.TypeFor[json.RawMessage]() }

// isComposed reports whether a type is a struct or a list of structs. Examples of such types are written as JSON.
func isComposed(t reflect.Type) bool {
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct
}

// value returns the schema of a type.
func (s *schemas) value(t reflect.Type, u use) object {
	if isRaw(t) {
		return object{{"type", "object"}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.value(t.Elem(), u)
	case reflect.Map:
		return object{{"type", "object"}, {"additionalProperties", s.value(t.Elem(), u)}}
	case reflect.Struct:
		if t == listedItem {
			return object{{"anyOf", []any{
				s.ref(reflect.TypeFor[v1.Item](), u), s.ref(reflect.TypeFor[v1.DeletedItem](), u),
			}}}
		}
		return s.ref(t, u)
	case reflect.Slice:
		if u == inUpdate { // a list is replaced as a whole, so its elements must be complete
			u = inCreation
		}
		return object{{"type", "array"}, {"items", s.value(t.Elem(), u)}}
	case reflect.String:
		return object{{"type", "string"}}
	case reflect.Bool:
		return object{{"type", "boolean"}}
	case reflect.Int, reflect.Int64:
		return object{{"type", "integer"}}
	case reflect.Float64:
		return object{{"type", "number"}}
	default:
		s.errs = append(s.errs, fmt.Errorf("type %s has no schema", t))
		return nil
	}
}

// addConstraints adds the constraints in a field's tags.
func (s *schemas) addConstraints(out *object, f field) {
	for _, b := range []struct{ tag, keyword string }{
		{"items", "maxItems"}, {"max", "maxLength"},
		{"least", "minimum"}, {"most", "maximum"}, {"above", "exclusiveMinimum"},
	} {
		if text := f.Tag.Get(b.tag); text != "" {
			n, err := strconv.Atoi(text)
			s.check(f, err)
			constrain(out, b.tag != "items", b.keyword, n)
		}
	}
	for _, keyword := range []string{"format", "pattern"} {
		if text := f.Tag.Get(keyword); text != "" {
			out.set(keyword, text)
		}
	}
	name := f.Tag.Get("enum")
	switch {
	case name != "":
		values := enums[name]
		if values == nil {
			s.check(f, fmt.Errorf("unknown enum %s", name))
		}
		constrain(out, true, "enum", values)
	case f.input == "required" && f.Type.Kind() == reflect.String:
		out.set("minLength", 1)
	}
}

// constrain sets a keyword in a schema. If the schema is a list and each is true, it sets the keyword in the schema
// of the elements.
func constrain(out *object, each bool, keyword string, value any) {
	items, is := out.get("items").(object)
	if !each || !is {
		out.set(keyword, value)
		return
	}
	items.set(keyword, value)
	out.set("items", items)
}

func (s *schemas) check(f field, err error) {
	if err != nil {
		s.errs = append(s.errs, fmt.Errorf("field %s: %w", f.name, err))
	}
}

// orNull returns a schema that also accepts null.
func orNull(schema object) object {
	kind := schema.get("type")
	if kind == nil {
		return object{{"anyOf", []any{schema, object{{"type", "null"}}}}}
	}
	schema.set("type", []any{kind, "null"})
	if values, is := schema.get("enum").([]any); is {
		schema.set("enum", append(slices.Clone(values), nil))
	}
	return schema
}

// enums maps the names used in tags to lists of allowed values.
var enums = map[string][]any{
	"locationTypes":  anySlice(lost.LocationTypes()),
	"boxTypes":       anySlice(lost.BoxTypes()),
	"weightUnits":    anySlice(lost.WeightUnits()),
	"statuses":       anySlice(lost.Statuses()),
	"sources":        anySlice(lost.Sources()),
	"auditActions":   anySlice(lost.AuditActions()),
	"actions":        anySlice(lost.Actions()),
	"actorKinds":     anySlice(lost.ActorKinds()),
	"events":         anySlice(lost.EventTypes()),
	"everyEvent":     anySlice(allEventTypes()),
	"deliveryStates": anySlice(lost.DeliveryStates()),
	"requestStates":  anySlice(lost.RequestStates()),
	"decisions":      anySlice(lost.Decisions()),
	"likelihoods":    anySlice(lost.Likelihoods()),
	"messageKinds":   anySlice(lost.MessageKinds()),
	"channels":       anySlice(lost.Channels()),
	"messageStates":  anySlice(lost.MessageStates()),
	"erasureStates":  anySlice(lost.ErasureStates()),
	"keyRoles":       anySlice(lost.KeyRoles()),
	"taskKinds":      anySlice(lost.TaskKinds()),
	"payments":       anySlice([]lost.PayBy{lost.PayStripe, lost.PayTest, lost.PayDesk}),
	"refundStates":   anySlice([]lost.RefundState{lost.RefundWanted, lost.RefundDone, lost.RefundFailed}),
	"destinations":   anySlice(lost.Destinations()),
	"documentKinds":  anySlice(lost.DocumentKinds()),
}

// allEventTypes returns the types of stored events: those that webhooks can subscribe to, and the test event.
func allEventTypes() []lost.EventType { return append(lost.EventTypes(), lost.TestEvent) }

func anySlice[T ~string](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// example parses the example of a field as the field's type.
func (s *schemas) example(f field) any {
	text := f.Example
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var v any = text
	var err error
	switch {
	case isComposed(t): // raw JSON keeps the order of its members
		v, err = json.RawMessage(text), json.Unmarshal([]byte(text), new(any))
	case isRaw(t) || t.Kind() == reflect.Map:
		var members map[string]any
		err = json.Unmarshal([]byte(text), &members)
		v = members
	case t == reflect.TypeFor[[]int]():
		var list []int
		err = json.Unmarshal([]byte("["+text+"]"), &list)
		v = list
	case t.Kind() == reflect.Slice:
		v = strings.Split(text, ",")
	case t.Kind() == reflect.Bool:
		v, err = strconv.ParseBool(text)
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		v, err = strconv.Atoi(text)
	case t.Kind() == reflect.Float64:
		v, err = strconv.ParseFloat(text, 64)
	}
	s.check(f, err)
	return v
}

// sample builds an example of a struct from the examples of its fields. If sent is true, it is a request and has only
// input fields. If creation is true, it is the response to a creation, which has fields that no other response has,
// such as a secret.
func (s *schemas) sample(t reflect.Type, sent, creation bool) object {
	var out object
	for _, f := range fieldsOf(t) {
		when := f.Tag.Get("sample")
		if when == "omit" || when == "created" && !creation || when == "sent" && !sent || sent && f.input == "" {
			continue
		}
		within := f.Type
		if k := within.Kind(); k == reflect.Pointer || k == reflect.Slice {
			within = within.Elem()
		}
		if within == listedItem {
			within = reflect.TypeFor[v1.Item]()
		}
		var v any
		switch {
		case within.Kind() != reflect.Struct || f.Example != "":
			v = s.example(f)
		case f.Type.Kind() == reflect.Slice:
			v = []any{s.sample(within, sent, creation)}
		default:
			v = s.sample(within, sent, creation)
		}
		out = append(out, member{f.name, v})
	}
	return out
}
