package frame

import (
	"cmp"
	"net/url"
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
	RecordAt             string        // the ID of the location where the user records items
	RecordElsewhere      string        // the name of that location, if it is not the one of the menu
	MenuPlace            string        // the name of the location whose lists the menu opens
	MenuAll              bool          // the menu opens lists of all locations
	Everywhere           bool          // the page shows all locations
	ShowLocation         bool          // the page is about another location than MenuPlace
	Places               []locationChoice
	Menu                 []Link
	FlashText            string    // a message from the previous page
	WarningText          string    // a warning from the previous page
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
	switch {
	case p.Everywhere:
		head += " · " + p.MenuPlace
	case p.Here.Name != "" && p.User != nil:
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
		Title: title, Locale: c.Locale, Theme: c.theme(), FlashText: c.takeFlash(flashCookie),
		WarningText: c.takeFlash(warningCookie),
		Style:       c.Assets.Path("look.css"), Script: c.Assets.Path("staff.js"), Icon: c.Assets.Path("icon.svg"),
	}
	for _, name := range scripts {
		p.Scripts = append(p.Scripts, c.Assets.Path(name))
	}
	if c.Session.User.ID == "" {
		p.Languages, p.ThisPage = listLanguages(c.Locale), addressOf(c)
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
	s, err := menuScope(c)
	if err != nil {
		return p
	}
	addPlaces(c, &p, s, all)
	p.Menu = newMenu(c, s)
	addLive(c, &p, s)
	return p
}

// addPlaces adds the menu of locations to a page.
func addPlaces(c *Call, p *Page, s Scope, all []lost.Location) {
	record := recordLocation(c)
	p.RecordAt, p.MenuPlace = record.ID, s.At.Name
	if s.All || record.ID != s.At.ID {
		p.RecordElsewhere = record.Name
	}
	if s.All {
		p.MenuPlace, p.MenuAll = c.Say("frame.locations.all"), true
		p.Everywhere = c.menuPlace == AllLocations
	}
	p.ShowLocation = len(all) > 1 && c.Here != nil && c.Here.ID != s.ID()
	if len(all) > 1 && c.May(lost.ViewItems) {
		p.Places = append(p.Places,
			locationChoice{ID: AllLocations, Name: c.Say("frame.locations.all"), Current: s.All})
	}
	for _, l := range all {
		p.Places = append(p.Places, locationChoice{ID: l.ID, Name: l.Name, Current: l.ID == s.ID()})
	}
}

// maxBarLinks is the maximum number of links that fit in the bar at the bottom of a phone screen.
const maxBarLinks = 4

// newMenu returns links to the areas that the user may open.
func newMenu(c *Call, s Scope) []Link {
	var menu []Link
	add := func(right lost.Permission, name, icon, href string) {
		if right == "" || c.May(right) {
			menu = append(menu,
				Link{
					Href: href, Name: name, Icon: icon, Current: isCurrent(c, href),
					Rest: len(menu) >= maxBarLinks,
				})
		}
	}
	add(lost.ViewItems, c.Say("frame.menu.today"), "today", todayPath(c, s))
	if s.At.ID != "" {
		add(lost.ViewItems, c.Say("frame.menu.items"), "items", s.Path("/items"))
		add(lost.ViewItems, c.Say("frame.menu.requests"), "requests", s.Path("/requests"))
		add(lost.HandleItems, c.Say("frame.menu.scan"), "scan", LocationPath(s.At.ID, "/scan"))
		add(lost.HandleItems, c.Say("frame.menu.storage"), "storage", s.Path("/storage"))
		add(lost.ViewItems, c.Say("calendar.menu"), "pickups", LocationPath(s.At.ID, "/pickups"))
		add(lost.ViewItems, c.Say("reports.title"), "reports", s.Path("/reports"))
	}
	add(lost.ManageLocations, c.Say("frame.menu.locations"), "locations", "/locations")
	add("", c.Say("frame.menu.settings"), "settings", "/settings")
	return menu
}

// todayPath returns the path of the start page for what the lists show.
func todayPath(c *Call, s Scope) string {
	all, err := c.Locations()
	if err != nil || len(all) < 2 {
		return "/"
	}
	return "/?" + url.Values{"location": {cmp.Or(s.ID(), AllLocations)}}.Encode()
}

// isCurrent reports whether the page belongs to a link of the menu, at any location.
func isCurrent(c *Call, href string) bool {
	at := c.Request.URL.Path
	href, _, _ = strings.Cut(href, "?")
	if href == "/" {
		return at == "/" || isWithin(at, "/tasks")
	}
	if own, isList := strings.CutPrefix(href, "/at/"); isList {
		_, below, _ := strings.Cut(own, "/")
		return isWithin(at, LocationPath(c.Request.PathValue("location"), "/"+below))
	}
	return isWithin(at, href)
}

// isWithin reports whether the path at equals href or is below it.
func isWithin(at, href string) bool {
	return at == href || strings.HasPrefix(at, href+"/")
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
		{"", "frame.tab.profile", "/settings/profile", "/settings/notices"},
		{lost.ManageAccount, "frame.tab.account", "/settings/account", ""},
		{lost.ManageStaff, "frame.tab.team", "/settings/team", ""},
		{lost.ManageIntegrations, "frame.tab.keys", "/settings/keys", ""},
		{lost.ManageIntegrations, "frame.tab.webhooks", "/settings/webhooks", ""},
		{lost.ManageIntegrations, "frame.tab.events", "/settings/events", "/settings/deliveries"},
		{lost.ViewItems, "frame.tab.messages", "/settings/messages", ""},
		{lost.ManageAccount, "frame.tab.templates", "/settings/templates", ""},
		{lost.ManageLocations, "frame.tab.categories", "/settings/categories", ""},
		{lost.ManageStaff, "frame.tab.audit", "/settings/audit", ""},
		{lost.ManageAccount, "frame.tab.retention", "/settings/retention", ""},
		{lost.ManageStaff, "frame.tab.persons", "/settings/persons", ""},
	} {
		if t.right == "" || c.May(t.right) {
			tabs = append(tabs,
				Link{
					Href: t.href, Name: c.Say(t.key), Current: isWithin(c.Request.URL.Path, t.href) ||
						t.also != "" && isWithin(c.Request.URL.Path, t.also),
				})
		}
	}
	return tabs
}
