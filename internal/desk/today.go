package desk

import (
	"cmp"
	"context"
	"slices"
	"time"

	"homeward/internal/lost"
)

// How many tasks of a kind are shown, together with other kinds and alone.
const (
	shownTasks = 5
	MaxTasks   = 50
)

// Today gives what waits for the desk, by kind and the most urgent first: at one location, or at all that the actor reaches. Kinds of which
// there is nothing are left out.
func (d *Desk) Today(ctx context.Context, a lost.Actor, location string) ([]lost.TaskGroup, error) {
	only, err := d.lookAt(ctx, a, location)
	if err != nil {
		return nil, err
	}
	groups, err := d.db.WaitingTasks(ctx, a.Account, only, shownKinds(), shownTasks)
	waiting := make([]lost.TaskGroup, 0, len(groups))
	for _, g := range groups {
		if len(g.Tasks) > 0 {
			waiting = append(waiting, g)
		}
	}
	return waiting, err
}

// shownKinds are the kinds of task that people see: what waits, and at the end who comes next.
func shownKinds() []lost.TaskKind { return append(lost.TaskKinds(), lost.NextPickupTask) }

// Waiting gives what waits of one kind, likewise: the first MaxTasks of them.
func (d *Desk) Waiting(ctx context.Context, a lost.Actor, location string, kind lost.TaskKind) (lost.TaskGroup, error) {
	only, err := d.lookAt(ctx, a, location)
	if err != nil {
		return lost.TaskGroup{}, err
	}
	if !slices.Contains(shownKinds(), kind) {
		return lost.TaskGroup{}, lost.Missing("kind of task")
	}
	groups, err := d.db.WaitingTasks(ctx, a.Account, only, []lost.TaskKind{kind}, MaxTasks)
	if err != nil {
		return lost.TaskGroup{}, err
	}
	return groups[0], nil
}

// AnyItems tells whether anything was ever recorded at a location, or at any that the actor reaches.
func (d *Desk) AnyItems(ctx context.Context, a lost.Actor, location string) (bool, error) {
	only, err := d.lookAt(ctx, a, location)
	if err != nil {
		return false, err
	}
	return d.db.AnyItems(ctx, a.Account, only)
}

// lookAt names the locations that the actor wants to see, nil for all of the account's, or tells why they may not.
func (d *Desk) lookAt(ctx context.Context, a lost.Actor, location string) ([]string, error) {
	if location == "" {
		return a.Locations, a.May(lost.Look)
	}
	if err := mayLook(a, location, "location"); err != nil {
		return nil, err
	}
	_, err := d.db.Terms(ctx, a.Account, location) // whether it is there
	return []string{location}, err
}

// Numbers tell how one location is doing, or several.
type Numbers struct {
	lost.Numbers
	Locations []LocationNumbers // each of them, by name
	AsOf      time.Time         // when they were counted, the oldest of them
	Counting  int               // locations that are not counted yet
	More      bool              // there are more locations than are told of together
}

// LocationNumbers are those of one location.
type LocationNumbers struct {
	lost.Site
	lost.Counts
	Counting bool // it is not counted yet
}

// Numbers gives how a location is doing, or all that the actor reaches: of what was found in the months of a span, what became of it. They may be some
// minutes old; see AsOf. What was never counted may still be missing from them; see Counting.
func (d *Desk) Numbers(ctx context.Context, a lost.Actor, location string, span lost.Span) (n Numbers, err error) {
	only, err := d.lookAt(ctx, a, location)
	if err != nil {
		return n, err
	}
	places, err := d.db.Sites(ctx, a.Account, only, lost.MaxPlaces+1)
	if err != nil {
		return n, err
	}
	if n.More = len(places) > lost.MaxPlaces; n.More {
		places = places[:lost.MaxPlaces]
	}
	c, err := d.tallies.get(ctx, a.Account, places)
	if err != nil {
		return n, err
	}
	all := slices.DeleteFunc(slices.Clone(c.tallies), func(t *lost.Ledger) bool { return t == nil })
	last := lost.LastMonth(d.now(), all...)
	for k, p := range places {
		each := LocationNumbers{Site: p, Counting: c.tallies[k] == nil}
		if !each.Counting {
			each.Counts = c.tallies[k].Total(span, last)
		}
		n.Locations = append(n.Locations, each)
	}
	n.Numbers, n.AsOf, n.Counting = lost.SumUp(span, last, all...), c.asOf, c.missing
	return n, nil
}

// tally counts what a location has found.
func (d *Desk) tally(ctx context.Context, of tallyKey) (*lost.Ledger, error) {
	t := lost.NewLedger(of.zone, d.now())
	err := d.db.Findings(ctx, of.account, of.location, lost.MaxCounted, t.Add)
	return t.Done(), cmp.Or(err, ctx.Err())
}

// Close ends what the desk does by itself.
func (d *Desk) Close() {
	d.tallies.close()
	d.sightings.close()
}
