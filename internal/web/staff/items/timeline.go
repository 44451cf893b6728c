package items

import (
	"slices"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// itemTimeline lists what happened to an item, newest first: its history, messages and webhook deliveries. Among
// entries with the same time, messages come first, because the other entries caused them. It returns at most lines
// entries; more reports whether there are older ones.
func itemTimeline(lang frame.Locale,
	f desk.ItemDetail, lines int, sends func(lost.Channel) bool, now time.Time,
) (entries []frame.TimelineEntry, more bool) {
	for _, m := range f.Messages.Data {
		entries = append(entries, messageEntry(lang, m, sends(m.Channel)))
	}
	for _, d := range f.Deliveries {
		entries = append(entries, deliveryEntry(lang, d))
	}
	entries = append(entries, historyEntries(lang, f)...)
	slices.SortStableFunc(entries, func(a, b frame.TimelineEntry) int { return b.At.Compare(a.At) })
	more = len(entries) > lines || f.History.More() || f.Messages.More()
	entries = entries[:min(len(entries), lines)]
	for n := range entries {
		entries[n].When = lang.ShortMoment(entries[n].At, f.Location, now)
	}
	return entries, more
}

// historyEntries lists the history without the entries about messages, which messageEntry describes.
func historyEntries(lang frame.Locale, f desk.ItemDetail) (entries []frame.TimelineEntry) {
	// Only the latest planned pick-up is stored, so only the newest entry about a pick-up can show its date.
	planned := slices.IndexFunc(f.History.Data, func(e lost.Entry) bool { return slices.Contains(e.Fields, "pickup") })
	for n, e := range f.History.Data {
		if e.Action == lost.Sent || e.Action == lost.Kept || e.Action == lost.Failed {
			continue
		}
		entry := lang.NewTimelineEntry(f.Item, e)
		if when := lang.PickupText(f.Item); n == planned && when != "" {
			entry.Note = lang.Sentences(lang.Say("items.history.pickup", "when", when), entry.Note)
		}
		entries = append(entries, entry)
	}
	return entries
}

// messageEntry describes a message and its state. sends reports whether its channel is set up.
func messageEntry(lang frame.Locale, m desk.MessageWithText, sends bool) frame.TimelineEntry {
	by := "items.message.email"
	if m.Channel == lost.BySMS {
		by = "items.message.sms"
	}
	entry := frame.TimelineEntry{
		At: m.CreatedAt, Who: lang.Say(by, "address", m.To),
		What: lang.Say(messageStateKey(m.State, sends), "message", lang.MessageKindName(m.Kind)),
	}
	if m.State == lost.MessageFailed {
		entry.Fault, entry.Note = true, m.Error
	}
	if m.Text != "" && m.Kind != lost.ThreadNotice && m.Kind != lost.ThreadAlert { // the conversation has their texts
		entry.Message = &frame.ShownMessage{Subject: m.Subject, Text: m.Text}
	}
	return entry
}

func messageStateKey(s lost.MessageState, sends bool) string {
	switch {
	case s == lost.MessageSent:
		return "items.message.sent"
	case s == lost.MessageFailed:
		return "items.message.failed"
	case s == lost.MessageCanceled:
		return "items.message.canceled"
	case s == lost.MessageSaved || !sends:
		return "items.message.saved"
	default:
		return "items.message.sending"
	}
}

// deliveryEntry describes a webhook delivery.
func deliveryEntry(lang frame.Locale, d lost.Delivery) frame.TimelineEntry {
	entry := frame.TimelineEntry{
		At: d.CreatedAt, Webhook: true, Who: lang.Say("items.webhook.event", "event", lang.EventText(d.EventType)),
		What:  lang.Say(deliveryStateKey(d.State), "event", string(d.EventType)),
		Fault: d.State == lost.DeliveryFailed,
	}
	if d.EndpointID != "" { // empty for users who may not open the delivery
		entry.More = "/settings/deliveries/" + d.ID
	}
	if n := len(d.Attempts); n > 1 {
		entry.What = lang.Say("items.webhook.attempts", "delivery", entry.What, "n", n)
	}
	if n := len(d.Attempts); n > 0 && d.Attempts[n-1].Error != "" {
		entry.Note = d.Attempts[n-1].Error
	}
	return entry
}

func deliveryStateKey(s lost.DeliveryState) string {
	switch s {
	case lost.DeliveryDelivered:
		return "items.webhook.delivered"
	case lost.DeliveryFailed:
		return "items.webhook.failed"
	case lost.DeliveryCanceled:
		return "items.webhook.canceled"
	default:
		return "items.webhook.pending"
	}
}
