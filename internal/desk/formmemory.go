package desk

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// FormMemory suggests what was typed before at a location.
type FormMemory struct {
	cache *suggestionCache
	db    *store.DB
	now   func() time.Time
}

// FormMemoryOptions are the dependencies of FormMemory.
type FormMemoryOptions struct {
	DB  *store.DB
	Now func() time.Time
}

// NewFormMemory makes FormMemory.
func NewFormMemory(o FormMemoryOptions) *FormMemory {
	return &FormMemory{
		cache: &suggestionCache{},
		db:    o.DB, now: o.Now,
	}
}

// Suggestions are the values that were typed before at a location, most frequent first.
type Suggestions struct {
	Brands, Colors, Places, StoragePlaces []string
	Models                                []ModelSeen
}

// ModelSeen is a model with its most frequent brand and colour.
type ModelSeen struct{ Model, Brand, Color string }

const (
	suggestFrom  = 3000 // of the newest items
	mostOffered  = 60   // suggestions of each kind
	suggestFresh = time.Minute
	mostRecalled = 500 // locations
)

// suggestionCache keeps suggestions for a short time: every form asks for them, and they change slowly.
type suggestionCache struct {
	used       access.CacheCounter
	mu         sync.Mutex
	byLocation map[string]recollection
}

type recollection struct {
	what Suggestions
	at   time.Time
}

func (r *suggestionCache) get(location string, now time.Time) (Suggestions, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept, known := r.byLocation[location]
	known = known && now.Sub(kept.at) < suggestFresh
	r.used.Count(known)
	return kept.what, known
}

func (r *suggestionCache) put(location string, s Suggestions, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byLocation == nil || len(r.byLocation) >= mostRecalled {
		r.byLocation = map[string]recollection{}
	}
	r.byLocation[location] = recollection{s, now}
}

// Suggest gives what was typed before at a location, for the form that records an item.
func (f *FormMemory) Suggest(ctx context.Context, a lost.Actor, location string) (Suggestions, error) {
	if err := access.May(a, lost.RecordItems, location, "location"); err != nil {
		return Suggestions{}, err
	}
	if _, err := f.db.Location(ctx, a.Account, location); err != nil {
		return Suggestions{}, err
	}
	if s, known := f.cache.get(location, f.now()); known {
		return s, nil
	}
	traits, err := f.db.RecentTraits(ctx, a.Account, location, suggestFrom)
	if err != nil {
		return Suggestions{}, err
	}
	s := suggestions(traits)
	f.cache.put(location, s, f.now())
	return s, nil
}

// CacheUse tells how well the cache of suggestions works.
func (f *FormMemory) CacheUse() store.CacheStats { return f.cache.used.Use("suggestions") }

// suggestions counts what was typed.
func suggestions(traits []lost.Traits) Suggestions {
	var brands, colors, places, shelves, models tally
	for _, t := range traits {
		brands.add(t.Brand)
		colors.add(t.Color)
		places.add(t.Place)
		shelves.add(t.StoragePlace)
		models.add(t.Model)
	}
	s := Suggestions{
		Brands: brands.mostFrequent(), Colors: colors.mostFrequent(), Places: places.mostFrequent(),
		StoragePlaces: shelves.mostFrequent(),
	}
	for _, model := range models.mostFrequent() {
		var brand, color tally
		for _, t := range traits {
			if strings.EqualFold(t.Model, model) {
				brand.add(t.Brand)
				color.add(t.Color)
			}
		}
		s.Models = append(s.Models, ModelSeen{Model: model, Brand: brand.first(), Color: color.first()})
	}
	return s
}

// tally counts texts regardless of case. Each text keeps its first spelling.
type tally struct {
	n        map[string]int
	spelling map[string]string
}

func (t *tally) add(text string) {
	if text == "" {
		return
	}
	if t.n == nil {
		t.n, t.spelling = map[string]int{}, map[string]string{}
	}
	key := strings.ToLower(text)
	if t.n[key]++; t.n[key] == 1 {
		t.spelling[key] = text
	}
}

// mostFrequent gives the most frequent texts, in a stable order.
func (t *tally) mostFrequent() []string {
	keys := make([]string, 0, len(t.n))
	for key := range t.n {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(x, y string) int { return cmp.Or(cmp.Compare(t.n[y], t.n[x]), strings.Compare(x, y)) })
	var most []string
	for _, key := range keys[:min(len(keys), mostOffered)] {
		most = append(most, t.spelling[key])
	}
	return most
}

func (t *tally) first() string {
	if most := t.mostFrequent(); len(most) > 0 {
		return most[0]
	}
	return ""
}
