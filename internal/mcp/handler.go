package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// Options holds what the handler needs.
type Options struct {
	Service http.Handler // the whole service, which serves the calls of the API and the photos
	Base    string       // public URL of the service
	Version string
	Log     *slog.Logger
}

// handler serves agents over streamable HTTP. It keeps no sessions: every request carries the key and stands alone, so
// that any instance can serve it.
type handler struct {
	Options
	origin  string // of the service's own pages
	host    string
	reading chan struct{} // limits how many resources are read at once, because photos take much memory
}

// The limits for reading resources.
const (
	maxReading  = 4
	readingWait = 10 * time.Second
)

// NewHandler returns a handler for the address /mcp.
func NewHandler(o Options) (http.Handler, error) {
	base, err := url.Parse(o.Base)
	if err != nil {
		return nil, err
	}
	return &handler{
		Options: o, origin: base.Scheme + "://" + base.Host, host: base.Host, reading: make(chan struct{}, maxReading),
	}, nil
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.serve(w, r); err != nil {
		respond.Problem(w, err)
	}
}

func (h *handler) serve(w http.ResponseWriter, r *http.Request) error {
	if err := h.checkOrigin(r); err != nil {
		return err
	}
	client, err := h.client(w, r)
	if err != nil {
		return err
	}
	if r.Method != http.MethodPost { // without sessions there is nothing to listen to and nothing to delete
		return respond.MethodNotAllowed(w, r, []string{http.MethodPost})
	}
	account, err := client.account(r.Context())
	if refused, ok := errors.AsType[*apiError](err); ok {
		refused.writeTo(w)
		return nil
	}
	if err != nil {
		return err
	}
	respond.AddLogAttrs(w, slog.String("account", account.ID), slog.String("key", account.Key.ID))
	body, method, err := readMessage(r)
	if err != nil {
		return err
	}
	if method == "resources/read" {
		if err := h.awaitTurn(r.Context()); err != nil {
			return err
		}
		defer func() { <-h.reading }()
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	server := newServer(client, account.Key, h.Version, h.Log)
	sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: respond.MaxBody,
		DisableLocalhostProtection: true, // checkOrigin also accepts the public host, which a local proxy passes on
	}).ServeHTTP(w, r)
	return nil
}

// checkOrigin rejects requests that a page of another site made a browser send, also if that site's name has been
// pointed at this machine (DNS rebinding). Agents send no Origin.
func (h *handler) checkOrigin(r *http.Request) error {
	if origin := r.Header.Get("Origin"); origin != "" && !strings.EqualFold(origin, h.origin) {
		return lost.E(lost.Forbidden, "Pages of other sites cannot use this address.")
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local != nil && isLoopback(local.String()) && !isLoopback(r.Host) && !strings.EqualFold(r.Host, h.host) {
		return lost.E(lost.Forbidden, "The Host header is neither this machine nor %s.", h.host)
	}
	return nil
}

// isLoopback reports whether a host, with or without a port, is this machine.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	address, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && address.Unmap().IsLoopback()
}

// client returns a client that calls this service with the key of a request.
func (h *handler) client(w http.ResponseWriter, r *http.Request) (*Client, error) {
	key := r.Header.Get("svc-api-key")
	if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		key = token
	}
	if key = strings.TrimSpace(key); key == "" {
		return nil, lost.E(lost.Unauthorized, "Send an API key in the header Authorization: Bearer KEY.")
	}
	c, err := NewClient(h.Base, key, localTransport{h.Service, r.RemoteAddr})
	if err != nil {
		return nil, lost.E(lost.Forbidden, "This is a publishable key, for web pages. Use a secret API key.")
	}
	c.requestID = w.Header().Get(respond.RequestIDHeader)
	return c, nil
}

// readMessage reads the body, and returns it with the method that it calls. Batches are refused, because one of them
// could hold thousands of calls; current versions of the protocol have none. Broken and deeply nested JSON is refused
// before the library, which has no limit for the depth, reads it.
func readMessage(r *http.Request) (body []byte, method string, err error) {
	body, err = respond.ReadBody(r, lost.E(lost.TooLarge, "A message must not be larger than 1 MiB."))
	if err != nil {
		return nil, "", err
	}
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		return nil, "", lost.E(lost.Unreadable, "Send one message per request, not a batch.")
	}
	var message struct {
		Method string `json:"method"`
	}
	if err := json.Unmarshal(body, &message); err != nil {
		return nil, "", lost.E(lost.Unreadable, "The body is not a JSON-RPC message.").WithCause(err)
	}
	return body, message.Method, nil
}

// awaitTurn waits until another resource may be read.
func (h *handler) awaitTurn(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readingWait)
	defer cancel()
	select {
	case h.reading <- struct{}{}:
		return nil
	case <-ctx.Done():
		return lost.E(lost.Unavailable, "Too many resources are being read at the moment. Try again.")
	}
}

// writeTo passes the API's error response on.
func (e *apiError) writeTo(w http.ResponseWriter) {
	for name, values := range e.header {
		if name != respond.RequestIDHeader {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(e.status)
	_, _ = w.Write(e.body) // an error only means that the client disconnected
}
