package lost

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code is the kind of an error: what went wrong, as a caller can act on it.
// Doors translate it, each from one table (an HTTP status, an exit code).
type Code string

// The kinds of error. A door answers an error that is none of these as Internal.
const (
	Unreadable   Code = "unreadable"     // the request could not be read at all
	Unauthorized Code = "unauthorized"   // no key, or one that does not open anything
	Forbidden    Code = "forbidden"      // known, but may not
	NotFound     Code = "not-found"      // not there, or not yours: the two look the same
	Gone         Code = "gone"           // was there, and its time is over
	Conflict     Code = "conflict"       // does not fit the state things are in
	TooLarge     Code = "too-large"      // more bytes than are taken
	Unsupported  Code = "unsupported"    // a kind of content that is not taken
	Invalid      Code = "invalid"        // read, but fields are wrong
	TooMany      Code = "rate-limited"   // too many requests
	Unavailable  Code = "unavailable"    // try again later
	Internal     Code = "internal"       // a fault of the service
	NoMethod     Code = "no-such-method" // the address exists, not with this method
)

// Error is the one error type that people get to see. Detail is a full sentence
// for them; the cause, if any, is for the log alone.
type Error struct {
	Code   Code
	Detail string
	Fields []FieldError  // with Invalid: every bad field
	Wait   time.Duration // with TooMany: how long it takes until another try is worth it; 0 where that is not known
	cause  error
}

// FieldError says what is wrong with one field and how to mend it.
type FieldError struct {
	Field   string // path as the caller wrote it: "contact.email"
	Code    string // stable, for programs: "required", "too-long", …
	Message string // for people: "must be …"
}

// E makes an Error. The detail is a sentence for the person who reads the answer.
func E(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// Because attaches the cause, for the log only.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// maxTold bounds the fields in a line of log.
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
			name = "a name of the caller's" // which may be anything, also what no log should hold
		}
		fmt.Fprintf(&b, "; %s %s", name, f.Message)
	}
	if e.cause != nil {
		b.WriteString(": ")
		b.WriteString(e.cause.Error())
	}
	return b.String()
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.cause }

// CodeOf tells an error's kind; Internal for one that carries none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}

// Detail is what an error says to people; empty for one that is not made for them.
func Detail(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Detail
	}
	return ""
}

// Missing is the answer for a record that is not there or not the caller's.
func Missing(what string) *Error {
	return E(NotFound, "There is no such %s.", what)
}

// UnlessMissing makes no error of a record that is not there, for whoever does not mind.
func UnlessMissing(err error) error {
	if CodeOf(err) == NotFound {
		return nil
	}
	return err
}

// Problems gathers what is wrong with the fields of one input, so that the
// caller hears of everything at once. The zero value is ready to use.
type Problems []FieldError

// maxProblems bounds what one answer says; nobody mends more at once.
const maxProblems = 100

// Add notes one bad field.
func (p *Problems) Add(field, code, format string, args ...any) {
	if len(*p) >= maxProblems {
		return
	}
	*p = append(*p, FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
}

// Has tells whether the field is already known to be bad.
func (p Problems) Has(field string) bool {
	for _, f := range p {
		if f.Field == field {
			return true
		}
	}
	return false
}

// ProblemsOf gives the bad fields that an error is about.
func ProblemsOf(err error) Problems {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Fields
	}
	return nil
}

// Err is nil when nothing is wrong, else one Invalid error with all of it.
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
