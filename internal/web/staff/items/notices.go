package items

import (
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// itemNotices says what the desk should know of an item before it does anything: what waits, and what went wrong.
func itemNotices(f desk.ItemDetail, now time.Time) []string {
	i := f.Item
	tasks, _ := i.Tasks(f.Unreached != "", now)
	var told []string
	if i.Held() && i.Owner.Known() && i.Owner.Address() == "" {
		told = append(told, "Nobody has told "+frame.FullName(i.Owner)+": there is neither an e-mail address nor a phone number.")
	}
	for _, kind := range tasks {
		if text := noticeText(i, kind, f.Unreached); text != "" {
			told = append(told, text)
		}
	}
	return told
}

// noticeText says why a task is there. What the status and the next steps say already is not said again.
func noticeText(i lost.Item, kind lost.TaskKind, unreached string) string {
	why := i.TaskReason(kind)
	switch kind {
	case lost.OverdueTask:
		return "Its storage time was over on " + frame.Day(i.StoreUntil()) + "."
	case lost.MissedTask:
		return "The owner wanted to come on " + frame.Day(i.Pickup.Date) + ", and nobody has said that it was collected."
	case lost.DisownedTask:
		return "The person we wrote to says that it is not theirs."
	case lost.UnreachableTask:
		return withReason("The last message to the owner did not arrive.", unreached)
	case lost.LabelTask:
		return withReason("The carrier does not take the parcel as it is.", why)
	case lost.ParcelTask:
		return withReason("The carrier has trouble with the parcel.", why)
	case lost.RefundTask:
		return withReason("There is money to give back.", why)
	case lost.ShippingTask:
		return withReason("The owner wants it sent.", why)
	default:
		return ""
	}
}

// withReason puts a reason after what it explains.
func withReason(text, why string) string {
	if why == "" {
		return text
	}
	return text + " " + why
}

// remedy puts what is to be done first before all other steps, or says who is to be asked for it.
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
