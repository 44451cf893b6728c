package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// tool is an operation of the API that agents can call. Arguments whose names are in the path fill the path. The others
// become the query of a GET, or the JSON body. The API validates them.
type tool struct {
	name, title, about string
	needs              lost.Permission // empty if every key may call it
	method, path       string
	arguments          []argument
	hints              sdk.ToolAnnotations
	result             func(json.RawMessage) (*sdk.CallToolResult, error)
}

// allowed reports whether a key may call the tool.
func (t tool) allowed(key v1.AccountKey) bool {
	if key.ReadOnly && !t.hints.ReadOnlyHint {
		return false
	}
	return t.needs == "" || lost.Role(key.Role).Has(t.needs)
}

// declaration returns the description that agents see.
func (t tool) declaration() *sdk.Tool {
	return &sdk.Tool{
		Name: t.name, Title: t.title, Description: t.about, Annotations: &t.hints,
		InputSchema: objectSchema(t.arguments),
	}
}

// handler returns a function that calls the tool with a client. A failed call is a result that the agent can read and
// correct, not an error of the protocol.
func (t tool) handler(c *Client) sdk.ToolHandler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		result, err := t.run(ctx, c, r.Params.Arguments)
		if err != nil {
			result = &sdk.CallToolResult{}
			result.SetError(err)
		}
		return result, nil
	}
}

func (t tool) run(ctx context.Context, c *Client, arguments json.RawMessage) (*sdk.CallToolResult, error) {
	in, err := t.call(arguments)
	if err != nil {
		return nil, err
	}
	body, err := c.do(ctx, in)
	if err != nil {
		return nil, err
	}
	return t.result(body)
}

// call converts the arguments to a call of the API.
func (t tool) call(arguments json.RawMessage) (call, error) {
	given := map[string]json.RawMessage{}
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &given); err != nil {
			return call{}, errors.New("the arguments must be a JSON object")
		}
	}
	in := call{method: t.method}
	var err error
	if in.path, err = t.fillPath(given); err != nil {
		return call{}, err
	}
	if t.method == http.MethodGet {
		in.query, err = query(given)
		return in, err
	}
	if t.method == http.MethodPost {
		if in.idempotencyKey, err = takeText(given, idempotencyKey); err != nil {
			return call{}, err
		}
		if in.idempotencyKey == "" {
			in.idempotencyKey = "mcp-" + rand.Text() // so that a call whose connection failed can be sent again
		}
	}
	in.body, err = json.Marshal(given)
	return in, err
}

// idempotencyKey is the argument with which agents can repeat a call safely.
const idempotencyKey = "idempotencyKey"

// fillPath fills the path with the arguments that it names, and removes them from given.
func (t tool) fillPath(given map[string]json.RawMessage) (string, error) {
	var missing []string
	segments := strings.Split(t.path, "/")
	for n, segment := range segments {
		if !strings.HasPrefix(segment, "{") {
			continue
		}
		name := strings.Trim(segment, "{}")
		id, err := takeText(given, name)
		if err != nil {
			return "", err
		}
		if id == "" {
			missing = append(missing, fmt.Sprintf("- %s is required: %s", name, t.describe(name)))
		}
		segments[n] = url.PathEscape(id)
	}
	if len(missing) > 0 {
		return "", fmt.Errorf("an argument is missing\n%s", strings.Join(missing, "\n"))
	}
	return strings.Join(segments, "/"), nil
}

// describe returns the description of an argument.
func (t tool) describe(name string) any {
	n := slices.IndexFunc(t.arguments, func(a argument) bool { return a.name == name })
	return t.arguments[n].schema["description"]
}

// takeText removes an argument and returns its value, which must be a string. It returns "" if there is none.
func takeText(given map[string]json.RawMessage, name string) (string, error) {
	raw, sent := given[name]
	delete(given, name)
	if !sent || isNull(raw) {
		return "", nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", fmt.Errorf("%s must be a string", name)
	}
	return strings.TrimSpace(s), nil
}

// query converts arguments to a query. A list becomes a repeated parameter.
func query(given map[string]json.RawMessage) (url.Values, error) {
	out := url.Values{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		values := []json.RawMessage{given[name]}
		if raw := given[name]; len(raw) > 0 && raw[0] == '[' {
			if err := json.Unmarshal(raw, &values); err != nil {
				return nil, err
			}
		}
		for _, raw := range values {
			s, err := queryValue(raw)
			if err != nil {
				return nil, fmt.Errorf("%s %w", name, err)
			}
			if !isNull(raw) {
				out.Add(name, s)
			}
		}
	}
	return out, nil
}

func queryValue(raw json.RawMessage) (string, error) {
	var s string
	switch {
	case len(raw) == 0 || raw[0] == '{' || raw[0] == '[':
		return "", errors.New("must be a string, a number or a list of strings")
	case raw[0] == '"':
		err := json.Unmarshal(raw, &s)
		return s, err
	default:
		return string(raw), nil // a number, true or false
	}
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }
