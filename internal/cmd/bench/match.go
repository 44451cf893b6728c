package main

import (
	"context"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// matchName is the name of the operation that measures matching.
const matchName = "match"

const (
	maxMatchTime = 50 * time.Millisecond // the longest time for one match run, at p95
	openRequests = 5000
	matchRuns    = 200 // number of measured runs of each kind
)

// matchResult holds the results of one kind of match run.
type matchResult struct {
	engine, what string
	size         int // the number of items in the location
	times        []time.Duration
}

func (l *matchResult) took(share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(l.times))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

func (l *matchResult) measured() (engine, what string, size int) { return l.engine, l.what, l.size }

// matches measures how long it takes to match one request with all items in a large location, and one item with many
// requests.
func (b *bench) matches(ctx context.Context, engine string, size int) (all []*matchResult, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeFor(size))
	defer cancel()
	s := &site{engine: engine, size: size}
	defer func() { err = errors.Join(err, s.close()) }()
	m, err := b.openMatches(ctx, s)
	if err != nil {
		return nil, err
	}
	b.logf("%s: matching", engine)
	runtime.GC() // garbage from earlier runs must not affect this one
	stop, err := b.startProfile(&series{engine: engine, op: operation{name: matchName}, size: s.size}, 0)
	if err != nil {
		return nil, err
	}
	defer stop()
	requests := &matchResult{engine: engine, what: "a request among found items", size: s.size}
	finds := &matchResult{engine: engine, what: "a found item among requests", size: s.size}
	list := &matchResult{engine: engine, what: "the list of a request's matches", size: s.size}
	for n := range pageWarm + matchRuns {
		id, err := m.file(ctx)
		if err != nil {
			return nil, err
		}
		took, err := m.time(func() error { _, err := m.desk.Matcher.Match(ctx, m.account, id); return err })
		if err != nil {
			return nil, err
		}
		read, err := m.time(func() error {
			_, err := m.desk.Suggestions.Matches(ctx, m.actor, m.location, id, lost.FirstPage())
			return err
		})
		if err != nil {
			return nil, err
		}
		find, err := m.createItem(ctx)
		if err != nil {
			return nil, err
		}
		other, err := m.time(func() error { _, err := m.desk.Matcher.Match(ctx, m.account, find); return err })
		if err != nil {
			return nil, err
		}
		if n >= pageWarm {
			requests.times, list.times, finds.times = append(requests.times, took), append(list.times, read),
				append(finds.times, other)
		}
	}
	return []*matchResult{requests, finds, list}, nil
}

// matcher matches found items and requests in a loaded database.
type matcher struct {
	*site
	desk  *services.Services
	actor lost.Actor
	r     *mathrand.Rand
}

func (m *matcher) time(run func() error) (time.Duration, error) {
	begin := time.Now()
	err := run()
	return time.Since(begin), err
}

// openMatches creates a location with items that have no owner, submits requests and indexes everything.
func (b *bench) openMatches(ctx context.Context, s *site) (*matcher, error) {
	data := filepath.Join(b.folder, fmt.Sprintf("%s-match-%d", s.engine, s.size))
	s.setting = filepath.Join(data, "homeward.db")
	if s.engine == "postgres" {
		if err := s.makeDatabase(ctx); err != nil {
			return nil, err
		}
	}
	if _, err := s.service(ctx, data); err != nil {
		return nil, err
	}
	b.logf("%s: loading %d found items", s.engine, s.size)
	s.vary = func(_ *mathrand.Rand, i *lost.Item) { i.Owner = lost.Owner{} }
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, s.setting, time.Now)
	if err != nil {
		return nil, err
	}
	s.onClose(func() error { db.Close(); return nil })
	if err := db.UseSecret([]byte(serviceSecret)); err != nil {
		return nil, err
	}
	key, err := db.KeyByHash(ctx, store.DirectoryHash(apiKey))
	if err != nil {
		return nil, err
	}
	ignore := func() {}
	m := &matcher{site: s, actor: key.Actor(), r: mathrand.New(mathrand.NewPCG(5, 6))}
	m.desk = services.New(services.Options{
		DB: db, Wire: v1.Encoder{}, Now: time.Now, Wake: ignore, WakeMessages: ignore,
		WakeDeliveries: func(...store.EndpointQueue) {},
	})
	return m, b.indexAll(ctx, db, m)
}

