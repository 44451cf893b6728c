// Package tracing connects all the work that a request causes. The request's ID is kept in the context, stored with
// the jobs, events and deliveries that the request adds, and included in their log lines and spans.
//
// Spans are OpenTelemetry spans. If no collector is configured, no spans are started, and each call costs only one
// context lookup.
package tracing

import (
	"context"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Origin identifies the request that caused a job, event or delivery.
type Origin struct {
	ID   string            // the request's ID; empty for work that the service started itself
	Span trace.SpanContext // the span in which the work was added; may be invalid
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
	return Origin{ID: id, Span: trace.SpanContextFromContext(ctx)}
}

// header is the name of the W3C header that identifies a span. Its value is also stored in database rows.
const header = "traceparent"

// Encode returns the origin in the form stored in a row: the ID, a space and the span. Without a valid span, it
// returns only the ID.
func (t Origin) Encode() string {
	if !t.Span.IsValid() {
		return t.ID
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpanContext(context.Background(), t.Span), carrier)
	return t.ID + " " + carrier[header]
}

// Decode parses a stored origin. It ignores an invalid span.
func Decode(stored string) Origin {
	id, span, _ := strings.Cut(stored, " ")
	if span == "" {
		return Origin{ID: id}
	}
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{header: span})
	return Origin{ID: id, Span: trace.SpanContextFromContext(ctx)}
}

// TraceID returns the trace's ID, or "" if the trace is not sampled.
func (t Origin) TraceID() string {
	if !t.Span.IsSampled() {
		return ""
	}
	return t.Span.TraceID().String()
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
	tracer trace.Tracer
	parent trace.SpanContext
	start  time.Time
	ctx    context.Context //nolint:containedctx // of the accepted request, for the log line at its end
	span   Span
}

type offerKey struct{}

// NewOffer reads the traceparent header of a request. It returns nil if there is no valid one.
func NewOffer(ctx context.Context, tracer trace.Tracer, h http.Header, start time.Time) (context.Context, *Offer) {
	if h.Get(header) == "" {
		return ctx, nil
	}
	remote := propagation.TraceContext{}.Extract(context.Background(), propagation.HeaderCarrier(h))
	parent := trace.SpanContextFromContext(remote)
	if !parent.IsValid() {
		return ctx, nil
	}
	o := &Offer{tracer: tracer, parent: parent, start: start, ctx: ctx}
	return context.WithValue(ctx, offerKey{}, o), o
}

// AcceptOffer continues the caller's trace, if there is one. Call it when the caller is authenticated.
func AcceptOffer(ctx context.Context, name string) (_ context.Context, accepted bool) {
	o, found := ctx.Value(offerKey{}).(*Offer)
	if !found {
		return ctx, false
	}
	ctx = trace.ContextWithRemoteSpanContext(ctx, o.parent)
	if o.tracer != nil {
		var span trace.Span
		ctx, span = o.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(o.start))
		o.span = Span{span}
	}
	o.ctx = ctx
	return ctx, true
}

// Accepted returns the context and the span of the request if the offer was accepted. Otherwise it returns the
// context that the offer was made with, and an empty span.
func (o *Offer) Accepted() (context.Context, Span) { return o.ctx, o.span }

// Span measures a piece of work. The zero value measures nothing.
type Span struct{ span trace.Span }

// StartSpan starts a child of the context's span. If the parent is not recorded, neither is the child.
func StartSpan(ctx context.Context, name string) (context.Context, Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := tracerOf(parent).Start(ctx, name)
	return ctx, Span{span}
}

// StartClientSpan is like StartSpan, for a call to another service.
func StartClientSpan(ctx context.Context, name string) (context.Context, Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := tracerOf(parent).Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient))
	return ctx, Span{span}
}

// Scope is the instrumentation scope of all spans.
const Scope = "homeward"

func tracerOf(span trace.Span) trace.Tracer { return span.TracerProvider().Tracer(Scope) }

// StartServerSpan starts a span for a request, as a child of the caller's span. If the tracer is nil, no span is
// started.
func StartServerSpan(ctx context.Context, tracer trace.Tracer, name string) (context.Context, Span) {
	if tracer == nil {
		return ctx, Span{}
	}
	ctx, span := tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer))
	return ctx, Span{span}
}

// Resume continues the trace recorded in t when queued work runs. The returned context contains the request ID. If
// the tracer is not nil, it also contains a new span linked to the span in which the work was queued.
func Resume(ctx context.Context, tracer trace.Tracer, t Origin, name string) (context.Context, Span) {
	ctx = WithRequestID(ctx, t.ID)
	if tracer == nil {
		if t.Span.IsValid() { // work added from now on belongs to the original request
			ctx = trace.ContextWithRemoteSpanContext(ctx, t.Span)
		}
		return ctx, Span{}
	}
	options := []trace.SpanStartOption{trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindConsumer)}
	if t.Span.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: t.Span}))
	}
	ctx, span := tracer.Start(ctx, name, options...)
	s := Span{span}
	s.Set("homeward.request", t.ID)
	return ctx, s
}

// Set sets an attribute. The value must be a keyword or a number, never text entered by a user.
func (s Span) Set(name string, value any) {
	if s.span == nil || !s.span.IsRecording() {
		return
	}
	switch v := value.(type) {
	case string:
		if v != "" {
			s.span.SetAttributes(attribute.String(name, v))
		}
	case int:
		s.span.SetAttributes(attribute.Int(name, v))
	case int64:
		s.span.SetAttributes(attribute.Int64(name, v))
	}
}

// Rename changes the span's name.
func (s Span) Rename(name string) {
	if s.span != nil {
		s.span.SetName(name)
	}
}

// AddEvent adds an event to the span.
func (s Span) AddEvent(name string) {
	if s.span != nil {
		s.span.AddEvent(name)
	}
}

// SpanFromContext returns the context's span, or the zero Span if it is not recorded.
func SpanFromContext(ctx context.Context) Span {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		return Span{span}
	}
	return Span{}
}

// Fail marks the span as failed.
func (s Span) Fail(kind string) {
	if s.span != nil {
		s.span.SetStatus(codes.Error, kind)
	}
}

// End ends the span. If err is not nil, it records that an error occurred, but not its text, which may contain
// personal data.
func (s Span) End(err error) {
	if s.span == nil {
		return
	}
	if err != nil {
		s.Fail("")
	}
	s.span.End()
}
