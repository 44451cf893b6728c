package desk

import (
	"cmp"
	"context"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
	"homeward/internal/store"
)

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
