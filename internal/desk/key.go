package desk

import (
	"cmp"
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// NewKey is a key just made, with the secret that is shown once.
type NewKey struct {
	lost.Key
	Secret string
}

// Authenticate finds who a key belongs to.
func (d *Desk) Authenticate(ctx context.Context, secret string) (lost.Actor, error) {
	hash := store.DirectoryHash(secret)
	now := d.now()
	key, known, round := d.keys.get(hash, now)
	if !known {
		var err error
		key, err = d.db.KeyByHash(ctx, hash)
		if lost.CodeOf(err) == lost.NotFound {
			return lost.Actor{}, badKey()
		}
		if err != nil {
			return lost.Actor{}, err
		}
		d.keys.put(hash, key, now, round)
	}
	if !key.Usable(now) {
		return lost.Actor{}, badKey()
	}
	return key.Actor(), nil
}

func badKey() error {
	return lost.E(lost.Unauthorized, "This API key does not exist, has expired or was revoked.")
}

// CreateKey makes an API key for the actor's account.
func (d *Desk) CreateKey(ctx context.Context, a lost.Actor, p lost.KeyPatch, o lost.IdempotencyKey) (k NewKey, err error) {
	if err := mayManage(a, lost.Integrate); err != nil {
		return k, err
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		k, err = once(tx, a, o, func() (NewKey, error) {
			p := p // may run twice
			if err := checkLocations(tx, a.Account, &p); err != nil {
				return NewKey{}, err
			}
			made, err := lost.NewKey(a.Account, p, tx.Now())
			if err != nil {
				return NewKey{}, err
			}
			if err := audit(tx, a, lost.KeyCreated, made.ID, made.Name); err != nil {
				return NewKey{}, err
			}
			return insertKey(tx, made, newSecret())
		})
		return err
	})
	return k, err
}

// newSecret makes an API key of 130 bits.
func newSecret() string { return "hw_" + strings.ToLower(rand.Text()) }

func insertKey(tx *store.Tx, k lost.Key, secret string) (NewKey, error) {
	const hint = 7
	k.Hint = secret[:hint]
	return NewKey{Key: k, Secret: secret}, tx.InsertKey(k, store.DirectoryHash(secret))
}

// checkLocations adds a problem to the patch for each location in it that is not there.
func checkLocations(tx *store.Tx, account string, p *lost.KeyPatch) (err error) {
	sent := p.Locations.Value
	if len(sent) > lost.MaxKeyLocations { // refused for that
		return nil
	}
	p.Problems, err = missingLocations(tx, account, sent, p.Problems)
	return err
}

// Keys lists the account's keys, newest first.
func (d *Desk) Keys(ctx context.Context, a lost.Actor, page lost.Page) (lost.List[lost.Key], error) {
	if err := mayOversee(a, lost.Integrate); err != nil {
		return lost.List[lost.Key]{}, err
	}
	return d.db.Keys(ctx, a.Account, page)
}

// Key gives a key, without its secret.
func (d *Desk) Key(ctx context.Context, a lost.Actor, id string) (lost.Key, error) {
	if err := mayOversee(a, lost.Integrate); err != nil {
		return lost.Key{}, err
	}
	return d.db.Key(ctx, a.Account, id)
}

// RevokeKey makes a key open nothing any more: here at once, on other copies of the service within keyLife.
func (d *Desk) RevokeKey(ctx context.Context, a lost.Actor, id string) error {
	if err := mayManage(a, lost.Integrate); err != nil {
		return err
	}
	err := d.db.Write(ctx, func(tx *store.Tx) error {
		k, err := tx.Key(tx.Context(), a.Account, id)
		if err != nil || !k.RevokedAt.IsZero() {
			return err
		}
		return cmp.Or(tx.RevokeKey(k), audit(tx, a, lost.KeyRevoked, k.ID, k.Name))
	})
	d.keys.forget(id)
	return err
}

// keyring remembers keys for a moment, so that not every request asks the database.
type keyring struct {
	used  usage
	mu    sync.RWMutex
	known map[string]rememberedKey
	round int // counts revocations: what was read before one is not remembered after it
}

type rememberedKey struct {
	lost.Key
	until time.Time
}

const (
	keyLife = 2 * time.Second
	maxKeys = 10000
)

func newKeyring() *keyring { return &keyring{known: map[string]rememberedKey{}} }

func (r *keyring) get(hash string, now time.Time) (k lost.Key, known bool, round int) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	found, ok := r.known[hash]
	known = ok && now.Before(found.until)
	r.used.count(known)
	return found.Key, known, r.round
}

func (r *keyring) put(hash string, k lost.Key, now time.Time, round int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if round != r.round {
		return
	}
	if len(r.known) >= maxKeys {
		clear(r.known)
	}
	r.known[hash] = rememberedKey{k, now.Add(keyLife)}
}

func (r *keyring) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.round++
	for hash, k := range r.known {
		if k.ID == id {
			delete(r.known, hash)
		}
	}
}
