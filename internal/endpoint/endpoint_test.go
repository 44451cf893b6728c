package endpoint_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
	v1 "homeward/internal/v1"
)

func TestAnOldSecretIsValidForADayAfterRotation(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		a := testkit.CreateFirstAccount(t, d)
		created := testkit.Must(d.Webhooks.CreateEndpoint(t.Context(), a, testkit.EndpointAt("https://hotel.example/"),
			lost.IdempotencyKey{}))
		rotated := testkit.Must(d.Webhooks.RotateSecret(t.Context(), a, created.ID, lost.IdempotencyKey{}))
		clock.Advance(24*time.Hour - time.Second)
		if e := testkit.Must(d.Webhooks.Secret(t.Context(), a, created.ID)); e.Secret != rotated.Secret ||
			!slices.Equal(e.Secrets(clock.Now()), []string{rotated.Secret, created.Secret}) {
			t.Errorf("before the old secret expires: got %+v", e)
		}
		clock.Advance(time.Second + time.Millisecond) // a change is at least 1 ms later than the one before
		if e := testkit.Must(d.Webhooks.Secret(t.Context(), a, created.ID)); e.Secret != rotated.Secret ||
			len(e.OldSecrets) > 0 {
			t.Errorf("after the old secret expired: got %+v", e)
		}
		if e := testkit.Must(d.Webhooks.Endpoint(t.Context(), a, created.ID)); !slices.Equal(e.Secrets(clock.Now()),
			[]string{rotated.Secret}) {
			t.Errorf("after the old secret expired: got secrets %v", e.Secrets(clock.Now()))
		}
	})
}

func TestAnAccountHasAtMostFiftyWebhooks(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		a := testkit.CreateFirstAccount(t, d)
		for range lost.MaxEndpoints {
			testkit.Must(d.Webhooks.CreateEndpoint(t.Context(), a, testkit.EndpointAt("https://hotel.example/"),
				lost.IdempotencyKey{}))
		}
		if _, err := d.Webhooks.CreateEndpoint(t.Context(), a, testkit.EndpointAt("https://hotel.example/"),
			lost.IdempotencyKey{}); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("one webhook too many: got %v, want a conflict", err)
		}
		list := testkit.Must(d.Webhooks.Endpoints(t.Context(), a, lost.Page{Number: 2, Limit: 30}))
		if len(list.Data) != lost.MaxEndpoints-30 || list.Total.Count != lost.MaxEndpoints {
			t.Errorf("the second page has %d of %d webhooks", len(list.Data), list.Total.Count)
		}
		if err := d.Webhooks.DeleteEndpoint(t.Context(), a, list.Data[0].ID); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Webhooks.CreateEndpoint(t.Context(), a, testkit.EndpointAt("https://hotel.example/"),
			lost.IdempotencyKey{}); err != nil {
			t.Errorf("create after a deletion: %v", err)
		}
	})
}

func TestAnEndpointThatFailsVerificationIsNotSaved(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		a := testkit.CreateFirstAccount(t, d)
		if _, err := d.Webhooks.CreateEndpoint(t.Context(), a, testkit.EndpointAt("https://refuses.example/"),
			lost.IdempotencyKey{}); lost.CodeOf(err) != lost.Invalid || !lost.ProblemsOf(err).Has("url") {
			t.Errorf("unverified webhook: got %v, want a problem with the url", err)
		}
		created := testkit.Must(d.Webhooks.CreateEndpoint(t.Context(), a, testkit.EndpointAt("https://hotel.example/"),
			lost.IdempotencyKey{}))
		p := testkit.EndpointAt("https://refuses.example/")
		p.Description = lost.Set("Moved")
		if _, err := d.Webhooks.UpdateEndpoint(t.Context(), a, created.ID, p); lost.CodeOf(err) != lost.Invalid {
			t.Errorf("change to an unverified address: got %v, want invalid", err)
		}
		list := testkit.Must(d.Webhooks.Endpoints(t.Context(), a, lost.FirstPage()))
		if len(list.Data) != 1 || list.Data[0].URL != "https://hotel.example/" || list.Data[0].Description != "" {
			t.Errorf("webhooks: got %+v", list.Data)
		}
	})
}

