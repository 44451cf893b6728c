package frame

import (
	"strings"
	"time"

	"homeward/internal/lost"
)

// Page contains the data that the layout shows on every page.
type Page struct {
	Title                string
	Style, Script, Icon  string
	Scripts              []string // the URLs of further scripts
	OfflineScript        string   // sends items saved on the device; loaded only if there are any
	Theme                string   // light, dark, or empty for the device's setting
	User                 *lost.User
	Here                 lost.Location // the location where the user works; empty if there is none
	Places               []locationChoice
	Menu                 []Link
	FlashText            string    // a message from the previous page
	Problems             []Problem // errors in the form
	Wide                 bool      // uses the full width, for tables
	CanRecord, CanManage bool
	CanSearch            bool
	Languages            []languageChoice // for people who are not logged in
	ThisPage             string           // the address of the page, for the language menu
	Locale               Locale           // the language of the page
	LiveURL              string           // the stream that tells about changes; empty without one
	Follows              bool             // the page is read again after a change
}

// Link is a named link, for menus and tabs.
type Link struct {
	Href, Name, Icon string
	Current          bool
	Rest             bool // on a phone, the link is in the menu instead of the bar at the bottom
	Counted          bool // the link has a number
	Count            Count
}

// locationChoice is a location in the menu.
type locationChoice struct {
	ID, Name string
	Current  bool
}

// Head returns the title for the browser tab.
func (p Page) Head() string {
	head := p.Title
	if p.Here.Name != "" && p.User != nil {
		head += " · " + p.Here.Name
	}
	if len(p.Problems) > 0 {
		head = p.Locale.Say("frame.problems") + " · " + head
	}
	return head
}

// NewPage prepares a page. scripts are the file names of assets to load in addition to the common script.
func (c *Call) NewPage(title string, scripts ...string) Page {
	p := Page{
		Title: title, Locale: c.Locale, Theme: c.theme(), FlashText: c.TakeFlash(flashCookie),
		Style: c.Assets.Path("look.css"), Script: c.Assets.Path("staff.js"), Icon: c.Assets.Path("icon.svg"),
	}
	for _, name := range scripts {
		p.Scripts = append(p.Scripts, c.Assets.Path(name))
	}
	if c.Session.User.ID == "" {
		p.Languages, p.ThisPage = c.languageChoices(), addressOf(c)
		return p
	}
	p.CanSearch = c.May(lost.ViewItems)
	p.User, p.OfflineScript = &c.Session.User, c.Assets.Path("offline.js")
	all, err := c.Locations()
	if err != nil { // the page is shown without a menu
		return p
	}
	here, err := c.UsualLocation()
	if err != nil {
		return p
	}
	p.Here, p.CanRecord, p.CanManage = here, c.May(lost.RecordItems) && here.ID != "", c.May(lost.ManageLocations)
	for _, l := range all {
		p.Places = append(p.Places, locationChoice{ID: l.ID, Name: l.Name, Current: l.ID == here.ID})
	}
	p.Menu = c.menu(here)
	addLive(c, &p)
	return p
}

// maxBarLinks is the maximum number of links that fit in the bar at the bottom of a phone screen.
const maxBarLinks = 4

// menu returns links to the areas that the user may open.
func (c *Call) menu(here lost.Location) []Link {
	var menu []Link
	add := func(right lost.Permission, name, icon, href string) {
		if right == "" || c.May(right) {
			menu = append(menu,
				Link{
					Href: href, Name: name, Icon: icon, Current: within(c.Request.URL.Path, href),
					Rest: len(menu) >= maxBarLinks,
				})
		}
	}
	add(lost.ViewItems, c.Say("frame.menu.today"), "today", "/")
	if here.ID != "" {
		add(lost.ViewItems, c.Say("frame.menu.items"), "items", LocationPath(here.ID, "/items"))
		add(lost.ViewItems, c.Say("frame.menu.requests"), "requests", LocationPath(here.ID, "/requests"))
		add(lost.HandleItems, c.Say("frame.menu.scan"), "scan", LocationPath(here.ID, "/scan"))
		add(lost.HandleItems, c.Say("frame.menu.storage"), "storage", LocationPath(here.ID, "/storage"))
	}
	add(lost.ManageLocations, c.Say("frame.menu.locations"), "locations", "/locations")
	add("", c.Say("frame.menu.settings"), "settings", "/settings")
	return menu
}

// within reports whether the path at equals href or is below it.
func within(at, href string) bool {
	return at == href || href != "/" && strings.HasPrefix(at, href+"/")
}

// TimeZone returns the time zone in which the page shows times.
func (p Page) TimeZone() *time.Location {
	if p.Here.ID == "" {
		return time.UTC
	}
	return p.Here.Zone()
}

// SettingsTabs lists the settings pages that the user may open.
func (c *Call) SettingsTabs() (tabs []Link) {
	for _, t := range []struct {
		right           lost.Permission
		key, href, also string // also is another path that belongs to the tab
	}{
		{"", "frame.tab.profile", "/settings/profile", ""},
		{lost.ManageAccount, "frame.tab.account", "/settings/account", ""},
		{lost.ManageStaff, "frame.tab.team", "/settings/team", ""},
		{lost.ManageIntegrations, "frame.tab.keys", "/settings/keys", ""},
		{lost.ManageIntegrations, "frame.tab.webhooks", "/settings/webhooks", ""},
		{lost.ManageIntegrations, "frame.tab.events", "/settings/events", "/settings/deliveries"},
		{lost.ViewItems, "frame.tab.messages", "/settings/messages", ""},
		{lost.ManageStaff, "frame.tab.audit", "/settings/audit", ""},
		{lost.ManageAccount, "frame.tab.retention", "/settings/retention", ""},
		{lost.ManageStaff, "frame.tab.persons", "/settings/persons", ""},
	} {
		if t.right == "" || c.May(t.right) {
			tabs = append(tabs,
				Link{
					Href: t.href, Name: c.Say(t.key), Current: within(c.Request.URL.Path, t.href) ||
						t.also != "" && within(c.Request.URL.Path, t.also),
				})
		}
	}
	return tabs
}
