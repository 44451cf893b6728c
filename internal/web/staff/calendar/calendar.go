package calendar

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

const daysPerWeek = 7

// weekPage shows the pick-ups of a week.
type weekPage struct {
	frame.Page
	Week                 string // names the week
	Previous, Next, This string // addresses of other weeks
	Days                 []calendarDay
	Closed               []pickup // the first pick-ups that are planned outside the opening hours, in any week
	ClosedTitle          string
	ClosedMore, More     string // says that not all pick-ups are shown
	Hours                string // the address of the opening hours, if the user may change them
}

// calendarDay is one day with its pick-ups.
type calendarDay struct {
	Date, Name string
	Today      bool
	Drop       bool   // a pick-up can be moved here without a slot
	Closed     string // says that the location is closed
	Count      string // says how many pick-ups there are
	List       string // the address of the list of the day; empty if it has no pick-ups
	Slots      []calendarSlot
	Others     []pickup // those that are in no slot
}

// calendarSlot is a slot with its pick-ups.
type calendarSlot struct {
	Time, Count string
	Full        bool
	Drop        bool // a pick-up can be moved here
	Pickups     []pickup
}

// pickup is an item that will be picked up.
type pickup struct {
	frame.ItemSummary
	When    string // the day and the time
	Time    string
	Move    string // the address of the form to change the time; empty if the user may not
	Outside bool   // planned outside the opening hours
	Missed  bool   // planned for an earlier day, and not collected
}

// week shows the week of the day in the query string.
func (c *call) week() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	today := l.Day(c.Now())
	monday := mondayOf(c.date("week", today))
	sunday := lost.AddDays(monday, daysPerWeek-1)
	items, err := c.Services.Items.Pickups(c.Context(), c.Actor(), l.ID, monday, sunday)
	if err != nil {
		return err
	}
	booked, err := c.Services.Items.Bookings(c.Context(), c.Actor(), l.ID, monday, sunday)
	if err != nil {
		return err
	}
	at := frame.LocationPath(l.ID, "/pickups")
	p := weekPage{
		Page:     c.NewPage(c.Say("calendar.menu")),
		Week:     c.Say("calendar.week", "date", c.Day(monday)),
		Previous: at + "?week=" + lost.AddDays(monday, -daysPerWeek),
		Next:     at + "?week=" + lost.AddDays(monday, daysPerWeek),
	}
	p.Wide = true
	if monday != mondayOf(today) {
		p.This = at
	}
	if c.May(lost.ManageLocations) {
		p.Hours = "/locations/" + l.ID + "/hours"
	}
	back := at + "?week=" + monday
	if err := c.addClosed(&p, l, back); err != nil {
		return err
	}
	total := 0
	for n := range daysPerWeek {
		day := lost.AddDays(monday, n)
		p.Days = append(p.Days, c.showDay(l, day, items, booked, back))
		total += booked.On(day)
	}
	if len(items) < total {
		p.More = c.Say("calendar.more", "n", len(items))
	}
	return c.Render(http.StatusOK, "week", p)
}

// addClosed adds the pick-ups that are planned outside the opening hours.
func (c *call) addClosed(p *weekPage, l lost.Location, back string) error {
	closed, err := c.Services.Items.PickupsWhileClosed(c.Context(), c.Actor(), l)
	if err != nil || closed.Total == 0 {
		return err
	}
	for _, i := range closed.Items {
		p.Closed = append(p.Closed, c.pickup(l, i, back))
	}
	p.ClosedTitle = c.Say("calendar.conflicts", "n", closed.Total)
	if shown := len(closed.Items); shown < closed.Total {
		p.ClosedMore = c.Say("calendar.more", "n", shown)
	}
	return nil
}

