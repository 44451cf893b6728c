package lost

import "time"

// Likelihood says in a word how likely it is that a find is what a request is about. What is less than possible is not suggested.
type Likelihood string

// The likelihoods.
const (
	Likely   Likelihood = "likely"
	Possible Likelihood = "possible"
)

// Likelihoods lists them, the best first.
func Likelihoods() []Likelihood { return []Likelihood{Likely, Possible} }

// Match is a find that may be what a request is about. It is a suggestion: people decide.
type Match struct {
	RequestID  string
	ItemID     string
	Score      int // in millionths
	Likelihood Likelihood
	Reasons    []string // in words
	Other      Item     // the find, where it is suggested for a request; the request, where it is suggested for a find
}

// Sought tells whether an item can still be matched: a request that waits for an answer, or a find that waits for an owner nobody knows how to reach.
func (i Item) Sought() bool {
	if i.Source == Request {
		return i.Claim.State == RequestPending
	}
	return i.Status == Pending && i.Owner.Address() == ""
}

// MatchAnew tells whether a change matters to what an item is matched with.
func (i Item) MatchAnew(before Item) bool {
	if i.Sought() != before.Sought() {
		return true
	}
	return i.Sought() && i.told() != before.told()
}

// told is what matching goes by.
func (i Item) told() [11]string {
	return [...]string{
		i.Description, i.Brand, i.Model, i.Color, i.Notes, i.DiscoveryPlace, i.DiscoveryDate, i.Claim.Proof, i.Claim.LostPlace, i.Claim.LostDate,
		i.Owner.FirstName + "\n" + i.Owner.LastName,
	}
}

// SoughtFrom is the day on which an item was found or lost. Where nobody says, a find counts from the day it was recorded; when a request's
// loss was is then not known, only when it was filed.
func (i Item) SoughtFrom() (day string, known bool) {
	day = i.DiscoveryDate
	if i.Source == Request {
		day = i.Claim.LostDate
	}
	if day != "" {
		return day, true
	}
	return i.CreatedAt.In(zone(i.Terms.TimeZone)).Format(DateForm), i.Source == Found
}

// Days counts the days from 1970 to a date, 0 for what is none.
func Days(date string) int {
	t, err := time.Parse(DateForm, date)
	if err != nil {
		return 0
	}
	return int(t.Unix() / (24 * 60 * 60))
}

// Matching is with what a location's finds and requests are compared.
type Matching struct {
	Sisters bool // also with those of the account's other locations that have it set
}

// MatchingPatch merges into a Matching.
type MatchingPatch struct{ Sisters Field[bool] }

// sisterPool is the pool of all sister locations of an account. No location has such an id.
const sisterPool = "*"

// Pool names what the location's finds and requests are compared with: its own, or those of all sister locations.
func (l Location) Pool() string {
	if l.Matching.Sisters {
		return l.SisterPool()
	}
	return l.OwnPool()
}

// OwnPool is that of the location alone.
func (l Location) OwnPool() string { return l.ID }

// SisterPool is that of all sister locations of the account.
func (Location) SisterPool() string { return sisterPool }

// SameMatching tells whether items are matched alike in two states of a location.
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
