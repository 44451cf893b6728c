package desk

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
	"homeward/internal/store"
)

// How many are looked at for one item, so that it takes about the same time wherever it is: postings of each term and of all, items that are compared, and
// items that are suggested.
const (
	postingsOfTerm = 1000
	mostPostings   = 4000
	mostCompared   = 80
	mostSuggested  = 20
)

// subject is what is being matched.
type subject struct {
	lost.Item
	pool    string
	profile match.Profile
	terms   []string // that it is found by
	counted []string // and all that others may share with it, so that either of two counts what both say
	refused []string // of a request: what it is not about
	look    int64    // which of the looks for it this is
}

// Match looks for what an item may be matched with. It tells whether it is to be done again, because somebody changed something in the meantime; it may always be.
//
// First the item is made one that others find, and only then does it look for them: of two that appear at once, at least one finds the other. Suggestions are kept
// with requests alone, all of one from the same look, so that they can be weighed against each other. What a new find may answer is looked at again.
func (d *Desk) Match(ctx context.Context, account, id string) (again bool, err error) {
	s, open, again, err := d.index(ctx, account, id)
	if err != nil || !open {
		return again, err
	}
	matches, err := d.rank(ctx, s)
	if err != nil {
		return false, err
	}
	if s.Source == lost.Found {
		return false, d.tellRequests(ctx, s, matches)
	}
	return d.suggest(ctx, s, matches)
}

// index makes an item one that is found by others, or no longer. It tells whether there is anything to look for, and whether there is more to end.
func (d *Desk) index(ctx context.Context, account, id string) (s subject, open, again bool, err error) {
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.LockAnyItem(account, id)
		if err != nil { // it was deleted, and all this with it
			open = false
			return lost.UnlessMissing(err)
		}
		if open = i.Sought(); !open {
			again, err = conclude(tx, i)
			return err
		}
		l, err := tx.Location(ctx, account, i.LocationID)
		if err != nil {
			return lost.UnlessMissing(err)
		}
		s = subjectOf(i, l.Pool())
		if i.Source == lost.Request {
			s.refused, err = tx.Refused(ctx, i)
		}
		if err = cmp.Or(err, tx.Index(account, s.indexed())); err == nil {
			s.look, err = tx.BeginLook(account, id)
		}
		return err
	})
	if err == nil && !open {
		d.nudge() // a task may be done, or a place be free for another find
	}
	return s, open, again, err
}

// somePairs is how many pairs of one find are seen to in one transaction.
const somePairs = 500

// conclude ends the matching of an item, of a find with many pairs in pieces. It tells whether there is more.
func conclude(tx *store.Tx, i lost.Item) (again bool, err error) {
	if err := tx.Unindex(i.Account, i.ID); err != nil {
		return false, err
	}
	if i.Source == lost.Request {
		return false, tx.Suggest(i, nil)
	}
	return tx.WithdrawMatches(i, somePairs)
}

// subjectOf reads an item.
func subjectOf(i lost.Item, pool string) subject {
	s := subject{Item: i, pool: pool, profile: profileOf(i)}
	s.counted = s.profile.Terms()
	s.terms = s.counted[:min(len(s.counted), match.MaxTerms)]
	return s
}

func profileOf(i lost.Item) match.Profile {
	about := match.Subject{Description: i.Description, Brand: i.Brand, Model: i.Model, Color: i.Color}
	if day, known := i.SoughtFrom(); known {
		about.Day = lost.Days(day)
	}
	if i.Source == lost.Request {
		about.More, about.Place = i.Claim.Proof, i.Claim.LostPlace
		about.FirstName, about.LastName = i.Owner.FirstName, i.Owner.LastName
	} else { // whose name is on a find, is something that the find says
		about.More, about.Place = strings.TrimSpace(i.Notes+"\n"+i.Owner.FirstName+" "+i.Owner.LastName), i.DiscoveryPlace
	}
	return match.Read(about)
}

func (s subject) indexed() store.Subject {
	return store.Subject{Account: s.Account, ItemID: s.ID, Pool: s.pool, Source: s.Source, Day: s.day(), Terms: s.terms}
}

// day is the day under which an item is found: when it was lost or found, as far as anybody knows.
func (s subject) day() int {
	day, _ := s.SoughtFrom()
	return lost.Days(day)
}

