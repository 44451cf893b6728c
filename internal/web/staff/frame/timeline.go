package frame

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
)

// ShortDay writes a day where there is little room; the year only where it is another.
func ShortDay(date, today string) string {
	t, err := time.Parse(lost.DateForm, date)
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

// TimelineEntry is one line of what happened to an item.
type TimelineEntry struct {
	At         time.Time
	When, Who  string
	What, Note string
	Fault      bool          // it went wrong
	Letter     *ShownMessage // with a message
	More       string        // where more is told of it
	Program    bool          // a client program was told something
}

// ShownMessage is a message to be read.
type ShownMessage struct{ Subject, Text string }

// ShortMoment writes a time by a location's clock, where there is little room.
func ShortMoment(at time.Time, l lost.Location, now time.Time) string {
	return ShortDay(l.Day(at), l.Day(now)) + ", " + at.In(l.Zone()).Format(lost.TimeForm)
}

// NewTimelineEntry tells a line of history.
func NewTimelineEntry(e lost.Entry) TimelineEntry {
	return TimelineEntry{At: e.At, Who: ActorName(e.Actor), What: entryText(e), Note: e.Note, Fault: strings.HasPrefix(e.Note, "Refused:")}
}

// actionText say what was done. An action that has none here is named as the API names it.
var actionText = map[lost.Action]string{
	lost.Created: "Recorded", lost.ImageAdded: "Added a photo", lost.ImageTaken: "Removed a photo", lost.Disowned: "Said that it is not theirs",
	lost.Accepted: "Accepted the request", lost.Rejected: "Rejected the request", lost.Withdrawn: "Withdrew the request", lost.Unmatched: "Ruled it out", lost.Asked: "Asked the claimant",
	lost.Revoked: "Ended the owner’s link", lost.Paid: "Payment", lost.Refunded: "Refund", lost.Labelled: "Label", lost.HandedOver: "Handed over",
	lost.Forgot: "Removed the owner’s data",
}

func entryText(e lost.Entry) string {
	switch {
	case e.Action == lost.Moved:
		return movedText(e)
	case e.Action == lost.Updated && len(e.Fields) == 0:
		return "Noted"
	case e.Action == lost.Updated:
		return "Changed " + fieldText(e.Fields)
	default:
		return cmp.Or(actionText[e.Action], strings.ReplaceAll(string(e.Action), "-", " "))
	}
}

// movedText say from where to where an item was moved. What was only chosen is not yet done.
func movedText(e lost.Entry) string {
	closed := slices.Contains(e.Fields, "closedAt") // with it or, where the new status is never done, before it
	word := func(s lost.Status, done bool) string {
		if s == lost.Donate && !done {
			return ItemState(lost.Item{Status: s}).Word
		}
		return StatusState(s).Word
	}
	return word(e.From, closed && e.To != lost.PickUp && e.To != lost.Discard) + " → " + word(e.To, closed)
}

// fieldText lists fields as people call them, each once.
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

// ListText lists words as a sentence does.
func ListText(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// ActorName says who did something.
func ActorName(a lost.Actor) string {
	switch a.Kind {
	case lost.ByUser:
		return cmp.Or(a.Name, "Somebody at the desk")
	case lost.ByKey:
		return strings.TrimSpace("Client program " + a.Name)
	case lost.ByGuest:
		return "The owner"
	case lost.ByPublic:
		return "A visitor of the public page"
	case lost.ByCommand:
		return "The operator"
	default:
		return "Homeward"
	}
}

// EventText are what people call an event.
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
		return "Something was reported lost"
	default:
		return string(e)
	}
}

// referenceIn is the reference of the item that an event is about, as it tells itself.
func referenceIn(body []byte) string {
	var told struct {
		Payload struct{ Item struct{ Reference string } }
	}
	if json.Unmarshal(body, &told) != nil || told.Payload.Item.Reference == "" {
		return "Open the item"
	}
	return told.Payload.Item.Reference
}

// messageKindNames says what each kind of message tells.
var messageKindNames = map[lost.MessageKind]string{
	lost.NoticeMessage:     "Something of yours was found",
	lost.MatchMessage:      "What you reported was found",
	lost.ReminderMessage:   "Reminder to choose",
	lost.LastCallMessage:   "Last reminder",
	lost.PickupSoonMessage: "You collect it tomorrow",
	lost.MissedMessage:     "You did not come",
	lost.ChoiceMessage:     "What you chose",
	lost.ReceivedMessage:   "Your report is here",
	lost.RejectedMessage:   "It was not found",
	lost.QuestionMessage:   "A question from the desk",
	lost.DigestMessage:     "What waits, to the desk",
	lost.PriceMessage:      "What sending costs",
	lost.ReceiptMessage:    "Receipt",
	lost.ShippedMessage:    "It is on its way",
	lost.DeliveredMessage:  "It has arrived",
	lost.RefundMessage:     "Money given back",
	lost.LabelMessage:      "Papers of a parcel, to the desk",
}

func MessageKindName(k lost.MessageKind) string {
	if name, known := messageKindNames[k]; known {
		return name
	}
	return string(k)
}
