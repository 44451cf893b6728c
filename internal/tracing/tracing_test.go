package tracing_test

import (
	"net/http"
	"testing"
	"time"

	"homeward/internal/tracing"
)

func TestAnOriginIsDecodedAsItWasEncoded(t *testing.T) {
	const span = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-"
	for stored, want := range map[string]string{
		"":                     "",
		"req_1":                "req_1",
		"req_1 " + span + "01": "req_1 " + span + "01",
		" " + span + "00":      " " + span + "00",
		"req_1 nonsense":       "req_1",
	} {
		if got := tracing.Decode(stored).Encode(); got != want {
			t.Errorf("%q became %q, want %q", stored, got, want)
		}
	}
}

func TestOnlyASampledTraceIsLogged(t *testing.T) {
	for flags, want := range map[string]string{"01": "0af7651916cd43dd8448eb211c80319c", "00": ""} {
		h := http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-" + flags}}
		ctx, offer := tracing.NewOffer(t.Context(), nil, h, time.Now())
		if got := tracing.FromContext(ctx).TraceID(); got != "" {
			t.Errorf("flags %s: got %q before the caller is authenticated", flags, got)
		}
		ctx, _ = tracing.AcceptOffer(ctx, "GET")
		if got := tracing.FromContext(ctx).TraceID(); got != want {
			t.Errorf("flags %s: got %q, want %q", flags, got, want)
		}
		if accepted, _ := offer.Accepted(); tracing.FromContext(accepted).TraceID() != want {
			t.Errorf("flags %s: the request is not in the trace", flags)
		}
	}
}

func TestWithoutATracerThereAreNoSpansButTheOriginIsKept(t *testing.T) {
	origin := tracing.Decode("req_1 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	ctx, span := tracing.Resume(t.Context(), nil, origin, "job")
	ctx, inner := tracing.StartSpan(ctx, "inside")
	inner.Set("a", 1)
	inner.AddEvent("b")
	inner.End(nil)
	span.End(nil)
	if got := tracing.FromContext(ctx).Encode(); got != origin.Encode() {
		t.Errorf("got %q, want %q", got, origin.Encode())
	}
}
