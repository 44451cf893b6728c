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

// FormMemory suggests form values that were entered before at the same location.
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

// NewFormMemory creates FormMemory.
func NewFormMemory(o FormMemoryOptions) *FormMemory {
	return &FormMemory{
		cache: &suggestionCache{},
		db:    o.DB, now: o.Now,
	}
}

// Suggestions are the values that were entered before at a location, most frequent first.
type Suggestions struct {
	Brands, Colors, Places, StoragePlaces []string
	Models                                []ModelSuggestion
}

// ModelSuggestion is a suggested model, with the brand and colour that were most often entered with it.
type ModelSuggestion struct{ Model, Brand, Color string }

const (
	suggestFrom  = 3000 // number of recent items that suggestions are taken from
	maxOffered   = 60   // maximum number of suggestions for one field
	suggestFresh = time.Minute
	maxCached    = 500 // maximum number of locations in the cache
)

// suggestionCache caches suggestions for a short time, because every form loads them and they change slowly.
type suggestionCache struct {
	used       access.CacheCounter
	mu         sync.Mutex
	byLocation map[string]cachedSuggestions
}

type cachedSuggestions struct {
	suggestions Suggestions
	at          time.Time
}

func (r *suggestionCache) get(location string, now time.Time) (Suggestions, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	cached, found := r.byLocation[location]
	found = found && now.Sub(cached.at) < suggestFresh
	r.used.Count(found)
	return cached.suggestions, found
}

func (r *suggestionCache) put(location string, s Suggestions, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byLocation == nil || len(r.byLocation) >= maxCached {
		r.byLocation = map[string]cachedSuggestions{}
	}
	r.byLocation[location] = cachedSuggestions{s, now}
}

// Suggest returns suggestions for the form in which staff record an item.
func (f *FormMemory) Suggest(ctx context.Context, a lost.Actor, location string) (Suggestions, error) {
	if err := access.May(a, lost.RecordItems, location, "location"); err != nil {
		return Suggestions{}, err
	}
	if _, err := f.db.Location(ctx, a.Account, location); err != nil {
		return Suggestions{}, err
	}
	if s, found := f.cache.get(location, f.now()); found {
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

// CacheUse returns the numbers of hits and misses of the suggestion cache.
func (f *FormMemory) CacheUse() store.CacheStats { return f.cache.used.Use("suggestions") }

// suggestions returns the most frequent value of each field.
func suggestions(traits []lost.RecentValues) Suggestions {
	var brands, colors, places, shelves, models textCounter
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
		var brand, color textCounter
		for _, t := range traits {
			if strings.EqualFold(t.Model, model) {
				brand.add(t.Brand)
				color.add(t.Color)
			}
		}
		s.Models = append(s.Models, ModelSuggestion{Model: model, Brand: brand.first(), Color: color.first()})
	}
	return s
}

// textCounter counts how often each text was added, ignoring case. It returns each text as it was first spelled.
type textCounter struct {
	n        map[string]int
	spelling map[string]string
}

func (t *textCounter) add(text string) {
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

// mostFrequent returns the most frequent texts. Equally frequent texts are in alphabetical order.
func (t *textCounter) mostFrequent() []string {
	keys := make([]string, 0, len(t.n))
	for key := range t.n {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(x, y string) int { return cmp.Or(cmp.Compare(t.n[y], t.n[x]), strings.Compare(x, y)) })
	var texts []string
	for _, key := range keys[:min(len(keys), maxOffered)] {
		texts = append(texts, t.spelling[key])
	}
	return texts
}

func (t *textCounter) first() string {
	if texts := t.mostFrequent(); len(texts) > 0 {
		return texts[0]
	}
	return ""
}
