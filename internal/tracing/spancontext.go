package tracing

import (
	"context"
	"encoding/hex"
	"strings"
)

// SpanContext identifies a span, in this service or in another one. The zero value is not valid.
type SpanContext struct {
	TraceID [16]byte
	SpanID  [8]byte
	Sampled bool   // whether the trace is recorded
	Remote  bool   // whether the span is one of another program, or of another process of this one
	State   string // the tracestate header that came with it, which other tracing systems use
}

// IsValid reports whether both IDs are set.
func (c SpanContext) IsValid() bool { return c.TraceID != [16]byte{} && c.SpanID != [8]byte{} }

// traceparent returns the value of the W3C header for the span.
func (c SpanContext) traceparent() string {
	flags := "-00"
	if c.Sampled {
		flags = "-01"
	}
	return "00-" + hex.EncodeToString(c.TraceID[:]) + "-" + hex.EncodeToString(c.SpanID[:]) + flags
}

// parseTraceparent parses the value of the W3C header. The result is not valid if the value is not.
func parseTraceparent(value string) SpanContext {
	c := SpanContext{Remote: true}
	var version, flags [1]byte
	rest, ok := value, true
	for _, to := range [][]byte{version[:], c.TraceID[:], c.SpanID[:], flags[:]} {
		var part string
		part, rest, _ = strings.Cut(rest, "-")
		ok = ok && decodeHex(to, part)
	}
	const allFlags = 3 // version 0 has no others: sampled, and a random trace ID
	// Later versions may have more parts and flags. Version ff does not exist.
	if !ok || version[0] == 0xff || version[0] == 0 && (rest != "" || flags[0] > allFlags) || !c.IsValid() {
		return SpanContext{}
	}
	c.Sampled = flags[0]&1 == 1
	return c
}

// decodeHex decodes digits in lower case. It reports whether the text has exactly as many as to has room for.
func decodeHex(to []byte, text string) bool {
	if len(text) != 2*len(to) || strings.ToLower(text) != text {
		return false
	}
	_, err := hex.Decode(to, []byte(text))
	return err == nil
}

// parseTracestate returns the value of the W3C header, or "" if it is too long or contains other characters than
// the header may.
func parseTracestate(value string) string {
	const maxState = 512
	if len(value) > maxState || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
		return ""
	}
	return value
}

type spanKey struct{}

// withSpan returns a context with a span of this service.
func withSpan(ctx context.Context, s *span) context.Context {
	return context.WithValue(ctx, spanKey{}, s)
}

// withRemote returns a context with a span that is not recorded here.
func withRemote(ctx context.Context, c SpanContext) context.Context {
	c.Remote = true
	return context.WithValue(ctx, spanKey{}, &span{SpanData: SpanData{Context: c}})
}

// spanOf returns the context's span, or nil.
func spanOf(ctx context.Context) *span {
	s, _ := ctx.Value(spanKey{}).(*span)
	return s
}

// SpanContextOf returns the identity of the context's span. It is not valid if there is none.
func SpanContextOf(ctx context.Context) SpanContext {
	if s := spanOf(ctx); s != nil {
		return s.Context
	}
	return SpanContext{}
}
