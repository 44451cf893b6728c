package matching

import (
	"context"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/lost/match"
	"homeward/internal/store"
)

// Suggestions lists matches for staff, who accept or reject them.
type Suggestions struct {
	db           *store.DB
	reader       *access.Reader
	change       *change.Items
	matcher      *Matcher
	maxWait      time.Duration
	wake         func()
	wakeMatching func()
}

// SuggestionsOptions are the dependencies of Suggestions.
type SuggestionsOptions struct {
	DB           *store.DB
	Reader       *access.Reader
	Change       *change.Items
	Matcher      *Matcher
	MaxWait      time.Duration
	Wake         func()
	WakeMatching func()
}

// NewSuggestions returns new Suggestions.
func NewSuggestions(o SuggestionsOptions) *Suggestions {
	return &Suggestions{
		db: o.DB, reader: o.Reader, change: o.Change, matcher: o.Matcher, maxWait: o.MaxWait, wake: o.Wake,
		wakeMatching: o.WakeMatching,
	}
}

// MaxMatches is the maximum number of matches that are listed for one item.
const MaxMatches = 100

// Matches lists the suggestions for a request or a found item, best first. It waits up to MaxWait for pending
// searches. The list is marked as pending if they have not finished by then.
func (g *Suggestions) Matches(ctx context.Context, a lost.Actor, location, id string,
	page lost.Page) (lost.List[lost.Match], error) {
	if _, err := g.reader.Item(ctx, a, location, id); err != nil { // checked before waiting
		return lost.List[lost.Match]{}, err
	}
	due, err := g.awaitMatching(ctx, a.Account, location)
	if err != nil {
		return lost.List[lost.Match]{}, err
	}
	return g.list(ctx, a, location, id, page, due)
}

// Suggested is like Matches, but does not wait. The list is marked as pending while this item has yet to be matched.
func (g *Suggestions) Suggested(ctx context.Context, a lost.Actor, location, id string,
	page lost.Page) (lost.List[lost.Match], error) {
	return g.list(ctx, a, location, id, page, false)
}

// list lists the saved suggestions. Their likelihoods are computed from the current items of the location. Those of a
// found item also depend on the other items that the last search for each request found. due reports whether items of
// the location have yet to be matched.
func (g *Suggestions) list(ctx context.Context, a lost.Actor, location, id string, page lost.Page,
	due bool) (lost.List[lost.Match], error) {
	list := lost.List[lost.Match]{Page: page, Data: []lost.Match{}}
	i, err := g.reader.Item(ctx, a, location, id)
	if err != nil || !i.Matchable() {
		return list, err
	}
	l, err := g.db.Location(ctx, a.Account, location)
	if err != nil {
		return list, err
	}
	own, err := g.db.HasMatchJob(ctx, i) // read first: a job that ends later only completes the list
	if err != nil {
		return list, err
	}
	list.Pending = due || own
	matches, err := g.db.Matches(ctx, i, l.Matching, a.Locations, MaxMatches)
	if err != nil || len(matches) == 0 {
		return list, err
	}
	saved := matches
	if matches, err = g.compareAgain(ctx, subjectOf(i, l.Pool()), saved); err != nil {
		return list, err
	}
	g.searchAgain(ctx, a.Account, changedLikelihood(saved, matches))
	list.Data = matches[min(page.Offset(), len(matches)):min(page.Offset()+page.Limit, len(matches))]
	list.Total = lost.TotalOf(len(matches))
	return list, nil
}

// changedLikelihood returns the requests that have a suggestion whose likelihood has changed since the suggestion was
// saved. The likelihood changes because words become more common as more items are found.
func changedLikelihood(saved, now []lost.Match) (requests []string) {
	likelihood := make(map[string]lost.Likelihood, len(now))
	for _, m := range now {
		likelihood[m.Other.ID] = m.Likelihood
	}
	for _, m := range saved {
		if likelihood[m.Other.ID] != m.Likelihood {
			requests = append(requests, m.RequestID)
		}
	}
	return requests
}

// searchAgain triggers a new search for requests, so that their tasks match the suggestions that pages show. It
// ignores errors, because its caller only reads, and the next caller tries again.
func (g *Suggestions) searchAgain(ctx context.Context, account string, requests []string) {
	if len(requests) == 0 {
		return
	}
	_ = g.db.Write(ctx, func(tx *store.Tx) error { return tx.AddMatchJobs(account, requests, tx.Now()) })
	g.wakeMatching()
}

