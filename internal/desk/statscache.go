package desk

import (
	"context"
	"slices"
	"sync"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
)

// statsCache caches the statistics of locations. Counting reads all found items of a location. Therefore all callers
// share the result, locations are counted one at a time, and an expired count is renewed only on demand. Until the
// new count is available, callers get the old one, with its time. Empty statistics are not cached.
type statsCache struct {
	count        func(ctx context.Context, of statsKey) (*lost.MonthlyCounts, error)
	now          func() time.Time
	maxWait      time.Duration // how long a caller waits for the first count of a location
	maxLocations int           // maximum number of locations in the cache

	used access.CacheCounter

	mu      sync.Mutex
	cached  map[statsKey]*cachedCounts
	queue   []statsKey // locations to count, in order
	working bool
	closed  bool
	cancel  context.CancelFunc // cancels the running count
	done    sync.WaitGroup
}

// statsKey identifies a count: the location, and the time zone in which its months are counted.
type statsKey struct{ account, location, zone string }

// cachedCounts is the cached result of counting a location.
type cachedCounts struct {
	counts  *lost.MonthlyCounts // nil until the first count has succeeded
	at      time.Time
	until   time.Time // when the count expires
	used    time.Time
	queued  bool
	counted chan struct{} // closed when the first count has ended
	err     error         // the error of the last count
}

const (
	statsLife    = 5 * time.Minute
	statsShare   = 50 // repeated counting of a location takes at most 1/statsShare of the time
	countTimeout = time.Minute
)

func newStatsCache(now func() time.Time, count func(context.Context,
	statsKey) (*lost.MonthlyCounts, error)) *statsCache {
	const maxWait, maxLocations = 400 * time.Millisecond, 1000
	return &statsCache{
		count: count, now: now, maxWait: maxWait, maxLocations: maxLocations, cached: map[statsKey]*cachedCounts{},
	}
}

// counted holds the cached counts of several locations.
type counted struct {
	counts  []*lost.MonthlyCounts
	asOf    time.Time // the time of the oldest count
	missing int
}

// get returns the cached counts of the given locations. It waits up to maxWait for locations that have no count yet.
func (t *statsCache) get(ctx context.Context, account string, locations []lost.LocationName) (counted, error) {
	ctx, cancel := context.WithTimeout(ctx, t.maxWait)
	defer cancel()
	for _, first := range t.request(account, locations) {
		select {
		case <-first:
		case <-ctx.Done():
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	c := counted{counts: make([]*lost.MonthlyCounts, len(locations))}
	for n, p := range locations {
		switch k := t.cached[statsKey{account, p.ID, p.TimeZone}]; {
		case k == nil || k.counts == nil && k.err == nil:
			c.missing++
		case k.counts == nil:
			return counted{}, k.err
		default:
			c.counts[n] = k.counts
			if c.asOf.IsZero() || k.at.Before(c.asOf) {
				c.asOf = k.at
			}
		}
	}
	return c, nil
}

// request queues locations whose count is missing or expired. For each missing count, it returns a channel that is
// closed when the count has ended.
func (t *statsCache) request(account string, locations []lost.LocationName) (first []chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	for _, p := range locations {
		key := statsKey{account, p.ID, p.TimeZone}
		k := t.cached[key]
		if k != nil && !k.queued && k.counts != nil && k.counts.Empty() {
			delete(t.cached, key) // always count an empty location: this is quick, and shows its first item at once
			k = nil
		}
		if k == nil {
			if !t.makeRoom() {
				continue // the queue is full; the caller can try again later
			}
			k = &cachedCounts{counted: make(chan struct{})}
			t.cached[key] = k
		}
		k.used = now
		t.used.Count(k.counts != nil && now.Before(k.until))
		if k.counts == nil && k.err == nil {
			first = append(first, k.counted)
		}
		if !k.queued && !now.Before(k.until) {
			t.enqueue(key, k)
		}
	}
	return first
}

// enqueue queues a location for counting. Locations without a count go before those whose count has expired.
func (t *statsCache) enqueue(key statsKey, k *cachedCounts) {
	if t.closed {
		return
	}
	k.queued = true
	at := len(t.queue)
	if k.counts == nil {
		again := slices.IndexFunc(t.queue, func(key statsKey) bool { return t.cached[key].counts != nil })
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

// makeRoom evicts the least recently used location if the cache is full. It reports whether the cache has room for
// another location.
func (t *statsCache) makeRoom() bool {
	if len(t.cached) < t.maxLocations {
		return true
	}
	var oldest statsKey
	var used time.Time
	for key, k := range t.cached {
		if !k.queued && (used.IsZero() || k.used.Before(used)) {
			oldest, used = key, k.used
		}
	}
	delete(t.cached, oldest)
	return len(t.cached) < t.maxLocations
}

// work counts the queued locations until the queue is empty or the cache is closed.
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
		started := t.now()
		counts, err := t.count(ctx, key)
		cancel()
		t.save(key, counts, err, started)
	}
}

// save caches the result of a count. If the count failed, the previous result stays cached, and the next call of get
// triggers a retry.
func (t *statsCache) save(key statsKey, counts *lost.MonthlyCounts, err error, started time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k, now := t.cached[key], t.now()
	first := k.counts == nil && k.err == nil
	k.queued, k.err = false, err
	if err == nil {
		k.counts, k.at, k.until = counts, started, now.Add(max(statsLife, statsShare*now.Sub(started)))
	}
	if first {
		close(k.counted)
	}
}

// close cancels the running count and waits until counting has stopped.
func (t *statsCache) close() {
	t.mu.Lock()
	t.closed = true
	if t.cancel != nil {
		t.cancel()
	}
	t.mu.Unlock()
	t.done.Wait()
}
