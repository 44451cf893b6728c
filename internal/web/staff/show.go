package staff

import (
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// functions is what every template may call.
func functions() template.FuncMap {
	return template.FuncMap{
		"state": showState, "stateOf": stateOf, "day": day, "moment": moment, "file": filePath, "join": strings.Join, "dict": dict,
		"eventWords": eventWords, "referenceIn": referenceIn, "placeTitle": placeTitle, "total": total,
		"many": many, "thousands": thousands, "shorten": shorten, "remedy": sentence, "clock": clockName,
	}
}

// state is a status in words for people, with the shape that goes with it.
type state struct{ Word, Shape string }

// showState gives the words of a status: never the API's.
func showState(s lost.Status) state {
	switch s {
	case lost.Pending:
		return state{"Waiting for the owner", "waiting"}
	case lost.InfoCompleted:
		return state{"Address received", "waiting"}
	case lost.FeePaid:
		return state{"Paid, to be shipped", "waiting"}
	case lost.Shipped:
		return state{"On its way", "going"}
	case lost.Delivered:
		return state{"Delivered", "done"}
	case lost.Discard:
		return state{"Left behind", "over"}
	case lost.PickUp:
		return state{"Owner collects", "waiting"}
	case lost.Donate:
		return state{"Donated", "over"}
	default:
		return state{string(s), "over"}
	}
}

// stateOf is how an item stands, in words: what its status says, and whether that is done.
func stateOf(i lost.Item) state {
	gone := !i.ClosedAt.IsZero()
	switch {
	case i.Source == lost.Request:
		return requestState(i.Claim.State)
	case i.Status == lost.PickUp && gone:
		return state{"Collected", "done"}
	case i.Status == lost.Discard && gone && i.Destination == lost.Police:
		return state{"Given to the police", "over"}
	case i.Status == lost.Discard && gone:
		return state{"Discarded", "over"}
	case i.Status == lost.Donate && !gone:
		return state{"To be donated", "waiting"}
	default:
		return showState(i.Status)
	}
}

// english is the language of the dashboard.
func english() *i18n.Language { return i18n.Choose("en") }

// day writes a date with its weekday; nothing for none.
func day(date string) string {
	if date == "" {
		return ""
	}
	return english().Date(date)
}

// moment writes a time by a location's clock.
func moment(at time.Time, where *time.Location) string {
	if at.IsZero() {
		return ""
	}
	here := at.In(where)
	return english().Date(here.Format(lost.DateForm)) + ", " + here.Format(lost.TimeForm)
}

func filePath(name string) string { return "/files/" + url.PathEscape(name) }

// dict gives a part of a template several things at once: names and values in turn.
func dict(pairs ...any) map[string]any {
	m := map[string]any{}
	for n := 0; n+1 < len(pairs); n += 2 {
		m[fmt.Sprint(pairs[n])] = pairs[n+1]
	}
	return m
}

// many is a number with the word that goes with it.
func many(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + more
}

// total is how many there are, counted to the end or not.
func total(t lost.Total, one, more string) string {
	if t.AtLeast {
		return thousands(t.Count) + " or more " + more
	}
	return many(t.Count, one, more)
}

// megabytes writes how large a file may be.
func megabytes(n int) string { return fmt.Sprintf("%d MB", n>>20) }

// thousands writes a number so that it can be read.
func thousands(n int) string {
	const group = 1000
	if n < group {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/group), n%group)
}
