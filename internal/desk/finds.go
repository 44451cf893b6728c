package desk

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/report"
	"homeward/internal/store"
)

// Finds holds the facts about found items that reports count, so that a report of any period reads only the items that
// have changed since the last one. Other instances of the service have their own, and each reads the changes of all.
type Finds struct {
	db      *store.DB
	seed    maphash.Seed
	max     int           // the size in memory, in bytes
	large   int           // the number of items from which an account is large
	reading chan struct{} // held while all items of a large account are read, so that only one is read at a time

	mu   sync.Mutex
	of   map[string]*accountFinds
	uses int // counts how often items were used
}

// NewFinds creates Finds.
func NewFinds(db *store.DB) *Finds {
	const large = 20_000
	return &Finds{
		db: db, seed: maphash.MakeSeed(), max: maxFinds, large: large, reading: make(chan struct{}, 1),
		of: map[string]*accountFinds{},
	}
}

// maxFinds is enough for about a million items. Reports of a larger account read all of its items each time.
const maxFinds = 88 << 20

// findSize is the approximate size of an item in memory.
const findSize = 88

// All items are read again from time to time, which forgets texts that no item has any more, and corrects what changes
// in the database cannot explain. Large accounts are read in the background before a report has to.
const (
	findsLife    = 24 * time.Hour
	refreshAge   = 22 * time.Hour
	refreshEvery = time.Hour
)

