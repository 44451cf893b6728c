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

// commonTerms caches for a while which terms are so frequent that they are not counted to the end. Where there are
// few items nothing is cached and every count is current. Where there are very many, counting them again for every
// search would be most of its work.
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
	maxCommon   = 20_000 // terms in the cache
	manySubject = ""     // stands for all subjects in counts
)

// split tells which terms are known to be common, and which have to be counted.
func (c *commonTerms) split(of commonTerm, terms []string, now time.Time) (known, rest []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of.term = range terms {
		isCommon := now.Before(c.until[of])
		c.used.Count(isCommon)
		if isCommon {
			known = append(known, of.term)
		} else {
			rest = append(rest, of.term)
		}
	}
	return known, rest
}

// learn caches the terms that are common.
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

// count tells how many open items or requests a subject is compared with, and how many of them have each of its
// terms.
func (c *Matcher) count(ctx context.Context, s subject, source lost.Source) (match.Counts, error) {
	of, now := commonTerm{account: s.Account, pool: s.pool, source: source}, c.now()
	known, rest := c.common.split(of, append(slices.Clone(s.counted), manySubject), now)
	counted, err := c.db.CountTerms(ctx, s.Account, s.pool, source, rest, match.MaxCounted)
	if err != nil {
		return nil, err
	}
	c.common.learn(of, counted, now)
	for _, term := range known {
		counted[term] = match.MaxCounted
	}
	return counted, nil
}

// CacheUse tells how well the cache of common terms works.
func (c *Matcher) CacheUse() store.CacheStats { return c.common.used.Use("terms") }
