package guest

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/ical"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// slotsPage lets the guest choose one of the free slots of some days.
type slotsPage struct {
	formPage
	Zone  string
	Days  []slotDay
	None  string // says that there is no free slot on these days
	Later string // the address of the page with later days; empty if there are none
}

// slotDay is a day with free slots.
type slotDay struct {
	Name  string
	Open  bool // the slots are visible
	Slots []slotButton
}

// slotButton books a slot.
type slotButton struct{ Value, Text, Label string }

// slotDays is the number of days whose slots are on one page.
const slotDays = 14

// askSlot shows the free slots from the day in the query string on.
func (c linkCall) askSlot(status int, values url.Values, problems lost.Problems) error {
	first, last := c.visit.Item.PickupDays(*c.place, c.visit.Now)
	from := first
	if day, ok := lost.ParseDate(c.r.URL.Query().Get("from")); ok && day > first {
		from = day
	}
	to := min(lost.AddDays(from, slotDays-1), last)
	slots, err := c.services.Guests.Slots(c.r.Context(), c.visit, from, to)
	if err != nil {
		return err
	}
	l := c.language()
	p := slotsPage{formPage: c.formPage(l.Say("guest.pickup.title"), "pickup", values)}
	p.Zone = l.Say("guest.pickup.zone", "zone", p.Place.Zone)
	if i := c.visit.Item; i.Status == lost.PickUp && i.Pickup.Time != "" {
		p.Text = l.Say("guest.slots.now", "when", l.Say("guest.pickup.when", "date", l.Date(i.Pickup.Date),
			"time", l.Time(i.Pickup.Time), "zone", p.Place.Zone))
	}
	p.Days, p.Collects = showSlots(l, slots), true
	if len(p.Days) == 0 {
		p.None = l.Say("guest.slots.none", "from", l.Date(from), "to", l.Date(to))
	}
	if to < last {
		p.Later = c.home() + "/pickup?from=" + lost.AddDays(to, 1)
	}
	p.Problems = assignProblems(l, nil, problems, problemContext{location: *c.place, item: c.visit.Item, last: last})
	return c.write(status, "slots", p)
}

// showSlots groups slots by day. Only the first day is open, so that the page is short.
func showSlots(l *i18n.Language, slots []lost.Slot) (days []slotDay) {
	day := ""
	for _, s := range slots {
		if s.Date != day {
			day = s.Date
			days = append(days, slotDay{Name: l.Date(day), Open: len(days) == 0})
		}
		d := &days[len(days)-1]
		d.Slots = append(d.Slots, slotButton{
			Value: s.Date + " " + s.Time, Text: l.Time(s.Time), Label: i18n.Join(", ", l.Date(s.Date), l.Time(s.Time)),
		})
	}
	return days
}

// chosenSlot returns the day and time of the button that the guest pressed.
func chosenSlot(sent url.Values) (day, at lost.Field[string]) {
	if !sent.Has("slot") {
		return respond.FormText(sent, "pickupDate"), respond.FormText(sent, "pickupTime")
	}
	date, clock, _ := strings.Cut(sent.Get("slot"), " ")
	return lost.Set(date), lost.Set(clock)
}

// hoursHint lists the opening hours, in the location's time zone.
func hoursHint(l *i18n.Language, hours []lost.OpeningHours, zone string) string {
	var texts []string
	for _, h := range hours {
		var days []string
		for n, day := range lost.Weekdays() {
			for _, d := range h.Days {
				if d == day {
					days = append(days, l.Say("common.weekday.short."+strconv.Itoa(n+1)))
				}
			}
		}
		texts = append(texts, l.Enumerate(days...)+" "+h.From+"–"+h.To)
	}
	return i18n.Join(" · ", append(texts, l.Say("guest.pickup.zone", "zone", zone))...)
}

