// Package tracing connects all work that one request causes: its id is in the context, is stored
// with the jobs, events and deliveries that the request adds, and appears in the log lines and
// spans of that later work.
//
// Spans are those of OpenTelemetry. Without a collector no spans are started, and the calls cost
// one lookup in the context.
package tracing

import (
	"context"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Origin identifies the request that caused some work.
type Origin struct {
	ID   string            // of the request; empty for work of the service itself
	Span trace.SpanContext // in which the work was added, if there was one
}

type idKey struct{}

// WithRequestID puts a request's id into a context.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, idKey{}, id)
}

// FromContext returns the origin in a context.
func FromContext(ctx context.Context) Origin {
	id, _ := ctx.Value(idKey{}).(string)
	return Origin{ID: id, Span: trace.SpanContextFromContext(ctx)}
}

// header is the name of the W3C header for spans; rows store its value.
const header = "traceparent"

// Encode returns the origin as it is stored in a row: the id, and after a space the span.
func (t Origin) Encode() string {
	if !t.Span.IsValid() {
		return t.ID
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpanContext(context.Background(), t.Span), carrier)
	return t.ID + " " + carrier[header]
}

// Decode parses a stored origin. An invalid one gives the zero value.
func Decode(kept string) Origin {
	id, span, _ := strings.Cut(kept, " ")
	if span == "" {
		return Origin{ID: id}
	}
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{header: span})
	return Origin{ID: id, Span: trace.SpanContextFromContext(ctx)}
}

// TraceID returns the id of the trace, if it is collected.
func (t Origin) TraceID() string {
	if !t.Span.IsSampled() {
		return ""
	}
	return t.Span.TraceID().String()
}

// LogFields returns the origin's log attributes: pairs of names and values.
func (t Origin) LogFields() (pairs []any) {
	if t.ID != "" {
		pairs = append(pairs, "request", t.ID)
	}
	if id := t.TraceID(); id != "" {
		pairs = append(pairs, "trace", id)
	}
	return pairs
}

// Extract puts the span of a request's headers into a context.
func Extract(ctx context.Context, h http.Header) context.Context {
	if h.Get(header) == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(h))
}

// Span is a measured piece of work; the zero value measures nothing.
type Span struct{ span trace.Span }

// StartSpan starts a child of the context's span. If that is not collected, neither is this one.
func StartSpan(ctx context.Context, name string) (context.Context, Span) {
	above := trace.SpanFromContext(ctx)
	if !above.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := tracer(above).Start(ctx, name)
	return ctx, Span{span}
}

// StartClientSpan is StartSpan for a call to another service.
func StartClientSpan(ctx context.Context, name string) (context.Context, Span) {
	above := trace.SpanFromContext(ctx)
	if !above.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := tracer(above).Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient))
	return ctx, Span{span}
}

// Scope is the instrumentation scope of the spans.
const Scope = "homeward"

func tracer(of trace.Span) trace.Tracer { return of.TracerProvider().Tracer(Scope) }

// StartServerSpan starts the span of a request, as a child of the caller's span. Without a tracer
// there is none.
func StartServerSpan(ctx context.Context, by trace.Tracer, name string) (context.Context, Span) {
	if by == nil {
		return ctx, Span{}
	}
	ctx, span := by.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer))
	return ctx, Span{span}
}

// Resume continues the trace of an origin in later work: the context gets the id and, if there is a
// tracer, a span that is linked to the one in which the work was added.
func Resume(ctx context.Context, by trace.Tracer, t Origin, name string) (context.Context, Span) {
	ctx = WithRequestID(ctx, t.ID)
	if by == nil {
		if t.Span.IsValid() { // work that is added from here on refers to the first request
			ctx = trace.ContextWithRemoteSpanContext(ctx, t.Span)
		}
		return ctx, Span{}
	}
	options := []trace.SpanStartOption{trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindConsumer)}
	if t.Span.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: t.Span}))
	}
	ctx, span := by.Start(ctx, name, options...)
	s := Span{span}
	s.Set("homeward.request", t.ID)
	return ctx, s
}

// Set sets an attribute: a keyword or a number, never text that a person wrote.
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

// Rename changes the name of a span.
func (s Span) Rename(name string) {
	if s.span != nil {
		s.span.SetName(name)
	}
}

// AddEvent adds an event to a span.
func (s Span) AddEvent(what string) {
	if s.span != nil {
		s.span.AddEvent(what)
	}
}

// SpanFromContext returns the context's span.
func SpanFromContext(ctx context.Context) Span {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		return Span{span}
	}
	return Span{}
}

// Fail marks a span as failed.
func (s Span) Fail(kind string) {
	if s.span != nil {
		s.span.SetStatus(codes.Error, kind)
	}
}

// End ends a span. It records that there was an error, but not its text, which may contain what a
// guest wrote.
func (s Span) End(err error) {
	if s.span == nil {
		return
	}
	if err != nil {
		s.Fail("")
	}
	s.span.End()
}
