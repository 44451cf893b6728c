package desk

import (
	"context"
	"slices"
	"sync"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
)

// statsCache caches the statistics of locations. Counting reads everything that was found at a location, so it is
// done once for all callers, one location at a time, and again only when somebody asks after a while. Meanwhile
// callers get the old numbers and the time of the count. Empty statistics are not cached.
type statsCache struct {
	count    func(ctx context.Context, of tallyKey) (*lost.MonthlyCounts, error)
	now      func() time.Time
	patience time.Duration // how long a caller waits for a first count
	most     int           // locations in the cache

	used access.CacheCounter

	mu      sync.Mutex
	known   map[tallyKey]*keptTally
	queue   []tallyKey // to be counted, in this order
	working bool
	closed  bool
	cancel  context.CancelFunc // of the running count
	done    sync.WaitGroup
}

// tallyKey is what a count depends on.
type tallyKey struct{ account, location, zone string }

// keptTally is the cached count of a location.
type keptTally struct {
	tally   *lost.MonthlyCounts // nil until the first count ended
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

func newStatsCache(now func() time.Time, count func(context.Context,
	tallyKey) (*lost.MonthlyCounts, error)) *statsCache {
	const patience, most = 400 * time.Millisecond, 1000
	return &statsCache{count: count, now: now, patience: patience, most: most, known: map[tallyKey]*keptTally{}}
}

// counted are the cached counts of some locations: nil where there is none yet.
type counted struct {
	tallies []*lost.MonthlyCounts
	asOf    time.Time // of the oldest
	missing int
}

// get gives the cached counts of some locations. It waits a short time for first counts.
func (t *statsCache) get(ctx context.Context, account string, places []lost.LocationName) (counted, error) {
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
	c := counted{tallies: make([]*lost.MonthlyCounts, len(places))}
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

// ask queues missing and old counts, and gives the channels that close when first counts end.
func (t *statsCache) ask(account string, places []lost.LocationName) (first []chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	for _, p := range places {
		key := tallyKey{account, p.ID, p.TimeZone}
		k := t.known[key]
		if k != nil && !k.queued && k.tally != nil && k.tally.Empty() {
			delete(t.known, key) // so that the first item is seen at once; an empty location is counted quickly
			k = nil
		}
		if k == nil {
			if !t.makeRoom() {
				continue // too many are queued; the caller can ask again later
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

// enqueue queues a location: first counts go before renewals.
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

// makeRoom drops the least recently used location if the cache is full, and tells whether there is room.
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

// work counts until the queue is empty.
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

// keep caches a count. After a failure the previous count stays, and the next caller starts another attempt.
func (t *statsCache) keep(key tallyKey, tally *lost.MonthlyCounts, err error, begun time.Time) {
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

// close stops the counting.
func (t *statsCache) close() {
	t.mu.Lock()
	t.closed = true
	if t.cancel != nil {
		t.cancel()
	}
	t.mu.Unlock()
	t.done.Wait()
}
