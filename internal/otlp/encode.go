package otlp

import (
	"encoding/binary"
	"math"
	"time"

	"homeward/internal/tracing"
)

// message is a protocol buffer that is being written. The numbers of its fields are those of the published
// definitions, opentelemetry/proto. Like other writers, it omits fields that have their default value.
type message []byte

// The wire types of protocol buffers.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

func (m *message) tag(field, wire int) { *m = binary.AppendUvarint(*m, uint64(field)<<3|uint64(wire)) }

func (m *message) uint(field int, v uint64) {
	if v != 0 {
		m.tag(field, wireVarint)
		*m = binary.AppendUvarint(*m, v)
	}
}

func (m *message) fixed32(field int, v uint32) {
	if v != 0 {
		m.tag(field, wireFixed32)
		*m = binary.LittleEndian.AppendUint32(*m, v)
	}
}

func (m *message) time(field int, at time.Time) {
	if !at.IsZero() {
		m.tag(field, wireFixed64)
		*m = binary.LittleEndian.AppendUint64(*m, uint64(at.UnixNano()))
	}
}

func (m *message) text(field int, s string) {
	if s != "" {
		m.tag(field, wireBytes)
		*m = append(binary.AppendUvarint(*m, uint64(len(s))), s...)
	}
}

func (m *message) bytes(field int, b []byte) {
	m.tag(field, wireBytes)
	*m = append(binary.AppendUvarint(*m, uint64(len(b))), b...)
}

// inner writes a message within the message, even if it is empty.
func (m *message) inner(field int, write func(*message)) {
	var in message
	write(&in)
	m.bytes(field, in)
}

// value writes an AnyValue. It writes values that are 0, false or empty too, because their kind matters.
func (m *message) value(v any) {
	switch v := v.(type) {
	case string:
		m.bytes(1, []byte(v))
	case bool:
		m.tag(2, wireVarint)
		*m = append(*m, 0)
		if v {
			(*m)[len(*m)-1] = 1
		}
	case int64:
		m.tag(3, wireVarint)
		*m = binary.AppendUvarint(*m, uint64(v))
	case float64:
		m.tag(4, wireFixed64)
		*m = binary.LittleEndian.AppendUint64(*m, math.Float64bits(v))
	}
}

// attributes writes a list of KeyValue.
func (m *message) attributes(field int, all []tracing.Attribute) {
	for _, a := range all {
		m.inner(field, func(m *message) {
			m.text(1, a.Name)
			m.inner(2, func(m *message) { m.value(a.Value) })
		})
	}
}

// encode writes an export request for spans or for log lines, whose messages have the same form: a resource, a scope
// and a list of records.
func encode[T any](resource []tracing.Attribute, records []T, write func(*message, T)) []byte {
	var m message
	m.inner(1, func(m *message) {
		m.inner(1, func(m *message) { m.attributes(1, resource) })
		m.inner(2, func(m *message) {
			m.inner(1, func(m *message) { m.text(1, tracing.Scope) })
			for _, r := range records {
				m.inner(2, func(m *message) { write(m, r) })
			}
		})
	})
	return m
}

// flags returns the trace flags of a span, and whether its parent, or the linked span, is in another program.
func flags(sampled, remote bool) uint32 {
	const known, isRemote = 0x100, 0x200
	v := uint32(known)
	if sampled {
		v |= 1
	}
	if remote {
		v |= isRemote
	}
	return v
}

// writeSpan writes a Span.
func writeSpan(m *message, s tracing.SpanData) {
	m.bytes(1, s.Context.TraceID[:])
	m.bytes(2, s.Context.SpanID[:])
	m.text(3, s.Context.State)
	if s.Parent.IsValid() {
		m.bytes(4, s.Parent.SpanID[:])
	}
	m.text(5, s.Name)
	m.uint(6, uint64(s.Kind))
	m.time(7, s.Start)
	m.time(8, s.End)
	m.attributes(9, s.Attributes)
	for _, e := range s.Events {
		m.inner(11, func(m *message) {
			m.time(1, e.At)
			m.text(2, e.Name)
		})
	}
	m.uint(12, uint64(s.DroppedEvents))
	if s.Link.IsValid() {
		m.inner(13, func(m *message) {
			m.bytes(1, s.Link.TraceID[:])
			m.bytes(2, s.Link.SpanID[:])
			m.text(3, s.Link.State)
			m.fixed32(6, flags(s.Link.Sampled, s.Link.Remote))
		})
	}
	if s.Failed {
		const statusError = 2
		m.inner(15, func(m *message) {
			m.text(2, s.Failure)
			m.uint(3, statusError)
		})
	}
	m.fixed32(16, flags(s.Context.Sampled, s.Parent.Remote))
}

// logLine is a line of the log.
type logLine struct {
	at         time.Time
	severity   uint64
	level      string
	text       string
	attributes []tracing.Attribute
	span       tracing.SpanContext
}

// writeLine writes a LogRecord.
func writeLine(m *message, l logLine) {
	m.time(1, l.at)
	m.uint(2, l.severity)
	m.text(3, l.level)
	m.inner(5, func(m *message) { m.value(l.text) })
	m.attributes(6, l.attributes)
	if l.span.IsValid() {
		if l.span.Sampled {
			m.fixed32(8, 1)
		}
		m.bytes(9, l.span.TraceID[:])
		m.bytes(10, l.span.SpanID[:])
	}
	m.time(11, l.at)
}
