// Package v1 is the wire format of the API's first version: the JSON of records, errors, lists and webhook events,
// and their conversion from and to the domain's types. It also removes a guest's data from stored events
// (WithoutGuest, WithoutPerson). It does not serve HTTP: web/api does.
//
// API responses and webhook bodies are encoded by the same code. The OpenAPI document is generated from the types.
// Describe returns the description and an example of each field. Struct tags define the accepted values:
//
//	input            required, optional (null clears it) or kept (it has a default and cannot be cleared); fields
//	                 without this tag are set by the service
//	format, pattern  as in JSON Schema
//	max              maximum length in characters
//	least, most      minimum and maximum value
//	above            exclusive minimum value
//	items            maximum number of elements of a list; the other limits of a list apply to each element
//	enum             the name of a list of values
//	sample           omit: the field is in no example of a whole record; created: only in examples of responses to a
//	                 creation; sent: only in examples of requests
package v1

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"sync"
	"time"

	"homeward/internal/lost"
)

// Encoder converts records to the API format.
type Encoder struct {
	Base string // the public URL of the service, which file URLs start with
	// Now returns the current time, at which a tracker link is shown or has expired. Without it, none is shown.
	Now func() time.Time
}

// TimeForm is the format of times: RFC 3339 in UTC with milliseconds.
const TimeForm = "2006-01-02T15:04:05.000Z"

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(TimeForm)
}

// FileURL returns the URL of a stored file, or "" if the name is empty.
func (w Encoder) FileURL(name string) string {
	if name == "" {
		return ""
	}
	return w.Base + "/files/" + name
}

// Encode returns the JSON of a value. The same value always produces the same bytes.
func Encode(v any) (text []byte, err error) {
	err = UseEncoded(v, func(encoded []byte) { text = bytes.Clone(encoded) })
	return text, err
}

// UseEncoded calls use with the JSON of a value, as Encode returns it. The bytes are valid only until use returns.
func UseEncoded(v any, use func(encoded []byte)) error {
	e := encoders.Get().(*encoder) //nolint:forcetypeassert // the pool contains nothing else
	defer e.release()
	if err := e.json.Encode(v); err != nil {
		return err
	}
	use(bytes.TrimSuffix(e.buffer.Bytes(), []byte("\n")))
	return nil
}

// Tag returns the strong entity tag of an encoded record: a hash of its bytes, so that it changes whenever anything in
// the record does, computed fields included.
func Tag(encoded []byte) string {
	const hashed, length = 15, 20 // 15 bytes are 20 characters
	sum := sha256.Sum256(encoded)
	tag := [length + 2]byte{0: '"', length + 1: '"'}
	base64.RawURLEncoding.Encode(tag[1:], sum[:hashed])
	return string(tag[:])
}

// TagOf returns the entity tag of a record, as Tag does for its encoded form.
func TagOf(record any) (tag string, err error) {
	err = UseEncoded(record, func(encoded []byte) { tag = Tag(encoded) })
	return tag, err
}

// encoder is a JSON encoder with its buffer, which is used again, because it often takes more memory than the rest of a
// request.
type encoder struct {
	buffer bytes.Buffer
	json   *json.Encoder
}

var encoders = sync.Pool{New: func() any {
	e := &encoder{}
	e.json = json.NewEncoder(&e.buffer)
	e.json.SetEscapeHTML(false)
	return e
}}

// release makes the encoder available again, unless a large value has made its buffer large.
func (e *encoder) release() {
	const maxBuffer = 256 << 10
	if e.buffer.Cap() > maxBuffer {
		return
	}
	e.buffer.Reset()
	encoders.Put(e)
}

// Metadata is a client program's own data about a record: texts by key.
type Metadata map[string]string

// List is a page of records.
type List[T any] struct {
	Data              []T  `json:"data"`
	Page              int  `json:"page"`
	Limit             int  `json:"limit"`
	Total             int  `json:"total"`
	TotalIsLowerBound bool `json:"totalIsLowerBound,omitempty" sample:"omit"`
	Pages             int  `json:"pages"`
	// Next is the cursor of the next page, in lists that can be read by cursor.
	Next string `json:"next,omitempty" sample:"omit"`
	// Exact is the number of exact matches at the beginning of a list that is searched with q; nil in other lists.
	Exact *int `json:"exact,omitempty" sample:"omit"`
	// Pending is true in a list of matches that may be incomplete.
	Pending bool `json:"pending,omitempty" sample:"omit"`
}

