package today

import (
	"cmp"
	"net/url"
	"strconv"
	"time"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// taskGroup is what waits of one kind, as it is shown.
type taskGroup struct {
	Kind  lost.TaskKind
	Title string
	Why   string // what it is about, where the title does not say it all
	Count string
	Tasks []taskRow
	All   string // address of all of them; empty where they are all here
	Rest  string // how many are not here, in words; likewise
}

// taskRow is one thing to do, with the way to do it.
type taskRow struct {
	frame.ItemSummary
	Where   string // the location, where there are several
	News    string // why it is to be done now
	Actions []frame.Link
}

// taskText are the titles of what waits.
var taskText = map[lost.TaskKind]struct{ title, why string }{
	lost.PickupTask:      {"Pick-ups today", ""},
	lost.MatchTask:       {"Likely found", "Something was found that is likely what they miss. Compare the two, and say yes or no."},
	lost.NextPickupTask:  {"Pick-ups next", "Tomorrow, or in the week that follows."},
	lost.AnswerTask:      {"Requests to answer", ""},
	lost.ShipTask:        {"Paid, to be shipped", ""},
	lost.LabelTask:       {"Labels that the carrier refused", "The owner has paid. Mend what the carrier does not take, and try again."},
	lost.ParcelTask:      {"Parcels in trouble", "The carrier says that they come back, or are lost."},
	lost.RefundTask:      {"Money to give back", ""},
	lost.ShippingTask:    {"Shipping wanted", "The owner gave an address, and waits for you."},
	lost.MissedTask:      {"Pick-ups missed", "The day has passed, and nobody said that the owner came."},
	lost.UnreachableTask: {"Owners not reached", "The message came back. Is there another address?"},
	lost.DisownedTask:    {"Not theirs", "The person who was told says that it belongs to somebody else."},
	lost.OverdueTask:     {"Storage time over", "Kept for longer than planned. Decide where they go."},
}

// taskGroup shows what waits of one kind.
func (c *call) taskGroup(g lost.TaskGroup, s scope) taskGroup {
	w := taskText[g.Kind]
	list := taskGroup{Kind: g.Kind, Title: cmp.Or(w.title, string(g.Kind)), Why: w.why, Count: strconv.Itoa(g.Count)}
	if g.AtLeast {
		list.Count += "+"
	}
	for _, t := range g.Tasks {
		list.Tasks = append(list.Tasks, c.taskRow(t, s))
	}
	if more := g.Count - len(g.Tasks); more > 0 || g.AtLeast {
		list.Rest = strconv.Itoa(more)
		if g.AtLeast {
			list.Rest = "more than " + list.Rest
		}
		list.All = c.allTasksPath(g, s)
	}
	return list
}

// allTasksPath is where all tasks of a kind are: in a part of the dashboard that is made for them, or in a list of their own.
func (c *call) allTasksPath(g lost.TaskGroup, s scope) string {
	switch {
	case s.Location != "" && g.Kind == lost.AnswerTask:
		return frame.LocationPath(s.Location, "/requests")
	case s.Location != "" && g.Kind == lost.OverdueTask && c.May(lost.Handle):
		return frame.LocationPath(s.Location, "/storage")
	case len(g.Tasks) >= desk.MaxTasks: // they are looked at
		return ""
	case s.Location != "":
		return "/tasks/" + string(g.Kind) + "?" + url.Values{"location": {s.Location}}.Encode()
	default:
		return "/tasks/" + string(g.Kind)
	}
}

// taskRow shows one task.
func (c *call) taskRow(t lost.Task, s scope) taskRow {
	i := t.Item
	one := taskRow{ItemSummary: frame.SummarizeItem(i), News: taskNews(t)}
	if s.Location == "" && len(s.Places) > 0 {
		one.Where = t.LocationName
	}
	if c.May(lost.Handle) {
		one.Actions = taskActions(t, c.Now())
	}
	if t.Kind == lost.ShippingTask {
		set, ask := c.CountryFor(i)
		if one.News = i18n.Join(" ", one.News, ask); set != nil {
			one.Actions = append([]frame.Link{{Name: set.Name, Href: set.To}}, one.Actions...)
		}
	}
	return one
}

// taskNews says why a task is there now.
func taskNews(t lost.Task) string {
	i := t.Item
	who := frame.FullName(i.Owner)
	switch t.Kind {
	case lost.PickupTask, lost.NextPickupTask, lost.MissedTask:
		when := frame.PickupText(i)
		if t.Kind == lost.PickupTask {
			when = i18n.Join(" at ", "Today", i.Pickup.Time)
		}
		return i18n.Join(", ", when, who)
	case lost.AnswerTask, lost.MatchTask:
		return "Reported " + frame.Day(lost.Location{TimeZone: i.Terms.TimeZone}.Day(i.CreatedAt))
	case lost.OverdueTask:
		return "Kept until " + frame.Day(i.StoreUntil())
	case lost.UnreachableTask, lost.DisownedTask:
		return cmp.Or(i.Owner.Address(), who)
	case lost.ShipTask:
		return cmp.Or(i.TaskReason(t.Kind), who)
	default:
		return i.TaskReason(t.Kind)
	}
}

// taskActions are the ways to do a task, the first one first. What happens at once is done on the page of what it is about, where it can be seen.
func taskActions(t lost.Task, now time.Time) []frame.Link {
	see := frame.Link{Name: "Open", Href: frame.ItemPath(t.Item)}
	var links []frame.Link
	for _, s := range frame.StepsOf(t.Item, t.Acts(now)) {
		if s.Form {
			return []frame.Link{see}
		}
		links = append(links, frame.Link{Name: s.Name, Href: s.To})
	}
	if len(links) == 0 {
		return []frame.Link{see}
	}
	return links
}
