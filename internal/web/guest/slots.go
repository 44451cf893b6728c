package guest

import (
	"cmp"
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
	Zone           string
	Days           []slotDay
	None           string // says that there is no free slot on these days
	Earlier, Later string // the addresses of the pages with other days; empty if there are none
}

// slotDay is a day with free slots.
type slotDay struct {
	Name  string
	Open  bool // the slots are visible
	Slots []slotButton
}

// slotButton books a slot. Value is its day and time at the location.
type slotButton struct {
	Value, Text, Label string
	Start              string // in UTC, so that a script can show the visitor's own time
}

// slotDays is the number of days whose slots are on one page.
const slotDays = 14

// askSlot shows the free slots from the day in the query string on. Also if a form is shown again, these are the days
// that the guest saw.
func (c linkCall) askSlot(status int, values url.Values, problems lost.Problems) error {
	first, last := c.visit.Item.PickupDays(*c.place, c.visit.Now)
	from := first
	if day, ok := lost.ParseDate(c.r.URL.Query().Get("from")); ok {
		from = max(first, min(day, last))
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
	p.Days, p.Collects = showSlots(l, slots, c.place.Zone()), true
	if len(p.Days) == 0 {
		p.None = l.Say("guest.slots.none", "from", l.Date(from), "to", l.Date(to))
	}
	pageFrom := func(day string) string { return c.home() + "/pickup?from=" + day }
	if to < last {
		p.Later = pageFrom(lost.AddDays(to, 1))
	}
	if from > first {
		p.Action, p.Earlier = pageFrom(from), pageFrom(max(first, lost.AddDays(from, -slotDays)))
	}
	p.Problems = c.pickupProblems(l, values, problems)
	return c.write(status, "slots", p)
}

// pickupProblems says why the time that the guest chose is not possible.
func (c linkCall) pickupProblems(l *i18n.Language, sent url.Values, problems lost.Problems) []problem {
	_, last := c.visit.Item.PickupDays(*c.place, c.visit.Now)
	lines := assignProblems(l, nil, problems, problemContext{location: *c.place, item: c.visit.Item, last: last})
	day, at := chosenSlot(sent)
	date, isDate := lost.ParseDate(day.Value)
	for n := range lines {
		if isDate {
			when := i18n.Join(", ", l.Date(date), l.Time(at.Value))
			lines[n].Text = l.Say("error.summary.line", "label", when, "error", lines[n].Text)
		}
	}
	return lines
}

// showSlots groups slots by day. Only the first day is open, so that the page is short.
func showSlots(l *i18n.Language, slots []lost.Slot, zone *time.Location) (days []slotDay) {
	day := ""
	for _, s := range slots {
		if s.Date != day {
			day = s.Date
			days = append(days, slotDay{Name: l.Date(day), Open: len(days) == 0})
		}
		d := &days[len(days)-1]
		d.Slots = append(d.Slots, slotButton{
			Value: s.Date + " " + s.Time, Text: l.Time(s.Time), Label: i18n.Join(", ", l.Date(s.Date), l.Time(s.Time)),
			Start: startOf(s.Date, s.Time, zone),
		})
	}
	return days
}

// startOf returns a time at a location in UTC, in RFC 3339. It returns an empty string if there is no such time.
func startOf(day, at string, zone *time.Location) string {
	t, err := time.ParseInLocation(lost.DateLayout+" "+lost.TimeLayout, day+" "+at, zone)
	if err != nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
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

// openDay is a day of the week on a location's public page.
type openDay struct{ Name, Hours string }

// maxShownClosures is the maximum number of closures on a location's public page.
const maxShownClosures = 10

// addHours adds when the location is open, and when it will be closed. It does not say why.
func (p *publicPage) addHours(from lost.Location, now time.Time) {
	l := p.Language
	if len(from.OpeningHours) == 0 && from.Pickup != (lost.PickupWindow{}) {
		p.Window = windowHint(l, from.Pickup, p.Place.Zone)
	}
	for n, day := range lost.Weekdays() {
		var hours []string
		for _, w := range from.HoursOfWeekday(day) {
			hours = append(hours, w.From+"–"+w.To)
		}
		if len(from.OpeningHours) > 0 {
			p.Hours = append(p.Hours, openDay{
				Name:  l.Say("common.weekday." + strconv.Itoa(n+1)),
				Hours: cmp.Or(strings.Join(hours, ", "), l.Say("public.closed")),
			})
		}
	}
	next := from.NextClosures(from.Day(now))
	for _, closure := range next[:min(len(next), maxShownClosures)] {
		days := l.Date(closure.From)
		if closure.To != closure.From {
			days += " – " + l.Date(closure.To)
		}
		p.Closures = append(p.Closures, days)
	}
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
		UID: i.ID + "@" + c.base.Hostname(), Start: start, End: end, Created: i.CreatedAt,
		Changed:     lastChange(i, *c.place),
		Title:       l.Say("guest.calendar.title", "location", c.place.Name),
		Place:       i18n.Join(", ", append([]string{c.place.Name}, showPlace(l, *c.place).Address...)...),
		Description: l.Say("guest.item.reference") + " " + i.Reference + "\n" + l.Say("message.pickup.bring"),
	}})
	c.w.Header().Set("Content-Disposition", `attachment; filename="pickup-`+i.Reference+`.ics"`)
	return c.writeCalendar(body)
}

// lastChange returns when the pick-up of an item last changed. Its place and its length depend on the location.
func lastChange(i lost.Item, l lost.Location) time.Time {
	if l.UpdatedAt.After(i.UpdatedAt) {
		return l.UpdatedAt
	}
	return i.UpdatedAt
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
		start, end, hasTime := f.Location.PickupPeriod(i)
		if !hasTime { // guests may name only a day
			day, err := time.Parse(lost.DateLayout, i.Pickup.Date)
			if err != nil {
				continue
			}
			start, end = day, day.AddDate(0, 0, 1)
		}
		events = append(events, ical.Event{
			UID: i.ID + "@" + c.base.Hostname(), Start: start, End: end, AllDay: !hasTime, Created: i.CreatedAt,
			Changed: lastChange(i, f.Location),
			Title:   l.Say("guest.feed.title", "reference", i.Reference), Place: i.StoredAt(),
			URL: c.base.JoinPath("at", i.LocationID, "items", i.ID).String(),
		})
	}
	events = append(events, c.closedEvents(f.Location, f.Closures)...)
	return c.writeCalendar(ical.Encode(f.Location.Name, events))
}

// closedEvents returns the closures of a feed. They do not say why the location is closed.
func (c publicCall) closedEvents(l lost.Location, closures []lost.Closure) (events []ical.Event) {
	seen := map[string]bool{}
	for _, closure := range closures {
		first, err := time.Parse(lost.DateLayout, closure.From)
		last, wrong := time.Parse(lost.DateLayout, closure.To)
		uid := "closed-" + closure.From + "-" + closure.To + "-" + l.ID + "@" + c.base.Hostname()
		if err != nil || wrong != nil || seen[uid] {
			continue
		}
		seen[uid] = true
		events = append(events, ical.Event{
			UID: uid, Start: first, End: last.AddDate(0, 0, 1), AllDay: true,
			Title:   i18n.Choose(l.Language).Say("public.closed"),
			Created: l.CreatedAt, Changed: l.UpdatedAt,
		})
	}
	return events
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
	if until := c.visit.Item.StoreUntil(); until != "" {
		p.Aside = l.Say("guest.pickup.until", "date", l.Date(until))
	}
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
