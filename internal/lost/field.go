package lost

// Field is one field of a patch: not sent (leave it), sent as null (clear it),
// or sent with a value (set it).
type Field[T any] struct {
	Sent  bool
	Null  bool
	Value T
}

// Set is a field sent with a value.
func Set[T any](v T) Field[T] { return Field[T]{Sent: true, Value: v} }

// Clear is a field sent as null.
func Clear[T any]() Field[T] { return Field[T]{Sent: true, Null: true} }

// setOn puts the value where it belongs, if it was sent; null is the empty value.
func (f Field[T]) setOn(dst *T) {
	if f.Sent {
		*dst = f.Value
	}
}

// Drop makes the field as if it had not been sent.
func (f *Field[T]) Drop() { *f = Field[T]{} }

// Received is what a door adds to a patch: what it already found wrong while
// reading it, and the fields that the service owns and the caller sent along.
// The latter are compared with the record: they may come back unchanged.
type Received struct {
	Problems Problems
	Echo     map[string]any
}