// compareAgain compares a subject with its suggestions again and returns the updated suggestions.
func (g *Suggestions) compareAgain(ctx context.Context, s subject, matches []lost.Match) ([]lost.Match, error) {
	counts, err := g.matcher.count(ctx, s, lost.Found)
	if err != nil {
		return nil, err
	}
	items, competing, ids := make([]lost.Item, len(matches)), make(map[string]int, len(matches)), []string{s.ID}
	for n, m := range matches {
		items[n], competing[m.Other.ID], ids = m.Other, m.CompetingEvidence, append(ids, m.Other.ID)
	}
	vectors, err := g.matcher.meanings.vectorsOf(ctx, s.Account, ids)
	if err != nil {
		return nil, err
	}
	return s.compare(items, counts, vectors, competing), nil
}

// RequestMatches is like Matches, but returns a NotFound error unless the item is a request.
func (g *Suggestions) RequestMatches(ctx context.Context, a lost.Actor, location, id string,
	page lost.Page) (lost.List[lost.Match], error) {
	if _, err := g.reader.Request(ctx, a, location, id); err != nil {
		return lost.List[lost.Match]{}, err
	}
	return g.Matches(ctx, a, location, id, page)
}

// FindMatches is like Matches, but returns a NotFound error unless the item is a found item.
func (g *Suggestions) FindMatches(ctx context.Context, a lost.Actor, location, id string,
	page lost.Page) (lost.List[lost.Match], error) {
	i, err := g.reader.Item(ctx, a, location, id)
	if err == nil && i.Source != lost.Found {
		err = lost.Missing("found item")
	}
	if err != nil {
		return lost.List[lost.Match]{}, err
	}
	return g.Matches(ctx, a, location, id, page)
}

// LikelyElsewhere reports whether a request has a likely match at a location that the actor cannot see. It reveals
// nothing else about the match.
func (g *Suggestions) LikelyElsewhere(ctx context.Context, a lost.Actor, request lost.Item) (bool, error) {
	if a.Locations == nil {
		return false, nil
	}
	if err := access.MayView(a, request.LocationID, "request"); err != nil {
		return false, err
	}
	return g.db.HasMatch(ctx, request, []lost.Likelihood{lost.Likely}, a.Locations...)
}

// Hint reports whether a claimant's page may say that the item may have been found: the location allows it, and a found
// item may be the right one with the likelihood that it has chosen. It reveals nothing else.
func (g *Suggestions) Hint(ctx context.Context, l lost.Location, request lost.Item) (bool, error) {
	from := l.Matching.HintFrom()
	if from == nil || !request.Matchable() {
		return false, nil
	}
	return g.db.HasMatch(ctx, request, from)
}

// awaitMatching waits until a location's pending items have been matched, but no longer than maxWait. It
// reports whether some are still pending.
func (g *Suggestions) awaitMatching(ctx context.Context, account, location string) (due bool, err error) {
	const pause = 20 * time.Millisecond
	asked, start := g.db.Now(), time.Now()
	l, err := g.db.Location(ctx, account, location)
	if err != nil {
		return false, err
	}
	for {
		due, err := g.db.IsMatchingDue(ctx, l, asked)
		if err != nil || !due || time.Since(start) >= g.maxWait {
			return due, err
		}
		select {
		case <-ctx.Done():
			return due, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Contrast compares a found item with a request, aspect by aspect. See match.Contrast.
func (g *Suggestions) Contrast(request, found lost.Item) map[match.Aspect]match.Fit {
	return match.Contrast(profileOf(request), profileOf(found))
}

// RejectMatch records that a found item does not match a request. The item is never suggested for this request again.
func (g *Suggestions) RejectMatch(ctx context.Context, a lost.Actor, location, request, item string) error {
	_, err := g.change.Item(ctx, a, location, request, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(a, lost.Unmatched, tx.Now())
		if i.Source != lost.Request {
			return entry, lost.Missing("request")
		}
		if err := i.Claim.MayDismissMatch(); err != nil {
			return entry, err
		}
		found, err := change.LockPartner(tx, a, *i, item)
		if err != nil {
			return entry, err
		}
		if found.Source != lost.Found {
			return entry, lost.Missing("item")
		}
		if err := tx.AddMatchExample(a.Account, request, item, false); err != nil {
			return entry, err
		}
		changed, err := tx.RejectMatch(*i, found, a.ID)
		if err != nil || !changed {
			return entry, err
		}
		entry.Note = lost.Note(lost.NoteNoMatch, found.Reference)
		of := lost.NewEntry(a, lost.Unmatched, tx.Now())
		of.Note = lost.Note(lost.NoteNoMatchFor, i.Reference)
		return entry, tx.AddHistory(found, of)
	})
	if err == nil {
		g.wake()
	}
	return err
}
