package lost

import "time"

// Likelihood says how likely it is that a found item answers a request. Items that are less than possible are not
// suggested.
type Likelihood string

// The likelihoods.
const (
	Likely   Likelihood = "likely"
	Possible Likelihood = "possible"
)

// Likelihoods lists them, the best first.
func Likelihoods() []Likelihood { return []Likelihood{Likely, Possible} }

// Match is a found item that may answer a request. It is a suggestion: people decide.
type Match struct {
	RequestID  string
	ItemID     string
	Score      int // in millionths
	Likelihood Likelihood
	Reasons    []string // in words
	// the found item, if it is suggested for a request; the request, if it is suggested for a found item
	Other Item
}

// Matchable reports whether an item can still be matched: a pending request, or a found item whose owner is not known.
func (i Item) Matchable() bool {
	if i.Source == Request {
		return i.Claim.State == RequestPending
	}
	return i.Status == Pending && i.Owner.Address() == ""
}

// NeedsMatching reports whether a change of an item affects its matches.
func NeedsMatching(before, i Item) bool {
	if i.Matchable() != before.Matchable() {
		return true
	}
	return i.Matchable() && matchTexts(i) != matchTexts(before)
}

// matchTexts returns the texts that matching compares.
func matchTexts(i Item) [11]string {
	return [...]string{
		i.Description, i.Brand, i.Model, i.Color, i.Notes, i.DiscoveryPlace, i.DiscoveryDate, i.Claim.Proof,
		i.Claim.LostPlace, i.Claim.LostDate,
		i.Owner.FirstName + "\n" + i.Owner.LastName,
	}
}

// MatchDay is the day on which an item was found or lost. Without a date it is the day on which it was recorded; for
// a request the day of the loss is then not known.
func (i Item) MatchDay() (day string, known bool) {
	day = i.DiscoveryDate
	if i.Source == Request {
		day = i.Claim.LostDate
	}
	if day != "" {
		return day, true
	}
	return i.CreatedAt.In(zone(i.Terms.TimeZone)).Format(DateForm), i.Source == Found
}

// Days returns the number of days from 1970 to a date, or 0 if it is not a date.
func Days(date string) int {
	t, err := time.Parse(DateForm, date)
	if err != nil {
		return 0
	}
	return int(t.Unix() / (24 * 60 * 60))
}

// Matching says what a location's found items and requests are compared with.
type Matching struct {
	Sisters bool // also with those of the account's other locations that have it set
}

// MatchingPatch merges into a Matching.
type MatchingPatch struct{ Sisters Field[bool] }

// sisterPool is the pool of all sister locations of an account. It is never the id of a location.
const sisterPool = "*"

// Pool names the set that the location's found items and requests are compared in: its own, or that of all sister
// locations.
func (l Location) Pool() string {
	if l.Matching.Sisters {
		return l.SisterPool()
	}
	return l.OwnPool()
}

// OwnPool is the pool of the location alone.
func (l Location) OwnPool() string { return l.ID }

// SisterPool is the pool of all sister locations of the account.
func (Location) SisterPool() string { return sisterPool }

// SameMatching reports whether two states of a location match items in the same way.
func (l Location) SameMatching(o Location) bool {
	return l.Matching == o.Matching && l.TimeZone == o.TimeZone
}

func (p LocationPatch) applyMatching(c *check, l *Location) {
	applyObject(p.Matching, &l.Matching, func(p MatchingPatch, dst *Matching) {
		if f := p.Sisters; f.Sent && !c.Has("matching.sisters") {
			dst.Sisters = f.Value && !f.Null
		}
	})
}
