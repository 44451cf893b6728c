package app

import (
	"context"
	"log/slog"
	"regexp"
)

// redactHandler is a log handler that replaces everything that looks like a secret. No code logs secrets on purpose,
// and tests search the logs for them, but an error or a panic may contain text from a library, a provider or a
// caller.
type redactHandler struct{ slog.Handler }

// secretPattern matches API keys, webhook secrets, keys for Stripe and EasyPost, tokens in links, passwords in URLs,
// Authorization headers and PEM private keys.
var secretPattern = regexp.MustCompile(`\bhw_[\w-]{16,}|\bwhsec_[\w+/=-]{16,}|` +
	`\b[sr]k_(?:live|test)_[\w-]{8,}|\bEZ[AT]K[\w]{20,}|` +
	`(/(?:g|reset|invitation|confirm)/)[\w-]{16,}|(://[^/\s":@]*:)[^/\s"@]+(@)|` +
	`(?i:(bearer |basic ))[\w.~+/=-]{8,}|` +
	`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*-----END [A-Z ]*PRIVATE KEY-----`)

func redact(s string) string { return secretPattern.ReplaceAllString(s, "${1}${2}${4}***${3}") }

// Handle writes a record with the secrets in its message and errors replaced.
func (d redactHandler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, redact(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(cleanAttr(a))
		return true
	})
	return d.Handler.Handle(ctx, clean)
}

// cleanAttr redacts an attribute that is an error or has the key "error".
func cleanAttr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	if err, is := v.Any().(error); is {
		return slog.String(a.Key, redact(err.Error()))
	}
	if a.Key == "error" && v.Kind() == slog.KindString {
		return slog.String(a.Key, redact(v.String()))
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
