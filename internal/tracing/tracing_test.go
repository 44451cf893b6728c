package tracing_test

import (
	"net/http"
	"testing"

	"homeward/internal/tracing"
)

func TestAnOriginIsDecodedAsItWasEncoded(t *testing.T) {
	const span = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-"
	for kept, want := range map[string]string{
		"":                     "",
		"req_1":                "req_1",
		"req_1 " + span + "01": "req_1 " + span + "01",
		" " + span + "00":      " " + span + "00",
		"req_1 nonsense":       "req_1",
	} {
		if got := tracing.Decode(kept).Encode(); got != want {
			t.Errorf("%q became %q", kept, got)
		}
	}
}

func TestOnlyACollectedTraceIsLogged(t *testing.T) {
	for flags, want := range map[string]string{"01": "0af7651916cd43dd8448eb211c80319c", "00": ""} {
		h := http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-" + flags}}
		if got := tracing.FromContext(tracing.Extract(t.Context(), h)).TraceID(); got != want {
			t.Errorf("%s: %q", flags, got)
		}
	}
}

func TestWithoutATracerThereAreNoSpansButTheOriginIsKept(t *testing.T) {
	from := tracing.Decode("req_1 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	ctx, span := tracing.Resume(t.Context(), nil, from, "job")
	ctx, inner := tracing.StartSpan(ctx, "inside")
	inner.Set("a", 1)
	inner.AddEvent("b")
	inner.End(nil)
	span.End(nil)
	if got := tracing.FromContext(ctx).Encode(); got != from.Encode() {
		t.Errorf("%q", got)
	}
}
