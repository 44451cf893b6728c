package main

import (
	"fmt"
	"io"
	"runtime"
	"time"
)

// The performance targets.
const (
	minOfBare    = 0.6 // minimum share of the baseline handler's requests per second
	maxGrowth    = 2.0 // maximum growth of p99, from the fewest items to the most
	maxIdleMB    = 60  // MB resident
	maxUploadsMB = 150 // MB resident during eight uploads
	bytesPerKB   = 1024
	bytesPerMega = 1 << 20

	maxPageTime  = 50 * time.Millisecond // at p95, for one user
	maxPageBytes = 150 * bytesPerKB      // with all assets except photos

	maxSteadyP50 = 10 * time.Millisecond
	maxSteadyP99 = 50 * time.Millisecond
)

// minBurst returns the target for deliveries per second during a burst.
func minBurst(engine string) int {
	if engine == "postgres" {
		return 2000
	}
	return 3000
}

// report prints all results as Markdown tables.
func report(w io.Writer, all []*series, hooks []*deliveryResult, shown []*pageResult, mem *memory) {
	printf := func(form string, args ...any) { _, _ = fmt.Fprintf(w, form, args...) }
	printf("%s, %s/%s, %d cores, %d connections\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(),
		connections)
	if len(all) > 0 {
		reportOperations(printf, all)
		reportGrowth(printf, all)
	}
	if len(hooks) > 0 {
		reportWebhooks(printf, hooks)
	}
	if len(shown) > 0 {
		reportPages(printf, shown)
	}
	if mem != nil {
		printf("\n| resident memory, SQLite | MB | at most | |\n|---|--:|--:|---|\n")
		printf("| idle after the first start, which hashes a password | %.0f | %d | %s |\n", mem.first, maxIdleMB,
			verdict(mem.first < maxIdleMB))
		printf("| idle | %.0f | %d | %s |\n", mem.idle, maxIdleMB, verdict(mem.idle < maxIdleMB))
		printf("| peak, eight concurrent uploads of %.1f MB and their thumbnails | %.0f | %d | %s |\n", mem.upload,
			mem.peak, maxUploadsMB, verdict(mem.peak < maxUploadsMB))
	}
}

func reportOperations(printf func(string, ...any), all []*series) {
	printf("\n| engine | operation | items | requests/s | p50 ms | p99 ms | allocs | kB " +
		"| baseline requests/s | baseline p99 ms | baseline allocs | of baseline | |\n")
	printf("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n")
	for _, s := range all {
		if s.bare {
			continue
		}
		printf("| %s | %s | %d | %.0f | %s | %s | %.0f | %.1f | %s |\n", s.engine, s.op, s.size, s.rate(),
			ms(s.times.at(0.5)), ms(s.times.at(0.99)),
			perRequest(s.mallocs, s.requests), perRequest(s.bytes, s.requests)/bytesPerKB,
			bareCells(s, find(all, s.engine, s.op, s.size, true)))
	}
}

// reportWebhooks prints how long it took until each delivery arrived, measured from the moment that the name of each
// case states. It also prints the rate of recorded deliveries, because recording may continue after the last delivery
// has arrived.
func reportWebhooks(printf func(string, ...any), hooks []*deliveryResult) {
	printf("\n| engine | webhooks | finished before | deliveries | deliveries/s | recorded/s | p50 ms | p99 ms | " +
		"duplicates | target | |\n")
	printf("|---|---|--:|--:|--:|--:|--:|--:|--:|---|---|\n")
	for _, d := range hooks {
		judged := ""
		if d.target != "" {
			judged = verdict(d.met)
		}
		printf("| %s | %s | %d | %d | %.0f | %.0f | %s | %s | %d | %s | %s |\n", d.engine, d.name, d.finished,
			d.deliveries, d.rate(), d.recordRate(),
			ms(d.times.at(0.5)), ms(d.times.at(0.99)), d.duplicates, d.target, judged)
	}
}

// reportGrowth compares the location with the most items with the location with the fewest.
func reportGrowth(printf func(string, ...any), all []*series) {
	printf("\n| engine | operation | p99 with the most items relative to the fewest | at most | |\n" +
		"|---|---|--:|--:|---|\n")
	for _, s := range all {
		small := find(all, s.engine, s.op, 0, false)
		if s.bare || s == small || s.op != "get" && s.op != "list" && s.op != "search-rare" {
			continue
		}
		growth := float64(s.times.at(0.99)) / float64(small.times.at(0.99))
		printf("| %s | %s | %.2f | %.1f | %s |\n", s.engine, s.op, growth, maxGrowth, verdict(growth <= maxGrowth))
	}
}

// find returns the series with the given properties, or nil. A size of 0 selects the first size.
func find(all []*series, engine, op string, size int, bare bool) *series {
	for _, s := range all {
		if s.engine == engine && s.op == op && (s.size == size || size == 0) && s.bare == bare {
			return s
		}
	}
	return nil
}

// bareCells returns the table cells for the baseline handler.
func bareCells(s, bare *series) string {
	if bare == nil {
		return "| | | | "
	}
	ratio := s.against(bare)
	return fmt.Sprintf("%.0f | %s | %.0f | %.0f %% | %s", bare.rate(), ms(bare.times.at(0.99)),
		perRequest(bare.mallocs, bare.requests), 100*ratio, verdict(ratio >= minOfBare))
}

func verdict(ok bool) string {
	if ok {
		return "ok"
	}
	return "**missed**"
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()*1000) }

func perRequest(total uint64, requests int64) float64 {
	return float64(total) / float64(max(1, requests))
}
