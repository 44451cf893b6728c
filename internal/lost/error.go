package lost

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code is the kind of an error: what went wrong, as a caller can act on it. The web and command-line packages translate
// it, each with one table, to an HTTP status or an exit code.
type Code string

// The kinds of error. An error without one of these is treated as Internal.
const (
	Unreadable   Code = "unreadable"     // the request could not be read at all
	Unauthorized Code = "unauthorized"   // no API key, or an invalid one
	Forbidden    Code = "forbidden"      // authenticated, but not allowed
	NotFound     Code = "not-found"      // does not exist, or belongs to another account: the two look the same
	Gone         Code = "gone"           // expired
	Conflict     Code = "conflict"       // does not fit the present state of the record
	TooLarge     Code = "too-large"      // more bytes than are accepted
	Unsupported  Code = "unsupported"    // a content type that is not accepted
	Invalid      Code = "invalid"        // some fields are wrong
	TooMany      Code = "rate-limited"   // too many requests
	Unavailable  Code = "unavailable"    // try again later
	Internal     Code = "internal"       // an error of the service
	NoMethod     Code = "no-such-method" // the address exists, but not with this method
)

// Error is the only error type that is shown to people. Detail is a full sentence for them; the cause, if any, is only
// logged.
type Error struct {
	Code   Code
	Detail string
	Fields []FieldError  // with Invalid: every bad field
	Wait   time.Duration // with TooMany: how long to wait before the next try; 0 if not known
	cause  error
}

// FieldError returns what is wrong with one field and how to fix it.
type FieldError struct {
	Field   string // path as the caller wrote it: "contact.email"
	Code    string // stable, for programs: "required", "too-long", …
	Message string // for people: "must be …"
}

// E makes an Error. The detail is a sentence for the person who reads the response.
func E(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// WithCause attaches the cause, which is only logged.
func (e *Error) WithCause(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// maxTold is the most fields in a log line.
const maxTold = 10

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Code))
	b.WriteString(": ")
	b.WriteString(e.Detail)
	for n, f := range e.Fields {
		if n == maxTold {
			fmt.Fprintf(&b, "; and %d more", len(e.Fields)-n)
			break
		}
		name := f.Field
		if f.Code == "unknown-field" || f.Code == "duplicate" || f.Code == "unknown-parameter" {
			name = "a name sent by the caller" // which may be anything, also private data that must not be logged
		}
		fmt.Fprintf(&b, "; %s %s", name, f.Message)
	}
	if e.cause != nil {
		b.WriteString(": ")
		b.WriteString(e.cause.Error())
	}
	return b.String()
}

// Unwrap returns the cause to errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.cause }

// CodeOf returns an error's kind; Internal if it has none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}

// Detail returns what an error says to people; empty if it is not an Error.
func Detail(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Detail
	}
	return ""
}

// Missing is the error for a record that does not exist or belongs to another account.
func Missing(what string) *Error {
	return E(NotFound, "There is no such %s.", what)
}

// IgnoreNotFound ignores a NotFound error.
func IgnoreNotFound(err error) error {
	if CodeOf(err) == NotFound {
		return nil
	}
	return err
}

// Problems collects what is wrong with the fields of one input, so that the caller sees everything at once. The zero
// value is ready to use.
type Problems []FieldError

// maxProblems is the most problems in one response; nobody fixes more at once.
const maxProblems = 100

// Add records one bad field.
func (p *Problems) Add(field, code, format string, args ...any) {
	if len(*p) >= maxProblems {
		return
	}
	*p = append(*p, FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
}

// Has reports whether the field already has a problem.
func (p Problems) Has(field string) bool {
	for _, f := range p {
		if f.Field == field {
			return true
		}
	}
	return false
}

// ProblemsOf returns the bad fields of an error.
func ProblemsOf(err error) Problems {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Fields
	}
	return nil
}

// Err returns nil if nothing is wrong, otherwise one Invalid error with all problems.
func (p Problems) Err() error {
	switch len(p) {
	case 0:
		return nil
	case 1:
		return &Error{Code: Invalid, Detail: "One field is not right.", Fields: p}
	default:
		return &Error{Code: Invalid, Detail: fmt.Sprintf("%d fields are not right.", len(p)), Fields: p}
	}
}
