package mcp

import (
	"log/slog"
	"net/http"
)

// Operation is the call of the API that a tool makes.
type Operation struct {
	Tool, Method, Path string
	Schema             map[string]any // of the arguments
}

// Operations returns the operations of all tools.
func Operations() (all []Operation) {
	for _, t := range tools() {
		all = append(all, Operation{t.name, t.method, t.path, objectSchema(t.arguments)})
	}
	return all
}

// NewLocalTransport returns a transport that serves requests with a handler.
func NewLocalTransport(h http.Handler, client string) http.RoundTripper {
	return localTransport{h, client}
}

// MaxResponse is the size of the largest response.
const MaxResponse = maxResponse

// RecoverPanics is the middleware of the server.
func RecoverPanics(log *slog.Logger) any { return recoverPanics(log) }
