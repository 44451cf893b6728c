package webhook_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	stripe "github.com/stripe/stripe-go/v86/webhook"

	"homeward/internal/webhook"
)

var body = []byte(`{"eventType":"pickup","eventTime":"2026-11-15T10:00:00Z",` +
	`"payload":{"item":{"name":"Schlüssel, 鍵, 🔑"}}}`)

func TestASecretIs32RandomBytes(t *testing.T) {
	secret := webhook.NewSecret()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) != 32 || !strings.HasPrefix(secret, "whsec_") {
		t.Errorf("%q decodes to %d bytes, %v", secret, len(key), err)
	}
	if secret == webhook.NewSecret() {
		t.Error("two secrets are equal")
	}
}

// TestTheSignatureOfAKnownRequestIsStable compares the signatures with values computed with openssl.
func TestTheSignatureOfAKnownRequestIsStable(t *testing.T) {
	h := webhook.Headers([]string{"whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="}, "dlv_1",
		time.Unix(1794736800, 0), []byte(`{"a":1}`))
	for name, want := range map[string]string{
		"svc-signature":     "t=1794736800,v1=4870fe738e65ca0b7c7c06afddb833280d7d8251752823f1c45c14a5dab94b92",
		"webhook-id":        "dlv_1",
		"webhook-timestamp": "1794736800",
		"webhook-signature": "v1,yxNjBO0EeXneFxe0SWIeoHoPHvwZCaXTcnx6nH03M/M=",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestARotationSignsWithBothSecrets(t *testing.T) {
	h := webhook.Headers([]string{webhook.NewSecret(), webhook.NewSecret()}, "dlv_1", time.Now(), body)
	if got := h.Get("svc-signature"); !regexp.MustCompile(`^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$`).MatchString(got) {
		t.Errorf("svc-signature is %s", got)
	}
	standard := regexp.MustCompile(`^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$`)
	if got := h.Get("webhook-signature"); !standard.MatchString(got) {
		t.Errorf("webhook-signature is %s", got)
	}
}

// verifiers holds Verify and the libraries that receivers use.
var verifiers = map[string]func(secret string, h http.Header, body []byte) error{
	"ours": func(secret string, h http.Header, body []byte) error {
		return webhook.Verify(secret, h, body, time.Now())
	},
	"Standard Webhooks": func(secret string, h http.Header, body []byte) error {
		w, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return err
		}
		return w.Verify(body, h)
	},
	"Stripe": func(secret string, h http.Header, body []byte) error {
		return stripe.ValidatePayload(body, h.Get("svc-signature"), secret)
	},
}

func TestEveryVerifierAcceptsOnlyValidSignatures(t *testing.T) {
	older, newer, unrelated := webhook.NewSecret(), webhook.NewSecret(), webhook.NewSecret()
	for name, verify := range verifiers {
		t.Run(name, func(t *testing.T) {
			for _, tt := range []struct {
				name    string
				secrets []string
				at      time.Time
				secret  string
				body    []byte
				ok      bool
			}{
				{"signed", []string{older}, time.Now(), older, body, true},
				{"empty body", []string{older}, time.Now(), older, nil, true},
				{"rotating, the receiver has the new secret", []string{newer, older}, time.Now(), newer, body, true},
				{"rotating, the receiver has the old secret", []string{newer, older}, time.Now(), older, body, true},
				{"another secret", []string{newer, older}, time.Now(), unrelated, body, false},
				{"an old request", []string{older}, time.Now().Add(-6 * time.Minute), older, body, false},
			} {
				h := webhook.Headers(tt.secrets, "dlv_1", tt.at, tt.body)
				if err := verify(tt.secret, h, tt.body); (err == nil) != tt.ok {
					t.Errorf("%s: %v", tt.name, err)
				}
			}
			h := webhook.Headers([]string{older}, "dlv_1", time.Now(), body)
			if err := verify(older, h, bytes.Replace(body, []byte("pickup"), []byte("donate"), 1)); err == nil {
				t.Error("accepted a changed body")
			}
		})
	}
}

func TestVerifyReturnsSpecificErrors(t *testing.T) {
	secret, now := webhook.NewSecret(), time.Unix(1794736800, 0)
	change := func(name, value string) http.Header {
		h := webhook.Headers([]string{secret}, "dlv_1", now, body)
		h.Set(name, value)
		return h
	}
	ours := change("x", "").Get("svc-signature")
	for _, tt := range []struct {
		name   string
		header http.Header
		now    time.Time
		want   error
	}{
		{"valid", change("x", ""), now, nil},
		{"five minutes later", change("x", ""), now.Add(5 * time.Minute), nil},
		{"our clock is behind", change("x", ""), now.Add(-5 * time.Minute), nil},
		{"a future kind of signature", change("svc-signature", ours+",v2=abc"), now, nil},
		{"too late", change("x", ""), now.Add(5*time.Minute + time.Second), webhook.ErrStale},
		{"from the future", change("x", ""), now.Add(-5*time.Minute - time.Second), webhook.ErrStale},
		{"no headers", http.Header{}, now, webhook.ErrUnsigned},
		{"only one kind", change("webhook-signature", ""), now, webhook.ErrUnsigned},
		{"only the other", change("svc-signature", ""), now, webhook.ErrUnsigned},
		{"not hexadecimal", change("svc-signature", "t=1794736800,v1=zz"), now, webhook.ErrUnsigned},
		{"another time", change("webhook-timestamp", "1794736801"), now, webhook.ErrBadSignature},
		{
			"another time in ours", change("svc-signature", strings.Replace(ours, "t=1", "t=2", 1)), now,
			webhook.ErrBadSignature,
		},
		{"another id", change("webhook-id", "dlv_2"), now, webhook.ErrBadSignature},
	} {
		if err := webhook.Verify(secret, tt.header, body, tt.now); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}
