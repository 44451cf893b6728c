// Package oidctest provides a small OpenID Connect provider for tests. It validates requests strictly.
package oidctest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/coreos/go-oidc/v3/oidc/oidctest"
)

// The credentials of the provider's only client.
const (
	Client = "homeward"
	Secret = "the client's secret for tests"
)

// Provider is a test provider. SetClaims determines who logs in.
type Provider struct {
	Issuer string
	// requests counts the requests by path.
	requests map[string]int

	mu          sync.Mutex
	key         *ecdsa.PrivateKey
	inner       oidctest.Server
	now         func() time.Time
	redirectURL string
	claims      map[string]any
	pending     map[string]url.Values // the parameters of authorization requests, by code
	down        bool
}

// New starts a provider that redirects to redirectURL. It stops when the test ends.
func New(t testing.TB, redirectURL string, now func() time.Time) *Provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{
		key: key, now: now, redirectURL: redirectURL, pending: map[string]url.Values{}, requests: map[string]int{},
	}
	p.inner = oidctest.Server{
		PublicKeys: []oidctest.PublicKey{{PublicKey: key.Public(), KeyID: "one", Algorithm: oidc.ES256}},
		Algorithms: []string{oidc.ES256},
	}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.Issuer = server.URL
	p.inner.SetIssuer(server.URL)
	return p
}

// SetClaims sets claims about the next person who logs in. They are merged into the default claims.
func (p *Provider) SetClaims(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims = claims
}

// SetDown makes every request fail if down is true.
func (p *Provider) SetDown(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

// RequestCount returns how many times a path was requested.
func (p *Provider) RequestCount(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests[path]
}

func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests[r.URL.Path]++
	switch {
	case p.down:
		http.Error(w, "not now", http.StatusServiceUnavailable)
	case r.URL.Path == "/auth":
		p.authorize(w, r.URL.Query())
	case r.URL.Path == "/token":
		p.token(w, r)
	default:
		p.inner.ServeHTTP(w, r)
	}
}

// authorize shows a page on which a person confirms or rejects the login.
func (p *Provider) authorize(w http.ResponseWriter, q url.Values) {
	for name, want := range map[string]string{
		"client_id": Client, "redirect_uri": p.redirectURL, "response_type": "code", "code_challenge_method": "S256",
	} {
		if q.Get(name) != want {
			http.Error(w, name+" is wrong", http.StatusBadRequest)
			return
		}
	}
	code := rand.Text()
	p.pending[code] = q
	link := func(params url.Values) string {
		params.Set("state", q.Get("state"))
		return html.EscapeString(p.redirectURL + "?" + params.Encode())
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprintf(w,
		`<!doctype html><html lang="en"><title>Provider</title><link rel="icon" href="data:,">`+
			`<main><h1>Who are you?</h1><p><a href="%s">Yes, it is me</a></p><p><a href="%s">No</a></p></main>`,
		link(url.Values{"code": {code}}), link(url.Values{"error": {"access_denied"}}))
}

// Code confirms the login at an authorization URL and returns the code.
func (p *Provider) Code(t testing.TB, address string) string {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	code := rand.Text()
	p.pending[code] = at.Query()
	return code
}

// token exchanges a code for an ID token. Each code works only once.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	client, secret, basic := r.BasicAuth()
	if !basic {
		client, secret = r.FormValue("client_id"), r.FormValue("client_secret")
	}
	if secret, _ = url.QueryUnescape(secret); client != Client || secret != Secret {
		p.refuse(w, "invalid_client")
		return
	}
	q, known := p.pending[r.FormValue("code")]
	delete(p.pending, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !known || r.FormValue("redirect_uri") != p.redirectURL ||
		base64.RawURLEncoding.EncodeToString(sum[:]) != q.Get("code_challenge") {
		p.refuse(w, "invalid_grant")
		return
	}
	claims := map[string]any{
		"iss": p.Issuer, "aud": Client, "sub": "1", "nonce": q.Get("nonce"), "iat": p.now().Unix(),
		"exp": p.now().Add(5 * time.Minute).Unix(),
	}
	maps.Copy(claims, p.claims)
	text, _ := json.Marshal(claims) // test claims can always be encoded
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{ // a client that disconnects is not an error
		"access_token": "unused", "token_type": "Bearer",
		"id_token": oidctest.SignIDToken(p.key, "one", oidc.ES256, string(text)),
	})
}

func (p *Provider) refuse(w http.ResponseWriter, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": why}) // a client that disconnects is not an error
}
