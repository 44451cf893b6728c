package staff

import (
	"net/http"
	"strconv"

	"homeward/internal/lost"
)

func todayRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/{$}", serve: (*call).today},
		{Method: http.MethodGet, Path: "/tasks/{kind}", Right: lost.Look, serve: (*call).tasks},
	}
}

// todayPage is the start page: what needs doing, and how the desk is doing.
type todayPage struct {
	page
	Date    string
	Scope   scope
	Chores  []chores
	Numbers numbersPart
	Used    bool // something was recorded before
	Lacks   lacks
}

// today shows what needs doing. Whoever only records finds is led there.
func (c *call) today() error {
	if !c.may(lost.Look) {
		return c.toFind()
	}
	s, err := c.scope()
	if err != nil {
		return err
	}
	groups, err := c.desk.Today(c.ctx(), c.actor(), s.Location)
	if err != nil {
		return err
	}
	numbers, err := c.desk.Numbers(c.ctx(), c.actor(), s.Location, s.span)
	if err != nil {
		return err
	}
	p := todayPage{page: c.page("Today"), Date: day(c.now().In(c.clock()).Format(lost.DateForm)), Scope: s, Numbers: c.numbersPart(numbers, s)}
	for _, g := range groups {
		p.Chores = append(p.Chores, c.chores(g, s))
	}
	p.Lacks = c.lacks(p.Here, s)
	if len(groups) == 0 {
		if p.Used, err = c.desk.AnyItems(c.ctx(), c.actor(), s.Location); err != nil {
			return err
		}
	}
	return c.write(http.StatusOK, "today", p)
}

func (c *call) toFind() error {
	here, err := c.usual()
	if err != nil {
		return err
	}
	if here.ID == "" {
		return c.see("/settings")
	}
	return c.see(atPath(here.ID, "/find"))
}

// tasksPage is everything that waits of one kind.
type tasksPage struct {
	page
	Scope scope
	Work  chores
}

// tasks shows what waits of one kind.
func (c *call) tasks() error {
	s, err := c.scope()
	if err != nil {
		return err
	}
	g, err := c.desk.Waiting(c.ctx(), c.actor(), s.Location, lost.TaskKind(c.r.PathValue("kind")))
	if err != nil {
		return err
	}
	work := c.chores(g, s)
	return c.write(http.StatusOK, "tasks", tasksPage{page: c.page(work.Title), Scope: s, Work: work})
}

// scope is where a page looks, and how far back.
type scope struct {
	Location string // its id; empty for all that the person reaches
	Where    string // in words
	Places   []link // to choose from; none where there is no choice
	Many     bool   // too many for a row of them
	Options  []option
	span     lost.Span
}

// fewPlaces is how many locations have room in a row.
const fewPlaces = 5

// scope reads from the address where the page looks.
func (c *call) scope() (s scope, err error) {
	query := c.r.URL.Query()
	months, _ := strconv.Atoi(query.Get("span"))
	s = scope{Location: query.Get("location"), Where: "all locations", span: lost.SpanOf(months)}
	if s.Location != "" {
		c.r.SetPathValue("location", s.Location)
		l, err := c.at()
		if err != nil {
			return s, err
		}
		s.Where = l.Name
	}
	all, err := c.places()
	if err != nil || len(all) < 2 {
		return s, err
	}
	s.Many = len(all) > fewPlaces
	s.Places = append(s.Places, link{Href: c.withQuery("location", ""), Name: "All locations", Current: s.Location == ""})
	s.Options = append(s.Options, option{Name: "All locations"})
	for _, l := range all {
		s.Places = append(s.Places, link{Href: c.withQuery("location", l.ID), Name: l.Name, Current: s.Location == l.ID})
		s.Options = append(s.Options, option{l.ID, l.Name})
	}
	return s, nil
}

// Span is the chosen one as the address has it; empty for the usual one.
func (s scope) Span() string {
	if s.span == lost.DefaultSpan {
		return ""
	}
	return strconv.Itoa(int(s.span))
}
