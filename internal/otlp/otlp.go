// Package otlp sends spans and log lines to a collector, using the OpenTelemetry protocol over HTTP. It is used only
// if the operator configures a collector. Spans and lines that cannot be sent in time are dropped: requests never
// wait for the collector, and the local log still contains every line.
package otlp

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"time"

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
	tracer *tracing.Tracer
	spans  *batcher[tracing.SpanData]
	lines  *batcher[logLine]
}

const (
	// How long records wait for others before they are sent.
	spanDelay = 5 * time.Second
	lineDelay = time.Second
	// endTime is how long sending the remaining data may take when the service stops.
	endTime = 5 * time.Second
)

// Open returns an Exporter. The collector is contacted only when there is data to send.
func Open(o Options) *Exporter {
	resource := []tracing.Attribute{
		{Name: "service.name", Value: "homeward"},
		{Name: "service.version", Value: o.Version},
		{Name: "service.instance.id", Value: strings.ToLower(rand.Text())},
	}
	traces, logs := newSender(o, "/v1/traces"), newSender(o, "/v1/logs")
	spans := newBatcher(spanDelay, func(ctx context.Context, all []tracing.SpanData) error {
		return traces.post(ctx, encode(resource, all, writeSpan))
	}, o.OnError)
	lines := newBatcher(lineDelay, func(ctx context.Context, all []logLine) error {
		return logs.post(ctx, encode(resource, all, writeLine))
	}, o.OnError)
	return &Exporter{tracer: tracing.NewTracer(o.Sample, spans.add), spans: spans, lines: lines}
}

// Check sends an empty batch to the collector. It returns an error unless the collector accepts it.
func Check(ctx context.Context, o Options) error {
	_, _, err := newSender(o, "/v1/traces").try(ctx, nil, "")
	return err
}

// Tracer returns the tracer whose spans are sent to the collector.
func (p *Exporter) Tracer() *tracing.Tracer { return p.tracer }

// Handler returns a log handler that sends each line to local and to the collector.
func (p *Exporter) Handler(local slog.Handler) slog.Handler {
	return slog.NewMultiHandler(local, &handler{to: p.lines})
}

// Close sends the remaining data, which takes at most endTime.
func (p *Exporter) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	spans := make(chan error, 1)
	go func() { spans <- p.spans.close(ctx) }() // if one of them hangs, the other is still sent
	return errors.Join(p.lines.close(ctx), <-spans)
}
