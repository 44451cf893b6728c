// Command gateway runs a tour of the API through the client that oapi-codegen generates. It starts a server, gives its
// address to the tour in HOMEWARD_URL, and passes every request to the service with the generated method and types.
// A request fails if a value is lost on the way, in either direction.
//
//	gateway tour -test.run=TestTour
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"time"

	"homeward/tools/oapi-codegen/api"
)

func main() {
	if err := run(os.Getenv("HOMEWARD_URL"), os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(service string, tour []string) error {
	client, err := api.NewClientWithResponses(service)
	if err != nil {
		return err
	}
	operations, err := readOperations(service)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	for pattern, id := range operations {
		o, err := newOperation(client, pattern, id)
		if err != nil {
			return err
		}
		mux.Handle(pattern, o)
	}
	server := httptest.NewServer(mux)
	defer server.Close()
	cmd := exec.Command(tour[0], tour[1:]...)
	cmd.Env = append(os.Environ(), "HOMEWARD_URL="+server.URL)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// readOperations reads the service's OpenAPI document. It returns operation ids keyed by patterns such as
// "GET /v1/items".
func readOperations(service string) (map[string]string, error) {
	res, err := http.Get(service + "/openapi.json")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.NewDecoder(res.Body).Decode(&document); err != nil {
		return nil, err
	}
	operations := map[string]string{}
	for path, methods := range document.Paths {
		for method, o := range methods {
			operations[strings.ToUpper(method)+" "+path] = o.OperationID
		}
	}
	return operations, nil
}

// operation calls one method of the generated client.
type operation struct {
	id     string
	path   []string // the names of the parameters in the path, in order
	method reflect.Value
	upload reflect.Value // takes any body, such as a form with files; the zero value if there is no such method
}

var pathParameter = regexp.MustCompile(`{(\w+)}`)

// newOperation finds the methods of an operation. Only forms with files need the one that takes any body.
func newOperation(client *api.ClientWithResponses, pattern, id string) (*operation, error) {
	o := &operation{id: id}
	for _, match := range pathParameter.FindAllStringSubmatch(pattern, -1) {
		o.path = append(o.path, match[1])
	}
	name := strings.ReplaceAll(id, "-", "")
	methods := reflect.ValueOf(client)
	for i := range methods.NumMethod() {
		switch has := methods.Type().Method(i).Name; {
		case strings.EqualFold(has, name+"WithResponse"):
			o.method = methods.Method(i)
		case strings.EqualFold(has, name+"WithBodyWithResponse"):
			o.upload = methods.Method(i)
		}
	}
	if !o.method.IsValid() && !o.upload.IsValid() {
		return nil, fmt.Errorf("the generated client has no method for %s", id)
	}
	return o, nil
}

// methodFor returns the method for a request.
func (o *operation) methodFor(r *http.Request) reflect.Value {
	isForm := strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/")
	if !o.method.IsValid() || isForm && o.upload.IsValid() {
		return o.upload
	}
	return o.method
}

func (o *operation) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := o.pass(w, r); err != nil {
		http.Error(w, fmt.Sprintf("gateway: %s: %v", o.id, err), http.StatusInternalServerError)
	}
}

// pass calls the service and writes its answer as the generated types encode it.
func (o *operation) pass(w http.ResponseWriter, r *http.Request) error {
	method := o.methodFor(r)
	arguments, err := o.arguments(r, method.Type())
	if err != nil {
		return err
	}
	results := method.Call(arguments)
	if err, failed := results[1].Interface().(error); failed {
		return err
	}
	response := results[0].Elem()
	header := response.FieldByName("HTTPResponse").Interface().(*http.Response)
	body := response.FieldByName("Body").Bytes()
	if len(body) > 0 {
		decoded, err := decodedAnswer(response)
		if err == nil {
			body, err = encodeAll(decoded, body)
		}
		if err != nil {
			return fmt.Errorf("answer %s: %w", header.Status, err)
		}
	}
	for _, name := range []string{"Content-Type", "ETag", "Location", "Retry-After"} {
		w.Header()[name] = header.Header.Values(name)
	}
	w.WriteHeader(header.StatusCode)
	_, err = w.Write(body)
	return err
}

// decodedAnswer returns the field of a generated response that has the decoded body, such as JSON200.
func decodedAnswer(response reflect.Value) (any, error) {
	for i := range response.NumField() {
		field := response.Field(i)
		if strings.Contains(response.Type().Field(i).Name, "JSON") && !field.IsNil() {
			return field.Interface(), nil
		}
	}
	return nil, errors.New("the generated client did not decode the body")
}

// arguments returns the arguments of the generated method: the context, the parameters in the path, the other
// parameters, the body, and a function that adds the key.
func (o *operation) arguments(r *http.Request, t reflect.Type) ([]reflect.Value, error) {
	arguments := []reflect.Value{reflect.ValueOf(r.Context())}
	for _, name := range o.path {
		arguments = append(arguments, reflect.ValueOf(r.PathValue(name)))
	}
	parameters := values(r)
	for len(arguments) < t.NumIn()-1 {
		in := t.In(len(arguments))
		switch {
		case in.Kind() == reflect.Pointer:
			argument := reflect.New(in.Elem())
			if err := fill(argument.Elem(), parameters); err != nil {
				return nil, err
			}
			arguments = append(arguments, argument)
		case in.Kind() == reflect.String:
			arguments = append(arguments, reflect.ValueOf(r.Header.Get("Content-Type")), reflect.ValueOf(r.Body))
		default:
			body, err := decodeBody(r, in)
			if err != nil {
				return nil, err
			}
			arguments = append(arguments, body)
		}
	}
	if len(parameters) > 0 {
		return nil, fmt.Errorf("the generated client has no parameters for %v", parameters)
	}
	authenticate := func(_ context.Context, out *http.Request) error {
		out.Header.Set("Authorization", r.Header.Get("Authorization"))
		return nil
	}
	return append(arguments, reflect.ValueOf(api.RequestEditorFn(authenticate))), nil
}

// values returns the parameters in the query and in the headers of a request.
func values(r *http.Request) map[string][]string {
	parameters := map[string][]string(r.URL.Query())
	for _, name := range []string{"Idempotency-Key", "If-Match", "If-None-Match"} {
		if value := r.Header.Get(name); value != "" {
			parameters[name] = []string{value}
		}
	}
	return parameters
}

// fill moves parameters to the fields of a generated struct.
func fill(out reflect.Value, parameters map[string][]string) error {
	for i := range out.NumField() {
		name, _, _ := strings.Cut(out.Type().Field(i).Tag.Get("json"), ",")
		list, sent := parameters[name]
		if !sent {
			continue
		}
		delete(parameters, name)
		field := out.Field(i).Addr().Interface()
		var encoded []byte
		switch kind := baseKind(out.Field(i).Type()); kind {
		case reflect.Slice:
			encoded, _ = json.Marshal(list) // texts have no errors
		case reflect.String, reflect.Struct: // a struct is a time or a date
			encoded, _ = json.Marshal(list[0])
		default:
			encoded = []byte(list[0])
		}
		if err := json.Unmarshal(encoded, field); err != nil {
			return fmt.Errorf("parameter %s: %w", name, err)
		}
	}
	return nil
}

func baseKind(t reflect.Type) reflect.Kind {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind()
}

// decodeBody decodes the body of a request into the generated type.
func decodeBody(r *http.Request, t reflect.Type) (reflect.Value, error) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return reflect.Value{}, err
	}
	body := reflect.New(t)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(body.Interface()); err != nil {
		return reflect.Value{}, err
	}
	_, err = encodeAll(body.Interface(), text)
	return body.Elem(), err
}

// encodeAll encodes a value of a generated type. It fails if the result is not what was decoded.
func encodeAll(decoded any, from []byte) ([]byte, error) {
	text, err := json.Marshal(decoded)
	if err != nil {
		return nil, err
	}
	var before, after any
	if err := errors.Join(json.Unmarshal(from, &before), json.Unmarshal(text, &after)); err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(normalize(before), normalize(after)) {
		return nil, fmt.Errorf("%T changes\n%s\nto\n%s", decoded, from, text)
	}
	return text, nil
}

// addedField is the name of the field that the test adds to every answer.
const addedField = "addedInALaterVersion"

// normalize removes fields that the generated types do not know, and writes times in UTC.
func normalize(v any) any {
	switch v := v.(type) {
	case string:
		if at, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return at.UTC().Format(time.RFC3339Nano)
		}
	case []any:
		for i := range v {
			v[i] = normalize(v[i])
		}
	case map[string]any:
		delete(v, addedField)
		for name := range v {
			v[name] = normalize(v[name])
		}
	}
	return v
}
