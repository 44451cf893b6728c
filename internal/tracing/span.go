package tracing

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"sync"
	"time"
)

// Kind says what part a span has in a trace. The values are those of OpenTelemetry.
type Kind int

// The kinds of spans.
const (
	Internal Kind = 1
	Server   Kind = 2 // a request that the service handles
	Client   Kind = 3 // a call to another service
	Consumer Kind = 5 // work from a queue
)

// Attribute is a named value. The value is a string, an int64, a float64 or a bool.
type Attribute struct {
	Name  string
	Value any
}

// Event is something that happened during a span.
type Event struct {
	Name string
	At   time.Time
}

// SpanData is what is known about a span when it ends.
type SpanData struct {
	Context       SpanContext
	Parent        SpanContext // not valid for the first span of a trace
	Link          SpanContext // the span that caused this one; usually not valid
	Name          string
	Kind          Kind
	Start, End    time.Time
	Attributes    []Attribute
	Events        []Event
	DroppedEvents int
	Failed        bool
	Failure       string // a keyword, if Failed
}

// Tracer starts spans. It is safe for concurrent use.
type Tracer struct {
	share  float64
	export func(SpanData)
}

// NewTracer returns a tracer that passes each recorded span to export when it ends. Share is the fraction of the
// traces started here that are recorded, from 0 to 1.
func NewTracer(share float64, export func(SpanData)) *Tracer {
	return &Tracer{share: share, export: export}
}

// maxEvents limits the events of a span, so that a loop cannot fill the memory.
const maxEvents = 128

// span is a span that has not ended.
type span struct {
	tracer   *Tracer // nil for a span that is not recorded
	mu       sync.Mutex
	SpanData // Context, Parent and Link do not change; the mutex guards the rest
}

// start starts a span as a child of the context's span, or as the first span of a trace. A link says which span of
// another trace caused it.
//
// A trace is recorded completely or not at all: the first span decides. It is recorded if its link is, because a job
// or delivery belongs to the request that added it.
func (t *Tracer) start(ctx context.Context, name string, kind Kind, at time.Time, link SpanContext) (
	context.Context, Span,
) {
	s := &span{SpanData: SpanData{Parent: SpanContextOf(ctx), Link: link, Name: name, Kind: kind, Start: at}}
	if s.Parent.IsValid() {
		s.Context = s.Parent
		s.Context.Remote = false
	} else {
		_, _ = rand.Read(s.Context.TraceID[:]) // never fails
		s.Context.Sampled = link.IsValid() && link.Sampled || t.samples(s.Context.TraceID)
	}
	_, _ = rand.Read(s.Context.SpanID[:])
	if !s.Context.Sampled {
		return withSpan(ctx, s), Span{}
	}
	s.tracer = t
	return withSpan(ctx, s), Span{s}
}

// samples reports whether a trace belongs to the fraction that is recorded. It depends on the ID alone.
func (t *Tracer) samples(id [16]byte) bool {
	const bits = 63
	return t.share >= 1 || float64(binary.BigEndian.Uint64(id[8:])>>1) < t.share*(1<<bits)
}

// Span measures a piece of work. The zero value measures nothing.
type Span struct{ span *span }

// lock locks the span. It returns false if the span is not recorded or has ended.
func (s Span) lock() bool {
	if s.span == nil {
		return false
	}
	s.span.mu.Lock()
	if !s.span.SpanData.End.IsZero() {
		s.span.mu.Unlock()
		return false
	}
	return true
}

// Set sets an attribute. The value must be a keyword or a number, never text entered by a user.
func (s Span) Set(name string, value any) {
	switch v := value.(type) {
	case string:
		if v == "" {
			return
		}
	case int:
		value = int64(v)
	case int64:
	default:
		return
	}
	if !s.lock() {
		return
	}
	defer s.span.mu.Unlock()
	for i, a := range s.span.Attributes {
		if a.Name == name {
			s.span.Attributes[i].Value = value
			return
		}
	}
	s.span.Attributes = append(s.span.Attributes, Attribute{name, value})
}

// Rename changes the span's name.
func (s Span) Rename(name string) {
	if !s.lock() {
		return
	}
	defer s.span.mu.Unlock()
	s.span.Name = name
}

// AddEvent adds an event to the span.
func (s Span) AddEvent(name string) {
	if !s.lock() {
		return
	}
	defer s.span.mu.Unlock()
	if len(s.span.Events) == maxEvents {
		s.span.DroppedEvents++
		return
	}
	s.span.Events = append(s.span.Events, Event{name, time.Now()})
}

// Fail marks the span as failed.
func (s Span) Fail(kind string) {
	if !s.lock() {
		return
	}
	defer s.span.mu.Unlock()
	s.span.Failed, s.span.Failure = true, kind
}

// End ends the span. If err is not nil, it records that an error occurred, but not its text, which may contain
// personal data. Nothing can be added to a span that has ended.
func (s Span) End(err error) {
	if !s.lock() {
		return
	}
	defer s.span.mu.Unlock()
	if err != nil {
		s.span.Failed, s.span.Failure = true, ""
	}
	s.span.SpanData.End = time.Now()
	s.span.tracer.export(s.span.SpanData)
}
