package openai

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
)

// Reason tells why a call failed.
type Reason string

// The reasons.
const (
	NotReached   Reason = "not-reached"  // no connection, or it was cut off
	TimedOut     Reason = "timeout"      // the answer did not come in time
	Busy         Reason = "busy"         // too many requests, or the server has an error
	Unauthorized Reason = "unauthorized" // the key is wrong
	Refused      Reason = "refused"      // the server does not accept the request
	Unreadable   Reason = "unreadable"   // the answer is not as the form requires, or is too large
)

// Failure is the error of a call that failed.
type Failure struct {
	Reason Reason
	Cause  error
	// OtherForm reports whether the next request is written in another form, after the server has refused this one.
	OtherForm bool
}

// Error returns the reason and its cause.
func (f *Failure) Error() string {
	if f.Cause == nil {
		return string(f.Reason)
	}
	return string(f.Reason) + ": " + f.Cause.Error()
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// Temporary reports whether the same call may succeed later.
func (f *Failure) Temporary() bool {
	return f.Reason == NotReached || f.Reason == TimedOut || f.Reason == Busy || f.OtherForm
}

// ReasonOf returns why a call failed. It is empty for other errors.
func ReasonOf(err error) Reason {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f.Reason
	}
	return ""
}

// IsTemporary reports whether err is a Failure after which the same call may succeed later.
func IsTemporary(err error) bool {
	f, ok := errors.AsType[*Failure](err)
	return ok && f.Temporary()
}

func unreadable(text string) error { return &Failure{Reason: Unreadable, Cause: errors.New(text)} }

// connectionFailure returns the failure of a request that got no answer, or only a part of it. It leaves out the URL.
func connectionFailure(ctx context.Context, err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	timeout, isNet := errors.AsType[net.Error](err)
	if ctx.Err() != nil || isNet && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return &Failure{Reason: TimedOut, Cause: err}
	}
	return &Failure{Reason: NotReached, Cause: err}
}

// statusFailure returns the failure that a status means, or nil for success. The text of the answer is left out,
// because it may quote the request.
func statusFailure(status int) error {
	cause := fmt.Errorf("the server answered with status %d", status)
	switch {
	case status >= http.StatusOK && status < http.StatusMultipleChoices:
		return nil
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return &Failure{Reason: Unauthorized, Cause: cause}
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return &Failure{Reason: TimedOut, Cause: cause}
	case status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return &Failure{Reason: Busy, Cause: cause}
	default:
		return &Failure{Reason: Refused, Cause: cause}
	}
}
