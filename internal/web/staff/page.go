package staff

import (
	"errors"
	"net/http"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// page is what every page has.
type page struct {
	Title                string
	Style, Script, Icon  string
	Scripts              []string // further ones, by their names among the assets
	KeptScript           string   // the one for finds that were not sent yet; loaded where there are some
	Theme                string   // light, dark, or empty for what the device says
	User                 *lost.User
	Here                 lost.Location // where the person works; empty where there is no location
	Places               []place
	Menu                 []link
	Told                 string    // by the page before
	Problems             []problem // with a form that is shown again
	Wide                 bool      // a table, which may have all the room
	CanRecord, CanManage bool
}

// link is one line of a menu.
type link struct {
	Href, Name, Icon string
	Current          bool
	Rest             bool // on a phone it is in the menu, not at the foot
}

// place is a location to choose.
type place struct {
	ID, Name string
	Current  bool
}

// Head is the title as a row of tabs shows it.
func (p page) Head() string {
	head := p.Title
	if p.Here.Name != "" && p.User != nil {
		head += " · " + p.Here.Name
	}
	if len(p.Problems) > 0 {
		head = "Something needs mending · " + head
	}
	return head
}

// page begins a page. Scripts beside the common one are named as they are among the assets.
func (c *call) page(title string, scripts ...string) page {
	p := page{
		Title: title, Theme: c.theme(), Told: c.once(tellCookie),
		Style: c.assets.Path("look.css"), Script: c.assets.Path("staff.js"), Icon: c.assets.Path("icon.svg"),
	}
	for _, name := range scripts {
		p.Scripts = append(p.Scripts, c.assets.Path(name))
	}
	if c.in.User.ID == "" {
		return p
	}
	p.User, p.KeptScript = &c.in.User, c.assets.Path("kept.js")
	all, err := c.places()
	if err != nil { // the page says what it is about all the same
		return p
	}
	here, err := c.usual()
	if err != nil {
		return p
	}
	p.Here, p.CanRecord, p.CanManage = here, c.may(lost.Record) && here.ID != "", c.may(lost.Arrange)
	for _, l := range all {
		p.Places = append(p.Places, place{ID: l.ID, Name: l.Name, Current: l.ID == here.ID})
	}
	p.Menu = c.menu(here)
	return p
}

// atFoot is how many parts of the dashboard have room at the foot of a phone.
const atFoot = 4

// menu lists the parts of the dashboard that the person may see.
func (c *call) menu(here lost.Location) []link {
	var menu []link
	add := func(right lost.Right, name, icon, href string) {
		if right == "" || c.may(right) {
			menu = append(menu, link{Href: href, Name: name, Icon: icon, Current: within(c.r.URL.Path, href), Rest: len(menu) >= atFoot})
		}
	}
	add(lost.Look, "Today", "today", "/")
	if here.ID != "" {
		add(lost.Look, "Items", "items", atPath(here.ID, "/items"))
		add(lost.Look, "Requests", "requests", atPath(here.ID, "/requests"))
		add(lost.Handle, "Scan", "scan", atPath(here.ID, "/scan"))
		add(lost.Handle, "Storage", "storage", atPath(here.ID, "/storage"))
	}
	add(lost.Arrange, "Locations", "locations", "/locations")
	add("", "Settings", "settings", "/settings")
	return menu
}

// within tells whether a page is the one at an address, or below it.
func within(at, href string) bool {
	return at == href || href != "/" && strings.HasPrefix(at, href+"/")
}

// failPage tells that something is not as it should be.
type failPage struct {
	page
	Text     string
	ID       string    // of the request, to be named when asking for help
	Standing *standing // how things stand, where somebody was quicker or what was sent does not fit
}

// fail answers with an error, in words for the reader. What caused it goes into the log alone. Whoever is not logged in
// is led to where they can do so, and from there to where they wanted to go.
func (c *call) fail(err error) {
	if respond.Left(c.w, err) {
		return
	}
	if !c.wantsPage() {
		respond.Problem(c.w, inWords(err))
		return
	}
	if lost.CodeOf(err) == lost.Unauthorized {
		c.leadIn()
		return
	}
	p := failPage{page: c.page(failTitle(lost.CodeOf(err))), Text: "The fault is on our side. Try again; if it stays, tell whoever runs the service this number."}
	if text := lost.Detail(err); text != "" {
		p.Text = text
	} else {
		p.ID = c.w.Header().Get(respond.RequestIDHeader)
	}
	switch lost.CodeOf(err) {
	case lost.Conflict, lost.TooLarge, lost.Unsupported, lost.TooMany, lost.Unavailable:
		if c.in.User.ID != "" {
			now := c.standing()
			p.Standing = &now
		}
	}
	status := respond.Failed(c.w, err)
	if problem := c.write(status, "fail", p); problem != nil { // the page for when all else fails
		respond.Failed(c.w, errors.Join(err, problem))
		http.Error(c.w, "Something went wrong on our side. Please try again.", http.StatusInternalServerError)
	}
}

// wantsPage tells a person's browser from a program, which is helped more by a problem that it can read.
func (c *call) wantsPage() bool { return strings.Contains(c.r.Header.Get("Accept"), "text/html") }

func failTitle(code lost.Code) string {
	switch code {
	case lost.NotFound:
		return "There is nothing here"
	case lost.Forbidden:
		return "You may not do this"
	case lost.Conflict:
		return "That does not fit any more"
	case lost.TooLarge:
		return "That is too large"
	case lost.TooMany:
		return "Wait a moment"
	case lost.Unavailable:
		return "Not available right now"
	case lost.NoMethod, lost.Unreadable, lost.Invalid, lost.Unsupported:
		return "That could not be read"
	default:
		return "Something went wrong here"
	}
}
