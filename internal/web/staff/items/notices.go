package items

import (
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// itemNotices returns the notices at the top of an item's page, about open tasks and failures.
func itemNotices(lang frame.Locale, f desk.ItemDetail, now time.Time) []string {
	i := f.Item
	tasks, _ := i.Tasks(f.LastFailure != "", now)
	var notices []string
	if i.Held() && i.Owner.Known() && i.Owner.Address() == "" {
		notices = append(notices, "Not notified: "+frame.FullName(i.Owner)+" has no e-mail address or phone number.")
	}
	for _, kind := range tasks {
		if text := noticeText(lang, i, kind, f.LastFailure); text != "" {
			notices = append(notices, text)
		}
	}
	return notices
}

// noticeText explains a task. It is empty if the status and the next steps make the task clear.
func noticeText(lang frame.Locale, i lost.Item, kind lost.TaskKind, unreached string) string {
	why := i.TaskReason(kind)
	switch kind {
	case lost.OverdueTask:
		return "The storage time ended on " + lang.Day(i.StoreUntil()) + "."
	case lost.MissedTask:
		return "The owner planned to collect it on " + lang.Day(i.Pickup.Date) + ", but it is not marked as collected."
	case lost.DisownedTask:
		return "The person we notified says it is not theirs."
	case lost.UnreachableTask:
		return withReason("The last message to the owner was not delivered.", unreached)
	case lost.LabelTask:
		return withReason("The carrier rejected the label.", why)
	case lost.ParcelTask:
		return withReason("The carrier reported a problem with the parcel.", why)
	case lost.RefundTask:
		return withReason("A refund is due.", why)
	case lost.ShippingTask:
		return withReason("The owner wants it shipped.", why)
	default:
		return ""
	}
}

// withReason appends a reason to a text.
func withReason(text, why string) string {
	if why == "" {
		return text
	}
	return text + " " + why
}

// remedy makes the step that solves the problem the first step. If the user cannot do it, the notice says whom to
// ask.
func (p *itemPage) remedy(first *frame.ItemStep, ask string) {
	if first != nil {
		p.Steps = append([]frame.ItemStep{*first}, p.Steps...)
	}
	for n, text := range p.Notices {
		if ask != "" && strings.Contains(text, lost.NoCountry) {
			p.Notices[n] = text + " " + ask
		}
	}
}
