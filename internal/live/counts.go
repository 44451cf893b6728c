package live

import "sync"

// Counts are the numbers in the menu.
type Counts struct {
	Tasks    int // open tasks at all locations that the user can access
	Requests int // open requests at the location of the menu
}

// maxCounts is the maximum number of different counts that are cached for one account.
const maxCounts = 200

type cachedCounts struct {
	mu         sync.Mutex // held while they are counted
	generation int64
	counted    bool
	counts     Counts
}

// Counts returns numbers of an account. It calls count only if the account has changed since the last call with the
// same key, or if this process would not know.
func (h *Hub) Counts(account, key string, count func() (Counts, error)) (Counts, error) {
	h.mu.Lock()
	a := h.accounts[account]
	if a == nil || h.listening.IsZero() {
		h.mu.Unlock()
		return count()
	}
	cached := a.counts[key]
	if cached == nil {
		if len(a.counts) >= maxCounts {
			clear(a.counts)
		}
		cached = &cachedCounts{}
		a.counts[key] = cached
	}
	h.mu.Unlock()
	cached.mu.Lock()
	defer cached.mu.Unlock()
	h.mu.Lock()
	generation := a.generation
	h.mu.Unlock()
	if cached.counted && cached.generation == generation {
		return cached.counts, nil
	}
	counts, err := count()
	if err == nil {
		cached.counts, cached.generation, cached.counted = counts, generation, true
	}
	return counts, err
}
