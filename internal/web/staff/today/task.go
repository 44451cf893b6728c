package today

import (
	"cmp"
	"net/url"
	"time"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// taskGroup lists the open tasks of one kind.
type taskGroup struct {
	Kind  lost.TaskKind
	Title string
	Why   string // an explanation, if the title needs one
	Count string
	Tasks []taskRow
	All   string // the path of the full list; empty if all tasks are shown
	Rest  string // says how many tasks are not shown; empty if all are shown

	Folded bool // the user folded the group in this browser
}

// taskRow is one task with its actions.
type taskRow struct {
	frame.ItemSummary
	Where   string // the location's name, if the page shows several locations
	News    string // why the task is due now
	Actions []frame.Link
}

// taskPrefix begins the keys of the titles of the kinds of tasks. The same with .why explains the kind.
const taskPrefix = "today.task."

// taskGroup prepares the open tasks of one kind.
func (c *call) taskGroup(g lost.TaskGroup, s scope) taskGroup {
	key := taskPrefix + string(g.Kind)
	list := taskGroup{Kind: g.Kind, Title: c.Say(key), Count: c.Number(g.Count)}
	if c.Has(key + ".why") {
		list.Why = c.Say(key + ".why")
	}
	if g.AtLeast {
		list.Count += "+"
	}
	for _, t := range g.Tasks {
		list.Tasks = append(list.Tasks, c.taskRow(t, s))
	}
	if more := g.Count - len(g.Tasks); more > 0 || g.AtLeast {
		list.Rest = c.Say("today.rest", "count", c.Number(more))
		if g.AtLeast {
			list.Rest = c.Say("today.rest.at-least", "count", c.Number(more))
		}
		list.All = c.allTasksPath(g, s)
	}
	return list
}

// allTasksPath returns the path of the page that lists all tasks of a kind: a page in another area, or this area's
// page for the kind.
func (c *call) allTasksPath(g lost.TaskGroup, s scope) string {
	location := cmp.Or(s.Location, frame.AllLocations)
	switch {
	case g.Kind == lost.AnswerTask:
		return frame.LocationPath(location, "/requests")
	case g.Kind == lost.OverdueTask && c.May(lost.HandleItems):
		return frame.LocationPath(location, "/storage")
	case len(g.Tasks) >= desk.MaxTasks: // the page for the kind is already open
		return ""
	case s.Chosen != "":
		return "/tasks/" + string(g.Kind) + "?" + url.Values{"location": {s.Chosen}}.Encode()
	default:
		return "/tasks/" + string(g.Kind)
	}
}

// taskRow prepares one task.
func (c *call) taskRow(t lost.Task, s scope) taskRow {
	i := t.Item
	row := taskRow{ItemSummary: c.SummarizeItem(i), News: taskNews(c.Locale, t)}
	if s.Location == "" && len(s.Places) > 0 {
		row.Where = t.LocationName
	}
	if c.May(lost.HandleItems) {
		row.Actions = taskActions(c.Locale, t, c.Now())
	}
	if t.Kind == lost.ShippingTask {
		set, ask := c.CountryFor(i)
		row.News = i18n.Join(" ", row.News, ask)
		if set != nil {
			row.Actions = append([]frame.Link{{Name: set.Name, Href: set.To}}, row.Actions...)
		}
	}
	return row
}

// taskNews explains why a task is due now.
func taskNews(lang frame.Locale, t lost.Task) string {
	i := t.Item
	who := frame.OwnerName(lang, i.Owner)
	switch t.Kind {
	case lost.PickupTask, lost.NextPickupTask, lost.MissedTask:
		when := lang.PickupText(i)
		if t.Kind == lost.PickupTask {
			when = lang.DayAt(lang.Say("today.title"), i.Pickup.Time)
		}
		return lang.Enumerate(when, who)
	case lost.AnswerTask, lost.MatchTask:
		reported := lost.Location{TimeZone: i.Terms.TimeZone}.Day(i.CreatedAt)
		return lang.Say("today.reported", "date", lang.Day(reported))
	case lost.OverdueTask:
		kept := lang.Say("frame.keep", "date", lang.Day(i.StoreUntil()))
		return i18n.Join(" · ", kept, lang.DisposalText(i.ThenDue()))
	case lost.UnreachableTask, lost.DisownedTask, lost.SilentTask:
		return cmp.Or(i.Owner.Address(), who)
	case lost.ReplyTask:
		return cmp.Or(who, i.Owner.Address())
	case lost.ShipTask:
		return cmp.Or(lang.TaskReason(i, t.Kind), who)
	default:
		return lang.TaskReason(i, t.Kind)
	}
}

// taskActions returns links to the steps that complete a task. A step that takes effect immediately is taken on the
// item's page, where the result is visible.
func taskActions(lang frame.Locale, t lost.Task, now time.Time) []frame.Link {
	open := frame.Link{Name: lang.Say("today.open"), Href: frame.ItemPath(t.Item)}
	var links []frame.Link
	for _, s := range lang.StepsOf(t.Item, t.NextActions(now)) {
		if s.Form {
			return []frame.Link{open}
		}
		if t.Kind == lost.MatchTask {
			s.Name = lang.Say("today.compare") // the answer is the result of the comparison
		}
		links = append(links, frame.Link{Name: s.Name, Href: s.To})
	}
	if len(links) == 0 {
		return []frame.Link{open}
	}
	return links
}
