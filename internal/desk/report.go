package desk

import (
	"context"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Reports returns the tasks of the staff, and the statistics of locations.
type Reports struct {
	stats *statsCache
	db    *store.DB
	now   func() time.Time
}

// ReportsOptions are the dependencies of Reports.
type ReportsOptions struct {
	DB  *store.DB
	Now func() time.Time
}

// NewReports creates Reports.
func NewReports(o ReportsOptions) *Reports {
	r := &Reports{db: o.DB, now: o.Now}
	r.stats = newStatsCache(r.now, r.countMonths)
	return r
}

// Tasks lists the tasks of a location, oldest first.
func (r *Reports) Tasks(ctx context.Context, a lost.Actor, location string,
	page lost.Page) (lost.List[lost.Task], error) {
	if err := access.MayView(a, location, "location"); err != nil {
		return lost.List[lost.Task]{}, err
	}
	if _, err := r.db.Location(ctx, a.Account, location); err != nil {
		return lost.List[lost.Task]{}, err
	}
	return r.db.Tasks(ctx, a.Account, location, page)
}

// Limits of the tasks of one kind: in a list of all kinds, and in a list of that kind.
const (
	shownTasks = 5
	MaxTasks   = 50
)

// Today returns the tasks by kind, most urgent first, of one location or of all that the actor can see. Kinds without
// tasks are omitted.
func (r *Reports) Today(ctx context.Context, a lost.Actor, location string) ([]lost.TaskGroup, error) {
	only, err := r.visibleLocations(ctx, a, location)
	if err != nil {
		return nil, err
	}
	groups, err := r.db.FirstTasks(ctx, a.Account, only, shownKinds(), shownTasks)
	waiting := make([]lost.TaskGroup, 0, len(groups))
	for _, g := range groups {
		if len(g.Tasks) > 0 {
			waiting = append(waiting, g)
		}
	}
	return waiting, err
}

// shownKinds returns the kinds of tasks that are shown, with upcoming pickups at the end.
func shownKinds() []lost.TaskKind { return append(lost.TaskKinds(), lost.NextPickupTask) }

// TasksOfKind is Today for one kind, with at most MaxTasks tasks.
func (r *Reports) TasksOfKind(ctx context.Context, a lost.Actor, location string,
	kind lost.TaskKind) (lost.TaskGroup, error) {
	only, err := r.visibleLocations(ctx, a, location)
	if err != nil {
		return lost.TaskGroup{}, err
	}
	if !slices.Contains(shownKinds(), kind) {
		return lost.TaskGroup{}, lost.Missing("kind of task")
	}
	groups, err := r.db.FirstTasks(ctx, a.Account, only, []lost.TaskKind{kind}, MaxTasks)
	if err != nil {
		return lost.TaskGroup{}, err
	}
	return groups[0], nil
}

// AnyItems reports whether a location, or any that the actor can see, has recorded items.
func (r *Reports) AnyItems(ctx context.Context, a lost.Actor, location string) (bool, error) {
	only, err := r.visibleLocations(ctx, a, location)
	if err != nil {
		return false, err
	}
	return r.db.HasItems(ctx, a.Account, only)
}

// visibleLocations returns the requested locations, or nil for all locations of the account. It returns an error if
// the actor may not see them.
func (r *Reports) visibleLocations(ctx context.Context, a lost.Actor, location string) ([]string, error) {
	if location == "" {
		return a.Locations, a.May(lost.ViewItems)
	}
	if err := access.MayView(a, location, "location"); err != nil {
		return nil, err
	}
	_, err := r.db.Terms(ctx, a.Account, location) // checks that the location exists
	return []string{location}, err
}

// Numbers are the statistics of one location or several.
type Numbers struct {
	lost.Statistics
	Locations []LocationNumbers // by name
	AsOf      time.Time         // time of the oldest count
	Counting  int               // locations that are not counted yet
	More      bool              // there are more locations than one report can have
}

// LocationNumbers are the statistics of one location.
type LocationNumbers struct {
	lost.LocationName
	lost.Counts
	Counting bool // it is not counted yet
}

// Stats returns the statistics of a location, or of all that the actor can see, for items that were found in the
// months of a span. They may be some minutes old, see AsOf. Locations that are being counted for the first time may
// be missing, see Counting.
func (r *Reports) Stats(ctx context.Context, a lost.Actor, location string, span lost.Span) (n Numbers, err error) {
	only, err := r.visibleLocations(ctx, a, location)
	if err != nil {
		return n, err
	}
	places, err := r.db.LocationNames(ctx, a.Account, only, lost.MaxStatisticsLocations+1)
	if err != nil {
		return n, err
	}
	if n.More = len(places) > lost.MaxStatisticsLocations; n.More {
		places = places[:lost.MaxStatisticsLocations]
	}
	c, err := r.stats.get(ctx, a.Account, places)
	if err != nil {
		return n, err
	}
	all := slices.DeleteFunc(slices.Clone(c.counts), func(t *lost.MonthlyCounts) bool { return t == nil })
	last := lost.LastMonth(r.now(), all...)
	for k, p := range places {
		each := LocationNumbers{LocationName: p, Counting: c.counts[k] == nil}
		if !each.Counting {
			each.Counts = c.counts[k].Total(span, last)
		}
		n.Locations = append(n.Locations, each)
	}
	n.Statistics, n.AsOf, n.Counting = lost.SumMonths(span, last, all...), c.asOf, c.missing
	return n, nil
}

// Close stops counting in the background.
func (r *Reports) Close() { r.stats.close() }

// CacheUse returns the hits and misses of the cache of statistics.
func (r *Reports) CacheUse() store.CacheStats { return r.stats.used.Use("tallies") }

// countMonths counts the items that were found at a location, by month.
func (r *Reports) countMonths(ctx context.Context, of statsKey) (*lost.MonthlyCounts, error) {
	t := lost.NewMonthlyCounts(of.zone, r.now())
	err := r.db.EachFind(ctx, of.account, of.location, lost.MaxCounted, t.Add)
	if err != nil {
		return t.Finish(), err
	}
	return t.Finish(), ctx.Err()
}
