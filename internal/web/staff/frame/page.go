package frame

import (
	"strings"
	"time"

	"homeward/internal/lost"
)

// Page is what every page has.
type Page struct {
	Title                string
	Style, Script, Icon  string
	Scripts              []string // further ones, by their names among the assets
	KeptScript           string   // the one for finds that were not sent yet; loaded where there are some
	Theme                string   // light, dark, or empty for what the device says
	User                 *lost.User
	Here                 lost.Location // where the person works; empty where there is no location
	Places               []locationChoice
	Menu                 []Link
	Told                 string    // by the page before
	Problems             []Problem // with a form that is shown again
	Wide                 bool      // a table, which may have all the room
	CanRecord, CanManage bool
}

// Link is one line of a menu.
type Link struct {
	Href, Name, Icon string
	Current          bool
	Rest             bool // on a phone it is in the menu, not at the foot
}

// locationChoice is a location to choose.
type locationChoice struct {
	ID, Name string
	Current  bool
}

// Head is the title as a row of tabs shows it.
func (p Page) Head() string {
	head := p.Title
	if p.Here.Name != "" && p.User != nil {
		head += " · " + p.Here.Name
	}
	if len(p.Problems) > 0 {
		head = "Something needs mending · " + head
	}
	return head
}

// NewPage begins a page. Scripts beside the common one are named as they are among the assets.
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
	if err != nil { // the page says what it is about all the same
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

// atFoot is how many parts of the dashboard have room at the foot of a phone.
const atFoot = 4

// menu lists the parts of the dashboard that the person may see.
func (c *Call) menu(here lost.Location) []Link {
	var menu []Link
	add := func(right lost.Right, name, icon, href string) {
		if right == "" || c.May(right) {
			menu = append(menu, Link{Href: href, Name: name, Icon: icon, Current: within(c.Request.URL.Path, href), Rest: len(menu) >= atFoot})
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

// within tells whether a page is the one at an address, or below it.
func within(at, href string) bool {
	return at == href || href != "/" && strings.HasPrefix(at, href+"/")
}

// TimeZone is the clock that a page's times are by.
func (p Page) TimeZone() *time.Location {
	if p.Here.ID == "" {
		return time.UTC
	}
	return p.Here.Zone()
}

// SettingsTabs lists the parts of the settings that the person may see.
func (c *Call) SettingsTabs() (tabs []Link) {
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
		if t.right == "" || c.May(t.right) {
			tabs = append(tabs, Link{Href: t.href, Name: t.name, Current: within(c.Request.URL.Path, t.href) || t.also != "" && within(c.Request.URL.Path, t.also)})
		}
	}
	return tabs
}
