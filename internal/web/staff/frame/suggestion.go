package frame

import (
	"slices"
	"strings"

	"homeward/internal/lost"
)

// Suggestion is something that may go with an item: a find with a request, or the other way round.
type Suggestion struct {
	ItemSummary
	Likely  State
	Reasons string
	Where   string // the location, where it is another
	Fits    bool   // the request can be answered with the find
	Best    bool   // it is the first, and likely
	Aspects []Aspect
}

// Aspect is one line in which a request and a find stand side by side.
type Aspect struct {
	Name          string
	Theirs, Found string // empty where nobody says
	Fit           State  // empty where there is nothing to compare
	Vague         bool   // what is compared is said elsewhere, in other words
}

// likelihoods are how likely it is, in words.
var likelihoods = map[lost.Likelihood]State{lost.Likely: {"Likely", "done"}, lost.Possible: {"Possible", "waiting"}}

// Suggest shows what may go with an item.
func (c *Call) Suggest(i lost.Item, matches []lost.Match) (shown []Suggestion, err error) {
	for n, m := range matches {
		s := Suggestion{ItemSummary: SummarizeItem(m.Other), Likely: likelihoods[m.Likelihood], Reasons: Capitalize(strings.Join(m.Reasons, "; ")), Best: n == 0 && m.Likelihood == lost.Likely}
		if s.Where, err = c.OtherLocation(i, m.Other); err != nil {
			return nil, err
		}
		shown = append(shown, s)
	}
	return shown, nil
}

// OtherLocation names the location of what may go with an item; nothing where it is the same.
func (c *Call) OtherLocation(i, other lost.Item) (string, error) {
	if i.LocationID == other.LocationID {
		return "", nil
	}
	all, err := c.Locations()
	if err != nil {
		return "", err
	}
	if at := slices.IndexFunc(all, func(l lost.Location) bool { return l.ID == other.LocationID }); at >= 0 {
		return all[at].Name, nil
	}
	return "another location", nil // of more than a menu has
}
