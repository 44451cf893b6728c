package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// The limits of one call.
const (
	callTimeout = 30 * time.Second
	maxResponse = 4 << 20 // bytes, of a record, a list or a photo
)

// errPublishable is the error for a key that is meant for web pages. It is no secret, so agents cannot use it.
var errPublishable = errors.New("this is a publishable key, for web pages; use a secret API key (hw_…)")

// Client calls the API of a service with one API key.
type Client struct {
	base      string // URL of the service, without a slash at the end
	key       string
	requestID string // of the request that the calls belong to; may be empty
	http      *http.Client
}

// NewClient returns a client for the service at a URL. The transport sends the requests.
func NewClient(base, key string, transport http.RoundTripper) (*Client, error) {
	if strings.HasPrefix(key, lost.PublishablePrefix) {
		return nil, errPublishable
	}
	return &Client{
		base: strings.TrimRight(base, "/"), key: key,
		http: &http.Client{
			Transport: transport,
			// A redirect could take the key to another host.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// call is one call of the API.
type call struct {
	method, path   string
	query          url.Values
	body           []byte // JSON; nil for none
	idempotencyKey string
}

// repeatable reports whether the call may be sent again after the connection failed.
func (c call) repeatable() bool { return c.method == http.MethodGet || c.idempotencyKey != "" }

// account returns the account that the key belongs to, with the properties of the key.
func (c *Client) account(ctx context.Context) (account v1.Account, err error) {
	body, err := c.do(ctx, call{method: http.MethodGet, path: "/v1/account"})
	if err != nil {
		return account, err
	}
	if err := json.Unmarshal(body, &account); err != nil {
		return account, fmt.Errorf("%s is not a Homeward service: %w", c.base, err)
	}
	return account, nil
}

// do calls the API and returns the body of its response. If the API returns a problem, the error is an *apiError.
func (c *Client) do(ctx context.Context, in call) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	address := c.base + in.path
	if len(in.query) > 0 {
		address += "?" + in.query.Encode()
	}
	send := func() (response, error) {
		r, err := http.NewRequestWithContext(ctx, in.method, address, bytes.NewReader(in.body))
		if err != nil {
			return response{}, err
		}
		r.Header.Set("Authorization", "Bearer "+c.key)
		r.Header.Set("Accept", "application/json")
		if in.body != nil {
			r.Header.Set("Content-Type", "application/json")
		}
		if in.idempotencyKey != "" {
			r.Header.Set("Idempotency-Key", in.idempotencyKey)
		}
		return c.send(r)
	}
	res, err := send()
	if err != nil && in.repeatable() && ctx.Err() == nil {
		res, err = send()
	}
	if err != nil {
		return nil, err
	}
	if res.status < 200 || res.status > 299 {
		return nil, newAPIError(res)
	}
	return res.body, nil
}

// file returns a photo, given its URL in a record. The service may know itself by another address than this client, so
// only the path of the URL counts. Files need no key.
func (c *Client) file(ctx context.Context, fileURL string) ([]byte, error) {
	u, err := url.Parse(fileURL)
	if err != nil || !strings.HasPrefix(u.Path, "/files/") {
		return nil, errors.New("the photo is not stored by the service")
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+u.EscapedPath(), nil)
	if err != nil {
		return nil, err
	}
	res, err := c.send(r)
	if err != nil {
		return nil, err
	}
	if res.status != http.StatusOK {
		return nil, newAPIError(res)
	}
	return res.body, nil
}

// response is a response of the service with its whole body.
type response struct {
	status int
	header http.Header
	body   []byte
}

func (c *Client) send(r *http.Request) (response, error) {
	if c.requestID != "" {
		r.Header.Set(respond.RequestIDHeader, c.requestID)
	}
	res, err := c.http.Do(r)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // without the URL, whose query may contain a guest's name
	}
	if err != nil {
		return response{}, fmt.Errorf("%s does not respond: %w", c.base, err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxResponse+1))
	if err != nil {
		return response{}, fmt.Errorf("the response of %s is incomplete: %w", c.base, err)
	}
	if len(body) > maxResponse {
		return response{}, fmt.Errorf("the response is larger than %d MiB; ask for less", maxResponse>>20)
	}
	return response{res.StatusCode, res.Header, body}, nil
}

// apiError is an error response of the API.
type apiError struct {
	response
	problem v1.Problem // zero if the response is no problem, for example because it comes from a proxy
}

func newAPIError(res response) *apiError {
	e := &apiError{response: res}
	if strings.HasPrefix(res.header.Get("Content-Type"), "application/problem+json") {
		_ = json.Unmarshal(res.body, &e.problem) // a broken body is the same as none
	}
	return e
}

// Error returns what is wrong and what to do about it. Each invalid field is on a line of its own.
func (e *apiError) Error() string {
	if e.problem.Detail == "" {
		return fmt.Sprintf("the service responded with status %d and no explanation; check its address", e.status)
	}
	lines := []string{e.problem.Detail}
	for _, f := range e.problem.Errors {
		lines = append(lines, "- "+f.Field+" "+f.Message)
	}
	if e.status >= http.StatusInternalServerError {
		lines = append(lines, "requestId: "+e.problem.RequestID)
	}
	return strings.Join(lines, "\n")
}
