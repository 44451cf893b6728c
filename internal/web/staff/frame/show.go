package frame

import (
	"fmt"
	"html"
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
func (l Locale) CountryOptions() []Option {
	options := []Option{{}}
	for _, c := range l.Countries(lost.Countries()) {
		options = append(options, Option{c.Code, c.Name})
	}
	return options
}

// LanguageName returns the name of a language in the user's language.
func (l Locale) LanguageName(tag string) string {
	if key := "frame.language." + tag; l.Has(key) {
		return l.Say(key)
	}
	return tag
}

// LanguageOptions lists the supported languages, and the current one if it is not supported.
func (l Locale) LanguageOptions(current string) []Option {
	options := []Option{{"", l.Say("frame.language.default")}}
	known := current == ""
	for _, tag := range i18n.Tags() {
		options = append(options, Option{tag, l.LanguageName(tag)})
		known = known || tag == current
	}
	if !known {
		options = append(options, Option{current, l.Say("frame.language.unknown", "tag", current)})
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

// functions returns the functions that every template can call. say, rich and the formats use the user's language.
func functions(l Locale) template.FuncMap {
	return template.FuncMap{
		"say": l.Say, "rich": l.rich, "link": linkTo, "texts": l.texts, "lang": l.Tag, "dir": l.Dir, "number": l.Number,
		"state": l.StatusState, "stateOf": l.ItemState, "day": l.Day, "moment": l.Moment, "file": FilePath,
		"join": strings.Join, "list": l.Enumerate, "fullName": l.FullName, "dict": dict, "categoryIcon": CategoryIcon,
		"eventWords": l.EventText, "placeTitle": l.PlaceTitle, "count": l.Total,
		"referenceIn": func(body []byte) string { return itemReference(l, body) },
		"shorten":     shorten, "clock": ClockName, "note": func(text string) string { return NoteText(l, text) },
	}
}

// rich returns the text for a key as HTML. See i18n.Language.Rich.
func (l Locale) rich(key string, args ...any) template.HTML {
	return template.HTML(l.Rich(key, args...)) //nolint:gosec // Rich escapes the text and its arguments
}

// linkTo returns the element for a link in a rich text. The address is a path or a fragment of this service. Without an
// address, the text is not a link.
func linkTo(href string) i18n.Element {
	if href == "" {
		return i18n.Element{}
	}
	if !strings.HasPrefix(href, "#") {
		href = SafePath(href)
	}
	return i18n.Element{Open: `<a href="` + html.EscapeString(href) + `">`, Close: "</a>"}
}

// State is a status label: a word and the shape of the symbol next to it.
type State struct{ Word, Shape string }

// StatusState returns the label of a status. The dashboard never shows a status by its API name.
func (l Locale) StatusState(s lost.Status) State {
	switch s {
	case lost.Pending:
		return State{l.Say("frame.status.pending"), "waiting"}
	case lost.InfoCompleted:
		return State{l.Say("frame.status.address"), "waiting"}
	case lost.FeePaid:
		return State{l.Say("frame.status.paid"), "waiting"}
	case lost.Shipped:
		return State{l.Say("frame.status.shipped"), "going"}
	case lost.Delivered:
		return State{l.Say("frame.status.delivered"), "done"}
	case lost.Discard:
		return State{l.Say("frame.status.left"), "over"}
	case lost.PickUp:
		return State{l.Say("frame.status.pickup"), "waiting"}
	case lost.Donate:
		return State{l.Say("frame.status.donated"), "over"}
	default:
		return State{string(s), "over"}
	}
}

// ItemState returns the label of an item's state, which depends on its status and whether it is closed.
func (l Locale) ItemState(i lost.Item) State {
	closed := !i.ClosedAt.IsZero()
	switch {
	case i.Source == lost.Request:
		return l.RequestState(i.Claim.State)
	case i.Status == lost.PickUp && closed:
		return State{l.Say("frame.status.collected"), "done"}
	case i.Status == lost.Discard && closed:
		return State{l.Say(discardedKey(i.Destination)), "over"}
	case i.Status == lost.Donate && !closed:
		return State{l.Say("frame.status.donate"), "waiting"}
	case lost.AwaitsOwner(i) && i.OwnerState == lost.NoOwner && i.Owner.Known():
		return State{l.Say("frame.owner.not-told"), "waiting"}
	case lost.AwaitsOwner(i) && i.OwnerState != "":
		return l.OwnerState(i.OwnerState)
	default:
		return l.StatusState(i.Status)
	}
}

// discardedKey returns the key of the label of an item with the status Discard that the desk has closed.
func discardedKey(to lost.Destination) string {
	switch to {
	case lost.Police:
		return "frame.status.police"
	case lost.ToAuthority:
		return "frame.status.authority"
	case lost.Auctioned:
		return "frame.status.auctioned"
	case lost.ToFinder:
		return "frame.status.finder"
	default:
		return "frame.status.discarded"
	}
}

// OwnerState returns the label of the owner state of a pending item.
func (l Locale) OwnerState(s lost.OwnerState) State {
	switch s {
	case lost.OwnerTold:
		return State{l.Say("frame.owner.told"), "going"}
	case lost.NoAnswer:
		return State{l.Say("frame.owner.no-answer"), "late"}
	default:
		return State{l.Say("frame.owner.no-owner"), "waiting"}
	}
}

// Day formats a date with its weekday. It returns an empty string if there is no date.
func (l Locale) Day(date string) string {
	if date == "" {
		return ""
	}
	return l.Date(date)
}

// Moment formats a time in a location's time zone.
func (l Locale) Moment(at time.Time, where *time.Location) string {
	if at.IsZero() {
		return ""
	}
	here := at.In(where)
	return l.Language.Moment(l.Date(here.Format(lost.DateLayout)), here.Format(lost.TimeLayout))
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

// Megabytes formats a maximum file size.
func Megabytes(n int) string { return fmt.Sprintf("%d MB", n>>20) }

// DestinationText describes what happens to an item with this destination, as a participle such as "discarded".
func (l Locale) DestinationText(to lost.Destination, at lost.Location) string {
	switch to {
	case lost.Donated:
		if at.Charity != "" {
			return l.Say("frame.destination.charity", "charity", at.Charity)
		}
		return l.Say("frame.destination.donated")
	case lost.Police:
		return l.Say("frame.destination.police")
	case lost.ToIssuer:
		return l.Say("frame.destination.issuer")
	case lost.ToAuthority:
		return l.Say("frame.destination.authority")
	case lost.Auctioned:
		return l.Say("frame.destination.auctioned")
	case lost.ToFinder:
		return l.Say("frame.destination.finder")
	default:
		return l.Say("frame.destination.discarded")
	}
}

// DisposalText says what should happen to an item when its storage time has ended. It is empty if the desk decides.
func (l Locale) DisposalText(d lost.Disposal) string {
	if d == "" {
		return ""
	}
	return l.Say("frame.then." + string(d))
}

// Total formats the number of records in a list with the text of a key. If it is only a lower bound, it uses the key
// orMore.
func (l Locale) Total(t lost.Total, key, orMore string, args ...any) string {
	if t.AtLeast {
		key = orMore
	}
	return l.Say(key, append([]any{"n", t.Count}, args...)...)
}

// PlaceTitle returns the name of a storage place, or a text for items without one.
func (l Locale) PlaceTitle(name string) string {
	if name == "" {
		return l.Say("frame.place.none")
	}
	return name
}
