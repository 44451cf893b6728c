package lost

import "time"

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

// EventFilter narrows a list of events. Empty fields do not narrow.
type EventFilter struct {
	Types []EventType
	Item  string
	Page
}
