package calendar

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"homeward/internal/desk"
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
	Closed               []pickup // pick-ups that are planned outside the opening hours, in any week
	ClosedTitle          string
	More                 string // says that not all pick-ups are shown
	Hours                string // the address of the opening hours, if the user may change them
}

// calendarDay is one day with its pick-ups.
type calendarDay struct {
	Date, Name string
	Today      bool
	Closed     string // says that the location is closed
	List       string // the address of the list of the day; empty if it has no pick-ups
	Slots      []calendarSlot
	Others     []pickup // those that are in no slot
}

// calendarSlot is a slot with its pick-ups.
type calendarSlot struct {
	Time, Count string
	Full        bool
	Pickups     []pickup
}

// pickup is an item that will be picked up.
type pickup struct {
	frame.ItemSummary
	When    string // the day and the time
	Time    string
	Move    string // the address of the form to change the time; empty if the user may not
	Outside bool   // planned outside the opening hours
}

// week shows the week of the day in the query string.
func (c *call) week() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	today := l.Day(c.Now())
	monday := mondayOf(c.date("week", today))
	items, err := c.Services.Items.Pickups(c.Context(), c.Actor(), l.ID, monday, lost.AddDays(monday, daysPerWeek-1))
	if err != nil {
		return err
	}
	closed, err := c.Services.Items.PickupsWhileClosed(c.Context(), c.Actor(), l)
	if err != nil {
		return err
	}
	at := frame.LocationPath(l.ID, "/pickups")
	p := weekPage{
		Page: c.NewPage(c.Say("calendar.title")), Week: c.Say("calendar.week", "date", c.Day(monday)),
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
	if len(items) == desk.MaxPickups {
		p.More = c.Say("calendar.more", "n", desk.MaxPickups)
	}
	for _, i := range closed {
		p.Closed = append(p.Closed, c.pickup(l, i))
	}
	if len(closed) > 0 {
		p.ClosedTitle = c.Say("calendar.conflicts", "n", len(closed))
	}
	for n := range daysPerWeek {
		p.Days = append(p.Days, c.showDay(l, lost.AddDays(monday, n), today, items))
	}
	return c.Render(http.StatusOK, "week", p)
}

// showDay returns a day with those of the items that are picked up on it.
func (c *call) showDay(l lost.Location, date, today string, items []lost.Item) calendarDay {
	d := calendarDay{Date: date, Name: c.Day(date), Today: date == today}
	if closure := l.ClosureOn(date); closure != nil && closure.Reason != "" {
		d.Closed = c.Say("calendar.closed.reason", "reason", closure.Reason)
	} else if len(l.HoursOn(date)) == 0 {
		d.Closed = c.Say("calendar.closed")
	}
	slots := l.SlotsOn(date, nil)
	for _, s := range slots {
		d.Slots = append(d.Slots, calendarSlot{Time: s.Time})
	}
	for _, i := range items {
		if i.Pickup.Date != date {
			continue
		}
		d.List = frame.LocationPath(l.ID, "/pickups/day?date="+date)
		n := 0
		for n < len(slots) && (i.Pickup.Time < slots[n].Time || i.Pickup.Time >= slots[n].End) {
			n++
		}
		if n < len(slots) {
			d.Slots[n].Pickups = append(d.Slots[n].Pickups, c.pickup(l, i))
		} else {
			d.Others = append(d.Others, c.pickup(l, i))
		}
	}
	for n := range d.Slots {
		s := &d.Slots[n]
		s.Full = len(s.Pickups) >= l.Slots.Capacity
		s.Count = c.Say("calendar.count", "n", len(s.Pickups), "most", l.Slots.Capacity)
	}
	return d
}

func (c *call) pickup(l lost.Location, i lost.Item) pickup {
	p := pickup{
		ItemSummary: c.SummarizeItem(i), When: c.PickupText(i), Time: i.Pickup.Time,
		Outside: l.ClosedAt(i.Pickup),
	}
	if c.May(lost.HandleItems) {
		p.Move = frame.ItemPath(i) + "/status?to=" + string(lost.PickUp)
	}
	return p
}

// dayPage lists the pick-ups of one day, for printing.
type dayPage struct {
	frame.Page
	Back    string
	Pickups []pickup
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
	p := dayPage{
		Page: c.NewPage(c.Say("calendar.day.title", "date", c.Day(date))),
		Back: frame.LocationPath(l.ID, "/pickups?week="+date),
	}
	for _, i := range items {
		p.Pickups = append(p.Pickups, c.pickup(l, i))
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
