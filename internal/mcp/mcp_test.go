package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"homeward/internal/mcp"
	"homeward/internal/services"
	v1 "homeward/internal/v1"
	"homeward/internal/web/api"
)

// described is the part of the OpenAPI document that the tests compare the tools with.
type described struct {
	Paths map[string]map[string]struct {
		Parameters []struct {
			Name   string         `json:"name"`
			In     string         `json:"in"`
			Schema map[string]any `json:"schema"`
		} `json:"parameters"`
		RequestBody struct {
			Content map[string]struct {
				Schema map[string]any `json:"schema"`
			} `json:"content"`
		} `json:"requestBody"`
	} `json:"paths"`
	Components struct {
		Schemas map[string]map[string]any `json:"schemas"`
	} `json:"components"`
}

func document(t *testing.T) (d described) {
	t.Helper()
	a, err := api.New(&services.Services{}, v1.Encoder{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	a.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// fields returns the fields that an operation accepts, with their schemas.
func (d described) fields(t *testing.T, method, path string) map[string]any {
	t.Helper()
	names := regexp.MustCompile(`\{[^}]+\}`)
	for described, methods := range d.Paths {
		op, found := methods[strings.ToLower(method)]
		if !found || names.ReplaceAllString(described, "{}") != names.ReplaceAllString(path, "{}") {
			continue
		}
		all := map[string]any{}
		for _, p := range op.Parameters {
			if p.In == "query" {
				all[p.Name] = p.Schema
			}
		}
		maps.Copy(all, d.properties(op.RequestBody.Content["application/json"].Schema))
		return all
	}
	t.Fatalf("the document has no %s %s", method, path)
	return nil
}

// properties returns the properties of an object.
func (d described) properties(schema map[string]any) map[string]any {
	if ref, ok := schema["$ref"].(string); ok {
		schema = d.Components.Schemas[ref[strings.LastIndexByte(ref, '/')+1:]]
	}
	for _, one := range anyList(schema["anyOf"], schema["allOf"], schema["oneOf"]) {
		if found := d.properties(one); len(found) > 0 {
			return found
		}
	}
	found, _ := schema["properties"].(map[string]any)
	return found
}

func anyList(lists ...any) (out []map[string]any) {
	for _, l := range lists {
		all, _ := l.([]any)
		for _, one := range all {
			out = append(out, one.(map[string]any))
		}
	}
	return out
}

func TestArgumentsOfToolsAreFieldsOfTheAPI(t *testing.T) {
	d := document(t)
	for _, op := range mcp.Operations() {
		known := d.fields(t, op.Method, op.Path)
		arguments := maps.Clone(asJSON(t, op.Schema)["properties"].(map[string]any))
		maps.DeleteFunc(arguments, func(name string, _ any) bool {
			return strings.Contains(op.Path, "{"+name+"}") || op.Method == http.MethodPost && name == "idempotencyKey"
		})
		for _, difference := range d.compare(arguments, known, op.Tool) {
			t.Errorf("%s, unlike %s %s", difference, op.Method, op.Path)
		}
	}
}

// asJSON returns a schema as a client reads it.
func asJSON(t *testing.T, schema map[string]any) (out map[string]any) {
	t.Helper()
	text, err := json.Marshal(schema)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// compare lists the arguments that are not fields of an operation, or have other limits.
func (d described) compare(arguments, fields map[string]any, at string) (differences []string) {
	for name, schema := range arguments {
		path, argument := at+"."+name, schema.(map[string]any)
		field, known := fields[name].(map[string]any)
		if !known {
			differences = append(differences, path+" does not exist")
			continue
		}
		if inner, nested := argument["properties"].(map[string]any); nested {
			differences = append(differences, d.compare(inner, d.properties(field), path)...)
			continue
		}
		if got, want := d.limits(argument), d.limits(field); !reflect.DeepEqual(got, want) {
			differences = append(differences, fmt.Sprintf("%s has the limits %v, not %v", path, got, want))
		}
	}
	return differences
}

// limits returns the keywords of a value's schema that restrict it, also those of the elements of a list.
func (d described) limits(schema map[string]any) map[string]any {
	if ref, ok := schema["$ref"].(string); ok {
		schema = d.Components.Schemas[ref[strings.LastIndexByte(ref, '/')+1:]]
	}
	found := map[string]any{}
	for _, one := range append(anyList(schema["anyOf"], schema["allOf"], schema["oneOf"]), schema) {
		for _, keyword := range []string{"maxLength", "minimum", "maximum", "exclusiveMinimum"} {
			if value, is := one[keyword]; is {
				found[keyword] = value
			}
		}
		if values, is := one["enum"].([]any); is {
			found["enum"] = slices.DeleteFunc(slices.Clone(values), func(v any) bool { return v == nil }) // null clears
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		for keyword, value := range d.limits(items) {
			found["items."+keyword] = value
		}
	}
	return found
}

func TestEveryPlaceholderOfAPathIsARequiredArgument(t *testing.T) {
	for _, op := range mcp.Operations() {
		for _, m := range regexp.MustCompile(`\{([^}]+)\}`).FindAllStringSubmatch(op.Path, -1) {
			if !slices.Contains(op.Schema["required"].([]string), m[1]) {
				t.Errorf("%s does not require %s", op.Tool, m[1])
			}
		}
	}
}

// flakyTransport loses every second response.
type flakyTransport struct {
	base http.RoundTripper
	sent []*http.Request
}

func (f *flakyTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	f.sent = append(f.sent, r)
	if len(f.sent)%2 == 0 { // the first one asks for the account
		_, _ = f.base.RoundTrip(r) // the service did it, but the response is lost
		return nil, errors.New("connection reset")
	}
	return f.base.RoundTrip(r)
}

// serviceStub responds like the API, always with the same account and the same item.
func serviceStub() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/account", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id": "acc_1", "key": {"id": "key_1", "role": "admin"}}`)
	})
	mux.HandleFunc("/v1/", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id": "item_1"}`)
	})
	return mux
}

