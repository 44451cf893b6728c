package items

import (
	"slices"
	"strconv"
	"time"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// itemTimeline tells what happened to an item, newest first: its history, the messages and what client programs were told, as one. Of what happened in the
// same moment the messages stand first, which follow from the rest. What is longer ago than lines is left out, and more tells so.
func itemTimeline(f desk.ItemDetail, lines int, sends func(lost.Channel) bool, now time.Time) (tales []frame.TimelineEntry, more bool) {
	for _, m := range f.Letters.Data {
		tales = append(tales, messageEntry(m, sends(m.Channel)))
	}
	for _, d := range f.Deliveries {
		tales = append(tales, deliveryEntry(d))
	}
	planned := slices.IndexFunc(f.History.Data, func(e lost.Entry) bool { return slices.Contains(e.Fields, "pickup") }) // the newest: what was planned before is not kept
	for n, e := range f.History.Data {
		if e.Action == lost.Sent || e.Action == lost.Kept || e.Action == lost.Failed {
			continue // the message itself tells it
		}
		t := frame.NewTimelineEntry(e)
		if when := frame.PickupText(f.Item); n == planned && when != "" {
			t.Note = i18n.Join(" ", "For "+when+".", t.Note)
		}
		tales = append(tales, t)
	}
	slices.SortStableFunc(tales, func(a, b frame.TimelineEntry) int { return b.At.Compare(a.At) })
	more = len(tales) > lines || f.History.More() || f.Letters.More()
	tales = tales[:min(len(tales), lines)]
	for n := range tales {
		tales[n].When = frame.ShortMoment(tales[n].At, f.Location, now)
	}
	return tales, more
}

// savedEntry is what became of a message that nothing sends.
const savedEntry = "was kept, and not sent"

// messageEntry tells of a message, and what became of it.
func messageEntry(m desk.Correspondence, sends bool) frame.TimelineEntry {
	by := "E-mail"
	if m.Channel == lost.BySMS {
		by = "SMS"
	}
	t := frame.TimelineEntry{At: m.CreatedAt, Who: by + " to " + m.To, What: "“" + frame.MessageKindName(m.Kind) + "” ", Fault: m.State == lost.MessageFailed}
	switch m.State {
	case lost.MessageSent:
		t.What += "was sent"
	case lost.MessageKept:
		t.What += savedEntry
	case lost.MessageFailed:
		t.What, t.Note = t.What+"did not arrive", m.Error
	case lost.MessageCanceled:
		t.What += "was not needed any more"
	default:
		t.What += map[bool]string{true: "is on its way", false: savedEntry}[sends]
	}
	if m.Text != "" {
		t.Letter = &frame.ShownMessage{Subject: m.Subject, Text: m.Text}
	}
	return t
}

// deliveryEntry tells what a client program heard.
func deliveryEntry(d lost.Delivery) frame.TimelineEntry {
	t := frame.TimelineEntry{At: d.CreatedAt, Program: true, Who: "Webhook, event " + string(d.EventType), What: "News for a client program, “" + frame.EventText(d.EventType) + "”, "}
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
