package staff

import (
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
)

// itemNotices says what the desk should know of an item before it does anything: what waits, and what went wrong.
func itemNotices(f desk.ItemDetail, now time.Time) []string {
	i := f.Item
	tasks, _ := i.Tasks(f.Unreached != "", now)
	var told []string
	if i.Held() && i.Owner.Known() && i.Owner.Address() == "" {
		told = append(told, "Nobody has told "+fullName(i.Owner)+": there is neither an e-mail address nor a phone number.")
	}
	for _, kind := range tasks {
		if text := noticeWords(i, kind, f.Unreached); text != "" {
			told = append(told, text)
		}
	}
	return told
}

// noticeWords says why a task is there. What the status and the next steps say already is not said again.
func noticeWords(i lost.Item, kind lost.TaskKind, unreached string) string {
	why := i.TaskReason(kind)
	switch kind {
	case lost.OverdueTask:
		return "Its storage time was over on " + day(i.StoreUntil()) + "."
	case lost.MissedTask:
		return "The owner wanted to come on " + day(i.Pickup.Date) + ", and nobody has said that it was collected."
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

// countryFor leads to where the country of an item's location is set, where nothing but that keeps it from having a price. Whoever may not set it is told who may.
func (c *call) countryFor(i lost.Item) (set *itemStep, ask string) {
	switch {
	case i.Status != lost.InfoCompleted || i.Parcel.Unpriced != lost.NoCountry:
		return nil, ""
	case c.may(lost.Arrange):
		return &itemStep{Name: "Set the location’s country", To: countryForm(i)}, ""
	default:
		return nil, "Ask an admin to set it."
	}
}

// countryForm is where the country of an item's location is set.
func countryForm(i lost.Item) string { return "/locations/" + i.LocationID + "/address#country" }

// remedy puts what is to be done first before all other steps, or says who is to be asked for it.
func (p *itemPage) remedy(first *itemStep, ask string) {
	if first != nil {
		p.Steps = append([]itemStep{*first}, p.Steps...)
	}
	for n, text := range p.Notices {
		if ask != "" && strings.Contains(text, lost.NoCountry) {
			p.Notices[n] = text + " " + ask
		}
	}
}
