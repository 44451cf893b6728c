// Package v1 is the wire format of the API's first version: the JSON of records, errors and lists, and their conversion
// from and to the domain's types.
//
// The responses of the API and the bodies of webhooks come from the same code. The tags describe each field, and the
// OpenAPI document is made from them:
//
//	doc, example     what it means, and a value; of a list, values with commas between; of objects, JSON
//	input            required, optional (null clears it) or kept (never null); without it the service sets the field
//	format, pattern  as JSON Schema has them
//	max, least, most, above, items, enum
//	                 limits: characters, least and most value, more than, how many; a list of values by its name. Of a
//	                 list, except for how many, the limits are those of each value
//	sample           whether examples of whole records have it: omit never, created only in responses to a creation, sent only in requests
package v1

import (
	"bytes"
	"encoding/json"
	"time"

	"homeward/internal/lost"
)

// Encoder writes records. Base is the service's public address, in file URLs.
type Encoder struct{ Base string }

// TimeForm is the format of times: RFC 3339 in UTC with milliseconds.
const TimeForm = "2006-01-02T15:04:05.000Z"

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(TimeForm)
}

// FileURL is the address of an uploaded file; empty for none.
func (w Encoder) FileURL(name string) string {
	if name == "" {
		return ""
	}
	return w.Base + "/files/" + name
}

// Encode returns the JSON of a value, which is always the same for the same value.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// List is a page of records.
type List[T any] struct {
	Data              []T  `json:"data" doc:"The records of this page."`
	Page              int  `json:"page" doc:"Number of this page, from 1." example:"1"`
	Limit             int  `json:"limit" doc:"Records a page." example:"10"`
	Total             int  `json:"total" doc:"How many records there are in all. Counting stops at 10000." example:"42"`
	TotalIsLowerBound bool `json:"totalIsLowerBound,omitempty" sample:"omit" doc:"True when there are more records than total says." example:"true"`
	Pages             int  `json:"pages" doc:"How many pages the counted records fill." example:"5"`
}

// ListOf writes a page of records.
func ListOf[T, R any](l lost.List[T], write func(T) R) List[R] {
	out := List[R]{
		Data: make([]R, len(l.Data)), Page: l.Page.Number, Limit: l.Page.Limit,
		Total: l.Count, TotalIsLowerBound: l.AtLeast, Pages: l.Pages(),
	}
	for i, v := range l.Data {
		out.Data[i] = write(v)
	}
	return out
}

// Problem is an error in the format of RFC 9457.
type Problem struct {
	Type      string       `json:"type" doc:"Address that names the kind of problem." example:"/docs/problems#invalid"`
	Title     string       `json:"title" doc:"The kind of problem, for people." example:"Some fields are not right"`
	Status    int          `json:"status" doc:"The HTTP status." example:"422"`
	Detail    string       `json:"detail" doc:"What happened here and what to do about it." example:"One field is not right."`
	Code      string       `json:"code" doc:"The kind of problem, for programs; it stays the same." example:"invalid"`
	RequestID string       `json:"requestId" doc:"Names this request in the service's log." example:"req_06f5q2k8h40v3w9d7n1m8x2b4c"`
	Errors    []FieldError `json:"errors,omitempty" doc:"Every field that is not right."`
}

// FieldError returns what is wrong with one field.
type FieldError struct {
	Field   string `json:"field" doc:"The field, as it was sent." example:"contact.email"`
	Code    string `json:"code" doc:"What is wrong, for programs." example:"invalid-email"`
	Message string `json:"message" doc:"What is wrong and how to mend it." example:"must be an e-mail address such as anna@example.com; send null to clear it"`
}

// FieldErrors writes what is wrong with fields.
func FieldErrors(fields []lost.FieldError) []FieldError {
	var out []FieldError
	for _, f := range fields {
		out = append(out, FieldError(f))
	}
	return out
}

