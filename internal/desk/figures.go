package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/lost/report"
	"homeward/internal/store"
)

// ReportQuery selects what a report is about.
type ReportQuery struct {
	Locations []string // all that the actor can see if empty
	From, To  string   // dates; see report.NewPeriod
}

// Report returns the figures of a period at some locations. They are at most reportLife old. Locations that do not
// exist or that the actor cannot see have no figures.
func (r *Reports) Report(ctx context.Context, a lost.Actor, q ReportQuery) (report.Report, error) {
	if err := a.May(lost.ViewItems); err != nil {
		return report.Report{}, err
	}
	locations, more, err := r.reportLocations(ctx, a.Account, visibleLocations(a, q.Locations))
	if err != nil {
		return report.Report{}, err
	}
	p, err := report.NewPeriod(q.From, q.To, report.Today(locations, r.now()))
	if err != nil {
		return report.Report{}, err
	}
	return r.reports.get(ctx, reportKey(a.Account, p, locations, more), r.now, func() (report.Report, error) {
		if err := r.recordPayments(ctx, a.Account); err != nil {
			return report.Report{}, err
		}
		b := report.New(p, locations, r.now())
		err := r.readFacts(ctx, a.Account, b, locations)
		made := b.Report()
		made.MoreLocations = more
		return made, err
	})
}

// reportLocations returns the first locations by name, as many as a report can contain, and the number of further ones.
func (r *Reports) reportLocations(ctx context.Context, account string, only []string) (first []lost.LocationName,
	more int, err error) {
	const most = lost.MaxStatisticsLocations
	first, err = r.db.LocationNames(ctx, account, only, most+1)
	if err != nil || len(first) <= most {
		return first, 0, err
	}
	all, err := r.db.CountLocations(ctx, account, only)
	return first[:most], max(1, all-most), err
}

// recordPayments records the payments that instances of an older version have taken during a rolling update.
func (r *Reports) recordPayments(ctx context.Context, account string) error {
	const batch, batches = 500, 20
	missing, err := r.db.HasUnrecordedPayments(ctx, account)
	for n := 0; missing && err == nil && n < batches; n++ {
		err = r.db.Write(ctx, func(tx *store.Tx) error {
			recorded, err := tx.RecordPayments(account, batch)
			missing = recorded == batch
			return err
		})
	}
	return err
}

// readFacts reads all that a report needs, with two queries at a time.
func (r *Reports) readFacts(ctx context.Context, account string, b *report.Builder,
	locations []lost.LocationName) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var found, others error
	var both sync.WaitGroup
	both.Go(func() {
		if found = r.finds.each(ctx, account, locations, b.AddFind); found != nil {
			cancel()
		}
	})
	if others = r.readOthers(ctx, account, b, byZone(locations)); others != nil {
		cancel()
	}
	both.Wait()
	if errors.Is(found, context.Canceled) {
		return cmp.Or(others, found)
	}
	return cmp.Or(found, others)
}

