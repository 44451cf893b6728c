package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"homeward/internal/web/staff"
)

// pagesName is the name of the operation that measures the dashboard's pages.
const pagesName = "pages"

const (
	pageWarm  = 3    // warm-up visits, which are not counted
	pageShare = 0.95 // the share of visits that must be within the limit
	minVisits = 40   // with fewer visits, a single slow one would determine the p95
)

// pageResult holds the results for one URL.
type pageResult struct {
	engine, at string
	size       int // number of items in the location
	times      []time.Duration
	bytes      int // size of the page itself
	loads      int // size of its assets in bytes, uncompressed and without photos
}

// took returns the duration at a quantile: the given share of visits took at most this long.
func (p *pageResult) took(share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(p.times))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

func (p *pageResult) measured() (engine, what string, size int) { return p.engine, p.at, p.size }

// withinLimits reports whether the page's time and size are within the limits.
func (p *pageResult) withinLimits() bool {
	return p.took(pageShare) <= p.maxTime() && p.bytes+p.loads <= maxPageBytes
}

// maxTime returns the limit for the page's time. Searches and reports have limits of their own, on every page.
func (p *pageResult) maxTime() time.Duration {
	path, query, _ := strings.Cut(p.at, "?")
	searches := func(field string) bool { return strings.Contains("&"+query, "&"+field+"=") }
	switch {
	case slices.ContainsFunc([]string{"q", "color", "place", "owner", "finder"}, searches):
		return maxQueryTime
	case strings.HasSuffix(path, "/reports"):
		return maxReportTime
	default:
		return maxPageTime
	}
}

// pages measures every dashboard page on one database. One user visits all pages in turn, again and again, so that
// the database does other work before each visit, and disturbances affect all pages equally.
func (b *bench) pages(ctx context.Context, engine string, size int) (all []*pageResult, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeFor(size))
	defer cancel()
	s := &site{engine: engine, size: size}
	defer func() { err = errors.Join(err, s.close()) }()
	v, err := b.openPages(ctx, s)
	if err != nil {
		return nil, err
	}
	b.logf("%s: pages", engine)
	for _, p := range addresses() {
		all = append(all, &pageResult{engine: engine, at: p, size: s.size})
	}
	for n := range pageWarm + b.visits {
		for _, p := range all {
			if err := v.visit(ctx, p, n); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// openPages creates a database like that of a busy desk after two years, starts the service on it and logs in.
func (b *bench) openPages(ctx context.Context, s *site) (*visitor, error) {
	data := filepath.Join(b.folder, fmt.Sprintf("%s-pages-%d", s.engine, s.size))
	s.setting = filepath.Join(data, "homeward.db")
	if s.engine == "postgres" {
		if err := s.makeDatabase(ctx); err != nil {
			return nil, err
		}
	}
	program, err := s.service(ctx, data)
	if err != nil {
		return nil, err
	}
	b.logf("%s: loading %d items and related records", s.engine, s.size)
	f := &filler{site: s}
	if err := f.fill(ctx); err != nil {
		return nil, err
	}
	s.start(ctx, program)
	v := newVisitor(program.URL(), f)
	if err := v.logIn(ctx); err != nil {
		return nil, err
	}
	if err := errors.Join(v.work(ctx), v.findLinks(ctx)); err != nil {
		return nil, err
	}
	return v, s.settle(ctx)
}

// settle waits until the service has done the jobs that loading and requests have caused, which change many items.
func (s *site) settle(ctx context.Context) (err error) {
	if s.queries, err = openBare(ctx, s.engine, s.setting); err != nil {
		return err
	}
	s.onClose(s.queries.close)
	if err := s.finishJobs(ctx, maxIndexTime); err != nil || s.engine != "postgres" {
		return err
	}
	return s.runStatements(ctx, nil)
}

// visit requests a page once and records how long it took. The first visits are a warm-up; the very first also loads
// the assets.
func (v *visitor) visit(ctx context.Context, p *pageResult, n int) error {
	at := v.fillIn(p.at, n)
	begin := time.Now()
	body, err := v.get(ctx, at)
	took := time.Since(begin)
	if err != nil {
		return err
	}
	p.bytes = max(p.bytes, len(body))
	if n == 0 {
		p.loads, err = v.loads(ctx, body)
	}
	if n >= pageWarm {
		p.times = append(p.times, took)
	}
	return err
}

// reportPages prints the results for every page with the most items, and compares one visit to all pages with the most
// and the fewest items.
func reportPages(printf func(string, ...any), all []*pageResult) {
	shown, size := largest(all)
	engines := enginesOf(all)
	printf("%d items.\n\n%s", size, timeHeader("page", engines, " | kB | kB with assets"))
	for _, p := range shown {
		if p.engine != engines[0] {
			continue
		}
		met := true
		for _, other := range shown {
			met = met && (other.at != p.at || other.withinLimits())
		}
		printf("| `%s` |%s %.1f | %.1f | %s |\n", p.at, timeCells(shown, engines, p.at),
			float64(p.bytes)/bytesPerKB, float64(p.bytes+p.loads)/bytesPerKB, verdict(met))
	}
	reportGrowth(printf, growthOfPages(all))
}

// growthOfPages compares the times of one visit to all pages. It also returns the pages that grow more than the limit,
// or if there are none, the page that grows most.
func growthOfPages(all []*pageResult) (out []growth) {
	shown, size := largest(all)
	for _, engine := range enginesOf(all) {
		var few, many time.Duration
		var pages []growth
		for _, p := range shown {
			n := slices.IndexFunc(all, func(o *pageResult) bool {
				return o.engine == engine && p.engine == engine && o.at == p.at && o.size < size
			})
			if n < 0 {
				continue
			}
			few, many = few+all[n].took(0.5), many+p.took(0.5)
			pages = append(pages, growth{
				engine: engine, what: "`" + p.at + "`", p50: float64(p.took(0.5)) / float64(all[n].took(0.5)),
			})
		}
		if len(pages) == 0 {
			continue
		}
		slices.SortStableFunc(pages, func(a, b growth) int { return cmp.Compare(b.p50, a.p50) })
		more := slices.IndexFunc(pages, growth.withinLimit)
		if more < 0 {
			more = len(pages)
		}
		visit := growth{engine: engine, what: "one visit to every page", p50: float64(many) / float64(few)}
		out = append(append(out, visit), pages[:max(1, more)]...)
	}
	return out
}

// judgePages returns an error if any page is slower or larger than allowed. It ignores pages with too few visits.
func judgePages(shown []*pageResult) error {
	var missed []string
	for _, p := range shown {
		if !p.withinLimits() && len(p.times) >= minVisits {
			missed = append(missed, p.engine+" "+p.at)
		}
	}
	if len(missed) == 0 {
		return nil
	}
	return fmt.Errorf("%d pages take longer at p95 than their limit, or have more than %d kB: %s", len(missed),
		maxPageBytes/bytesPerKB, strings.Join(missed, ", "))
}

// pageRoutes returns the dashboard's GET routes.
func pageRoutes() []string {
	var all []string
	for _, r := range staff.Routes() {
		if r.Method == http.MethodGet {
			all = append(all, r.Path)
		}
	}
	return all
}

// addresses returns the URL paths that are measured, including their query strings.
func addresses() []string {
	var all []string
	for _, p := range measuredPages() {
		if !slices.Contains(pageRoutes(), strings.Replace(p.route, allLocations, "/at/{location}/", 1)) {
			continue
		}
		for _, query := range append([]string{""}, p.queries...) {
			all = append(all, strings.TrimSuffix(p.route, "{$}")+query)
		}
	}
	return all
}
