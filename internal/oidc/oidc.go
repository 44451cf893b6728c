// Package oidc identifies people with OpenID Connect: a person logs in at a provider and returns with a code, which
// is exchanged for the person's identity. The operator configures one provider for the whole service. The package
// does not decide which people are users.
//
// The provider is contacted only when a person logs in: the service starts and runs without it.
package oidc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"homeward/internal/lost"
)

// Options configures a Provider.
type Options struct {
	Issuer, Client, Secret string
	DisplayName            string // the provider's name for users; empty for the issuer's host
	RedirectURL            string // the redirect address after the log-in
	Now                    func() time.Time
}

// Provider is an OpenID Connect provider. New returns one.
type Provider struct {
	o      Options
	client *http.Client

	mu       sync.Mutex
	metadata *oidc.Provider // nil until it was read
	failed   time.Time      // when the provider was last unreachable
}

const (
	requestTimeout = 10 * time.Second
	maxResponse    = 1 << 20
	// downFor is how long a provider is treated as down after a failure, so that users do not wait for it.
	downFor = 10 * time.Second
	// leeway is the tolerated difference between the clocks.
	leeway = time.Minute
)

// New returns a Provider. It does not contact the provider.
func New(o Options) *Provider {
	return &Provider{
		o: o,
		client: &http.Client{
			Timeout: requestTimeout, Transport: bounded{http.DefaultTransport}, CheckRedirect: sameHost,
		},
	}
}

// bounded limits the size of responses.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, maxResponse), res.Body}
	}
	return res, err
}

// sameHost follows redirects only to the same host, because requests contain the client's secret.
func sameHost(r *http.Request, via []*http.Request) error {
	const maxRedirects = 3
	if len(via) > maxRedirects || r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// Name returns the provider's name for users.
func (p *Provider) Name() string {
	at, err := url.Parse(p.o.Issuer)
	if err != nil {
		return cmp.Or(p.o.DisplayName, p.o.Issuer)
	}
	return cmp.Or(p.o.DisplayName, at.Host)
}

// Issuer returns the provider's issuer address.
func (p *Provider) Issuer() string { return p.o.Issuer }

// Down reports whether the provider was recently unreachable.
func (p *Provider) Down() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.down()
}

func (p *Provider) down() bool { return !p.failed.IsZero() && p.o.Now().Sub(p.failed) < downFor }

// discover returns the provider's metadata, which is read once.
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.metadata != nil {
		return p.metadata, nil
	}
	if p.down() {
		return nil, p.unreachableError(errors.New("the provider was recently unreachable"))
	}
	// The caller may disconnect; later callers use the metadata too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTimeout)
	defer cancel()
	known, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.o.Issuer)
	if err != nil {
		p.failed = p.o.Now()
		return nil, p.unreachableError(err)
	}
	p.metadata, p.failed = known, time.Time{}
	return known, nil
}

func (p *Provider) unreachableError(cause error) error {
	return lost.E(lost.Unavailable,
		"%s cannot be reached right now. Log in with your password, or try again in a moment.",
		p.Name()).WithCause(fmt.Errorf("OpenID Connect: %w", cause))
}

func (p *Provider) config(known *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.o.Client, ClientSecret: p.o.Secret, Endpoint: known.Endpoint(), RedirectURL: p.o.RedirectURL,
		Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
	}
}

// AuthURL returns the address where a person logs in. The returned code is valid only with the
// verifier, and the ID token contains the nonce.
func (p *Provider) AuthURL(ctx context.Context, state, nonce, verifier string) (string, error) {
	known, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	return p.config(known).AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)), nil
}