// readOthers reads the facts about requests and payments.
func (r *Reports) readOthers(ctx context.Context, account string, b *report.Builder, zones []zoneGroup) error {
	for _, z := range zones {
		both, period := z.bothPeriods(b)
		err := r.db.EachFiled(ctx, account, both, func(f lost.RequestFacts) { b.AddRequest(period(f.CreatedAt), f) })
		if err != nil {
			return err
		}
		for n, p := range b.Periods() {
			err := r.db.SumPayments(ctx, account, z.during(p), func(f lost.PaymentFacts) {
				b.AddPayments(n, f)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// zoneGroup are locations that have the same time zone.
type zoneGroup struct {
	zone      *time.Location
	locations []string
}

func byZone(locations []lost.LocationName) (groups []zoneGroup) {
	known := map[string]int{}
	for _, l := range locations {
		n, ok := known[l.TimeZone]
		if !ok {
			n = len(groups)
			known[l.TimeZone], groups = n, append(groups, zoneGroup{zone: l.Zone()})
		}
		groups[n].locations = append(groups[n].locations, l.ID)
	}
	return groups
}

// during returns the range of a period in the time zone.
func (z zoneGroup) during(p report.Period) store.ReportRange {
	s := store.ReportRange{Locations: z.locations}
	s.Begin, s.End = p.Bounds(z.zone)
	return s
}

// bothPeriods returns the range of both periods of a report, because one follows the other, and a function that returns
// the number of the period of a time.
func (z zoneGroup) bothPeriods(b *report.Builder) (both store.ReportRange, period func(at time.Time) int) {
	now, before := z.during(b.Periods()[0]), z.during(b.Periods()[1])
	both = store.ReportRange{Locations: z.locations, Begin: before.Begin, End: now.End}
	return both, func(at time.Time) int {
		if at.Before(now.Begin) {
			return 1
		}
		return 0
	}
}

// maxSpellings is the maximum number of spellings of a color, place or finder in a list of their items.
const maxSpellings = 1000

// resolveFilter completes a filter of items at some locations, or at all if only is nil: what depends on the locations.
func resolveFilter(ctx context.Context, db *store.DB, finds *Finds, account string, only []string,
	f *lost.ItemFilter) error {
	if f.MinValue.Amount > 0 {
		locations, err := db.LocationCurrencies(ctx, account, only, maxNamedLocations)
		if err != nil {
			return err
		}
		f.MinValue.Resolve(locations)
	}
	return resolveReport(ctx, db, finds, account, only, f)
}

// resolveReport completes the filter of the items behind a figure of a report: when the days begin and end at each
// location, and the spellings of a color, place or finder.
func resolveReport(ctx context.Context, db *store.DB, finds *Finds, account string, only []string,
	f *lost.ItemFilter) error {
	wanted := &f.Report
	if wanted.Figure == "" {
		return nil
	}
	locations, err := db.LocationNames(ctx, account, only, lost.MaxStatisticsLocations)
	if err != nil {
		return err
	}
	f.Source = lost.Found
	if wanted.Figure.AboutRequests() {
		f.Source = lost.Request
	}
	zones := byZone(locations)
	for _, z := range zones {
		bounds := report.Bounds(wanted.From, wanted.To, z.zone)
		bounds.Locations = z.locations
		wanted.Bounds = append(wanted.Bounds, bounds)
	}
	switch {
	case wanted.Trait == "":
	case wanted.Rest && wanted.Trait == lost.StorageTrait:
		err = findNamedPlaces(ctx, finds, account, locations, wanted)
	case wanted.Rest:
		err = findNamedTexts(ctx, finds, account, locations, wanted)
	case wanted.Trait == lost.CategoryTrait:
		wanted.Spellings = []string{wanted.Key}
	default:
		wanted.Spellings, err = finds.spellings(ctx, account, wanted.Key, maxSpellings)
	}
	return err
}

// findNamedTexts completes a filter of the items whose groups a report does not name.
func findNamedTexts(ctx context.Context, finds *Finds, account string, locations []lost.LocationName,
	f *lost.ReportFilter) error {
	from, to := math.MinInt, math.MaxInt
	if f.From != "" {
		from = report.DayNumber(f.From)
	}
	if f.To != "" {
		to = report.DayNumber(f.To)
	}
	texts := map[string]int{}
	err := finds.each(ctx, account, locations, func(found report.Find) {
		if from <= found.FoundOn && found.FoundOn <= to {
			texts[found.Text(f.Trait)]++
		}
	})
	named := report.NamedTexts(f.Trait, texts)
	f.Spellings = named[:min(len(named), report.MaxGroups*maxSpellings)]
	return err
}

// findNamedPlaces completes a filter of the items in storage whose places a report does not name.
func findNamedPlaces(ctx context.Context, finds *Finds, account string, locations []lost.LocationName,
	f *lost.ReportFilter) error {
	items := map[[2]string]int{}
	usual := map[string]string{}
	for _, l := range locations {
		usual[l.ID] = l.StoragePlace
	}
	err := finds.each(ctx, account, locations, func(found report.Find) {
		if found.Held {
			l := locations[found.Location]
			items[[2]string{l.ID, cmp.Or(found.StoragePlace, l.StoragePlace)}]++
		}
	})
	for _, p := range report.NamedPlaces(items) {
		f.Stored = append(f.Stored, lost.StoredAt{LocationID: p.LocationID, Place: p.Place})
		if p.Place != "" && p.Place == usual[p.LocationID] {
			f.Stored = append(f.Stored, lost.StoredAt{LocationID: p.LocationID})
		}
	}
	return err
}

// Limits of the cache of reports.
const (
	reportLife    = time.Minute
	maxReports    = 200 // reports in the cache
	maxConcurrent = 2   // reports that are computed at the same time
)

// reportCache keeps reports for a short time. Callers who want the same report at the same time share one.
type reportCache struct {
	used    access.CacheCounter
	compute chan struct{} // limits how many reports are computed at the same time
	mu      sync.Mutex
	cached  map[string]report.Report
	running map[string]*reportRun
}

// reportRun is a report that is being computed. Its fields are valid when done is closed.
type reportRun struct {
	done chan struct{}
	made report.Report
	err  error
}

func newReportCache() *reportCache {
	return &reportCache{
		compute: make(chan struct{}, maxConcurrent), cached: map[string]report.Report{},
		running: map[string]*reportRun{},
	}
}

// reportKey identifies a report. The time zones of the locations are part of it, because they can change.
func reportKey(account string, p report.Period, locations []lost.LocationName, more int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s %d", account, p.From, p.To, more)
	for _, l := range locations {
		b.WriteString("\n" + l.ID + " " + l.TimeZone + " " + l.Name + "\n" + l.StoragePlace)
	}
	return b.String()
}

// get returns a cached report, or computes and caches it. It waits for another caller who computes the same report. If
// that caller gives up, it computes the report itself.
func (c *reportCache) get(ctx context.Context, key string, now func() time.Time,
	compute func() (report.Report, error)) (report.Report, error) {
	made, run, first := c.join(key, now())
	c.used.Count(run == nil)
	for run != nil {
		if first {
			c.run(ctx, key, run, compute)
			return run.made, run.err
		}
		select {
		case <-run.done:
		case <-ctx.Done():
			return report.Report{}, ctx.Err()
		}
		if !errors.Is(run.err, context.Canceled) && !errors.Is(run.err, context.DeadlineExceeded) {
			return run.made, run.err
		}
		made, run, first = c.join(key, now())
	}
	return made, nil
}

// join returns the cached report or, without one, the run that computes it, and whether the caller is the first who
// wants it and has to compute it.
func (c *reportCache) join(key string, now time.Time) (made report.Report, run *reportRun, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	made, found := c.cached[key]
	if found && now.Before(made.ComputedAt.Add(reportLife)) && !now.Before(made.ComputedAt) {
		return made, nil, false
	}
	if run = c.running[key]; run != nil {
		return made, run, false
	}
	run = &reportRun{done: make(chan struct{}), err: errors.New("the report was not computed")}
	c.running[key] = run
	return made, run, true
}

// run computes a report for all who wait for it.
func (c *reportCache) run(ctx context.Context, key string, run *reportRun, compute func() (report.Report, error)) {
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.running, key)
		close(run.done)
	}()
	select {
	case c.compute <- struct{}{}:
		defer func() { <-c.compute }()
	case <-ctx.Done():
		run.err = ctx.Err()
		return
	}
	if run.made, run.err = compute(); run.err == nil {
		c.save(key, run.made) // before the run ends, so that nobody computes it again
	}
}

// save caches a report. If the cache is full, expired reports are removed, or else the oldest one.
func (c *reportCache) save(key string, made report.Report) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.cached) >= maxReports {
		oldest := ""
		for k, r := range c.cached {
			if !made.ComputedAt.Before(r.ComputedAt.Add(reportLife)) {
				delete(c.cached, k)
			} else if oldest == "" || r.ComputedAt.Before(c.cached[oldest].ComputedAt) {
				oldest = k
			}
		}
		if len(c.cached) >= maxReports {
			delete(c.cached, oldest)
		}
	}
	c.cached[key] = made
}
