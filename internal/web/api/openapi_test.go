package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/api"
	"homeward/internal/web/api/apitest"
)

type dict = map[string]any

// document requests the OpenAPI document.
func document(t *testing.T) []byte {
	t.Helper()
	rec := get(t, "/openapi.json")
	if rec.Code != http.StatusOK || rec.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("/openapi.json: got status %d %s", rec.Code, rec.Header())
	}
	return rec.Body.Bytes()
}

// get requests a page from an API without services, which the documentation does not need.
func get(t *testing.T, path string) *httptest.ResponseRecorder {
	t.Helper()
	a, err := api.New(nil, v1.Encoder{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	rec := httptest.NewRecorder()
	a.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
	return rec
}

func decoded(t *testing.T, doc []byte) dict {
	t.Helper()
	var v dict
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// walk calls visit for every object in the document, with the object's JSON pointer.
func walk(v any, at string, visit func(at string, o dict)) {
	switch v := v.(type) {
	case dict:
		visit(at, v)
		for name, inner := range v {
			walk(inner, at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), visit)
		}
	case []any:
		for i, inner := range v {
			walk(inner, fmt.Sprintf("%s/%d", at, i), visit)
		}
	}
}

// lookup returns the value at a JSON pointer such as #/components/schemas/Item.
func lookup(doc dict, pointer string) any {
	var v any = doc
	for _, name := range strings.Split(strings.TrimPrefix(pointer, "#/"), "/") {
		inner, _ := v.(dict)
		v = inner[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
	}
	return v
}

type described struct {
	method, path string
	dict
}

// operations lists the operations, with their method and path.
func operations(doc dict) []described {
	var out []described
	for path, item := range doc["paths"].(dict) {
		for method, op := range item.(dict) {
			out = append(out, described{method, path, op.(dict)})
		}
	}
	return out
}

func TestTheDocumentIsReproducible(t *testing.T) {
	if first, second := document(t), document(t); !bytes.Equal(first, second) {
		t.Error("two instances served different documents")
	}
}

func TestEveryReferenceExists(t *testing.T) {
	doc := decoded(t, document(t))
	used := map[string]bool{}
	walk(doc, "#", func(at string, o dict) {
		ref, is := o["$ref"].(string)
		if !is {
			return
		}
		used[ref] = true
		if lookup(doc, ref) == nil {
			t.Errorf("%s refers to %s, which does not exist", at, ref)
		}
	})
	for _, kind := range []string{"schemas", "headers", "responses"} {
		for name := range doc["components"].(dict)[kind].(dict) {
			ref := "#/components/" + kind + "/" + name
			if !used[ref] {
				t.Errorf("nothing uses %s", ref)
			}
		}
	}
}

func TestOperationIDsAreUniqueAndPathParametersDeclared(t *testing.T) {
	doc := decoded(t, document(t))
	var groups []string
	for _, tag := range doc["tags"].([]any) {
		groups = append(groups, tag.(dict)["name"].(string))
		if tag.(dict)["description"] == "" {
			t.Errorf("the group %s has no description", tag)
		}
	}
	named := map[string]string{}
	for _, op := range operations(doc) {
		id := op.dict["operationId"].(string)
		if other, twice := named[id]; twice {
			t.Errorf("%s %s and %s both have the id %s", op.method, op.path, other, id)
		}
		named[id] = op.method + " " + op.path
		for _, tag := range op.dict["tags"].([]any) {
			if !slices.Contains(groups, tag.(string)) {
				t.Errorf("%s is in the group %s, which is not described", id, tag)
			}
		}
		var declared, inPath []string
		parameters, _ := op.dict["parameters"].([]any)
		for _, p := range parameters {
			if p.(dict)["in"] == "path" {
				declared = append(declared, p.(dict)["name"].(string))
			}
		}
		for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(op.path, -1) {
			inPath = append(inPath, m[1])
		}
		if !slices.Equal(declared, inPath) {
			t.Errorf("%s declares the path parameters %v, but its path is %s", id, declared, op.path)
		}
	}
}

func TestEverySchemaCompiles(t *testing.T) {
	doc := document(t)
	if _, err := apitest.NewChecker(doc); err != nil {
		t.Error(err)
	}
	c := compiler(t, doc)
	for name := range decoded(t, doc)["components"].(dict)["schemas"].(dict) {
		if _, err := c.Compile("openapi.json#/components/schemas/" + name); err != nil {
			t.Error(err)
		}
	}
}

func compiler(t *testing.T, doc []byte) *jsonschema.Compiler {
	t.Helper()
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource("openapi.json", whole); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEveryOperationParameterAndResponseIsDescribed(t *testing.T) {
	doc := decoded(t, document(t))
	want := func(at string, o dict, names ...string) {
		for _, name := range names {
			if s, _ := o[name].(string); strings.TrimSpace(s) == "" {
				t.Errorf("%s has no %s", at, name)
			}
		}
	}
	for _, op := range operations(doc) {
		want(op.path+" "+op.method, op.dict, "operationId", "summary", "description")
	}
	walk(doc, "#", func(at string, o dict) {
		_, isRef := o["$ref"]
		parent := at[:max(0, strings.LastIndex(at, "/"))]
		switch {
		case isRef:
		case strings.HasSuffix(parent, "/parameters"):
			want(at, o, "name", "in", "description")
			if items, is := o["schema"].(dict)["items"]; o["example"] == nil && !hasExample(o["schema"]) &&
				(!is || !hasExample(items)) {
				t.Errorf("%s has no example", at)
			}
		case strings.HasSuffix(parent, "/responses"), strings.HasSuffix(at, "/requestBody"):
			want(at, o, "description")
		case parent == "#/components/headers":
			want(at, o, "description")
			if o["example"] == nil {
				t.Errorf("%s has no example", at)
			}
		case strings.HasSuffix(parent, "/application~1json"), strings.HasSuffix(parent, "/application~1problem+json"):
			if media := lookup(doc, parent).(dict); media["example"] == nil {
				t.Errorf("%s has no example", parent)
			}
		}
	})
}

func hasExample(schema any) bool {
	examples, _ := schema.(dict)["examples"].([]any)
	return len(examples) > 0
}

func TestEveryFieldIsDescribedAndHasAnExample(t *testing.T) {
	doc := decoded(t, document(t))
	for name, schema := range doc["components"].(dict)["schemas"].(dict) {
		properties, _ := schema.(dict)["properties"].(dict) // a choice between schemas has none
		for field, f := range properties {
			f := f.(dict)
			if s, _ := f["description"].(string); strings.TrimSpace(s) == "" {
				t.Errorf("%s.%s has no description", name, field)
			}
			items, _ := f["items"].(dict)
			composed := f["$ref"] != nil || f["anyOf"] != nil || items["$ref"] != nil || items["anyOf"] != nil
			if !composed && !hasExample(f) {
				t.Errorf("%s.%s has no example", name, field)
			}
		}
	}
}

func TestEveryExampleFitsItsSchema(t *testing.T) {
	raw := document(t)
	doc, c := decoded(t, raw), compiler(t, raw)
	fits := func(at string, example any) {
		at = strings.NewReplacer("{", "%7B", "}", "%7D").Replace(at)
		schema, err := c.Compile("openapi.json" + at)
		if err == nil {
			err = schema.Validate(example)
		}
		if err != nil {
			t.Errorf("the example at %s is invalid: %v", at, err)
		}
	}
	n := 0
	walk(doc, "#", func(at string, o dict) {
		if strings.Contains(at, "/example") { // inside an example
			return
		}
		if o["schema"] != nil && o["example"] != nil {
			n++
			fits(at+"/schema", o["example"])
		}
		examples, _ := o["examples"].([]any)
		for _, example := range examples {
			n++
			fits(at, example)
		}
	})
	if n < 100 {
		t.Errorf("found only %d examples; does the test look in the right places?", n)
	}
}

func TestOperationsDeclareTheirProblems(t *testing.T) {
	for _, op := range operations(decoded(t, document(t))) {
		want := []string{"401", "429", "500", "503"}
		if op.method != "get" || strings.HasPrefix(op.path, "/v1/keys") {
			want = append(want, "403")
		}
		if strings.Contains(op.path, "{") {
			want = append(want, "404")
		}
		if op.dict["requestBody"] != nil {
			want = append(want, "400", "413", "415", "422")
		}
		if op.method == "post" {
			want = append(want, "409")
		}
		for _, status := range want {
			if op.dict["responses"].(dict)[status] == nil {
				t.Errorf("%s %s does not declare the status %s", op.method, op.path, status)
			}
		}
	}
}

func TestRequestSchemasDifferFromResponseSchemas(t *testing.T) {
	doc := decoded(t, document(t))
	schema := func(name string) dict {
		s, _ := doc["components"].(dict)["schemas"].(dict)[name].(dict)
		return s
	}
	properties := func(name string) dict { return schema(name)["properties"].(dict) }

	if got := fmt.Sprint(schema("LocationInput")["required"],
		schema("LocationPatch")["required"]); got != "[name] <nil>" {
		t.Errorf("required fields of LocationInput and LocationPatch: got %s", got)
	}
	if properties("LocationInput")["id"] != nil {
		t.Error("the schema of a new location has an id")
	}
	if id := properties("LocationPatch")["id"].(dict); id["readOnly"] != nil || id["type"] != "string" {
		t.Errorf("id in LocationPatch: got %v, want a string that may be sent back", id)
	}
	if weight := properties("ShippingInput")["weight"].(dict); weight["format"] != "double" {
		t.Errorf("weight in ShippingInput: got %v, want the format double", weight)
	}
	for name, want := range map[string]string{
		"LocationInput": "[string null] string [string null]\n", "LocationPatch": "[string null] string string\n",
	} {
		p := properties(name)
		if got := fmt.Sprintln(p["website"].(dict)["type"], p["name"].(dict)["type"],
			p["type"].(dict)["type"]); got != want {
			t.Errorf("types of website, name and type in %s: got %s", name, got)
		}
	}
	units := properties("ShippingInput")["weightUnit"].(dict)["enum"].([]any)
	if !slices.Contains(units, nil) || !slices.Contains(units, any("kg")) {
		t.Errorf("accepted weight units: got %v, want kg and null among them", units)
	}
	if properties("ShippingInput")["trackingNumber"] != nil || properties("ShippingPatch")["trackingNumber"] == nil {
		t.Error("trackingNumber must be in ShippingPatch, but not in ShippingInput")
	}
	steps := properties("RemindersInput")["afterNotice"].(dict)
	if got := fmt.Sprint(steps["type"], steps["maxItems"], steps["minimum"],
		steps["items"]); got != "[array null] 10 <nil> map[format:int64 maximum:365 minimum:1 type:integer]" {
		t.Errorf("afterNotice in RemindersInput: got %s", got)
	}
	prices := properties("ZoneInput")["prices"].(dict)
	if got := fmt.Sprint(prices["type"], prices["maxItems"], prices["items"],
		schema("BandInput")["required"]); got !=
		"[array null] 30 map[$ref:#/components/schemas/BandInput] [upToGrams price]" {
		t.Errorf("prices in ZoneInput: got %s", got)
	}
	if schema("BandPatch") != nil {
		t.Error("BandPatch exists, but each price in a list must be complete")
	}
	if owner := properties("RequestInput")["owner"].(dict); owner["$ref"] != "#/components/schemas/OwnerInput" ||
		owner["minLength"] != nil {
		t.Errorf("owner in RequestInput: got %v", owner)
	}
	if properties("LocationList")["data"] == nil {
		t.Errorf("schema LocationList: got %v", schema("LocationList"))
	}
}

// A later version may add fields and values to responses, but an input with an unknown field is a mistake.
func TestResponsesAreOpenAndInputsAreStrict(t *testing.T) {
	doc := decoded(t, document(t))
	for name, s := range doc["components"].(dict)["schemas"].(dict) {
		schema := s.(dict)
		if schema["anyOf"] != nil { // its alternatives are schemas of their own
			continue
		}
		input := strings.HasSuffix(name, "Input") || strings.HasSuffix(name, "Patch")
		if _, stated := schema["additionalProperties"]; stated != input {
			t.Errorf("%s: additionalProperties is %v", name, schema["additionalProperties"])
		}
		for field, p := range schema["properties"].(dict) {
			property := p.(dict)
			if items, is := property["items"].(dict); is {
				property = items
			}
			if !input && property["enum"] != nil {
				t.Errorf("%s.%s is a closed enumeration in a response", name, field)
			}
			if (property["enum"] != nil || property["x-extensible-enum"] != nil) && property["title"] == nil {
				t.Errorf("%s.%s is an enumeration without a title", name, field)
			}
		}
	}
}

func TestEveryOperationHasADefaultProblem(t *testing.T) {
	for _, op := range operations(decoded(t, document(t))) {
		problem, _ := op.dict["responses"].(dict)["default"].(dict)
		if problem["$ref"] != "#/components/responses/problem" {
			t.Errorf("%s %s: got the default response %v", op.method, op.path, problem)
		}
	}
}

func TestEventsAndProblemCodesAreTyped(t *testing.T) {
	schemas := decoded(t, document(t))["components"].(dict)["schemas"].(dict)
	property := func(schema, name string) dict { return schemas[schema].(dict)["properties"].(dict)[name].(dict) }
	if payload := property("Event", "payload"); payload["$ref"] != "#/components/schemas/Payload" {
		t.Errorf("payload of an event: got %v", payload)
	}
	for _, want := range []struct{ schema, name, value string }{
		{"Problem", "code", "not-found"}, {"FieldError", "code", "required"},
		{"Event", "eventType", "pickup"}, {"EventBody", "eventType", "verification"},
	} {
		values, _ := property(want.schema, want.name)["x-extensible-enum"].([]any)
		if !slices.Contains(values, any(want.value)) {
			t.Errorf("%s.%s: got the values %v", want.schema, want.name, values)
		}
	}
}

func TestEveryEventHasAWebhookWithItsSample(t *testing.T) {
	webhooks := decoded(t, document(t))["webhooks"].(dict)
	if len(webhooks) != len(lost.EventTypes()) {
		t.Errorf("%d webhooks are described, want %d", len(webhooks), len(lost.EventTypes()))
	}
	for _, kind := range lost.EventTypes() {
		post := webhooks[string(kind)].(dict)["post"].(dict)
		example := post["requestBody"].(dict)["content"].(dict)["application/json"].(dict)["example"].(dict)
		sample, err := v1.SampleEvent(kind)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(decoded(t, sample), example); d != "" || example["eventType"] != string(kind) {
			t.Errorf("%s: the example is not the sample (-sample +example):\n%s", kind, d)
		}
	}
}
