package staff

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// tale is one line of what happened to an item.
type tale struct {
	at         time.Time
	When, Who  string
	What, Note string
	Fault      bool         // it went wrong
	Letter     *letterShown // with a message
	More       string       // where more is told of it
	Program    bool         // a client program was told something
}

// letterShown is a message to be read.
type letterShown struct{ Subject, Text string }

// itemTimeline tells what happened to an item, newest first: its history, the messages and what client programs were told, as one. Of what happened in the
// same moment the messages stand first, which follow from the rest. What is longer ago than lines is left out, and more tells so.
func itemTimeline(f desk.ItemDetail, lines int, sends func(lost.Channel) bool, now time.Time) (tales []tale, more bool) {
	for _, m := range f.Letters.Data {
		tales = append(tales, letterTale(m, sends(m.Channel)))
	}
	for _, d := range f.Deliveries {
		tales = append(tales, deliveryTale(d))
	}
	planned := slices.IndexFunc(f.History.Data, func(e lost.Entry) bool { return slices.Contains(e.Fields, "pickup") }) // the newest: what was planned before is not kept
	for n, e := range f.History.Data {
		if e.Action == lost.Sent || e.Action == lost.Kept || e.Action == lost.Failed {
			continue // the message itself tells it
		}
		t := entryTale(e)
		if when := pickupWords(f.Item); n == planned && when != "" {
			t.Note = i18n.Join(" ", "For "+when+".", t.Note)
		}
		tales = append(tales, t)
	}
	slices.SortStableFunc(tales, func(a, b tale) int { return b.at.Compare(a.at) })
	more = len(tales) > lines || f.History.More() || f.Letters.More()
	tales = tales[:min(len(tales), lines)]
	for n := range tales {
		tales[n].When = shortMoment(tales[n].at, f.Location, now)
	}
	return tales, more
}

// shortMoment writes a time by a location's clock, where there is little room.
func shortMoment(at time.Time, l lost.Location, now time.Time) string {
	return shortDay(l.Day(at), l.Day(now)) + ", " + at.In(l.Zone()).Format(lost.TimeForm)
}

// entryTale tells a line of history.
func entryTale(e lost.Entry) tale {
	return tale{at: e.At, Who: actorName(e.Actor), What: entryWords(e), Note: e.Note, Fault: strings.HasPrefix(e.Note, "Refused:")}
}

// actionWords say what was done. An action that has none here is named as the API names it.
var actionWords = map[lost.Action]string{
	lost.Created: "Recorded", lost.ImageAdded: "Added a photo", lost.ImageTaken: "Removed a photo", lost.Disowned: "Said that it is not theirs",
	lost.Accepted: "Accepted the request", lost.Rejected: "Rejected the request", lost.Withdrawn: "Withdrew the request", lost.Unmatched: "Ruled it out", lost.Asked: "Asked the claimant",
	lost.Revoked: "Ended the owner’s link", lost.Paid: "Payment", lost.Refunded: "Refund", lost.Labelled: "Label", lost.HandedOver: "Handed over",
	lost.Forgot: "Removed the owner’s data",
}

func entryWords(e lost.Entry) string {
	switch {
	case e.Action == lost.Moved:
		return movedWords(e)
	case e.Action == lost.Updated && len(e.Fields) == 0:
		return "Noted"
	case e.Action == lost.Updated:
		return "Changed " + fieldWords(e.Fields)
	default:
		return cmp.Or(actionWords[e.Action], strings.ReplaceAll(string(e.Action), "-", " "))
	}
}

// movedWords say from where to where an item was moved. What was only chosen is not yet done.
func movedWords(e lost.Entry) string {
	closed := slices.Contains(e.Fields, "closedAt") // with it or, where the new status is never done, before it
	word := func(s lost.Status, done bool) string {
		if s == lost.Donate && !done {
			return stateOf(lost.Item{Status: s}).Word
		}
		return showState(s).Word
	}
	return word(e.From, closed && e.To != lost.PickUp && e.To != lost.Discard) + " → " + word(e.To, closed)
}

// fieldWords lists fields as people call them, each once.
func fieldWords(fields []string) string {
	var names []string
	for _, f := range fields {
		name := fieldWord(f)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return listWords(names)
}

// listWords lists words as a sentence does.
func listWords(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// actorName says who did something.
func actorName(a lost.Actor) string {
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

// keptTale is what became of a message that nothing sends.
const keptTale = "was kept, and not sent"

// letterTale tells of a message, and what became of it.
func letterTale(m desk.Correspondence, sends bool) tale {
	by := "E-mail"
	if m.Channel == lost.BySMS {
		by = "SMS"
	}
	t := tale{at: m.CreatedAt, Who: by + " to " + m.To, What: "“" + postName(m.Kind) + "” ", Fault: m.State == lost.MessageFailed}
	switch m.State {
	case lost.MessageSent:
		t.What += "was sent"
	case lost.MessageKept:
		t.What += keptTale
	case lost.MessageFailed:
		t.What, t.Note = t.What+"did not arrive", m.Error
	case lost.MessageCanceled:
		t.What += "was not needed any more"
	default:
		t.What += map[bool]string{true: "is on its way", false: keptTale}[sends]
	}
	if m.Text != "" {
		t.Letter = &letterShown{Subject: m.Subject, Text: m.Text}
	}
	return t
}

// eventWords are what people call an event.
func eventWords(e lost.EventType) string {
	switch e {
	case lost.PickupEvent:
		return showState(lost.PickUp).Word
	case lost.DiscardEvent:
		return showState(lost.Discard).Word
	case lost.DonateEvent:
		return showState(lost.Donate).Word
	case lost.LabelEvent:
		return showState(lost.FeePaid).Word
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

// deliveryTale tells what a client program heard.
func deliveryTale(d lost.Delivery) tale {
	t := tale{at: d.CreatedAt, Program: true, Who: "Webhook, event " + string(d.EventType), What: "News for a client program, “" + eventWords(d.EventType) + "”, "}
	if d.EndpointID != "" { // who is told it may look at the delivery
		t.More = "/settings/deliveries/" + d.ID
	}
	switch d.State {
	case lost.DeliveryDelivered:
		t.What += "was delivered"
	case lost.DeliveryFailed:
		t.What, t.Fault = t.What+"was not delivered", true
	case lost.DeliveryCanceled:
		t.What += "was canceled"
	default:
		t.What += "is on its way"
	}
	if n := len(d.Attempts); n > 1 {
		t.What += " after " + strconv.Itoa(n) + " attempts"
	}
	if n := len(d.Attempts); n > 0 && d.Attempts[n-1].Error != "" {
		t.Note = d.Attempts[n-1].Error
	}
	return t
}
