package identity

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// keyUses records when API keys were last used. It writes in the background, because a request must not wait for that:
// a key works even if nothing can be written. A crash loses only the uses that have not been written yet.
type keyUses struct {
	db  *store.DB
	log *slog.Logger

	flushing sync.Mutex // allows one flush at a time, so that close waits for a running flush

	mu      sync.Mutex
	last    map[string]time.Time // the last recorded use of each key, by id
	waiting map[string]lost.Key  // keys whose use must be written, by id
	timer   *time.Timer
}

const (
	keyUseDelay     = 2 * time.Second // how long uses are collected before they are written
	keyUseFlushTime = 5 * time.Second
)

func newKeyUses(db *store.DB, log *slog.Logger) *keyUses {
	return &keyUses{db: db, log: log, last: map[string]time.Time{}, waiting: map[string]lost.Key{}}
}

// note records that a key was used, if that was not recorded recently.
func (u *keyUses) note(k lost.Key, now time.Time) {
	if !k.Usable(now) {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.setLast(&k)
	if len(u.waiting) < maxKeys && k.Touch(now) {
		if len(u.last) >= maxKeys {
			clear(u.last)
		}
		u.last[k.ID] = now
		u.waiting[k.ID] = k
	}
	if len(u.waiting) > 0 && u.timer == nil {
		u.timer = time.AfterFunc(keyUseDelay, u.flush)
	}
}

// show sets the last use of a key, also if that is not written yet.
func (u *keyUses) show(k *lost.Key) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.setLast(k)
}

func (u *keyUses) setLast(k *lost.Key) {
	if at := u.last[k.ID]; at.After(k.LastUsedAt) {
		k.LastUsedAt = at
	}
}

// flush writes the collected uses. Those that cannot be written are written with the next ones.
func (u *keyUses) flush() {
	const batchSize = 500
	u.flushing.Lock()
	defer u.flushing.Unlock()
	u.mu.Lock()
	waiting := u.waiting
	u.waiting, u.timer = map[string]lost.Key{}, nil
	u.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), keyUseFlushTime)
	defer cancel()
	// All instances lock the keys in the same order, so that they do not wait for each other.
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(waiting)), batchSize) {
		err := u.db.Write(ctx, func(tx *store.Tx) error {
			for _, id := range ids {
				if err := tx.TouchKey(waiting[id]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			u.log.Warn("cannot record the use of API keys; retrying with the next use", "error", err)
			break
		}
		for _, id := range ids {
			delete(waiting, id)
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.Copy(waiting, u.waiting) // what has failed, and what was noted meanwhile
	u.waiting = waiting
}

// close writes the collected uses.
func (u *keyUses) close() {
	u.mu.Lock()
	if u.timer != nil {
		u.timer.Stop()
	}
	u.mu.Unlock()
	u.flush()
}
