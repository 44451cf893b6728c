package staff

import (
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
)

// How many suggestions a page shows: a request's, and those of a find, whose page is about more.
const (
	mostSuggestions = 20
	fewSuggestions  = 5
)

// suggestion is something that may go with an item: a find with a request, or the other way round.
type suggestion struct {
	glimpse
	Likely  state
	Reasons string
	Where   string // the location, where it is another
	Fits    bool   // the request can be answered with the find
	Best    bool   // it is the first, and likely
	Aspects []aspect
}

// aspect is one line in which a request and a find stand side by side.
type aspect struct {
	Name          string
	Theirs, Found string // empty where nobody says
	Fit           state  // empty where there is nothing to compare
	Vague         bool   // what is compared is said elsewhere, in other words
}

// likelihoods are how likely it is, in words.
var likelihoods = map[lost.Likelihood]state{lost.Likely: {"Likely", "done"}, lost.Possible: {"Possible", "waiting"}}

// contrasts are how a find goes with a request in one aspect, in words.
var contrasts = map[string]state{"same": {"Same", "same"}, "nearly": {"Nearly", "nearly"}, "other": {"Different", "other"}}

// dayContrasts are those of days: nobody finds a thing before it is lost, and seldom in the same hour.
var dayContrasts = map[string]state{"same": {"Fits", "same"}, "nearly": {"Later", "nearly"}, "other": {"Different", "other"}}

// maxAspect bounds what is shown of each side, so that both can be seen at once.
const maxAspect = 280

// suggest shows what may go with an item.
func (c *call) suggest(i lost.Item, matches []lost.Match) (shown []suggestion, err error) {
	for n, m := range matches {
		s := suggestion{glimpse: glance(m.Other), Likely: likelihoods[m.Likelihood], Reasons: capital(strings.Join(m.Reasons, "; ")), Best: n == 0 && m.Likelihood == lost.Likely}
		if s.Where, err = c.elsewhere(i, m.Other); err != nil {
			return nil, err
		}
		shown = append(shown, s)
	}
	return shown, nil
}

// elsewhere names the location of what may go with an item; nothing where it is the same.
func (c *call) elsewhere(i, other lost.Item) (string, error) {
	if i.LocationID == other.LocationID {
		return "", nil
	}
	all, err := c.places()
	if err != nil {
		return "", err
	}
	if at := slices.IndexFunc(all, func(l lost.Location) bool { return l.ID == other.LocationID }); at >= 0 {
		return all[at].Name, nil
	}
	return "another location", nil // of more than a menu has
}

// suggestFinds shows what may be what a request is about, each beside it. Whoever has just filed or changed the request waits for what is being looked for;
// later the page tells what is known, and nobody waits for others' work.
func (c *call) suggestFinds(i lost.Item) ([]suggestion, error) {
	const news = time.Minute
	look := c.desk.Suggested
	if c.now().Sub(i.UpdatedAt) < news {
		look = c.desk.Matches
	}
	list, err := look(c.ctx(), c.actor(), i.LocationID, i.ID, lost.Page{Number: 1, Limit: mostSuggestions})
	if err != nil {
		return nil, err
	}
	shown, err := c.suggest(i, list.Data)
	for n, m := range list.Data[:len(shown)] {
		shown[n].Fits, shown[n].Aspects = i.MayMatch(m.Other) == nil, aspectsOf(i, m.Other, c.desk.Contrast(i, m.Other))
	}
	return shown, err
}

// aspectsOf sets a find beside a request. What neither says is left out.
func aspectsOf(request, found lost.Item, fits map[string]string) (all []aspect) {
	add := func(name, theirs, other string, fit state) {
		a := aspect{Name: name, Theirs: lost.Shorten(theirs, maxAspect), Found: lost.Shorten(other, maxAspect), Fit: fit, Vague: fit.Word != ""}
		if a.Vague || theirs != "" || other != "" {
			all = append(all, a)
		}
	}
	add("What", request.Description, found.Description, contrasts[fits["what"]])
	add("Brand", request.Brand, found.Brand, contrasts[fits["brand"]])
	add("Model", request.Model, found.Model, contrasts[fits["model"]])
	add("Colour", request.Color, found.Color, contrasts[fits["colour"]])
	add("Where", request.Claim.LostPlace, found.DiscoveryPlace, contrasts[fits["place"]])
	add("When", day(request.Claim.LostDate), foundOn(found), dayContrasts[fits["day"]])
	if found.Notes != "" {
		add("Details", request.Claim.Proof, found.Notes, state{})
	}
	return all
}

// foundOn is the day that matching goes by, in words.
func foundOn(found lost.Item) string {
	if found.DiscoveryDate != "" {
		return day(found.DiscoveryDate)
	}
	recorded, _ := found.SoughtFrom()
	return "Recorded " + day(recorded)
}

// missed is who may miss a find.
type missed struct {
	Requests []suggestion
	Rest     string // how many there are, where they are not all here
}

// missedBy shows the requests that a find may answer. Nobody waits for what is being looked for: the page is about more.
func (c *call) missedBy(i lost.Item) (m missed, err error) {
	if !i.Sought() {
		return m, nil
	}
	list, err := c.desk.Suggested(c.ctx(), c.actor(), i.LocationID, i.ID, lost.Page{Number: 1, Limit: fewSuggestions})
	if err != nil {
		return m, err
	}
	if list.More() {
		m.Rest = "These are the likeliest of " + total(list.Total, "request", "requests") + "."
	}
	m.Requests, err = c.suggest(i, list.Data)
	return m, err
}

// refuseMatch says that a find is not what a request is about.
func (c *call) refuseMatch() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	l, err := c.at()
	if err != nil {
		return err
	}
	id := c.r.PathValue("id")
	found, err := c.desk.AnyItem(c.ctx(), c.actor(), values.Get("item"))
	if err != nil {
		return err
	}
	if err := c.desk.RefuseMatch(c.ctx(), c.actor(), l.ID, id, found.ID); err != nil {
		return err
	}
	told := found.Reference + " is not it, and is not suggested for this request again."
	if found.LocationID == l.ID {
		told += " You still find it by searching."
	}
	c.tell(told)
	return c.see(atPath(l.ID, "/requests/"+id))
}
