// Package openai calls servers that speak the form of OpenAI's API: chat completions with images, and embeddings.
// Hosted services, Ollama, vLLM and llama.cpp speak it.
//
// An answer is untrusted: its size and the time are limited, redirects are not followed, and the caller gets text or
// numbers whose meaning it must check. Errors are of the type *Failure. They never contain the key, what was sent or
// what was answered.
package openai

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options configure a Client.
type Options struct {
	// URL is the address of the API, such as https://api.example.com/v1. See CheckURL.
	URL string
	// Model is the name of the model on the server.
	Model string
	// Key is sent as a bearer token, unless it is empty.
	Key string
	// Timeout limits one call.
	Timeout time.Duration
}

// Client calls one model on a server. It is safe for concurrent use.
type Client struct {
	http  *http.Client
	base  string
	host  string
	model string
	key   string
	forms formMemory
}

// connectTime is how long connecting may take.
const connectTime = 5 * time.Second

// New returns a Client. It returns an error if the URL is not valid, or if there is no model.
func New(o Options) (*Client, error) {
	u, err := parseURL(o.URL)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(o.Model) == "" {
		return nil, errors.New("the name of the model is missing")
	}
	return &Client{
		base: strings.TrimRight(u.String(), "/"), host: u.Host, model: o.Model, key: o.Key,
		http: &http.Client{
			Timeout: o.Timeout,
			// Do not follow redirects: the key and the photo must not be sent to another host.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				Proxy:               http.ProxyFromEnvironment,
				DialContext:         (&net.Dialer{Timeout: connectTime}).DialContext,
				TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
				TLSHandshakeTimeout: connectTime, MaxResponseHeaderBytes: maxHeader,
				IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
			},
		},
	}, nil
}

// Host returns the host of the server, with its port if the URL has one.
func (c *Client) Host() string { return c.host }

// Model returns the name of the model.
func (c *Client) Model() string { return c.model }

// CheckURL returns an error unless the address is an HTTP or HTTPS URL without a user, a query and a fragment.
func CheckURL(raw string) error {
	_, err := parseURL(raw)
	return err
}

func parseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the address is not an HTTP or HTTPS URL")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the address must not contain a user, a query or a fragment")
	}
	return u, nil
}