// Exchange returns the identity of the person who returned with a code.
func (p *Provider) Exchange(ctx context.Context, code, nonce, verifier string) (v lost.ProviderIdentity, err error) {
	known, err := p.discover(ctx)
	if err != nil {
		return v, err
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.client), 2*requestTimeout)
	defer cancel()
	token, err := p.config(known).Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return v, p.exchangeFailed(err)
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return v, p.refusedError(errors.New("the token response has no ID token"))
	}
	idToken, err := known.Verifier(&oidc.Config{ClientID: p.o.Client, Now: p.nowWithLeeway}).Verify(ctx, raw)
	if err != nil {
		return v, p.verifyFailed(err)
	}
	if idToken.Nonce != nonce {
		return v, p.refusedError(errors.New("the ID token was issued for another log-in"))
	}
	return p.claims(ctx, known, idToken, token)
}

// nowWithLeeway returns the current time minus leeway, so that a token that has just expired is accepted.
func (p *Provider) nowWithLeeway() time.Time { return p.o.Now().Add(-leeway) }

// exchangeFailed distinguishes a refusal from an unreachable provider. The response itself is not passed on, because
// it is untrusted.
func (p *Provider) exchangeFailed(err error) error {
	failure, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return p.unreachableError(err)
	}
	status := 0
	if failure.Response != nil {
		status = failure.Response.StatusCode
	}
	if status >= http.StatusInternalServerError {
		return p.unreachableError(fmt.Errorf("the token endpoint returned status %d", status))
	}
	return p.refusedError(fmt.Errorf("the token endpoint returned status %d with error %q", status, failure.ErrorCode))
}

func (p *Provider) refusedError(cause error) error {
	return lost.E(lost.Forbidden,
		"%s did not confirm who you are. Try again. If it keeps failing, tell the operator of this service.",
		p.Name()).WithCause(fmt.Errorf("OpenID Connect: %w", cause))
}

// verifyFailed converts the error of a token verification. If a token has expired or is not yet valid, the clocks
// differ.
func (p *Provider) verifyFailed(err error) error {
	_, expired := errors.AsType[*oidc.TokenExpiredError](err)
	if expired || strings.Contains(err.Error(), "before the nbf") {
		return lost.E(lost.Forbidden,
			"The clocks of this service and of %s differ too much. Tell the operator of this service.", p.Name()).
			WithCause(fmt.Errorf("OpenID Connect: %w", err))
	}
	return p.refusedError(err)
}

// claims reads the claims about the person. If the e-mail address is missing, it calls the userinfo endpoint.
func (p *Provider) claims(ctx context.Context, known *oidc.Provider, idToken *oidc.IDToken,
	token *oauth2.Token) (lost.ProviderIdentity, error) {
	v := lost.ProviderIdentity{Issuer: p.o.Issuer, Subject: idToken.Subject}
	if v.Subject == "" {
		return v, p.refusedError(errors.New("the ID token has no subject"))
	}
	var c struct {
		Email    string    `json:"email"`
		Verified looseBool `json:"email_verified"`
	}
	if err := idToken.Claims(&c); err != nil {
		return v, p.refusedError(errors.New("the ID token cannot be read"))
	}
	if v.Email, v.Verified = c.Email, bool(c.Verified); v.Email != "" || known.UserInfoEndpoint() == "" {
		return v, nil
	}
	info, err := known.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return v, p.unreachableError(errors.New("the userinfo endpoint returned an unexpected response"))
	}
	if info.Subject == v.Subject { // otherwise the response is about another person
		v.Email, v.Verified = info.Email, info.EmailVerified
	}
	return v, nil
}

// looseBool is a boolean that some providers encode as a string.
type looseBool bool

// UnmarshalJSON treats everything but true as false.
func (l *looseBool) UnmarshalJSON(text []byte) error {
	*l = string(text) == "true" || string(text) == `"true"`
	return nil
}

// Check reads the provider's metadata, as a log-in does.
func (p *Provider) Check(ctx context.Context) error {
	_, err := p.discover(ctx)
	if e, ok := errors.AsType[*lost.Error](err); ok {
		return e.Unwrap()
	}
	return err
}
