package frame

import (
	"slices"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
)

// Suggestion is a possible match: a found item for a request, or a request for a found item.
type Suggestion struct {
	ItemSummary
	Likely  State
	Reasons string
	Where   string // the name of the match's location, if the two locations differ
	Fits    bool   // the request can be answered with this item
	Best    bool   // the first suggestion, if it is a likely match
	Aspects []Aspect
	Tracker string // says that the claimant has shared a tracker link; empty if not

	Compared ComparedPhotos
}

// Aspect compares a request and a found item in one respect.
type Aspect struct {
	Name          string
	Theirs, Found string // empty if unknown
	Fit           State  // empty if there is nothing to compare
	Vague         bool   // a field is empty, but the description mentions its value
}

// describeLikelihood returns the label that shows how likely a match is.
func describeLikelihood(l Locale, of lost.Likelihood) State {
	switch of {
	case lost.Likely:
		return State{l.Say("frame.match.likely"), "done"}
	case lost.Possible:
		return State{l.Say("frame.match.possible"), "waiting"}
	case lost.Unlikely:
		return State{l.Say("frame.match.unlikely"), "over"}
	default:
		return State{}
	}
}

// DescribeLikelihoods says how often matches of each likelihood are right.
func (l Locale) DescribeLikelihoods() string {
	return l.Say("frame.match.meaning", "likely", lost.Likely.PercentRight(), "possible", lost.Possible.PercentRight(),
		"unlikely", lost.Unlikely.PercentRight())
}

// Suggest prepares the matches of an item for a page.
func (c *Call) Suggest(i lost.Item, matches []lost.Match) (shown []Suggestion, err error) {
	for n, m := range matches {
		s := Suggestion{
			ItemSummary: c.SummarizeItem(m.Other), Likely: describeLikelihood(c.Locale, m.Likelihood),
			Reasons: explainMatch(c.Locale, m.Reasons), Best: n == 0 && m.Likelihood == lost.Likely,
		}
		if m.Other.Claim.Tracker(c.Now()) != "" {
			s.Tracker = c.Say("frame.match.tracker")
		}
		if s.Where, err = c.OtherLocation(i, m.Other); err != nil {
			return nil, err
		}
		shown = append(shown, s)
	}
	return shown, nil
}

// adjectives are the reasons whose terms are not nouns. German nouns begin with a capital letter.
var adjectives = []string{"same-pattern", "same-details"}

// explainMatch returns the reasons of a match as one text.
func explainMatch(l Locale, reasons []lost.Reason) string {
	var texts []string
	for _, r := range reasons {
		text := l.Say("frame.reason."+r.Code, "n", r.Days)
		var terms []string
		for _, word := range r.Words {
			if inner, ok := strings.CutPrefix(word, "“"); ok { // a quotation
				word = l.Say("frame.quoted", "text", strings.TrimSuffix(inner, "”"))
			}
			terms = append(terms, word)
		}
		for _, term := range r.Terms {
			if word := match.TermIn(l.Tag(), term); word != "" { // the dictionary lacks some languages
				if l.Tag() == "de" && !slices.Contains(adjectives, r.Code) {
					word = Capitalize(word)
				}
				terms = append(terms, word)
			}
		}
		if len(terms) > 0 {
			text = l.Say("frame.reason.terms", "reason", text, "terms", l.Enumerate(terms...))
		}
		texts = append(texts, text)
	}
	return Capitalize(l.JoinClauses(texts...))
}

// OtherLocation returns the name of the location of other, a match of i. It is empty if both are at the same location.
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
	return c.Say("frame.match.elsewhere"), nil // the location is not among those that the menu lists
}
