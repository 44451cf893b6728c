package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
)

// The performance targets. The goals for each operation are in operations.
const (
	maxGrowth    = 2.0 // maximum growth of the time for a request, from the fewest items to the most
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

// section is one part of the report. name identifies its place in the document.
type section struct{ name, text string }

// report returns the sections of the report, as Markdown tables. A section without results is omitted.
func report(r results) (all []section) {
	type printf = func(string, ...any)
	add := func(name string, has bool, write func(printf)) {
		if !has {
			return
		}
		var b strings.Builder
		write(func(form string, args ...any) { _, _ = fmt.Fprintf(&b, form, args...) })
		all = append(all, section{name, b.String()})
	}
	add("operations", len(r.operations) > 0, func(p printf) { reportOperations(p, r.operations) })
	add("webhooks", len(r.webhooks) > 0, func(p printf) { reportWebhooks(p, r.webhooks) })
	add("pages", len(r.pages) > 0, func(p printf) { reportPages(p, r.pages) })
	add("searches", len(r.searches) > 0, func(p printf) { reportSearches(p, r.searches) })
	add("reports", len(r.reports) > 0, func(p printf) { reportReports(p, r.reports) })
	add("rules", len(r.rules) > 0, func(p printf) { reportRules(p, r.rules) })
	add("matching", len(r.matches) > 0, func(p printf) { reportMatches(p, r.matches) })
	add("instances", len(r.instances) > 0, func(p printf) { reportInstances(p, r.instances) })
	add("live", r.live != nil, func(p printf) { reportLive(p, r.live) })
	add("starts", len(r.starts) > 0, func(p printf) { reportStarts(p, r.starts) })
	add("memory", r.memory != nil, func(p printf) { reportMemory(p, r.memory) })
	return all
}

// environment describes the machine that ran the benchmark.
func environment() string {
	return fmt.Sprintf("%s, %s/%s, %d cores", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
}

func reportMemory(printf func(string, ...any), m *memoryResult) {
	printf("| resident memory, SQLite | MB | at most | |\n|---|--:|--:|---|\n")
	printf("| idle after the first start, which hashes a password | %.0f | %d | %s |\n", m.first, maxIdleMB,
		verdict(m.first < maxIdleMB))
	printf("| idle | %.0f | %d | %s |\n", m.idle, maxIdleMB, verdict(m.idle < maxIdleMB))
	printf("| peak, eight concurrent uploads of %.1f MB and their thumbnails | %.0f | %d | %s |\n", m.upload,
		m.peak, maxUploadsMB, verdict(m.peak < maxUploadsMB))
}

// reportOperations prints the results of the service and of the baseline handler, and compares them.
func reportOperations(printf func(string, ...any), all []*series) {
	printf("Measured with %s. CPU is in microseconds for each request, in the serving process.\n\n", environment())
	printf("| engine | operation | items | requests/s | p50 ms | p99 ms | CPU | CPU of jobs | allocs | kB " +
		"| baseline requests/s | baseline CPU | baseline allocs | ratio | goal | |\n")
	printf("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n")
	for _, s := range all {
		if s.bare {
			continue
		}
		jobs := ""
		if s.op.writes {
			jobs = micros(s.queue, s.requests)
		}
		printf("| %s | %s | %d | %.0f | %s | %s | %s | %s | %.0f | %.1f | %s |\n",
			s.engine, s.op.name, s.size, s.rate(), ms(s.times.at(0.5)), ms(s.times.at(0.99)),
			micros(s.cpu, s.requests), jobs,
			perRequest(s.mallocs, s.requests), perRequest(s.bytes, s.requests)/bytesPerKB,
			bareCells(s, find(all, s.engine, s.op.name, s.size, true)))
	}
	reportGrowth(printf, growthOfOperations(all))
}

// bareCells returns the table cells for the baseline handler.
func bareCells(s, bare *series) string {
	if bare == nil {
		return "| | | | | "
	}
	ratio := s.against(bare)
	goal, met := "", ""
	if s.op.goal > 0 {
		goal, met = fmt.Sprintf("%.2f", s.op.goal), goalVerdict(ratio >= s.op.goal)
	}
	return fmt.Sprintf("%.0f | %s | %.0f | %.2f | %s | %s", bare.rate(), micros(bare.cpu, bare.requests),
		perRequest(bare.mallocs, bare.requests), ratio, goal, met)
}

// growth is how much longer something takes with the most items than with the fewest.
type growth struct {
	engine, what string
	time         float64 // ratio of the times for a request, turn by turn; 0 if there are no turns
	p50          float64 // ratio of the p50 times
	cpu          float64 // ratio of the processor times in the serving process; 0 if they were not measured
}

func (g growth) withinLimit() bool { return max(g.time, g.p50, g.cpu) <= maxGrowth }

// growthOfOperations compares the series with the fewest and the most items.
func growthOfOperations(all []*series) (out []growth) {
	for _, s := range all {
		if s.bare || !s.op.flat {
			continue
		}
		least, most := s.size, s.size
		for _, o := range all {
			if o.engine == s.engine && o.op.name == s.op.name {
				least, most = min(least, o.size), max(most, o.size)
			}
		}
		if s.size == most && most > least {
			few := find(all, s.engine, s.op.name, least, false)
			out = append(out, growth{
				s.engine, s.op.name, few.against(s), float64(s.times.at(0.5)) / float64(few.times.at(0.5)),
				s.cpuPerRequest() / few.cpuPerRequest(),
			})
		}
	}
	return out
}

func reportGrowth(printf func(string, ...any), all []growth) {
	if len(all) == 0 {
		return
	}
	printf("\nWith the most items relative to the fewest:\n\n")
	printf("| engine | | time | p50 | CPU | at most | |\n|---|---|--:|--:|--:|--:|---|\n")
	for _, g := range all {
		printf("| %s | %s | %s | %s | %s | %.1f | %s |\n", g.engine, g.what, factor(g.time), factor(g.p50),
			factor(g.cpu), maxGrowth, goalVerdict(g.withinLimit()))
	}
}

// factor returns a table cell, which is empty for a ratio that was not measured.
func factor(ratio float64) string {
	if ratio == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", ratio)
}

// reportWebhooks prints how long it took until each delivery arrived, measured from the moment that the name of each
// case states. It also prints the rate of recorded deliveries, because recording may continue after the last delivery
// has arrived.
func reportWebhooks(printf func(string, ...any), hooks []*deliveryResult) {
	printf("| engine | webhooks | finished before | deliveries | deliveries/s | recorded/s | p50 ms | p99 ms | " +
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

// find returns the series with the given properties, or nil.
func find(all []*series, engine, op string, size int, bare bool) *series {
	n := slices.IndexFunc(all, func(s *series) bool {
		return s.engine == engine && s.op.name == op && s.size == size && s.bare == bare
	})
	if n < 0 {
		return nil
	}
	return all[n]
}

// timed is the result of something that was timed with several numbers of items.
type timed interface {
	measured() (engine, what string, size int)
	took(share float64) time.Duration
}

// engineNames are the names of the databases in tables.
var engineNames = map[string]string{"sqlite": "SQLite", "postgres": "PostgreSQL"}

// enginesOf returns the databases that have results, in the order of the results.
func enginesOf[T timed](all []T) (engines []string) {
	for _, t := range all {
		if engine, _, _ := t.measured(); !slices.Contains(engines, engine) {
			engines = append(engines, engine)
		}
	}
	return engines
}

// largest returns the results with the most items, and the number of items.
func largest[T timed](all []T) (out []T, size int) {
	for _, t := range all {
		_, _, n := t.measured()
		size = max(size, n)
	}
	return withSize(all, size), size
}

func withSize[T timed](all []T, size int) (out []T) {
	for _, t := range all {
		if _, _, n := t.measured(); n == size {
			out = append(out, t)
		}
	}
	return out
}

// timeHeader returns the head of a table with two columns for each database, and its second line.
func timeHeader(first string, engines []string, more string) string {
	head, line := "| "+first, "|---"
	for _, engine := range engines {
		head += " | " + engineNames[engine] + " p50 ms | p95"
		line += "|--:|--:"
	}
	return head + more + " | |\n" + line + strings.Repeat("|--:", strings.Count(more, "|")) + "|---|\n"
}

func timeCells[T timed](all []T, engines []string, what string) string {
	var b strings.Builder
	for _, engine := range engines {
		n := slices.IndexFunc(all, func(t T) bool {
			e, w, _ := t.measured()
			return e == engine && w == what
		})
		if n < 0 {
			b.WriteString(" | |")
			continue
		}
		fmt.Fprintf(&b, " %s | %s |", ms(all[n].took(0.5)), ms(all[n].took(pageShare)))
	}
	return b.String()
}

func verdict(ok bool) string {
	if ok {
		return "ok"
	}
	return "**missed**"
}

// goalVerdict is verdict for a goal that the service need not reach yet.
func goalVerdict(ok bool) string {
	if ok {
		return "ok"
	}
	return "**short of goal**"
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()*1000) }

// micros returns the microseconds for each request.
func micros(total time.Duration, requests int64) string {
	return fmt.Sprintf("%.0f", float64(total.Microseconds())/float64(max(1, requests)))
}

func perRequest(total uint64, requests int64) float64 {
	return float64(total) / float64(max(1, requests))
}
