package api

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// introduction is the description of the whole API, in Markdown.
const introduction = "Homeward is a lost-and-found service: it manages locations, the items found there, and the " +
	"guests who own them.\n\n" +
	"**Keys.** Every request needs an API key, sent as `svc-api-key: KEY` or `Authorization: Bearer KEY`. A request " +
	"for a record in another account, or at a location that the key may not use, returns 404, as if the record did " +
	"not exist.\n\n" +
	"**Text** is trimmed before it is validated and stored. Times are RFC 3339 in UTC with milliseconds, dates are " +
	"YYYY-MM-DD. Identifiers are opaque and sort by creation time. A slash at the end of an address is ignored.\n\n" +
	"**Changes.** A PUT changes only the fields that are sent; null or an empty string clears an optional field, and " +
	"nested objects are merged. In a POST, null and an empty string mean that a field is not given. Unknown fields " +
	"are rejected, so that a typo does not lose data.\n\n" +
	"**Retries.** A POST with an `Idempotency-Key` can be repeated for 24 hours and returns the same response as the " +
	"first time, even if the record was deleted since.\n\n" +
	"**Concurrency.** A location, an item, a request and a webhook have a strong `ETag`, which changes whenever the " +
	"record does. Send it in `If-None-Match` to fetch the record only if it has changed (304 if not), and in " +
	"`If-Match` to change or delete the record only if nobody else has changed it (412 if somebody has).\n\n" +
	"**Problems** are RFC 9457 `application/problem+json` with a stable code; " +
	"[each one is explained](/docs/problems). An unknown address returns 404, and a method that the address does not " +
	"support returns 405 with `Allow`. Send your own `X-Request-Id`, or note the one in the response: it identifies " +
	"the request in the service's log."

// groups are the sections of the document.
var groups = []struct{ name, about string }{
	{"Locations", "Places that store lost items: hotels, airports, zoos. Deleting one deletes its items."},
	{"Items", "What was found at a location, its status, its images and its history."},
	{"Requests", "Reports of lost items. A request is matched with a found item or rejected. " +
		"It is an item whose source is request."},
	{"Shipping", "What shipping an item costs, its label, and refunds. The location's record says how it ships; " +
		"the item's record shows the state of its parcel."},
	{"Messages and tasks", "Messages to guests, and tasks for a location's staff."},
	{"Webhooks", "Addresses of client programs that receive events, and what was sent to them."},
	{"Events and deliveries", "What happened to items, and every attempt to deliver these events to webhooks."},
	{"Guest look-up", "Who stayed in a room, from the hotel system or guest list of a location."},
	{"Reports", "How many items were found and returned, how long it took, and what was paid."},
	{"Persons", "A guest's right to know what is stored about them, and to have it erased."},
	{"Account and keys", "The account of the API key, and all its keys."},
	{"Audit log", "Who changed the account, and who saw guests' data."},
}

const (
	jsonType    = "application/json"
	problemType = "application/problem+json"
)

// Document returns the OpenAPI document of the API, which every service serves at /openapi.json.
func Document() ([]byte, error) { return openAPI(handlers{}.operations()) }

