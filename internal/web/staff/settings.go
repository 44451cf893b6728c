package staff

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
)

func settingsRoutes() []Route {
	return slices.Concat(
		[]Route{{Method: http.MethodGet, Path: "/settings", serve: (*call).settingsHome}},
		accountRoutes(), keyRoutes(), webhookRoutes(), deliveryRoutes(), eventRoutes(), postRoutes(), auditRoutes(), retentionRoutes(), personRoutes(),
	)
}

// settingsPage is what every page of the settings has.
type settingsPage struct {
	page
	Tabs []link
	Zone *time.Location // whose clock the times are by
}

// settings begins a page of the settings.
func (c *call) settings(title string) settingsPage {
	p := settingsPage{page: c.page(title), Tabs: c.settingsTabs(), Zone: time.UTC}
	if p.Here.TimeZone != "" {
		p.Zone = p.Here.Zone()
	}
	return p
}

// settingsTabs lists the parts of the settings that the person may see.
func (c *call) settingsTabs() (tabs []link) {
	for _, t := range []struct {
		right            lost.Right
		name, href, also string // also: where else its pages are
	}{
		{"", "Profile", "/settings/profile", ""},
		{lost.Govern, "Account", "/settings/account", ""},
		{lost.Staff, "Team", "/settings/team", ""},
		{lost.Integrate, "API keys", "/settings/keys", ""},
		{lost.Integrate, "Webhooks", "/settings/webhooks", ""},
		{lost.Integrate, "Events", "/settings/events", "/settings/deliveries"},
		{lost.Look, "Messages", "/settings/messages", ""},
		{lost.Staff, "Audit log", "/settings/audit", ""},
		{lost.Govern, "Data retention", "/settings/retention", ""},
		{lost.Staff, "Guests’ requests", "/settings/persons", ""},
	} {
		if t.right == "" || c.may(t.right) {
			tabs = append(tabs, link{Href: t.href, Name: t.name, Current: within(c.r.URL.Path, t.href) || t.also != "" && within(c.r.URL.Path, t.also)})
		}
	}
	return tabs
}

// settingsHome leads to the first part of the settings that the person may see.
func (c *call) settingsHome() error { return c.see(c.settingsTabs()[0].Href) }

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
func (p settingsPage) Clock() string { return clockName(p.Zone) }

// clockName is what people call a clock.
func clockName(zone *time.Location) string {
	if zone == time.UTC {
		return "UTC"
	}
	return strings.ReplaceAll(zone.String(), "_", " ")
}

// tickGroup is a group of boxes to tick.
type tickGroup struct {
	Name, Legend, Hint, Error string
	Options                   []tickBox
}

type tickBox struct {
	Value, Name, Hint string
	Checked           bool
}

// tick ticks those boxes that were ticked.
func (b *tickGroup) tick(values []string) {
	for n := range b.Options {
		b.Options[n].Checked = slices.Contains(values, b.Options[n].Value)
	}
}

// seekLinks lead to the other parts of a list.
type seekLinks struct{ Newer, Older string }

// linksAfter makes the links of a list that goes on after its last line.
func (c *call) linksAfter(more bool, last string) (p seekLinks) {
	if c.r.URL.Query().Has("before") {
		p.Newer = c.withQuery("before", "")
	}
	if more {
		p.Older = c.withQuery("before", last)
	}
	return p
}

// withQuery is the page's address with one part of its query set, or left out where it is empty.
func (c *call) withQuery(name, value string) string {
	q := c.r.URL.Query()
	q.Set(name, value)
	if value == "" {
		q.Del(name)
	}
	return address(c.r.URL.Path, q)
}

// maxID is longer than any id.
const maxID = 100

// seekFrom is the part of a long list that the address asks for.
func (c *call) seekFrom() lost.Seek {
	return lost.Seek{Before: lost.Cut(c.r.URL.Query().Get("before"), maxID), Limit: tableLimit}
}

// among gives what the address asks for, if it is one of what there is; empty otherwise.
func among[T ~string](asked string, all []T) T {
	if slices.Contains(all, T(asked)) {
		return T(asked)
	}
	return ""
}
