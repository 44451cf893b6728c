package desk

import (
	"sync/atomic"

	"homeward/internal/store"
)

// usage counts how often what was remembered was there when it was asked for.
type usage struct{ hits, misses atomic.Int64 }

func (u *usage) count(found bool) {
	if found {
		u.hits.Add(1)
	} else {
		u.misses.Add(1)
	}
}

func (u *usage) told(name string) store.CacheUse {
	return store.CacheUse{Name: name, Hits: u.hits.Load(), Misses: u.misses.Load()}
}

// Remembered tells how well it serves that some things are remembered for a while: API keys, suggestions, numbers of locations, and terms that very many have.
func (d *Desk) Remembered() []store.CacheUse {
	return []store.CacheUse{d.keys.used.told("keys"), d.recalled.used.told("suggestions"), d.tallies.used.told("tallies"), d.common.used.told("terms")}
}