// openAPI describes the operations as an OpenAPI 3.1 document.
func openAPI(ops []operation) ([]byte, error) {
	s := &schemas{made: map[string]object{}}
	problems, err := problemResponses(s)
	if err != nil {
		return nil, err
	}
	var paths object
	for _, op := range ops {
		described, err := s.operation(op)
		if err != nil {
			return nil, fmt.Errorf("operation %s: %w", op.id, err)
		}
		item, _ := paths.get(op.path).(object)
		item.set(strings.ToLower(op.method), described)
		paths.set(op.path, item)
	}
	webhooks, err := s.webhooks()
	if err != nil {
		return nil, err
	}
	components, err := s.components()
	if err != nil {
		return nil, err
	}
	return v1.Encode(object{
		{"openapi", "3.1.1"},
		{"info", object{
			{"title", "Homeward"},
			{"version", "v1"},
			{"summary", "A lost-and-found service."},
			{"description", introduction},
			{"contact", object{{"name", "The operator of this service"}}},
			{"license", object{{"name", "Apache 2.0"}, {"identifier", "Apache-2.0"}}},
		}},
		{"servers", []any{object{
			{"url", "/"}, {"description", "This service, in production or for testing."}, {"x-internal", false},
		}}},
		{"security", []any{object{{"apiKey", []string{}}}, object{{"bearer", []string{}}}}},
		{"tags", tags()},
		{"paths", paths},
		{"webhooks", webhooks},
		{"components", object{
			{"schemas", components},
			{"responses", problems},
			{"headers", headers()},
			{"securitySchemes", object{
				{"apiKey", object{
					{"type", "apiKey"}, {"in", "header"}, {"name", "svc-api-key"},
					{"description", "An API key of the account."},
				}},
				{"bearer", object{
					{"type", "http"}, {"scheme", "bearer"},
					{"description", "The same API key, sent as a bearer token."},
				}},
			}},
		}},
	})
}

func tags() []any {
	var out []any
	for _, g := range groups {
		out = append(out, object{{"name", g.name}, {"description", g.about}})
	}
	return out
}

// operation describes one operation.
func (s *schemas) operation(op operation) (object, error) {
	parameters, err := s.parameters(op)
	if err != nil {
		return nil, err
	}
	out := object{
		{"operationId", op.id}, {"tags", []string{op.group}}, {"summary", op.summary}, {"description", op.about},
	}
	if len(parameters) > 0 {
		out.set("parameters", parameters)
	}
	switch {
	case op.body != nil && op.upload != "":
		out.set("requestBody", s.jsonOrFormBody(op))
	case op.body != nil:
		out.set("requestBody", s.jsonBody(op))
	case op.upload != "":
		out.set("requestBody", formBody(op.upload))
	}
	out.set("responses", s.responses(op))
	return out, nil
}

var pathParameter = regexp.MustCompile(`/([a-z]+)/\{(\w+)\}`)

// identifiers describes the identifiers in paths, keyed by the preceding path segment.
var identifiers = map[string]struct{ kind, noun string }{
	"locations":  {lost.LocationID, "location"},
	"items":      {lost.ItemID, "item"},
	"requests":   {lost.ItemID, "request"},
	"matches":    {lost.ItemID, "found item"},
	"images":     {lost.ImageID, "image"},
	"keys":       {lost.KeyID, "key"},
	"webhooks":   {lost.EndpointID, "webhook"},
	"events":     {lost.EventID, "event"},
	"deliveries": {lost.DeliveryID, "delivery"},
	"erasures":   {lost.ErasureID, "erasure"},
}

func (s *schemas) parameters(op operation) ([]any, error) {
	var out []any
	for _, m := range pathParameter.FindAllStringSubmatch(op.path, -1) {
		id, known := identifiers[m[1]]
		if !known {
			return nil, fmt.Errorf("path parameter {%s} after /%s/ is not described", m[2], m[1])
		}
		out = append(out, object{
			{"name", m[2]}, {"in", "path"}, {"required", true},
			{"description", "Identifier of the " + id.noun + "."},
			{"schema", object{{"type", "string"}}},
			{"example", id.kind + "_06f5q2k8h40v3w9d7n1m8x2b4c"},
		})
	}
	for _, p := range op.query {
		out = append(out, p.describe())
	}
	if op.method == http.MethodPost {
		out = append(out, object{
			{"name", "Idempotency-Key"}, {"in", "header"}, {"required", false},
			{"description", "Makes the request safe to repeat: for 24 hours, the same key and body return the same " +
				"response as the first time, and a different body is a conflict."},
			{"schema", object{
				{"type", "string"}, {"minLength", 1}, {"maxLength", 255}, {"pattern", "^[!-~]+$"},
				{"examples", []any{"5f2b1d0e-7c1a-4d53-9b1e-0f6a3c9d2e11"}},
			}},
		})
	}
	if op.method == http.MethodGet && op.hasTag() {
		out = append(out, tagParameter("If-None-Match", "The ETag of the record as you have it. If it is still the "+
			"same, the response is 304 without a body."))
	}
	if op.conditional {
		out = append(out, tagParameter("If-Match", "The ETag of the record as you read it. If the record has changed "+
			"since, nothing happens and the response is 412. Without this header, the last change wins."))
	}
	return out, nil
}

