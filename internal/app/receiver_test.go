package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/webhook"
)

// receiver is an HTTP server that receives webhooks. It responds to every POST as configured and records it. Scripts
// control it over HTTP:
//
//	PUT    /answer    sets the response from now on: {"status": 500, "body": "no"}; the status is initially 200
//	GET    /received  returns the requests, oldest first, and whether the secret in the Secret header signed them
//	DELETE /received  deletes the received requests
type receiver struct {
	url string

	mu     sync.Mutex
	status int
	body   string
	got    []received
}

// received is one received request.
type received struct {
	path   string
	header http.Header
	body   []byte
}

// newReceiver runs a receiver until the test ends.
func newReceiver(t testing.TB) *receiver {
	t.Helper()
	r := &receiver{status: http.StatusOK}
	routes := http.NewServeMux()
	routes.HandleFunc("POST /", r.take)
	routes.HandleFunc("PUT /answer", r.handleSetResponse)
	routes.HandleFunc("GET /received", r.show)
	routes.HandleFunc("DELETE /received", func(w http.ResponseWriter, _ *http.Request) {
		r.reset()
		w.WriteHeader(http.StatusNoContent)
	})
	server := httptest.NewServer(routes)
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

func (r *receiver) take(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, received{req.URL.Path, req.Header, body})
	if r.status >= 300 && r.status < 400 {
		w.Header().Set("Location", r.url+"/elsewhere")
	}
	w.WriteHeader(r.status)
	_, _ = io.WriteString(w, r.body)
}

func (r *receiver) handleSetResponse(w http.ResponseWriter, req *http.Request) {
	var response struct {
		Status int
		Body   string
	}
	if err := json.NewDecoder(req.Body).Decode(&response); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.respondWith(response.Status, response.Body)
	w.WriteHeader(http.StatusNoContent)
}

func (r *receiver) respondWith(status int, body string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.body = status, body
}

func (r *receiver) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = nil
}

// listAll returns the received requests, oldest first.
func (r *receiver) listAll() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

func (r *receiver) show(w http.ResponseWriter, req *http.Request) {
	type shown struct {
		Path          string          `json:"path"`
		ID            string          `json:"webhook-id"`
		ContentType   string          `json:"content-type"`
		Authorization string          `json:"authorization,omitempty"`
		Signatures    int             `json:"signatures"`
		Verified      *bool           `json:"verified,omitempty"`
		Body          json.RawMessage `json:"body"`
	}
	list := []shown{}
	for _, g := range r.listAll() {
		s := shown{
			Path: g.path, ID: g.header.Get("Webhook-Id"), ContentType: g.header.Get("Content-Type"),
			Authorization: g.header.Get("Authorization"),
			Signatures:    strings.Count(g.header.Get("Svc-Signature"), ",v1="), Body: g.body,
		}
		if secret := req.Header.Get("Secret"); secret != "" {
			right := g.verified(secret)
			s.Verified = &right
		}
		list = append(list, s)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(list)
}

// verified reports whether the request was signed with the secret.
func (g received) verified(secret string) bool {
	return webhook.Verify(secret, g.header, g.body, time.Now()) == nil
}

// waitForRequests returns the received requests as soon as there are n of them.
func (r *receiver) waitForRequests(t testing.TB, n int) []received {
	t.Helper()
	waitUntil(t, "the receiver has the requests", func() bool { return len(r.listAll()) >= n })
	got := r.listAll()
	if len(got) != n {
		t.Fatalf("the receiver got %d requests, want %d", len(got), n)
	}
	return got
}
