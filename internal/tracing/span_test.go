package tracing_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"homeward/internal/tracing"
)

const (
	traceID = "0af7651916cd43dd8448eb211c80319c"
	sampled = "00-" + traceID + "-b7ad6b7169203331-01"
)

// newTracer returns a tracer and the spans that it has exported.
func newTracer(share float64) (*tracing.Tracer, *[]tracing.SpanData) {
	spans := &[]tracing.SpanData{}
	return tracing.NewTracer(share, func(s tracing.SpanData) { *spans = append(*spans, s) }), spans
}

func TestOnlyValidTraceparentHeadersAreUsed(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		sampled:                                              true,
		"00-" + traceID + "-b7ad6b7169203331-00":             true,
		"00-" + traceID + "-b7ad6b7169203331-03":             true,  // a random trace ID
		"00-" + traceID + "-b7ad6b7169203331-04":             false, // unknown in version 0
		"01-" + traceID + "-b7ad6b7169203331-09":             true,
		"01-" + traceID + "-b7ad6b7169203331-01-future":      true,
		sampled + "-future":                                  false,
		sampled + "-":                                        true, // as other implementations
		"ff-" + traceID + "-b7ad6b7169203331-01":             false,
		"0-" + traceID + "-b7ad6b7169203331-01":              false,
		"00-0AF7651916CD43DD8448EB211C80319C" + sampled[35:]: false,
		"00-00000000000000000000000000000000" + sampled[35:]: false,
		"00-" + traceID + "-0000000000000000-01":             false,
		"00-" + traceID + "-b7ad6b716920333-01":              false,
		"00-" + traceID + "-b7ad6b71692033xx-01":             false,
		"00-" + traceID + "-b7ad6b7169203331":                false,
		"00":                                                 false, "-": false, "---": false,
	} {
		_, offer := tracing.NewOffer(t.Context(), nil, http.Header{"Traceparent": {value}}, time.Now())
		if (offer != nil) != want {
			t.Errorf("%q: used is %t, want %t", value, offer != nil, want)
		}
	}
}

func TestTheCallersTraceIsContinued(t *testing.T) {
	t.Parallel()
	tracer, spans := newTracer(0)
	start := time.Now().Add(-time.Minute)
	h := http.Header{"Traceparent": {sampled}, "Tracestate": {"vendor=1"}}
	ctx, offer := tracing.NewOffer(t.Context(), tracer, h, start)
	ctx, _ = tracing.AcceptOffer(ctx, "GET")
	inner, child := tracing.StartClientSpan(ctx, "query")
	child.End(errors.New("secret"))
	_, span := offer.Accepted()
	span.Rename("GET /")
	span.Set("status", 200)
	span.Set("status", 404)
	span.Set("empty", "")
	span.AddEvent("written")
	span.End(nil)
	span.End(nil)
	span.Set("status", 500) // has ended
	if len(*spans) != 2 {
		t.Fatalf("got %d spans", len(*spans))
	}
	query, request := (*spans)[0], (*spans)[1]
	if !request.Parent.Remote || request.Context.Remote || request.Start != start || request.Name != "GET /" ||
		request.Kind != tracing.Server || request.Context.State != "vendor=1" || request.Failed ||
		!slices.Equal(request.Attributes, []tracing.Attribute{{Name: "status", Value: int64(404)}}) ||
		len(request.Events) != 1 {
		t.Errorf("request: %+v", request)
	}
	if query.Parent != request.Context || query.Context.TraceID != request.Parent.TraceID || query.Parent.Remote ||
		query.Context.SpanID == request.Context.SpanID || !query.Failed || query.Failure != "" ||
		query.Kind != tracing.Client || tracing.SpanContextOf(inner) != query.Context {
		t.Errorf("query: %+v", query)
	}
}

func TestATraceIsRecordedCompletelyOrNotAtAll(t *testing.T) {
	t.Parallel()
	for _, share := range []float64{0, 0.3, 1} {
		tracer, spans := newTracer(share)
		const traces = 2000
		for range traces {
			ctx, root := tracing.StartServerSpan(t.Context(), tracer, "root")
			_, child := tracing.StartSpan(ctx, "child")
			child.End(nil)
			root.End(nil)
		}
		got := float64(len(*spans)) / traces / 2
		if len(*spans)%2 != 0 || got < share-0.06 || got > share+0.06 {
			t.Errorf("share %v: %v of the traces were recorded", share, got)
		}
	}
}

func TestAJobIsRecordedIfItsRequestIs(t *testing.T) {
	t.Parallel()
	for stored, want := range map[string]int{"req_1 " + sampled: 1, "req_1 " + sampled[:54] + "0": 0, "req_1": 0} {
		tracer, spans := newTracer(0)
		parent, _ := tracing.StartServerSpan(t.Context(), tracer, "unrelated")
		ctx, span := tracing.Resume(parent, tracer, tracing.Decode(stored), "job")
		span.End(nil)
		if len(*spans) != want || tracing.FromContext(ctx).ID != "req_1" {
			t.Errorf("%s: got %+v", stored, *spans)
		}
		for _, s := range *spans {
			if s.Parent.IsValid() || !s.Link.Sampled || s.Context.TraceID == s.Link.TraceID ||
				s.Kind != tracing.Consumer {
				t.Errorf("got %+v", s)
			}
		}
	}
}

func TestEventsOfASpanAreLimited(t *testing.T) {
	t.Parallel()
	tracer, spans := newTracer(1)
	_, span := tracing.StartServerSpan(context.Background(), tracer, "busy")
	for range 200 {
		span.AddEvent("again")
	}
	span.End(nil)
	if s := (*spans)[0]; len(s.Events) != 128 || s.DroppedEvents != 72 {
		t.Errorf("got %d events and %d dropped", len(s.Events), s.DroppedEvents)
	}
}
