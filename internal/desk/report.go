package desk

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Reports returns the tasks for staff, and reports about locations.
type Reports struct {
	reports *reportCache
	finds   *Finds
	db      *store.DB
	now     func() time.Time
	log     *slog.Logger
}

// ReportsOptions are the dependencies of Reports.
type ReportsOptions struct {
	DB    *store.DB
	Finds *Finds
	Now   func() time.Time
	Log   *slog.Logger
}

// NewReports creates Reports.
func NewReports(o ReportsOptions) *Reports {
	return &Reports{db: o.DB, finds: o.Finds, now: o.Now, log: o.Log, reports: newReportCache()}
}

// Run prepares reports of large accounts until the context ends.
func (r *Reports) Run(ctx context.Context) { r.finds.run(ctx, r.log) }

// Tasks lists the tasks at a location, oldest first.
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

// The maximum number of tasks of one kind: in a list of all kinds, and in a list of only that kind.
const (
	shownTasks = 5
	MaxTasks   = 50
)

// Today returns the tasks at one location, or at all locations that the actor can see if location is empty. The tasks
// are grouped by kind, most urgent first. Kinds without tasks are omitted.
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

// shownKinds returns the kinds of tasks that are shown, ending with upcoming pickups.
func shownKinds() []lost.TaskKind { return append(lost.TaskKinds(), lost.NextPickupTask) }

// TasksOfKind is like Today, but returns only tasks of one kind, at most MaxTasks.
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

// MaxMenuCount is the highest number in the menu.
const MaxMenuCount = 100

// CountOpen counts the open tasks at all locations that the actor can see, and the open requests at one of them or, if
// location is empty, at all, for the menu. Both are counted up to MaxMenuCount.
func (r *Reports) CountOpen(ctx context.Context, a lost.Actor, location string) (tasks, requests int, err error) {
	if err := a.May(lost.ViewItems); err != nil {
		return 0, 0, err
	}
	tasks, err = r.db.CountTasks(ctx, a.Account, a.Locations, lost.TaskKinds(), MaxMenuCount)
	if err != nil || location != "" && !a.CanAccess(location) {
		return tasks, 0, err
	}
	only := a.Locations
	if location != "" {
		only = []string{location}
	}
	requests, err = r.db.CountTasks(ctx, a.Account, only,
		[]lost.TaskKind{lost.AnswerTask, lost.MatchTask}, MaxMenuCount)
	return tasks, requests, err
}

// AnyItems reports whether a location has items. If location is empty, it checks all locations that the actor can
// see.
func (r *Reports) AnyItems(ctx context.Context, a lost.Actor, location string) (bool, error) {
	only, err := r.visibleLocations(ctx, a, location)
	if err != nil {
		return false, err
	}
	return r.db.HasItems(ctx, a.Account, only)
}

// visibleLocations returns the given location or, if location is empty, all locations that the actor can see. A nil
// slice means all locations of the account. It returns an error if the actor may not view the items.
func (r *Reports) visibleLocations(ctx context.Context, a lost.Actor, location string) ([]string, error) {
	only, err := viewableLocations(a, location)
	if err == nil && location != "" {
		_, err = r.db.Terms(ctx, a.Account, location) // checks that the location exists
	}
	return only, err
}

// CacheUse returns the numbers of hits and misses of the cache of reports.
func (r *Reports) CacheUse() store.CacheStats { return r.reports.used.Use("reports") }
