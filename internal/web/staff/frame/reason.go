package frame

import (
	"fmt"

	"homeward/internal/lost"
)

// TaskReason returns the reason for a task, or an empty string if there is none. A problem that a carrier or payment
// provider reported is shown in the language in which it was reported.
func (l Locale) TaskReason(i lost.Item, kind lost.TaskKind) string {
	switch p := i.Parcel; {
	case p.Problem(kind) != "" || kind != lost.RefundTask && kind != lost.ShippingTask:
		return NoteText(l, i.TaskReason(kind))
	case kind == lost.RefundTask:
		return l.Say("frame.reason.refund")
	case p.PayBy == lost.PayDesk && p.Price.Known():
		return l.Say("frame.reason.agreed", "price", l.Money(p.Price.Total(), p.Price.Currency))
	default:
		return l.PriceReason(p.Unpriced)
	}
}

// PriceReason translates the reason why a parcel has no price. The reasons of carriers are not translated.
func (l Locale) PriceReason(reason string) string {
	switch reason {
	case lost.NotOffered:
		return l.Say("frame.reason.not-offered")
	case lost.NoDestination:
		return l.Say("frame.reason.no-destination")
	case lost.NoCountry:
		return l.Say("frame.reason.no-country")
	case lost.NoWeight:
		return l.Say("frame.reason.no-weight")
	case lost.NoTariff:
		return l.Say("frame.reason.no-tariff")
	case lost.PriceAwaited:
		return l.Say("frame.reason.awaited")
	}
	var weight, most int
	if n, _ := fmt.Sscanf(reason, lost.TooHeavy, &weight, &most); n == 2 {
		return l.Say("frame.reason.too-heavy", "weight", weight, "most", most)
	}
	return reason
}

// notePrefix begins the keys of the notes that the service writes.
const notePrefix = "frame.note."

// NoteText translates the notes of the service at the beginning of a stored text. The words of people, carriers and
// payment providers that follow are not translated.
func NoteText(l Locale, text string) string {
	notes, rest := lost.ReadNotes(text)
	var sentences []string
	for _, n := range notes {
		args := []any{}
		for v, name := range []string{"value", "other"}[:len(n.Values)] {
			args = append(args, name, noteValue(l, n.Values[v]))
		}
		sentences = append(sentences, l.Say(notePrefix+string(n.Kind), args...))
	}
	if rest == "" || len(notes) == 0 {
		return l.Sentences(append(sentences, rest)...)
	}
	return l.Sentences(sentences...) + "\n" + rest
}

// noteValue formats a price in the user's language, and translates the reason why a parcel has no price. It returns
// other text unchanged.
func noteValue(l Locale, text string) string {
	if p, ok := lost.ParsePrice(text); ok {
		return l.Money(p.Total(), p.Currency)
	}
	return l.PriceReason(text)
}

// Sentences joins sentences. It leaves out empty ones.
func (l Locale) Sentences(texts ...string) string {
	joined := ""
	for _, text := range texts {
		switch {
		case joined == "":
			joined = text
		case text != "":
			joined = l.Say("frame.sentences", "a", joined, "b", text)
		}
	}
	return joined
}