// Account is a client of the service.
type Account struct {
	ID        string     `json:"id" doc:"Identifier." example:"acc_06f5q2k8h40v3w9d7n1m8x2b4c"`
	Name      string     `json:"name" doc:"Name of the account." example:"Harbour Hotels"`
	CreatedAt string     `json:"createdAt" format:"date-time" doc:"When it was made." example:"2026-11-15T08:30:00.000Z"`
	Key       AccountKey `json:"key" doc:"The key that asked."`
}

// AccountKey shows a caller the permissions of its own key.
type AccountKey struct {
	ID        string   `json:"id" doc:"Identifier." example:"key_06f5q2k8h40v3w9d7n1m8x2b4c"`
	Name      string   `json:"name" doc:"Name of the key." example:"Front desk system"`
	Role      string   `json:"role" enum:"keyRoles" doc:"What it may do." example:"admin"`
	ReadOnly  bool     `json:"readOnly" doc:"True when it may only read." example:"false"`
	Locations []string `json:"locations,omitempty" sample:"omit" doc:"The only locations it reaches; absent when it reaches all." example:"loc_06f5q2k8h40v3w9d7n1m8x2b4c"`
}

// Account writes an account, as the actor sees it.
func (w Encoder) Account(a lost.Account, by lost.Actor) Account {
	return Account{
		ID: a.ID, Name: a.Name, CreatedAt: moment(a.CreatedAt),
		Key: AccountKey{
			ID: by.ID, Name: by.Name, Role: string(by.Role), ReadOnly: by.ReadOnly, Locations: by.Locations,
		},
	}
}

// Key is an API key. Only the response to its creation has the secret.
type Key struct {
	ID        string   `json:"id" doc:"Identifier." example:"key_06f5q2k8h40v3w9d7n1m8x2b4c"`
	Name      string   `json:"name" input:"required" max:"200" doc:"What the key is for." example:"Front desk system"`
	Hint      string   `json:"hint" doc:"How the key begins, to tell keys apart." example:"hw_3k9f"`
	Key       string   `json:"key,omitempty" sample:"created" doc:"The key. It is shown once, in the answer to its creation." example:"hw_3k9fq7x2m8v4w1d6n5b0c7r2t9"`
	Role      string   `json:"role" input:"optional" enum:"keyRoles" doc:"What it may do: admin everything, desk what happens at a desk, logger only record finds, viewer only look. Admin unless said." example:"admin"`
	ReadOnly  bool     `json:"readOnly" input:"optional" doc:"True when it may only read." example:"false"`
	Locations []string `json:"locations,omitempty" input:"optional" sample:"omit" doc:"The only locations it reaches, 1 to 100 of them; absent when it reaches all." example:"loc_06f5q2k8h40v3w9d7n1m8x2b4c"`
	ExpiresAt string   `json:"expiresAt,omitempty" input:"optional" format:"date-time" doc:"When it stops working; absent when never." example:"2027-11-15T00:00:00.000Z"`
	RevokedAt string   `json:"revokedAt,omitempty" format:"date-time" sample:"omit" doc:"When it was revoked." example:"2026-12-01T09:00:00.000Z"`
	CreatedAt string   `json:"createdAt" format:"date-time" doc:"When it was made." example:"2026-11-15T08:30:00.000Z"`
}

// Key writes a key; secret is empty unless the key is new.
func (w Encoder) Key(k lost.Key, secret string) Key {
	return Key{
		ID: k.ID, Name: k.Name, Hint: k.Hint, Key: secret, Role: string(k.Role), ReadOnly: k.ReadOnly,
		Locations: k.Locations,
		ExpiresAt: moment(k.ExpiresAt), RevokedAt: moment(k.RevokedAt), CreatedAt: moment(k.CreatedAt),
	}
}

// DecodeKey reads a new key.
func DecodeKey(body []byte) (p lost.KeyPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		o.text("name", &p.Name)
		o.text("role", &p.Role)
		o.flag("readOnly", &p.ReadOnly)
		o.texts("locations", &p.Locations)
		o.moment("expiresAt", &p.ExpiresAt)
		o.owned("id", "hint", "key", "revokedAt", "createdAt")
	})
	return p, err
}
