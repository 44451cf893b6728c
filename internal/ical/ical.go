// Package ical writes calendars in the iCalendar format (RFC 5545). It only knows events with a start and an end, and
// those that take whole days.
package ical

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// ContentType is the media type of a calendar.
const ContentType = "text/calendar; charset=utf-8"

// Event is an entry of a calendar. Texts may be empty.
type Event struct {
	UID                            string    // identifies the event when the calendar is read again
	Start, End                     time.Time // at midnight if AllDay; then End is the day after the last one
	AllDay                         bool
	Created, Changed               time.Time // when the event was created, and last changed
	Title, Place, Description, URL string
}

// Encode returns a calendar. Its name may be empty.
func Encode(name string, events []Event) []byte {
	var b strings.Builder
	writeLine(&b, "BEGIN", "VCALENDAR")
	writeLine(&b, "VERSION", "2.0")
	writeLine(&b, "PRODID", "-//Homeward//Homeward//EN")
	writeLine(&b, "METHOD", "PUBLISH")
	writeText(&b, "X-WR-CALNAME", name)
	for _, e := range events {
		writeLine(&b, "BEGIN", "VEVENT")
		writeText(&b, "UID", e.UID)
		writeLine(&b, "DTSTAMP", formatMoment(e.Changed))
		writeLine(&b, "LAST-MODIFIED", formatMoment(e.Changed))
		writeLine(&b, "SEQUENCE", strconv.Itoa(e.sequence()))
		if e.AllDay {
			writeLine(&b, "DTSTART;VALUE=DATE", e.Start.Format(dayLayout))
			writeLine(&b, "DTEND;VALUE=DATE", e.End.Format(dayLayout))
		} else {
			writeLine(&b, "DTSTART", formatMoment(e.Start))
			writeLine(&b, "DTEND", formatMoment(e.End))
		}
		writeText(&b, "SUMMARY", e.Title)
		writeText(&b, "LOCATION", e.Place)
		writeText(&b, "DESCRIPTION", e.Description)
		if e.URL != "" {
			writeLine(&b, "URL", e.URL)
		}
		writeLine(&b, "END", "VEVENT")
	}
	writeLine(&b, "END", "VCALENDAR")
	return []byte(b.String())
}

// sequence returns a number that grows with each change, so that programs replace the version they know. It is the
// number of tenths of a second from the creation to the last change, because it must be less than 2^31: that is enough
// for six years.
func (e Event) sequence() int {
	const tenth = time.Second / 10
	return int(min(max(0, e.Changed.Sub(e.Created)/tenth), math.MaxInt32))
}

const dayLayout = "20060102"

func formatMoment(t time.Time) string { return t.UTC().Format("20060102T150405Z") }

// escape marks the characters that have a meaning in a text value.
var escape = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`, "\r", `\n`)

// writeText writes a property with a text value, or nothing if the text is empty.
func writeText(b *strings.Builder, name, text string) {
	if text != "" {
		writeLine(b, name, escape.Replace(text))
	}
}

// writeLine writes a property. It folds lines that have more than 75 bytes, between characters.
func writeLine(b *strings.Builder, name, value string) {
	const most = 75
	line := name + ":" + value
	for len(line) > most {
		n := most
		for n > 1 && !utf8.RuneStart(line[n]) {
			n--
		}
		b.WriteString(line[:n] + "\r\n")
		line = " " + line[n:]
	}
	b.WriteString(line + "\r\n")
}
