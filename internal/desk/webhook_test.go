package desk_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	v1 "homeward/internal/v1"
)

func TestAnOldSecretSignsBesideTheNewOneForADay(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := newDesk(t, db, clock)
		a := begin(t, d)
		made := must(d.CreateEndpoint(t.Context(), a, hookAt("https://hotel.example/"), lost.IdempotencyKey{}))
		rotated := must(d.RotateSecret(t.Context(), a, made.ID, lost.IdempotencyKey{}))
		clock.Advance(24*time.Hour - time.Second)
		if e := must(d.Secret(t.Context(), a, made.ID)); e.Secret != rotated.Secret || !slices.Equal(e.Secrets(clock.Now()), []string{rotated.Secret, made.Secret}) {
			t.Errorf("within the day: %+v", e)
		}
		clock.Advance(time.Second)
		if e := must(d.Secret(t.Context(), a, made.ID)); e.Secret != rotated.Secret || len(e.OldSecrets) > 0 {
			t.Errorf("after the day: %+v", e)
		}
		if e := must(d.Endpoint(t.Context(), a, made.ID)); !slices.Equal(e.Secrets(clock.Now()), []string{rotated.Secret}) {
			t.Errorf("after the day %v sign", e.Secrets(clock.Now()))
		}
	})
}

func TestAnAccountHasAtMostFiftyWebhooks(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := newDesk(t, db, clock)
		a := begin(t, d)
		for range lost.MaxEndpoints {
			must(d.CreateEndpoint(t.Context(), a, hookAt("https://hotel.example/"), lost.IdempotencyKey{}))
		}
		if _, err := d.CreateEndpoint(t.Context(), a, hookAt("https://hotel.example/"), lost.IdempotencyKey{}); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("one more: %v", err)
		}
		list := must(d.Endpoints(t.Context(), a, lost.Page{Number: 2, Limit: 30}))
		if len(list.Data) != lost.MaxEndpoints-30 || list.Total.Count != lost.MaxEndpoints {
			t.Errorf("the second page has %d of %d", len(list.Data), list.Total.Count)
		}
		if err := d.DeleteEndpoint(t.Context(), a, list.Data[0].ID); err != nil {
			t.Fatal(err)
		}
		if _, err := d.CreateEndpoint(t.Context(), a, hookAt("https://hotel.example/"), lost.IdempotencyKey{}); err != nil {
			t.Errorf("in the place of another: %v", err)
		}
	})
}

func TestAnAddressThatRefusesTheCheckChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := newDesk(t, db, clock)
		a := begin(t, d)
		if _, err := d.CreateEndpoint(t.Context(), a, hookAt("https://refuses.example/"), lost.IdempotencyKey{}); lost.CodeOf(err) != lost.Invalid || !lost.ProblemsOf(err).Has("url") {
			t.Errorf("registered: %v", err)
		}
		made := must(d.CreateEndpoint(t.Context(), a, hookAt("https://hotel.example/"), lost.IdempotencyKey{}))
		p := hookAt("https://refuses.example/")
		p.Description = lost.Set("Moved")
		if _, err := d.UpdateEndpoint(t.Context(), a, made.ID, p); lost.CodeOf(err) != lost.Invalid {
			t.Errorf("moved there: %v", err)
		}
		list := must(d.Endpoints(t.Context(), a, lost.FirstPage()))
		if len(list.Data) != 1 || list.Data[0].URL != "https://hotel.example/" || list.Data[0].Description != "" {
			t.Errorf("there are %+v", list.Data)
		}
	})
}

// Whoever commits a change says afterwards, and only then, which endpoints have work.
func TestTheEndpointsThatHaveWorkAreNudged(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		var nudged []string
		d := desk.New(desk.Options{
			DB: db, Wire: v1.Wire{}, Hooks: allHooks{}, Hashing: quick, Now: clock.Now, Nudge: func() {}, NudgeLetters: func() {},
			NudgeLanes: func(lanes ...store.Lane) {
				for _, l := range lanes {
					nudged = append(nudged, l.Endpoint)
				}
			},
		})
		a := begin(t, d)
		hotel := must(d.CreateLocation(t.Context(), a, named("Hotel"), lost.IdempotencyKey{})).ID
		hat := must(d.CreateItem(t.Context(), a, hotel, described("Hat"), lost.IdempotencyKey{})).ID
		all := must(d.CreateEndpoint(t.Context(), a, hookAt("https://all.example/"), lost.IdempotencyKey{})).ID
		p := hookAt("https://donations.example/")
		p.Events = lost.Set([]string{"donate"})
		donations := must(d.CreateEndpoint(t.Context(), a, p, lost.IdempotencyKey{})).ID
		p = hookAt("https://off.example/")
		p.Enabled = lost.Set(false)
		must(d.CreateEndpoint(t.Context(), a, p, lost.IdempotencyKey{}))
		for _, step := range []struct {
			to   lost.Status
			want []string
		}{
			{lost.InfoCompleted, nil}, {lost.FeePaid, []string{all}}, {lost.FeePaid, nil}, {lost.Shipped, nil}, {lost.Delivered, nil}, {lost.Pending, nil},
			{lost.Donate, []string{all, donations}}, {lost.Donate, nil}, {lost.Discard, []string{all}}, {lost.PickUp, []string{all}},
		} {
			nudged = nil
			must(d.SetStatus(t.Context(), a, hotel, hat, lost.MovePatch{Status: lost.Set(string(step.to))}))
			slices.Sort(nudged) // ids of one millisecond have no order
			slices.Sort(step.want)
			if !slices.Equal(nudged, step.want) {
				t.Errorf("%s nudged %v, want %v", step.to, nudged, step.want)
			}
		}
	})
}

// An address that was taken when the rules were others is not judged again until it changes.
func TestAWebhookCanBeChangedWhoseAddressIsNoLongerTaken(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := newDesk(t, db, clock)
		a := begin(t, d)
		e := must(d.CreateEndpoint(t.Context(), a, hookAt("https://hotel.example/"), lost.IdempotencyKey{}))
		e.URL = "https://forbidden.example/"
		if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.SaveEndpoint(e) }); err != nil {
			t.Fatal(err)
		}
		off := lost.EndpointPatch{Enabled: lost.Set(false), URL: lost.Set(e.URL)}
		if got, err := d.UpdateEndpoint(t.Context(), a, e.ID, off); err != nil || got.Enabled {
			t.Errorf("switched off: %+v, %v", got, err)
		}
		if _, err := d.UpdateEndpoint(t.Context(), a, e.ID, hookAt("https://forbidden.example/other")); lost.CodeOf(err) != lost.Invalid {
			t.Errorf("a new address: %v", err)
		}
	})
}
