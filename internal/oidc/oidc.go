// Package oidc identifies people with OpenID Connect. A person logs in at a provider and returns with a code, which
// is exchanged for the person's identity. The operator configures one provider for the whole service. The package
// does not decide which people are users.
//
// The provider is contacted only when a person logs in, so the service starts and runs without it.
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
	DisplayName            string // the name shown to users; if empty, the issuer's host
	RedirectURL            string // the URL to which the provider redirects after login
	Now                    func() time.Time
}

// Provider is an OpenID Connect provider. Create one with New.
type Provider struct {
	o      Options
	client *http.Client

	mu       sync.Mutex
	metadata *oidc.Provider // nil until it has been read
	failed   time.Time      // when the provider was last found unreachable
}

const (
	requestTimeout = 10 * time.Second
	maxResponse    = 1 << 20
	// downFor is how long a provider is treated as down after a failure, so that users do not have to wait for it.
	downFor = 10 * time.Second
	// leeway is the largest tolerated difference between the provider's clock and the service's clock.
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

// sameHost allows redirects only to the same host, because requests contain the client secret.
func sameHost(r *http.Request, via []*http.Request) error {
	const maxRedirects = 3
	if len(via) > maxRedirects || r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// Name returns the provider's name as shown to users.
func (p *Provider) Name() string {
	at, err := url.Parse(p.o.Issuer)
	if err != nil {
		return cmp.Or(p.o.DisplayName, p.o.Issuer)
	}
	return cmp.Or(p.o.DisplayName, at.Host)
}

// Issuer returns the provider's issuer URL.
func (p *Provider) Issuer() string { return p.o.Issuer }

// Down reports whether the provider was recently found unreachable.
func (p *Provider) Down() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.down()
}

func (p *Provider) down() bool { return !p.failed.IsZero() && p.o.Now().Sub(p.failed) < downFor }

// discover returns the provider's metadata. Once read, it is reused.
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.metadata != nil {
		return p.metadata, nil
	}
	if p.down() {
		return nil, p.unreachableError(errors.New("the provider was recently unreachable"))
	}
	// If this caller disconnects, continue anyway, because later callers need the metadata too.
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

// AuthURL returns the URL at which a person logs in. The code that they return with is valid only with the verifier,
// and the ID token contains the nonce.
func (p *Provider) AuthURL(ctx context.Context, state, nonce, verifier string) (string, error) {
	known, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	return p.config(known).AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)), nil
}

// Exchange exchanges a code for the identity of the person who returned with it.
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
		return v, p.refusedError(errors.New("the ID token was issued for another login"))
	}
	return p.claims(ctx, known, idToken, token)
}

// nowWithLeeway returns the current time minus leeway, so that a token that has just expired is still accepted.
func (p *Provider) nowWithLeeway() time.Time { return p.o.Now().Add(-leeway) }

// exchangeFailed returns a different error depending on whether the provider rejected the code or could not be
// reached. It does not include the provider's response, which is untrusted.
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
		"%s did not confirm who you are. Try again. If this keeps happening, tell the operator of this service.",
		p.Name()).WithCause(fmt.Errorf("OpenID Connect: %w", cause))
}

// verifyFailed converts an error from verifying a token. If the token has expired or is not yet valid, the error says
// that the clocks differ.
func (p *Provider) verifyFailed(err error) error {
	_, expired := errors.AsType[*oidc.TokenExpiredError](err)
	if expired || strings.Contains(err.Error(), "before the nbf") {
		return lost.E(lost.Forbidden,
			"The clocks of this service and %s differ too much. Tell the operator of this service.", p.Name()).
			WithCause(fmt.Errorf("OpenID Connect: %w", err))
	}
	return p.refusedError(err)
}

// claims returns the person's identity from the ID token. If the token has no e-mail address, it calls the userinfo
// endpoint.
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
	if info.Subject == v.Subject { // otherwise the response is about someone else
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

// Check reads the provider's metadata, as a login does.
func (p *Provider) Check(ctx context.Context) error {
	_, err := p.discover(ctx)
	if e, ok := errors.AsType[*lost.Error](err); ok {
		return e.Unwrap()
	}
	return err
}
