package lost

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

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

// Limits of the data that client programs keep on a record. Lengths are in characters.
const (
	MaxExternalID    = 200
	MaxMetadata      = 20 // entries
	MaxMetadataKey   = 40
	MaxMetadataValue = 500
)

// Metadata is a client program's own data about a record: texts by key. It is nil if there is none. A change replaces
// the map, because copies of a record share it.
type Metadata map[string]string

// MetadataPatch changes some entries of a Metadata. Null and the empty text remove an entry.
type MetadataPatch map[string]Field[string]

// metadata merges the entries that were sent into dst, or adds problems if they are not valid.
func (c *check) metadata(f Field[MetadataPatch], dst *Metadata) {
	const field = "metadata"
	switch {
	case !f.Sent || c.Has(field):
		return
	case f.Null:
		*dst = nil
		return
	case len(f.Value) > 2*MaxMetadata: // as many as can be removed and added at once
		c.Add(field, "too-many", "must have at most %d entries", MaxMetadata)
		return
	}
	merged := Metadata{}
	maps.Copy(merged, *dst)
	for _, key := range slices.Sorted(maps.Keys(f.Value)) {
		name := field + "." + Shorten(key, MaxMetadataKey)
		if !isMetadataKey(key) {
			c.Add(name, "invalid-key", "must have a key of 1 to %d characters, without control characters and without "+
				"spaces at its ends", MaxMetadataKey)
			continue
		}
		var text string
		c.prose(f.Value[key], name, MaxMetadataValue, &text)
		if text == "" {
			delete(merged, key)
		} else {
			merged[key] = text
		}
	}
	if len(merged) > MaxMetadata {
		c.Add(field, "too-many", "must have at most %d entries; remove some by sending null for them", MaxMetadata)
	}
	*dst = nil
	if len(merged) > 0 {
		*dst = merged
	}
}

func isMetadataKey(key string) bool {
	return key != "" && utf8.RuneCountInString(key) <= MaxMetadataKey && !hasControl(key, false) &&
		strings.TrimSpace(key) == key && !onlyInvisible(key)
}

// removeNames removes names from the values, and entries whose key contains a name. It reports whether it removed any.
func (m *Metadata) removeNames(names []string) bool {
	without := maps.Clone(*m)
	maps.DeleteFunc(without, func(key, _ string) bool { return RemoveNamesFromCode(key, names...) != key })
	for key, text := range without {
		without[key] = RemoveNamesFromCode(text, names...)
	}
	changed := !maps.Equal(*m, without)
	*m = without
	return changed
}
