package otlp

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"homeward/internal/tracing"
)

// handler converts log lines to OpenTelemetry records with the same message and attributes. The span is taken from
// the context.
type handler struct {
	to     *batcher[logLine]
	fields []tracing.Attribute // added to every line
	group  string              // the prefix of attribute names, including a trailing dot
}

// Enabled reports whether lines at this level are sent.
func (h *handler) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// Handle queues one line to be sent.
func (h *handler) Handle(ctx context.Context, line slog.Record) error {
	l := logLine{
		at: line.Time, severity: severity(line.Level), level: line.Level.String(), text: line.Message,
		attributes: slices.Clone(h.fields), span: tracing.SpanContextOf(ctx),
	}
	line.Attrs(func(a slog.Attr) bool {
		l.attributes = append(l.attributes, fields(h.group, a)...)
		return true
	})
	h.to.add(l)
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
func severity(level slog.Level) uint64 {
	const debug, info, warn, failure = 5, 9, 13, 17
	switch {
	case level >= slog.LevelError:
		return failure
	case level >= slog.LevelWarn:
		return warn
	case level >= slog.LevelInfo:
		return info
	default:
		return debug
	}
}

// fields converts an attribute. The names of its groups become a prefix of its name.
func fields(group string, a slog.Attr) []tracing.Attribute {
	v := a.Value.Resolve()
	name := group + a.Key
	switch v.Kind() {
	case slog.KindBool:
		return []tracing.Attribute{{Name: name, Value: v.Bool()}}
	case slog.KindInt64:
		return []tracing.Attribute{{Name: name, Value: v.Int64()}}
	case slog.KindUint64:
		return []tracing.Attribute{{Name: name, Value: int64(v.Uint64())}}
	case slog.KindFloat64:
		return []tracing.Attribute{{Name: name, Value: v.Float64()}}
	case slog.KindTime:
		return []tracing.Attribute{{Name: name, Value: v.Time().Format(time.RFC3339Nano)}}
	case slog.KindGroup:
		if a.Key != "" {
			group = name + "."
		}
		var all []tracing.Attribute
		for _, in := range v.Group() {
			all = append(all, fields(group, in)...)
		}
		return all
	default:
		if v.Kind() == slog.KindAny && v.Any() == nil {
			return nil // for example a nil error
		}
		return []tracing.Attribute{{Name: name, Value: v.String()}}
	}
}
