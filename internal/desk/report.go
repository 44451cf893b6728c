package desk

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/lost/report"
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

// PaymentQuery selects the payments and refunds that a figure of a report adds up.
type PaymentQuery struct {
	ReportQuery
	Figure   lost.PaymentFigure
	Currency string
	lost.Page
}

// PaymentList is a page of the payments and refunds that a figure of a report adds up.
type PaymentList struct {
	lost.List[lost.Payment]
	Period report.Period
	Amount int64 // the sum of all pages
}

// Payments lists the payments and refunds that a figure of a report adds up, newest first.
func (r *Reports) Payments(ctx context.Context, a lost.Actor, q PaymentQuery) (list PaymentList, err error) {
	p, err := r.readPayments(ctx, a, q)
	if err != nil {
		return list, err
	}
	list.Period = p.period
	if list.List, err = p.page(ctx, q.Page); err != nil {
		return list, err
	}
	list.Count, list.Amount, err = r.db.SumListedPayments(ctx, a.Account, p.filter)
	return list, err
}

// EachPayment calls show with all payments and refunds that a figure of a report adds up, newest first. The page of the
// query is ignored.
func (r *Reports) EachPayment(ctx context.Context, a lost.Actor, q PaymentQuery,
	show func(lost.Payment) error) error {
	const batch = 500
	p, err := r.readPayments(ctx, a, q)
	if err != nil {
		return err
	}
	page := lost.Page{Number: 1, Limit: batch}
	for {
		list, err := p.page(ctx, page)
		if err != nil {
			return err
		}
		for _, payment := range list.Data {
			if err := show(payment); err != nil {
				return err
			}
		}
		if page.After = list.Next; page.After == "" {
			return nil
		}
	}
}

// paymentReader reads the payments of an account that a filter selects.
type paymentReader struct {
	db        *store.DB
	account   string
	period    report.Period
	filter    lost.PaymentFilter
	locations map[string]lost.LocationName
}

// readPayments prepares a list of payments. The period is that of a report with the same query.
func (r *Reports) readPayments(ctx context.Context, a lost.Actor, q PaymentQuery) (p paymentReader, err error) {
	if err := a.May(lost.ViewItems); err != nil {
		return p, err
	}
	if !slices.Contains(lost.PaymentFigures(), q.Figure) {
		return p, lost.Missing("figure")
	}
	locations, _, err := r.reportLocations(ctx, a.Account, visibleLocations(a, q.Locations))
	if err != nil {
		return p, err
	}
	p = paymentReader{
		db: r.db, account: a.Account, locations: map[string]lost.LocationName{},
		filter: lost.PaymentFilter{Figure: q.Figure, Currency: q.Currency},
	}
	if p.period, err = report.NewPeriod(q.From, q.To, report.Today(locations, r.now())); err != nil {
		return p, err
	}
	for _, l := range locations {
		p.locations[l.ID] = l
	}
	for _, z := range byZone(locations) {
		during := z.during(p.period)
		p.filter.Bounds = append(p.filter.Bounds,
			lost.ReportBounds{Locations: during.Locations, Begin: during.Begin, End: during.End})
	}
	return p, r.recordPayments(ctx, a.Account)
}

// page reads one page of the list.
func (p paymentReader) page(ctx context.Context, page lost.Page) (lost.List[lost.Payment], error) {
	f := p.filter
	f.Page = page
	list, err := p.db.Payments(ctx, p.account, f)
	for n := range list.Data {
		list.Data[n].Location = p.locations[list.Data[n].Location.ID]
	}
	return list, err
}

// CacheUse returns the numbers of hits and misses of the cache of reports.
func (r *Reports) CacheUse() store.CacheStats { return r.reports.used.Use("reports") }