// connect runs Serve with a transport and returns a session with it.
func connect(t *testing.T, transport http.RoundTripper) *sdk.ClientSession {
	t.Helper()
	client, err := mcp.NewClient("http://homeward.example/", "hw_a-key", transport)
	if err != nil {
		t.Fatal(err)
	}
	in, fromAgent := io.Pipe()
	toAgent, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- mcp.Serve(context.Background(), client, "test", in, out) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &sdk.IOTransport{Reader: toAgent, Writer: fromAgent}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		<-ended
	})
	return session
}

func TestARecordingIsSentAgainWithTheSameKeyIfTheConnectionFails(t *testing.T) {
	transport := &flakyTransport{base: mcp.NewLocalTransport(serviceStub(), "")}
	res, err := connect(t, transport).CallTool(t.Context(), &sdk.CallToolParams{
		Name: "record_find", Arguments: map[string]any{"locationId": "loc_1", "description": "Hat"},
	})
	if err != nil || res.IsError || len(transport.sent) != 3 {
		t.Fatalf("%v, %v, %d requests", err, res, len(transport.sent))
	}
	first, second := transport.sent[1].Header.Get("Idempotency-Key"), transport.sent[2].Header.Get("Idempotency-Key")
	if first == "" || first != second {
		t.Errorf("the idempotency keys are %q and %q", first, second)
	}
}

func TestADecisionIsNotSentAgainIfTheConnectionFails(t *testing.T) {
	transport := &flakyTransport{base: mcp.NewLocalTransport(serviceStub(), "")}
	res, err := connect(t, transport).CallTool(t.Context(), &sdk.CallToolParams{
		Name:      "decide_request",
		Arguments: map[string]any{"locationId": "loc_1", "requestId": "item_1", "type": "reject"},
	})
	if err != nil || !res.IsError || len(transport.sent) != 2 {
		t.Fatalf("%v, %v, %d requests", err, res, len(transport.sent))
	}
	if text := res.Content[0].(*sdk.TextContent).Text; !strings.Contains(text, "does not respond: connection reset") {
		t.Errorf("the error is %q", text)
	}
}

func TestServeEndsWithAnErrorIfTheKeyIsNotAccepted(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"a problem": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"detail": "The API key has expired.", "status": 401}`)
		}, "The API key has expired."},
		"no problem": {http.NotFound, "status 404 and no explanation"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.example/", http.StatusFound)
		}, "status 302"},
		"a page": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
			"not a Homeward service"},
		"an abort": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "aborted"},
		"a flood": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(make([]byte, mcp.MaxResponse+100))
		}, "larger than 4 MiB"},
	} {
		client, err := mcp.NewClient("http://homeward.example", "hw_a-key", mcp.NewLocalTransport(c.handler, ""))
		if err != nil {
			t.Fatal(err)
		}
		err = mcp.Serve(t.Context(), client, "test", io.NopCloser(strings.NewReader("")), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hw_a-key") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestAPublishableKeyIsRefused(t *testing.T) {
	if _, err := mcp.NewClient("http://homeward.example", "hwp_abc", nil); err == nil {
		t.Error("a publishable key was accepted")
	}
}

func TestAPanicEndsOneMethodOnly(t *testing.T) {
	var log bytes.Buffer
	middleware := mcp.RecoverPanics(slog.New(slog.NewTextHandler(&log, nil))).(sdk.Middleware)
	_, err := middleware(func(context.Context, string, sdk.Request) (sdk.Result, error) { panic("oh no") })(
		t.Context(), "tools/call", nil)
	if err == nil || strings.Contains(err.Error(), "oh no") || !strings.Contains(log.String(), "oh no") {
		t.Errorf("%v, %s", err, log.String())
	}
}
