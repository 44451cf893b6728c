package lost

import (
	"slices"
	"time"
)

// DeliveryState is the state of a delivery.
type DeliveryState string

// The states of a delivery.
const (
	DeliveryPending   DeliveryState = "pending"
	DeliveryDelivered DeliveryState = "delivered"
	DeliveryFailed    DeliveryState = "failed"
	DeliveryCanceled  DeliveryState = "canceled"
)

// DeliveryStates lists all states.
func DeliveryStates() []DeliveryState {
	return []DeliveryState{DeliveryPending, DeliveryDelivered, DeliveryFailed, DeliveryCanceled}
}

// Delivery is the delivery of one event to one webhook endpoint.
type Delivery struct {
	Account    string
	ID         string
	EventID    string
	EventType  EventType
	EndpointID string
	State      DeliveryState
	DueAt      time.Time // time of the next attempt; only while pending
	Failures   int       // number of failed attempts since the delivery was created or replayed
	Attempts   []Attempt // oldest first
	CreatedAt  time.Time
	SettledAt  time.Time
}

// Attempt is one POST request of a delivery.
type Attempt struct {
	At       time.Time
	Status   int // 0 if there was no response
	Took     time.Duration
	Error    string // description of the failure; empty for a success
	Response string // the beginning of the response body
}

// Delivered reports whether the attempt succeeded.
func (a Attempt) Delivered() bool { return a.Error == "" }

// Limits on the stored attempts of a delivery. The oldest attempts are removed first.
const (
	MaxAttemptsKept = 30
	MaxResponse     = 2000 // maximum length of a stored response, in characters
)

// Record adds an attempt and updates the state. After a failed attempt, schedule determines whether there is another
// attempt and how long to wait for it.
func (d *Delivery) Record(a Attempt, schedule func(failures int) (wait time.Duration, again bool), now time.Time) {
	a.Response = Shorten(a.Response, MaxResponse-1)
	d.Attempts = append(slices.Clone(d.Attempts), a)
	if extra := len(d.Attempts) - MaxAttemptsKept; extra > 0 {
		d.Attempts = d.Attempts[extra:]
	}
	if a.Delivered() {
		d.finish(DeliveryDelivered, now)
		return
	}
	d.Failures++
	wait, again := schedule(d.Failures)
	if !again {
		d.finish(DeliveryFailed, now)
		return
	}
	d.DueAt = now.Add(wait)
}

func (d *Delivery) finish(state DeliveryState, now time.Time) {
	d.State, d.SettledAt, d.DueAt = state, now, time.Time{}
}

// Replay schedules a finished delivery again, with all its retries. It returns an error if the delivery is pending.
func (d *Delivery) Replay(now time.Time) error {
	if d.State == DeliveryPending {
		return E(WrongState, "This delivery is still pending. It will be retried automatically.")
	}
	d.State, d.Failures = DeliveryPending, 0
	d.DueAt, d.SettledAt = now, time.Time{}
	return nil
}

// DeliveryFilter filters a list of deliveries. Empty fields match everything.
type DeliveryFilter struct {
	Endpoint string
	Event    string
	States   []DeliveryState
	Types    []EventType
	Page
}

// TestPatch is a request to send a test event.
type TestPatch struct {
	EventType Field[string]
	DecodeResult
}

// Sample returns the type of the sample that is requested, or TestEvent if there is none.
func (p TestPatch) Sample() (EventType, error) {
	c := &check{slices.Clone(p.Problems)}
	f := p.EventType
	if !f.Sent || f.Null || f.Value == "" || c.Has("eventType") {
		return TestEvent, c.Err()
	}
	allowed := append(EventTypes(), TestEvent)
	if !slices.Contains(allowed, EventType(f.Value)) {
		c.Add("eventType", "not-allowed", "must be one of %s", Quoted(allowed))
	}
	return EventType(f.Value), c.Err()
}

// ReplayPatch is a request to repeat an endpoint's deliveries: all that have failed since a time, or those of one
// event.
type ReplayPatch struct {
	Since Field[time.Time]
	Event Field[string]
	DecodeResult
}

// Check returns an error if the request is not valid.
func (p ReplayPatch) Check() error {
	c := &check{slices.Clone(p.Problems)}
	since, event := p.Since.Sent && !p.Since.Null, p.Event.Sent && !p.Event.Null
	switch {
	case c.Has("since") || c.Has("eventId"):
	case since && event:
		c.Add("eventId", "not-with-since", "cannot be combined with since; send one of the two")
	case !since && !event:
		c.Add("since", "required",
			"is required: a time such as 2027-01-31T12:00:00Z; or send eventId alone to replay one event")
	}
	return c.Err()
}
