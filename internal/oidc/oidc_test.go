package oidc_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/oidc"
	"homeward/internal/oidc/oidctest"
	"homeward/internal/store/storetest"
)

func TestTheProviderIsContactedOnlyWhenNeeded(t *testing.T) {
	clock := &storetest.Clock{}
	p := oidctest.New(t, "http://homeward.example/login/back", clock.Now)
	v := oidc.New(oidc.Options{
		Issuer: p.Issuer, Client: oidctest.Client, Secret: oidctest.Secret,
		RedirectURL: "http://homeward.example/login/back",
		Now:         clock.Now,
	})
	const discovery = "/.well-known/openid-configuration"
	if n := p.RequestCount(discovery); n != 0 {
		t.Errorf("got %d discovery requests before the first login, want 0", n)
	}
	p.SetDown(true)
	for range 3 {
		if _, err := v.AuthURL(t.Context(), "s", "n", "v"); lost.CodeOf(err) != lost.Unavailable || !v.Down() {
			t.Errorf("while the provider is down: %v", err)
		}
	}
	if n := p.RequestCount(discovery); n != 1 {
		t.Errorf("got %d discovery requests while the provider is down, want 1", n)
	}
	p.SetDown(false)
	clock.Advance(10 * time.Second)
	for range 3 {
		to, err := v.AuthURL(t.Context(), "s", "n", "v")
		if err != nil || v.Down() {
			t.Fatalf("after the provider has recovered: %v", err)
		}
		if q := must(url.Parse(to)).Query(); q.Get("state") != "s" || q.Get("nonce") != "n" ||
			q.Get("code_challenge") == "" || q.Get("code_challenge") == "v" {
			t.Errorf("the address is %s", to)
		}
	}
	if n := p.RequestCount(discovery); n != 2 {
		t.Errorf("got %d discovery requests, want 2", n)
	}
}

func TestRedirectsToAnotherHostAreNotFollowed(t *testing.T) {
	var called atomic.Bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Store(true) }))
	defer elsewhere.Close()
	issuer := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	defer issuer.Close()
	v := oidc.New(oidc.Options{Issuer: issuer.URL, Client: "c", Now: storetest.Now})
	if _, err := v.AuthURL(t.Context(), "s", "n", "v"); lost.CodeOf(err) != lost.Unavailable || called.Load() {
		t.Errorf("%v; redirect followed: %t", err, called.Load())
	}
	if name := v.Name(); name != must(url.Parse(issuer.URL)).Host {
		t.Errorf("the name is %q", name)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
