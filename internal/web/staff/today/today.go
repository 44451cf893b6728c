package today

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// todayPage is the start page with the open tasks.
type todayPage struct {
	frame.Page
	Date       string
	Scope      scope
	TaskGroups []taskGroup
	Reports    string // the URL of the report about the same locations
	Used       bool   // an item has been recorded before
	Checklist  setupChecklist
}

// today shows the open tasks. Users who may only record found items are redirected to the form for that.
func (c *call) today() error {
	if !c.May(lost.ViewItems) {
		return c.redirectToFind()
	}
	s, err := c.scope()
	if err != nil {
		return err
	}
	groups, err := c.Services.Reports.Today(c.Context(), c.Actor(), s.Location)
	if err != nil {
		return err
	}
	p := todayPage{
		Page: c.NewPage(c.Say("today.title")), Date: c.Day(c.Now().In(c.Clock()).Format(lost.DateLayout)), Scope: s,
		Reports: frame.LocationPath(cmp.Or(s.Location, frame.AllLocations), "/reports"),
	}
	folded := c.foldedGroups()
	for _, g := range groups {
		group := c.taskGroup(g, s)
		group.Folded = slices.Contains(folded, string(g.Kind))
		p.TaskGroups = append(p.TaskGroups, group)
	}
	p.Checklist = c.setupChecklist(p.Here)
	if len(groups) == 0 {
		if p.Used, err = c.Services.Reports.AnyItems(c.Context(), c.Actor(), s.Location); err != nil {
			return err
		}
	}
	return c.Render(http.StatusOK, "today", p)
}

// foldedGroups returns the kinds of tasks that the user folded in this browser. staff.js sets the cookie.
func (c *call) foldedGroups() []string {
	cookie, err := c.Request.Cookie("folded")
	if err != nil {
		return nil
	}
	return strings.Split(cookie.Value, ".")
}

func (c *call) redirectToFind() error {
	here, err := c.UsualLocation()
	if err != nil {
		return err
	}
	if here.ID == "" {
		return c.Redirect("/settings")
	}
	return c.Redirect(frame.LocationPath(here.ID, "/find"))
}

// tasksPage lists all tasks of one kind.
type tasksPage struct {
	frame.Page
	Scope scope
	Work  taskGroup
}

// tasks lists all tasks of one kind.
func (c *call) tasks() error {
	s, err := c.scope()
	if err != nil {
		return err
	}
	g, err := c.Services.Reports.TasksOfKind(c.Context(), c.Actor(), s.Location,
		lost.TaskKind(c.Request.PathValue("kind")))
	if err != nil {
		return err
	}
	work := c.taskGroup(g, s)
	return c.Render(http.StatusOK, "tasks", tasksPage{Page: c.NewPage(work.Title), Scope: s, Work: work})
}

// scope is the location of a page.
type scope struct {
	Location string       // the location's ID; empty for all locations that the user can access
	Where    string       // the location's name
	Places   []frame.Link // the locations to choose from; none if there is only one
	Many     bool         // there are too many locations for a row of tabs
	Options  []frame.Option
	Chosen   string // the value of the chosen option; empty if there is only one location
}

// maxTabs is the maximum number of locations that fit in a row of tabs.
const maxTabs = 5

// scope reads the location from the URL. Without one, it is the location of the menu.
func (c *call) scope() (s scope, err error) {
	shown, err := frame.ReadMenuScope(c.Call)
	if err != nil {
		return s, err
	}
	s = scope{Location: shown.ID(), Where: shown.At.Name}
	if shown.All {
		s.Where = c.Say("today.all-locations")
	}
	all, err := c.Locations()
	if err != nil || len(all) < 2 {
		return s, err
	}
	s.Many, s.Chosen = len(all) > maxTabs, cmp.Or(s.Location, frame.AllLocations)
	s.Options = append(s.Options, frame.Option{Value: frame.AllLocations, Name: c.Say("frame.locations.all")})
	for _, l := range all {
		s.Options = append(s.Options, frame.Option{Value: l.ID, Name: l.Name})
	}
	for _, o := range s.Options {
		s.Places = append(s.Places,
			frame.Link{Href: c.WithQuery("location", o.Value), Name: o.Name, Current: o.Value == s.Chosen})
	}
	return s, nil
}
