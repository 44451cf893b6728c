package identity

import (
	"sync"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// keyCache caches each key for keyLife, so that most requests need not read it from the database.
type keyCache struct {
	used  access.CacheCounter
	mu    sync.RWMutex
	keys  map[string]cachedKey
	wrong map[string]time.Time // keys that do not exist, and until when to remember that
	round int                  // number of revocations; a key that was read before a revocation is not cached after it
}

type cachedKey struct {
	lost.Key
	until time.Time
}

const (
	keyLife = 2 * time.Second
	maxKeys = 10000
)

func newKeyCache() *keyCache {
	return &keyCache{keys: map[string]cachedKey{}, wrong: map[string]time.Time{}}
}

func (r *keyCache) get(hash string, now time.Time) (k lost.Key, found bool, round int) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	cached, ok := r.keys[hash]
	found = ok && now.Before(cached.until)
	r.used.Count(found)
	return cached.Key, found, r.round
}

func (r *keyCache) put(hash string, k lost.Key, now time.Time, round int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if round != r.round {
		return
	}
	if len(r.keys) >= maxKeys {
		clear(r.keys)
	}
	r.keys[hash] = cachedKey{k, now.Add(keyLife)}
}

func (r *keyCache) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.round++
	for hash, k := range r.keys {
		if k.ID == id {
			delete(r.keys, hash)
		}
	}
}

// isWrong reports whether a key was recently looked up and does not exist.
func (r *keyCache) isWrong(hash string, now time.Time) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return now.Before(r.wrong[hash])
}

// putWrong remembers for keyLife that a key does not exist.
func (r *keyCache) putWrong(hash string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.wrong) >= maxKeys {
		clear(r.wrong)
	}
	r.wrong[hash] = now.Add(keyLife)
}

// remembers reports whether a key was valid the last time it was used, or is known to be wrong.
func (r *keyCache) remembers(hash string, now time.Time) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	_, valid := r.keys[hash]
	return valid || now.Before(r.wrong[hash])
}

// originCache remembers for originLife which websites may use a publishable key and which may not, because everybody
// can ask for that.
type originCache struct {
	mu    sync.RWMutex
	known map[string]cachedOrigin // by the hash of the origin, because origins can be long
	round int                     // number of changes of keys; what was read before a change is not cached after it
}

type cachedOrigin struct {
	known bool
	until time.Time
}

const originLife = 5 * time.Second

func newOriginCache() *originCache { return &originCache{known: map[string]cachedOrigin{}} }

func (c *originCache) get(origin string, now time.Time) (known, found bool, round int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	cached, ok := c.known[store.DirectoryHash(origin)]
	return cached.known, ok && now.Before(cached.until), c.round
}

func (c *originCache) put(origin string, known bool, now time.Time, round int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if round != c.round {
		return
	}
	if len(c.known) >= maxKeys {
		clear(c.known)
	}
	c.known[store.DirectoryHash(origin)] = cachedOrigin{known, now.Add(originLife)}
}

// clear forgets all websites, because a key was created or revoked.
func (c *originCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.round++
	clear(c.known)
}
