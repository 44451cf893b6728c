package lost

import "time"

// EventType is the type of an event, as sent in webhooks.
type EventType string

// The event types. Those of the second group are for programs that follow every change. A test event is sent to one
// endpoint on demand. A verification is sent when an endpoint is registered and is not stored as an event.
const (
	PickupEvent  EventType = "pickup"
	DiscardEvent EventType = "discard"
	DonateEvent  EventType = "donate"
	LabelEvent   EventType = "shipping-label"
	RequestEvent EventType = "request"

	ItemCreatedEvent    EventType = "item-created"
	ItemUpdatedEvent    EventType = "item-updated"
	ItemDeletedEvent    EventType = "item-deleted"
	StatusChangedEvent  EventType = "status-changed"
	RequestUpdatedEvent EventType = "request-updated"

	MessageReceivedEvent EventType = "message-received" // a guest wrote to the desk

	TestEvent    EventType = "test"
	Verification EventType = "verification"
)

// AllEvents stands for all event types, including those of later versions, where a client chooses types.
const AllEvents EventType = "*"

// DefaultEventTypes lists the events that an endpoint receives if it does not choose any.
func DefaultEventTypes() []EventType {
	return []EventType{PickupEvent, DiscardEvent, DonateEvent, LabelEvent, RequestEvent}
}

// ChangeEventTypes lists the events about every change. An endpoint receives them only if it chooses them.
func ChangeEventTypes() []EventType {
	return []EventType{
		ItemCreatedEvent, ItemUpdatedEvent, StatusChangedEvent, ItemDeletedEvent, RequestUpdatedEvent,
		MessageReceivedEvent,
	}
}

// EventTypes lists the events that an endpoint can subscribe to.
func EventTypes() []EventType { return append(DefaultEventTypes(), ChangeEventTypes()...) }

// ChangeEventRetention is the longest time that events about every change are kept if they have no deliveries.
const ChangeEventRetention = TombstoneRetention

// EventType returns the event that a change to this status causes, if any.
func (s Status) EventType() (EventType, bool) {
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

// MovesPickup reports whether a change moved the pick-up of an item that is picked up before and after it. API clients
// must know the new time: somebody who keeps the old one would miss the new time.
func MovesPickup(before, i Item) bool {
	was, is := before.Pickup, i.Pickup
	return before.Status == PickUp && i.Status == PickUp && (was.Date != is.Date || was.Time != is.Time)
}

// Event is a change that API clients are notified of. Its body is generated when the event happens, so that every
// delivery attempt sends the same bytes. A test event may have the body of an event of another type, as a sample.
type Event struct {
	Account    string
	ID         string
	Type       EventType
	At         time.Time
	LocationID string
	ItemID     string
	Body       []byte
}

// NewEvent returns a new event about an item. The caller sets its body.
func NewEvent(t EventType, i Item, now time.Time) Event {
	return Event{Account: i.Account, ID: NewID(EventID, now), Type: t, At: now, LocationID: i.LocationID, ItemID: i.ID}
}

// EventFilter filters a list of events. Empty fields match everything.
type EventFilter struct {
	Types []EventType // may contain AllEvents; nil means DefaultEventTypes and TestEvent
	Item  string
	Page
}
