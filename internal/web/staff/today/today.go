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
	p.Checklist = c.setupChecklist(p.Here, s)
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
}

// maxTabs is the maximum number of locations that fit in a row of tabs.
const maxTabs = 5

// scope reads the location from the URL.
func (c *call) scope() (s scope, err error) {
	query := c.Request.URL.Query()
	s = scope{Location: query.Get("location"), Where: c.Say("today.all-locations")}
	if s.Location != "" {
		c.Request.SetPathValue("location", s.Location)
		chosen, err := frame.ReadListScope(c.Call)
		if err != nil {
			return s, err
		}
		s.Location = chosen.ID()
		if !chosen.All {
			s.Where = chosen.At.Name
		}
	}
	all, err := c.Locations()
	if err != nil || len(all) < 2 {
		return s, err
	}
	s.Many = len(all) > maxTabs
	s.Places = append(s.Places,
		frame.Link{Href: c.WithQuery("location", ""), Name: c.Say("frame.locations.all"), Current: s.Location == ""})
	s.Options = append(s.Options, frame.Option{Name: c.Say("frame.locations.all")})
	for _, l := range all {
		s.Places = append(s.Places,
			frame.Link{Href: c.WithQuery("location", l.ID), Name: l.Name, Current: s.Location == l.ID})
		s.Options = append(s.Options, frame.Option{Value: l.ID, Name: l.Name})
	}
	return s, nil
}
