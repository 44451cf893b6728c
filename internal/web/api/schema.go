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
	"homeward/internal/lost/stay"
	v1 "homeward/internal/v1"
)

// isListedItem reports whether a type is that of the elements of lists of items.
func isListedItem(t reflect.Type) bool { return t == reflect.TypeFor[v1.ListedItem]() }

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
	case "kept":
		return u == inCreation // null means the default
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
	if isListedItem(t) {
		return object{{"anyOf", []any{
			s.ref(reflect.TypeFor[v1.Item](), u), s.ref(reflect.TypeFor[v1.DeletedItem](), u),
		}}}
	}
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
	if u != inResponse { // later versions may add fields to responses
		out.set("additionalProperties", false)
	}
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
	s.addConstraints(&out, f, within)
	if u.nullable(f) {
		out = orNull(out)
	}
	text := f.Text
	if echoed {
		text += " Set by the service: omit it, or send it unchanged."
	}
	if f.Tag.Get("enum") != "" && within == inResponse {
		text += " Later versions may add values."
	}
	out.set("description", text)
	if f.Example != "" {
		out.set("examples", []any{s.example(f)})
	}
	return out
}

// isRaw reports whether a type is json.RawMessage, which always contains the payload of an event here.
func isRaw(t reflect.Type) bool { return t == reflect.TypeFor[json.RawMessage]() }

// isComposed reports whether a type is a struct or a list of structs. Examples of such types are written as JSON.
func isComposed(t reflect.Type) bool {
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct
}

// value returns the schema of a type.
func (s *schemas) value(t reflect.Type, u use) object {
	if isRaw(t) {
		return s.ref(reflect.TypeFor[v1.Payload](), u)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.value(t.Elem(), u)
	case reflect.Map:
		if t == reflect.TypeFor[v1.Metadata]() {
			return metadataSchema(u)
		}
		return object{{"type", "object"}, {"additionalProperties", s.value(t.Elem(), u)}}
	case reflect.Struct:
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
		return object{{"type", "integer"}, {"format", "int64"}}
	case reflect.Float64:
		return object{{"type", "number"}, {"format", "double"}}
	default:
		s.errs = append(s.errs, fmt.Errorf("type %s has no schema", t))
		return nil
	}
}

// metadataSchema returns the schema of a client's own data.
func metadataSchema(u use) object {
	text := object{{"type", "string"}, {"maxLength", lost.MaxMetadataValue}}
	out := object{{"type", "object"}}
	if u != inUpdate { // an update may also contain entries to remove
		out.set("maxProperties", lost.MaxMetadata)
	}
	if u != inResponse {
		text = orNull(text)
	}
	out.set("propertyNames", object{{"minLength", 1}, {"maxLength", lost.MaxMetadataKey}})
	out.set("additionalProperties", text)
	return out
}

// addConstraints adds the constraints in a field's tags. An enumeration in a response is open: later versions may add
// values, which must not break a client.
func (s *schemas) addConstraints(out *object, f field, u use) {
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
		constrain(out, true, "title", enumTitle(name))
		if u == inResponse {
			constrain(out, true, "x-extensible-enum", values)
		} else {
			constrain(out, true, "enum", values)
		}
	case f.input == "required" && f.Type.Kind() == reflect.String && u != inResponse: // a message may have only images
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
	"categories":     anySlice(lost.Categories()),
	"weekdays":       anySlice(lost.Weekdays()),
	"boxTypes":       anySlice(lost.BoxTypes()),
	"weightUnits":    anySlice(lost.WeightUnits()),
	"statuses":       anySlice(lost.Statuses()),
	"sources":        anySlice(lost.Sources()),
	"auditActions":   anySlice(lost.AuditActions()),
	"actions":        anySlice(lost.Actions()),
	"actorKinds":     anySlice(lost.ActorKinds()),
	"events":         anySlice(append(lost.EventTypes(), lost.AllEvents)),
	"sampleEvents":   anySlice(allEventTypes()),
	"everyEvent":     anySlice(append(allEventTypes(), lost.Verification)),
	"deliveryStates": anySlice(lost.DeliveryStates()),
	"requestStates":  anySlice(lost.RequestStates()),
	"decisions":      anySlice(lost.Decisions()),
	"likelihoods":    anySlice(lost.Likelihoods()),
	"matchHints":     anySlice(lost.Hints()),
	"messageKinds":   anySlice(lost.MessageKinds()),
	"threadSides":    anySlice(lost.ThreadSides()),
	"threadChannels": anySlice(lost.ThreadChannels()),
	"channels":       anySlice(lost.Channels()),
	"messageStates":  anySlice(lost.MessageStates()),
	"stayReasons":    anySlice(stay.Reasons()),
	"erasureStates":  anySlice(lost.ErasureStates()),
	"keyRoles":       anySlice(lost.KeyRoles()),
	"taskKinds":      anySlice(lost.TaskKinds()),
	"payments":       anySlice([]lost.PayBy{lost.PayStripe, lost.PayTest, lost.PayDesk}),
	"refundStates":   anySlice([]lost.RefundState{lost.RefundWanted, lost.RefundDone, lost.RefundFailed}),
	"destinations":   anySlice(lost.ItemDestinations()),
	"disposals":      anySlice(lost.Disposals()),
	"documentKinds":  anySlice(lost.DocumentKinds()),
	"orientations":   anySlice(lost.Orientations()),
	"colors":         anySlice(lost.Colors()),
	"codeFormats":    anySlice(lost.CodeFormats()),
	"problemCodes":   problemCodes(),
	"fieldCodes":     fieldCodeNames(),
}

// enumTitles has the titles of enumerations whose names in the tags would not be clear in a client.
var enumTitles = map[string]string{
	"statuses": "ItemStatus", "sources": "ItemSource", "actions": "HistoryAction", "events": "WebhookEvent",
	"everyEvent": "EventType", "decisions": "DecisionType", "channels": "MessageChannel", "payments": "PaymentMethod",
	"destinations": "ItemDestination", "categories": "ItemCategory", "sampleEvents": "StoredEvent",
	"orientations": "ImageOrientation", "colors": "ImageColor", "codeFormats": "ImageCodeFormat",
}

// enumTitle returns the title of an enumeration, which generators of clients use as the name of a type.
func enumTitle(name string) string {
	if title, ok := enumTitles[name]; ok {
		return title
	}
	return strings.ToUpper(name[:1]) + strings.TrimSuffix(name[1:], "s")
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
