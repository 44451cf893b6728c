package frame

import (
	"strings"
	"time"

	"homeward/internal/lost"
)

// Page is what the layout shows on every page.
type Page struct {
	Title                string
	Style, Script, Icon  string
	Scripts              []string // further scripts, as URLs
	KeptScript           string   // the script that sends finds saved on the device; loaded if there are any
	Theme                string   // light, dark, or empty for the device's setting
	User                 *lost.User
	Here                 lost.Location // the location where the user works; empty if there is none
	Places               []locationChoice
	Menu                 []Link
	Told                 string    // a message from the previous page
	Problems             []Problem // errors of the form
	Wide                 bool      // uses the full width, for tables
	CanRecord, CanManage bool
}

// Link is a named link, for menus and tabs.
type Link struct {
	Href, Name, Icon string
	Current          bool
	Rest             bool // on a phone it is in the menu, not in the bar at the bottom
}

// locationChoice is a location in the menu.
type locationChoice struct {
	ID, Name string
	Current  bool
}

// Head is the title of the browser tab.
func (p Page) Head() string {
	head := p.Title
	if p.Here.Name != "" && p.User != nil {
		head += " · " + p.Here.Name
	}
	if len(p.Problems) > 0 {
		head = "Please check the form · " + head
	}
	return head
}

// NewPage prepares a page. Scripts besides the common one are named as in the assets.
func (c *Call) NewPage(title string, scripts ...string) Page {
	p := Page{
		Title: title, Theme: c.theme(), Told: c.TakeFlash(flashCookie),
		Style: c.Assets.Path("look.css"), Script: c.Assets.Path("staff.js"), Icon: c.Assets.Path("icon.svg"),
	}
	for _, name := range scripts {
		p.Scripts = append(p.Scripts, c.Assets.Path(name))
	}
	if c.Session.User.ID == "" {
		return p
	}
	p.User, p.KeptScript = &c.Session.User, c.Assets.Path("kept.js")
	all, err := c.Locations()
	if err != nil { // the page itself is still shown
		return p
	}
	here, err := c.UsualLocation()
	if err != nil {
		return p
	}
	p.Here, p.CanRecord, p.CanManage = here, c.May(lost.Record) && here.ID != "", c.May(lost.Arrange)
	for _, l := range all {
		p.Places = append(p.Places, locationChoice{ID: l.ID, Name: l.Name, Current: l.ID == here.ID})
	}
	p.Menu = c.menu(here)
	return p
}

// atFoot is how many areas fit in the bar at the bottom of a phone.
const atFoot = 4

// menu lists the areas that the user may open.
func (c *Call) menu(here lost.Location) []Link {
	var menu []Link
	add := func(right lost.Right, name, icon, href string) {
		if right == "" || c.May(right) {
			menu = append(menu,
				Link{
					Href: href, Name: name, Icon: icon, Current: within(c.Request.URL.Path, href),
					Rest: len(menu) >= atFoot,
				})
		}
	}
	add(lost.Look, "Today", "today", "/")
	if here.ID != "" {
		add(lost.Look, "Items", "items", LocationPath(here.ID, "/items"))
		add(lost.Look, "Requests", "requests", LocationPath(here.ID, "/requests"))
		add(lost.Handle, "Scan", "scan", LocationPath(here.ID, "/scan"))
		add(lost.Handle, "Storage", "storage", LocationPath(here.ID, "/storage"))
	}
	add(lost.Arrange, "Locations", "locations", "/locations")
	add("", "Settings", "settings", "/settings")
	return menu
}

// within reports whether a page is at an address or below it.
func within(at, href string) bool {
	return at == href || href != "/" && strings.HasPrefix(at, href+"/")
}

// TimeZone is the time zone of the times on a page.
func (p Page) TimeZone() *time.Location {
	if p.Here.ID == "" {
		return time.UTC
	}
	return p.Here.Zone()
}

// SettingsTabs lists the settings pages that the user may open.
func (c *Call) SettingsTabs() (tabs []Link) {
	for _, t := range []struct {
		right            lost.Right
		name, href, also string // also: other addresses of the same tab
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
		{lost.Staff, "Privacy requests", "/settings/persons", ""},
	} {
		if t.right == "" || c.May(t.right) {
			tabs = append(tabs,
				Link{
					Href: t.href, Name: t.name, Current: within(c.Request.URL.Path, t.href) ||
						t.also != "" && within(c.Request.URL.Path, t.also),
				})
		}
	}
	return tabs
}
