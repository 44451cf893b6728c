package guest

import (
	"cmp"
	"net/http"
	"net/url"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// formPage is a page with one form.
type formPage struct {
	page
	Text, Aside string // shown before the fields
	Action      string
	Seen        lost.Status // the item's status when the form was shown
	Inputs      []*input
	Button      string
	Danger      bool
	Back        string
}

// mayChoose opens the link and reports whether the owner can still choose.
func (c linkCall) mayChoose() (bool, error) {
	if err := c.openLink(); err != nil {
		return false, err
	}
	return c.visit.Item.GuestMayChoose(), nil
}

// formPage returns a page with a form for the owner. If the form is shown again, sent holds the submitted values.
func (c linkCall) formPage(title, step string, sent url.Values) formPage {
	p := formPage{page: c.page(title), Action: c.home() + "/" + step, Seen: c.visit.Item.Status, Back: c.home()}
	if sent.Has("seen") {
		p.Seen = lost.Status(sent.Get("seen"))
	}
	if now := c.visit.Item.Status; now != lost.Pending && (now != lost.PickUp || step != "pickup") {
		p.Back += "?change=1"
	}
	return p
}

// choose carries out a choice. If the choice is invalid, it calls showAgain to show the form with error messages.
func (c linkCall) choose(p lost.ChoicePatch, sent url.Values, showAgain func(lost.Problems) error) error {
	p.Seen = lost.Status(sent.Get("seen"))
	_, err := c.services.Guests.Choose(c.r.Context(), c.token, p)
	return c.showResult(err, showAgain)
}

// showResult responds to the guest's action. It redirects to the item after a success, shows the form again if
// fields are invalid, and shows the current state after a conflict.
func (c linkCall) showResult(err error, showAgain func(lost.Problems) error) error {
	switch {
	case err == nil:
		return c.redirect(c.home())
	case lost.CodeOf(err) == lost.Invalid && showAgain != nil:
		return showAgain(lost.ProblemsOf(err))
	case lost.CodeOf(err) == lost.Conflict:
		if err := c.openLink(); err != nil {
			return err
		}
		return c.present(http.StatusConflict, c.language().Say("guest.meanwhile"), false)
	default:
		return err
	}
}

// question is a choice that only needs confirmation.
type question struct {
	choice lost.Choice // empty for "not mine", which is not a choice
	form   func(c linkCall, l *i18n.Language) formPage
}

func leaveQuestion() question {
	return question{lost.ChooseLeave, func(c linkCall, l *i18n.Language) formPage {
		p := c.formPage(l.Say("guest.leave.title", "location", c.place.Name), "leave", nil)
		p.Text = l.Say("guest.leave.text", "location", c.place.Name)
		p.Button = l.Say("guest.leave.button")
		p.Danger = true
		return p
	}}
}

func donateQuestion() question {
	return question{lost.ChooseDonate, func(c linkCall, l *i18n.Language) formPage {
		p := c.formPage(l.Say("guest.donate.title"), "donate", nil)
		p.Text = c.donationText(l)
		p.Aside = l.Say("guest.donate.text")
		p.Button = l.Say("guest.donate.button")
		return p
	}}
}

func disownQuestion() question {
	return question{"", func(c linkCall, l *i18n.Language) formPage {
		p := c.formPage(l.Say("guest.notmine.title"), "not-mine", nil)
		p.Text = l.Say("guest.notmine.text", "location", c.place.Name)
		p.Button = l.Say("guest.notmine.button")
		return p
	}}
}

// showQuestion shows a question, or redirects to the item if the question has been answered.
func showQuestion(q question) func(linkCall) error {
	return func(c linkCall) error {
		open, err := c.mayChoose()
		if err != nil {
			return err
		}
		i := c.visit.Item
		answered := q.choice.Status() == i.Status
		if q.choice == "" {
			answered = answered || i.Status != lost.Pending || !i.DisownedAt.IsZero()
		}
		if !open || answered {
			return c.redirect(c.home())
		}
		return c.write(http.StatusOK, "form", q.form(c, c.language()))
	}
}

// acceptQuestion carries out the choice that the guest confirmed.
func acceptQuestion(q question) func(linkCall) error {
	return func(c linkCall) error {
		if err := c.openLink(); err != nil {
			return err
		}
		sent, err := c.form()
		if err != nil {
			return err
		}
		return c.choose(lost.ChoicePatch{Choice: q.choice}, sent, nil)
	}
}

// disown records that the item does not belong to the guest.
func (c linkCall) disown() error {
	if err := c.openLink(); err != nil {
		return err
	}
	_, err := c.services.Guests.Disown(c.r.Context(), c.token)
	return c.showResult(err, nil)
}

// askPickup asks for a pick-up day and time, and suggests the earliest possible ones.
func (c linkCall) askPickup() error {
	open, err := c.mayChoose()
	if err != nil {
		return err
	}
	first, last := c.visit.Item.PickupDays(*c.place, c.visit.Now)
	if !open || last < first {
		return c.redirect(c.home())
	}
	if c.place.Slots.Minutes > 0 {
		return c.askSlot(http.StatusOK, url.Values{}, nil)
	}
	day, hour := suggestPickup(c.visit.Item, *c.place, c.visit.Now)
	return c.pickupForm(http.StatusOK, url.Values{"pickupDate": {day}, "pickupTime": {hour}}, nil)
}

// pickUp saves the pick-up day and time.
func (c linkCall) pickUp() error {
	if err := c.openLink(); err != nil {
		return err
	}
	sent, err := c.form()
	if err != nil {
		return err
	}
	p := lost.ChoicePatch{Choice: lost.ChoosePickUp}
	p.PickupDate, p.PickupTime = chosenSlot(sent)
	if len(p.PickupTime.Value) == len("15:04:05") { // some browsers send seconds
		p.PickupTime.Value = p.PickupTime.Value[:len(lost.TimeLayout)]
	}
	p.Seen = lost.Status(sent.Get("seen"))
	before := c.visit.Item
	now, err := c.services.Guests.Choose(c.r.Context(), c.token, p)
	if err == nil && before.Status == lost.PickUp && now.Item.Pickup != before.Pickup {
		return c.redirect(c.home() + "?moved=1")
	}
	return c.showResult(err, func(problems lost.Problems) error {
		if err := c.openLink(); err != nil { // the hours may have changed since the beginning of the request
			return err
		}
		if c.place.Slots.Minutes > 0 {
			return c.askSlot(http.StatusUnprocessableEntity, sent, problems)
		}
		return c.pickupForm(http.StatusUnprocessableEntity, sent, problems)
	})
}

func (c linkCall) pickupForm(status int, values url.Values, problems lost.Problems) error {
	l, window := c.language(), c.place.Pickup
	p := c.formPage(l.Say("guest.pickup.title"), "pickup", values)
	first, last := c.visit.Item.PickupDays(*c.place, c.visit.Now)
	isClosed := problems != nil && c.place.ClosedAt(lost.Pickup{
		Date: values.Get("pickupDate"), Time: values.Get("pickupTime"),
	})
	if isClosed { // do not offer this time again, but say why
		p.Problems = c.pickupProblems(l, values, problems)
		day, hour := suggestPickup(c.visit.Item, *c.place, c.visit.Now)
		values, problems = url.Values{"pickupDate": {day}, "pickupTime": {hour}}, nil
	}
	day := &input{
		Name: "pickupDate", Label: l.Say("guest.pickup.day"), Type: "date", Value: values.Get("pickupDate"),
		Min: first, Max: last, Narrow: true,
	}
	if until := c.visit.Item.StoreUntil(); until != "" {
		day.Hint = l.Say("guest.pickup.until", "date", l.Date(until))
	}
	hour := &input{
		Name: "pickupTime", Label: l.Say("guest.pickup.time"), Type: "time", Value: values.Get("pickupTime"),
		Hint: windowHint(l, window, p.Place.Zone), Min: window.From, Max: window.To, Narrow: true,
	}
	if len(c.place.OpeningHours) > 0 {
		hour.Min, hour.Max, hour.Hint = "", "", hoursHint(l, c.place.OpeningHours, p.Place.Zone)
	}
	if problems == nil && (isClosed || c.visit.Item.Status != lost.PickUp) && hour.Value != "" {
		p.Text = l.Say("guest.pickup.text", "date", l.Date(day.Value), "time", l.Time(hour.Value))
	}
	p.Inputs, p.Button, p.Collects = []*input{day, hour}, l.Say("guest.pickup.button"), true
	about := problemContext{location: *c.place, item: c.visit.Item, last: last}
	p.Problems = append(p.Problems, assignProblems(l, p.Inputs, problems, about)...)
	return c.write(status, "form", p)
}

// windowHint tells the guest when items can be picked up, in the location's time zone.
func windowHint(l *i18n.Language, window lost.PickupWindow, zone string) string {
	switch {
	case window.From != "" && window.To != "":
		return l.Say("guest.pickup.window", "from", l.Time(window.From), "to", l.Time(window.To), "zone", zone)
	case window.From != "":
		return l.Say("guest.pickup.window.from", "from", l.Time(window.From), "zone", zone)
	case window.To != "":
		return l.Say("guest.pickup.window.to", "to", l.Time(window.To), "zone", zone)
	default:
		return l.Say("guest.pickup.zone", "zone", zone)
	}
}

// suggestPickup suggests a pick-up time: the one chosen before, if the location is open then, or the next half hour
// that leaves enough time to travel. It is a time that the clock at the location shows.
func suggestPickup(i lost.Item, l lost.Location, now time.Time) (day, hour string) {
	day, hour = nextPickup(i, l, now)
	return day, l.ShownFrom(day, hour)
}

// nextPickup is suggestPickup for days on which the clock does not go forward.
func nextPickup(i lost.Item, l lost.Location, now time.Time) (day, hour string) {
	soon := nextHalfHour(now.In(l.Zone()).Add(time.Hour)) // an hour to travel
	first, last := i.PickupDays(l, now)
	if p := i.Pickup; i.Status == lost.PickUp && p.Date > l.Day(now) && p.Date <= last &&
		!l.ClosedAt(p) {
		return p.Date, p.Time
	}
	if len(l.OpeningHours) > 0 {
		return suggestOpen(i, l, soon)
	}
	opens, closes := cmp.Or(l.Pickup.From, "09:00"), cmp.Or(l.Pickup.To, "18:00")
	if opens >= closes { // the location sets only one of the two, and the default for the other contradicts it
		opens, closes = cmp.Or(l.Pickup.From, "00:00"), cmp.Or(l.Pickup.To, "23:30")
	}
	if l.Pickup.PastMidnight() {
		closes = "23:59"
	}
	day, hour = soon.Format(lost.DateLayout), max(soon.Format(lost.TimeLayout), opens)
	if day == first && hour <= closes {
		return day, hour
	}
	tomorrow := lost.AddDays(l.Day(now), 1)
	if tomorrow <= last {
		return max(tomorrow, first), opens
	}
	return last, closes // it is late on the last day
}

// nextHalfHour returns the first time from t on when the clock of its zone shows a full or a half hour. Some zones
// differ from UTC by a quarter of an hour.
func nextHalfHour(t time.Time) time.Time {
	const step = 30 * time.Minute
	_, offset := t.Zone()
	shown := time.Duration(offset) * time.Second
	return t.Add(shown).Add(step - 1).Truncate(step).Add(-shown)
}
