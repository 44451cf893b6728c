// Package otlp sends spans and log lines to a collector, using the OpenTelemetry protocol over HTTP. It is used only
// if the operator configures a collector. Spans and lines that cannot be sent in time are dropped: requests never
// wait for the collector, and the local log still contains every line.
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

// Options configures an Exporter.
type Options struct {
	Collector string            // http(s)://host:port
	Headers   map[string]string // sent to the collector with each request
	Sample    float64           // the fraction of traces started by this service that are sampled, from 0 to 1
	Version   string            // the program's version
	OnError   func(error)       // called when sending fails
}

// Exporter sends spans and log lines to the collector.
type Exporter struct {
	traces *sdktrace.TracerProvider
	logs   *sdklog.LoggerProvider
}

const (
	sendTime = 10 * time.Second // how long sending one batch may take
	endTime  = 5 * time.Second  // how long sending the remaining data may take when the service stops
)

// Open returns an Exporter. The collector is contacted only when there is data to send.
func Open(ctx context.Context, o Options) (*Exporter, error) {
	collector := strings.TrimSuffix(o.Collector, "/")
	spans, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(collector+"/v1/traces"),
		otlptracehttp.WithHeaders(o.Headers),
		otlptracehttp.WithTimeout(sendTime), otlptracehttp.WithCompression(otlptracehttp.GzipCompression))
	if err != nil {
		return nil, fmt.Errorf("send spans: %w", err)
	}
	lines, err := otlploghttp.New(ctx, otlploghttp.WithEndpointURL(collector+"/v1/logs"),
		otlploghttp.WithHeaders(o.Headers),
		otlploghttp.WithTimeout(sendTime), otlploghttp.WithCompression(otlploghttp.GzipCompression))
	if err != nil {
		return nil, fmt.Errorf("send log lines: %w", err)
	}
	service := resource.NewSchemaless(attribute.String("service.name", "homeward"),
		attribute.String("service.version", o.Version),
		attribute.String("service.instance.id", strings.ToLower(rand.Text())))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(o.OnError)) // one handler for the whole program
	return &Exporter{
		traces: sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans), sdktrace.WithResource(service),
			sdktrace.WithSampler(sdktrace.ParentBased(linkedSampler{sdktrace.TraceIDRatioBased(o.Sample)}))),
		logs: sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(lines)),
			sdklog.WithResource(service)),
	}, nil
}

// Check sends an empty batch to the collector. It returns an error unless the collector accepts it.
func Check(ctx context.Context, o Options) error {
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
	// Do not follow redirects, because the headers are intended only for the collector.
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	_ = res.Body.Close() // only the status matters
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("the collector returned status %d", res.StatusCode)
	}
	return nil
}

// Tracer returns the tracer whose spans are sent to the collector.
func (p *Exporter) Tracer() trace.Tracer { return p.traces.Tracer(tracing.Scope) }

// Handler returns a log handler that sends each line to local and to the collector.
func (p *Exporter) Handler(local slog.Handler) slog.Handler {
	return slog.NewMultiHandler(local, &handler{to: p.logs.Logger(tracing.Scope)})
}

// Close sends the remaining data, which takes at most endTime.
func (p *Exporter) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	return errors.Join(p.traces.Shutdown(ctx), p.logs.Shutdown(ctx))
}

// linkedSampler samples every span that is linked to a sampled trace, because a job or delivery belongs to the
// request that added it. It samples a fraction of all other spans.
type linkedSampler struct{ share sdktrace.Sampler }

// ShouldSample decides whether to sample a trace that starts in this service.
func (l linkedSampler) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	for _, link := range p.Links {
		if link.SpanContext.IsSampled() {
			return sdktrace.AlwaysSample().ShouldSample(p)
		}
	}
	return l.share.ShouldSample(p)
}

// Description returns the sampler's name.
func (l linkedSampler) Description() string { return "Linked{" + l.share.Description() + "}" }
