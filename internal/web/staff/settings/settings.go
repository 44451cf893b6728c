package settings

import (
	"slices"
	"strconv"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// settingsPage contains the data that every settings page needs.
type settingsPage struct {
	frame.Page
	Tabs []frame.Link
	Zone *time.Location // the time zone in which times are shown
}

// newSettingsPage prepares a settings page.
func newSettingsPage(c *frame.Call, title string) settingsPage {
	p := settingsPage{Page: c.NewPage(title), Tabs: c.SettingsTabs(), Zone: time.UTC}
	if p.Here.TimeZone != "" {
		p.Zone = p.Here.Zone()
	}
	return p
}

// settingsHome redirects to the first settings page that the user may open.
func (c *call) settingsHome() error { return c.Redirect(c.SettingsTabs()[0].Href) }

// When formats a time with seconds, because these pages are used to trace events.
func (p settingsPage) When(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	here := at.In(p.Zone)
	weekday := (int(here.Weekday())+6)%7 + 1 // Monday is the first
	return p.Locale.Say("settings.when", "weekday", p.Locale.Say("common.weekday.short."+strconv.Itoa(weekday)),
		"date", p.Locale.ShortDateYear(here.Format(time.DateOnly)), "time", here.Format(time.TimeOnly))
}

// Stamp formats a time in RFC 3339 format.
func (p settingsPage) Stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// Clock returns the name of the page's time zone.
func (p settingsPage) Clock() string { return frame.ClockName(p.Zone) }

// checkGroup is a group of checkboxes.
type checkGroup struct {
	Name, Legend, Hint, Error string
	Options                   []frame.CheckBox
}

// check checks the boxes with these values.
func (b *checkGroup) check(values []string) {
	for n := range b.Options {
		b.Options[n].Checked = slices.Contains(values, b.Options[n].Value)
	}
}

// seekLinks contains links to the newer and older parts of a long list.
type seekLinks struct{ Newer, Older string }

// seekLinksAfter returns the links of a list. last is the ID of its last line, and more reports whether older lines
// follow.
func (c *call) seekLinksAfter(more bool, last string) (p seekLinks) {
	if c.Request.URL.Query().Has("before") {
		p.Newer = c.WithQuery("before", "")
	}
	if more {
		p.Older = c.WithQuery("before", last)
	}
	return p
}

// maxID is a length that no ID exceeds.
const maxID = 100

// seekFromQuery returns the cursor for the part of a long list that the URL requests.
func (c *call) seekFromQuery() lost.PageCursor {
	return lost.PageCursor{Before: lost.Truncate(c.Request.URL.Query().Get("before"), maxID), Limit: frame.TableLimit}
}

// oneOf returns value if all contains it, and an empty string otherwise.
func oneOf[T ~string](value string, all []T) T {
	if slices.Contains(all, T(value)) {
		return T(value)
	}
	return ""
}
