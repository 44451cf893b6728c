package lost

import "strings"

// Field is one field of a patch: not sent (unchanged), sent as null (cleared), or sent with a value (set).
type Field[T any] struct {
	Sent  bool
	Null  bool
	Value T
}

// Set returns a field that was sent with a value.
func Set[T any](v T) Field[T] { return Field[T]{Sent: true, Value: v} }

// Clear returns a field that was sent as null.
func Clear[T any]() Field[T] { return Field[T]{Sent: true, Null: true} }

// setOn assigns the value to dst if it was sent. Null assigns the zero value.
func (f Field[T]) setOn(dst *T) {
	if f.Sent {
		*dst = f.Value
	}
}

// isEmpty reports whether a text field was sent as null or without any characters, which clears it.
func isEmpty(f Field[string]) bool { return f.Null || strings.TrimSpace(f.Value) == "" }

// Drop marks the field as not sent.
func (f *Field[T]) Drop() { *f = Field[T]{} }

// DecodeResult contains the problems found while decoding a patch, and the read-only fields that the caller sent. A
// read-only field may be sent with its current value, so the value is compared with the record.
type DecodeResult struct {
	Problems Problems
	Echo     map[string]any
}
