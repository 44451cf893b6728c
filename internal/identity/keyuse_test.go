package identity_test

import (
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

func TestTheUseOfAKeyIsRecordedRarely(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		a := testkit.CreateFirstAccount(t, d)
		k := testkit.Must(d.Keys.Create(t.Context(), a, lost.KeyPatch{Name: lost.Set("Till")}, lost.IdempotencyKey{}))
		used := func() time.Time {
			t.Helper()
			testkit.Must(d.Keys.Authenticate(t.Context(), k.Secret))
			shown := testkit.Must(d.Keys.Get(t.Context(), a, k.ID)).LastUsedAt
			d.Keys.Close() // writes the use now
			stored := testkit.Must(db.Key(t.Context(), a.Account, k.ID)).LastUsedAt
			if !shown.Equal(stored) {
				t.Errorf("the use is shown as %s before it is stored as %s", shown, stored)
			}
			return stored
		}
		if at := testkit.Must(d.Keys.Get(t.Context(), a, k.ID)).LastUsedAt; !at.IsZero() {
			t.Errorf("a new key was used at %s", at)
		}
		first := used()
		if want := clock.Now().UTC().Truncate(time.Microsecond); !first.Equal(want) {
			t.Errorf("used at %s, want %s", first, want)
		}
		clock.Advance(9 * time.Minute)
		if at := used(); !at.Equal(first) {
			t.Errorf("after nine minutes: recorded again at %s", at)
		}
		clock.Advance(time.Minute)
		if at := used(); !at.Equal(first.Add(10 * time.Minute)) {
			t.Errorf("after ten minutes: used at %s, want ten minutes after %s", at, first)
		}
	})
}

// A transaction that blocks all others delays neither a key that is used nor one that is used again and again.
func TestAKeyWorksWhileNothingCanBeWritten(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		a := testkit.CreateFirstAccount(t, d)
		k := testkit.Must(d.Keys.Create(t.Context(), a, lost.KeyPatch{Name: lost.Set("Till")}, lost.IdempotencyKey{}))
		locked, finish, done := make(chan struct{}), make(chan struct{}), make(chan error)
		go func() {
			done <- db.Write(t.Context(), func(tx *store.Tx) error {
				if err := tx.SaveKeyName(k.Key); err != nil {
					return err
				}
				if _, err := tx.Key(tx.Context(), a.Account, k.ID); err != nil { // performs what is queued
					return err
				}
				close(locked)
				<-finish
				return nil
			})
		}()
		<-locked
		first, start := clock.Now(), time.Now()
		for range 10 {
			testkit.Must(d.Keys.Authenticate(t.Context(), k.Secret))
			clock.Advance(3 * time.Second) // the cache forgets the key
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("ten requests took %s while a transaction blocked others", took)
		}
		close(finish)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		d.Keys.Close()
		if at := testkit.Must(db.Key(t.Context(), a.Account, k.ID)).LastUsedAt; !at.Equal(first) {
			t.Errorf("used at %s, want the first use at %s", at, first)
		}
	})
}

func TestAKeyIsRenamedAtOnce(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		a := testkit.CreateFirstAccount(t, d)
		k := testkit.Must(d.Keys.Create(t.Context(), a, lost.KeyPatch{Name: lost.Set("Till")}, lost.IdempotencyKey{}))
		testkit.Must(d.Keys.Authenticate(t.Context(), k.Secret))
		if _, err := d.Keys.Rename(t.Context(), a, k.ID, lost.KeyPatch{}); lost.CodeOf(err) != lost.Invalid {
			t.Errorf("without a name: got %v, want an error", err)
		}
		testkit.Must(d.Keys.Rename(t.Context(), a, k.ID, lost.KeyPatch{Name: lost.Set("Lobby")}))
		if actor := testkit.Must(d.Keys.Authenticate(t.Context(), k.Secret)); actor.Name != "Lobby" {
			t.Errorf("the key acts as %s", actor.Name)
		}
	})
}

func TestAPublishableKeyOpensItsWebsitesOnly(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		a := testkit.CreateFirstAccount(t, d)
		create := func(origins ...string) string {
			return testkit.Must(d.Keys.Create(t.Context(), a,
				lost.KeyPatch{Name: lost.Set("Website"), Origins: lost.Set(origins)}, lost.IdempotencyKey{})).ID
		}
		knows := func(origin string) bool { return testkit.Must(d.Keys.KnowsOrigin(t.Context(), origin)) }
		if knows("https://hotel.example") {
			t.Error("a website is known before it has a key")
		}
		first := create("https://hotel.example", "https://zoo.example")
		second := create("https://hotel.example")
		if !knows("https://hotel.example") || !knows("https://zoo.example") || knows("https://evil.example") {
			t.Error("the wrong websites are known")
		}
		if err := d.Keys.Revoke(t.Context(), a, first); err != nil {
			t.Fatal(err)
		}
		if !knows("https://hotel.example") || knows("https://zoo.example") {
			t.Error("after one key was revoked, the wrong websites are known")
		}
		if err := d.Keys.Revoke(t.Context(), a, second); err != nil {
			t.Fatal(err)
		}
		if knows("https://hotel.example") {
			t.Error("after both keys were revoked, the website is still known")
		}
	})
}

// Another instance looks a website up once, and knows a new one after a few seconds.
func TestWebsitesAreRemembered(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d, other := testkit.NewServices(db, clock), testkit.NewServices(db, clock)
		a := testkit.CreateFirstAccount(t, d)
		const origin = "https://hotel.example"
		check := func(when string, want bool) {
			t.Helper()
			if got := testkit.Must(other.Keys.KnowsOrigin(t.Context(), origin)); got != want {
				t.Errorf("%s: the website is known: %v, want %v", when, got, want)
			}
			if !other.Keys.RemembersOrigin(origin) {
				t.Errorf("%s: the website is not remembered", when)
			}
		}
		check("before", false)
		k := testkit.Must(d.Keys.Create(t.Context(), a,
			lost.KeyPatch{Name: lost.Set("Website"), Origins: lost.Set([]string{origin})}, lost.IdempotencyKey{}))
		check("at once", false)
		clock.Advance(5 * time.Second)
		check("later", true)
		if err := d.Keys.Revoke(t.Context(), a, k.ID); err != nil {
			t.Fatal(err)
		}
		check("at once after the key was revoked", true)
		clock.Advance(5 * time.Second)
		check("later after the key was revoked", false)
	})
}