// showDay returns a day with those of the items that are picked up on it. The numbers come from the bookings, because
// the items may not be all.
func (c *call) showDay(l lost.Location, date string, items []lost.Item, booked lost.Bookings, back string) calendarDay {
	here := c.Now().In(l.Zone()).Format(lost.DateLayout + " " + lost.TimeLayout)
	today := l.Day(c.Now())
	d := calendarDay{Date: date, Name: c.Day(date), Today: date == today}
	isOpen := len(l.HoursOn(date)) > 0
	d.Drop = isOpen && date >= today && l.Slots.Minutes == 0
	if closure := l.ClosureOn(date); closure != nil && closure.Reason != "" {
		d.Closed = c.Say("calendar.closed.reason", "reason", closure.Reason)
	} else if !isOpen {
		d.Closed = c.Say("calendar.closed")
	}
	if n := booked.On(date); n > 0 {
		d.Count = c.Say("calendar.pickups", "n", n)
		d.List = frame.LocationPath(l.ID, "/pickups/day?date="+date)
	}
	slots := l.SlotsOn(date, booked)
	for _, s := range slots {
		d.Slots = append(d.Slots, calendarSlot{
			Time: s.Time, Full: s.Free() == 0, Drop: s.Free() > 0 && date+" "+s.Time > here,
			Count: c.Say("calendar.count", "n", s.Booked, "most", s.Capacity),
		})
	}
	for _, i := range items {
		if i.Pickup.Date != date {
			continue
		}
		n := slices.IndexFunc(slots, func(s lost.Slot) bool { return s.Time <= i.Pickup.Time && i.Pickup.Time < s.End })
		if n >= 0 {
			d.Slots[n].Pickups = append(d.Slots[n].Pickups, c.pickup(l, i, back))
		} else {
			d.Others = append(d.Others, c.pickup(l, i, back))
		}
	}
	return d
}

// pickup returns an item for a page. The form to change its time returns to the address back.
func (c *call) pickup(l lost.Location, i lost.Item, back string) pickup {
	p := pickup{
		ItemSummary: c.SummarizeItem(i), When: c.PickupText(i), Time: i.Pickup.Time,
		Outside: l.ClosedAt(i.Pickup), Missed: i.Status == lost.PickUp && i.Pickup.Date < l.Day(c.Now()),
	}
	if c.May(lost.HandleItems) {
		p.Move = frame.PickupFormPath(i, back)
	}
	return p
}

// dayPage lists the pick-ups of one day, for printing.
type dayPage struct {
	frame.Page
	Back        string
	Count, More string // says how many pick-ups there are, and that not all are shown
	Pickups     []pickup
}

// day lists the pick-ups of the day in the query string.
func (c *call) day() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	date := c.date("date", l.Day(c.Now()))
	items, err := c.Services.Items.Pickups(c.Context(), c.Actor(), l.ID, date, date)
	if err != nil {
		return err
	}
	booked, err := c.Services.Items.Bookings(c.Context(), c.Actor(), l.ID, date, date)
	if err != nil {
		return err
	}
	total := booked.On(date)
	p := dayPage{
		Page: c.NewPage(c.Say("calendar.day.title", "date", c.Day(date))),
		Back: frame.LocationPath(l.ID, "/pickups?week="+date), Count: c.Say("calendar.pickups", "n", total),
	}
	if len(items) < total {
		p.More = c.Say("calendar.more", "n", len(items))
	}
	for _, i := range items {
		p.Pickups = append(p.Pickups, c.pickup(l, i, p.Back))
	}
	return c.Render(http.StatusOK, "day", p)
}

// date returns a day from the query string, or another day if it has none.
func (c *call) date(name, other string) string {
	day, ok := lost.ParseDate(strings.TrimSpace(c.Request.URL.Query().Get(name)))
	if !ok {
		day = ""
	}
	return cmp.Or(day, other)
}

// mondayOf returns the Monday of the week of a day.
func mondayOf(day string) string {
	date, err := time.Parse(lost.DateLayout, day)
	if err != nil {
		return day
	}
	return lost.AddDays(day, -(int(date.Weekday())+daysPerWeek-1)%daysPerWeek)
}
