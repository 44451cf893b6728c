package homeward

import (
	"bytes"
	"encoding/json"
)

// Field is a field of a request that may be left out. Its zero value is not sent. Set returns a Field with a value,
// and Null one that clears the field.
//
//	change := homeward.ItemPatch{Brand: homeward.Set("Knirps"), Color: homeward.Null[string]()}
type Field[T any] struct {
	value T
	state fieldState
}

type fieldState int

const (
	absent fieldState = iota
	null
	present
)

// Set returns a field with a value.
func Set[T any](value T) Field[T] { return Field[T]{value: value, state: present} }

// Null returns a field that is sent as null, which clears it.
func Null[T any]() Field[T] { return Field[T]{state: null} }

// Get returns the value, and whether there is one.
func (f Field[T]) Get() (T, bool) { return f.value, f.state == present }

// IsNull reports whether the field is sent as null.
func (f Field[T]) IsNull() bool { return f.state == null }

// IsZero reports whether the field is left out.
func (f Field[T]) IsZero() bool { return f.state == absent }

// MarshalJSON encodes the value, or null.
func (f Field[T]) MarshalJSON() ([]byte, error) {
	if f.state != present {
		return []byte("null"), nil
	}
	return json.Marshal(f.value)
}

// UnmarshalJSON decodes a value or null.
func (f *Field[T]) UnmarshalJSON(text []byte) error {
	if bytes.Equal(text, []byte("null")) {
		*f = Null[T]()
		return nil
	}
	f.state = present
	return json.Unmarshal(text, &f.value)
}