// rank compares an item with those that have most in common with it, and gives those that it may be matched with, best first.
func (d *Desk) rank(ctx context.Context, s subject) ([]lost.Match, error) {
	counts, err := d.count(ctx, s, lost.Found)
	if err != nil {
		return nil, err
	}
	other, there := lost.Found, counts
	if s.Source == lost.Found {
		other = lost.Request
		if there, err = d.count(ctx, s, lost.Request); err != nil {
			return nil, err
		}
	}
	search := store.Search{Account: s.Account, Pool: s.pool, Source: other, EachAtMost: postingsOfTerm, Hints: hints(s.terms, counts, there)}
	search.From, search.To, search.LatestFirst = s.window()
	ids, err := d.db.Candidates(ctx, search, mostCompared+len(s.refused))
	if err != nil {
		return nil, err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(s.refused, id) })
	ids = ids[:min(len(ids), mostCompared)]
	items, err := d.db.SoughtItems(ctx, s.Account, ids)
	if err != nil {
		return nil, err
	}
	return s.compare(items, counts), nil
}

// window is from which day to which others are looked for, and whether the latest of them are nearest. When a loss was that nobody has dated, only its report
// tells: it may have been well before that.
func (s subject) window() (from, to int, latestFirst bool) {
	day := s.day()
	if _, known := s.SoughtFrom(); s.Source == lost.Request && known {
		return day - match.DaysBefore, day + match.DaysAfter, false
	}
	return day - match.DaysAfter, day + match.DaysAfter, true
}

// hints chooses by which terms to look: the rarest first, for as many postings as there is time for. A term weighs by how rare it is among finds; in whole
// numbers, so that every database adds up the same.
func hints(terms []string, finds, there map[string]int) []store.Hint {
	rarest := slices.Clone(terms)
	slices.SortFunc(rarest, func(x, y string) int { return cmp.Or(cmp.Compare(there[x], there[y]), cmp.Compare(x, y)) })
	var chosen []store.Hint
	left := mostPostings
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
		chosen = append(chosen, store.Hint{Term: term, Weight: 1 + int(math.Round(unit*max(0, rarity)))})
	}
	return chosen
}

// compare gives those of some items that a subject may be matched with, best first.
func (s subject) compare(items []lost.Item, counts match.Counts) (matches []lost.Match) {
	for _, i := range items {
		m := lost.Match{RequestID: s.ID, ItemID: i.ID, Other: i}
		request, found := s.profile, profileOf(i)
		if s.Source == lost.Found {
			m.RequestID, m.ItemID = i.ID, s.ID
			request, found = found, request
		}
		const million = 1_000_000
		score := match.Compare(request, found, counts)
		if !score.Possible() {
			continue
		}
		m.Score, m.Likelihood, m.Reasons = int(math.Round(score.Value*million)), lost.Possible, score.Reasons
		if score.Likely() {
			m.Likelihood = lost.Likely
		}
		matches = append(matches, m)
	}
	slices.SortFunc(matches, func(x, y lost.Match) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.Other.ID, y.Other.ID))
	})
	return matches
}

// tellRequests has the requests matched again that a find may answer, and those for which it is suggested already.
func (d *Desk) tellRequests(ctx context.Context, s subject, matches []lost.Match) error {
	defer d.nudgeMatching()
	var requests []string
	for _, m := range matches {
		requests = append(requests, m.RequestID)
	}
	for after := ""; ; {
		shown, err := d.db.SuggestedFor(ctx, s.Item, after, somePairs)
		if requests = append(requests, shown...); err != nil || len(requests) == 0 {
			return err
		}
		err = d.db.Write(ctx, func(tx *store.Tx) error { return tx.MatchLater(s.Account, requests, s.UpdatedAt) })
		if err != nil || len(shown) < somePairs {
			return err
		}
		requests, after = nil, shown[len(shown)-1]
	}
}

// suggest makes matches the suggestions for a request, if everything that was compared is still as it was read.
func (d *Desk) suggest(ctx context.Context, s subject, matches []lost.Match) (again bool, err error) {
	matches = matches[:min(len(matches), mostSuggested)]
	compared := []lost.Item{s.Item}
	for _, m := range matches {
		compared = append(compared, m.Other)
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		same, err := tx.LockUnchanged(compared)
		if again = !same; err != nil || again {
			return err
		}
		latest, err := tx.LatestLook(s.Account, s.ID)
		if again = latest != s.look; err != nil || again { // a later look knows more
			return err
		}
		return tx.Suggest(s.Item, matches)
	})
	if err == nil && !again {
		d.nudge() // there may be a task, or one that is done
	}
	return again, err
}

// The steps of MatchAgain.
const (
	matchIndex   = "index"   // first all of a location's items are made ones that are found
	matchOwn     = "own"     // then all requests of its own are matched
	matchSisters = "sisters" // and those of the account's sister locations
)

