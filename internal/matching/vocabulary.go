package matching

import (
	"context"
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
	mu       sync.RWMutex
	words    *match.Vocabulary
	position int64 // of the last change that was read
	items    int   // number of items in the account when the vocabulary was begun
	begun    time.Time
}

const (
	maxVocabularies = 16     // in memory, of a few megabytes each at most
	vocabularyItems = 20_000 // items whose words are read
	vocabularyTime  = time.Hour
	changedItems    = 1000 // changed items whose words are read before a search
)

// get returns the vocabulary of an account, with the words of the items that have changed since the last search.
func (v *vocabularies) get(ctx context.Context, db *store.DB, account string) (*vocabulary, error) {
	v.mu.Lock()
	found := v.known[account]
	if found == nil {
		if v.known == nil || len(v.known) >= maxVocabularies {
			v.known = map[string]*vocabulary{}
		}
		found = &vocabulary{}
		v.known[account] = found
	}
	v.mu.Unlock()
	return found, found.update(ctx, db, account)
}

// update reads the words of new and changed items. From time to time it begins again, so that words of deleted items
// do not stay.
func (v *vocabulary) update(ctx context.Context, db *store.DB, account string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	limit := changedItems
	if v.words == nil || time.Since(v.begun) > vocabularyTime {
		v.words, v.position = match.NewVocabulary(), 0
		v.begun, limit = time.Now(), vocabularyItems
	}
	texts, position, err := db.SearchTexts(ctx, account, v.position, limit)
	if err != nil {
		return err
	}
	if v.position == 0 {
		if v.items, err = db.CountItems(ctx, account); err != nil {
			return err
		}
	}
	v.position = position
	for _, text := range texts {
		v.words.Add(text)
	}
	return nil
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
	p.groups, p.typed = v.words.Groups(q), v.words.TypedGroups(q)
	if p.items = max(v.items, v.words.Texts()); p.items > v.words.Texts() {
		p.unknown = v.words.UnknownGroups(q)
	}
	return p
}
