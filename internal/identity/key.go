package identity

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Keys manages API keys.
type Keys struct {
	cache   *keyCache
	origins *originCache
	uses    *keyUses
	db      *store.DB
	now     func() time.Time
}

// KeysOptions are the dependencies of Keys.
type KeysOptions struct {
	DB  *store.DB
	Now func() time.Time
	Log *slog.Logger
}

// NewKeys creates Keys.
func NewKeys(o KeysOptions) *Keys {
	return &Keys{
		cache: newKeyCache(), origins: newOriginCache(), uses: newKeyUses(o.DB, o.Log),
		db: o.DB, now: o.Now,
	}
}

// NewKey is a new API key with its secret, which is shown only once.
type NewKey struct {
	lost.Key
	Secret string
}

// Authenticate returns the actor for an API key. It returns an error if the key is unknown, expired or revoked.
func (s *Keys) Authenticate(ctx context.Context, secret string) (lost.Actor, error) {
	hash := store.DirectoryHash(secret)
	now := s.now()
	if s.cache.isWrong(hash, now) {
		return lost.Actor{}, badKey()
	}
	key, found, round := s.cache.get(hash, now)
	if !found {
		var err error
		key, err = s.db.KeyByHash(ctx, hash)
		if lost.CodeOf(err) == lost.NotFound {
			s.cache.putWrong(hash, now)
			return lost.Actor{}, badKey()
		}
		if err != nil {
			return lost.Actor{}, err
		}
		s.uses.note(key, now)
		s.cache.put(hash, key, now, round)
	}
	if !key.Usable(now) {
		return lost.Actor{}, badKey()
	}
	return key.Actor(), nil
}

// Close writes the uses of keys that are not written yet.
func (s *Keys) Close() { s.uses.close() }

// KnowsOrigin reports whether a publishable key may be used on a website, for a browser that has not sent its key yet.
// A change of a key has an effect immediately on this instance, and within originLife on other instances.
func (s *Keys) KnowsOrigin(ctx context.Context, origin string) (bool, error) {
	now := s.now()
	known, found, round := s.origins.get(origin, now)
	if found {
		return known, nil
	}
	known, err := s.db.KnowsOrigin(ctx, origin)
	if err == nil {
		s.origins.put(origin, known, now, round)
	}
	return known, err
}

// RemembersOrigin reports whether KnowsOrigin needs no look-up for a website.
func (s *Keys) RemembersOrigin(origin string) bool {
	_, found, _ := s.origins.get(origin, s.now())
	return found
}

// Remembers reports whether a key was used recently on this instance, so that authenticating it needs at most one cheap
// look-up. It is true for valid keys, and for a few seconds for wrong ones.
func (s *Keys) Remembers(secret string) bool {
	return s.cache.remembers(store.DirectoryHash(secret), s.now())
}

func badKey() error {
	return lost.E(lost.Unauthorized, "This API key does not exist, has expired or was revoked.")
}

// Create creates an API key for the actor's account. A repeated request returns the key with its secret again, because
// the client may not have received it, but not after the key was revoked.
func (s *Keys) Create(ctx context.Context, a lost.Actor, p lost.KeyPatch,
	o lost.IdempotencyKey) (k NewKey, err error) {
	if err := access.MayManage(a, lost.ManageIntegrations); err != nil {
		return k, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		repeated := true
		k, err = access.CreateOnce(tx, a, o, func() (NewKey, error) {
			repeated = false
			p := p // may run twice
			if err := checkLocations(tx, a.Account, &p); err != nil {
				return NewKey{}, err
			}
			created, err := lost.NewKey(a.Account, p, tx.Now())
			if err != nil {
				return NewKey{}, err
			}
			if err := access.Audit(tx, a, lost.KeyCreated, created.ID, created.Name); err != nil {
				return NewKey{}, err
			}
			return insertKey(tx, created, newSecret(created.Role))
		})
		if err != nil || !repeated {
			return err
		}
		return checkNotRevoked(tx, k.Key)
	})
	s.origins.clear()
	if err != nil {
		return NewKey{}, err
	}
	return k, nil
}

