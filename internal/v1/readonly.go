package v1

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
)

// CheckReadOnlyItem compares the read-only fields that were sent with the item's, and adds a problem to p for each that
// differs. It returns a Stale error if the item has changed since the client read it.
//
// It also drops fields that were sent back with a value that the item has from its location or from an upload, so that
// the value is not saved as the item's own. A storagePlace is sent back if updatedAt is too. Without updatedAt, the
// client wants exactly this place.
func (w Encoder) CheckReadOnlyItem(p *lost.ItemPatch, i lost.Item) error {
	if _, whole := p.Echo[updatedAt]; whole && i.StoragePlace == "" {
		dropEcho(&p.StoragePlace, i.StoredAt())
	}
	dropEcho(&p.ImageURL, w.imageURL(i))
	return checkReadOnly(&p.DecodeResult, w.Item(i), i.UpdatedAt)
}

// CheckReadOnlyLocation is like CheckReadOnlyItem, for a location. It drops logoUrl if it was sent back with the URL of
// the uploaded logo.
func (w Encoder) CheckReadOnlyLocation(p *lost.LocationPatch, l lost.Location) error {
	dropEcho(&p.LogoURL, w.logoURL(l))
	return checkReadOnly(&p.DecodeResult, w.Location(l), l.UpdatedAt)
}

// CheckReadOnlyWebhook is like CheckReadOnlyItem, for an endpoint.
func (w Encoder) CheckReadOnlyWebhook(p *lost.EndpointPatch, e lost.Endpoint) error {
	return checkReadOnly(&p.DecodeResult, w.WebhookWithSecret(e), e.UpdatedAt)
}

// updatedAt is the field that says which state of a record the client has read.
const updatedAt = "updatedAt"

// dropEcho drops a field that was sent back with the value that the API had returned.
func dropEcho(f *lost.Field[string], shown string) {
	if f.Sent && !f.Null && shown != "" && f.Value == shown {
		f.Drop()
	}
}

// checkReadOnly adds a problem for each read-only field that was sent with a value that differs from the record's. It
// returns a Stale error if the record was last changed after the time that the client sent as updatedAt: then the other
// fields may differ too, and the client must read the record again.
func checkReadOnly(received *lost.DecodeResult, record any, changed time.Time) error {
	if len(received.Echo) == 0 {
		return nil
	}
	if isStale(received.Echo[updatedAt], changed) {
		return lost.E(lost.Stale, "This record has changed since you read it. Read it again, and repeat your change. "+
			"To change single fields whatever the others are, leave updatedAt out.")
	}
	body, err := Encode(record)
	if err != nil {
		return err
	}
	var shown map[string]any
	if err := json.Unmarshal(body, &shown); err != nil {
		return err
	}
	for _, field := range slices.Sorted(maps.Keys(received.Echo)) {
		if !echoes(received.Echo[field], at(shown, field)) {
			received.Problems.Add(field, "read-only", "is set by the service; omit it, or send the value you received")
		}
	}
	return nil
}

// isStale reports whether a record was changed after the time that a client sent as its updatedAt.
func isStale(sent any, changed time.Time) bool {
	text, _ := sent.(string)
	read, precision, ok := parseMoment(text)
	return ok && read.Before(changed.Truncate(time.Millisecond).Truncate(precision))
}

// at returns the value at a path such as shipping.trackingNumber in a record.
func at(record map[string]any, path string) any {
	name, rest, nested := strings.Cut(path, ".")
	if !nested {
		return record[name]
	}
	inner, _ := record[name].(map[string]any)
	return at(inner, rest)
}

// echoes reports whether a client has sent back a decoded JSON value as the service shows it. Typed clients write some
// values differently: a time in another zone or with more or fewer digits, and null or an empty string for a missing
// value. Of an object, they send only the members that they know.
func echoes(sent, shown any) bool {
	switch sent := sent.(type) {
	case nil:
		return shown == nil
	case string:
		text, _ := shown.(string)
		return sent == text && (sent == "" || shown != nil) || sameMoment(sent, text)
	case map[string]any:
		object, _ := shown.(map[string]any)
		for name, v := range sent {
			if !echoes(v, object[name]) {
				return false
			}
		}
		return object != nil
	case []any:
		list, is := shown.([]any)
		return is && slices.EqualFunc(sent, list, echoes)
	default: // a number or a boolean
		return sent == shown
	}
}

// sameMoment reports whether a text is the same time as the one shown. A time with fewer digits is compared with the
// precision that it has.
func sameMoment(sent, shown string) bool {
	a, precision, ok := parseMoment(sent)
	if !ok {
		return false
	}
	b, _, ok := parseMoment(shown)
	return ok && a.Equal(b.Truncate(precision))
}

// parseMoment parses a time in RFC 3339 format. It rounds the time to milliseconds, because the API shows no smaller
// parts, and also returns the precision in which it is written.
func parseMoment(text string) (t time.Time, precision time.Duration, ok bool) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, 0, false
	}
	precision = time.Second
	if point := strings.IndexAny(text, ".,"); point >= 0 {
		digits := len(text[point+1:]) - len(strings.TrimLeft(text[point+1:], "0123456789"))
		for range min(digits, 3) {
			precision /= 10
		}
	}
	return t.Round(time.Millisecond), precision, true
}
