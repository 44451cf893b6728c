package main

import (
	"context"
	"errors"
	mathrand "math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// matchName is matching among the operations.
const matchName = "match"

const (
	mostMatch    = 50 * time.Millisecond // that a look takes at p95
	openRequests = 5000
	matchLooks   = 200 // that are measured of each sort
	matchTime    = 30 * time.Minute
)

// looked is the figures of one sort of look.
type looked struct {
	engine, what string
	size         int // of what is looked at
	times        []time.Duration
}

func (l *looked) took(share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(l.times))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

// matches measures how long it takes to look for one request among all finds of a large location, and for one find among many requests.
func (b *bench) matches(ctx context.Context, engine string) (all []*looked, err error) {
	ctx, cancel := context.WithTimeout(ctx, matchTime)
	defer cancel()
	s := &site{engine: engine, size: slices.Max(b.sizes)}
	defer func() { err = errors.Join(err, s.close()) }()
	m, err := b.openMatches(ctx, s)
	if err != nil {
		return nil, err
	}
	b.say("%s: matching", engine)
	runtime.GC() // nobody pays for what another left
	stop, err := b.startProfile(&series{engine: engine, op: matchName, size: s.size}, 0)
	if err != nil {
		return nil, err
	}
	defer stop()
	requests := &looked{engine: engine, what: "a request among finds", size: s.size}
	finds := &looked{engine: engine, what: "a find among requests", size: openRequests}
	list := &looked{engine: engine, what: "the list of a request's matches", size: s.size}
	for n := range pageWarm + matchLooks {
		id, err := m.file(ctx)
		if err != nil {
			return nil, err
		}
		took, err := m.time(func() error { _, err := m.desk.Match(ctx, m.account, id); return err })
		if err != nil {
			return nil, err
		}
		read, err := m.time(func() error {
			_, err := m.desk.Matches(ctx, m.actor, m.location, id, lost.FirstPage())
			return err
		})
		if err != nil {
			return nil, err
		}
		find, err := m.find(ctx)
		if err != nil {
			return nil, err
		}
		other, err := m.time(func() error { _, err := m.desk.Match(ctx, m.account, find); return err })
		if err != nil {
			return nil, err
		}
		if n >= pageWarm {
			requests.times, list.times, finds.times = append(requests.times, took), append(list.times, read), append(finds.times, other)
		}
	}
	return []*looked{requests, finds, list}, nil
}

// matcher looks for things at a site.
type matcher struct {
	*site
	desk  *desk.Desk
	actor lost.Actor
	r     *mathrand.Rand
}

func (m *matcher) time(look func() error) (time.Duration, error) {
	begin := time.Now()
	err := look()
	return time.Since(begin), err
}

// openMatches makes a location whose finds all wait for their owner, has them read, and files requests.
func (b *bench) openMatches(ctx context.Context, s *site) (*matcher, error) {
	data := filepath.Join(b.folder, s.engine+"-match")
	s.setting = filepath.Join(data, "homeward.db")
	if s.engine == "postgres" {
		if err := s.makeDatabase(ctx); err != nil {
			return nil, err
		}
	}
	if _, err := s.service(ctx, data); err != nil {
		return nil, err
	}
	b.say("%s: loading %d finds", s.engine, s.size)
	s.dress = func(_ *mathrand.Rand, i *lost.Item) { i.Owner = lost.Owner{} }
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, s.setting, time.Now)
	if err != nil {
		return nil, err
	}
	s.closing(func() error { db.Close(); return nil })
	if err := db.UseSecret([]byte(serviceSecret)); err != nil {
		return nil, err
	}
	key, err := db.KeyByHash(ctx, store.DirectoryHash(apiKey))
	if err != nil {
		return nil, err
	}
	nothing := func() {}
	m := &matcher{site: s, actor: key.Actor(), r: mathrand.New(mathrand.NewPCG(5, 6))}
	m.desk = desk.New(desk.Options{DB: db, Wire: v1.Wire{}, Now: time.Now, Nudge: nothing, NudgeLetters: nothing, NudgeLanes: func(...store.Lane) {}})
	return m, b.readAll(ctx, db, m)
}

