package desk

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"homeward/internal/lost"
)

// Suggestions is what was typed before at a location, the most frequent first.
type Suggestions struct {
	Brands, Colors, Places, StoragePlaces []string
	Models                                []ModelSeen
}

// ModelSeen is a model with the brand and colour that it had most often.
type ModelSeen struct{ Model, Brand, Color string }

const (
	suggestFrom  = 3000 // of the newest finds
	mostOffered  = 60   // of each kind
	suggestFresh = time.Minute
	mostRecalled = 500 // locations
)

// formMemory remembers suggestions for a moment: they are asked for with every form, and change slowly.
type formMemory struct {
	used usage
	mu   sync.Mutex
	of   map[string]recollection
}

type recollection struct {
	what Suggestions
	at   time.Time
}

func (r *formMemory) get(location string, now time.Time) (Suggestions, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept, known := r.of[location]
	known = known && now.Sub(kept.at) < suggestFresh
	r.used.count(known)
	return kept.what, known
}

func (r *formMemory) put(location string, s Suggestions, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil || len(r.of) >= mostRecalled {
		r.of = map[string]recollection{}
	}
	r.of[location] = recollection{s, now}
}

// Suggest gives what was typed before at a location, for whoever records the next find there.
func (d *Desk) Suggest(ctx context.Context, a lost.Actor, location string) (Suggestions, error) {
	if err := may(a, lost.Record, location, "location"); err != nil {
		return Suggestions{}, err
	}
	if _, err := d.db.Location(ctx, a.Account, location); err != nil {
		return Suggestions{}, err
	}
	if s, known := d.recalled.get(location, d.now()); known {
		return s, nil
	}
	traits, err := d.db.RecentTraits(ctx, a.Account, location, suggestFrom)
	if err != nil {
		return Suggestions{}, err
	}
	s := suggestions(traits)
	d.recalled.put(location, s, d.now())
	return s, nil
}

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
	s := Suggestions{Brands: brands.most(), Colors: colors.most(), Places: places.most(), StoragePlaces: shelves.most()}
	for _, model := range models.most() {
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

// tally counts texts, whatever their case; each keeps the spelling that was met first.
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

// most gives the most frequent, in a stable order.
func (t *tally) most() []string {
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
	if most := t.most(); len(most) > 0 {
		return most[0]
	}
	return ""
}

// Recorded gives a find to whoever may see it: those who may look, and who recorded it.
func (d *Desk) Recorded(ctx context.Context, a lost.Actor, location, id string) (lost.Item, error) {
	if err := reach(a, location, "item"); err != nil {
		return lost.Item{}, err
	}
	if err := d.mineOrSeen(ctx, a, id); err != nil {
		return lost.Item{}, err
	}
	return d.db.Item(ctx, a.Account, location, id)
}

// mineOrSeen is nil for an actor who may look, or who recorded an item: others are shown nothing but what they recorded.
func (d *Desk) mineOrSeen(ctx context.Context, a lost.Actor, item string) error {
	if a.May(lost.Look) == nil {
		return nil
	}
	mine, err := d.db.RecordedBy(ctx, a, item)
	if err == nil && !mine {
		err = lost.Missing("item")
	}
	return err
}
