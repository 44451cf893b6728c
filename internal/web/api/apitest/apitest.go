// Package apitest checks that the API conforms to its OpenAPI document. A Checker reads the document. Tests use its
// Transport in their HTTP client: it checks every request and response under /v1 against the document, in addition to
// what the test itself checks.
package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Checker checks requests and responses against a document. It is safe for concurrent use.
type Checker struct {
	routes     *http.ServeMux
	operations map[string]*operation // keyed by route pattern
	unmatched  map[int]response      // for paths and methods without an operation, keyed by status

	mu   sync.Mutex
	seen map[string]bool // operations that succeeded
}

// operation is one operation of the document with compiled schemas.
type operation struct {
	id           string
	bodyRequired bool
	bodies       map[string]*jsonschema.Schema // by media type
	query        map[string]*jsonschema.Schema
	responses    map[int]response
}

// response is a documented response.
type response struct {
	headers map[string]header
	content map[string]*jsonschema.Schema // by media type; empty if there is no body
}

type header struct {
	required bool
	schema   *jsonschema.Schema
}

// NewChecker reads an OpenAPI 3.1 document and compiles its schemas.
func NewChecker(doc []byte) (*Checker, error) {
	b, err := newBinder(doc)
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	c := &Checker{
		routes: http.NewServeMux(), operations: map[string]*operation{}, unmatched: map[int]response{},
		seen: map[string]bool{},
	}
	for path, item := range b.doc.Paths {
		c.handleOtherMethods(path, item)
		for method, described := range item {
			pattern := strings.ToUpper(method) + " " + path
			c.routes.Handle(pattern, http.NotFoundHandler())
			c.operations[pattern] = b.operation(pointer("#", "paths", path, method), described)
		}
	}
	for name, status := range map[string]int{
		"not-found": http.StatusNotFound, "problem": http.StatusMethodNotAllowed,
	} {
		if described, ok := b.doc.Components.Responses[name]; ok {
			c.unmatched[status] = b.response(pointer("#", "components", "responses", name), described)
		}
	}
	return c, errors.Join(b.errs...)
}

// handleOtherMethods mounts the methods of a path that the document does not describe.
func (c *Checker) handleOtherMethods(path string, item map[string]operationDoc) {
	if !strings.Contains(path, "/items/bulk") {
		c.routes.Handle(path, http.NotFoundHandler())
		return
	}
	for _, method := range []string{"get", "post", "put", "patch", "delete"} { // as in package api
		if _, described := item[method]; !described {
			c.routes.Handle(strings.ToUpper(method)+" "+path, http.NotFoundHandler())
		}
	}
}

// Unseen lists the operations that have not yet succeeded.
func (c *Checker) Unseen() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, op := range c.operations {
		if !c.seen[op.id] {
			out = append(out, op.id)
		}
	}
	slices.Sort(out)
	return out
}

func (c *Checker) markSeen(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[id] = true
}

// The parts of a document that the checker uses.
type (
	document struct {
		Paths      map[string]map[string]operationDoc
		Components struct {
			Responses map[string]responseDoc
			Headers   map[string]headerDoc
		}
	}
	operationDoc struct {
		OperationID string
		Parameters  []struct{ Name, In string }
		RequestBody struct {
			Required bool
			Content  map[string]any
		}
		Responses map[string]responseDoc
	}
	responseDoc struct {
		Ref     string `json:"$ref"`
		Headers map[string]headerDoc
		Content map[string]any
	}
	headerDoc struct {
		Ref      string `json:"$ref"`
		Required bool
	}
)

// binder compiles the parts of a document and collects errors.
type binder struct {
	doc     document
	schemas *jsonschema.Compiler
	errs    []error
}

// resource is the URL that identifies the document in error messages.
const resource = "mem:///openapi.json"

