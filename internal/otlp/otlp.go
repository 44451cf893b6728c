// Package otlp sends spans and log lines to a collector, by OpenTelemetry's protocol over HTTP. It is asked only where the operator
// names a collector. What cannot be sent in time is dropped: nobody waits for it, and the log that is written here has every line in any case.
package otlp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"homeward/internal/tracing"
)

// Options is where to send, and how much.
type Options struct {
	Collector string            // http(s)://host:port
	Headers   map[string]string // that the collector asks for
	Sample    float64           // share of the traces that begin here, 0 to 1
	Version   string            // of the program
	Failed    func(error)       // told of what could not be sent
}

// Pipe leads to the collector.
type Pipe struct {
	traces *sdktrace.TracerProvider
	logs   *sdklog.LoggerProvider
}

const (
	sendTime = 10 * time.Second // for one parcel
	endTime  = 5 * time.Second  // for what is left when the service stops
)

// Open makes the pipe. The collector is not called before there is something to send.
func Open(ctx context.Context, o Options) (*Pipe, error) {
	collector := strings.TrimSuffix(o.Collector, "/")
	spans, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(collector+"/v1/traces"), otlptracehttp.WithHeaders(o.Headers),
		otlptracehttp.WithTimeout(sendTime), otlptracehttp.WithCompression(otlptracehttp.GzipCompression))
	if err != nil {
		return nil, fmt.Errorf("send spans: %w", err)
	}
	lines, err := otlploghttp.New(ctx, otlploghttp.WithEndpointURL(collector+"/v1/logs"), otlploghttp.WithHeaders(o.Headers),
		otlploghttp.WithTimeout(sendTime), otlploghttp.WithCompression(otlploghttp.GzipCompression))
	if err != nil {
		return nil, fmt.Errorf("send log lines: %w", err)
	}
	about := resource.NewSchemaless(attribute.String("service.name", "homeward"), attribute.String("service.version", o.Version),
		attribute.String("service.instance.id", strings.ToLower(rand.Text())))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(o.Failed)) // the library knows but one for the whole program
	return &Pipe{
		traces: sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans), sdktrace.WithResource(about),
			sdktrace.WithSampler(sdktrace.ParentBased(linked{sdktrace.TraceIDRatioBased(o.Sample)}))),
		logs: sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(lines)), sdklog.WithResource(about)),
	}, nil
}

// Try sends the collector a parcel with nothing in it.
func Try(ctx context.Context, o Options) error {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(o.Collector, "/")+"/v1/traces", nil)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	for name, value := range o.Headers {
		r.Header.Set(name, value)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }} // the headers are for the collector alone
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	_ = res.Body.Close() // the status says it all
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answered %d", res.StatusCode)
	}
	return nil
}

// Tracer begins spans.
func (p *Pipe) Tracer() trace.Tracer { return p.traces.Tracer(tracing.Scope) }

// Handler gives a log whose lines go to the collector beside where they go.
func (p *Pipe) Handler(beside slog.Handler) slog.Handler {
	return slog.NewMultiHandler(beside, &handler{to: p.logs.Logger(tracing.Scope)})
}

// Close sends what is left, as far as a few seconds suffice.
func (p *Pipe) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	return errors.Join(p.traces.Shutdown(ctx), p.logs.Shutdown(ctx))
}

// linked collects what continues something that is collected, and a share of the rest: a job, and an attempt to deliver, belong to the request that left them.
type linked struct{ share sdktrace.Sampler }

// ShouldSample decides on a trace that begins here.
func (l linked) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	for _, link := range p.Links {
		if link.SpanContext.IsSampled() {
			return sdktrace.AlwaysSample().ShouldSample(p)
		}
	}
	return l.share.ShouldSample(p)
}

// Description names the rule.
func (l linked) Description() string { return "Linked{" + l.share.Description() + "}" }
