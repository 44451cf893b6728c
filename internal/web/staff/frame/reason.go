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
		return i.TaskReason(kind)
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