// rematch is the first piece of matching all of a location's items anew.
func rematch(l lost.Location, since time.Time) store.Rematch {
	return store.Rematch{Account: l.Account, Location: l.ID, Step: matchIndex, After: "0", Since: since}
}

// MatchByNewRules has locations matched anew whose items were read by older rules than today's, so many at a time. It tells how many there were.
func (d *Desk) MatchByNewRules(ctx context.Context, some int) (many int, err error) {
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		outdated, err := tx.AdoptMatchRules(match.Rules, some)
		for _, l := range outdated {
			err = cmp.Or(err, tx.MatchAgainLater(rematch(l, tx.Now())))
		}
		many = len(outdated)
		return err
	})
	d.nudgeMatching()
	return many, err
}

// MatchAgain takes one piece further that all of a location's items are matched, because it is to be compared with others than before, and leaves the rest to another
// job. Requests alone are matched in the end, with all finds: that is every pair.
func (d *Desk) MatchAgain(ctx context.Context, r store.Rematch) error {
	err := d.db.Write(ctx, func(tx *store.Tx) error {
		l, err := tx.Location(ctx, r.Account, r.Location)
		if err != nil {
			return lost.UnlessMissing(err)
		}
		const some = 100
		var next string
		switch r.Step {
		case matchIndex:
			next = matchOwn
			r.After, err = indexSome(tx, l, r.After, some)
		case matchOwn:
			next = matchSisters
			r.After, err = tx.MatchRequests(r.Account, l.OwnPool(), r.After, some, r.Since)
		case matchSisters:
			r.After, err = tx.MatchRequests(r.Account, l.SisterPool(), r.After, some, r.Since)
		default:
			err = lost.E(lost.Invalid, "The job names no step.")
		}
		if err == nil && r.After == "" {
			r.Step = next
		}
		if err != nil || r.Step == "" {
			return err
		}
		return tx.MatchAgainLater(r)
	})
	d.nudgeMatching()
	return err
}

// indexSome makes some of a location's items ones that are found, and gives the last of them, empty when there are no more.
func indexSome(tx *store.Tx, l lost.Location, after string, some int) (last string, err error) {
	seen, err := strconv.ParseInt(after, 10, 64)
	if err != nil {
		return "", lost.E(lost.Invalid, "The job names no item.").Because(err)
	}
	items, seen, err := tx.ItemsAfter(l.Account, l.ID, seen, some)
	if err != nil || len(items) == 0 {
		return "", err
	}
	var subjects []store.Subject
	for _, i := range items {
		if i.Sought() {
			subjects = append(subjects, subjectOf(i, l.Pool()).indexed())
		}
	}
	return strconv.FormatInt(seen, 10), tx.Index(l.Account, subjects...)
}

// MaxMatches bounds how many matches of one item are listed.
const MaxMatches = 100

// Matches lists what is suggested for a request or a find, best first. It waits a little for what is just being looked for.
func (d *Desk) Matches(ctx context.Context, a lost.Actor, location, id string, page lost.Page) (lost.List[lost.Match], error) {
	if _, err := d.Item(ctx, a, location, id); err != nil { // before anybody waits
		return lost.List[lost.Match]{}, err
	}
	if err := d.awaitMatching(ctx, a.Account, location); err != nil {
		return lost.List[lost.Match]{}, err
	}
	return d.Suggested(ctx, a, location, id, page)
}

// Suggested is Matches for whoever does not wait. How good each is, is said by what the location has now, and so the same from both sides.
func (d *Desk) Suggested(ctx context.Context, a lost.Actor, location, id string, page lost.Page) (lost.List[lost.Match], error) {
	list := lost.List[lost.Match]{Page: page, Data: []lost.Match{}}
	i, err := d.Item(ctx, a, location, id)
	if err != nil || !i.Sought() {
		return list, err
	}
	l, err := d.db.Location(ctx, a.Account, location)
	if err != nil {
		return list, err
	}
	matches, err := d.db.MatchesOf(ctx, i, l.Matching, a.Locations, MaxMatches)
	if err != nil || len(matches) == 0 {
		return list, err
	}
	kept := matches
	if matches, err = d.weigh(ctx, subjectOf(i, l.Pool()), kept); err != nil {
		return list, err
	}
	d.renew(ctx, a.Account, drifted(kept, matches))
	list.Data = matches[min(page.Offset(), len(matches)):min(page.Offset()+page.Limit, len(matches))]
	list.Total = lost.TotalOf(len(matches))
	return list, nil
}

