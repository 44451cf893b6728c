package main

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"time"
)

// startName is the name of the operation that measures how the program starts.
const startName = "start"

const (
	maxStartTime = 500 * time.Millisecond // from the start of the process to the first response
	starts       = 5                      // number of measured starts
)

// startResult holds how long the program takes to start with a loaded database, and its memory when it is idle.
type startResult struct {
	engine string
	size   int
	// The times from the start of the process to the first response, of each start: a health check, a list of items
	// and the page of an item.
	health, list, page []time.Duration
	// Resident memory in MB: after a start without requests, and after the first requests.
	idle, used float64
}

// start stops the service of a site, and starts the program on its database.
func (b *bench) start(ctx context.Context, s *site) (*startResult, error) {
	binary, err := b.build(ctx)
	if err != nil {
		return nil, err
	}
	b.logf("%s: starting the program with %d items", s.engine, s.size)
	v := newVisitor("http://"+s.full, &filler{site: s})
	if err := errors.Join(v.logIn(ctx), s.stop()); err != nil { // the session remains valid
		return nil, err
	}
	settings := []string{
		"HOMEWARD_DATA=" + filepath.Join(b.folder, "start"), "HOMEWARD_DATABASE=" + s.setting, "HOMEWARD_DRAIN=0s",
		"HOMEWARD_SECRET=" + serviceSecret, "HOMEWARD_MAIL_FROM=bench@example.com",
	}
	r := &startResult{engine: s.engine, size: s.size}
	for range starts {
		err := withProgram(ctx, binary, settings, func(p *program) error { return r.firstResponses(ctx, p, s, v) })
		if err != nil {
			return nil, err
		}
	}
	return r, withProgram(ctx, binary, settings, func(p *program) error { return r.memory(ctx, p, s, v) })
}

// firstResponses sends the first requests to a program that has just started.
func (r *startResult) firstResponses(ctx context.Context, p *program, s *site, v *visitor) error {
	v.base = p.url
	for _, c := range []struct {
		path string
		took *[]time.Duration
	}{{"/healthz", &r.health}, {s.path(), &r.list}} {
		if err := p.call(ctx, http.MethodGet, p.url+c.path, "", nil, nil); err != nil {
			return err
		}
		*c.took = append(*c.took, time.Since(p.began))
	}
	if _, err := v.get(ctx, s.itemPage()); err != nil {
		return err
	}
	r.page = append(r.page, time.Since(p.began))
	return nil
}

// memory reads the program's memory before and after its first requests.
func (r *startResult) memory(ctx context.Context, p *program, s *site, v *visitor) (err error) {
	if r.idle, err = p.resident(ctx, "VmRSS:"); err != nil {
		return err
	}
	var ignored startResult
	if err := ignored.firstResponses(ctx, p, s, v); err != nil {
		return err
	}
	r.used, err = p.resident(ctx, "VmRSS:")
	return err
}

// itemPage returns the path of the page of the newest item.
func (s *site) itemPage() string { return "/at/" + s.location + "/items/" + s.items[len(s.items)-1] }

// reportStarts prints the median times of the starts, and the memory.
func reportStarts(printf func(string, ...any), all []*startResult) {
	printf("Median of %d starts, in ms from the start of the process to the response. At most %d ms and %d MB.\n\n",
		starts, maxStartTime.Milliseconds(), maxIdleMB)
	printf("| engine | items | health check | list | page of an item | MB idle | MB after them | |\n" +
		"|---|--:|--:|--:|--:|--:|--:|---|\n")
	for _, r := range all {
		page := medianTime(r.page)
		printf("| %s | %d | %.0f | %.0f | %.0f | %.0f | %.0f | %s |\n", r.engine, r.size,
			millis(medianTime(r.health)), millis(medianTime(r.list)), millis(page), r.idle, r.used,
			goalVerdict(page <= maxStartTime && max(r.idle, r.used) < maxIdleMB))
	}
}

func medianTime(all []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(all))[len(all)/2]
}

func millis(d time.Duration) float64 { return d.Seconds() * 1000 }
