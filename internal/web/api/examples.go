package api

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	v1 "homeward/internal/v1"
)

// example parses the example of a field as the field's type.
func (s *schemas) example(f field) any {
	text := f.Example
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var v any = text
	var err error
	switch {
	case isComposed(t): // raw JSON keeps the order of its members
		v, err = json.RawMessage(text), json.Unmarshal([]byte(text), new(any))
	case t.Kind() == reflect.Map:
		var members map[string]any
		err = json.Unmarshal([]byte(text), &members)
		v = members
	case t == reflect.TypeFor[[]int]():
		var list []int
		err = json.Unmarshal([]byte("["+text+"]"), &list)
		v = list
	case t.Kind() == reflect.Slice:
		v = strings.Split(text, ",")
	case t.Kind() == reflect.Bool:
		v, err = strconv.ParseBool(text)
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		v, err = strconv.Atoi(text)
	case t.Kind() == reflect.Float64:
		v, err = strconv.ParseFloat(text, 64)
	}
	s.check(f, err)
	return v
}

// sample builds an example of a struct from the examples of its fields. If sent is true, it is a request and has only
// input fields. If creation is true, it is the response to a creation, which has fields that no other response has,
// such as a secret.
func (s *schemas) sample(t reflect.Type, sent, creation bool) object {
	var out object
	for _, f := range fieldsOf(t) {
		when := f.Tag.Get("sample")
		if when == "omit" || when == "created" && !creation || when == "sent" && !sent || sent && f.input == "" {
			continue
		}
		within := f.Type
		if k := within.Kind(); k == reflect.Pointer || k == reflect.Slice {
			within = within.Elem()
		}
		if isListedItem(within) {
			within = reflect.TypeFor[v1.Item]()
		}
		var v any
		switch {
		case isRaw(f.Type):
			v = s.sample(reflect.TypeFor[v1.Payload](), sent, creation)
		case within.Kind() != reflect.Struct || f.Example != "":
			v = s.example(f)
		case f.Type.Kind() == reflect.Slice:
			v = []any{s.sample(within, sent, creation)}
		default:
			v = s.sample(within, sent, creation)
		}
		out = append(out, member{f.name, v})
	}
	return out
}
