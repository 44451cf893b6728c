package settings

import (
	"slices"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// settingsPage has the data that every settings page needs.
type settingsPage struct {
	frame.Page
	Tabs []frame.Link
	Zone *time.Location // the time zone of the times
}

// settings prepares a page of the settings.
func (c *call) settings(title string) settingsPage {
	p := settingsPage{Page: c.NewPage(title), Tabs: c.SettingsTabs(), Zone: time.UTC}
	if p.Here.TimeZone != "" {
		p.Zone = p.Here.Zone()
	}
	return p
}

// settingsHome redirects to the first settings page that the user may open.
func (c *call) settingsHome() error { return c.Redirect(c.SettingsTabs()[0].Href) }

// When formats a time to the second, because these pages are for tracing events.
func (p settingsPage) When(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(p.Zone).Format("Mon 2 Jan 2006, 15:04:05")
}

// Stamp formats a time in RFC 3339.
func (p settingsPage) Stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// Clock is the name of the page's time zone.
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

// seekLinks link to the newer and older parts of a list.
type seekLinks struct{ Newer, Older string }

// seekLinksAfter creates the links of a list that continues after its last line.
func (c *call) seekLinksAfter(more bool, last string) (p seekLinks) {
	if c.Request.URL.Query().Has("before") {
		p.Newer = c.WithQuery("before", "")
	}
	if more {
		p.Older = c.WithQuery("before", last)
	}
	return p
}

// maxID is longer than any ID.
const maxID = 100

// seekFromQuery returns the part of a long list that the URL requests.
func (c *call) seekFromQuery() lost.PageCursor {
	return lost.PageCursor{Before: lost.Truncate(c.Request.URL.Query().Get("before"), maxID), Limit: frame.TableLimit}
}

// oneOf returns the value of a query parameter if it is one of the known values, and otherwise an empty string.
func oneOf[T ~string](value string, all []T) T {
	if slices.Contains(all, T(value)) {
		return T(value)
	}
	return ""
}
