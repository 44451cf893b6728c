package api

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// responses describes the success response of an operation and all its problems.
func (s *schemas) responses(op operation) object {
	out := object{{strconv.Itoa(op.status), s.success(op)}}
	if op.method == http.MethodGet && op.hasTag() {
		out = append(out, member{strconv.Itoa(http.StatusNotModified), object{
			{"description", "The record has not changed: its ETag is in If-None-Match. The response has no body."},
			{"headers", headerRefs(successHeaders(op)...)},
		}})
	}
	for _, code := range refusals(op) {
		ref := object{{"$ref", "#/components/responses/" + string(code)}}
		out = append(out, member{strconv.Itoa(respond.Status(code)), ref})
	}
	return append(out, member{"default", object{{"$ref", "#/components/responses/problem"}}})
}

func (s *schemas) success(op operation) object {
	out := object{{"description", successText(op)}, {"headers", headerRefs(successHeaders(op)...)}}
	if op.response == nil {
		return out
	}
	t := reflect.TypeOf(op.response)
	example := s.sample(t, false, op.status == http.StatusCreated)
	out.set("content", object{{jsonType, object{{"schema", s.ref(t, inResponse)}, {"example", example}}}})
	return out
}

func successText(op operation) string {
	switch {
	case op.status == http.StatusCreated:
		return "The new record."
	case op.status == http.StatusNoContent:
		return "Done. The response has no body."
	case isList(op):
		return "A page of records."
	case reflect.TypeOf(op.response) == reflect.TypeFor[v1.Quotes]():
		return "All shipping offers."
	case op.method == http.MethodGet:
		return "The record."
	case op.response == any(v1.Replayed{}):
		return "The number of repeated deliveries."
	case reflect.TypeOf(op.response) == reflect.TypeFor[v1.BulkResults]():
		return "One result for each element of the request."
	case op.response == any(v1.Message{}):
		return "The message that is being sent. The message list shows its text and state."
	default:
		return "The current record."
	}
}

func isList(op operation) bool {
	return op.response != nil && strings.HasPrefix(reflect.TypeOf(op.response).Name(), "List[")
}

func successHeaders(op operation) []string {
	names := slices.Concat([]string{respond.RequestIDHeader}, rateLimitHeaders)
	if op.status == http.StatusCreated {
		names = append(names, "Location")
	}
	if isList(op) {
		names = append(names, "Link")
	}
	if op.hasTag() {
		names = append(names, "ETag")
	}
	return names
}

// refusals lists the problems with which an operation may respond, in order of status.
func refusals(op operation) []lost.Code {
	codes := append([]lost.Code{
		lost.Unauthorized, lost.Forbidden, lost.TooMany, lost.Internal, lost.Unavailable,
		lost.Unreadable, // an address that is not UTF-8 text
	}, op.refuses...)
	if strings.Contains(op.path, "{") {
		codes = append(codes, lost.NotFound)
	}
	if op.conditional {
		codes = append(codes, lost.PreconditionFailed)
	}
	if op.body != nil || op.upload != "" || op.method == http.MethodPost { // a POST that takes no body rejects one
		codes = append(codes, lost.TooSlow, lost.TooLarge, lost.Unsupported, lost.Invalid)
	}
	if len(op.query) > 0 {
		codes = append(codes, lost.Invalid)
	}
	if op.method == http.MethodPost { // an Idempotency-Key that was used for another request
		codes = append(codes, lost.Conflict)
	}
	slices.SortFunc(codes, func(a, b lost.Code) int { return respond.Status(a) - respond.Status(b) })
	return slices.Compact(codes)
}

// problemResponses describes every problem, with an example from package respond. Problems with the same status are one
// response. It is named after the first of them and has its example.
func problemResponses(s *schemas) (object, error) {
	var out object
	named := map[int]string{}
	for _, p := range problems {
		// Only guest pages respond with Gone, and no operation with NoMethod. More specific codes share the response of
		// their kind.
		if p.Code == lost.Gone || p.Code == lost.NoMethod || p.Code != p.Code.Kind() {
			continue
		}
		example, err := p.sample()
		if err != nil {
			return nil, err
		}
		if first, is := named[example.Status]; is {
			response, _ := out.get(first).(object)
			response.set("description",
				fmt.Sprintf("%s With the code %s: %s", response.get("description"), p.Code, p.Meaning()))
			continue
		}
		named[example.Status] = string(p.Code)
		out = append(out, member{string(p.Code), object{
			{"description", example.Title + ". " + p.Meaning()},
			{"headers", headerRefs(problemHeaders(p.Code)...)},
			{"content", object{{problemType, object{
				{"schema", s.ref(reflect.TypeFor[v1.Problem](), inResponse)},
				{"example", example},
			}}}},
		}})
	}
	example, err := problems[0].sample()
	if err != nil {
		return nil, err
	}
	return append(out, member{"problem", object{
		{"description", "Any other problem, such as a method that the address does not support (405 with Allow). " +
			"Later versions may respond with more kinds of problems."},
		{"headers", headerRefs(respond.RequestIDHeader)},
		{"content", object{{problemType, object{
			{"schema", s.ref(reflect.TypeFor[v1.Problem](), inResponse)},
			{"example", example},
		}}}},
	}}), nil
}

func problemHeaders(code lost.Code) []string {
	names := []string{respond.RequestIDHeader}
	switch code {
	case lost.Unauthorized:
		return append(names, "WWW-Authenticate") // without a key there is no rate limit to report
	case lost.TooMany, lost.Unavailable:
		names = append(names, "Retry-After")
	default:
	}
	return append(names, rateLimitHeaders...)
}

var rateLimitHeaders = []string{"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy"}

func headerRefs(names ...string) object {
	var out object
	for _, name := range names {
		out = append(out, member{name, object{{"$ref", "#/components/headers/" + name}}})
	}
	return out
}

// headers describes the response headers. The RateLimit headers are absent if the operator sets no rate limit.
func headers() object {
	whole := object{{"type", "integer"}, {"format", "int64"}, {"minimum", 0}}
	text := object{{"type", "string"}}
	header := func(about string, required bool, schema object, example any) object {
		return object{{"description", about}, {"required", required}, {"schema", schema}, {"example", example}}
	}
	return object{
		{respond.RequestIDHeader, header("Identifies the request in the service's log: your own id, or a new one.",
			true, text, "req_06f5q2k8h40v3w9d7n1m8x2b4c")},
		{"RateLimit-Limit", header("Requests that the key may make per second.", false, whole, 100)},
		{"RateLimit-Remaining", header("Requests that the key can make now.", false, whole, 97)},
		{"RateLimit-Reset", header("Seconds until the full number of requests is available again.", false, whole, 1)},
		{"RateLimit-Policy", header("The number of requests, and the window in seconds.", false, text, "100;w=1")},
		{"Retry-After", header("Seconds to wait before trying again.", true, whole, 1)},
		{"Location", header("Address of the new record.", true,
			object{{"type", "string"}, {"format", "uri-reference"}},
			"/v1/locations/loc_06f5q2k8h40v3w9d7n1m8x2b4c")},
		{"ETag", header("Strong entity tag of the record. It changes whenever the record does.", true, text,
			sampleTag)},
		{"Link", header("Addresses of other pages (RFC 8288): first, prev, next and last, if they exist.", true, text,
			`</v1/locations?page=1>; rel="first", </v1/locations?page=2>; rel="next"`)},
		{"WWW-Authenticate", header("How to authenticate.", true, text, `Bearer realm="homeward"`)},
	}
}
