package otlp

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
)

// handler converts log lines to OpenTelemetry records with the same message and attributes. The span is taken from
// the context.
type handler struct {
	to     log.Logger
	fields []attribute.KeyValue // added to every line
	group  string               // the prefix of attribute names, including a trailing dot
}

// Enabled reports whether lines at this level are sent.
func (h *handler) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// Handle queues one line to be sent.
func (h *handler) Handle(ctx context.Context, line slog.Record) error {
	var r log.Record
	r.SetTimestamp(line.Time)
	r.SetObservedTimestamp(line.Time)
	r.SetBody(attribute.StringValue(line.Message))
	r.SetSeverity(severity(line.Level))
	r.SetSeverityText(line.Level.String())
	r.AddAttributes(h.fields...)
	line.Attrs(func(a slog.Attr) bool {
		r.AddAttributes(fields(h.group, a)...)
		return true
	})
	h.to.Emit(ctx, r)
	return nil
}

// WithAttrs returns a handler that adds attrs to every line.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	more := &handler{to: h.to, fields: slices.Clone(h.fields), group: h.group}
	for _, a := range attrs {
		more.fields = append(more.fields, fields(h.group, a)...)
	}
	return more
}

// WithGroup returns a handler that puts further attributes into the named group.
func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return &handler{to: h.to, fields: h.fields, group: h.group + name + "."}
}

// severity returns the OpenTelemetry severity for a level.
func severity(level slog.Level) log.Severity {
	switch {
	case level >= slog.LevelError:
		return log.SeverityError
	case level >= slog.LevelWarn:
		return log.SeverityWarn
	case level >= slog.LevelInfo:
		return log.SeverityInfo
	default:
		return log.SeverityDebug
	}
}

// fields converts an attribute. The names of its groups become a prefix of its name.
func fields(group string, a slog.Attr) []attribute.KeyValue {
	v := a.Value.Resolve()
	name := group + a.Key
	switch v.Kind() {
	case slog.KindBool:
		return []attribute.KeyValue{attribute.Bool(name, v.Bool())}
	case slog.KindInt64:
		return []attribute.KeyValue{attribute.Int64(name, v.Int64())}
	case slog.KindUint64:
		return []attribute.KeyValue{attribute.Int64(name, int64(v.Uint64()))}
	case slog.KindFloat64:
		return []attribute.KeyValue{attribute.Float64(name, v.Float64())}
	case slog.KindTime:
		return []attribute.KeyValue{attribute.String(name, v.Time().Format(time.RFC3339Nano))}
	case slog.KindGroup:
		if a.Key != "" {
			group = name + "."
		}
		var all []attribute.KeyValue
		for _, in := range v.Group() {
			all = append(all, fields(group, in)...)
		}
		return all
	default:
		if v.Kind() == slog.KindAny && v.Any() == nil {
			return nil // for example a nil error
		}
		return []attribute.KeyValue{attribute.String(name, v.String())}
	}
}