// drifted gives the requests of which something is no longer as likely as when it was suggested, because more was found since: words become common.
func drifted(kept, now []lost.Match) (requests []string) {
	likelihood := make(map[string]lost.Likelihood, len(now))
	for _, m := range now {
		likelihood[m.Other.ID] = m.Likelihood
	}
	for _, m := range kept {
		if likelihood[m.Other.ID] != m.Likelihood {
			requests = append(requests, m.RequestID)
		}
	}
	return requests
}

// renew has requests matched again, so that the tasks say what the pages say. Whoever only looks need not know where that fails: the next one tries again.
func (d *Desk) renew(ctx context.Context, account string, requests []string) {
	if len(requests) == 0 {
		return
	}
	_ = d.db.Write(ctx, func(tx *store.Tx) error { return tx.MatchLater(account, requests, tx.Now()) })
	d.nudgeMatching()
}

// weigh compares a subject anew with what is suggested for it.
func (d *Desk) weigh(ctx context.Context, s subject, matches []lost.Match) ([]lost.Match, error) {
	counts, err := d.count(ctx, s, lost.Found)
	if err != nil {
		return nil, err
	}
	items := make([]lost.Item, len(matches))
	for n, m := range matches {
		items[n] = m.Other
	}
	return s.compare(items, counts), nil
}

// RequestMatches is Matches for a request.
func (d *Desk) RequestMatches(ctx context.Context, a lost.Actor, location, id string, page lost.Page) (lost.List[lost.Match], error) {
	if _, err := d.Request(ctx, a, location, id); err != nil {
		return lost.List[lost.Match]{}, err
	}
	return d.Matches(ctx, a, location, id, page)
}

// FindMatches is Matches for a find.
func (d *Desk) FindMatches(ctx context.Context, a lost.Actor, location, id string, page lost.Page) (lost.List[lost.Match], error) {
	i, err := d.Item(ctx, a, location, id)
	if err == nil && i.Source != lost.Found {
		err = lost.Missing("found item")
	}
	if err != nil {
		return lost.List[lost.Match]{}, err
	}
	return d.Matches(ctx, a, location, id, page)
}

// AnyItem gives an item wherever the actor may see it: a find of a sister location, say.
func (d *Desk) AnyItem(ctx context.Context, a lost.Actor, id string) (lost.Item, error) {
	i, err := d.db.AnyItem(ctx, a.Account, id)
	if err = cmp.Or(err, mayLook(a, i.LocationID, "item")); err != nil {
		return lost.Item{}, err
	}
	d.sawItem(a, i)
	return i, nil
}

// LikelyElsewhere tells whether something that is likely what a request is about is at a location that the actor does not reach. It tells no more of it.
func (d *Desk) LikelyElsewhere(ctx context.Context, a lost.Actor, request lost.Item) (bool, error) {
	if a.Locations == nil {
		return false, nil
	}
	if err := mayLook(a, request.LocationID, "request"); err != nil {
		return false, err
	}
	return d.db.LikelyFound(ctx, request, a.Locations...)
}

// awaitMatching waits until what was left to be matched at a location is, or as long as whoever asks has patience.
func (d *Desk) awaitMatching(ctx context.Context, account, location string) error {
	const pause = 20 * time.Millisecond
	asked, start := d.db.Now(), time.Now()
	l, err := d.db.Location(ctx, account, location)
	if err != nil {
		return err
	}
	for {
		due, err := d.db.MatchingDue(ctx, l, asked)
		if err != nil || !due || time.Since(start) >= d.patience {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Contrast tells how what a find is goes with what a request is about, aspect by aspect: the words are those of match.Contrast.
func (d *Desk) Contrast(request, found lost.Item) map[match.Aspect]match.Fit {
	return match.Contrast(profileOf(request), profileOf(found))
}

// RefuseMatch says that a find is not what a request is about. It is never suggested for it again.
func (d *Desk) RefuseMatch(ctx context.Context, a lost.Actor, location, request, item string) error {
	_, err := d.changeItem(ctx, a, location, request, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(a, lost.Unmatched, tx.Now())
		if i.Source != lost.Request {
			return entry, lost.Missing("request")
		}
		if err := i.MayRefuse(); err != nil {
			return entry, err
		}
		found, err := lockPartner(tx, a, *i, item)
		if err != nil {
			return entry, err
		}
		if found.Source != lost.Found {
			return entry, lost.Missing("item")
		}
		news, err := tx.RefuseMatch(a.Account, request, item, a.ID)
		if err != nil || !news {
			return entry, err
		}
		entry.Note = "It is not " + found.Reference
		of := lost.NewEntry(a, lost.Unmatched, tx.Now())
		of.Note = "It is not what request " + i.Reference + " is about"
		return entry, tx.AddHistory(found, of)
	})
	if err == nil {
		d.nudge()
	}
	return err
}
