package frame

import (
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// shorten is a description where there is room for a line.
func shorten(text string) string {
	const line = 80
	return lost.Shorten(strings.Join(strings.Fields(text), " "), line)
}

// Said gives what a form says about a field, empty or not: what is empty is cleared.
func Said(values url.Values, name string) lost.Field[string] {
	if typed := respond.Typed(values, name); typed.Sent {
		return typed
	}
	return lost.Clear[string]()
}

func CountryOptions() []Option {
	options := []Option{{}}
	for _, c := range English().Countries(lost.Countries()) {
		options = append(options, Option{c.Code, c.Name})
	}
	return options
}

// LanguageNames are the languages that guests are addressed in, in English.
var LanguageNames = map[string]string{
	"en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese", "nl": "Dutch", "pl": "Polish", "ja": "Japanese", "zh": "Chinese (simplified)",
}

// LanguageOptions lists the languages that we speak, and the present one where we do not.
func LanguageOptions(present string) []Option {
	options := []Option{{"", "English, unless said otherwise"}}
	known := present == ""
	for _, tag := range i18n.Tags() {
		options = append(options, Option{tag, LanguageNames[tag]})
		known = known || tag == present
	}
	if !known {
		options = append(options, Option{present, fmt.Sprintf("%s (not spoken yet)", present)})
	}
	return options
}

// ClockName is what people call a clock.
func ClockName(zone *time.Location) string {
	if zone == time.UTC {
		return "UTC"
	}
	return strings.ReplaceAll(zone.String(), "_", " ")
}

// functions is what every template may call.
func functions() template.FuncMap {
	return template.FuncMap{
		"state": StatusState, "stateOf": ItemState, "day": Day, "moment": Moment, "file": FilePath, "join": strings.Join, "dict": dict,
		"eventWords": EventText, "referenceIn": referenceIn, "placeTitle": PlaceTitle, "total": CountText,
		"many": Plural, "thousands": Thousands, "shorten": shorten, "remedy": Sentence, "clock": ClockName,
	}
}

// State is a status in words for people, with the shape that goes with it.
type State struct{ Word, Shape string }

// StatusState gives the words of a status: never the API's.
func StatusState(s lost.Status) State {
	switch s {
	case lost.Pending:
		return State{"Waiting for the owner", "waiting"}
	case lost.InfoCompleted:
		return State{"Address received", "waiting"}
	case lost.FeePaid:
		return State{"Paid, to be shipped", "waiting"}
	case lost.Shipped:
		return State{"On its way", "going"}
	case lost.Delivered:
		return State{"Delivered", "done"}
	case lost.Discard:
		return State{"Left behind", "over"}
	case lost.PickUp:
		return State{"Owner collects", "waiting"}
	case lost.Donate:
		return State{"Donated", "over"}
	default:
		return State{string(s), "over"}
	}
}

// ItemState is how an item stands, in words: what its status says, and whether that is done.
func ItemState(i lost.Item) State {
	gone := !i.ClosedAt.IsZero()
	switch {
	case i.Source == lost.Request:
		return RequestState(i.Claim.State)
	case i.Status == lost.PickUp && gone:
		return State{"Collected", "done"}
	case i.Status == lost.Discard && gone && i.Destination == lost.Police:
		return State{"Given to the police", "over"}
	case i.Status == lost.Discard && gone:
		return State{"Discarded", "over"}
	case i.Status == lost.Donate && !gone:
		return State{"To be donated", "waiting"}
	default:
		return StatusState(i.Status)
	}
}

// English is the language of the dashboard.
func English() *i18n.Language { return i18n.Choose("en") }

// Day writes a date with its weekday; nothing for none.
func Day(date string) string {
	if date == "" {
		return ""
	}
	return English().Date(date)
}

// Moment writes a time by a location's clock.
func Moment(at time.Time, where *time.Location) string {
	if at.IsZero() {
		return ""
	}
	here := at.In(where)
	return English().Date(here.Format(lost.DateForm)) + ", " + here.Format(lost.TimeForm)
}

func FilePath(name string) string { return "/files/" + url.PathEscape(name) }

// dict gives a part of a template several things at once: names and values in turn.
func dict(pairs ...any) map[string]any {
	m := map[string]any{}
	for n := 0; n+1 < len(pairs); n += 2 {
		m[fmt.Sprint(pairs[n])] = pairs[n+1]
	}
	return m
}

// Plural is a number with the word that goes with it.
func Plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + more
}

// CountText is how many there are, counted to the end or not.
func CountText(t lost.Total, one, more string) string {
	if t.AtLeast {
		return Thousands(t.Count) + " or more " + more
	}
	return Plural(t.Count, one, more)
}

// Megabytes writes how large a file may be.
func Megabytes(n int) string { return fmt.Sprintf("%d MB", n>>20) }

// Thousands writes a number so that it can be read.
func Thousands(n int) string {
	const group = 1000
	if n < group {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", Thousands(n/group), n%group)
}

// DestinationText says what becomes of an item with a destination.
func DestinationText(to lost.Destination, l lost.Location) string {
	switch to {
	case lost.Donated:
		if l.Charity != "" {
			return "donated to " + l.Charity
		}
		return "donated"
	case lost.Police:
		return "handed to the police"
	default:
		return "discarded"
	}
}

// PlaceTitle names a place, also the one without a name.
func PlaceTitle(name string) string {
	if name == "" {
		return "Without a place"
	}
	return name
}
