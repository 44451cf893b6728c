package access

import (
	"sync/atomic"

	"homeward/internal/store"
)

// CacheCounter counts the hits and misses of a cache.
type CacheCounter struct{ hits, misses atomic.Int64 }

// Count counts one look-up in the cache, as a hit if found is true and otherwise as a miss.
func (c *CacheCounter) Count(found bool) {
	if found {
		c.hits.Add(1)
	} else {
		c.misses.Add(1)
	}
}

// Use returns the counts, labelled with the name of the cache.
func (c *CacheCounter) Use(name string) store.CacheStats {
	return store.CacheStats{Name: name, Hits: c.hits.Load(), Misses: c.misses.Load()}
}
