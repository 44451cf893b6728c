// Package icaltest reads calendars in tests. It accepts only what RFC 5545 allows, so that every calendar program can
// read what the service writes.
package icaltest

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// Event is an event of a calendar: the values of its properties by their names, with texts unescaped.
type Event map[string]string

// MustParse returns the events of a calendar. The test fails if the calendar is invalid.
func MustParse(t testing.TB, calendar string) []Event {
	t.Helper()
	events, err := Parse(calendar)
	if err != nil {
		t.Fatalf("invalid calendar: %v\n%s", err, calendar)
	}
	return events
}

// Parse returns the events of a calendar, or an error if the calendar is invalid.
func Parse(calendar string) (events []Event, err error) {
	lines, err := unfold(calendar)
	if err != nil {
		return nil, err
	}
	if len(lines) < 2 || lines[0] != "BEGIN:VCALENDAR" || lines[len(lines)-1] != "END:VCALENDAR" {
		return nil, errors.New("not one VCALENDAR")
	}
	head, current := Event{}, Event(nil)
	seen := map[string]bool{}
	for _, line := range lines[1 : len(lines)-1] {
		switch {
		case line == "BEGIN:VEVENT" && current == nil:
			current = Event{}
		case line == "END:VEVENT" && current != nil:
			if err := current.check(); err != nil {
				return nil, err
			}
			if seen[current["UID"]] {
				return nil, fmt.Errorf("two events have the UID %s", current["UID"])
			}
			seen[current["UID"]] = true
			events, current = append(events, current), nil
		case current != nil:
			err = current.add(line)
		case len(events) > 0:
			err = fmt.Errorf("%q is after the events", line)
		default:
			err = head.add(line)
		}
		if err != nil {
			return nil, err
		}
	}
	if current != nil || head["VERSION"] != "2.0" || head["PRODID"] == "" || head["METHOD"] != "PUBLISH" {
		return nil, fmt.Errorf("incomplete calendar: %v", head)
	}
	return events, nil
}

// unfold returns the content lines of a calendar.
func unfold(calendar string) (lines []string, err error) {
	body, complete := strings.CutSuffix(calendar, "\r\n")
	if !complete {
		return nil, errors.New("the last line has no end")
	}
	for line := range strings.SplitSeq(body, "\r\n") {
		rest, folded := strings.CutPrefix(line, " ")
		switch {
		case len(line) > 75 || line == "" || !utf8.ValidString(line) || strings.ContainsFunc(line, unicode.IsControl):
			return nil, fmt.Errorf("invalid line %q", line)
		case folded && len(lines) == 0:
			return nil, errors.New("the first line is a continuation")
		case folded:
			lines[len(lines)-1] += rest
		default:
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// The properties that the service may write. All are allowed at most once.
var (
	texts    = []string{"UID", "SUMMARY", "LOCATION", "DESCRIPTION", "PRODID", "X-WR-CALNAME", "VERSION", "METHOD"}
	times    = []string{"DTSTAMP", "LAST-MODIFIED", "DTSTART", "DTEND"}
	property = regexp.MustCompile(`^([A-Z][A-Z0-9-]*)(;VALUE=DATE)?:(.+)$`)
	escaped  = regexp.MustCompile(`^(?:[^\\;,]|\\[\\;,nN])*$`)
	unescape = strings.NewReplacer(`\\`, `\`, `\;`, ";", `\,`, ",", `\n`, "\n", `\N`, "\n")
)

// add adds the property of a line.
func (e Event) add(line string) (err error) {
	m := property.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("invalid line %q", line)
	}
	name, isDay, value := m[1], m[2] != "", m[3]
	if _, twice := e[name]; twice {
		return fmt.Errorf("two properties %s", name)
	}
	switch {
	case isDay && (name == "DTSTART" || name == "DTEND"):
		_, err = time.Parse("20060102", value)
	case isDay:
		err = errors.New("not a day")
	case slices.Contains(texts, name):
		if !escaped.MatchString(value) {
			err = errors.New("not escaped")
		}
		value = unescape.Replace(value)
	case slices.Contains(times, name):
		_, err = time.Parse("20060102T150405Z", value)
	case name == "SEQUENCE":
		var n int
		if n, err = strconv.Atoi(value); err == nil && (n < 0 || n > math.MaxInt32) {
			err = errors.New("out of range")
		}
	case name == "URL":
		_, err = url.ParseRequestURI(value)
	default:
		err = errors.New("unknown property")
	}
	if err != nil {
		return fmt.Errorf("%q: %w", line, err)
	}
	e[name] = value
	return nil
}

// check returns an error if the event has no property that it needs.
func (e Event) check() error {
	for _, name := range []string{"UID", "DTSTAMP", "DTSTART", "DTEND", "SEQUENCE", "SUMMARY"} {
		if e[name] == "" {
			return fmt.Errorf("an event has no %s: %v", name, e)
		}
	}
	if len(e["DTEND"]) != len(e["DTSTART"]) {
		return fmt.Errorf("only the start or the end has a time: %v", e)
	}
	if e["DTEND"] <= e["DTSTART"] {
		return fmt.Errorf("an event ends before it starts: %v", e)
	}
	return nil
}

// Sequence returns the number of the event's version.
func (e Event) Sequence() int {
	n, _ := strconv.Atoi(e["SEQUENCE"]) // Parse has checked it
	return n
}
