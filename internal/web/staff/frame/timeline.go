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
func ShortDay(date, today string) string {
	t, err := time.Parse(lost.DateLayout, date)
	switch {
	case err != nil:
		return date
	case date == today:
		return "Today"
	case date[:4] == today[:4]:
		return t.Format("Mon 2 Jan")
	default:
		return t.Format("2 Jan 2006")
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
func ShortMoment(at time.Time, l lost.Location, now time.Time) string {
	return ShortDay(l.Day(at), l.Day(now)) + ", " + at.In(l.Zone()).Format(lost.TimeLayout)
}

// NewTimelineEntry converts a history entry to a timeline entry.
func NewTimelineEntry(e lost.Entry) TimelineEntry {
	return TimelineEntry{
		At: e.At, Who: ActorName(e.Actor), What: entryText(e), Note: e.Note,
		Fault: strings.HasPrefix(e.Note, "Refused:"),
	}
}

// actionText maps actions to their texts. An action without a text is shown by its API name.
var actionText = map[lost.Action]string{
	lost.Created: "Recorded", lost.ImageAdded: "Added a photo", lost.ImageRemoved: "Removed a photo",
	lost.Disowned: "Said it is not theirs",
	lost.Accepted: "Accepted the request", lost.Rejected: "Rejected the request",
	lost.Withdrawn: "Withdrew the request", lost.Unmatched: "Dismissed a match",
	lost.Asked:   "Asked the guest a question",
	lost.Revoked: "Revoked the owner’s link", lost.Paid: "Payment", lost.Refunded: "Refund", lost.Labelled: "Label",
	lost.HandedOver:       "Handed over",
	lost.GuestDataRemoved: "Removed the owner’s data",
}

func entryText(e lost.Entry) string {
	switch {
	case e.Action == lost.Moved:
		return movedText(e)
	case e.Action == lost.Updated && len(e.Fields) == 0:
		return "Added a note"
	case e.Action == lost.Updated:
		return "Changed " + fieldText(e.Fields)
	default:
		return cmp.Or(actionText[e.Action], strings.ReplaceAll(string(e.Action), "-", " "))
	}
}

// movedText describes a status change. A donation that has not happened yet is described as pending.
func movedText(e lost.Entry) string {
	// closedAt is among the changed fields if this change closed or reopened the item
	closed := slices.Contains(e.Fields, "closedAt")
	word := func(s lost.Status, done bool) string {
		if s == lost.Donate && !done {
			return ItemState(lost.Item{Status: s}).Word
		}
		return StatusState(s).Word
	}
	return word(e.From, closed && e.To != lost.PickUp && e.To != lost.Discard) + " → " + word(e.To, closed)
}

// fieldText lists fields by their labels, without duplicates.
func fieldText(fields []string) string {
	var names []string
	for _, f := range fields {
		name := fieldWord(f)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return ListText(names)
}

// ListText joins words with commas and "and".
func ListText(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// ActorName returns the display name of an actor.
func ActorName(a lost.Actor) string {
	switch a.Kind {
	case lost.ByUser:
		return cmp.Or(a.Name, "A desk user")
	case lost.ByKey:
		return strings.TrimSpace("API key " + a.Name)
	case lost.ByGuest:
		return "The owner"
	case lost.ByPublic:
		return "A guest, on the public page"
	case lost.ByCommand:
		return "The administrator"
	default:
		return "Homeward"
	}
}

// EventText returns the readable name of an event.
func EventText(e lost.EventType) string {
	switch e {
	case lost.PickupEvent:
		return StatusState(lost.PickUp).Word
	case lost.DiscardEvent:
		return StatusState(lost.Discard).Word
	case lost.DonateEvent:
		return StatusState(lost.Donate).Word
	case lost.LabelEvent:
		return StatusState(lost.FeePaid).Word
	case lost.RequestEvent:
		return "New lost report"
	case lost.ItemCreatedEvent:
		return "Item recorded"
	case lost.ItemUpdatedEvent:
		return "Item changed"
	case lost.StatusChangedEvent:
		return "Status changed"
	case lost.ItemDeletedEvent:
		return "Item deleted"
	case lost.RequestUpdatedEvent:
		return "Lost report changed"
	default:
		return string(e)
	}
}

// referenceIn returns the item's reference from the body of an event, or a link text if the body contains none.
func referenceIn(body []byte) string {
	var event struct {
		Payload struct{ Item struct{ Reference string } }
	}
	if json.Unmarshal(body, &event) != nil || event.Payload.Item.Reference == "" {
		return "Open the item"
	}
	return event.Payload.Item.Reference
}

// messageKindNames are the names of message kinds.
var messageKindNames = map[lost.MessageKind]string{
	lost.NoticeMessage:     "Item found",
	lost.MatchMessage:      "Lost item found",
	lost.ReminderMessage:   "Reminder to choose",
	lost.LastCallMessage:   "Last reminder",
	lost.PickupSoonMessage: "Pick-up reminder",
	lost.MissedMessage:     "Missed pick-up",
	lost.ChoiceMessage:     "Confirmation of their choice",
	lost.ReceivedMessage:   "Lost report received",
	lost.RejectedMessage:   "Item not found",
	lost.QuestionMessage:   "Question from the desk",
	lost.DigestMessage:     "Daily digest for the desk",
	lost.PriceMessage:      "Shipping price",
	lost.ReceiptMessage:    "Receipt",
	lost.ShippedMessage:    "Shipped",
	lost.DeliveredMessage:  "Delivered",
	lost.RefundMessage:     "Refund",
	lost.LabelMessage:      "Parcel documents for the desk",
}

// MessageKindName returns the name of a message kind.
func MessageKindName(k lost.MessageKind) string {
	if name, known := messageKindNames[k]; known {
		return name
	}
	return string(k)
}