// ListOf converts a page of records to the API format, using write for each record.
func ListOf[T, R any](l lost.List[T], write func(T) R) List[R] {
	out := List[R]{
		Data: make([]R, len(l.Data)), Page: l.Page.Number, Limit: l.Page.Limit,
		Total: l.Count, TotalIsLowerBound: l.AtLeast, Pages: l.Pages(), Pending: l.Pending,
	}
	if l.Ranked {
		out.Exact = &l.Exact
	}
	for i, v := range l.Data {
		out.Data[i] = write(v)
	}
	return out
}

// Problem is an error in the format of RFC 9457.
type Problem struct {
	Type      string       `json:"type"`
	Title     string       `json:"title"`
	Status    int          `json:"status"`
	Detail    string       `json:"detail"`
	Code      string       `json:"code" enum:"problemCodes"`
	RequestID string       `json:"requestId"`
	Errors    []FieldError `json:"errors,omitempty"`
}

// FieldError describes a problem with one field.
type FieldError struct {
	Field   string `json:"field"`
	Code    string `json:"code" enum:"fieldCodes"`
	Message string `json:"message"`
}

// FieldErrors converts problems with fields to the API format.
func FieldErrors(fields []lost.FieldError) []FieldError {
	var out []FieldError
	for _, f := range fields {
		out = append(out, FieldError(f))
	}
	return out
}

// Account is the account of an API client, with the key that made the request.
type Account struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	CreatedAt string     `json:"createdAt" format:"date-time"`
	Key       AccountKey `json:"key"`

	PrivacyText string `json:"privacyText,omitempty" max:"2000"`
	PrivacyURL  string `json:"privacyUrl,omitempty" format:"iri" max:"2048"`
}

// AccountKey describes the API key that made the request, and its permissions.
type AccountKey struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Role      string   `json:"role" enum:"keyRoles"`
	ReadOnly  bool     `json:"readOnly"`
	Locations []string `json:"locations,omitempty" sample:"omit"`
}

// Account converts an account to the API format. The actor by is the key that made the request.
func (w Encoder) Account(a lost.Account, by lost.Actor) Account {
	return Account{
		ID: a.ID, Name: a.Name, CreatedAt: moment(a.CreatedAt), PrivacyText: a.Privacy.Text, PrivacyURL: a.Privacy.URL,
		Key: AccountKey{
			ID: by.ID, Name: by.Name, Role: string(by.Role), ReadOnly: by.ReadOnly, Locations: by.Locations,
		},
	}
}

// Key is an API key. It contains the secret only in the response to its creation.
type Key struct {
	ID        string   `json:"id"`
	Name      string   `json:"name" input:"required" max:"200"`
	Hint      string   `json:"hint"`
	Key       string   `json:"key,omitempty" sample:"created"`
	Role      string   `json:"role" input:"optional" enum:"keyRoles"`
	ReadOnly  bool     `json:"readOnly" input:"optional"`
	Locations []string `json:"locations,omitempty" input:"optional" items:"100" sample:"omit"`
	Origins   []string `json:"origins,omitempty" input:"optional" items:"20" max:"2048" sample:"omit"`
	ExpiresAt string   `json:"expiresAt,omitempty" input:"optional" format:"date-time"`
	RevokedAt string   `json:"revokedAt,omitempty" format:"date-time" sample:"omit"`

	LastUsedAt string `json:"lastUsedAt,omitempty" format:"date-time" sample:"omit"`
	CreatedAt  string `json:"createdAt" format:"date-time"`
}

// Key converts an API key to the API format. The secret is empty unless the key is new.
func (w Encoder) Key(k lost.Key, secret string) Key {
	return Key{
		ID: k.ID, Name: k.Name, Hint: k.Hint, Key: secret, Role: string(k.Role), ReadOnly: k.ReadOnly,
		Locations: k.Locations, Origins: k.Origins, LastUsedAt: moment(k.LastUsedAt),
		ExpiresAt: moment(k.ExpiresAt), RevokedAt: moment(k.RevokedAt), CreatedAt: moment(k.CreatedAt),
	}
}

// DecodeKey decodes a request to create an API key.
func DecodeKey(body []byte) (p lost.KeyPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		o.text("name", &p.Name)
		o.text("role", &p.Role)
		o.flag("readOnly", &p.ReadOnly)
		o.texts("locations", &p.Locations)
		o.texts("origins", &p.Origins)
		o.moment("expiresAt", &p.ExpiresAt)
		o.owned("id", "hint", "key", "revokedAt", "lastUsedAt", "createdAt")
	})
	return p, err
}

// KeyName is a request to rename an API key.
type KeyName struct {
	Name string `json:"name" input:"required" max:"200"`
}

// DecodeKeyName decodes a request to rename an API key.
func DecodeKeyName(body []byte) (p lost.KeyPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) { o.text("name", &p.Name) })
	return p, err
}
