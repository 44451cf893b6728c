package desk

import (
	"context"
	"slices"
	"sync"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
)

// statsCache remembers what was counted for locations. Counting walks everything that a location has found, so it is
// done once for all who ask, one location at a time, and again only when somebody asks after a while: they are shown
// the old numbers meanwhile, and when those were counted. That there is nothing to count is not remembered.
type statsCache struct {
	count    func(ctx context.Context, of tallyKey) (*lost.Ledger, error)
	now      func() time.Time
	patience time.Duration // how long somebody waits for what was never counted
	most     int           // that are remembered

	used access.CacheCounter

	mu      sync.Mutex
	known   map[tallyKey]*keptTally
	queue   []tallyKey // that are to be counted, the first ones first
	working bool
	closed  bool
	cancel  context.CancelFunc // of the count under way
	done    sync.WaitGroup
}

// tallyKey is what a count depends on.
type tallyKey struct{ account, location, zone string }

// keptTally is what was counted for a location, and when.
type keptTally struct {
	tally   *lost.Ledger // nil until it was counted
	at      time.Time
	until   time.Time // when it is counted again
	used    time.Time
	queued  bool
	counted chan struct{} // closed once the first count has ended
	err     error         // of the last count
}

const (
	tallyLife    = 5 * time.Minute
	tallyShare   = 50 // a count takes at most one part in so many of the time
	countTimeout = time.Minute
)

func newStatsCache(now func() time.Time, count func(context.Context, tallyKey) (*lost.Ledger, error)) *statsCache {
	const patience, most = 400 * time.Millisecond, 1000
	return &statsCache{count: count, now: now, patience: patience, most: most, known: map[tallyKey]*keptTally{}}
}

// counted is what is known of some locations: nil where nothing is yet.
type counted struct {
	tallies []*lost.Ledger
	asOf    time.Time // of the oldest
	missing int
}

// get gives what is known of some locations. For what was never counted it waits, but not for long.
func (t *statsCache) get(ctx context.Context, account string, places []lost.Site) (counted, error) {
	ctx, cancel := context.WithTimeout(ctx, t.patience)
	defer cancel()
	for _, first := range t.ask(account, places) {
		select {
		case <-first:
		case <-ctx.Done():
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	c := counted{tallies: make([]*lost.Ledger, len(places))}
	for n, p := range places {
		switch k := t.known[tallyKey{account, p.ID, p.TimeZone}]; {
		case k == nil || k.tally == nil && k.err == nil:
			c.missing++
		case k.tally == nil:
			return counted{}, k.err
		default:
			c.tallies[n] = k.tally
			if c.asOf.IsZero() || k.at.Before(c.asOf) {
				c.asOf = k.at
			}
		}
	}
	return c, nil
}

// ask has counted what was not, or not lately, and gives the ends of the first counts to wait for.
func (t *statsCache) ask(account string, places []lost.Site) (first []chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	for _, p := range places {
		key := tallyKey{account, p.ID, p.TimeZone}
		k := t.known[key]
		if k != nil && !k.queued && k.tally != nil && k.tally.Empty() {
			delete(t.known, key) // the first find is seen at once, and nothing is counted at once
			k = nil
		}
		if k == nil {
			if !t.makeRoom() {
				continue // too much is to be counted; whoever asks again finds room
			}
			k = &keptTally{counted: make(chan struct{})}
			t.known[key] = k
		}
		k.used = now
		t.used.Count(k.tally != nil && now.Before(k.until))
		if k.tally == nil && k.err == nil {
			first = append(first, k.counted)
		}
		if !k.queued && !now.Before(k.until) {
			t.enqueue(key, k)
		}
	}
	return first
}

// enqueue has a location counted: one that never was goes before those that are only counted again.
func (t *statsCache) enqueue(key tallyKey, k *keptTally) {
	if t.closed {
		return
	}
	k.queued = true
	at := len(t.queue)
	if k.tally == nil {
		again := slices.IndexFunc(t.queue, func(key tallyKey) bool { return t.known[key].tally != nil })
		if again >= 0 {
			at = again
		}
	}
	t.queue = slices.Insert(t.queue, at, key)
	if !t.working {
		t.working = true
		t.done.Go(t.work)
	}
}

// makeRoom forgets the location that was asked for the longest ago, where there are too many, and tells whether there
// is room.
func (t *statsCache) makeRoom() bool {
	if len(t.known) < t.most {
		return true
	}
	var oldest tallyKey
	var used time.Time
	for key, k := range t.known {
		if !k.queued && (used.IsZero() || k.used.Before(used)) {
			oldest, used = key, k.used
		}
	}
	delete(t.known, oldest)
	return len(t.known) < t.most
}

// work counts until nothing is left to count.
func (t *statsCache) work() {
	for {
		t.mu.Lock()
		if len(t.queue) == 0 || t.closed {
			t.working = false
			t.mu.Unlock()
			return
		}
		key := t.queue[0]
		t.queue = t.queue[1:]
		ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
		t.cancel = cancel
		t.mu.Unlock()
		begun := t.now()
		tally, err := t.count(ctx, key)
		cancel()
		t.keep(key, tally, err, begun)
	}
}

// keep remembers what was counted. Where that failed, what was counted before stays, and it is tried again when
// somebody asks.
func (t *statsCache) keep(key tallyKey, tally *lost.Ledger, err error, begun time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k, now := t.known[key], t.now()
	first := k.tally == nil && k.err == nil
	k.queued, k.err = false, err
	if err == nil {
		k.tally, k.at, k.until = tally, begun, now.Add(max(tallyLife, tallyShare*now.Sub(begun)))
	}
	if first {
		close(k.counted)
	}
}

// close ends the counting.
func (t *statsCache) close() {
	t.mu.Lock()
	t.closed = true
	if t.cancel != nil {
		t.cancel()
	}
	t.mu.Unlock()
	t.done.Wait()
}
