package guest

import (
	"net/http"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// choicePage shows an item and asks what should happen to it.
type choicePage struct {
	page
	Thing   thing
	Text    string
	Late    string // a warning that the storage time has passed; empty if it has not
	Refund  string // the state of the refund, if a fee was paid before
	Choices []choice
	NotSent string // why the item cannot be sent; empty if it can
	NotMine string // the path of the page that asks whether the item is not theirs
	Back    string // the path of the page that shows the current choice
}

// choice is one of the options that the owner can choose.
type choice struct {
	Name, Label, Hint, Href string
	Current                 bool
}

// statusPage shows the choice, what happens next and how to contact the location.
type statusPage struct {
	page
	Thing  thing
	Status string // the name of the item's status; empty if the title contains it
	Class  string // the CSS class of the status: waiting, going or done
	Next   []string
	When   string
	Start  string // the time of the pick-up in UTC, so that a script can show the visitor's own time
	Here   string // the same time at the location
	Where  bool   // show the location's address
	Parcel parcel
	Pay    *button  // the next action
	Again  *recheck // set while a payment is being confirmed
	Steps  []step
	Change string

	Map, Calendar, Move, Cancel string // links about a pick-up; empty if they are not shown
}

// button is the main action of a page.
type button struct{ Label, Href string }

// step is one step of a parcel's progress.
type step struct {
	Label         string
	Done, Current bool
}

// show serves the page that a private link opens.
func (c linkCall) show() error {
	if err := c.openLink(); err != nil {
		return err
	}
	l, query := c.language(), c.r.URL.Query()
	var notice string
	if query.Get("written") == "1" {
		return c.present(http.StatusOK, l.Say("guest.thread.sent", "location", c.place.Name), false)
	}
	if c.visit.Item.Source == lost.Request {
		if query.Get("added") == "1" {
			notice = l.Say("guest.request.added")
		}
		switch query.Get("tracker") {
		case "shared":
			notice = l.Say("guest.tracker.shared")
		case "removed":
			notice = l.Say("guest.tracker.removed")
		}
		return c.present(http.StatusOK, notice, false)
	}
	switch {
	case query.Get("paid") == "1":
		return c.presentPaid(query.Get("look"))
	case query.Get("changed") == "1":
		notice = l.Say("guest.meanwhile")
	case query.Get("canceled") == "1" && c.visit.Item.Status == lost.Pending:
		notice = l.Say("guest.canceled")
	case query.Get("moved") == "1" && c.visit.Item.Status == lost.PickUp:
		notice = l.Say("guest.pickup.moved")
	case query.Get("unsent") == "1":
		notice = c.notShippedReason(l)
	}
	return c.present(http.StatusOK, notice, query.Get("change") == "1")
}

// present shows the current state of the item or request. It shows the choices instead if the owner has not chosen
// yet, or if change is true and the owner may still choose. The notice, which may be empty, says what just happened.
func (c linkCall) present(status int, notice string, change bool) error {
	i := c.visit.Item
	switch {
	case i.Source == lost.Request:
		return c.presentRequest(status, notice, nil, nil)
	case i.GuestMayChoose() && (change || i.Status == lost.Pending):
		return c.presentChoices(status, notice)
	default:
		return c.presentStatus(status, notice)
	}
}

// presentChoices shows the choices.
func (c linkCall) presentChoices(status int, notice string) error {
	l, i := c.language(), c.visit.Item
	p := choicePage{
		page:  c.page(l.Say("guest.item.title", "location", c.place.Name)),
		Thing: showThing(l, i), Text: l.Say("guest.item.text"),
	}
	p.Notice = notice
	first, last := i.PickupDays(*c.place, c.visit.Now)
	if until := i.StoreUntil(); until != "" && until < c.place.Day(c.visit.Now) {
		p.Late = l.Say("guest.item.late", "date", l.Date(until), "location", c.place.Name)
	}
	switch {
	case !i.DisownedAt.IsZero() && i.Status == lost.Pending:
		p.Title, p.Text = l.Say("guest.disowned.title"), l.Say("guest.disowned.text", "location", c.place.Name)
	case i.Status == lost.Pending:
		p.NotMine = c.home() + "/not-mine"
	default:
		p.Title, p.Text, p.Back = l.Say("guest.change.title"), "", c.home()
	}
	p.Refund = c.refundText(l)
	add := func(which lost.Choice, name, label, hint string) {
		p.Choices = append(p.Choices, choice{
			Name: name, Label: label, Hint: hint, Href: c.home() + "/" + name, Current: which.Status() == i.Status,
		})
	}
	if last >= first {
		add(lost.ChoosePickUp, "pickup", l.Say("guest.choose.pickup"), l.Say("guest.choose.pickup.hint"))
	}
	if _, ships := i.CanShip(*c.place); ships {
		hint, err := c.shipHint(l)
		if err != nil {
			return err
		}
		add(lost.ChooseShip, "ship", l.Say("guest.choose.ship"), hint)
	} else if notice == "" {
		p.NotSent = c.notShippedReason(l)
	}
	add(lost.ChooseDonate, "donate", l.Say("guest.choose.donate"), c.donationText(l))
	add(lost.ChooseLeave, "leave", l.Say("guest.choose.leave"), l.Say("guest.choose.leave.hint"))
	if err := c.addConversation(&p.page); err != nil {
		return err
	}
	return c.write(status, "choose", p)
}

// donationText returns a sentence that says who will receive a donated item.
func (c linkCall) donationText(l *i18n.Language) string {
	if c.place.Charity != "" {
		return l.Say("guest.donate.named", "location", c.place.Name, "charity", c.place.Charity)
	}
	return l.Say("guest.donate.any", "location", c.place.Name)
}

// statusWords maps statuses to the catalog keys of their names.
var statusWords = map[lost.Status]string{
	lost.Pending: "guest.status.pending", lost.InfoCompleted: "guest.status.info", lost.FeePaid: "guest.status.paid",
	lost.Shipped: "guest.status.shipped", lost.Delivered: "guest.status.delivered",
	lost.Discard: "guest.status.discard",
	lost.PickUp:  "guest.status.pickup", lost.Donate: "guest.status.donate",
}

// presentStatus shows the owner's choice and what happens next.
func (c linkCall) presentStatus(status int, notice string) error {
	p := c.statusPage(notice)
	if err := c.addConversation(&p.page); err != nil {
		return err
	}
	return c.write(status, "status", p)
}

func (c linkCall) statusPage(notice string) statusPage {
	l, i := c.language(), c.visit.Item
	p := statusPage{page: c.page(""), Thing: showThing(l, i), Status: l.Say(statusWords[i.Status]), Class: "done"}
	p.Notice = notice
	p.Thing.Until = "" // the owner has chosen, so the storage time no longer matters
	if i.GuestMayChoose() {
		p.Change, p.Class = c.home()+"?change=1", "waiting"
	}
	if i.Status == lost.PickUp || p.Change != "" && i.Status != lost.InfoCompleted { // the title contains it
		p.Status = ""
	}
	say := func(title string, next ...string) { p.Title, p.Next = l.Say(title), next }
	name := c.place.Name
	switch i.Status {
	case lost.PickUp:
		c.presentPickup(l, &p)
	case lost.Discard:
		if i.Destination == lost.Police { // the title contains it
			p.Status = ""
			say("guest.police.title", l.Say("guest.police.text", "location", name))
		} else if i.Destination.Kept() {
			p.Status = ""
			say("guest.kept.title", l.Say("guest.kept.text", "location", name))
		} else if i.GuestMayChoose() {
			say("guest.left.title", l.Say("guest.left.text", "location", name))
		} else {
			say("guest.left.done.title", l.Say("guest.left.done.text", "location", name))
		}
	case lost.Donate:
		if i.GuestMayChoose() {
			say("guest.donated.title", c.donationText(l), l.Say("guest.donated.text"))
		} else {
			say("guest.donated.done.title", l.Say("guest.donated.done.text"))
		}
	case lost.InfoCompleted, lost.FeePaid, lost.Shipped, lost.Delivered:
		c.presentParcel(l, &p)
	default: // the item is PENDING, but the owner may not choose
		say("guest.waiting.title", l.Say("guest.waiting.text", "location", name))
	}
	return p
}

// presentPickup shows when and where the owner picks up the item.
func (c linkCall) presentPickup(l *i18n.Language, p *statusPage) {
	i, name := c.visit.Item, c.place.Name
	if !i.ClosedAt.IsZero() {
		p.Title, p.Next = l.Say("guest.collected.title"), []string{l.Say("guest.collected.text")}
		return
	}
	p.Title, p.Where = l.Say("guest.pickup.chosen.title"), true
	if !i.GuestMayChoose() {
		p.Class = "waiting"
	}
	switch at := i.Pickup; {
	case at.Date != "" && at.Time != "":
		p.When = l.Say("guest.pickup.when", "date", l.Date(at.Date), "time", l.Time(at.Time), "zone", p.Place.Zone)
		p.Start, p.Here = startOf(at.Date, at.Time, c.place.Zone()), at.Date+" "+at.Time
	case at.Date != "":
		p.When = l.Date(at.Date)
	}
	p.Map = mapURL(*c.place)
	if i.GuestMayChoose() {
		p.Cancel = c.home() + "/cancel"
		if first, last := i.PickupDays(*c.place, c.visit.Now); first <= last {
			p.Move = c.home() + "/pickup"
		}
	}
	if i.Pickup.Planned && i.Pickup.Date < c.place.Day(c.visit.Now) {
		p.Title, p.Next = l.Say("guest.missed.title"), []string{l.Say("guest.missed.text", "location", name)}
		return
	}
	if _, _, planned := c.place.PickupPeriod(i); planned {
		p.Calendar = c.home() + "/pickup.ics"
	}
	if i.Pickup.Planned && i.GuestMayChoose() && c.place.ClosedAt(i.Pickup) && p.Notice == "" {
		p.Notice = l.Say("guest.pickup.closed", "location", name)
	}
	p.Next = []string{l.Say("guest.pickup.chosen.text", "location", name), l.Say("message.pickup.bring")}
}
