package otlp

import (
	"testing"
	"time"

	collogs "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"homeward/internal/tracing"
)

func text(s string) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: s}}
}

// allKinds has an attribute of each kind, in both forms.
func allKinds() ([]tracing.Attribute, []*common.KeyValue) {
	return []tracing.Attribute{
			{Name: "text", Value: "Grüße"}, {Name: "empty", Value: ""}, {Name: "number", Value: int64(-7)},
			{Name: "zero", Value: int64(0)}, {Name: "float", Value: 1.5}, {Name: "yes", Value: true},
			{Name: "no", Value: false},
		}, []*common.KeyValue{
			{Key: "text", Value: text("Grüße")},
			{Key: "empty", Value: text("")},
			{Key: "number", Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: -7}}},
			{Key: "zero", Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: 0}}},
			{Key: "float", Value: &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: 1.5}}},
			{Key: "yes", Value: &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: true}}},
			{Key: "no", Value: &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: false}}},
		}
}

var (
	at       = time.Unix(1_700_000_000, 123)
	service  = []tracing.Attribute{{Name: "service.name", Value: "homeward"}}
	theirs   = &resource.Resource{Attributes: []*common.KeyValue{{Key: "service.name", Value: text("homeward")}}}
	scope    = &common.InstrumentationScope{Name: "homeward"}
	traceID  = [16]byte{1, 2, 3}
	spanID   = [8]byte{4, 5}
	parentID = [8]byte{6}
	linkedID = [8]byte{7}
)

// same compares bytes with a message, both ways: what is decoded, and how long it is.
func same(t *testing.T, ours []byte, want, decoded proto.Message) {
	t.Helper()
	if err := proto.Unmarshal(ours, decoded); err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(decoded, want) {
		t.Errorf("got  %v\nwant %v", decoded, want)
	}
	if theirs, err := proto.Marshal(want); err != nil || len(theirs) != len(ours) {
		t.Errorf("%d bytes, the library has %d: %v", len(ours), len(theirs), err)
	}
}

func TestSpansAreEncodedAsTheProtocolDefines(t *testing.T) {
	t.Parallel()
	attributes, pairs := allKinds()
	spans := []tracing.SpanData{
		{
			Context: tracing.SpanContext{TraceID: traceID, SpanID: spanID, Sampled: true, State: "a=b"},
			Parent:  tracing.SpanContext{TraceID: traceID, SpanID: parentID, Sampled: true, Remote: true},
			Link:    tracing.SpanContext{TraceID: traceID, SpanID: linkedID, State: "c=d", Remote: true},
			Name:    "GET /", Kind: tracing.Server, Start: at, End: at.Add(time.Second), Attributes: attributes,
			Events: []tracing.Event{{Name: "retry", At: at}}, DroppedEvents: 3, Failed: true, Failure: "timeout",
		},
		{Context: tracing.SpanContext{TraceID: traceID, SpanID: spanID, Sampled: true}, Name: "x", Start: at, End: at},
		{Context: tracing.SpanContext{TraceID: traceID, SpanID: spanID, Sampled: true}, Failed: true},
	}
	nanos := uint64(at.UnixNano())
	want := &coltrace.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{
		Resource: theirs, ScopeSpans: []*trace.ScopeSpans{{Scope: scope, Spans: []*trace.Span{
			{
				TraceId: traceID[:], SpanId: spanID[:], TraceState: "a=b", ParentSpanId: parentID[:], Name: "GET /",
				Kind: trace.Span_SPAN_KIND_SERVER, StartTimeUnixNano: nanos, EndTimeUnixNano: nanos + 1e9,
				Attributes: pairs, Events: []*trace.Span_Event{{TimeUnixNano: nanos, Name: "retry"}},
				DroppedEventsCount: 3,
				Links: []*trace.Span_Link{{
					TraceId: traceID[:], SpanId: linkedID[:], TraceState: "c=d", Flags: 0x300,
				}},
				Status: &trace.Status{Code: trace.Status_STATUS_CODE_ERROR, Message: "timeout"}, Flags: 0x301,
			},
			{
				TraceId: traceID[:], SpanId: spanID[:], Name: "x", StartTimeUnixNano: nanos, EndTimeUnixNano: nanos,
				Flags: 0x101,
			},
			{
				TraceId: traceID[:], SpanId: spanID[:], Flags: 0x101,
				Status: &trace.Status{Code: trace.Status_STATUS_CODE_ERROR},
			},
		}}},
	}}}
	same(t, encode(service, spans, writeSpan), want, &coltrace.ExportTraceServiceRequest{})
	for kind, want := range map[tracing.Kind]trace.Span_SpanKind{
		tracing.Internal: trace.Span_SPAN_KIND_INTERNAL, tracing.Client: trace.Span_SPAN_KIND_CLIENT,
		tracing.Server: trace.Span_SPAN_KIND_SERVER, tracing.Consumer: trace.Span_SPAN_KIND_CONSUMER,
	} {
		if int(kind) != int(want) {
			t.Errorf("%v has the number %d", want, kind)
		}
	}
}

