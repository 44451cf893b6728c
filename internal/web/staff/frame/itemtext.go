package frame

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// UnitOptions are the units of weight.
func UnitOptions() (options []Option) {
	for _, u := range lost.WeightUnits() {
		options = append(options, Option{string(u), string(u)})
	}
	return options
}

// BoxOptions are the boxes, each with its size.
func BoxOptions() []Option {
	options := []Option{{"", "Not chosen"}}
	for _, b := range lost.Boxes() {
		options = append(options, Option{string(b.Type), BoxText(b)})
	}
	return options
}

func BoxText(b lost.Box) string {
	return fmt.Sprintf("%s, %d × %d × %d cm", b.Name, b.Length, b.Width, b.Depth)
}

// PhotoFault says what is wrong with a photo, and what to do about it.
func PhotoFault(err error) string {
	switch lost.CodeOf(err) {
	case lost.TooLarge:
		return "it is larger than " + Megabytes(desk.MaxImage) + "; take it smaller."
	case lost.Unsupported:
		return "it is no picture that we can read; choose a JPEG, PNG, WebP or GIF."
	case lost.Invalid:
		for _, p := range lost.ProblemsOf(err) {
			return "it " + p.Message + "."
		}
		return "it could not be read."
	case lost.Conflict:
		return "there are as many as there can be."
	default:
		return "it did not arrive; try again."
	}
}

// ItemPath is the address of an item's page.
func ItemPath(i lost.Item) string {
	if i.Source == lost.Request {
		return LocationPath(i.LocationID, "/requests/"+i.ID)
	}
	return LocationPath(i.LocationID, "/items/"+i.ID)
}

// ReadWeight reads a number as people write it, with a point or a comma.
func ReadWeight(typed string, wrong *lost.Problems) lost.Field[float64] {
	typed = strings.ReplaceAll(strings.TrimSpace(typed), ",", ".")
	if typed == "" {
		return lost.Clear[float64]()
	}
	w, is := Number(typed)
	if !is {
		wrong.Add("shipping.weight", "not-a-number", "must be a number, such as 0.4")
	}
	return lost.Set(w)
}

// Number reads a number. What computers call infinite, or not a number, is none.
func Number(text string) (float64, bool) {
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
}

// CountryFor leads to where the country of an item's location is set, where nothing but that keeps it from having a price. Whoever may not set it is told who may.
func (c *Call) CountryFor(i lost.Item) (set *ItemStep, ask string) {
	switch {
	case i.Status != lost.InfoCompleted || i.Parcel.Unpriced != lost.NoCountry:
		return nil, ""
	case c.May(lost.Arrange):
		return &ItemStep{Name: "Set the location’s country", To: CountryFormPath(i)}, ""
	default:
		return nil, "Ask an admin to set it."
	}
}

// CountryFormPath is where the country of an item's location is set.
func CountryFormPath(i lost.Item) string { return "/locations/" + i.LocationID + "/address#country" }

// ItemFact is something known, with what it is.
type ItemFact struct{ Name, Value string }

// RequestState gives the words of a request's state.
func RequestState(s lost.RequestState) State {
	switch s {
	case lost.RequestMatched:
		return State{"Found", "done"}
	case lost.RequestRejected:
		return State{"Not found", "over"}
	case lost.RequestWithdrawn:
		return State{"Withdrawn", "over"}
	default:
		return State{"To answer", "waiting"}
	}
}

// PickupText say when the owner of an item comes; empty where nobody knows.
func PickupText(i lost.Item) string {
	return i18n.Join(" at ", Day(i.Pickup.Date), i.Pickup.Time)
}
