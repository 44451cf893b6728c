package lost

import (
	"slices"
	"time"
)

// EventType says what happened. Webhooks carry it.
type EventType string

// The events. A test event is sent to one endpoint on demand; verification is the check made when an
// address is registered, and no event at all.
const (
	PickupEvent  EventType = "pickup"
	DiscardEvent EventType = "discard"
	DonateEvent  EventType = "donate"
	LabelEvent   EventType = "shipping-label"
	RequestEvent EventType = "request"

	TestEvent    EventType = "test"
	Verification EventType = "verification"
)

// EventTypes lists the events that an endpoint can ask for.
func EventTypes() []EventType {
	return []EventType{PickupEvent, DiscardEvent, DonateEvent, LabelEvent, RequestEvent}
}

// Announces tells which event a change to this status is, if any.
func (s Status) Announces() (EventType, bool) {
	switch s {
	case PickUp:
		return PickupEvent, true
	case Discard:
		return DiscardEvent, true
	case Donate:
		return DonateEvent, true
	case FeePaid:
		return LabelEvent, true
	default:
		return "", false
	}
}

// Event is something that client programs are told of. Its body is frozen when it happens: every attempt
// to deliver it sends the same bytes.
type Event struct {
	Account    string
	ID         string
	Type       EventType
	At         time.Time
	LocationID string
	ItemID     string
	Body       []byte
}

// NewEvent makes an event about an item; its body is the caller's to write.
func NewEvent(t EventType, i Item, now time.Time) Event {
	return Event{Account: i.Account, ID: NewID(EventID, now), Type: t, At: now, LocationID: i.LocationID, ItemID: i.ID}
}

// Endpoint is an address that a client program listens on.
type Endpoint struct {
	Account     string
	ID          string
	URL         string
	Events      []EventType // nil: all of them
	Enabled     bool
	Description string
	Headers     map[string]string // sent along; never shown again
	// Secrets sign what is sent. After a rotation the old one signs beside the new for a while.
	Secret         string
	OldSecret      string
	OldSecretUntil time.Time
	// FailingSince is when the first of an unbroken row of failures was; zero while all is well.
	FailingSince time.Time
	// Reason says why the service switched the endpoint off; empty where a person did.
	Reason               string
	CreatedAt, UpdatedAt time.Time
}

// Bounds of an account's endpoints.
const (
	MaxEndpoints  = 50
	SecretOverlap = 24 * time.Hour
	// SwitchOffAfter is how long an endpoint may fail without one success.
	SwitchOffAfter = 5 * 24 * time.Hour
)

// Wants tells whether the endpoint is to hear of an event.
func (e Endpoint) Wants(t EventType) bool {
	return e.Enabled && (e.Events == nil || slices.Contains(e.Events, t))
}

// Secrets gives what signs at a time, newest first.
func (e Endpoint) Secrets(now time.Time) []string {
	if e.OldSecret != "" && now.Before(e.OldSecretUntil) {
		return []string{e.Secret, e.OldSecret}
	}
	return []string{e.Secret}
}

// Rotate puts a new secret in place; the one before signs beside it for SecretOverlap.
func (e *Endpoint) Rotate(secret string, now time.Time) {
	e.OldSecret, e.OldSecretUntil = e.Secret, now.Add(SecretOverlap)
	e.Secret, e.UpdatedAt = secret, now
}

// EndpointPatch is a partial endpoint.
type EndpointPatch struct {
	URL         Field[string]
	Events      Field[[]string]
	Enabled     Field[bool]
	Description Field[string]
	Headers     Field[map[string]string]
	Received
}

// NewEndpoint makes an endpoint from what was sent, or says everything that is wrong. Whether its address may be
// called and its headers sent is the caller's to check.
func NewEndpoint(account string, p EndpointPatch, now time.Time) (Endpoint, error) {
	e := Endpoint{Account: account, ID: NewID(EndpointID, now), Enabled: true, CreatedAt: now, UpdatedAt: now}
	problems := p.apply(&e)
	problems = append(problems, p.refuseEcho()...)
	return e, problems.Err()
}

// Update applies a patch.
func (e *Endpoint) Update(p EndpointPatch, now time.Time) error {
	if err := p.apply(e).Err(); err != nil {
		return err
	}
	e.UpdatedAt = now
	return nil
}

func (p EndpointPatch) apply(e *Endpoint) Problems {
	c := &check{slices.Clone(p.Problems)}
	c.mandatory(p.URL.Sent, p.URL.Null, "url")
	c.mandatory(p.Enabled.Sent, p.Enabled.Null, "enabled")
	c.line(p.URL, "url", MaxURL, &e.URL)
	if e.URL == "" && !c.Has("url") {
		c.Add("url", "required", "is required")
	}
	c.prose(p.Description, "description", MaxDescription, &e.Description)
	p.applyEvents(c, e)
	if f := p.Enabled; f.Sent && !c.Has("enabled") {
		if f.Value && !e.Enabled { // a fresh start
			e.FailingSince, e.Reason = time.Time{}, ""
		}
		e.Enabled = f.Value
	}
	if f := p.Headers; f.Sent && !c.Has("headers") {
		e.Headers = f.Value
	}
	return c.Problems
}

func (p EndpointPatch) applyEvents(c *check, e *Endpoint) {
	if !p.Events.Sent || c.Has("events") {
		return
	}
	if p.Events.Null {
		e.Events = nil
		return
	}
	wanted := []EventType{}
	for _, s := range p.Events.Value {
		if t := EventType(s); slices.Contains(EventTypes(), t) {
			wanted = append(wanted, t)
			continue
		}
		c.Add("events", "not-allowed", "must name some of %s; leave it out for all", Quoted(EventTypes()))
		return
	}
	if len(wanted) == 0 {
		c.Add("events", "out-of-range", "must name at least one event; leave it out for all")
		return
	}
	slices.Sort(wanted)
	e.Events = slices.Compact(wanted)
}

// DeliveryState says what became of a delivery.
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
	Status   int // 0 where nothing was answered
	Took     time.Duration
	Error    string // in words; empty for a success
	Response string // how the answer began
}

// MaxAttempts bounds how many attempts of one delivery are kept; the oldest go first.
const MaxAttempts = 30

// Record notes an attempt, and what follows from it: delivered, due again after wait, or given up.
func (d *Delivery) Record(a Attempt, ok bool, schedule func(failures int) (wait time.Duration, again bool), now time.Time) {
	d.Attempts = append(slices.Clone(d.Attempts), a)
	if extra := len(d.Attempts) - MaxAttempts; extra > 0 {
		d.Attempts = d.Attempts[extra:]
	}
	if ok {
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

// Replay makes a settled delivery due again, with its retries before it.
func (d *Delivery) Replay(now time.Time) error {
	if d.State == DeliveryPending {
		return E(Conflict, "This delivery is still pending; it will be tried by itself.")
	}
	d.State, d.DueAt, d.Failures, d.SettledAt = DeliveryPending, now, 0, time.Time{}
	return nil
}
