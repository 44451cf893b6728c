package app

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
)

// redactHandler is a log handler that replaces everything that looks like a secret or an e-mail address. No code logs
// them on purpose, and tests search the logs for them, but an error or a panic may contain text from a library, a
// provider or a caller.
type redactHandler struct{ slog.Handler }

// secretPattern matches API keys, webhook secrets, keys for Stripe and EasyPost, tokens in links, passwords in URLs,
// Authorization headers and PEM private keys.
var secretPattern = regexp.MustCompile(`\bhwp?_[\w-]{16,}|\bwhsec_[\w+/=-]{16,}|` +
	`\b[sr]k_(?:live|test)_[\w-]{8,}|\bEZ[AT]K[\w]{20,}|` +
	`(/(?:g|reset|invitation|confirm|notices/stop)/)[\w.-]{16,}|(://[^/\s":@]*:)[^/\s"@]+(@)|` +
	`(?i:(bearer |basic ))[\w.~+/=-]{8,}|` +
	`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*-----END [A-Z ]*PRIVATE KEY-----`)

// emailPattern matches e-mail addresses, also in URLs.
var emailPattern = regexp.MustCompile(`[\pL\pM\pN._+&'~-]+(?:@|%40)([\pL\pM\pN-]+(?:\.[\pL\pM\pN-]+)*)`)

func redact(s string) string {
	return redactEmail(secretPattern.ReplaceAllString(s, "${1}${2}${4}***${3}"))
}

// redactEmail replaces e-mail addresses. It keeps the domain, which tells an operator which mail server is concerned.
func redactEmail(s string) string {
	if !strings.Contains(s, "@") && !strings.Contains(s, "%40") {
		return s
	}
	return emailPattern.ReplaceAllString(s, "***@$1")
}

// Handle writes a record with the secrets in its message and errors replaced.
func (d redactHandler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, redact(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(cleanAttr(a))
		return true
	})
	return d.Handler.Handle(ctx, clean)
}

// cleanAttr redacts an attribute that is an error or has the key "error", and e-mail addresses in every other one.
func cleanAttr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	if err, is := v.Any().(error); is {
		return slog.String(a.Key, redact(err.Error()))
	}
	switch v.Kind() {
	case slog.KindString:
		if a.Key == "error" {
			return slog.String(a.Key, redact(v.String()))
		}
		return slog.String(a.Key, redactEmail(v.String()))
	case slog.KindGroup:
		group := slices.Clone(v.Group())
		for n := range group {
			group[n] = cleanAttr(group[n])
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(group...)}
	case slog.KindAny:
		if text := fmt.Sprint(v.Any()); redactEmail(text) != text {
			return slog.String(a.Key, redactEmail(text))
		}
	}
	return a
}

// WithAttrs returns a redacting handler with attributes.
func (d redactHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for n, a := range attrs {
		clean[n] = cleanAttr(a)
	}
	return redactHandler{d.Handler.WithAttrs(clean)}
}

// WithGroup returns a redacting handler with a group.
func (d redactHandler) WithGroup(name string) slog.Handler {
	return redactHandler{d.Handler.WithGroup(name)}
}