// checkNotRevoked returns an error if a key was revoked after it was created.
func checkNotRevoked(tx *store.Tx, k lost.Key) error {
	now, err := tx.Key(tx.Context(), k.Account, k.ID)
	if lost.CodeOf(err) == lost.NotFound || err == nil && !now.RevokedAt.IsZero() {
		return lost.E(lost.ResponseGone, "This request was already processed, and its API key has been revoked. "+
			"To create another key, send the request with a new Idempotency-Key.")
	}
	return err
}

// CacheUse returns the numbers of hits and misses of the key cache.
func (s *Keys) CacheUse() store.CacheStats { return s.cache.used.Use("keys") }

// newSecret returns a random API key with 130 bits of entropy. Its beginning tells whether it may be published.
func newSecret(role lost.Role) string {
	prefix := "hw_"
	if role == lost.PublishableRole {
		prefix = lost.PublishablePrefix
	}
	return prefix + strings.ToLower(rand.Text())
}

func insertKey(tx *store.Tx, k lost.Key, secret string) (NewKey, error) {
	const hint = 7
	k.Hint = secret[:hint]
	return NewKey{Key: k, Secret: secret}, tx.InsertKey(k, store.DirectoryHash(secret))
}

// checkLocations adds a problem to the patch for each of its locations that does not exist.
func checkLocations(tx *store.Tx, account string, p *lost.KeyPatch) (err error) {
	sent := p.Locations.Value
	if len(sent) > lost.MaxKeyLocations { // the list is too long and is rejected later
		return nil
	}
	p.Problems, err = missingLocations(tx, account, sent, p.Problems)
	return err
}

// List lists the account's keys, newest first.
func (s *Keys) List(ctx context.Context, a lost.Actor, page lost.Page) (lost.List[lost.Key], error) {
	if err := access.MayViewAccount(a, lost.ManageIntegrations); err != nil {
		return lost.List[lost.Key]{}, err
	}
	list, err := s.db.Keys(ctx, a.Account, page)
	for n := range list.Data {
		s.uses.show(&list.Data[n])
	}
	return list, err
}

// Get returns a key, without its secret.
func (s *Keys) Get(ctx context.Context, a lost.Actor, id string) (lost.Key, error) {
	if err := access.MayViewAccount(a, lost.ManageIntegrations); err != nil {
		return lost.Key{}, err
	}
	k, err := s.db.Key(ctx, a.Account, id)
	s.uses.show(&k)
	return k, err
}

// Rename sets the name of a key.
func (s *Keys) Rename(ctx context.Context, a lost.Actor, id string, p lost.KeyPatch) (k lost.Key, err error) {
	if err := access.MayManage(a, lost.ManageIntegrations); err != nil {
		return k, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if k, err = tx.Key(tx.Context(), a.Account, id); err != nil {
			return err
		}
		before := k.Name
		changed, err := k.Rename(p)
		if err != nil || !changed {
			return err
		}
		if err := tx.SaveKeyName(k); err != nil {
			return err
		}
		return access.Audit(tx, a, lost.KeyRenamed, k.ID, before+" → "+k.Name)
	})
	s.cache.forget(id)
	s.uses.show(&k)
	return k, err
}

// Revoke revokes a key. The key stops working immediately on this instance, and within keyLife on other instances.
func (s *Keys) Revoke(ctx context.Context, a lost.Actor, id string) error {
	if err := access.MayManage(a, lost.ManageIntegrations); err != nil {
		return err
	}
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		k, err := tx.Key(tx.Context(), a.Account, id)
		if err != nil || !k.RevokedAt.IsZero() {
			return err
		}
		if err := tx.RevokeKey(k); err != nil {
			return err
		}
		return access.Audit(tx, a, lost.KeyRevoked, k.ID, k.Name)
	})
	s.cache.forget(id)
	s.origins.clear()
	return err
}