// run reads the items of large accounts, so that nobody waits for it, until the context ends. The items of other
// accounts are forgotten, because reading them takes little time.
func (f *Finds) run(ctx context.Context, log *slog.Logger) {
	timer := time.NewTicker(refreshEvery)
	defer timer.Stop()
	for {
		if err := f.refresh(ctx); err != nil && ctx.Err() == nil {
			log.Warn("cannot read items for reports in advance", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
	}
}

// refresh reads the items of large accounts, as many as memory is for, and forgets those of other accounts. An error in
// one account does not affect the others.
func (f *Finds) refresh(ctx context.Context) (failed error) {
	const most = 50
	accounts, err := f.db.LargeAccounts(ctx, f.large, f.max/findSize, most)
	if err != nil {
		return err
	}
	var kept []string
	left := f.max / findSize
	for _, a := range accounts {
		if a.Items <= left {
			left -= a.Items
			kept = append(kept, a.Account)
		}
	}
	f.mu.Lock()
	maps.DeleteFunc(f.of, func(account string, _ *accountFinds) bool { return !slices.Contains(kept, account) })
	f.mu.Unlock()
	for _, account := range slices.Backward(kept) { // the largest one is used last
		if err := f.renew(ctx, account); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// renew reads the items of an account. If they were read longer than refreshAge ago, it reads all of them again, while
// reports count the ones that are in memory.
func (f *Finds) renew(ctx context.Context, account string) error {
	f.mu.Lock()
	a := f.of[account]
	f.mu.Unlock()
	if a == nil || !a.isOld(f.db.Now(), refreshAge) {
		_, err := f.get(ctx, account)
		return err
	}
	items, err := f.db.CountItems(ctx, account)
	if err != nil {
		return err
	}
	again := newAccountFinds()
	size, err := f.update(ctx, again, account, items)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of[account] == a && size <= f.max {
		again.lastUse, again.size = a.lastUse, size
		f.of[account] = again
		f.evict(again)
	}
	return nil
}

// each calls show with the found items at some locations.
func (f *Finds) each(ctx context.Context, account string, locations []lost.LocationName,
	show func(report.Find)) error {
	a, err := f.get(ctx, account)
	if err != nil {
		return err
	}
	return f.show(ctx, a, account, newShownFinds(locations, show))
}

// show shows the items that get has returned. It reads them from the database if there are too many, or if somebody
// else has begun to read all of them again since then and failed, so that no report counts only a part.
func (f *Finds) show(ctx context.Context, a *accountFinds, account string, shown *shownFinds) error {
	if a == nil || !a.showTo(shown) {
		return f.stream(ctx, account, shown)
	}
	return nil
}

// stream is each without keeping the items.
func (f *Finds) stream(ctx context.Context, account string, shown *shownFinds) error {
	const manyTexts = 10_000
	a := newAccountFinds()
	return f.db.EachFind(ctx, account, store.FirstPosition, func(_ string, facts lost.FindFacts) {
		if len(a.texts) > manyTexts {
			a = newAccountFinds()
		}
		shown.add(a, a.read(0, facts))
	})
}

// spellings returns texts of found items that belong to a group of a report.
func (f *Finds) spellings(ctx context.Context, account, key string, limit int) ([]string, error) {
	a, err := f.get(ctx, account)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	add := func(text string) {
		if len(found) < limit && report.GroupKey(text) == key {
			found[strings.Clone(text)] = true // the text may be a part of a row
		}
	}
	if a == nil || !a.eachText(add) {
		err = f.db.EachFind(ctx, account, store.FirstPosition, func(_ string, facts lost.FindFacts) {
			add(facts.Color)
			add(facts.Place)
			add(facts.FinderName)
		})
	}
	return slices.Sorted(maps.Keys(found)), err
}

// get returns the items of an account, with the changes since the last time, or nil if there are too many. If they were
// read longer than findsLife ago, all of them are read again.
func (f *Finds) get(ctx context.Context, account string) (*accountFinds, error) {
	items, err := f.db.CountItems(ctx, account)
	if err != nil || items > f.max/findSize {
		return nil, err
	}
	f.mu.Lock()
	a := f.of[account]
	if a == nil {
		a = newAccountFinds()
		f.of[account] = a
	}
	f.uses++
	a.lastUse = f.uses
	if a.size = max(a.size, items*findSize); a.size <= f.max {
		f.evict(a)
	}
	f.mu.Unlock()
	size, err := f.update(ctx, a, account, items)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	a.size = size
	if size > f.max {
		a.size = 0      // it has forgotten them
		return nil, nil //nolint:nilnil // too many items are not an error
	}
	f.evict(a)
	return a, nil
}

// evict forgets the accounts that have not been used for the longest time, if the items need too much memory.
func (f *Finds) evict(keep *accountFinds) {
	all := 0
	for _, a := range f.of {
		all += a.size
	}
	for _, account := range slices.SortedFunc(maps.Keys(f.of), func(x, y string) int {
		return cmp.Compare(f.of[x].lastUse, f.of[y].lastUse)
	}) {
		if a := f.of[account]; all > f.max && a != keep {
			all -= a.size
			delete(f.of, account)
		}
	}
}

// update reads the items that have changed, and returns the size of all items. If it is too large, it forgets them.
func (f *Finds) update(ctx context.Context, a *accountFinds, account string, items int) (size int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.readBefore(f.db.Now(), findsLife) {
		a.forget()
	}
	if a.tooLarge {
		return f.max + 1, nil
	}
	// What is committed after the horizon is read now or the next time.
	horizon, err := f.db.ChangeHorizon(ctx, account)
	if err != nil {
		return 0, err
	}
	if horizon.History != a.position.History || horizon.Number < a.position.Number {
		a.forget() // another server has taken over, which may have lost the last changes
	}
	for range 2 {
		again := a.complete()
		if err := f.read(ctx, a, account, items); err != nil {
			return 0, err
		}
		if !a.tooLarge || !again {
			break
		}
		a.forget() // without the texts that no item has any more, there may be enough memory
	}
	if a.tooLarge {
		a.clear()
		return f.max + 1, nil
	}
	a.position = horizon
	return a.bytes(), nil
}

// read reads the items that have changed since the position of an account, or all of them at the first position.
func (f *Finds) read(ctx context.Context, a *accountFinds, account string, items int) error {
	first := !a.complete()
	if first {
		a.clear() // an earlier attempt may have failed
		a.readAt = f.db.Now()
		a.items, a.at = make([]find, 0, items), make(map[uint64]int32, items)
	}
	if first && items >= f.large {
		select {
		case f.reading <- struct{}{}:
			defer func() { <-f.reading }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := f.db.EachFind(ctx, account, a.position.Number, func(id string, facts lost.FindFacts) {
		if a.tooLarge = a.tooLarge || a.bytes() > f.max; !a.tooLarge {
			a.put(maphash.String(f.seed, id), facts)
		}
	})
	if err != nil || first || a.tooLarge {
		return err
	}
	deleted, err := f.db.DeletedItems(ctx, account, a.position.Number)
	for _, id := range deleted {
		a.remove(maphash.String(f.seed, id))
	}
	return err
}
