package app

import (
	"context"
	"log/slog"
	"regexp"
)

// redactHandler is a log that leaves out what has the shape of a secret. Nothing logs one knowingly, and tests look for any that is; but an error or a panic may
// carry words of a library, a provider or a caller.
type redactHandler struct{ slog.Handler }

// secretShape is how secrets look: keys, links, secrets of webhooks and of payment, the password in an address, what authorizes, and PEM.
var secretShape = regexp.MustCompile(`\bhw_[\w-]{16,}|\bwhsec_[\w+/=-]{16,}|\b[sr]k_(?:live|test)_[\w-]{8,}|\bEZ[AT]K[\w]{20,}|(/(?:g|reset|invitation|confirm)/)[\w-]{16,}|(://[^/\s":@]*:)[^/\s"@]+(@)|` +
	`(?i:(bearer |basic ))[\w.~+/=-]{8,}|-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*-----END [A-Z ]*PRIVATE KEY-----`)

func withoutSecrets(s string) string { return secretShape.ReplaceAllString(s, "${1}${2}${4}***${3}") }

// Handle writes a record, without secrets in what it tells of a fault.
func (d redactHandler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, withoutSecrets(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(cleanAttr(a))
		return true
	})
	return d.Handler.Handle(ctx, clean)
}

// cleanAttr looks at what is called an error, and at what is one.
func cleanAttr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	if err, is := v.Any().(error); is {
		return slog.String(a.Key, withoutSecrets(err.Error()))
	}
	if a.Key == "error" && v.Kind() == slog.KindString {
		return slog.String(a.Key, withoutSecrets(v.String()))
	}
	return a
}

// WithAttrs keeps it discreet.
func (d redactHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for n, a := range attrs {
		clean[n] = cleanAttr(a)
	}
	return redactHandler{d.Handler.WithAttrs(clean)}
}

// WithGroup keeps it discreet.
func (d redactHandler) WithGroup(name string) slog.Handler {
	return redactHandler{d.Handler.WithGroup(name)}
}
