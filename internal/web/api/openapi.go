package api

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

const about = `Homeward keeps what was lost until it is home again: locations, the items found there, and the guests they belong to.

**Keys.** Every request carries an API key, as ` + "`svc-api-key: KEY`" + ` or ` + "`Authorization: Bearer KEY`" + `. A record of another account, or of a location outside the key's reach, answers 404, exactly as one that does not exist.

**Text** is trimmed before it is checked and kept. Moments are RFC 3339 in UTC with milliseconds, dates are YYYY-MM-DD. Identifiers are opaque and sort by creation.

**Changes.** A PUT sets only what is passed; null clears an optional field, and nested objects merge the same way. Unknown fields are refused, so that a typo loses nothing.

**Repeating.** A POST with an ` + "`Idempotency-Key`" + ` can be sent again for 24 hours and answers as the first time.

**Problems** are RFC 9457 ` + "`application/problem+json`" + ` with a stable code; [each one is explained](/docs/problems). An address that does not exist answers 404, and a method that it does not take 405 with ` + "`Allow`" + `. Send an ` + "`X-Request-Id`" + ` of your own or note the one in the answer: it names the request in the service's log.`

// groups are the chapters of the document.
var groups = []struct{ name, about string }{
	{"Locations", "Places that hold lost items: hotels, airports, zoos. Deleting one deletes its items."},
	{"Items", "What was found at a location, its status, its images and its history."},
	{"Requests", "What claimants have lost: filed, matched with what was found, or answered with regret. A request is an item whose source is request."},
	{"Shipping", "What sending an item costs, its label, and giving the fee back. How a location sends things is in its record; what became of a parcel is in the item's."},
	{"Messages and tasks", "What guests are told, and what waits for a location's desk."},
	{"Webhooks", "Addresses of client programs that are told of events, and what was sent to them."},
	{"Events and deliveries", "What happened to items, and every attempt to tell of it."},
	{"Persons", "A guest's right to know what is kept of them, and to have it removed."},
	{"Account and keys", "The account behind the key that asks, and the keys that open it."},
}

const (
	jsonType    = "application/json"
	problemType = "application/problem+json"
)

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
	webhooks := s.webhooks()
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
			{"description", about},
			{"license", object{{"name", "Apache 2.0"}, {"identifier", "Apache-2.0"}}},
		}},
		{"servers", []any{object{{"url", "/"}, {"description", "This service."}}}},
		{"security", []any{object{{"apiKey", []string{}}}, object{{"bearer", []string{}}}}},
		{"tags", tags()},
		{"paths", paths},
		{"webhooks", webhooks},
		{"components", object{
			{"schemas", components},
			{"responses", problems},
			{"headers", headers()},
			{"securitySchemes", object{
				{"apiKey", object{{"type", "apiKey"}, {"in", "header"}, {"name", "svc-api-key"}, {"description", "An API key of the account."}}},
				{"bearer", object{{"type", "http"}, {"scheme", "bearer"}, {"description", "The same API key, as a bearer token."}}},
			}},
		}},
	})
}

