package lost

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code is a kind of error. The web package maps it to an HTTP status and the command-line package maps it to an
// exit code.
type Code string

// Kind returns the code that decides how an error is handled: Conflict for every reason for a conflict, Unreadable for
// InvalidCursor, and the code itself for all others.
func (c Code) Kind() Code {
	switch c {
	case AlreadyDecided, WrongState, HasOwner, NoContact, ClaimantNotNotified, PaymentOpen, AlreadyRefunded,
		LimitReached, IdempotencyMismatch, ResponseGone, Stale, Busy:
		return Conflict
	case InvalidCursor:
		return Unreadable
	default:
		return c
	}
}

// The kinds of error. An error without one of these is treated as Internal.
const (
	Unreadable   Code = "unreadable"     // the request could not be parsed
	Unauthorized Code = "unauthorized"   // no API key, or an invalid one
	Forbidden    Code = "forbidden"      // authenticated, but not allowed
	NotFound     Code = "not-found"      // does not exist or belongs to another account; callers cannot tell which
	Gone         Code = "gone"           // expired
	Conflict     Code = "conflict"       // not possible in the current state of the record
	TooLarge     Code = "too-large"      // the request body is too large
	TooSlow      Code = "too-slow"       // the request body arrived too slowly
	Unsupported  Code = "unsupported"    // the content type is not supported
	Invalid      Code = "invalid"        // some fields are not valid
	TooMany      Code = "rate-limited"   // too many requests
	Unavailable  Code = "unavailable"    // try again later
	Internal     Code = "internal"       // an unexpected error in the service
	NoMethod     Code = "no-such-method" // the URL exists, but does not support the method

	PreconditionFailed Code = "precondition-failed" // the record is not the one that the caller expects
)

// More specific codes, which API clients see instead of their Kind.
const (
	InvalidCursor Code = "invalid-cursor" // the cursor belongs to another list or to other filters

	AlreadyDecided      Code = "already-decided"       // the request was accepted, rejected or withdrawn
	WrongState          Code = "wrong-state"           // the state of the record does not allow the change
	HasOwner            Code = "has-owner"             // the found item has another owner
	NoContact           Code = "no-contact"            // no owner, or one without an e-mail address and phone number
	ClaimantNotNotified Code = "claimant-not-notified" // the claimant does not know yet that the item was found
	PaymentOpen         Code = "payment-open"          // a fee was paid and is neither used nor refunded
	AlreadyRefunded     Code = "already-refunded"      // the fee was refunded, or the refund is in progress
	LimitReached        Code = "limit-reached"         // there are as many records as allowed
	IdempotencyMismatch Code = "idempotency-mismatch"  // the idempotency key was used for another request
	ResponseGone        Code = "response-gone"         // the repeated request was processed, its response is not stored
	Stale               Code = "stale"                 // a whole record was sent back, but it has changed meanwhile
	Busy                Code = "busy"                  // too many concurrent changes of the same record
)

// Error is the only error type that is shown to people. Detail is a full sentence for them; the cause, if any, is
// only logged.
type Error struct {
	Code   Code // the kind of error
	Reason Code // a more specific code; may be empty
	Detail string
	Fields []FieldError  // for Invalid: all fields with problems
	Wait   time.Duration // for TooMany: how long to wait before the next attempt; 0 if not known
	cause  error
}

// FieldError describes a problem with one field and how to fix it.
type FieldError struct {
	Field   string // path in the request: "contact.email"
	Code    string // stable, for API clients: "required", "too-long", …
	Message string // for people: "must be …"
}

// E returns an Error. The detail is a sentence for the person who reads the response.
func E(code Code, format string, args ...any) *Error {
	return &Error{Code: code.Kind(), Reason: code, Detail: fmt.Sprintf(format, args...)}
}

// WithCause returns a copy of the error with a cause, which is only logged.
func (e *Error) WithCause(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// maxLoggedFields is the maximum number of fields in a log message.
const maxLoggedFields = 10

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(ReasonOf(e)))
	b.WriteString(": ")
	b.WriteString(e.Detail)
	for n, f := range e.Fields {
		if n == maxLoggedFields {
			fmt.Fprintf(&b, "; and %d more", len(e.Fields)-n)
			break
		}
		name := f.Field
		if f.Code == "unknown-field" || f.Code == "duplicate" || f.Code == "unknown-parameter" {
			name = "a name sent by the caller" // it may be personal data, which must not be logged
		}
		fmt.Fprintf(&b, "; %s %s", name, f.Message)
	}
	if e.cause != nil {
		b.WriteString(": ")
		b.WriteString(e.cause.Error())
	}
	return b.String()
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.cause }

// CodeOf returns the kind of an error, or Internal if it has none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}

// ReasonOf returns the most specific code of an error, or Internal if it has none.
func ReasonOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return cmp.Or(e.Reason, e.Code)
	}
	return Internal
}

// Condition is what a caller requires of a record, for example that it has not changed since the caller read it. A use
// case checks it in the transaction that changes the record.
type Condition[T any] func(T) error

// CheckConditions returns the error of the first condition that a record does not meet.
func CheckConditions[T any](v T, conditions []Condition[T]) error {
	for _, check := range conditions {
		if err := check(v); err != nil {
			return err
		}
	}
	return nil
}

// Detail returns the message for people, or an empty string if err is not an Error.
func Detail(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Detail
	}
	return ""
}

// Missing returns the error for a record that does not exist or belongs to another account.
func Missing(what string) *Error {
	return E(NotFound, "There is no such %s.", what)
}

// IgnoreNotFound returns nil for a NotFound error, otherwise err.
func IgnoreNotFound(err error) error {
	if CodeOf(err) == NotFound {
		return nil
	}
	return err
}

// Problems collects the invalid fields of one input, so that the caller sees all of them in one response. The zero
// value is ready to use.
type Problems []FieldError

// maxProblems is the maximum number of problems in one response.
const maxProblems = 100

// Add adds a problem with a field.
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

// ProblemsOf returns the field problems of an error, or nil if err is not an Error.
func ProblemsOf(err error) Problems {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Fields
	}
	return nil
}

// Err returns an Invalid error with all problems, or nil if there are none.
func (p Problems) Err() error {
	switch len(p) {
	case 0:
		return nil
	case 1:
		return &Error{Code: Invalid, Detail: "One field is invalid.", Fields: p}
	default:
		return &Error{Code: Invalid, Detail: fmt.Sprintf("%d fields are invalid.", len(p)), Fields: p}
	}
}
