package matching

import (
	"context"
	"slices"
	"sync"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/lost/match"
	"homeward/internal/store"
)

// commonTerms caches the terms that are so frequent that counting stops at match.MaxCounted. With few items, nothing
// is cached and every count is current. With very many items, counting these terms again would take up most of the
// time of a search.
type commonTerms struct {
	used  access.CacheCounter
	mu    sync.Mutex
	until map[commonTerm]time.Time
}

type commonTerm struct {
	account, pool string
	source        lost.Source
	term          string
}

const (
	commonFor   = 10 * time.Minute
	maxCommon   = 20_000 // maximum number of terms in the cache
	allSubjects = ""     // the term under which all subjects are counted
)

// split returns the terms that are cached as common, and the terms that have to be counted.
func (c *commonTerms) split(of commonTerm, terms []string, now time.Time) (common, rest []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of.term = range terms {
		isCommon := now.Before(c.until[of])
		c.used.Count(isCommon)
		if isCommon {
			common = append(common, of.term)
		} else {
			rest = append(rest, of.term)
		}
	}
	return common, rest
}

// learn adds the terms that turned out to be common to the cache.
func (c *commonTerms) learn(of commonTerm, counts match.Counts, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for term, n := range counts {
		if n < match.MaxCounted {
			continue
		}
		if len(c.until) >= maxCommon {
			clear(c.until)
		}
		of.term = term
		c.until[of] = now.Add(commonFor)
	}
}

// count returns how many open found items or requests a subject is compared with, and how many of them have each of
// the subject's terms.
func (c *Matcher) count(ctx context.Context, s subject, source lost.Source) (match.Counts, error) {
	of, now := commonTerm{account: s.Account, pool: s.pool, source: source}, c.now()
	common, rest := c.common.split(of, append(slices.Clone(s.counted), allSubjects), now)
	counted, err := c.db.CountTerms(ctx, s.Account, s.pool, source, rest, match.MaxCounted)
	if err != nil {
		return nil, err
	}
	c.common.learn(of, counted, now)
	for _, term := range common {
		counted[term] = match.MaxCounted
	}
	return counted, nil
}

// CacheUse returns the hits and misses of the cache for common terms.
func (c *Matcher) CacheUse() store.CacheStats { return c.common.used.Use("terms") }