// A commit wakes the outbox for exactly those endpoints that have new deliveries.
func TestEndpointsWithNewDeliveriesAreWoken(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		var woken []string
		d := services.New(services.Options{
			DB: db, Wire: v1.Encoder{}, Hooks: testkit.Hooks{}, Hashing: testkit.QuickHashing, Now: clock.Now,
			Wake: func() {}, WakeMessages: func() {},
			WakeDeliveries: func(queues ...store.EndpointQueue) {
				for _, q := range queues {
					woken = append(woken, q.Endpoint)
				}
			},
		})
		a := testkit.CreateFirstAccount(t, d)
		hotel := testkit.Must(d.Locations.Create(t.Context(), a, testkit.LocationNamed("Hotel"),
			lost.IdempotencyKey{})).ID
		hat := testkit.Must(d.Items.Create(t.Context(), a, hotel, testkit.ItemDescribed("Hat"),
			lost.IdempotencyKey{})).ID
		all := testkit.Must(d.Webhooks.CreateEndpoint(t.Context(), a, testkit.EndpointAt("https://all.example/"),
			lost.IdempotencyKey{})).ID
		p := testkit.EndpointAt("https://donations.example/")
		p.Events = lost.Set([]string{"donate"})
		donations := testkit.Must(d.Webhooks.CreateEndpoint(t.Context(), a, p, lost.IdempotencyKey{})).ID
		p = testkit.EndpointAt("https://off.example/")
		p.Enabled = lost.Set(false)
		testkit.Must(d.Webhooks.CreateEndpoint(t.Context(), a, p, lost.IdempotencyKey{}))
		for _, step := range []struct {
			to   lost.Status
			want []string
		}{
			{lost.InfoCompleted, nil}, {lost.FeePaid, []string{all}}, {lost.FeePaid, nil}, {lost.Shipped, nil},
			{lost.Delivered, nil}, {lost.Pending, nil},
			{lost.Donate, []string{all, donations}}, {lost.Donate, nil}, {lost.Discard, []string{all}},
			{lost.PickUp, []string{all}},
		} {
			woken = nil
			testkit.Must(d.Items.SetStatus(t.Context(), a, hotel, hat,
				lost.MovePatch{Status: lost.Set(string(step.to))}))
			slices.Sort(woken) // ids created in the same millisecond are not in order
			slices.Sort(step.want)
			if !slices.Equal(woken, step.want) {
				t.Errorf("%s: woken endpoints %v, want %v", step.to, woken, step.want)
			}
		}
	})
}

// A URL that was accepted under earlier rules is not checked again until it changes.
func TestAWebhookWithAnAddressThatIsNoLongerAllowedCanBeChanged(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		a := testkit.CreateFirstAccount(t, d)
		e := testkit.Must(d.Webhooks.CreateEndpoint(t.Context(), a, testkit.EndpointAt("https://hotel.example/"),
			lost.IdempotencyKey{}))
		e.URL = "https://forbidden.example/"
		if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.SaveEndpoint(e) }); err != nil {
			t.Fatal(err)
		}
		off := lost.EndpointPatch{Enabled: lost.Set(false), URL: lost.Set(e.URL)}
		if got, err := d.Webhooks.UpdateEndpoint(t.Context(), a, e.ID, off); err != nil || got.Enabled {
			t.Errorf("disable: got %+v, %v", got, err)
		}
		if _, err := d.Webhooks.UpdateEndpoint(t.Context(), a, e.ID,
			testkit.EndpointAt("https://forbidden.example/other")); lost.CodeOf(err) != lost.Invalid {
			t.Errorf("new address: got %v, want invalid", err)
		}
	})
}

// A program may not have received the secret, so a repeated request returns it again while it is the current one.
func TestARepeatedRequestDoesNotRevealAFormerWebhookSecret(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		a := testkit.CreateFirstAccount(t, d)
		once := func(key string) lost.IdempotencyKey { return lost.IdempotencyKey{Key: key, Request: "the same"} }
		create := func() (lost.Endpoint, error) {
			return d.Webhooks.CreateEndpoint(t.Context(), a, testkit.EndpointAt("https://hotel.example/"),
				once("create"))
		}
		first := testkit.Must(create())
		rotate := func() (lost.Endpoint, error) {
			return d.Webhooks.RotateSecret(t.Context(), a, first.ID, once("rotate"))
		}
		wantAgain := func(repeat func() (lost.Endpoint, error), want lost.Endpoint) {
			t.Helper()
			if got, err := repeat(); err != nil || got.ID != want.ID || got.Secret != want.Secret {
				t.Errorf("the first response was not returned again: %v", err)
			}
		}
		wantConflict := func(repeat func() (lost.Endpoint, error), reason string) {
			t.Helper()
			got, err := repeat()
			if lost.CodeOf(err) != lost.Conflict || got.Secret != "" || !strings.Contains(lost.Detail(err), reason) {
				t.Errorf("got secret %q, %v; want a conflict with %q", got.Secret, err, reason)
			}
		}
		wantAgain(create, first)
		second := testkit.Must(rotate())
		wantConflict(create, "has a new secret")
		wantAgain(rotate, second)
		testkit.Must(d.Webhooks.RotateSecret(t.Context(), a, first.ID, lost.IdempotencyKey{}))
		wantConflict(rotate, "has a new secret")
		if err := d.Webhooks.DeleteEndpoint(t.Context(), a, first.ID); err != nil {
			t.Fatal(err)
		}
		wantConflict(create, "has been deleted")
		wantConflict(rotate, "has been deleted")
	})
}
