// Package trail follows what happens because of one request: its id goes with the context, is kept with the jobs, events and
// deliveries that the request leaves behind, and stands in the log lines and spans of whoever does that work later.
//
// Spans are those of OpenTelemetry. Where nobody collects them none is begun, and asking costs one look into the context.
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

// Trail leads back to the request that began something.
type Trail struct {
	ID   string            // of the request; empty for what the service does by itself
	Span trace.SpanContext // in which it was begun, where there was one
}

type idKey struct{}

// With puts a request's id into a context.
func With(ctx context.Context, id string) context.Context { return context.WithValue(ctx, idKey{}, id) }

// Of gives the trail that a context is on.
func Of(ctx context.Context) Trail {
	id, _ := ctx.Value(idKey{}).(string)
	return Trail{ID: id, Span: trace.SpanContextFromContext(ctx)}
}

// header is the name by which callers, and the form by which rows, tell of a span: W3C's.
const header = "traceparent"

// Kept is the trail as a row keeps it: the id, and after a blank the span.
func (t Trail) Kept() string {
	if !t.Span.IsValid() {
		return t.ID
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpanContext(context.Background(), t.Span), carrier)
	return t.ID + " " + carrier[header]
}

// Read reads a trail as a row keeps it. What cannot be read is no trail.
func Read(kept string) Trail {
	id, span, _ := strings.Cut(kept, " ")
	if span == "" {
		return Trail{ID: id}
	}
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{header: span})
	return Trail{ID: id, Span: trace.SpanContextFromContext(ctx)}
}

// Trace is the id of the trace that somebody collects, if anybody does.
func (t Trail) Trace() string {
	if !t.Span.IsSampled() {
		return ""
	}
	return t.Span.TraceID().String()
}

// Fields are what a log line says of the trail: pairs of names and values.
func (t Trail) Fields() (pairs []any) {
	if t.ID != "" {
		pairs = append(pairs, "request", t.ID)
	}
	if id := t.Trace(); id != "" {
		pairs = append(pairs, "trace", id)
	}
	return pairs
}

// Hear puts the span of a caller who sent one into a context.
func Hear(ctx context.Context, h http.Header) context.Context {
	if h.Get(header) == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(h))
}

// Span is a piece of work that is measured; the zero value is one that nobody measures.
type Span struct{ span trace.Span }

// Begin begins a span inside the one that the context is in. Where that is not collected, neither is this.
func Begin(ctx context.Context, name string) (context.Context, Span) {
	above := trace.SpanFromContext(ctx)
	if !above.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := tracer(above).Start(ctx, name)
	return ctx, Span{span}
}

// Call is Begin for a call of another service.
func Call(ctx context.Context, name string) (context.Context, Span) {
	above := trace.SpanFromContext(ctx)
	if !above.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := tracer(above).Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient))
	return ctx, Span{span}
}

// Scope is the name under which spans are collected.
const Scope = "homeward"

func tracer(of trace.Span) trace.Tracer { return of.TracerProvider().Tracer(Scope) }

// Answer begins the span of a request. A caller's span stands above it. Without a tracer there is none.
func Answer(ctx context.Context, by trace.Tracer, name string) (context.Context, Span) {
	if by == nil {
		return ctx, Span{}
	}
	ctx, span := by.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer))
	return ctx, Span{span}
}

// Resume continues a trail in work that was left to be done later: the context gets the id, and, where there is a tracer, a span of its own that is
// linked to the one in which the work was left.
func Resume(ctx context.Context, by trace.Tracer, t Trail, name string) (context.Context, Span) {
	ctx = With(ctx, t.ID)
	if by == nil {
		if t.Span.IsValid() { // what is left from here on leads back to where all this began
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

// Set notes something about a span: a word or a number, never what a person wrote.
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

// Rename gives a span a better name than it began with.
func (s Span) Rename(name string) {
	if s.span != nil {
		s.span.SetName(name)
	}
}

// Note adds a moment to a span.
func (s Span) Note(what string) {
	if s.span != nil {
		s.span.AddEvent(what)
	}
}

// Here is the span that a context is in.
func Here(ctx context.Context) Span {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		return Span{span}
	}
	return Span{}
}

// Fail says that a span came to nothing.
func (s Span) Fail(kind string) {
	if s.span != nil {
		s.span.SetStatus(codes.Error, kind)
	}
}

// End ends a span. Of an error it tells that there was one, and not its words: they may hold what a guest wrote.
func (s Span) End(err error) {
	if s.span == nil {
		return
	}
	if err != nil {
		s.Fail("")
	}
	s.span.End()
}
