package locations

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// hoursPart is the path of the page with the opening hours.
const hoursPart = "hours"

// dayField returns the name of the input with the hours of a day of the week.
func dayField(day string) string { return "openingHours." + day }

func showHours(l lost.Location) url.Values {
	values := url.Values{}
	for _, day := range lost.Weekdays() {
		var windows []string
		for _, h := range l.OpeningHours {
			if slices.Contains(h.Days, day) {
				windows = append(windows, h.From+"–"+h.To)
			}
		}
		slices.Sort(windows)
		values.Set(dayField(day), strings.Join(windows, ", "))
	}
	setClosures(values, l.Closures, func(day string) string { return day })
	if l.Slots != (lost.Slots{}) {
		values.Set("slots.minutes", strconv.Itoa(l.Slots.Minutes))
		values.Set("slots.capacity", strconv.Itoa(l.Slots.Capacity))
	}
	return values
}

func hoursInputs(lang frame.Locale, values url.Values) (inputs []*frame.Input) {
	for n, day := range lost.Weekdays() {
		in := &frame.Input{
			Name: dayField(day), Label: lang.Say("common.weekday." + strconv.Itoa(n+1)), Type: "text",
			Value: values.Get(dayField(day)), Autocomplete: "off",
		}
		if n == 0 {
			in.Hint = lang.Say("locations.hours.day.hint")
		}
		inputs = append(inputs, in)
	}
	number := func(name, label, hint string, least, most int) *frame.Input {
		return &frame.Input{
			Name: name, Label: lang.Say(label), Hint: lang.Say(hint), Type: "number", Value: values.Get(name),
			Min: strconv.Itoa(least), Max: strconv.Itoa(most), Narrow: true, Keyboard: "numeric",
		}
	}
	return append(inputs,
		&frame.Input{
			Name: yearlyField, Label: lang.Say("locations.hours.yearly"), Type: "area",
			Value: values.Get(yearlyField),
			Hint: lang.Say("locations.hours.yearly.hint", "from", lang.ShortDateYear("2026-12-25"),
				"to", lang.ShortDateYear("2026-12-26")),
		},
		&frame.Input{
			Name: closuresField, Label: lang.Say("locations.hours.closures"), Type: "area",
			Value: values.Get(closuresField),
			Hint: lang.Say("locations.hours.closures.hint", "from", lang.ShortDateYear("2026-12-24"),
				"to", lang.ShortDateYear("2026-12-26")),
		},
		number("slots.minutes", "locations.hours.minutes", "locations.hours.minutes.hint", lost.MinSlotMinutes,
			lost.MaxSlotMinutes),
		number("slots.capacity", "locations.hours.capacity", "locations.hours.capacity.hint", 1, lost.MaxSlotCapacity))
}

func hoursPatch(lang frame.Locale, values url.Values) (p lost.LocationPatch) {
	p.OpeningHours = lost.Set(readHours(values, &p.Problems))
	p.Closures = lost.Set(append(readClosures(lang, values, yearlyField, &p.Problems),
		readClosures(lang, values, closuresField, &p.Problems)...))
	slots := lost.SlotsPatch{
		Minutes:  wholeNumber[int](values, "slots.minutes", &p.Problems),
		Capacity: wholeNumber[int](values, "slots.capacity", &p.Problems),
	}
	p.Slots = lost.Set(slots)
	return p
}

// closedPickups are the planned pick-ups outside the opening hours.
type closedPickups struct {
	Total int
	Links []frame.Link // to the first of them
}

// pickupsWhileClosed returns the planned pick-ups outside the opening hours.
func (c *call) pickupsWhileClosed(l lost.Location) (p closedPickups, err error) {
	if !c.May(lost.ViewItems) {
		return p, nil
	}
	closed, err := c.Services.Items.PickupsWhileClosed(c.Context(), c.Actor(), l)
	p.Total = closed.Total
	for _, i := range closed.Items {
		p.Links = append(p.Links, frame.Link{
			Name: c.PickupText(i) + " · " + i.Reference + " · " + lost.Shorten(i.Description, lost.MaxShort),
			Href: frame.PickupFormPath(i, "/locations/"+l.ID+"/"+hoursPart),
		})
	}
	return p, err
}

// feedPage shows the secret address of the calendar feed, once.
type feedPage struct {
	frame.Page
	Location lost.Location
	URL      string
}

// newFeed creates the secret address of the calendar feed. The former one stops working.
func (c *call) newFeed() error {
	token, err := c.Services.Locations.NewFeed(c.Context(), c.Actor(), c.Request.PathValue("location"))
	if err != nil {
		return err
	}
	l, err := c.Location()
	if err != nil {
		return err
	}
	return c.Render(http.StatusOK, "feed", feedPage{
		Page: c.NewPage(c.Say("locations.feed")), Location: l,
		URL: c.Base.JoinPath("l", l.Permalink, "calendar", token+".ics").String(),
	})
}

// revokeFeed makes the address of the calendar feed stop working.
func (c *call) revokeFeed() error {
	id := c.Request.PathValue("location")
	if err := c.Services.Locations.RevokeFeed(c.Context(), c.Actor(), id); err != nil {
		return err
	}
	c.Flash(c.Say("locations.feed.revoked"))
	return c.Redirect("/locations/" + id + "/" + hoursPart)
}