// calendar sends the pick-up as a file for the guest's calendar.
func (c linkCall) calendar() error {
	if err := c.openLink(); err != nil {
		return err
	}
	start, end, planned := c.place.PickupPeriod(c.visit.Item)
	if !planned {
		return c.redirect(c.home())
	}
	l, i := c.language(), c.visit.Item
	body := ical.Encode("", []ical.Event{{
		UID: i.ID + "@" + c.base.Hostname(), Start: start, End: end, Changed: i.UpdatedAt,
		Title:       l.Say("guest.calendar.title", "location", c.place.Name),
		Place:       i18n.Join(", ", append([]string{c.place.Name}, showPlace(l, *c.place).Address...)...),
		Description: l.Say("guest.item.reference") + " " + i.Reference + "\n" + l.Say("message.pickup.bring"),
	}})
	c.w.Header().Set("Content-Disposition", `attachment; filename="pickup-`+i.Reference+`.ics"`)
	return c.writeCalendar(body)
}

// writeCalendar responds with a calendar.
func (c *call) writeCalendar(body []byte) error {
	header := c.w.Header()
	header.Set("Content-Type", ical.ContentType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	// The error is ignored: it only means that the client has disconnected.
	_, _ = c.w.Write(body)
	return nil
}

// feed sends a location's planned pick-ups to a calendar program that knows the secret address. They name items only by
// their reference, because the address may be stored in other services.
func (c publicCall) feed() error {
	c.w.Header().Set("Cache-Control", "no-store")
	c.w.Header().Set("X-Robots-Tag", "noindex, nofollow")
	token := strings.TrimSuffix(c.r.PathValue("token"), ".ics")
	f, err := c.services.Locations.Feed(c.r.Context(), token)
	if err == nil && f.Location.Permalink != c.r.PathValue("permalink") {
		err = lost.Missing("calendar")
	}
	if lost.CodeOf(err) == lost.NotFound {
		if _, wait := c.wrongTokens.Take(respond.ClientNetwork(c.r)); wait > 0 {
			return c.tooManyRequests(wait)
		}
	}
	if err != nil {
		return err
	}
	l := i18n.Choose(f.Location.Language)
	events := make([]ical.Event, 0, len(f.Items))
	for _, i := range f.Items {
		start, end, planned := f.Location.PickupPeriod(i)
		if !planned {
			continue
		}
		events = append(events, ical.Event{
			UID: i.ID + "@" + c.base.Hostname(), Start: start, End: end, Changed: i.UpdatedAt,
			Title: l.Say("guest.feed.title", "reference", i.Reference), Place: i.StoredAt(),
			URL: c.base.JoinPath("at", i.LocationID, "items", i.ID).String(),
		})
	}
	return c.writeCalendar(ical.Encode(f.Location.Name, events))
}

// mapURL returns the address of a map that shows a location, or an empty string if its address is not known.
func mapURL(l lost.Location) string {
	if l.Address1 == "" || l.City == "" {
		return ""
	}
	address := i18n.Join(", ", l.Address1, i18n.Join(" ", l.ZipCode, l.City), l.Country)
	return "https://www.openstreetmap.org/search?query=" + url.QueryEscape(address)
}

// askCancel asks whether the guest wants to cancel the pick-up.
func (c linkCall) askCancel() error {
	open, err := c.mayChoose()
	if err != nil {
		return err
	}
	if !open || c.visit.Item.Status != lost.PickUp {
		return c.redirect(c.home())
	}
	l := c.language()
	p := c.formPage(l.Say("guest.cancel.title"), "cancel", nil)
	p.Text, p.Button, p.Danger = l.Say("guest.cancel.text", "location", c.place.Name), l.Say("guest.cancel"), true
	p.Back = c.home()
	return c.write(http.StatusOK, "form", p)
}

// cancel cancels the pick-up.
func (c linkCall) cancel() error {
	if err := c.openLink(); err != nil {
		return err
	}
	if _, err := c.services.Guests.CancelPickup(c.r.Context(), c.token); err != nil {
		return c.showResult(err, nil)
	}
	return c.redirect(c.home() + "?canceled=1")
}

// suggestOpen suggests a time in the opening hours: the first one that leaves enough time to travel.
func suggestOpen(i lost.Item, l lost.Location, soon time.Time) (day, hour string) {
	first, last := i.PickupDays(l, soon)
	today, now := soon.Format(lost.DateLayout), soon.Format(lost.TimeLayout)
	for _, w := range l.HoursOn(first) {
		switch {
		case first > today:
			return first, w.From
		case w.To >= now:
			return first, max(w.From, now)
		}
	}
	return min(first, last), ""
}
