// Package tracing connects all the work that a request causes. The request's ID is kept in the context, stored with
// the jobs, events and deliveries that the request adds, and included in their log lines and spans.
//
// Spans are those of OpenTelemetry; package otlp sends them. If no collector is configured, no spans are started, and
// each call costs only one context lookup. OpenTelemetry's own library, of which few parts would be used, would double
// the number of packages in the program.
package tracing

import (
	"context"
	"encoding/hex"
	"net/http"
	"strings"
	"time"
)

// Origin identifies the request that caused a job, event or delivery.
type Origin struct {
	ID   string      // the request's ID; empty for work that the service started itself
	Span SpanContext // the span in which the work was added; may be invalid
}

type idKey struct{}

// idContext is a context that contains a request's ID. Every request has one, so it takes a single allocation, unlike
// context.WithValue.
type idContext struct {
	context.Context //nolint:containedctx // this is a context
	id              string
}

// Value returns the context itself for idKey.
func (c *idContext) Value(key any) any {
	if key == (idKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// WithRequestID returns a context that contains a request's ID.
func WithRequestID(ctx context.Context, id string) context.Context { return &idContext{ctx, id} }

// FromContext returns the origin stored in a context.
func FromContext(ctx context.Context) Origin {
	id := ""
	if c, found := ctx.Value(idKey{}).(*idContext); found {
		id = c.id
	}
	return Origin{ID: id, Span: SpanContextOf(ctx)}
}

// header is the name of the W3C header that identifies a span. Its value is also stored in database rows.
const header = "traceparent"

// Encode returns the origin in the form stored in a row: the ID, a space and the span. Without a valid span, it
// returns only the ID.
func (t Origin) Encode() string {
	if !t.Span.IsValid() {
		return t.ID
	}
	return t.ID + " " + t.Span.traceparent()
}

// Decode parses a stored origin. It ignores an invalid span.
func Decode(stored string) Origin {
	id, span, _ := strings.Cut(stored, " ")
	return Origin{ID: id, Span: parseTraceparent(span)}
}

// TraceID returns the trace's ID, or "" if the trace is not sampled.
func (t Origin) TraceID() string {
	if !t.Span.Sampled {
		return ""
	}
	return hex.EncodeToString(t.Span.TraceID[:])
}

// LogFields returns the origin's log attributes as pairs of names and values.
func (t Origin) LogFields() (pairs []any) {
	if t.ID != "" {
		pairs = append(pairs, "request", t.ID)
	}
	if id := t.TraceID(); id != "" {
		pairs = append(pairs, "trace", id)
	}
	return pairs
}

// Offer is a trace that a caller asks to continue. It is continued only after the caller is authenticated, so that
// strangers cannot decide what is traced.
type Offer struct {
	tracer *Tracer
	parent SpanContext
	start  time.Time
	ctx    context.Context //nolint:containedctx // of the accepted request, for the log line at its end
	span   Span
}

type offerKey struct{}

// NewOffer reads the traceparent header of a request. It returns nil if there is no valid one.
func NewOffer(ctx context.Context, tracer *Tracer, h http.Header, start time.Time) (context.Context, *Offer) {
	sent := h.Get(header)
	if sent == "" {
		return ctx, nil
	}
	parent := parseTraceparent(sent)
	if !parent.IsValid() {
		return ctx, nil
	}
	parent.State = parseTracestate(h.Get("tracestate"))
	o := &Offer{tracer: tracer, parent: parent, start: start, ctx: ctx}
	return context.WithValue(ctx, offerKey{}, o), o
}

// AcceptOffer continues the caller's trace, if there is one. Call it when the caller is authenticated.
func AcceptOffer(ctx context.Context, name string) (_ context.Context, accepted bool) {
	o, found := ctx.Value(offerKey{}).(*Offer)
	if !found {
		return ctx, false
	}
	ctx = withRemote(ctx, o.parent)
	if o.tracer != nil {
		ctx, o.span = o.tracer.start(ctx, name, Server, o.start, SpanContext{})
	}
	o.ctx = ctx
	return ctx, true
}

// Accepted returns the context and the span of the request if the offer was accepted. Otherwise it returns the
// context that the offer was made with, and an empty span.
func (o *Offer) Accepted() (context.Context, Span) { return o.ctx, o.span }

// StartSpan starts a child of the context's span. If the parent is not recorded, neither is the child.
func StartSpan(ctx context.Context, name string) (context.Context, Span) {
	return startChild(ctx, name, Internal)
}

// StartClientSpan is like StartSpan, for a call to another service.
func StartClientSpan(ctx context.Context, name string) (context.Context, Span) {
	return startChild(ctx, name, Client)
}

func startChild(ctx context.Context, name string, kind Kind) (context.Context, Span) {
	parent := spanOf(ctx)
	if parent == nil || parent.tracer == nil {
		return ctx, Span{}
	}
	return parent.tracer.start(ctx, name, kind, time.Now(), SpanContext{})
}

// Scope is the instrumentation scope of all spans.
const Scope = "homeward"

// StartServerSpan starts a span for a request, as a child of the caller's span. If the tracer is nil, no span is
// started.
func StartServerSpan(ctx context.Context, tracer *Tracer, name string) (context.Context, Span) {
	if tracer == nil {
		return ctx, Span{}
	}
	return tracer.start(ctx, name, Server, time.Now(), SpanContext{})
}

// Resume continues the trace recorded in t when queued work runs. The returned context contains the request ID. If
// the tracer is not nil, it also contains a new span linked to the span in which the work was queued.
func Resume(ctx context.Context, tracer *Tracer, t Origin, name string) (context.Context, Span) {
	ctx = WithRequestID(ctx, t.ID)
	if tracer == nil {
		if t.Span.IsValid() { // work added from now on belongs to the original request
			ctx = withRemote(ctx, t.Span)
		}
		return ctx, Span{}
	}
	ctx, s := tracer.start(withSpan(ctx, nil), name, Consumer, time.Now(), t.Span)
	s.Set("homeward.request", t.ID)
	return ctx, s
}

// SpanFromContext returns the context's span, or the zero Span if it is not recorded.
func SpanFromContext(ctx context.Context) Span {
	if s := spanOf(ctx); s != nil && s.tracer != nil {
		return Span{s}
	}
	return Span{}
}
