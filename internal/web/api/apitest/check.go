package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// exchange is a request and its response, with the recorded part of their bodies.
type exchange struct {
	request  *http.Request
	sent     []byte
	sentAll  bool // sent is the whole body
	response *http.Response
	body     []byte
	bodyAll  bool
}

// check returns all differences between an exchange and the document.
func (c *Checker) check(x exchange) error {
	if x.request.Method == http.MethodOptions { // a browser asks whether a website may use an operation
		return nil
	}
	_, pattern := c.routes.Handler(withoutSlash(x.request))
	op := c.operations[pattern]
	if op == nil {
		return x.named("no operation", c.checkUnmatched(x, pattern))
	}
	described, ok := op.responses[x.response.StatusCode]
	if !ok {
		return x.named(op.id, errors.New("the status is not documented"))
	}
	errs := []error{described.check(x)}
	if x.response.StatusCode < http.StatusMultipleChoices {
		c.markSeen(op.id)
		errs = append(errs, op.checkBody(x), op.checkQuery(x))
	}
	return x.named(op.id, errors.Join(errs...))
}

// withoutSlash returns a request without the slash at the end of its path, which the API ignores. An escaped slash is
// not ignored.
func withoutSlash(r *http.Request) *http.Request {
	if !strings.HasSuffix(r.URL.EscapedPath(), "/") {
		return r
	}
	out := r.Clone(r.Context())
	out.URL.Path = strings.TrimSuffix(r.URL.Path, "/")
	return out
}

// named adds the request and the status to an error.
func (x exchange) named(id string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s -> %d (%s): %w", x.request.Method, x.request.URL.RequestURI(), x.response.StatusCode, id,
		err)
}

// checkUnmatched checks the response to a path or method without an operation.
func (c *Checker) checkUnmatched(x exchange, pattern string) error {
	want := http.StatusNotFound
	if pattern != "" {
		want = http.StatusMethodNotAllowed
	}
	described, known := c.unmatched[want]
	if x.response.StatusCode != want || !known {
		return errors.New("the document has no such operation")
	}
	if want == http.StatusMethodNotAllowed && x.response.Header.Get("Allow") == "" {
		return errors.New("the header Allow is missing")
	}
	return described.check(x)
}

func (a response) check(x exchange) error {
	var errs []error
	for name, h := range a.headers {
		errs = append(errs, h.check(name, x.response.Header.Values(name)))
	}
	return errors.Join(append(errs, a.checkBody(x))...)
}

func (h header) check(name string, values []string) error {
	if len(values) == 0 {
		if h.required {
			return fmt.Errorf("the header %s is missing", name)
		}
		return nil
	}
	if err := h.schema.Validate(typed(h.schema, values[0])); err != nil {
		return fmt.Errorf("the header %s: %w", name, err)
	}
	return nil
}

func (a response) checkBody(x exchange) error {
	contentType := x.response.Header.Get("Content-Type")
	if len(a.content) == 0 {
		if len(x.body) > 0 || contentType != "" {
			return errors.New("there is a body, and none is documented")
		}
		return nil
	}
	mediaType, _, _ := mime.ParseMediaType(contentType)
	schema, known := a.content[mediaType]
	switch {
	case !known:
		return fmt.Errorf("the content type %q is not documented", contentType)
	case x.request.Method == http.MethodHead:
		return nil
	case !x.bodyAll:
		return errors.New("the body could not be read completely, or is too large to be checked")
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(x.body))
	if err != nil {
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	if err := schema.Validate(v); err != nil {
		return fmt.Errorf("the body: %w", err)
	}
	return sameStatus(mediaType, v, x.response.StatusCode)
}

// sameStatus returns an error if the status in a problem differs from the status of the response.
func sameStatus(mediaType string, v any, status int) error {
	problem, is := v.(map[string]any)
	if mediaType != "application/problem+json" || !is || problem["status"] == json.Number(strconv.Itoa(status)) {
		return nil
	}
	return fmt.Errorf("the problem says that its status is %v", problem["status"])
}

// checkBody checks that the document allows the body of a request that the service accepted.
func (op *operation) checkBody(x exchange) error {
	if len(op.bodies) == 0 || !x.sentAll {
		return nil
	}
	if op.id == "create-items" { // it refuses invalid elements one by one, in a response with status 200
		return nil
	}
	if len(x.sent) == 0 {
		if op.bodyRequired {
			return errors.New("accepted without the body that is documented as required")
		}
		return nil
	}
	mediaType, params, _ := mime.ParseMediaType(x.request.Header.Get("Content-Type"))
	schema, known := op.bodies[mediaType]
	if !known {
		return fmt.Errorf("accepted a request of the undocumented content type %q", mediaType)
	}
	_, alsoJSON := op.bodies["application/json"]
	v, err := sentValue(mediaType, params["boundary"], x.sent, alsoJSON)
	if err != nil {
		return fmt.Errorf("accepted a request that cannot be read: %w", err)
	}
	if err := schema.Validate(trimmed(v)); err != nil {
		return fmt.Errorf("accepted a request that the document forbids: %w", err)
	}
	return nil
}

// sentValue returns a request's body as a value that the schemas describe. For a form, the value contains the names
// of the parts. A part with files is a list if there may be several.
func sentValue(mediaType, boundary string, body []byte, several bool) (any, error) {
	if mediaType != "multipart/form-data" {
		return jsonschema.UnmarshalJSON(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	}
	parts := map[string]any{}
	form := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return parts, nil
		}
		if err != nil {
			return nil, err
		}
		if several && part.FileName() != "" {
			files, _ := parts[part.FormName()].([]any)
			parts[part.FormName()] = append(files, "file")
			continue
		}
		parts[part.FormName()] = "file"
	}
}

// trimmed returns v with every text trimmed and without empty texts, because the service does the same before it
// validates them.
func trimmed(v any) any {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case []any:
		for i := range v {
			v[i] = trimmed(v[i])
		}
	case map[string]any:
		for name := range v {
			if v[name] = trimmed(v[name]); v[name] == any("") {
				delete(v, name)
			}
		}
	}
	return v
}

// checkQuery checks that the document allows the query parameters of a request that the service accepted.
func (op *operation) checkQuery(x exchange) error {
	var errs []error
	query := x.request.URL.Query()
	for name, schema := range op.query {
		values := query[name]
		if len(values) == 0 {
			continue
		}
		if err := schema.Validate(queryValue(schema, values)); err != nil {
			errs = append(errs, fmt.Errorf("accepted a query that the document forbids: %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

func queryValue(schema *jsonschema.Schema, values []string) any {
	if !has(schema, "array") {
		return typed(schema, values[0])
	}
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// typed converts a text to a number if the schema requires a number.
func typed(schema *jsonschema.Schema, text string) any {
	if n, err := strconv.Atoi(text); err == nil && has(schema, "integer") {
		return n
	}
	return text
}

func has(schema *jsonschema.Schema, kind string) bool {
	return schema.Types != nil && slices.Contains(schema.Types.ToStrings(), kind)
}
