package settings

import (
	"slices"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// settingsPage is what every page of the settings has.
type settingsPage struct {
	frame.Page
	Tabs []frame.Link
	Zone *time.Location // whose clock the times are by
}

// settings begins a page of the settings.
func (c *call) settings(title string) settingsPage {
	p := settingsPage{Page: c.NewPage(title), Tabs: c.SettingsTabs(), Zone: time.UTC}
	if p.Here.TimeZone != "" {
		p.Zone = p.Here.Zone()
	}
	return p
}

// settingsHome leads to the first part of the settings that the person may see.
func (c *call) settingsHome() error { return c.Redirect(c.SettingsTabs()[0].Href) }

// When writes a time by the page's clock, to the second: these pages are for finding out what happened when.
func (p settingsPage) When(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(p.Zone).Format("Mon 2 Jan 2006, 15:04:05")
}

// Stamp writes a time as programs read it.
func (p settingsPage) Stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// Clock names the clock that the page's times are by.
func (p settingsPage) Clock() string { return frame.ClockName(p.Zone) }

// checkGroup is a group of boxes to tick.
type checkGroup struct {
	Name, Legend, Hint, Error string
	Options                   []frame.CheckBox
}

// check ticks those boxes that were ticked.
func (b *checkGroup) check(values []string) {
	for n := range b.Options {
		b.Options[n].Checked = slices.Contains(values, b.Options[n].Value)
	}
}

// seekLinks lead to the other parts of a list.
type seekLinks struct{ Newer, Older string }

// seekLinksAfter makes the links of a list that goes on after its last line.
func (c *call) seekLinksAfter(more bool, last string) (p seekLinks) {
	if c.Request.URL.Query().Has("before") {
		p.Newer = c.WithQuery("before", "")
	}
	if more {
		p.Older = c.WithQuery("before", last)
	}
	return p
}

// maxID is longer than any id.
const maxID = 100

// seekFromQuery is the part of a long list that the address asks for.
func (c *call) seekFromQuery() lost.Seek {
	return lost.Seek{Before: lost.Cut(c.Request.URL.Query().Get("before"), maxID), Limit: frame.TableLimit}
}

// oneOf gives what the address asks for, if it is one of what there is; empty otherwise.
func oneOf[T ~string](asked string, all []T) T {
	if slices.Contains(all, T(asked)) {
		return T(asked)
	}
	return ""
}