// webhooks describes what is sent to the addresses of client programs.
func (s *schemas) webhooks() object {
	t := reflect.TypeFor[v1.EventBody]()
	event := func(name lost.EventType, change func(payload, item *object)) object {
		example := s.sample(t, false, false)
		payload, _ := example.get("payload").(object)
		item, _ := payload.get("item").(object)
		change(&payload, &item)
		payload.set("item", item)
		example.set("eventType", string(name))
		example.set("payload", payload)
		return example
	}
	chosen := event(lost.PickupEvent, func(payload, item *object) {
		item.set("status", string(lost.PickUp))
		payload.set("pickupDate", "2026-11-20")
		payload.set("pickupTime", "14:30")
	})
	filed := event(lost.RequestEvent, func(_, item *object) {
		item.set("source", string(lost.Request))
		claim := s.sample(reflect.TypeFor[v1.Claim](), false, false)
		claim.set("state", string(lost.RequestPending))
		claim.drop("matchedItemId")
		item.drop("discoveryPlace", "discoveryDate", "storagePlace", "notes", "imageUrl", "shipping", "storeUntil")
		item.set("images", []any{})
		item.set("request", claim)
	})
	paid := event(lost.LabelEvent, s.showPaid)
	return object{
		{"event", s.webhook("receive-event", "Receive an event",
			"What a registered address is sent. Only 200 counts as received; anything else is tried again after 15, 60, 120, 240 and 480 s. "+
				"An event may arrive more than once, and events may arrive in any order: webhook-id tells repetitions, eventTime the order. "+
				"Besides these events there are test, which the account asks for, and verification, which is the check of a new address; their payload is empty.", chosen)},
		{"request", s.webhook("receive-request", "Receive a request",
			"The event of a claimant who has lost something and files a request, by the API or on the location's public page. "+
				"payload.item is the request: an item whose source is request. It is sent and signed as every event is.", filed)},
		{"shipping-label", s.webhook("receive-shipping-label", "Receive a shipping label",
			"The event of a fee that was paid. It comes when label and invoice are there, moments later, and carries them; at once and without shippingDate, serviceName and files "+
				"where there is no address to ship to, and without files where the carrier has refused for good. It is sent and signed as every event is.", paid)},
	}
}

// showPaid makes the example of an item whose label is there.
func (s *schemas) showPaid(payload, item *object) {
	files := s.sample(reflect.TypeFor[v1.Files](), false, false)
	invoice, _ := files.get("invoice").(object)
	invoice.set("paper_size", "A4")
	invoice.set("url", "https://homeward.example/files/r7n1m8x2b4c6.pdf")
	files.set("invoice", invoice)
	shipping, _ := item.get("shipping").(object)
	shipping.set("recipient", s.sample(reflect.TypeFor[v1.Recipient](), false, false))
	shipping.set("service", "Standard parcel")
	shipping.set("price", s.sample(reflect.TypeFor[v1.Price](), false, false))
	shipping.set("payment", string(lost.PayStripe))
	shipping.set("shippingDate", "2026-11-20")
	document := s.sample(reflect.TypeFor[v1.Document](), false, false)
	shipping.set("documents", []any{document})
	item.set("shipping", shipping)
	item.set("status", string(lost.FeePaid))
	payload.set("shippingDate", "2026-11-20")
	payload.set("serviceName", "Standard parcel")
	payload.set("files", files)
}

// webhook describes one request to the addresses of client programs.
func (s *schemas) webhook(id, summary, about string, example object) object {
	header := func(name, about, example string) object {
		return object{{"name", name}, {"in", "header"}, {"required", true}, {"description", about}, {"schema", object{{"type", "string"}, {"examples", []any{example}}}}}
	}
	return object{{"post", object{
		{"operationId", id},
		{"tags", []string{"Webhooks"}},
		{"summary", summary},
		{"description", about},
		{"security", []any{}},
		{"parameters", []any{
			header("svc-signature", "t=<unix seconds>,v1=<hex HMAC-SHA256 of t, a dot and the body, keyed with the whole secret>; one v1 for each secret during a rotation.", "t=1794731400,v1=5257a869e7ec"),
			header("webhook-id", "The delivery; the same on every attempt.", "dlv_06f5q2k8h40v3w9d7n1m8x2b4c"),
			header("svc-event-id", "The event; the same in every delivery of it. Absent in checks.", "evt_06f5q2k8h40v3w9d7n1m8x2b4c"),
			header("webhook-timestamp", "When the attempt was signed, in unix seconds.", "1794731400"),
			header("webhook-signature", "Signatures as Standard Webhooks has them.", "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="),
		}},
		{"requestBody", object{
			{"description", "The event. Its bytes are the same on every attempt."},
			{"required", true},
			{"content", object{{jsonType, object{{"schema", s.ref(reflect.TypeFor[v1.EventBody](), answered)}, {"example", example}}}}},
		}},
		{"responses", object{{"200", object{{"description", "The event was received."}}}}},
	}}}
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
	case op.body != nil:
		out.set("requestBody", s.jsonBody(op))
	case op.upload != "":
		out.set("requestBody", formBody(op.upload))
	}
	out.set("responses", s.responses(op))
	return out, nil
}

