package pms

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost/stay"
)

// Limits of what is read.
const (
	maxBody = 4 << 20 // of one answer
	// maxValues limits the values in one answer, because a short text can describe many large records.
	maxValues = 150_000
	maxStays  = 1000 // of one look-up
	maxGuests = 50   // of one reservation, in addition to its main guest
	maxBeds   = 100  // resources of one room
	maxID     = 200  // bytes of the id of a reservation
	maxRoomID = 8000 // characters of the ids of a room, which are kept in memory
	maxRooms  = 10   // parts of one stay in the same room
	maxPages  = 5
	pageSize  = 100
	maxWait   = time.Hour // that Retry-After may ask for
)

// UserAgent identifies the service.
const UserAgent = "Homeward-Stays/1"

// caller sends requests to one connected system.
type caller struct {
	client *Client
	to     stay.Connection
}

// request is one request to a system.
type request struct {
	method, url string
	header      http.Header
	form        url.Values // the body as a form, or
	body        any        // as JSON; nil for none
}

// at returns the URL of a path, with an optional query.
func (c caller) at(path string, query url.Values) string {
	target := strings.TrimRight(c.to.Value(stay.URLSetting), "/") + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	return target
}

// send sends a request and decodes the answer.
func (c caller) send(ctx context.Context, r request, answer any) error {
	req, err := r.build(ctx)
	if err != nil {
		return &stay.SystemError{Problem: stay.NotReached, Cause: err}
	}
	res, err := c.client.http.Do(req)
	if err != nil {
		return c.failure(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	if err := c.statusError(res); err != nil { // before reading: the body of a 101 has no timeout
		return err
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err != nil {
		return c.failure(ctx, err)
	}
	if res.StatusCode == http.StatusNoContent { // Apaleo answers so if there is nothing
		return nil
	}
	if len(body) > maxBody || bytes.Count(body, []byte(",")) > maxValues {
		return &stay.SystemError{Problem: stay.Unreadable, Cause: errors.New("the answer is too large")}
	}
	if err := json.Unmarshal(body, answer); err != nil {
		// The error may quote the answer, which contains data of guests.
		return &stay.SystemError{Problem: stay.Unreadable, Cause: errors.New("the answer is not as in the contract")}
	}
	return nil
}

func (r request) build(ctx context.Context) (*http.Request, error) {
	var body io.Reader
	kind := ""
	switch {
	case r.form != nil:
		body, kind = strings.NewReader(r.form.Encode()), "application/x-www-form-urlencoded"
	case r.body != nil:
		text, err := json.Marshal(r.body)
		if err != nil {
			return nil, fmt.Errorf("encode a request: %w", err)
		}
		body, kind = bytes.NewReader(text), "application/json"
	}
	req, err := http.NewRequestWithContext(ctx, r.method, r.url, body)
	if err != nil {
		return nil, errors.New("the address is not valid")
	}
	for name, values := range r.header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", UserAgent)
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	return req, nil
}

// answerError is the cause of an error for an answer that reports a failure.
type answerError struct {
	system stay.System
	status int
}

func (e *answerError) Error() string { return fmt.Sprintf("%s answered %d", e.system, e.status) }

// statusError returns the error that a status means, or nil for success.
func (c caller) statusError(res *http.Response) error {
	cause := &answerError{c.to.System, res.StatusCode}
	failed := func(p stay.Problem) error { return &stay.SystemError{Problem: p, Cause: cause} }
	switch code := res.StatusCode; {
	case code >= http.StatusOK && code < http.StatusMultipleChoices:
		return nil
	case code == http.StatusUnauthorized:
		return failed(stay.Unauthorized)
	case code == http.StatusForbidden:
		return failed(stay.Forbidden)
	case code == http.StatusNotFound:
		return failed(stay.UnknownPlace)
	case code == http.StatusTooManyRequests:
		wait := retryAfter(res.Header.Get("Retry-After"), c.client.now())
		return &stay.SystemError{Problem: stay.TooMany, Wait: wait, Cause: cause}
	case code == http.StatusRequestTimeout || code == http.StatusGatewayTimeout:
		return failed(stay.TimedOut)
	case code >= http.StatusInternalServerError:
		return failed(stay.NotReached)
	default:
		return failed(stay.Unreadable)
	}
}

// retryAfter reads a Retry-After header: seconds or a date. It returns 0 if it says nothing.
func retryAfter(text string, now time.Time) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.Atoi(text); err == nil {
		wait = time.Duration(min(seconds, int(maxWait/time.Second))) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now).Round(time.Second)
	}
	return min(max(wait, 0), maxWait)
}

// failure returns the error for a request that got no answer. It leaves out the URL, whose query may name a room.
func (c caller) failure(ctx context.Context, err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	timeout, isTimeout := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	switch {
	case c.client.isPrivate(err):
		return &stay.SystemError{Problem: stay.NotAllowed, Cause: err}
	case ctx.Err() != nil || isTimeout && timeout.Timeout():
		return &stay.SystemError{Problem: stay.TimedOut, Cause: err}
	default:
		return &stay.SystemError{Problem: stay.NotReached, Cause: err}
	}
}

// firstGuests returns as many guests of one reservation, or their ids, as are read.
func firstGuests[T any](all []T) []T { return all[:min(len(all), maxGuests)] }

// isProblem reports whether an error is a SystemError with the given problem.
func isProblem(err error, p stay.Problem) bool {
	failed, ok := errors.AsType[*stay.SystemError](err)
	return ok && failed.Problem == p
}

// dayOf returns the day of a time with an offset, as it is written there. It returns "" if the text is no time.
func dayOf(text string) string {
	if len(text) < len(time.DateOnly) {
		return ""
	}
	day := text[:len(time.DateOnly)]
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return ""
	}
	return day
}