func newBinder(doc []byte) (*binder, error) {
	b := &binder{schemas: jsonschema.NewCompiler()}
	if err := json.Unmarshal(doc, &b.doc); err != nil {
		return nil, err
	}
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return nil, err
	}
	b.schemas.DefaultDraft(jsonschema.Draft2020)
	b.schemas.AssertFormat()
	b.schemas.RegisterFormat(&jsonschema.Format{Name: "idn-email", Validate: validEmail})
	closeSchemas(whole)
	return b, b.schemas.AddResource(resource, whole)
}

// closeSchemas makes the open schemas of responses strict: a document allows later versions to add fields and values,
// but this service must respond with documented ones.
func closeSchemas(v any) {
	whole, _ := v.(map[string]any)
	components, _ := whole["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	for _, s := range schemas {
		schema, _ := s.(map[string]any)
		if _, stated := schema["additionalProperties"]; !stated && schema["properties"] != nil {
			schema["additionalProperties"] = false
		}
		properties, _ := schema["properties"].(map[string]any)
		for _, p := range properties {
			closeEnumeration(p)
		}
	}
}

// closeEnumeration makes the open enumeration of a field, or of the elements of a list, strict.
func closeEnumeration(v any) {
	schema, is := v.(map[string]any)
	if !is {
		return
	}
	closeEnumeration(schema["items"])
	values, open := schema["x-extensible-enum"].([]any)
	if !open {
		return
	}
	if kinds, several := schema["type"].([]any); several && slices.Contains(kinds, any("null")) {
		values = append(slices.Clone(values), nil)
	}
	schema["enum"] = values
}

// validEmail checks an e-mail address, which may contain non-ASCII characters. The library supports only ASCII.
func validEmail(v any) error {
	s, is := v.(string)
	if !is {
		return nil
	}
	a, err := mail.ParseAddress(s)
	if err == nil && a.Address != s {
		err = errors.New("more than a bare address")
	}
	return err
}

func (b *binder) operation(at string, d operationDoc) *operation {
	op := &operation{
		id: d.OperationID, bodyRequired: d.RequestBody.Required,
		bodies: map[string]*jsonschema.Schema{}, query: map[string]*jsonschema.Schema{}, responses: map[int]response{},
	}
	for mediaType := range d.RequestBody.Content {
		op.bodies[mediaType] = b.schema(pointer(at, "requestBody", "content", mediaType, "schema"))
	}
	for i, p := range d.Parameters {
		if p.In == "query" {
			op.query[p.Name] = b.schema(pointer(at, "parameters", strconv.Itoa(i), "schema"))
		}
	}
	for status, described := range d.Responses {
		if status == "default" { // for problems of later versions: this service must respond as documented
			continue
		}
		n, err := strconv.Atoi(status)
		if err != nil {
			b.errs = append(b.errs, fmt.Errorf("%s: the status %q is not a number", at, status))
		}
		op.responses[n] = b.response(pointer(at, "responses", status), described)
	}
	return op
}

func (b *binder) response(at string, d responseDoc) response {
	if name, is := strings.CutPrefix(d.Ref, "#/components/responses/"); is {
		at, d = pointer("#", "components", "responses", name), b.doc.Components.Responses[name]
	}
	out := response{headers: map[string]header{}, content: map[string]*jsonschema.Schema{}}
	for name, described := range d.Headers {
		within := pointer(at, "headers", name)
		if of, is := strings.CutPrefix(described.Ref, "#/components/headers/"); is {
			within, described = pointer("#", "components", "headers", of), b.doc.Components.Headers[of]
		}
		out.headers[name] = header{required: described.Required, schema: b.schema(pointer(within, "schema"))}
	}
	for mediaType := range d.Content {
		out.content[mediaType] = b.schema(pointer(at, "content", mediaType, "schema"))
	}
	return out
}

func (b *binder) schema(at string) *jsonschema.Schema {
	s, err := b.schemas.Compile(resource + at)
	if err != nil {
		b.errs = append(b.errs, fmt.Errorf("the schema at %s: %w", at, err))
	}
	return s
}

// pointer extends a JSON pointer in the fragment of a URL.
func pointer(at string, names ...string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for _, name := range names {
		at += "/" + url.PathEscape(escape.Replace(name))
	}
	return at
}