// readAll has everything indexed that is there, in the way in which it is after an update, and many requests filed.
func (b *bench) readAll(ctx context.Context, db *store.DB, m *matcher) error {
	for range openRequests / loadPerWrite {
		if err := m.fileSome(ctx, db, loadPerWrite); err != nil {
			return err
		}
	}
	if err := m.lay(ctx, []statement{{"DELETE FROM jobs", nil}}); err != nil {
		return err
	}
	b.say("%s: reading them", m.engine)
	begin := time.Now()
	const all = 1000
	if _, err := m.desk.MatchByNewRules(ctx, all); err != nil {
		return err
	}
	piece, more, err := m.take(ctx, db)
	for first := piece.Step; more && err == nil; piece, more, err = m.take(ctx, db) {
		if piece.Step != first { // what follows is what is measured
			continue
		}
		if err := m.desk.MatchAgain(ctx, piece); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	b.say("%s: read in %s", m.engine, time.Since(begin).Round(time.Second))
	return m.lay(ctx, nil)
}

// take takes a job that a piece has left, if there is one.
func (m *matcher) take(ctx context.Context, db *store.DB) (piece store.Rematch, more bool, err error) {
	err = db.Write(ctx, func(tx *store.Tx) error {
		jobs, err := tx.ClaimJobs([]string{store.JobMatchAgain}, 1, time.Hour)
		if more = len(jobs) > 0; err != nil || !more {
			return err
		}
		if piece, err = store.RematchOf(jobs[0]); err != nil {
			return err
		}
		return tx.FinishJob(jobs[0])
	})
	return piece, more, err
}

// loss makes up something lost that may be among what was found.
func (m *matcher) loss() lost.RequestPatch {
	p := describe(m.r, false)
	return lost.RequestPatch{
		Description: lost.Set("I have lost my " + p.Description.Value), Brand: p.Brand, Color: p.Color, LostPlace: p.DiscoveryPlace, LostDate: p.DiscoveryDate,
		Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("guest@example.com"), LastName: lost.Set(pick(m.r, lasts))}),
	}
}

// fileSome files requests, many at once.
func (m *matcher) fileSome(ctx context.Context, db *store.DB, some int) error {
	return db.Write(ctx, func(tx *store.Tx) error {
		for range some {
			i, err := lost.NewRequest(m.account, m.location, m.loss(), tx.Now())
			if err != nil {
				return err
			}
			i.Reference = i.ID // with hundreds in one write, a clash would repeat them all
			if err := tx.InsertItem(i); err != nil {
				return err
			}
		}
		return nil
	})
}

// file files one as the desk does.
func (m *matcher) file(ctx context.Context) (string, error) {
	i, err := m.desk.FileRequest(ctx, m.actor, m.location, m.loss(), lost.IdempotencyKey{})
	return i.ID, err
}

// find records a find.
func (m *matcher) find(ctx context.Context) (string, error) {
	p := describe(m.r, false)
	p.Owner, p.Shipping = lost.Field[lost.OwnerPatch]{}, lost.Field[lost.ShippingPatch]{}
	i, err := m.desk.CreateItem(ctx, m.actor, m.location, p, lost.IdempotencyKey{})
	return i.ID, err
}

func reportMatches(printf func(string, ...any), all []*looked) {
	printf("\n| engine | matching | of | p50 ms | p95 ms | at most | |\n|---|---|--:|--:|--:|--:|---|\n")
	for _, l := range all {
		printf("| %s | %s | %d | %s | %s | %s | %s |\n", l.engine, l.what, l.size, ms(l.took(0.5)), ms(l.took(pageShare)), ms(mostMatch), verdict(l.took(pageShare) <= mostMatch))
	}
}
