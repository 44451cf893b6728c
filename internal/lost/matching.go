package lost

import (
	"slices"
	"strings"
	"time"
)

// Likelihood tells how likely it is that a found item matches a request.
type Likelihood string

// The likelihoods.
const (
	Likely   Likelihood = "likely"
	Possible Likelihood = "possible"
	Unlikely Likelihood = "unlikely"
)

// Likelihoods lists all likelihoods, the most likely first.
func Likelihoods() []Likelihood { return []Likelihood{Likely, Possible, Unlikely} }

// PercentRight returns how many of a hundred matches of a likelihood are right. It is measured for words that nobody
// foresaw, see docs/develop/matching.md.
func (l Likelihood) PercentRight() int {
	const likely, possible, unlikely = 95, 54, 2
	switch l {
	case Likely:
		return likely
	case Possible:
		return possible
	}
	return unlikely
}

// Match is a found item that may match a request. The desk decides whether it does.
type Match struct {
	RequestID  string
	ItemID     string
	Score      int // in millionths
	Likelihood Likelihood
	Reasons    []Reason
	// CompetingEvidence is how much speaks for the other items that the request was compared with.
	CompetingEvidence int
	Features          map[string]float64 // the evidence that the score was computed from
	// Other is the found item in the matches of a request, and the request in the matches of a found item.
	Other Item
}

// MatchOutcome counts the desk's decisions about suggestions of a likelihood whose scores have the same first digit.
type MatchOutcome struct {
	Likelihood        Likelihood
	Tenth             int // the first digit of the scores
	Decided, Accepted int
	First, Last       time.Time // when the first and the last one were decided
}

// Reason explains to people why a found item may match a request, or why not.
type Reason struct {
	Code  string
	Text  string   // in English
	Terms []string // the names of concepts that both have
	Words []string // words and figures that both contain, in quotation marks
	Days  int      // from the loss to the find
}

// Matchable reports whether an item can be matched: it is a pending request, or a found item without a known owner.
func (i Item) Matchable() bool {
	if i.Source == Request {
		return i.Claim.State == RequestPending
	}
	return i.Status == Pending && i.Owner.Address() == ""
}

// NeedsMatching reports whether a change to an item affects its matches.
func NeedsMatching(before, i Item) bool {
	if i.Matchable() != before.Matchable() {
		return true
	}
	return i.Matchable() && matchTexts(i) != matchTexts(before)
}

// matchTexts returns the texts that matching compares.
func matchTexts(i Item) [14]string {
	return [...]string{
		strings.Join(PhotoColors(i), " "),
		i.Description, i.Brand, i.Model, i.Color, i.Notes, i.DiscoveryPlace, i.DiscoveryDate, i.Claim.Proof,
		i.Claim.LostPlace, i.Claim.LostDate,
		i.Owner.FirstName + "\n" + i.Owner.LastName, i.SerialNumber, string(i.Category),
	}
}

// MatchDay returns the day on which an item was found or lost. Without a date it is the day on which the item was
// recorded; for requests, known is then false.
func (i Item) MatchDay() (day string, known bool) {
	day = i.DiscoveryDate
	if i.Source == Request {
		day = i.Claim.LostDate
	}
	if day != "" {
		return day, true
	}
	return i.CreatedAt.In(i.Terms.Zone()).Format(DateLayout), i.Source == Found
}

// Days returns the number of days from 1 January 1970 to a date, or 0 if it is not a date.
func Days(date string) int {
	t, err := time.Parse(DateLayout, date)
	if err != nil {
		return 0
	}
	return int(t.Unix() / (24 * 60 * 60))
}

// Matching contains the matching settings of a location.
type Matching struct {
	Sisters bool // match with the other locations of the account that also have this set
	// Hint is the likelihood from which a claimant's page says that the item may have been found: HintOff, HintPossible
	// or HintLikely. Empty means HintOff.
	Hint string
}

// The values of Matching.Hint.
const (
	HintOff      = "off"
	HintPossible = string(Possible)
	HintLikely   = string(Likely)
)

// Hints lists the values of Matching.Hint.
func Hints() []string { return []string{HintOff, HintPossible, HintLikely} }

// HintFrom returns the likelihoods of which a claimant's page says that the item may have been found.
func (m Matching) HintFrom() []Likelihood {
	switch m.Hint {
	case HintPossible:
		return []Likelihood{Likely, Possible}
	case HintLikely:
		return []Likelihood{Likely}
	}
	return nil
}

// MatchingPatch changes some fields of a Matching.
type MatchingPatch struct {
	Sisters Field[bool]
	Hint    Field[string]
}

// sisterPool is the name of the pool of all sister locations of an account. It cannot be the id of a location.
const sisterPool = "*"

// Pool returns the name of the pool in which the location's found items and requests are matched: the location's own
// pool, or the pool of all sister locations.
func (l Location) Pool() string {
	if l.Matching.Sisters {
		return l.SisterPool()
	}
	return l.OwnPool()
}

// OwnPool returns the name of the pool of this location only.
func (l Location) OwnPool() string { return l.ID }

// SisterPool returns the name of the pool of all sister locations of the account.
func (Location) SisterPool() string { return sisterPool }

// SameMatching reports whether two states of a location have the same settings for matching.
func (l Location) SameMatching(o Location) bool {
	return l.Matching.Sisters == o.Matching.Sisters && l.TimeZone == o.TimeZone
}

func (p LocationPatch) applyMatching(c *check, l *Location) {
	applyObject(p.Matching, &l.Matching, func(p MatchingPatch, dst *Matching) {
		if f := p.Sisters; f.Sent && !c.Has("matching.sisters") {
			dst.Sisters = f.Value && !f.Null
		}
		f := p.Hint
		if !f.Sent || c.Has("matching.hint") {
			return
		}
		switch {
		case f.Null || f.Value == "" || f.Value == HintOff:
			dst.Hint = ""
		case slices.Contains(Hints(), f.Value):
			dst.Hint = f.Value
		default:
			c.Add("matching.hint", "not-allowed", "must be off, possible or likely")
		}
	})
}

// SearchResults is what a search over all kinds of records finds, best first.
type SearchResults struct {
	Items    []Item // found items
	Requests []Item
	Guests   []FoundGuest
	Exact    map[string]bool // the ids of the items and requests that contain every word as typed
}

// FoundGuest is a guest whose name, e-mail address or phone number matches a search, with their records that were
// found.
type FoundGuest struct {
	Owner
	Records []Item
}
