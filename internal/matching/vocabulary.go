package matching

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"homeward/internal/lost/match"
	"homeward/internal/store"
)

// vocabularies caches the words of accounts. They only decide which words are searched for, so they need not be
// complete, and other instances of the service need not know them.
type vocabularies struct {
	mu    sync.Mutex
	known map[string]*vocabulary
}

// vocabulary holds the words of an account's items.
type vocabulary struct {
	used    time.Time // protected by vocabularies.mu
	mu      sync.RWMutex
	current *wordList
	next    *wordList // replaces current as soon as it is complete
}

// wordList holds the words of the newest items. Each search reads some more of them, so that no search waits long.
type wordList struct {
	*match.Vocabulary
	begun    time.Time
	items    int   // number of items in the account when the list was begun
	position int64 // of the last change that was read
	before   int64 // number of the oldest item that was read
	complete bool
	places   map[string]bool // the usual places of locations that were added
}

const (
	maxVocabularies = 16     // in memory, of a few megabytes each at most
	vocabularyItems = 20_000 // items whose words are read
	vocabularyTime  = time.Hour
	itemsAtOnce     = 1000 // items whose words are read before a search
)

// get returns the vocabulary of an account, with the words of the items that have changed since the last search.
func (v *vocabularies) get(ctx context.Context, db *store.DB, account string) (*vocabulary, error) {
	v.mu.Lock()
	found := v.known[account]
	if found == nil {
		v.evict()
		found = &vocabulary{}
		v.known[account] = found
	}
	found.used = time.Now()
	v.mu.Unlock()
	return found, found.update(ctx, db, account)
}

// evict forgets the vocabulary that has not been used for the longest time, if there are too many.
func (v *vocabularies) evict() {
	if v.known == nil {
		v.known = map[string]*vocabulary{}
	}
	if len(v.known) < maxVocabularies {
		return
	}
	oldest := slices.MinFunc(slices.Collect(maps.Keys(v.known)), func(a, b string) int {
		return v.known[a].used.Compare(v.known[b].used)
	})
	delete(v.known, oldest)
}

// update reads the words of new and changed items. From time to time it begins a new list, so that words of deleted
// items do not stay.
func (v *vocabulary) update(ctx context.Context, db *store.DB, account string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.current == nil:
		v.current = newWordList()
	case v.next == nil && v.current.complete && time.Since(v.current.begun) > vocabularyTime:
		v.next = newWordList()
	}
	reading := v.current
	if v.next != nil {
		reading = v.next
	}
	if err := v.current.readChanges(ctx, db, account); err != nil {
		return err
	}
	if err := reading.readMore(ctx, db, account); err != nil {
		return err
	}
	if reading.complete {
		v.current, v.next = reading, nil
	}
	return nil
}

func newWordList() *wordList {
	return &wordList{
		Vocabulary: match.NewVocabulary(), begun: time.Now(), before: math.MaxInt64, places: map[string]bool{},
	}
}

// addPlaces adds the words of the usual places of locations.
func (v *vocabulary) addPlaces(places map[string]string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, place := range places {
		if !v.current.places[place] {
			v.current.places[place] = true
			v.current.Add(place)
		}
	}
}

// readChanges reads the words of items that have changed since the last time.
func (l *wordList) readChanges(ctx context.Context, db *store.DB, account string) error {
	if l.position == 0 {
		return nil
	}
	texts, err := db.ChangedTexts(ctx, account, l.position, itemsAtOnce)
	for _, t := range texts {
		l.Add(t.Text)
		l.position = t.Horizon
	}
	if len(texts) == itemsAtOnce { // there may be more, so a new list is due
		l.begun = time.Time{}
	}
	return err
}

// readMore reads the words of older items, unless it has read enough.
func (l *wordList) readMore(ctx context.Context, db *store.DB, account string) (err error) {
	if l.complete {
		return nil
	}
	if l.position == 0 {
		if l.items, err = db.CountItems(ctx, account); err != nil {
			return err
		}
	}
	texts, err := db.OlderTexts(ctx, account, l.before, itemsAtOnce)
	for _, t := range texts {
		l.Add(t.Text)
		l.before = t.Number
		if l.position == 0 {
			l.position = t.Horizon
		}
	}
	l.complete = err == nil && l.before < math.MaxInt64 && (len(texts) < itemsAtOnce || l.Texts() >= vocabularyItems)
	return err
}

// searchPlan is what to look for because of a query.
type searchPlan struct {
	groups  []match.Group
	typed   []match.Group // only the words as typed
	unknown []match.Group // words of other languages that the vocabulary does not have
	items   int           // number of items in the account, roughly
}

func (v *vocabulary) plan(q *match.Query) (p searchPlan) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	words := v.current
	p.groups, p.typed = words.Groups(q), words.TypedGroups(q)
	if p.items = max(words.items, words.Texts()); p.items > words.Texts() {
		p.unknown = words.UnknownGroups(q)
	}
	return p
}
