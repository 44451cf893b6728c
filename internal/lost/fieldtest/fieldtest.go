// Package fieldtest walks the structs of records, for tests. Each part of the service that handles the fields of a
// record has a test that visits every field of the struct and fails with the name of each field that is not handled.
package fieldtest

import (
	"reflect"
	"time"

	"homeward/internal/lost"
)

// Leaf is one field of a record. A nested struct is one leaf if the list of fields has an entry for it; otherwise
// each of its fields is a leaf.
type Leaf[R, P any] struct {
	Path  string                  // path in Go, such as Owner.FirstName
	Value reflect.Value           // addressable
	Field *lost.RecordField[R, P] // nil if the list does not contain it
}

// Leaves returns every field of a record, with its entry in the list of fields.
func Leaves[R, P any](record *R, fields []lost.RecordField[R, P]) []Leaf[R, P] {
	return walk(reflect.ValueOf(record).Elem(), "", func(at any) *lost.RecordField[R, P] {
		for n := range fields {
			if fields[n].At(record) == at {
				return &fields[n]
			}
		}
		return nil
	})
}

// ItemLeaves returns every field of an item.
func ItemLeaves(i *lost.Item) []Leaf[lost.Item, lost.ItemPatch] { return Leaves(i, lost.ItemFields()) }

// LocationLeaves returns every field of a location.
func LocationLeaves(l *lost.Location) []Leaf[lost.Location, lost.LocationPatch] {
	return Leaves(l, lost.LocationFields())
}

func walk[R, P any](v reflect.Value, path string, entry func(at any) *lost.RecordField[R, P]) (leaves []Leaf[R, P]) {
	for n := range v.NumField() {
		field, name := v.Field(n), path+v.Type().Field(n).Name
		listed := entry(field.Addr().Interface())
		if listed == nil && isObject(field.Type()) {
			leaves = append(leaves, walk(field, name+".", entry)...)
			continue
		}
		leaves = append(leaves, Leaf[R, P]{name, field, listed})
	}
	return leaves
}

func isObject(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t != reflect.TypeFor[time.Time]()
}

// Fill sets every field of a record to a value that is not zero and, if its type has enough values, unique. The
// function text returns the text for the field at a path.
func Fill[R any](record *R, text func(path string) string) {
	n := 0
	fill(reflect.ValueOf(record).Elem(), "", &n, text)
}

func fill(v reflect.Value, path string, n *int, text func(string) string) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(text(path))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint64:
		v.SetUint(uint64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), path, n, text)
	case reflect.Map:
		entry := reflect.New(v.Type().Elem()).Elem()
		fill(entry, path, n, text)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key").Convert(v.Type().Key()), entry)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), path+"[0]", n, text)
	case reflect.Struct:
		if !isObject(v.Type()) {
			v.Set(reflect.ValueOf(time.Date(2026, 11, 1, 0, *n, 0, 0, time.UTC)))
			return
		}
		for m := range v.NumField() {
			name := v.Type().Field(m).Name
			if path != "" {
				name = path + "." + name
			}
			fill(v.Field(m), name, n, text)
		}
	default:
		panic(path + " has a kind that fieldtest cannot fill: " + v.Kind().String())
	}
}
