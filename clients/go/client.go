// Package homeward is a client of the Homeward API, a lost-and-found service.
//
//	client, err := homeward.New("https://lost.example.com", os.Getenv("HOMEWARD_KEY"))
//	…
//	item, err := client.CreateItem(ctx, locationID, homeward.ItemInput{Description: "Black umbrella"})
//
// Every operation of the API is a method. Its types and comments are generated from the service's OpenAPI document.
// Lists also have an iterator over all their pages, such as AllItems. A request that the service refuses returns a
// *Problem.
//
// # Retries
//
// The client repeats a request at most three times, with growing random pauses, or after the time in Retry-After. It
// repeats only what is safe. After 429 and 503 the service has done nothing, so every request is repeated. After a lost
// connection, 502 and 504 nobody knows what the service did, so only a GET and a POST with an Idempotency-Key are
// repeated. The client adds such a key to each POST that accepts one.
//
// # Compatibility
//
// Responses may have fields and values that this version does not know. Unknown fields are ignored, and types such as
// ItemStatus are texts that can hold any value.
package homeward

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxResponse is the largest response that the client reads. The longest list is much smaller.
const maxResponse = 64 << 20

// Client calls the API of one service with one key. It is safe for concurrent use.
type Client struct {
	base    string
	key     string
	http    *http.Client
	retries int
}

// Option changes a Client.
type Option func(*Client)

// WithHTTPClient sets the HTTP client, for example to use a proxy. By default, a request may take five minutes.
func WithHTTPClient(client *http.Client) Option { return func(c *Client) { c.http = client } }

// WithRetries sets how many times a request is repeated; 0 means never. The default is 3.
func WithRetries(n int) Option { return func(c *Client) { c.retries = n } }

// New returns a client of the service at a URL such as https://lost.example.com. The key is sent as a bearer token,
// which the HTTP client does not pass on when another host redirects it.
func New(baseURL, key string, options ...Option) (*Client, error) {
	u, err := url.Parse(baseURL)
	if err != nil {
		return nil, fmt.Errorf("homeward: the URL of the service: %w", err)
	}
	if u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return nil, fmt.Errorf("homeward: the URL of the service must start with https:// or http://, not %q", baseURL)
	}
	if key == "" {
		return nil, errors.New("homeward: the API key is empty")
	}
	const longestCall, retries = 5 * time.Minute, 3
	c := &Client{
		base: strings.TrimSuffix(u.String(), "/"), key: key,
		http: &http.Client{Timeout: longestCall}, retries: retries,
	}
	for _, option := range options {
		option(c)
	}
	return c, nil
}

// CallOption changes one call.
type CallOption func(*callOptions)

type callOptions struct {
	header   http.Header
	response *Response
	images   []io.Reader
}

// WithHeader sets a header of the request.
func WithHeader(name, value string) CallOption {
	return func(o *callOptions) { o.header.Set(name, value) }
}

// WithImages attaches photos to a message of WriteItemThread or WriteRequestThread. They are read into memory.
func WithImages(images ...io.Reader) CallOption {
	return func(o *callOptions) { o.images = images }
}

// WithResponse stores the status and the headers of the response, for example its ETag.
func WithResponse(response *Response) CallOption {
	return func(o *callOptions) { o.response = response }
}

// Response has the status and the headers of a response.
type Response struct {
	Status int
	Header http.Header
}

// ETag returns the version of the record in the response, for WithIfMatch and WithIfNoneMatch.
func (r Response) ETag() string { return r.Header.Get("ETag") }

// ErrNotModified is returned by a call with WithIfNoneMatch if the record has not changed.
var ErrNotModified = errors.New("homeward: the record has not changed")

// request is a call before it is sent.
type request struct {
	method, path string
	query        url.Values
	body         any       // sent as JSON if it is not nil
	part         string    // the form part for file
	file         io.Reader // sent as a form if it is not nil
	repeatable   bool      // accepts an Idempotency-Key
}

// send sends a request, repeats it if that is safe and useful, and decodes the response.
func send[T any](ctx context.Context, c *Client, r request, options []CallOption) (response T, err error) {
	o := callOptions{header: http.Header{}}
	for _, option := range options {
		option(&o)
	}
	if r.repeatable && o.header.Get(idempotencyKey) == "" {
		o.header.Set(idempotencyKey, newKey())
	}
	body, err := newBody(r, o.images)
	if err != nil {
		return response, err
	}
	res, err := c.sendRepeatedly(ctx, r, body, o.header)
	if err != nil {
		return response, err
	}
	defer func() { _ = res.Body.Close() }()
	if o.response != nil {
		*o.response = Response{Status: res.StatusCode, Header: res.Header}
	}
	err = decode(res, &response)
	return response, err
}

// sendOnce sends a request once.
func (c *Client) sendOnce(ctx context.Context, r request, body *body, header http.Header) (*http.Response, error) {
	reader, err := body.open()
	if err != nil {
		return nil, err
	}
	address := c.base + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, reader)
	if err != nil {
		return nil, err
	}
	req.Header = header.Clone()
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Accept", "application/json, application/problem+json")
	req.Header.Set("User-Agent", "homeward-go/1")
	if body.contentType != "" {
		req.Header.Set("Content-Type", body.contentType)
		req.ContentLength = body.length
	}
	return c.http.Do(req)
}
