package items

import (
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// addNotices adds the notices to the page. The step that solves a problem becomes the first step.
func (c *call) addNotices(p *itemPage, f desk.ItemDetail) {
	set, ask := c.CountryFor(f.Item)
	if set != nil {
		p.Steps = append([]frame.ItemStep{*set}, p.Steps...)
	}
	p.Notices = itemNotices(c.Locale, f, ask, c.Now())
	if f.Item.Held() {
		p.NotSent = c.NotSentTo(f.Item.Owner)
	}
}

// itemNotices returns the notices at the top of an item's page, about open tasks and failures. ask says whom to ask for
// a missing country; it is empty if the user can set it.
func itemNotices(lang frame.Locale, f desk.ItemDetail, ask string, now time.Time) []string {
	i := f.Item
	tasks, _ := i.Tasks(f.LastFailure != "", now)
	var notices []string
	if i.Held() && i.Owner.Known() && i.Owner.Address() == "" {
		notices = append(notices, lang.Say("items.notice.no-contact", "name", frame.OwnerName(lang, i.Owner)))
	}
	for _, kind := range tasks {
		if text := noticeText(lang, i, kind, f.LastFailure, ask); text != "" {
			notices = append(notices, text)
		}
	}
	return notices
}

// noticeText explains a task. It is empty if the status and the next steps make the task clear.
func noticeText(lang frame.Locale, i lost.Item, kind lost.TaskKind, unreached, ask string) string {
	why := lang.TaskReason(i, kind)
	switch kind {
	case lost.OverdueTask:
		return lang.Say("items.notice.overdue", "date", lang.Day(i.StoreUntil()))
	case lost.MissedTask:
		return lang.Say("items.notice.missed", "date", lang.Day(i.Pickup.Date))
	case lost.DisownedTask:
		return lang.Say("items.notice.not-theirs")
	case lost.UnreachableTask:
		return lang.Sentences(lang.Say("items.notice.unreachable"), unreached)
	case lost.LabelTask:
		return lang.Sentences(lang.Say("items.notice.label"), why)
	case lost.ParcelTask:
		return lang.Sentences(lang.Say("items.notice.parcel"), why)
	case lost.RefundTask:
		return lang.Sentences(lang.Say("items.notice.refund"), why)
	case lost.ShippingTask:
		if i.TaskReason(kind) != lost.NoCountry {
			ask = ""
		}
		return lang.Sentences(lang.Say("items.notice.ship"), why, ask)
	default:
		return ""
	}
}
