// Package vouch asks a provider who somebody is, with OpenID Connect: the person logs in there, comes back with a code, and the provider
// says for that code who it is. The provider is the operator's choice and one for the whole service; which of its people are users is
// not decided here.
//
// The provider is reached when somebody wants to log in, not before: the service starts without it, and goes on without it.
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

// Options is what a Provider works with.
type Options struct {
	Issuer, Client, Secret string
	Called                 string // what people call it; empty: the host of the issuer
	Back                   string // the address to which people come back
	Now                    func() time.Time
}

// Provider is who says who somebody is. Make one with New.
type Provider struct {
	o      Options
	client *http.Client

	mu     sync.Mutex
	known  *oidc.Provider // as it described itself; nil until it was reached
	failed time.Time      // when it could not be reached
}

const (
	reachTime = 10 * time.Second
	maxAnswer = 1 << 20
	// downFor is how long it is taken for down that could not be reached: nobody waits for it meanwhile.
	downFor = 10 * time.Second
	// leeway is by how much the clocks may be apart.
	leeway = time.Minute
)

// New makes a Provider. It reaches nobody.
func New(o Options) *Provider {
	return &Provider{o: o, client: &http.Client{Timeout: reachTime, Transport: bounded{http.DefaultTransport}, CheckRedirect: stay}}
}

// bounded reads no more of an answer than one of a provider can be.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(answer.Body, maxAnswer), answer.Body}
	}
	return answer, err
}

// stay follows nobody to another host: what is sent holds the client's secret.
func stay(r *http.Request, before []*http.Request) error {
	const most = 3
	if len(before) > most || r.URL.Host != before[0].URL.Host || r.URL.Scheme != before[0].URL.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// Name is what people call the provider.
func (p *Provider) Name() string {
	at, err := url.Parse(p.o.Issuer)
	if err != nil {
		return cmp.Or(p.o.Called, p.o.Issuer)
	}
	return cmp.Or(p.o.Called, at.Host)
}

// Issuer is what the provider calls itself.
func (p *Provider) Issuer() string { return p.o.Issuer }

// Down tells that the provider could not be reached a moment ago.
func (p *Provider) Down() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.down()
}

func (p *Provider) down() bool { return !p.failed.IsZero() && p.o.Now().Sub(p.failed) < downFor }

// describe gives the provider as it describes itself, which it is asked for once.
func (p *Provider) describe(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known != nil {
		return p.known, nil
	}
	if p.down() {
		return nil, p.unreached(errors.New("it could not be reached a moment ago"))
	}
	// Whoever asked may leave; the answer is for those after them too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reachTime)
	defer cancel()
	known, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.o.Issuer)
	if err != nil {
		p.failed = p.o.Now()
		return nil, p.unreached(err)
	}
	p.known, p.failed = known, time.Time{}
	return known, nil
}

func (p *Provider) unreached(cause error) error {
	return lost.E(lost.Unavailable, "%s cannot be reached right now. Log in with your password, or try again in a moment.", p.Name()).Because(fmt.Errorf("OpenID Connect: %w", cause))
}

func (p *Provider) config(known *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.o.Client, ClientSecret: p.o.Secret, Endpoint: known.Endpoint(), RedirectURL: p.o.Back,
		Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
	}
}

// Ask gives the address where a person logs in. What they come back with is good only together with the verifier, and says the nonce.
func (p *Provider) Ask(ctx context.Context, state, nonce, verifier string) (string, error) {
	known, err := p.describe(ctx)
	if err != nil {
		return "", err
	}
	return p.config(known).AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)), nil
}

// Hear gives who it is that came back with a code.
func (p *Provider) Hear(ctx context.Context, code, nonce, verifier string) (v lost.Vouched, err error) {
	known, err := p.describe(ctx)
	if err != nil {
		return v, err
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.client), 2*reachTime)
	defer cancel()
	token, err := p.config(known).Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return v, p.exchangeFailed(err)
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return v, p.refused(errors.New("there is no ID token in the answer"))
	}
	said, err := known.Verifier(&oidc.Config{ClientID: p.o.Client, Now: p.behind}).Verify(ctx, raw)
	if err != nil {
		return v, p.verifyFailed(err)
	}
	if said.Nonce != nonce {
		return v, p.refused(errors.New("the ID token was made for another log-in"))
	}
	return p.claims(ctx, known, said, token)
}

// behind is the time by a clock that is late by the leeway: what expired less long ago is taken.
func (p *Provider) behind() time.Time { return p.o.Now().Add(-leeway) }

// exchangeFailed tells a provider that says no from one that says nothing. What it says goes nowhere: it may hold anything.
func (p *Provider) exchangeFailed(err error) error {
	answer, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return p.unreached(err)
	}
	status := 0
	if answer.Response != nil {
		status = answer.Response.StatusCode
	}
	if status >= http.StatusInternalServerError {
		return p.unreached(fmt.Errorf("the token endpoint answered %d", status))
	}
	return p.refused(fmt.Errorf("the token endpoint answered %d with error %q", status, answer.ErrorCode))
}

func (p *Provider) refused(cause error) error {
	return lost.E(lost.Forbidden, "%s did not confirm who you are. Try once more; if it stays, tell whoever runs this service.", p.Name()).Because(fmt.Errorf("OpenID Connect: %w", cause))
}

// verifyFailed says what is wrong with a token. One that is over when it is made, or not valid yet, tells of clocks.
func (p *Provider) verifyFailed(err error) error {
	_, expired := errors.AsType[*oidc.TokenExpiredError](err)
	if expired || strings.Contains(err.Error(), "before the nbf") {
		return lost.E(lost.Forbidden, "The clocks of this service and of %s are too far apart, so its word does not count. Tell whoever runs this service.", p.Name()).
			Because(fmt.Errorf("OpenID Connect: %w", err))
	}
	return p.refused(err)
}

// claims reads what the provider says of the person, and asks it once more where it left the address out.
func (p *Provider) claims(ctx context.Context, known *oidc.Provider, said *oidc.IDToken, token *oauth2.Token) (lost.Vouched, error) {
	v := lost.Vouched{Issuer: p.o.Issuer, Subject: said.Subject}
	if v.Subject == "" {
		return v, p.refused(errors.New("the ID token names nobody"))
	}
	var c struct {
		Email    string `json:"email"`
		Verified loose  `json:"email_verified"`
	}
	if err := said.Claims(&c); err != nil {
		return v, p.refused(errors.New("the ID token cannot be read"))
	}
	if v.Email, v.Verified = c.Email, bool(c.Verified); v.Email != "" || known.UserInfoEndpoint() == "" {
		return v, nil
	}
	more, err := known.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return v, p.unreached(errors.New("the userinfo endpoint did not answer as it should"))
	}
	if more.Subject == v.Subject { // else it is about somebody else
		v.Email, v.Verified = more.Email, more.EmailVerified
	}
	return v, nil
}

// loose is yes or no, which some write as text.
type loose bool

// UnmarshalJSON reads it; whatever is not yes is no.
func (l *loose) UnmarshalJSON(text []byte) error {
	*l = string(text) == "true" || string(text) == `"true"`
	return nil
}

// Try asks the provider to describe itself, as for a log-in.
func (p *Provider) Try(ctx context.Context) error {
	_, err := p.describe(ctx)
	if e, ok := errors.AsType[*lost.Error](err); ok {
		return e.Unwrap()
	}
	return err
}
