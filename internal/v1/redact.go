package v1

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"homeward/internal/lost"
)

// WithoutPerson is like WithoutGuest if the item's guest is p, and like WithoutFinder if its finder is p. Otherwise it
// returns the body unchanged.
func WithoutPerson(body []byte, p lost.Person) (without []byte, err error) {
	owns, found, err := roles(body, p)
	if found && err == nil {
		body, err = WithoutFinder(body)
	}
	if !owns || err != nil {
		return body, err
	}
	return WithoutGuest(body)
}

// OnlyPerson returns an event's body with the data of p, but without that of the other people of the item. It returns
// false if p is neither the guest nor the finder of the item.
func OnlyPerson(body []byte, p lost.Person) (only []byte, about bool, err error) {
	owns, found, err := roles(body, p)
	if err == nil && owns && !found {
		body, err = WithoutFinder(body)
	}
	if err == nil && found && !owns {
		body, err = WithoutGuest(body)
	}
	return body, owns || found, err
}

// roles reports whether p is the guest and the finder of the item in an event's body.
func roles(body []byte, p lost.Person) (owns, found bool, err error) {
	e, err := readEvent(body)
	if err != nil || e.Payload.Item == nil {
		return false, false, err
	}
	i := guestOf(*e.Payload.Item)
	if f := e.Payload.Item.Finder; f != nil {
		i.Finder = lost.Finder{Email: f.Email, Phone: f.Phone}
	}
	return p.Owns(i), p.Found(i), nil
}

// WithoutFinder returns the body of an event without the data about the person who handed the item in.
func WithoutFinder(body []byte) ([]byte, error) {
	e, err := readEvent(body)
	if err != nil || e.Payload.Item == nil || e.Payload.Item.Finder == nil {
		return body, err
	}
	f := *e.Payload.Item.Finder
	names := []string{f.Email, f.Phone, f.Name}
	e.Payload.Item.Finder = nil
	fields := lost.ItemFields()
	for n := range fields {
		v, shown := valueAt(reflect.ValueOf(e.Payload.Item).Elem(), fields[n].Name)
		if shown && fields[n].HasWords() && v.Kind() == reflect.String {
			v.SetString(fields[n].RemoveNames(v.String(), names...))
		}
	}
	for n := range e.Payload.Item.Images {
		image := &e.Payload.Item.Images[n]
		image.Codes = slices.DeleteFunc(image.Codes, func(c ImageCode) bool {
			return lost.PhotoCode{Text: c.Text}.Names(names)
		})
	}
	return Encode(e)
}

// WithoutGuest returns the body of an event without the data about the item's guest. It follows the erasure rules in
// lost.ItemFields, so that the same data is erased from an item and from its events.
func WithoutGuest(body []byte) ([]byte, error) {
	e, err := readEvent(body)
	if err != nil {
		return nil, err
	}
	if e.Payload.Item == nil {
		return body, nil
	}
	redact(e.Payload.Item)
	e.Payload.Files = nil // the documents contain the guest's address
	e.Payload.Message = nil
	return Encode(e)
}

func readEvent(body []byte) (e EventBody, err error) {
	if err := json.Unmarshal(body, &e); err != nil {
		return e, fmt.Errorf("decode an event body: %w", err)
	}
	return e, nil
}

// guestOf returns an item with only the data that identifies its guest.
func guestOf(i Item) (out lost.Item) {
	if i.Owner != nil {
		out.Owner = lost.Owner(*i.Owner)
	}
	if i.Shipping != nil && i.Shipping.Recipient != nil {
		out.Shipping.Recipient = lost.Recipient(*i.Shipping.Recipient)
	}
	if i.Handover != nil {
		out.Handover.Name = i.Handover.Name
	}
	return out
}

// redact removes the guest's data from an item in the API format.
func redact(i *Item) {
	names, request := guestOf(*i).GuestNames(), i.Request != nil
	fields := lost.ItemFields()
	for n := range fields {
		f := &fields[n]
		v, shown := valueAt(reflect.ValueOf(i).Elem(), f.Name)
		switch {
		case !shown:
		case v.Kind() == reflect.String:
			v.SetString(f.Redact(v.String(), request, names))
		case f.Clears(request):
			v.SetZero()
		}
	}
	if i.Owner != nil && *i.Owner == (Owner{}) {
		i.Owner = nil
	}
	if i.Images == nil {
		i.Images = []Image{} // the API returns an empty list instead of null
	}
}

// valueAt returns the value at a JSON path in a record, such as shipping.trackingNumber. It returns false if there is
// no value at the path.
func valueAt(record reflect.Value, path string) (reflect.Value, bool) {
	name, rest, nested := strings.Cut(path, ".")
	for n := range record.NumField() {
		tag, _, _ := strings.Cut(record.Type().Field(n).Tag.Get("json"), ",")
		if tag != name {
			continue
		}
		v := record.Field(n)
		if !nested {
			return v, true
		}
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct { // includes a nil pointer
			break
		}
		return valueAt(v, rest)
	}
	return reflect.Value{}, false
}