// tagParameter describes a header with entity tags.
func tagParameter(name, about string) object {
	return object{
		{"name", name}, {"in", "header"}, {"required", false}, {"description", about},
		{"schema", object{{"type", "string"}, {"examples", []any{sampleTag}}}},
	}
}

// sampleTag is an example of an entity tag.
const sampleTag = `"mQF1p0VhY3kJ2c8sWd4x"`

// describe describes a query parameter. The example is part of the schema, not of the parameter. Otherwise, a page
// for trying out requests would fill in every filter, and the results would be empty.
func (p parameter) describe() object {
	var example any = p.example
	if n, err := strconv.Atoi(p.example); err == nil && p.schema["type"] == "integer" {
		example = n
	}
	schema := maps.Clone(p.schema)
	schema["examples"] = []any{example}
	out := object{{"name", p.name}, {"in", "query"}, {"required", false}, {"description", p.about}}
	if !p.repeatable {
		return append(out, member{"schema", schema})
	}
	return append(out, object{
		{"style", "form"}, {"explode", true}, {"schema", object{{"type", "array"}, {"items", schema}}},
	}...)
}

func (s *schemas) jsonBody(op operation) object {
	t, u := reflect.TypeOf(op.body), inCreation
	if op.partial {
		u = inUpdate
	}
	return object{
		{"description", "At most 1 MiB."},
		{"required", !op.optional},
		{"content", object{{jsonType, object{{"schema", s.ref(t, u)}, {"example", s.sample(t, true, false)}}}}},
	}
}

// jsonOrFormBody describes a body that is JSON, or a form with the same fields followed by files.
func (s *schemas) jsonOrFormBody(op operation) object {
	t := reflect.TypeOf(op.body)
	form := object{
		{"schema", object{
			{"type", "object"},
			{"properties", object{
				{"text", object{{"type", "string"}, {"description", "The text; can be omitted if there are images."}}},
				{op.upload, object{
					{"type", "array"}, {"maxItems", lost.MaxThreadImages},
					{"items", object{{"type", "string"}, {"format", "binary"}}},
					{"description", "The files. Their names and declared types do not matter."},
				}},
			}},
		}},
		{"encoding", object{{op.upload, object{{"contentType", imageTypes}}}}},
	}
	return object{
		{"description", "JSON of at most 1 MiB, or a form."},
		{"required", true},
		{"content", object{
			{jsonType, object{{"schema", s.ref(t, inCreation)}, {"example", s.sample(t, true, false)}}},
			{"multipart/form-data", form},
		}},
	}
}

// imageTypes lists the content types of pictures.
const imageTypes = "image/jpeg, image/png, image/webp, image/gif"

// formBody describes a form with one file. The service ignores other parts.
func formBody(part string) object {
	return object{
		{"description", "A form that contains the file in the part " + part + "."},
		{"required", true},
		{"content", object{{"multipart/form-data", object{
			{"schema", object{
				{"type", "object"},
				{"properties", object{{part, object{
					{"type", "string"}, {"format", "binary"},
					{"description", "The file. Its name and declared type do not matter."},
				}}}},
				{"required", []string{part}},
			}},
			{"encoding", object{{part, object{{"contentType", imageTypes}}}}},
		}}}},
	}
}