func TestLogLinesAreEncodedAsTheProtocolDefines(t *testing.T) {
	t.Parallel()
	attributes, pairs := allKinds()
	lines := []logLine{
		{
			at: at, severity: 13, level: "WARN", text: "slow", attributes: attributes,
			span: tracing.SpanContext{TraceID: traceID, SpanID: spanID, Sampled: true},
		},
		{at: at, severity: 9, level: "INFO"},
	}
	nanos := uint64(at.UnixNano())
	want := &collogs.ExportLogsServiceRequest{ResourceLogs: []*logs.ResourceLogs{{
		Resource: theirs, ScopeLogs: []*logs.ScopeLogs{{Scope: scope, LogRecords: []*logs.LogRecord{
			{
				TimeUnixNano: nanos, ObservedTimeUnixNano: nanos, SeverityText: "WARN", Body: text("slow"),
				SeverityNumber: logs.SeverityNumber_SEVERITY_NUMBER_WARN, Attributes: pairs, Flags: 1,
				TraceId: traceID[:], SpanId: spanID[:],
			},
			{
				TimeUnixNano: nanos, ObservedTimeUnixNano: nanos, SeverityText: "INFO", Body: text(""),
				SeverityNumber: logs.SeverityNumber_SEVERITY_NUMBER_INFO,
			},
		}}},
	}}}
	same(t, encode(service, lines, writeLine), want, &collogs.ExportLogsServiceRequest{})
}

func TestRefusedRecordsAreAnError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		response proto.Message
		wrong    bool
	}{
		{&coltrace.ExportTraceServiceResponse{}, false},
		{&coltrace.ExportTraceServiceResponse{PartialSuccess: &coltrace.ExportTracePartialSuccess{}}, false},
		{&coltrace.ExportTraceServiceResponse{
			PartialSuccess: &coltrace.ExportTracePartialSuccess{ErrorMessage: "only a warning"},
		}, false},
		{&coltrace.ExportTraceServiceResponse{
			PartialSuccess: &coltrace.ExportTracePartialSuccess{RejectedSpans: 300, ErrorMessage: "too old"},
		}, true},
		{&collogs.ExportLogsServiceResponse{
			PartialSuccess: &collogs.ExportLogsPartialSuccess{RejectedLogRecords: 1},
		}, true},
	} {
		body, err := proto.Marshal(c.response)
		if err != nil {
			t.Fatal(err)
		}
		if err := refused("application/x-protobuf", body); (err != nil) != c.wrong {
			t.Errorf("%v: got %v", c.response, err)
		}
	}
}

func FuzzRefusedNeverPanics(f *testing.F) {
	f.Add([]byte{0x0a, 0x02, 0x08, 0x01})
	f.Add([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add([]byte{0x0b, 0x08, 0x80})
	f.Fuzz(func(_ *testing.T, response []byte) { _ = refused("application/x-protobuf", response) })
}
