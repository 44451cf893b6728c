package lost

import (
	"slices"
	"time"
)

// DeliveryState is the result of a delivery.
type DeliveryState string

// The states of a delivery.
const (
	DeliveryPending   DeliveryState = "pending"
	DeliveryDelivered DeliveryState = "delivered"
	DeliveryFailed    DeliveryState = "failed"
	DeliveryCanceled  DeliveryState = "canceled"
)

// DeliveryStates lists them.
func DeliveryStates() []DeliveryState {
	return []DeliveryState{DeliveryPending, DeliveryDelivered, DeliveryFailed, DeliveryCanceled}
}

// Delivery is one event on its way to one endpoint.
type Delivery struct {
	Account    string
	ID         string
	EventID    string
	EventType  EventType
	EndpointID string
	State      DeliveryState
	DueAt      time.Time // of the next attempt, while pending
	Failures   int       // since it was made or replayed
	Attempts   []Attempt // oldest first
	CreatedAt  time.Time
	SettledAt  time.Time
}

// Attempt is one POST of a delivery.
type Attempt struct {
	At       time.Time
	Status   int // 0 if there was no response
	Took     time.Duration
	Error    string // in words; empty for a success
	Response string // the beginning of the response body
}

// Delivered reports whether the attempt reached its receiver.
func (a Attempt) Delivered() bool { return a.Error == "" }

// Bounds of what is kept of one delivery's attempts; the oldest go first.
const (
	MaxAttemptsKept = 30
	MaxResponse     = 2000 // characters of an answer
)

// Record adds an attempt and its result: delivered, due again after a wait, or failed.
func (d *Delivery) Record(a Attempt, schedule func(failures int) (wait time.Duration, again bool), now time.Time) {
	a.Response = Shorten(a.Response, MaxResponse-1)
	d.Attempts = append(slices.Clone(d.Attempts), a)
	if extra := len(d.Attempts) - MaxAttemptsKept; extra > 0 {
		d.Attempts = d.Attempts[extra:]
	}
	if a.Delivered() {
		d.settle(DeliveryDelivered, now)
		return
	}
	d.Failures++
	wait, again := schedule(d.Failures)
	if !again {
		d.settle(DeliveryFailed, now)
		return
	}
	d.DueAt = now.Add(wait)
}

func (d *Delivery) settle(state DeliveryState, now time.Time) {
	d.State, d.SettledAt, d.DueAt = state, now, time.Time{}
}

// Replay makes a settled delivery due again, with all its retries.
func (d *Delivery) Replay(now time.Time) error {
	if d.State == DeliveryPending {
		return E(Conflict, "This delivery is still pending. It will be retried automatically.")
	}
	d.State, d.Failures = DeliveryPending, 0
	d.DueAt, d.SettledAt = now, time.Time{}
	return nil
}

// DeliveryFilter narrows a list of deliveries to an endpoint. Empty fields do not narrow.
type DeliveryFilter struct {
	Endpoint string
	Event    string
	States   []DeliveryState
	Types    []EventType
	Page
}

// ReplayPatch asks to repeat deliveries of an endpoint: all that failed since a time, or one event.
type ReplayPatch struct {
	Since Field[time.Time]
	Event Field[string]
	DecodeResult
}

// Check returns what is wrong with the request, or nil.
func (p ReplayPatch) Check() error {
	c := &check{slices.Clone(p.Problems)}
	since, event := p.Since.Sent && !p.Since.Null, p.Event.Sent && !p.Event.Null
	switch {
	case c.Has("since") || c.Has("eventId"):
	case since && event:
		c.Add("eventId", "not-with-since", "must not come with since; send one of the two")
	case !since && !event:
		c.Add("since", "required",
			"is required: a time such as 2027-01-31T12:00:00Z; or send eventId alone to replay one event")
	}
	return c.Err()
}
