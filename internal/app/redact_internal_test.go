package app

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

func TestErrorsAreLoggedWithoutSecrets(t *testing.T) {
	for name, c := range map[string]struct{ fault, want string }{
		"a key":            {"no such key hw_abcdefghijklmnopqrstu.", "no such key ***."},
		"a link":           {"GET /g/0123456789abcdefghij?x=1", "GET /g/***?x=1"},
		"a confirmation":   {"GET /confirm/0123456789abcdefghij", "GET /confirm/***"},
		"a stopped notice": {"POST /notices/stop/acc_1.usr_1.0123456789ab", "POST /notices/stop/***"},
		"a webhook secret": {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw= is bad", "*** is bad"},
		"a Stripe key":     {"Invalid API Key provided: sk_test_51Habcdefgh", "Invalid API Key provided: ***"},
		"a password": {"dial postgres://homeward:hunter2@db:5432/x: refused",
			"dial postgres://homeward:***@db:5432/x: refused"},
		"a bearer token":       {"header Authorization: Bearer abc.def-ghi", "header Authorization: Bearer ***"},
		"a private key":        {"-----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----", "***"},
		"an address":           {"550 <anna.berg+x@example.com> unknown", "550 <***@example.com> unknown"},
		"an address in a URL":  {"GET /?q=anna%40example.com", "GET /?q=***@example.com"},
		"an international one": {"jürgen@bücher.example is full", "***@bücher.example is full"},
		"no secret": {"https://lost.example.com:8443/items answered 500 for item_06f5q2k8h40v3w9d7n1m8x2b4c",
			"https://lost.example.com:8443/items answered 500 for item_06f5q2k8h40v3w9d7n1m8x2b4c"},
	} {
		for how, log := range map[string]func(*slog.Logger){
			"as an error":     func(l *slog.Logger) { l.Error("x", "why", errors.New(c.fault)) },
			"as error text":   func(l *slog.Logger) { l.Error("x", "error", "panic: "+c.fault) },
			"as the message":  func(l *slog.Logger) { l.Warn(c.fault) },
			"with attributes": func(l *slog.Logger) { l.With("error", c.fault).Info("x") },
			"in a group":      func(l *slog.Logger) { l.WithGroup("g").Error("x", "error", c.fault) },
		} {
			var out bytes.Buffer
			log(slog.New(redactHandler{slog.NewTextHandler(&out, nil)}))
			if output := strings.ReplaceAll(out.String(), `\n`, "\n"); !strings.Contains(output, c.want) {
				t.Errorf("%s, %s: %s", name, how, output)
			}
		}
	}
}

func TestNoAttributeContainsAnEmailAddress(t *testing.T) {
	const address = "anna@example.com"
	for name, attribute := range map[string]slog.Attr{
		"text": slog.String("to", address), "a list": slog.Any("to", []string{address}),
		"a struct":     slog.Any("person", struct{ Email string }{address}),
		"a group":      slog.Group("mail", "to", address),
		"inner groups": slog.Group("a", slog.Group("b", "to", address)),
	} {
		var out bytes.Buffer
		log := slog.New(redactHandler{slog.NewJSONHandler(&out, nil)})
		log.Info("sent", attribute)
		log.With(attribute).Info("sent")
		if strings.Contains(out.String(), "anna") || strings.Count(out.String(), "***@example.com") != 2 {
			t.Errorf("%s: %s", name, out.String())
		}
	}
}
