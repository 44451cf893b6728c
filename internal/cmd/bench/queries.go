package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"homeward/internal/store"
)

// queriesName is the name of the operation that measures searches with q.
const queriesName = "search-q"

const (
	maxQueryTime   = 60 * time.Millisecond // the longest time for one search with q, at p95
	queryLocations = 3
)

// measuredQuery is a search over all locations of the account, with other filters.
type measuredQuery struct{ name, q, filters string }

// measuredQueries lists the searches that are measured.
func measuredQueries() []measuredQuery {
	return []measuredQuery{
		{"common word", commonTerm, ""},
		{"two common words", commonTerm + " umbrella", ""},
		{"rare word", rareTerm, ""},
		{"no hit", missingTerm, ""},
		{"no hit beside a common word", missingTerm + " " + commonTerm, ""},
		{"vague word", "bag", ""},
		{"vague words", "jewellery box", ""},
		{"misspelled word", "umbrela", ""},
		{"misspelled words", "lether walet kowalksa", ""},
		{"misspelled rare word", "theodolyte", ""},
		{"another language", "schwarzer regenschirm", ""},
		{"three words in another language", "portefeuille rouge chambre 301", ""},
		{"place", "room 301", ""},
		{"shelf", "shelf c box 7", ""},
		{"number", "301", ""},
		{"short word", "er", ""},
		{"short word without a hit", "qz", ""},
		{"name", "müller", ""},
		{"phone number", "030 1234567", ""},
		{"reference", "K7F3QD", ""},
		{"ten words", "a small black leather umbrella wooden handle nearly new room 301 müller", ""},
		{"ten words of different items", "violin ribbon canvas lego whale terrace silva beige nylon locker", ""},
		{"common word of a status", commonTerm, "&status=DELIVERED"},
		{"two words since a day", "red wallet", "&from=2026-09-01"},
		{"word that names only a category", "ohrhörer", ""},
		{"common word of a category", commonTerm, "&category=watch"},
		{"word in requests", "umbrella", "&source=request"},
	}
}

// searches measures searches with q over many items in three locations.
func (b *bench) searches(ctx context.Context, engine string, size int) (all []*matchResult, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeFor(size))
	defer cancel()
	s := &site{engine: engine, size: size}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := b.openSearches(ctx, s); err != nil {
		return nil, err
	}
	b.logf("%s: %s", engine, queriesName)
	stop, err := b.startProfile(&series{engine: engine, op: operation{name: queriesName}, size: s.size}, 0)
	if err != nil {
		return nil, err
	}
	defer stop()
	queries := measuredQueries()
	for _, m := range queries {
		all = append(all, &matchResult{engine: engine, what: m.name, size: s.size})
	}
	for n := range pageWarm + b.visits {
		for i, m := range queries {
			took, err := s.timeSearch(ctx, m)
			if err != nil {
				return nil, err
			}
			if n >= pageWarm {
				all[i].times = append(all[i].times, took)
			}
		}
	}
	return all, nil
}

// openSearches loads items into three locations and starts the service.
func (b *bench) openSearches(ctx context.Context, s *site) error {
	b.logf("%s: loading %d items into %d locations", s.engine, s.size, queryLocations)
	return b.openFilled(ctx, s, "queries", s.loadLocations)
}

// openFilled creates a database, fills it and starts the service. The name is part of the database's path.
func (b *bench) openFilled(ctx context.Context, s *site, name string, fill func(context.Context) error) error {
	data := filepath.Join(b.folder, fmt.Sprintf("%s-%s-%d", s.engine, name, s.size))
	s.setting = filepath.Join(data, "homeward.db")
	if s.engine == "postgres" {
		if err := s.makeDatabase(ctx); err != nil {
			return err
		}
	}
	program, err := s.service(ctx, data)
	if err != nil {
		return err
	}
	if err := fill(ctx); err != nil {
		return err
	}
	s.start(ctx, program)
	s.full = program.URL()
	return nil
}

// loadLocations fills three locations.
func (s *site) loadLocations(ctx context.Context) error {
	db, err := store.OpenUnsynced(ctx, s.setting, time.Now)
	if err != nil {
		return err
	}
	defer db.Close()
	key, err := db.KeyByHash(ctx, store.DirectoryHash(apiKey))
	if err != nil {
		return err
	}
	s.account = key.Account
	l := &loader{db: db, actor: key.Actor(), r: mathrand.New(mathrand.NewPCG(1, 2)), references: map[string]bool{},
		vary: classify}
	for n := range queryLocations {
		s.location, _, err = l.location(ctx, fmt.Sprintf("House%d", n), s.size/queryLocations)
		if err != nil {
			return err
		}
	}
	// Matching is measured separately, and so are the checks of items.
	return s.runStatements(ctx, []statement{
		{"DELETE FROM jobs", nil}, {"UPDATE items SET look_at = 0", nil},
		{"UPDATE locations SET match_rules = 1000000", nil},
	})
}

// timeSearch returns how long a search takes.
func (s *site) timeSearch(ctx context.Context, m measuredQuery) (time.Duration, error) {
	return s.timeGet(ctx, s.full+"/v1/items?q="+url.QueryEscape(m.q)+m.filters)
}

// timeGet returns how long a GET request to the API takes.
func (s *site) timeGet(ctx context.Context, address string) (time.Duration, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return 0, err
	}
	r.Header.Set("svc-api-key", apiKey)
	begin := time.Now()
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, res.Body)
	took := time.Since(begin)
	if err = errors.Join(err, res.Body.Close()); err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: got status %d", address, res.StatusCode)
	}
	return took, err
}

// reportSearches prints the results with the most items.
func reportSearches(printf func(string, ...any), all []*matchResult) {
	shown, size := largest(all)
	engines := enginesOf(all)
	printf("%d items in %d locations. p95 must be at most %s ms.\n\n%s", size, queryLocations, ms(maxQueryTime),
		timeHeader("search with q", engines, ""))
	for _, m := range shown {
		if m.engine != engines[0] {
			continue
		}
		met := true
		for _, other := range shown {
			met = met && (other.what != m.what || other.took(pageShare) <= maxQueryTime)
		}
		printf("| %s |%s %s |\n", m.what, timeCells(shown, engines, m.what), verdict(met))
	}
}