var inPath = regexp.MustCompile(`/([a-z]+)/\{(\w+)\}`)

// named tells what an identifier in a path belongs to, by the segment before it.
var named = map[string]struct{ kind, noun string }{
	"locations":  {lost.LocationID, "location"},
	"items":      {lost.ItemID, "item"},
	"requests":   {lost.ItemID, "request"},
	"matches":    {lost.ItemID, "find"},
	"keys":       {lost.KeyID, "key"},
	"webhooks":   {lost.EndpointID, "webhook"},
	"events":     {lost.EventID, "event"},
	"deliveries": {lost.DeliveryID, "delivery"},
	"erasures":   {lost.ErasureID, "erasure"},
}

func (s *schemas) parameters(op operation) ([]any, error) {
	var out []any
	for _, m := range inPath.FindAllStringSubmatch(op.path, -1) {
		id, known := named[m[1]]
		if !known {
			return nil, fmt.Errorf("what is {%s} after /%s/?", m[2], m[1])
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
			{"description", "Makes the request safe to repeat: within 24 hours the same key and body answer as the first time, another body is a conflict."},
			{"schema", object{
				{"type", "string"}, {"minLength", 1}, {"maxLength", 255}, {"pattern", "^[!-~]+$"},
				{"examples", []any{"5f2b1d0e-7c1a-4d53-9b1e-0f6a3c9d2e11"}},
			}},
		})
	}
	return out, nil
}

// describe describes a query parameter. Its example stands in the schema and not beside it: pages
// that try a request out would fill every filter in, and find nothing.
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
	t, u := reflect.TypeOf(op.body), created
	if op.partial {
		u = patched
	}
	return object{
		{"description", "At most 1 MiB."},
		{"required", true},
		{"content", object{{jsonType, object{{"schema", s.ref(t, u)}, {"example", s.sample(t, true, false)}}}}},
	}
}

// formBody describes a form with one file. Other parts are passed over.
func formBody(part string) object {
	return object{
		{"description", "A form with the file in its part " + part + "."},
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
			{"encoding", object{{part, object{{"contentType", "image/jpeg, image/png, image/webp, image/gif"}}}}},
		}}}},
	}
}

// responses describes the success of an operation and everything it may refuse with.
func (s *schemas) responses(op operation) object {
	out := object{{strconv.Itoa(op.status), s.success(op)}}
	for _, code := range refusals(op) {
		out = append(out, member{strconv.Itoa(respond.Status(code)), object{{"$ref", "#/components/responses/" + string(code)}}})
	}
	return out
}

func (s *schemas) success(op operation) object {
	out := object{{"description", successWords(op)}, {"headers", headerRefs(successHeaders(op)...)}}
	if op.answer == nil {
		return out
	}
	t := reflect.TypeOf(op.answer)
	example := s.sample(t, false, op.status == http.StatusCreated)
	out.set("content", object{{jsonType, object{{"schema", s.ref(t, answered)}, {"example", example}}}})
	return out
}

func successWords(op operation) string {
	switch {
	case op.status == http.StatusCreated:
		return "The new record."
	case op.status == http.StatusNoContent:
		return "Done; there is nothing to show."
	case isList(op):
		return "A page of records."
	case reflect.TypeOf(op.answer) == reflect.TypeFor[v1.Quotes]():
		return "The ways to send it, all of them."
	case op.method == http.MethodGet:
		return "The record."
	case op.answer == any(v1.Replayed{}):
		return "How many deliveries are made again."
	case op.answer == any(v1.Message{}):
		return "The message, on its way. The list of messages tells what it says and what became of it."
	default:
		return "The record as it is now."
	}
}

func isList(op operation) bool {
	return op.answer != nil && strings.HasPrefix(reflect.TypeOf(op.answer).Name(), "List[")
}

func successHeaders(op operation) []string {
	names := slices.Concat([]string{respond.RequestIDHeader}, paceHeaders)
	if op.status == http.StatusCreated {
		names = append(names, "Location")
	}
	if isList(op) {
		names = append(names, "Link")
	}
	return names
}

