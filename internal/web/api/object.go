package api

import (
	"bytes"

	v1 "homeward/internal/v1"
)

// object is a JSON object that keeps the order of its members. The document therefore has the order of the code, and
// is identical at every start.
type object []member

type member struct {
	name  string
	value any
}

// set adds a member, or replaces the member with the same name.
func (o *object) set(name string, value any) {
	for i := range *o {
		if (*o)[i].name == name {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, member{name, value})
}

// get returns a member's value, or nil if there is no such member.
func (o object) get(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := v1.Encode(m.name)
		if err != nil {
			return nil, err
		}
		value, err := v1.Encode(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
