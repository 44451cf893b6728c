package desk

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
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
	locations, err := r.db.LocationNames(ctx, a.Account, visibleLocations(a, q.Locations),
		lost.MaxStatisticsLocations+1)
	if err != nil {
		return report.Report{}, err
	}
	more := len(locations) > lost.MaxStatisticsLocations
	if more {
		locations = locations[:lost.MaxStatisticsLocations]
	}
	p, err := report.NewPeriod(q.From, q.To, report.Today(locations, r.now()))
	if err != nil {
		return report.Report{}, err
	}
	return r.reports.get(ctx, reportKey(a.Account, p, locations), r.now, func() (report.Report, error) {
		b := report.New(p, locations, r.now())
		err := r.readFacts(ctx, a.Account, b, locations)
		made := b.Report()
		made.More = more
		return made, err
	})
}

// readFacts reads all that a report needs, with two queries at a time. A report counts at most lost.MaxCounted rows of
// each kind.
func (r *Reports) readFacts(ctx context.Context, account string, b *report.Builder,
	locations []lost.LocationName) error {
	zones := byZone(locations)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var found, others error
	var both sync.WaitGroup
	both.Go(func() {
		if found = r.readFound(ctx, account, b, zones); found != nil {
			cancel()
		}
	})
	if others = r.readOthers(ctx, account, b, zones); others != nil {
		cancel()
	}
	both.Wait()
	if errors.Is(found, context.Canceled) {
		return cmp.Or(others, found)
	}
	return cmp.Or(found, others)
}

// readFound reads the facts about items by the day of discovery.
func (r *Reports) readFound(ctx context.Context, account string, b *report.Builder, zones []zoneGroup) error {
	for _, z := range zones {
		err := r.db.CountFound(ctx, account, z.during(b.FoundPeriod()), lost.MaxCounted,
			func(f lost.FindFacts, items, closed int) { b.AddFound(f, z.zone, items, closed) })
		if err != nil {
			return err
		}
		err = r.db.EachTrait(ctx, account, z.during(b.Periods()[0]), lost.MaxCounted, b.AddTraits)
		if err != nil {
			return err
		}
	}
	return nil
}

// readOthers reads all other facts.
func (r *Reports) readOthers(ctx context.Context, account string, b *report.Builder, zones []zoneGroup) error {
	for _, z := range zones {
		for n, p := range b.Periods() {
			if err := r.readPeriod(ctx, account, b, n, z, z.during(p)); err != nil {
				return err
			}
		}
		here := store.ReportRange{Locations: z.locations}
		err := r.db.EachHeld(ctx, account, here, lost.MaxCounted, func(f lost.FindFacts, items int) {
			b.AddHeld(f, z.zone, items)
		})
		if err != nil {
			return err
		}
		err = r.db.EachPlace(ctx, account, here, func(location, place string, items int) {
			b.AddPlace(report.PlaceUse{LocationID: location, Place: place, Items: items})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readPeriod reads what happened during the period with the number n.
func (r *Reports) readPeriod(ctx context.Context, account string, b *report.Builder, n int, z zoneGroup,
	s store.ReportRange) error {
	err := r.db.CountEnded(ctx, account, s, func(location string, returned, donated, discarded, police int) {
		b.AddEnded(n, location, returned, donated, discarded, police)
	})
	if err != nil {
		return err
	}
	err = r.db.EachReturned(ctx, account, s, lost.MaxCounted, func(day string, created, returned time.Time) {
		b.AddReturned(n, z.zone, day, created, returned)
	})
	if err != nil {
		return err
	}
	err = r.db.EachFiled(ctx, account, s, lost.MaxCounted, func(f lost.RequestFacts) { b.AddRequest(n, f) })
	if err != nil {
		return err
	}
	return r.db.SumPayments(ctx, account, s, func(f lost.PaymentFacts, number int) { b.AddPayments(n, f, number) })
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
	s := store.ReportRange{Locations: z.locations, From: p.From, To: p.To}
	s.Begin, s.End = p.Bounds(z.zone)
	return s
}

// maxSpellings is the maximum number of spellings of a color or place in a list of its items.
const maxSpellings = 200

// resolveReport completes the filter of the items behind a figure of a report: when the days begin and end at each
// location, and the spellings of a color or place.
func resolveReport(ctx context.Context, db *store.DB, account string, only []string, f *lost.ItemFilter) error {
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
	if wanted.Color == nil && wanted.Place == nil {
		return nil
	}
	known := map[string]bool{}
	for _, z := range zones {
		p := report.Period{From: wanted.From, To: wanted.To}
		err := db.EachTrait(ctx, account, z.during(p), lost.MaxCounted, func(f lost.FindFacts) {
			value, key := f.Place, wanted.Place
			if wanted.Color != nil {
				value, key = f.Color, wanted.Color
			}
			if !known[value] && len(known) < maxSpellings && report.GroupKey(value) == *key {
				known[value] = true
			}
		})
		if err != nil {
			return err
		}
	}
	wanted.Spellings = slices.Sorted(maps.Keys(known))
	return nil
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
}

func newReportCache() *reportCache {
	return &reportCache{compute: make(chan struct{}, maxConcurrent), cached: map[string]report.Report{}}
}

// reportKey identifies a report. The time zones of the locations are part of it, because they can change.
func reportKey(account string, p report.Period, locations []lost.LocationName) string {
	var b strings.Builder
	b.WriteString(account + " " + p.From + " " + p.To)
	for _, l := range locations {
		b.WriteString("\n" + l.ID + " " + l.TimeZone + " " + l.Name)
	}
	return b.String()
}

// get returns a cached report, or computes and caches it.
func (c *reportCache) get(ctx context.Context, key string, now func() time.Time,
	compute func() (report.Report, error)) (report.Report, error) {
	made, fresh := c.find(key, now())
	c.used.Count(fresh)
	if fresh {
		return made, nil
	}
	select {
	case c.compute <- struct{}{}:
		defer func() { <-c.compute }()
	case <-ctx.Done():
		return report.Report{}, ctx.Err()
	}
	if made, fresh = c.find(key, now()); fresh { // another caller has computed it in the meantime
		return made, nil
	}
	made, err := compute()
	if err == nil {
		c.save(key, made)
	}
	return made, err
}

func (c *reportCache) find(key string, now time.Time) (report.Report, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	made, found := c.cached[key]
	return made, found && now.Before(made.ComputedAt.Add(reportLife)) && !now.Before(made.ComputedAt)
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