// indexAll submits many requests and indexes everything, as after an upgrade.
func (b *bench) indexAll(ctx context.Context, db *store.DB, m *matcher) error {
	for range openRequests / loadPerWrite {
		if err := m.fileMany(ctx, db, loadPerWrite); err != nil {
			return err
		}
	}
	if err := m.runStatements(ctx, []statement{{"DELETE FROM jobs", nil}}); err != nil {
		return err
	}
	b.logf("%s: indexing them", m.engine)
	begin := time.Now()
	const all = 1000
	if _, err := m.desk.Matcher.RematchOutdated(ctx, all); err != nil {
		return err
	}
	piece, more, err := m.claim(ctx, db)
	for first := piece.Step; more && err == nil; piece, more, err = m.claim(ctx, db) {
		if piece.Step != first { // the later steps are measured separately
			continue
		}
		if err := m.desk.Matcher.RematchLocation(ctx, piece); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	b.logf("%s: indexed in %s", m.engine, time.Since(begin).Round(time.Second))
	return m.runStatements(ctx, nil)
}

// claim claims and finishes the next indexing job. It returns false if there is none.
func (m *matcher) claim(ctx context.Context, db *store.DB) (piece store.Rematch, more bool, err error) {
	err = db.Write(ctx, func(tx *store.Tx) error {
		jobs, err := tx.ClaimJobs([]string{store.JobRematch}, 1, time.Hour)
		if more = len(jobs) > 0; err != nil || !more {
			return err
		}
		if piece, err = store.ParseRematch(jobs[0]); err != nil {
			return err
		}
		return tx.FinishJob(jobs[0])
	})
	return piece, more, err
}

// lostItem returns a request for a random item that may be among the found items.
func (m *matcher) lostItem() lost.RequestPatch {
	p := describe(m.r, false)
	return lost.RequestPatch{
		Description: lost.Set("I have lost my " + p.Description.Value), Brand: p.Brand, Color: p.Color,
		LostPlace: p.DiscoveryPlace, LostDate: p.DiscoveryDate,
		Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("guest@example.com"), LastName: lost.Set(pick(m.r, lasts))}),
	}
}

// fileMany submits n requests in one transaction.
func (m *matcher) fileMany(ctx context.Context, db *store.DB, n int) error {
	return db.Write(ctx, func(tx *store.Tx) error {
		for range n {
			i, err := lost.NewRequest(m.account, m.location, m.lostItem(), tx.Now())
			if err != nil {
				return err
			}
			i.Reference = i.ID // avoids duplicate references, which would repeat the whole transaction
			if err := tx.InsertItem(i); err != nil {
				return err
			}
		}
		return nil
	})
}

// file submits a request as a desk user would.
func (m *matcher) file(ctx context.Context) (string, error) {
	i, err := m.desk.Requests.File(ctx, m.actor, m.location, m.lostItem(), lost.IdempotencyKey{})
	return i.ID, err
}

// createItem creates a found item and returns its ID.
func (m *matcher) createItem(ctx context.Context) (string, error) {
	p := describe(m.r, false)
	p.Owner, p.Shipping = lost.Field[lost.OwnerPatch]{}, lost.Field[lost.ShippingPatch]{}
	i, err := m.desk.Items.Create(ctx, m.actor, m.location, p, lost.IdempotencyKey{})
	return i.ID, err
}

// reportMatches prints the results with the most items, and compares them with those with the fewest.
func reportMatches(printf func(string, ...any), all []*matchResult) {
	shown, size := largest(all)
	engines := enginesOf(all)
	printf("%d found items, %d requests. p95 must be at most %s ms.\n\n%s", size, openRequests, ms(maxMatchTime),
		timeHeader("", engines, ""))
	var grown []growth
	for _, m := range shown {
		if m.engine == engines[0] {
			met := true
			for _, other := range shown {
				met = met && (other.what != m.what || other.took(pageShare) <= maxMatchTime)
			}
			printf("| %s |%s %s |\n", m.what, timeCells(shown, engines, m.what), verdict(met))
		}
		for _, o := range all {
			if o.engine == m.engine && o.what == m.what && o.size < size {
				grown = append(grown, growth{
					engine: m.engine, what: m.what, p50: float64(m.took(0.5)) / float64(o.took(0.5)),
				})
			}
		}
	}
	reportGrowth(printf, grown)
}
