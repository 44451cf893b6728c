package staff

import (
	"net/url"
	"slices"
	"time"

	"homeward/internal/lost"
)

// itemFilter is what narrows a list of items, as its address has it. The names and values are the API's.
type itemFilter struct {
	Term     string
	Statuses []lost.Status
	Source   string // "request" or "all"; empty for what was found
	From, To string
	Where    lost.Whereabouts // here or gone; empty for both
	Open     bool             // not yet done with
	Mine     bool             // recorded today by whoever looks
	Number   int              // of the page
	problems lost.Problems
}

// readItemFilter reads what narrows a list. What is wrong narrows nothing, and is told.
func readItemFilter(q url.Values) itemFilter {
	f := itemFilter{Term: lost.Cut(q.Get("term"), lost.MaxTerm), Open: q.Get("open") != "", Mine: q.Get("mine") != "", Number: pageOf(q)}
	f.readStatuses(q["status"])
	switch s := q.Get("source"); s {
	case "", string(lost.Found):
	case string(lost.Request), "all":
		f.Source = s
	default:
		f.problems.Add("source", "not-allowed", "is none that we know; choose one of those below")
	}
	if w := lost.Whereabouts(q.Get("where")); (w == lost.Here || w == lost.Away) && f.Source == "" {
		f.Where = w
	}
	f.From, f.To = f.date(q, "from"), f.date(q, "to")
	return f
}

// readStatuses reads statuses, each once and in their order.
func (f *itemFilter) readStatuses(wanted []string) {
	all := lost.Statuses()
	for _, s := range all {
		if slices.Contains(wanted, string(s)) {
			f.Statuses = append(f.Statuses, s)
		}
	}
	if slices.ContainsFunc(wanted, func(s string) bool { return s != "" && !slices.Contains(all, lost.Status(s)) }) {
		f.problems.Add("status", "not-allowed", "is none that we know; choose among those below")
	}
}

// date reads a day. One that is none is shown again as it was typed.
func (f *itemFilter) date(q url.Values, name string) string {
	day := q.Get(name)
	if day == "" {
		return ""
	}
	if _, ok := lost.ParseDate(day); !ok {
		f.problems.Add(name, "invalid-date", "must be a day that exists")
		return ""
	}
	return day
}

// encode writes what narrows the list, in one order: the same list has the same address.
func (f itemFilter) encode() string { return f.query().Encode() }

func (f itemFilter) query() url.Values {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" {
			q.Set(name, value)
		}
	}
	set("term", f.Term)
	for _, s := range f.Statuses {
		q.Add("status", string(s))
	}
	set("source", f.Source)
	set("where", string(f.Where))
	set("from", f.From)
	set("to", f.To)
	if f.Open {
		q.Set("open", "1")
	}
	if f.Mine {
		q.Set("mine", "1")
	}
	return q
}

// at is the address of a page of the list.
func (f itemFilter) at(path string, number int) string {
	return pageAt(path, f.query(), number)
}

// desk is what the desk is asked for. A day begins when it does at the location.
func (f itemFilter) desk(who lost.User, l lost.Location, now time.Time) lost.ItemFilter {
	out := lost.ItemFilter{
		Term: f.Term, Statuses: f.Statuses, From: f.From, To: f.To, Open: f.Open, Whereabouts: f.Where, Source: lost.Found,
		Page: lost.Page{Number: f.Number, Limit: listLimit},
	}
	switch f.Source {
	case "request":
		out.Source = lost.Request
	case "all":
		out.Source = ""
	}
	if f.Mine {
		here := now.In(l.Zone())
		out.By, out.Since = who.ID, time.Date(here.Year(), here.Month(), here.Day(), 0, 0, 0, 0, here.Location())
	}
	return out
}
