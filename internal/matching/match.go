package matching

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
	"homeward/internal/store"
)

// Matcher finds possible matches between requests and found items.
type Matcher struct {
	common       *commonTerms
	meanings     *meanings
	db           *store.DB
	now          func() time.Time
	wake         func()
	wakeMatching func()
}

// MatcherOptions are the dependencies of a Matcher.
type MatcherOptions struct {
	DB           *store.DB
	Embedder     Embedder
	Now          func() time.Time
	Wake         func()
	WakeMatching func()
}

// NewMatcher creates a Matcher.
func NewMatcher(o MatcherOptions) *Matcher {
	return &Matcher{
		common:   &commonTerms{until: map[commonTerm]time.Time{}},
		meanings: newMeanings(o.DB, o.Embedder),
		db:       o.DB, now: o.Now, wake: o.Wake, wakeMatching: o.WakeMatching,
	}
}

// Limits of the search for one item, so that it takes about the same time at every location: the maximum numbers of
// postings read for one term and for all terms, of items compared, and of items suggested.
const (
	postingsOfTerm = 1000
	maxPostings    = 4000
	maxCompared    = 80
	maxSuggested   = 20
)

// subject is an item that is being matched.
type subject struct {
	lost.Item
	pool    string
	profile match.Profile
	terms   []string // terms in the index
	counted []string // all terms of the profile, which are counted in the same way for both items of a match
	refused []string // ids of items that were rejected for a request
	search  int64    // number of this search; a later search has a higher number
}

// Match searches for possible matches of an item. again is true if the search must be repeated, because something
// changed in the meantime. Match is idempotent.
//
// The item is indexed before the search, so that if two items are matched at the same time, at least one of them
// finds the other. Suggestions are saved only for requests. All suggestions of a request come from the same search,
// so that they can be compared with each other. A new found item triggers a new search for the requests that it may
// match.
func (c *Matcher) Match(ctx context.Context, account, id string) (again bool, err error) {
	s, open, again, err := c.index(ctx, account, id)
	if err != nil || !open {
		return again, err
	}
	matches, err := c.rank(ctx, s)
	if err != nil {
		return false, err
	}
	if s.Source == lost.Found {
		return false, c.rematchRequests(ctx, s, matches)
	}
	return c.suggest(ctx, s, matches)
}

// index adds an item to the index, or removes it. open reports whether the item can be matched; again reports whether
// there are more entries to remove.
func (c *Matcher) index(ctx context.Context, account, id string) (s subject, open, again bool, err error) {
	err = c.db.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.LockAccountItem(account, id)
		if err != nil { // the item was deleted together with its index entries
			open = false
			return lost.IgnoreNotFound(err)
		}
		if open = i.Matchable(); !open {
			again, err = conclude(tx, i)
			return err
		}
		l, err := tx.Location(ctx, account, i.LocationID)
		if err != nil {
			return lost.IgnoreNotFound(err)
		}
		s = subjectOf(i, l.Pool())
		if i.Source == lost.Request {
			if s.refused, err = tx.RejectedMatches(ctx, i); err != nil {
				return err
			}
		}
		if err := tx.Index(account, s.indexed()); err != nil {
			return err
		}
		if err := c.meanings.request(tx, i); err != nil {
			return err
		}
		s.search, err = tx.BeginMatching(account, id)
		return err
	})
	if err == nil && !open {
		c.wake() // tasks and suggestions may have changed
	}
	return s, open, again, err
}

// pairBatch is the maximum number of matches of one found item that are changed in one transaction.
const pairBatch = 500

// conclude removes an item from the index and from suggestions, in batches if it has many matches. again reports
// whether matches remain.
func conclude(tx *store.Tx, i lost.Item) (again bool, err error) {
	if err := tx.Unindex(i.Account, i.ID); err != nil {
		return false, err
	}
	if i.Source == lost.Request {
		return false, tx.SaveSuggestions(i, nil)
	}
	return tx.WithdrawMatches(i, pairBatch)
}

// subjectOf returns the subject that represents an item.
func subjectOf(i lost.Item, pool string) subject {
	s := subject{Item: i, pool: pool, profile: profileOf(i)}
	s.counted = s.profile.Terms()
	s.terms = s.counted[:min(len(s.counted), match.MaxTerms)]
	return s
}

