package frame

import (
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"homeward/internal/desk"
	"homeward/internal/lost"
)

// UnitOptions lists the units of weight.
func UnitOptions() (options []Option) {
	for _, u := range lost.WeightUnits() {
		options = append(options, Option{string(u), string(u)})
	}
	return options
}

// BoxOptions lists the available boxes with their sizes, after an empty option.
func (l Locale) BoxOptions() []Option {
	options := []Option{{"", l.Say("frame.box.none")}}
	for _, b := range lost.Boxes() {
		options = append(options, Option{string(b.Type), l.BoxText(b)})
	}
	return options
}

// BoxText returns the name and the size of a box.
func (l Locale) BoxText(b lost.Box) string {
	return l.Say("frame.box.size", "name", l.Say("frame.box."+string(b.Type)), "length", b.Length, "width", b.Width,
		"depth", b.Depth)
}

// PhotoFault explains why a photo was rejected and what to do.
func (l Locale) PhotoFault(err error) string {
	switch lost.CodeOf(err) {
	case lost.TooLarge:
		return l.Say("frame.photo.large", "size", Megabytes(desk.MaxImage))
	case lost.Unsupported:
		return l.Say("frame.photo.unsupported")
	case lost.Invalid:
		found := lost.ProblemsOf(err)
		switch {
		case len(found) == 0:
			return l.Say("frame.photo.unreadable")
		case l.isEnglish():
			return "it " + found[0].Message + "."
		default:
			return l.FieldErrorText(found[0])
		}
	case lost.Conflict:
		return l.Say("frame.photo.many", "n", lost.MaxImages)
	default:
		return l.Say("frame.photo.failed")
	}
}

// ItemPath returns the path of an item's or a request's page.
func ItemPath(i lost.Item) string {
	if i.Source == lost.Request {
		return LocationPath(i.LocationID, "/requests/"+i.ID)
	}
	return LocationPath(i.LocationID, "/items/"+i.ID)
}

// ReadWeight parses a weight with a decimal point or comma. It adds invalid input to wrong.
func ReadWeight(typed string, wrong *lost.Problems) lost.Field[float64] {
	typed = strings.ReplaceAll(strings.TrimSpace(typed), ",", ".")
	if typed == "" {
		return lost.Clear[float64]()
	}
	w, ok := number(typed)
	if !ok {
		wrong.Add("shipping.weight", "not-a-number", "must be a number, for example 0.4")
	}
	return lost.Set(w)
}

// number parses a number. It returns false for other text, infinity and NaN.
func number(text string) (float64, bool) {
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
}

// CountryFor returns what to do if an item has no shipping price because its location's country is missing: a link to
// set the country or, for a user who is not allowed to set it, a text that says who can. For other items, both are
// empty.
func (c *Call) CountryFor(i lost.Item) (set *ItemStep, ask string) {
	switch {
	case i.Status != lost.InfoCompleted || i.Parcel.Unpriced != lost.NoCountry:
		return nil, ""
	case c.May(lost.ManageLocations):
		return &ItemStep{Name: c.Say("frame.country.set"), To: CountryFormPath(i)}, ""
	default:
		return nil, c.Say("frame.country.ask")
	}
}

// CountryFormPath returns the path of the form that sets the country of an item's location.
func CountryFormPath(i lost.Item) string { return "/locations/" + i.LocationID + "/address#country" }

// ItemFact is a labelled fact about an item.
type ItemFact struct{ Name, Value string }

// ProgramFacts returns what client programs store on an item for themselves: its id in their system, and their own
// data in the order of its keys.
func (l Locale) ProgramFacts(i lost.Item) (facts []ItemFact) {
	if i.ExternalID != "" {
		facts = append(facts, ItemFact{Name: l.FieldLabel("externalId"), Value: i.ExternalID})
	}
	for _, key := range slices.Sorted(maps.Keys(i.Metadata)) {
		facts = append(facts, ItemFact{Name: key, Value: i.Metadata[key]})
	}
	return facts
}

// RequestState returns the label of a request's state.
func (l Locale) RequestState(s lost.RequestState) State {
	switch s {
	case lost.RequestMatched:
		return State{l.Say("frame.request.found"), "done"}
	case lost.RequestRejected:
		return State{l.Say("frame.request.not-found"), "over"}
	case lost.RequestWithdrawn:
		return State{l.Say("frame.request.withdrawn"), "over"}
	default:
		return State{l.Say("frame.request.open"), "waiting"}
	}
}

// PickupFormPath returns the address of the form to change when an item is picked up. Afterwards, it returns to the
// address back.
func PickupFormPath(i lost.Item, back string) string {
	query := url.Values{"to": {string(lost.PickUp)}, "back": {back}}
	return ItemPath(i) + "/status?" + query.Encode()
}

// PickupText says when the owner will collect an item. It is empty if the date is unknown.
func (l Locale) PickupText(i lost.Item) string { return l.DayAt(l.Day(i.Pickup.Date), i.Pickup.Time) }

// DayAt joins a day and a time of day, each of which may be empty.
func (l Locale) DayAt(day, clock string) string {
	if day == "" || clock == "" {
		return day + clock
	}
	return l.Say("frame.day.at", "day", day, "time", clock)
}
