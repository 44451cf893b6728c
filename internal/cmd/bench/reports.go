package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeward/internal/lost"
)

// reportsName is the name of the operation that measures reports.
const reportsName = "reports"

// The longest times for a report, at p50: when it is computed, and when it is requested again.
const (
	maxReportTime = 300 * time.Millisecond
	maxAgainTime  = 50 * time.Millisecond
	reportRuns    = 10
	// maxFirstTime is the longest time for the first report after a start, for which all items are read.
	maxFirstTime = 2 * time.Second
)

// measuredReport is a period that ends today, at one location or at all of them.
type measuredReport struct {
	name string
	days int
	all  bool
}

// measuredReports lists the reports that are measured. The longest one contains all items.
func measuredReports() (all []measuredReport) {
	for _, where := range []struct {
		name string
		all  bool
	}{{"one location", false}, {"all locations", true}} {
		for _, days := range []int{30, 90, 365, 1000} {
			all = append(all, measuredReport{fmt.Sprintf("%s, %d days", where.name, days), days, where.all})
		}
	}
	return all
}

const againSuffix = ", again"

// reports measures reports over many items: when they are computed, and when they are requested again.
func (b *bench) reports(ctx context.Context, engine string, size int) (all []*matchResult, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeFor(size))
	defer cancel()
	s := &site{engine: engine, size: size}
	defer func() { err = errors.Join(err, s.close()) }()
	start, err := b.openReports(ctx, s)
	if err != nil {
		return nil, err
	}
	all = append(all, start)
	b.logf("%s: %s", engine, reportsName)
	for _, m := range measuredReports() {
		first := &matchResult{engine: engine, what: m.name, size: s.size}
		again := &matchResult{engine: engine, what: m.name + againSuffix, size: s.size}
		for n := range pageWarm + reportRuns {
			for _, result := range []*matchResult{first, again} {
				took, err := s.timeGet(ctx, m.address(s, n))
				if err != nil {
					return nil, err
				}
				if n >= pageWarm {
					result.times = append(result.times, took)
				}
			}
		}
		all = append(all, first, again)
	}
	return all, nil
}

// address returns the URL of a report. The numbers select periods that differ by a day, so that none of them is cached.
func (m measuredReport) address(s *site, number int) string {
	to := time.Now().AddDate(0, 0, -number)
	at := fmt.Sprintf("%s/v1/reports?from=%s&to=%s", s.full, to.AddDate(0, 0, 1-m.days).Format(lost.DateLayout),
		to.Format(lost.DateLayout))
	if !m.all {
		at += "&location=" + s.location
	}
	return at
}

// firstReport names the first report after a start.
const firstReport = "one location, 30 days, first after a start"

// openReports loads items with their outcomes into two locations, starts the service, measures the first report, and
// waits until the service's jobs are done.
func (b *bench) openReports(ctx context.Context, s *site) (*matchResult, error) {
	b.logf("%s: loading %d items and related records", s.engine, s.size)
	if err := b.openFilled(ctx, s, reportsName, (&filler{site: s}).fill); err != nil {
		return nil, err
	}
	// No other measured report has this period.
	took, err := s.timeGet(ctx, measuredReport{days: 30}.address(s, pageWarm+reportRuns))
	if err != nil {
		return nil, err
	}
	first := &matchResult{engine: s.engine, what: firstReport, size: s.size, times: []time.Duration{took}}
	return first, s.settle(ctx)
}

// reportLimit returns the longest time for a result.
func reportLimit(m *matchResult) time.Duration {
	if m.what == firstReport {
		return maxFirstTime
	}
	for _, known := range measuredReports() {
		if m.what == known.name {
			return maxReportTime
		}
	}
	return maxAgainTime
}

// reportReports prints the results.
func reportReports(printf func(string, ...any), all []*matchResult) {
	shown, size := largest(all)
	engines := enginesOf(all)
	printf("%d items. p50 must be at most %s ms, for the same report again %s ms, and for the first report after a "+
		"start %s ms.\n\n%s", size, ms(maxReportTime), ms(maxAgainTime), ms(maxFirstTime),
		timeHeader("report", engines, ""))
	for _, m := range shown {
		if m.engine != engines[0] {
			continue
		}
		met := true
		for _, other := range shown {
			met = met && (other.what != m.what || other.took(0.5) <= reportLimit(other))
		}
		printf("| %s |%s %s |\n", m.what, timeCells(shown, engines, m.what), verdict(met))
	}
}