func profileOf(i lost.Item, meanings ...match.Vector) match.Profile {
	about := match.Subject{
		Description: i.Description, Brand: i.Brand, Model: i.Model, Color: i.Color, Meanings: meanings,
	}
	about.Serial, about.Category, about.PhotoColors = i.SerialNumber, string(i.Category), lost.PhotoColors(i)
	if day, known := i.MatchDay(); known {
		about.Day = lost.Days(day)
	}
	if i.Source == lost.Request {
		about.More, about.Place = i.Claim.Proof, i.Claim.LostPlace
		about.FirstName, about.LastName = i.Owner.FirstName, i.Owner.LastName
	} else { // a name on a found item is part of its description
		about.More, about.Place = strings.TrimSpace(i.Notes+"\n"+i.Owner.FirstName+" "+i.Owner.LastName),
			i.DiscoveryPlace
	}
	return match.Read(about)
}

func (s subject) indexed() store.MatchSubject {
	return store.MatchSubject{
		Account: s.Account, ItemID: s.ID, Pool: s.pool, Source: s.Source, Day: s.day(), Terms: s.terms,
	}
}

// day returns the day under which an item is indexed: the day when it was lost or found, as far as it is known.
func (s subject) day() int {
	day, _ := s.MatchDay()
	return lost.Days(day)
}

// rank compares an item with the items that share the most terms with it, and returns the possible matches, best
// first.
func (c *Matcher) rank(ctx context.Context, s subject) ([]lost.Match, error) {
	counts, err := c.count(ctx, s, lost.Found)
	if err != nil {
		return nil, err
	}
	other, there := lost.Found, counts
	if s.Source == lost.Found {
		other = lost.Request
		if there, err = c.count(ctx, s, lost.Request); err != nil {
			return nil, err
		}
	}
	search := store.CandidateSearch{
		Account: s.Account, Pool: s.pool, Source: other, LimitPerTerm: postingsOfTerm,
		Terms: hints(s.terms, counts, there),
	}
	search.From, search.To, search.LatestFirst = s.window()
	ids, err := c.db.Candidates(ctx, search, maxCompared+len(s.refused))
	if err != nil {
		return nil, err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(s.refused, id) })
	ids = ids[:min(len(ids), maxCompared)]
	if id := s.Claim.RegisterItemID; id != "" && !slices.Contains(ids, id) && !slices.Contains(s.refused, id) {
		ids = append(ids, id)
	}
	items, err := c.db.MatchableItems(ctx, s.Account, ids)
	if err != nil {
		return nil, err
	}
	vectors, err := c.meanings.vectorsOf(ctx, s.Account, append(ids, s.ID))
	if err != nil {
		return nil, err
	}
	return s.compare(items, counts, vectors, nil), nil
}

// window returns the range of days to search, and whether to search the latest days first. If the day of the loss is
// unknown, only the day of the report is known, and the loss may have been much earlier.
func (s subject) window() (from, to int, latestFirst bool) {
	day := s.day()
	if _, known := s.MatchDay(); s.Source == lost.Request && known {
		return day - match.DaysBefore, day + match.DaysAfter, false
	}
	return day - match.DaysAfter, day + match.DaysAfter, true
}

// hints chooses the terms to search for: the rarest first, up to a limited number of postings. The weight of a term
// is its rarity among found items, as an integer, so that every database computes the same sum.
func hints(terms []string, finds, there map[string]int) []store.WeightedTerm {
	rarest := slices.Clone(terms)
	slices.SortFunc(rarest, func(x, y string) int { return cmp.Or(cmp.Compare(there[x], there[y]), cmp.Compare(x, y)) })
	var chosen []store.WeightedTerm
	left := maxPostings
	for _, term := range rarest {
		n := min(there[term], postingsOfTerm)
		if n == 0 {
			continue
		}
		if left -= n; left < 0 {
			break
		}
		const unit = 1000
		rarity := math.Log(float64(finds[""]+2) / float64(finds[term]+1))
		chosen = append(chosen, store.WeightedTerm{Term: term, Weight: 1 + int(math.Round(unit*max(0, rarity)))})
	}
	return chosen
}

