package guest

import (
	"cmp"
	"net/http"
	"net/url"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// formPage asks one thing.
type formPage struct {
	page
	Text, Aside string // before the fields
	Action      string
	Seen        lost.Status // where the item stood when the form was shown
	Inputs      []*input
	Button      string
	Danger      bool
	Back        string
}

// mayChoose follows the link and tells whether there is something to choose.
func (c *call) mayChoose() (bool, error) {
	if err := c.follow(); err != nil {
		return false, err
	}
	return c.visit.Item.OpenToGuest(), nil
}

// formPage begins a form of the link's. Its values are those that were sent, if the form is shown again.
func (c *call) formPage(title, step string, sent url.Values) formPage {
	p := formPage{page: c.page(title), Action: c.home() + "/" + step, Seen: c.visit.Item.Status, Back: c.home()}
	if sent.Has("seen") {
		p.Seen = lost.Status(sent.Get("seen"))
	}
	if c.visit.Item.Status != lost.Pending {
		p.Back += "?change=1"
	}
	return p
}

// choose has the desk carry out a choice. What is wrong with it goes to again, which shows the form once more.
func (c *call) choose(p lost.ChoicePatch, sent url.Values, again func(lost.Problems) error) error {
	p.Seen = lost.Status(sent.Get("seen"))
	_, err := c.desk.Choose(c.r.Context(), c.token, p)
	return c.afterwards(err, again)
}

// afterwards shows what became of what the reader did.
func (c *call) afterwards(err error, again func(lost.Problems) error) error {
	switch {
	case err == nil:
		return c.see(c.home())
	case lost.CodeOf(err) == lost.Invalid && again != nil:
		return again(lost.ProblemsOf(err))
	case lost.CodeOf(err) == lost.Conflict:
		if err := c.follow(); err != nil {
			return err
		}
		return c.present(http.StatusConflict, c.language().Say("guest.meanwhile"), false)
	default:
		return err
	}
}

// question is a choice that needs nothing but a yes.
type question struct {
	choice lost.Choice // empty for what is none
	path   string
	ask    func(c *call, l *i18n.Language) formPage
}

func leaving() question {
	return question{lost.ChooseLeave, "leave", func(c *call, l *i18n.Language) formPage {
		p := c.formPage(l.Say("guest.leave.title", "location", c.place.Name), "leave", nil)
		p.Text, p.Button, p.Danger = l.Say("guest.leave.text", "location", c.place.Name), l.Say("guest.leave.button"), true
		return p
	}}
}

func donating() question {
	return question{lost.ChooseDonate, "donate", func(c *call, l *i18n.Language) formPage {
		p := c.formPage(l.Say("guest.donate.title"), "donate", nil)
		p.Text, p.Aside, p.Button = c.givenTo(l), l.Say("guest.donate.text"), l.Say("guest.donate.button")
		return p
	}}
}

func disowning() question {
	return question{"", "not-mine", func(c *call, l *i18n.Language) formPage {
		p := c.formPage(l.Say("guest.notmine.title"), "not-mine", nil)
		p.Text, p.Button = l.Say("guest.notmine.text", "location", c.place.Name), l.Say("guest.notmine.button")
		return p
	}}
}

// asking shows a question, unless it is answered already.
func asking(of func() question) func(*call) error {
	q := of()
	return func(c *call) error {
		open, err := c.mayChoose()
		if err != nil {
			return err
		}
		i := c.visit.Item
		answered := q.choice.Status() == i.Status || q.choice == "" && (i.Status != lost.Pending || !i.DisownedAt.IsZero())
		if !open || answered {
			return c.see(c.home())
		}
		return c.write(http.StatusOK, "form", q.ask(c, c.language()))
	}
}

// doing carries out what was asked.
func doing(of func() question) func(*call) error {
	q := of()
	return func(c *call) error {
		if err := c.follow(); err != nil {
			return err
		}
		sent, err := c.form()
		if err != nil {
			return err
		}
		return c.choose(lost.ChoicePatch{Choice: q.choice}, sent, nil)
	}
}

// disown tells the desk that the item is not the reader's.
func (c *call) disown() error {
	if err := c.follow(); err != nil {
		return err
	}
	_, err := c.desk.Disown(c.r.Context(), c.token)
	return c.afterwards(err, nil)
}

// askPickup asks for a day and a time, and proposes the next that suits.
func (c *call) askPickup() error {
	open, err := c.mayChoose()
	if err != nil {
		return err
	}
	first, last := c.visit.Item.PickupDays(*c.place, c.visit.Now)
	if !open || last < first {
		return c.see(c.home())
	}
	day, hour := firstSlot(c.visit.Item, *c.place, c.visit.Now)
	return c.pickupForm(http.StatusOK, url.Values{"pickupDate": {day}, "pickupTime": {hour}}, nil)
}

// pickUp takes the day and time.
func (c *call) pickUp() error {
	if err := c.follow(); err != nil {
		return err
	}
	sent, err := c.form()
	if err != nil {
		return err
	}
	p := lost.ChoicePatch{Choice: lost.ChoosePickUp, PickupDate: respond.Typed(sent, "pickupDate"), PickupTime: respond.Typed(sent, "pickupTime")}
	if len(p.PickupTime.Value) == len("15:04:05") { // some browsers send seconds
		p.PickupTime.Value = p.PickupTime.Value[:len(lost.TimeForm)]
	}
	return c.choose(p, sent, func(found lost.Problems) error {
		return c.pickupForm(http.StatusUnprocessableEntity, sent, found)
	})
}

func (c *call) pickupForm(status int, values url.Values, found lost.Problems) error {
	l, window := c.language(), c.place.Pickup
	p := c.formPage(l.Say("guest.pickup.title"), "pickup", values)
	first, last := c.visit.Item.PickupDays(*c.place, c.visit.Now)
	day := &input{Name: "pickupDate", Label: l.Say("guest.pickup.day"), Type: "date", Value: values.Get("pickupDate"), Min: first, Max: last, Narrow: true}
	if until := c.visit.Item.StoreUntil(); until != "" {
		day.Hint = l.Say("guest.pickup.until", "date", l.Date(until))
	}
	hour := &input{Name: "pickupTime", Label: l.Say("guest.pickup.time"), Type: "time", Value: values.Get("pickupTime"), Min: window.From, Max: window.To, Narrow: true}
	switch {
	case window.From != "" && window.To != "":
		hour.Hint = l.Say("guest.pickup.window", "from", l.Time(window.From), "to", l.Time(window.To), "zone", p.Place.Zone)
	case window.From != "":
		hour.Hint = l.Say("guest.pickup.window.from", "from", l.Time(window.From), "zone", p.Place.Zone)
	case window.To != "":
		hour.Hint = l.Say("guest.pickup.window.to", "to", l.Time(window.To), "zone", p.Place.Zone)
	default:
		hour.Hint = l.Say("guest.pickup.zone", "zone", p.Place.Zone)
	}
	if found == nil && c.visit.Item.Status != lost.PickUp {
		p.Text = l.Say("guest.pickup.text", "date", l.Date(day.Value), "time", l.Time(hour.Value))
	}
	p.Inputs, p.Button = []*input{day, hour}, l.Say("guest.pickup.button")
	p.Problems = judge(l, p.Inputs, found, facts{location: *c.place, item: c.visit.Item, last: last})
	return c.write(status, "form", p)
}

// firstSlot proposes when to come: what was chosen before, or the next half hour that leaves time for the way.
func firstSlot(i lost.Item, l lost.Location, now time.Time) (day, hour string) {
	const way, step = time.Hour, 30 * time.Minute
	first, last := i.PickupDays(l, now)
	if p := i.Pickup; i.Status == lost.PickUp && p.Date > l.Day(now) && p.Date <= last {
		return p.Date, p.Time
	}
	opens, closes := cmp.Or(l.Pickup.From, "09:00"), cmp.Or(l.Pickup.To, "18:00")
	if opens >= closes { // only one of the two is the location's own
		opens, closes = cmp.Or(l.Pickup.From, "00:00"), cmp.Or(l.Pickup.To, "23:30")
	}
	soon := now.In(l.Zone()).Add(way + step - 1).Truncate(step)
	if day, hour = soon.Format(lost.DateForm), max(soon.Format(lost.TimeForm), opens); day == first && hour <= closes {
		return day, hour
	}
	if day, _ = nextDay(l.Day(now)); day <= last {
		return max(day, first), opens
	}
	return last, closes // late on the last day
}

func nextDay(day string) (string, error) {
	t, err := time.Parse(lost.DateForm, day)
	return t.AddDate(0, 0, 1).Format(lost.DateForm), err
}
