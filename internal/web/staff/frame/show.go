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

// shorten shortens a description to one line.
func shorten(text string) string {
	const line = 80
	return lost.Shorten(strings.Join(strings.Fields(text), " "), line)
}

// FormField reads a form field; an empty value clears the field.
func FormField(values url.Values, name string) lost.Field[string] {
	if typed := respond.FormText(values, name); typed.Sent {
		return typed
	}
	return lost.Clear[string]()
}

// CountryOptions lists all countries by name, after an empty option.
func CountryOptions() []Option {
	options := []Option{{}}
	for _, c := range English().Countries(lost.Countries()) {
		options = append(options, Option{c.Code, c.Name})
	}
	return options
}

// LanguageNames are the English names of the languages that guests can choose.
var LanguageNames = map[string]string{
	"en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
	"nl": "Dutch", "pl": "Polish", "ja": "Japanese", "zh": "Chinese (simplified)",
}

// LanguageOptions lists the supported languages, and the current one if it is not supported.
func LanguageOptions(current string) []Option {
	options := []Option{{"", "English (default)"}}
	known := current == ""
	for _, tag := range i18n.Tags() {
		options = append(options, Option{tag, LanguageNames[tag]})
		known = known || tag == current
	}
	if !known {
		options = append(options, Option{current, fmt.Sprintf("%s (not translated yet)", current)})
	}
	return options
}

// ClockName returns the readable name of a time zone.
func ClockName(zone *time.Location) string {
	if zone == time.UTC {
		return "UTC"
	}
	return strings.ReplaceAll(zone.String(), "_", " ")
}

// functions returns the functions that every template can call.
func functions() template.FuncMap {
	return template.FuncMap{
		"state": StatusState, "stateOf": ItemState, "day": Day, "moment": Moment, "file": FilePath,
		"srcSet": respond.SrcSet, "smallImage": respond.SmallImage,
		"join": strings.Join, "dict": dict,
		"eventWords": EventText, "referenceIn": referenceIn, "placeTitle": PlaceTitle, "total": CountText,
		"many": Plural, "thousands": Thousands, "shorten": shorten, "remedy": Sentence, "clock": ClockName,
	}
}

// State is a status label: a word and the shape of the symbol next to it.
type State struct{ Word, Shape string }

// StatusState returns the label of a status. The dashboard never shows a status by its API name.
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

// ItemState returns the label of an item's state, which depends on its status and whether it is closed.
func ItemState(i lost.Item) State {
	closed := !i.ClosedAt.IsZero()
	switch {
	case i.Source == lost.Request:
		return RequestState(i.Claim.State)
	case i.Status == lost.PickUp && closed:
		return State{"Collected", "done"}
	case i.Status == lost.Discard && closed && i.Destination == lost.Police:
		return State{"Given to the police", "over"}
	case i.Status == lost.Discard && closed:
		return State{"Discarded", "over"}
	case i.Status == lost.Donate && !closed:
		return State{"To be donated", "waiting"}
	default:
		return StatusState(i.Status)
	}
}

// English returns the language of the dashboard.
func English() *i18n.Language { return i18n.Choose("en") }

// Day formats a date with its weekday. It returns an empty string if there is no date.
func Day(date string) string {
	if date == "" {
		return ""
	}
	return English().Date(date)
}

// Moment formats a time in a location's time zone.
func Moment(at time.Time, where *time.Location) string {
	if at.IsZero() {
		return ""
	}
	here := at.In(where)
	return English().Date(here.Format(lost.DateLayout)) + ", " + here.Format(lost.TimeLayout)
}

// FilePath returns the path of a stored file.
func FilePath(name string) string { return respond.FilePath(name) }

// PrivateFilePath returns the path of a file with personal data. The parameter tells the handler of files that nothing
// may cache it, because older names do not tell.
func PrivateFilePath(name string) string { return FilePath(name) + "?private" }

// dict builds a map from pairs of names and values, to pass several values to a template.
func dict(pairs ...any) map[string]any {
	m := map[string]any{}
	for n := 0; n+1 < len(pairs); n += 2 {
		m[fmt.Sprint(pairs[n])] = pairs[n+1]
	}
	return m
}

// Plural formats a number with the singular or plural form of a noun.
func Plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + more
}

// CountText formats a total with its noun. A total that is only a lower bound is formatted as "n or more".
func CountText(t lost.Total, one, more string) string {
	if t.AtLeast {
		return Thousands(t.Count) + " or more " + more
	}
	return Plural(t.Count, one, more)
}

// Megabytes formats a maximum file size.
func Megabytes(n int) string { return fmt.Sprintf("%d MB", n>>20) }

// Thousands formats a number with separators.
func Thousands(n int) string {
	const group = 1000
	if n < group {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", Thousands(n/group), n%group)
}

// DestinationText describes what happens to an item with this destination, as a participle such as "discarded".
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

// PlaceTitle returns the name of a storage place, or a text for items without one.
func PlaceTitle(name string) string {
	if name == "" {
		return "No storage place"
	}
	return name
}