// forEveryKey are the operations that a key of any role may do.
var forEveryKey = []string{"get-account", "list-locations", "get-location"}

// refusals are the kinds of problem that an operation may answer with, by status.
func refusals(op operation) []lost.Code {
	codes := append([]lost.Code{lost.Unauthorized, lost.TooMany, lost.Internal, lost.Unavailable}, op.refuses...)
	if !slices.Contains(forEveryKey, op.id) {
		codes = append(codes, lost.Forbidden)
	}
	if strings.Contains(op.path, "{") {
		codes = append(codes, lost.NotFound)
	}
	if op.body != nil || op.upload != "" || op.method == http.MethodPost { // also where no body is wanted, and one came
		codes = append(codes, lost.Unreadable, lost.TooLarge, lost.Unsupported, lost.Invalid)
	}
	if len(op.query) > 0 {
		codes = append(codes, lost.Unreadable, lost.Invalid)
	}
	if op.method == http.MethodPost { // a used Idempotency-Key
		codes = append(codes, lost.Conflict)
	}
	slices.SortFunc(codes, func(a, b lost.Code) int { return respond.Status(a) - respond.Status(b) })
	return slices.Compact(codes)
}

// problemResponses describes every kind of problem, with an example that reply wrote.
func problemResponses(s *schemas) (object, error) {
	var out object
	for _, p := range problems {
		if p.Code == lost.Gone { // pages answer it, and no operation
			continue
		}
		example, err := p.sample()
		if err != nil {
			return nil, err
		}
		out = append(out, member{string(p.Code), object{
			{"description", example.Title + ". " + p.Meaning},
			{"headers", headerRefs(problemHeaders(p.Code)...)},
			{"content", object{{problemType, object{
				{"schema", s.ref(reflect.TypeFor[v1.Problem](), answered)},
				{"example", example},
			}}}},
		}})
	}
	return out, nil
}

func problemHeaders(code lost.Code) []string {
	names := []string{respond.RequestIDHeader}
	switch code {
	case lost.Unauthorized:
		return append(names, "WWW-Authenticate") // nobody's budget is spent
	case lost.NoMethod:
		return append(names, "Allow")
	case lost.TooMany, lost.Unavailable:
		names = append(names, "Retry-After")
	default:
	}
	return append(names, paceHeaders...)
}

var paceHeaders = []string{"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy"}

func headerRefs(names ...string) object {
	var out object
	for _, name := range names {
		out = append(out, member{name, object{{"$ref", "#/components/headers/" + name}}})
	}
	return out
}

// headers describes the headers of answers. Those of the budget are absent where the
// operator sets no limit.
func headers() object {
	whole := object{{"type", "integer"}, {"minimum", 0}}
	text := object{{"type", "string"}}
	header := func(about string, required bool, schema object, example any) object {
		return object{{"description", about}, {"required", required}, {"schema", schema}, {"example", example}}
	}
	return object{
		{respond.RequestIDHeader, header("Names the request in the service's log: the caller's own, or a new one.", true, text, "req_06f5q2k8h40v3w9d7n1m8x2b4c")},
		{"RateLimit-Limit", header("Requests that the key may make in a second.", false, whole, 100)},
		{"RateLimit-Remaining", header("Requests that are left now.", false, whole, 97)},
		{"RateLimit-Reset", header("Seconds until the budget is full again.", false, whole, 1)},
		{"RateLimit-Policy", header("The budget and its window in seconds.", false, text, "100;w=1")},
		{"Retry-After", header("Seconds to wait before trying again.", true, whole, 1)},
		{"Location", header("Address of the new record.", true, object{{"type", "string"}, {"format", "uri-reference"}}, "/v1/locations/loc_06f5q2k8h40v3w9d7n1m8x2b4c")},
		{"Link", header("Addresses of other pages (RFC 8288): first, prev, next and last, those that exist.", true, text, `</v1/locations?page=1>; rel="first", </v1/locations?page=2>; rel="next"`)},
		{"WWW-Authenticate", header("How to authenticate.", true, text, `Bearer realm="homeward"`)},
		{"Allow", header("Methods that the address takes.", true, text, "GET, HEAD, POST")},
	}
}