// compare returns the items that may match the subject, best first. For a request, these are the items to suggest. The
// score is the probability that an item is the right one among those of the request. The vectors are those of the
// subject and the items, by id. For a found item, competing tells how much speaks for the other items of each request.
func (s subject) compare(items []lost.Item, counts match.Counts, vectors map[string][]match.Vector,
	competing map[string]int) (matches []lost.Match) {
	own := s.profile
	if len(vectors[s.ID]) > 0 {
		own = profileOf(s.Item, vectors[s.ID]...)
	}
	scores := make([]match.Score, len(items))
	for n, i := range items {
		request, found := own, profileOf(i, vectors[i.ID]...)
		if s.Source == lost.Found {
			request, found = found, request
		}
		scores[n] = match.Compare(request, found, counts)
	}
	order := make([]int, 0, len(items))
	for n, i := range items {
		if scores[n].Suggested() || s.claims(i) {
			order = append(order, n)
		}
	}
	s.sort(order, items, func(n int) float64 { return scores[n].Value })
	against := make([]int, len(items))
	if s.Source == lost.Request {
		order = order[:min(len(order), maxSuggested)]
		values := make([]float64, len(order))
		for n, at := range order {
			values[n] = scores[at].Value
		}
		for n, sum := range match.CompetingEvidence(values) {
			against[order[n]] = sum
		}
	} else {
		for n, i := range items {
			against[n] = competing[i.ID]
		}
		s.sort(order, items, func(n int) float64 { return match.Chance(scores[n].Value, against[n]) })
	}
	for _, n := range order {
		matches = append(matches, s.match(items[n], scores[n], against[n]))
	}
	return matches
}

// sort sorts the positions of items: first what was chosen in the public register, then by value.
func (s subject) sort(order []int, items []lost.Item, value func(int) float64) {
	slices.SortFunc(order, func(x, y int) int {
		if a, b := s.claims(items[x]), s.claims(items[y]); a != b {
			return compareBool(b, a)
		}
		return cmp.Or(cmp.Compare(value(y), value(x)), cmp.Compare(items[x].ID, items[y].ID))
	})
}

// match returns the match of the subject with an item.
func (s subject) match(i lost.Item, score match.Score, competing int) lost.Match {
	m := lost.Match{
		RequestID: s.ID, ItemID: i.ID, Other: i, Likelihood: lost.Unlikely, CompetingEvidence: competing,
		Features: score.Evidence.Named(),
	}
	chance := match.Chance(score.Value, competing)
	if s.Source == lost.Found {
		m.RequestID, m.ItemID = i.ID, s.ID
	}
	const million = 1_000_000
	m.Score = max(1, int(math.Round(chance*million)))
	if s.claims(i) {
		m.Reasons = append(m.Reasons, lost.Reason{Code: "register", Text: "chosen in the public register"})
	}
	for _, r := range score.Reasons {
		m.Reasons = append(m.Reasons, lost.Reason(r))
	}
	switch {
	case match.Likely(chance):
		m.Likelihood = lost.Likely
		return m
	case match.Possible(chance), s.claims(i):
		m.Likelihood = lost.Possible
	}
	if score.Likely() {
		m.Reasons = append(m.Reasons, lost.Reason(match.OthersFit()))
	}
	return m
}

// claims reports whether the claimant chose the find in the location's public register. The pair is suggested first,
// whatever the claimant has written, so that the desk can compare the two. It is likely only if the texts are.
func (s subject) claims(i lost.Item) bool {
	if s.Source == lost.Found {
		return i.Claim.RegisterItemID == s.ID
	}
	return s.Claim.RegisterItemID == i.ID && i.ID != ""
}

// rematchRequests triggers a new search for the requests that a found item may match, and for the requests for which
// it is already suggested.
func (c *Matcher) rematchRequests(ctx context.Context, s subject, matches []lost.Match) error {
	defer c.wakeMatching()
	var requests []string
	for _, m := range matches {
		requests = append(requests, m.RequestID)
	}
	for after := ""; ; {
		shown, err := c.db.RequestsWithSuggestion(ctx, s.Item, after, pairBatch)
		if requests = append(requests, shown...); err != nil || len(requests) == 0 {
			return err
		}
		err = c.db.Write(ctx, func(tx *store.Tx) error { return tx.AddMatchJobs(s.Account, requests, s.UpdatedAt) })
		if err != nil || len(shown) < pairBatch {
			return err
		}
		requests, after = nil, shown[len(shown)-1]
	}
}

// suggest saves matches as the suggestions for a request, if none of the compared items has changed.
func (c *Matcher) suggest(ctx context.Context, s subject, matches []lost.Match) (again bool, err error) {
	matches = matches[:min(len(matches), maxSuggested)]
	compared := []lost.Item{s.Item}
	for _, m := range matches {
		compared = append(compared, m.Other)
	}
	err = c.db.Write(ctx, func(tx *store.Tx) error {
		same, err := tx.LockIfUnchanged(compared)
		if again = !same; err != nil || again {
			return err
		}
		latest, err := tx.LatestMatching(s.Account, s.ID)
		if again = latest != s.search; err != nil || again { // a later search has newer data
			return err
		}
		return tx.SaveSuggestions(s.Item, matches)
	})
	if err == nil && !again {
		c.wake() // tasks may have changed
	}
	return again, err
}
