package frame

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
)

// ShortDay formats a date briefly, with the year only if it is not the current one.
func (l Locale) ShortDay(date, today string) string {
	_, err := time.Parse(lost.DateLayout, date)
	switch {
	case err != nil:
		return date
	case date == today:
		return l.Say("frame.today")
	case date[:4] == today[:4]:
		return l.ShortDate(date)
	default:
		return l.ShortDateYear(date)
	}
}

// TimelineEntry is one line in the timeline of an item.
type TimelineEntry struct {
	At         time.Time
	When, Who  string
	What, Note string
	Fault      bool // the entry reports a failure
	Message    *ShownMessage
	More       string // a link to more details
	Webhook    bool   // the entry is about a webhook
}

// ShownMessage is the text of a message.
type ShownMessage struct{ Subject, Text string }

// ShortMoment formats a time briefly in a location's time zone.
func (l Locale) ShortMoment(at time.Time, where lost.Location, now time.Time) string {
	return l.Language.Moment(l.ShortDay(where.Day(at), where.Day(now)), at.In(where.Zone()).Format(lost.TimeLayout))
}

// NewTimelineEntry converts an entry of an item's history to a timeline entry.
func (l Locale) NewTimelineEntry(i lost.Item, e lost.Entry) TimelineEntry {
	who := l.ActorName(e.Actor)
	if e.Actor.Kind == lost.ByGuest && i.Source == lost.Request {
		who = l.Say("frame.thread.claimant")
	}
	return TimelineEntry{
		At: e.At, Who: who, What: describeEntry(l, e), Note: NoteText(l, e.Note),
		Fault: strings.HasPrefix(e.Note, "Refused:"),
	}
}

// describeEntry describes what happened. An action without a text is shown by its API name.
func describeEntry(l Locale, e lost.Entry) string {
	switch {
	case e.Action == lost.Moved:
		return describeMove(l, e)
	case e.Action == lost.Updated && len(e.Fields) == 0:
		return l.Say("frame.history.noted")
	case e.Action == lost.Updated:
		return l.Say("frame.history.changed", "fields", listFields(l, e.Fields))
	}
	if key := actionPrefix + string(e.Action); l.Has(key) {
		return l.Say(key)
	}
	return strings.ReplaceAll(string(e.Action), "-", " ")
}

// actionPrefix begins the keys of the texts of actions in the history.
const actionPrefix = "frame.action."

// describeMove describes a status change. A donation that has not happened yet is described as pending.
func describeMove(l Locale, e lost.Entry) string {
	// closedAt is among the changed fields if this change closed or reopened the item
	closed := slices.Contains(e.Fields, "closedAt")
	word := func(s lost.Status, done bool) string {
		if s == lost.Donate && !done {
			return l.ItemState(lost.Item{Status: s}).Word
		}
		return l.StatusState(s).Word
	}
	return word(e.From, closed && e.To != lost.PickUp && e.To != lost.Discard) + " → " + word(e.To, closed)
}

// listFields lists fields by their labels, without duplicates.
func listFields(l Locale, fields []string) string {
	var names []string
	for _, f := range fields {
		name := l.fieldWord(f)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return l.List(names)
}

// ActorName returns the display name of an actor.
func (l Locale) ActorName(a lost.Actor) string {
	switch a.Kind {
	case lost.ByUser:
		return cmp.Or(a.Name, l.Say("frame.actor.user"))
	case lost.ByKey:
		return strings.TrimSpace(l.Say("frame.actor.key", "name", a.Name))
	case lost.ByGuest:
		return l.Say("frame.actor.guest")
	case lost.ByPublic:
		return l.Say("frame.actor.public")
	case lost.ByCommand:
		return l.Say("frame.actor.command")
	default:
		return "Homeward"
	}
}

// EventText returns the readable name of an event.
func (l Locale) EventText(e lost.EventType) string {
	switch e {
	case lost.PickupEvent:
		return l.StatusState(lost.PickUp).Word
	case lost.DiscardEvent:
		return l.StatusState(lost.Discard).Word
	case lost.DonateEvent:
		return l.StatusState(lost.Donate).Word
	case lost.LabelEvent:
		return l.StatusState(lost.FeePaid).Word
	case lost.RequestEvent:
		return l.Say("frame.event.request")
	case lost.ItemCreatedEvent:
		return l.Say("frame.event.recorded")
	case lost.ItemUpdatedEvent:
		return l.Say("frame.event.changed")
	case lost.StatusChangedEvent:
		return l.Say("frame.event.status")
	case lost.ItemDeletedEvent:
		return l.Say("frame.event.deleted")
	case lost.RequestUpdatedEvent:
		return l.Say("frame.event.request-changed")
	case lost.MessageReceivedEvent:
		return l.Say("frame.event.message-received")
	default:
		return string(e)
	}
}

// itemReference returns the item's reference from the body of an event, or a link text if the body contains none.
func itemReference(l Locale, body []byte) string {
	var event struct {
		Payload struct{ Item struct{ Reference string } }
	}
	if json.Unmarshal(body, &event) != nil || event.Payload.Item.Reference == "" {
		return l.Say("frame.open-item")
	}
	return event.Payload.Item.Reference
}

// messagePrefix begins the keys of the names of message kinds.
const messagePrefix = "frame.message."

// MessageKindName returns the name of a message kind.
func (l Locale) MessageKindName(k lost.MessageKind) string {
	if key := messagePrefix + string(k); l.Has(key) {
		return l.Say(key)
	}
	return string(k)
}
