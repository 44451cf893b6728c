package desk_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	v1 "homeward/internal/v1"
)

// noUploads refuses every file: what is tested here comes before one is taken.
type noUploads struct{}

var errNoUploads = errors.New("no uploads here")

func (noUploads) Receive(context.Context, string, io.Reader, int64) (desk.Upload, error) {
	return nil, errNoUploads
}
func (noUploads) Delete(context.Context, ...string) error { return nil }

// allHooks takes every address and delivers everything, except to addresses that say otherwise.
type allHooks struct{}

func (allHooks) Check(e lost.Endpoint) (p lost.Problems) {
	if strings.Contains(e.URL, "forbidden") {
		p.Add("url", "private-address", "must lead to a public address")
	}
	return p
}
func (allHooks) NewSecret() string { return "whsec_" + rand.Text() }
func (allHooks) Send(_ context.Context, e lost.Endpoint, _ lost.Delivery, _ []byte) lost.Attempt {
	if strings.Contains(e.URL, "refuses") {
		return lost.Attempt{Status: 500, Error: "answered 500 Internal Server Error"}
	}
	return lost.Attempt{Status: 200}
}

// quick hashes passwords at next to no cost.
var quick = desk.Hashing{Memory: 8, Passes: 1}

// newDesk is a desk on a database: a copy of the service, as far as the desk knows.
func newDesk(t *testing.T, db *store.DB, clock *storetest.Clock) *desk.Desk {
	t.Helper()
	drawer := &cabinet{script: &script{calls: map[string]int{}, plan: map[string][]func() error{}}, kept: map[string]string{}}
	return desk.New(desk.Options{
		DB: db, Wire: v1.Wire{Base: "https://homeward.example"}, Uploads: noUploads{}, Files: drawer, Forms: forms{}, Hooks: allHooks{}, Messenger: scribe{}, Now: clock.Now, Nudge: func() {}, NudgeLetters: func() {}, NudgeLanes: func(...store.Lane) {}, Hashing: quick,
	})
}

// begin makes the first account and gives the actor of its key.
func begin(t *testing.T, d *desk.Desk) lost.Actor {
	t.Helper()
	first, made, err := d.Begin(t.Context(), desk.FirstSettings{})
	if err != nil || !made {
		t.Fatalf("%v, made: %v", err, made)
	}
	return first.Key.Actor()
}

// each runs a test with a desk on each database and a clock to turn.
func each(t *testing.T, fn func(t *testing.T, db *store.DB, clock *storetest.Clock)) {
	t.Helper()
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) { fn(t, db, clock) })
}

func named(name string) lost.LocationPatch { return lost.LocationPatch{Name: lost.Set(name)} }

func hookAt(url string) lost.EndpointPatch { return lost.EndpointPatch{URL: lost.Set(url)} }

func claimed(text string) lost.RequestPatch {
	return lost.RequestPatch{Description: lost.Set(text), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")})}
}

func described(text string) lost.ItemPatch { return lost.ItemPatch{Description: lost.Set(text)} }

// Every method, and who may call it: the answer is "" for whoever may.
func TestWhoMayDoWhat(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := newDesk(t, db, clock)
		all := begin(t, d)
		hotel := must(d.CreateLocation(t.Context(), all, named("Hotel"), lost.IdempotencyKey{})).ID
		zoo := must(d.CreateLocation(t.Context(), all, named("Zoo"), lost.IdempotencyKey{})).ID
		item := must(d.CreateItem(t.Context(), all, hotel, described("Umbrella"), lost.IdempotencyKey{}))
		umbrella, tagged := item.ID, item.Reference
		count := must(d.BeginCount(t.Context(), all, hotel, "", false)).ID
		key := must(d.CreateKey(t.Context(), all, lost.KeyPatch{Name: lost.Set("A key")}, lost.IdempotencyKey{})).ID
		theirs := must(d.CreateAccount(t.Context(), "Theirs")).ID
		claim := must(d.FileRequest(t.Context(), all, hotel, claimed("Hat"), lost.IdempotencyKey{})).ID
		file := must(d.StageImport(t.Context(), all, hotel, "f.csv", strings.NewReader("description\nHat\n"))).ID
		hook := must(d.CreateEndpoint(t.Context(), all, hookAt("https://hotel.example/"), lost.IdempotencyKey{})).ID
		delivery := must(d.TestEndpoint(t.Context(), all, hook, lost.IdempotencyKey{}))

		with := func(change func(*lost.Actor)) lost.Actor { a := all; change(&a); return a }
		actors := map[string]lost.Actor{
			"read-only":          with(func(a *lost.Actor) { a.ReadOnly = true }),
			"this location":      with(func(a *lost.Actor) { a.Locations = []string{hotel} }),
			"another location":   with(func(a *lost.Actor) { a.Locations = []string{zoo} }),
			"no location":        with(func(a *lost.Actor) { a.Locations = []string{} }),
			"another account":    with(func(a *lost.Actor) { a.Account = theirs }),
			"whole account":      all,
			"this, read-only":    with(func(a *lost.Actor) { a.Locations, a.ReadOnly = []string{hotel}, true }),
			"another, read-only": with(func(a *lost.Actor) { a.Locations, a.ReadOnly = []string{zoo}, true }),
		}
		read := map[string]lost.Code{"another location": lost.NotFound, "no location": lost.NotFound, "another account": lost.NotFound, "another, read-only": lost.NotFound}
		write := map[string]lost.Code{
			"another location": lost.NotFound, "no location": lost.NotFound, "another account": lost.NotFound,
			"read-only": lost.Forbidden, "this, read-only": lost.Forbidden, "another, read-only": lost.Forbidden,
		}
		manage := map[string]lost.Code{
			"this location": lost.Forbidden, "another location": lost.Forbidden, "no location": lost.Forbidden,
			"this, read-only": lost.Forbidden, "another, read-only": lost.Forbidden,
		}
		change := map[string]lost.Code{
			"read-only": lost.Forbidden, "this location": lost.Forbidden, "another location": lost.Forbidden, "no location": lost.Forbidden,
			"this, read-only": lost.Forbidden, "another, read-only": lost.Forbidden,
		}
		theirsToo := func(of map[string]lost.Code) map[string]lost.Code {
			of = maps.Clone(of)
			of["another account"] = lost.NotFound
			return of
		}
		noRecords := func(of map[string]lost.Code) map[string]lost.Code { // a list that is empty for whoever has another account
			of = maps.Clone(of)
			delete(of, "another account")
			return of
		}
		page := lost.FirstPage()
		for _, m := range []struct {
			name string
			call func(lost.Actor) error
			want map[string]lost.Code
		}{
			{"Location", func(a lost.Actor) error { _, err := d.Location(t.Context(), a, hotel); return err }, read},
			{"Item", func(a lost.Actor) error { _, err := d.Item(t.Context(), a, hotel, umbrella); return err }, read},
			{"Items", func(a lost.Actor) error {
				_, err := d.Items(t.Context(), a, hotel, lost.ItemFilter{Page: page})
				return err
			}, read},
			{"History", func(a lost.Actor) error { _, err := d.History(t.Context(), a, hotel, umbrella, page); return err }, read},
			{"Messages", func(a lost.Actor) error { _, err := d.Messages(t.Context(), a, hotel, umbrella, page); return err }, read},
			{"Tasks", func(a lost.Actor) error { _, err := d.Tasks(t.Context(), a, hotel, page); return err }, read},
			{"AnyItems", func(a lost.Actor) error { _, err := d.AnyItems(t.Context(), a, hotel); return err }, read},
			{"Request", func(a lost.Actor) error { _, err := d.Request(t.Context(), a, hotel, claim); return err }, read},
			{"Requests", func(a lost.Actor) error {
				_, err := d.Requests(t.Context(), a, hotel, lost.ItemFilter{Page: page})
				return err
			}, read},
			{"RequestMatches", func(a lost.Actor) error {
				_, err := d.RequestMatches(t.Context(), a, hotel, claim, page)
				return err
			}, read},
			{"FindMatches", func(a lost.Actor) error {
				_, err := d.FindMatches(t.Context(), a, hotel, umbrella, page)
				return err
			}, read},
			{"AnyItem", func(a lost.Actor) error { _, err := d.AnyItem(t.Context(), a, umbrella); return err }, read},
			{"RefuseMatch", func(a lost.Actor) error { return d.RefuseMatch(t.Context(), a, hotel, claim, umbrella) }, write},
			{"FileRequest", func(a lost.Actor) error {
				_, err := d.FileRequest(t.Context(), a, hotel, claimed("Scarf"), lost.IdempotencyKey{})
				return err
			}, write},
			{"DecideRequest", func(a lost.Actor) error {
				_, err := d.DecideRequest(t.Context(), a, hotel, claim, lost.DecisionPatch{Type: lost.Set("reject")})
				if code(err) == lost.Conflict { // it is decided: whoever gets to hear that may
					return nil
				}
				return err
			}, write},
			{"TakeBack", func(a lost.Actor) error {
				_, err := d.TakeBack(t.Context(), a, hotel, umbrella)
				if code(err) == lost.Conflict { // nothing was handed over: whoever gets to hear that may
					return nil
				}
				return err
			}, write},
			{"Notify", func(a lost.Actor) error {
				_, err := d.Notify(t.Context(), a, hotel, claim, lost.IdempotencyKey{})
				return err
			}, write},
			{"RevokeLink", func(a lost.Actor) error {
				_, err := d.RevokeLink(t.Context(), a, hotel, claim, lost.IdempotencyKey{})
				return err
			}, write},
			{"UpdateLocation", func(a lost.Actor) error {
				_, err := d.UpdateLocation(t.Context(), a, hotel, named("Hotel"))
				return err
			}, write},
			{"UploadLogo", func(a lost.Actor) error {
				return taken(d.UploadLogo(t.Context(), a, hotel, nil, lost.IdempotencyKey{}))
			}, write},
			{"CreateItem", func(a lost.Actor) error {
				_, err := d.CreateItem(t.Context(), a, hotel, described("Hat"), lost.IdempotencyKey{})
				return err
			}, write},
			{"UpdateItem", func(a lost.Actor) error {
				_, err := d.UpdateItem(t.Context(), a, hotel, umbrella, described("Hat"))
				return err
			}, write},
			{"SetStatus", func(a lost.Actor) error {
				_, err := d.SetStatus(t.Context(), a, hotel, umbrella, lost.MovePatch{Status: lost.Set("DONATE")})
				return err
			}, write},
			{"Finish", func(a lost.Actor) error {
				_, err := d.Finish(t.Context(), a, hotel, umbrella, time.Unix(1, 0)) // long ago
				return unlessConflict(err)
			}, write},
			{"UploadImage", func(a lost.Actor) error {
				return taken(d.UploadImage(t.Context(), a, hotel, umbrella, nil, lost.IdempotencyKey{}))
			}, write},
			{"Storage", func(a lost.Actor) error { _, err := d.Storage(t.Context(), a, hotel, page); return err }, read},
			{"StorageIDs", func(a lost.Actor) error { _, err := d.StorageIDs(t.Context(), a, hotel); return err }, noRecords(read)},
			{"Overtaken", func(a lost.Actor) error {
				_, err := d.Overtaken(t.Context(), a, hotel, umbrella, time.Time{})
				return err
			}, read},
			{"OpenCounts", func(a lost.Actor) error { _, err := d.OpenCounts(t.Context(), a, hotel); return err }, noRecords(read)},
			{"Held", func(a lost.Actor) error { _, err := d.Held(t.Context(), a, hotel, page); return err }, read},
			{"Clearances", func(a lost.Actor) error { _, err := d.Clearances(t.Context(), a, hotel); return err }, read},
			{"Hold", func(a lost.Actor) error {
				_, err := d.Hold(t.Context(), a, hotel, []string{umbrella}, "Evidence")
				return err
			}, write},
			{"Release", func(a lost.Actor) error { _, err := d.Release(t.Context(), a, hotel, []string{umbrella}); return err }, write},
			{"KeepLonger", func(a lost.Actor) error {
				_, _, err := d.KeepLonger(t.Context(), a, hotel, []string{umbrella}, lost.KeepPatch{Days: 30})
				return err
			}, write},
			{"Clear", func(a lost.Actor) error {
				_, _, err := d.Clear(t.Context(), a, hotel, []string{umbrella}, lost.Donated, time.Time{})
				return unlessConflict(err)
			}, write},
			{"HandOver", func(a lost.Actor) error {
				_, err := d.HandOver(t.Context(), a, hotel, claim, lost.HandoverPatch{Name: "Anna"}, nil)
				return unlessConflict(err)
			}, write},
			{"Places", func(a lost.Actor) error { _, _, err := d.Places(t.Context(), a, hotel, "", 10); return err }, read},
			{"ItemsAt", func(a lost.Actor) error { _, err := d.ItemsAt(t.Context(), a, hotel, "A", page); return err }, read},
			{"Scan", func(a lost.Actor) error { _, err := d.Scan(t.Context(), a, tagged); return err }, read},
			{"ItemsToTag", func(a lost.Actor) error {
				_, err := d.ItemsToTag(t.Context(), a, hotel, []string{umbrella})
				return err
			}, noRecords(read)},
			{"Counts", func(a lost.Actor) error { _, err := d.Counts(t.Context(), a, hotel, page); return err }, noRecords(read)},
			{"Count", func(a lost.Actor) error { _, err := d.Count(t.Context(), a, hotel, count); return err }, read},
			{"CountLines", func(a lost.Actor) error {
				_, err := d.CountLines(t.Context(), a, hotel, count, lost.Findings(), page)
				return err
			}, read},
			{"BeginCount", func(a lost.Actor) error { _, err := d.BeginCount(t.Context(), a, hotel, "A", false); return err }, write},
			{"Tick", func(a lost.Actor) error { _, _, err := d.Tick(t.Context(), a, hotel, count, tagged); return err }, write},
			{"Stow", func(a lost.Actor) error { _, err := d.Stow(t.Context(), a, hotel, "A", tagged); return err }, write},
			{"Unstow", func(a lost.Actor) error { _, err := d.Unstow(t.Context(), a, hotel, umbrella, "A", "A"); return err }, write},
			{"Export", func(a lost.Actor) error {
				return d.Export(t.Context(), a, hotel, lost.ItemFilter{}, false, io.Discard)
			}, read},
			{"ExportItems", func(a lost.Actor) error {
				return d.ExportItems(t.Context(), a, hotel, []string{umbrella}, false, io.Discard)
			}, read},
			{"StageImport", func(a lost.Actor) error {
				_, err := d.StageImport(t.Context(), a, hotel, "f.csv", strings.NewReader("description\nHat\n"))
				return err
			}, write},
			{"Imports", func(a lost.Actor) error { _, err := d.Imports(t.Context(), a, hotel); return err }, write},
			{"Import", func(a lost.Actor) error { _, err := d.Import(t.Context(), a, hotel, file); return err }, write},
			{"PreviewImport", func(a lost.Actor) error { _, err := d.PreviewImport(t.Context(), a, hotel, file); return err }, write},
			{"CancelImport", func(a lost.Actor) error { _, err := d.CancelImport(t.Context(), a, hotel, file); return err }, write},
			{"StartImport", func(a lost.Actor) error {
				_, err := d.StartImport(t.Context(), a, hotel, file, false)
				if code(err) == lost.Conflict { // it was cancelled: whoever gets to hear that may
					return nil
				}
				return err
			}, write},
			{"PlanStatus", func(a lost.Actor) error {
				_, err := d.PlanStatus(t.Context(), a, hotel, []string{umbrella}, lost.Donate)
				return err
			}, write},
			{"BulkStatus", func(a lost.Actor) error {
				_, err := d.BulkStatus(t.Context(), a, hotel, []string{umbrella}, lost.Donate, nil)
				return err
			}, write},
			{"BulkPlace", func(a lost.Actor) error {
				_, err := d.BulkPlace(t.Context(), a, hotel, []string{umbrella}, "Shelf")
				return err
			}, write},
			{"Finish", func(a lost.Actor) error { _, err := d.Finish(t.Context(), a, hotel, umbrella, time.Time{}); return err }, write},
			{"Keys", func(a lost.Actor) error { _, err := d.Keys(t.Context(), a, page); return err }, manage},
			{"Key", func(a lost.Actor) error { _, err := d.Key(t.Context(), a, key); return err }, theirsToo(manage)},
			{"CreateLocation", func(a lost.Actor) error {
				_, err := d.CreateLocation(t.Context(), a, named("New"), lost.IdempotencyKey{})
				return err
			}, change},
			{"CreateKey", func(a lost.Actor) error {
				_, err := d.CreateKey(t.Context(), a, lost.KeyPatch{Name: lost.Set("New")}, lost.IdempotencyKey{})
				return err
			}, change},
			{"RevokeKey", func(a lost.Actor) error { return d.RevokeKey(t.Context(), a, key) }, theirsToo(change)},
			{"Endpoints", func(a lost.Actor) error { _, err := d.Endpoints(t.Context(), a, page); return err }, manage},
			{"Endpoint", func(a lost.Actor) error { _, err := d.Endpoint(t.Context(), a, hook); return err }, theirsToo(manage)},
			{"Deliveries", func(a lost.Actor) error {
				_, err := d.Deliveries(t.Context(), a, lost.DeliveryFilter{Endpoint: hook, Page: page})
				return err
			}, theirsToo(manage)},
			{"Delivery", func(a lost.Actor) error { _, err := d.Delivery(t.Context(), a, delivery.ID); return err }, theirsToo(manage)},
			{"Events", func(a lost.Actor) error {
				_, err := d.Events(t.Context(), a, lost.EventFilter{Page: page})
				return err
			}, manage},
			{"Event", func(a lost.Actor) error { _, err := d.Event(t.Context(), a, delivery.EventID); return err }, theirsToo(manage)},
			{"CreateEndpoint", func(a lost.Actor) error {
				_, err := d.CreateEndpoint(t.Context(), a, hookAt("https://zoo.example/"), lost.IdempotencyKey{})
				return err
			}, change},
			{"UpdateEndpoint", func(a lost.Actor) error {
				_, err := d.UpdateEndpoint(t.Context(), a, hook, hookAt("https://zoo.example/"))
				return err
			}, theirsToo(change)},
			{"Secret", func(a lost.Actor) error { _, err := d.Secret(t.Context(), a, hook); return err }, theirsToo(change)},
			{"RotateSecret", func(a lost.Actor) error {
				_, err := d.RotateSecret(t.Context(), a, hook, lost.IdempotencyKey{})
				return err
			}, theirsToo(change)},
			{"TestEndpoint", func(a lost.Actor) error {
				_, err := d.TestEndpoint(t.Context(), a, hook, lost.IdempotencyKey{})
				return err
			}, theirsToo(change)},
			{"Replay", func(a lost.Actor) error {
				_, err := d.Replay(t.Context(), a, hook, lost.ReplayPatch{Since: lost.Set(time.Time{})}, lost.IdempotencyKey{})
				return err
			}, theirsToo(change)},
			{"ReplayEvent", func(a lost.Actor) error {
				_, err := d.ReplayEvent(t.Context(), a, hook, delivery.EventID, lost.IdempotencyKey{})
				return err
			}, theirsToo(change)},
			{"ReplayFailed", func(a lost.Actor) error {
				_, err := d.ReplayFailed(t.Context(), a, hook, time.Time{}, lost.IdempotencyKey{})
				return err
			}, theirsToo(change)},
			{"ReplayDelivery", func(a lost.Actor) error {
				_, err := d.ReplayDelivery(t.Context(), a, delivery.ID, lost.IdempotencyKey{})
				if code(err) == lost.Conflict { // it is pending: whoever gets to hear that may
					return nil
				}
				return err
			}, theirsToo(change)},
			// The last ones take away what the others are about, so those who may come last.
			{"DeleteEndpoint", func(a lost.Actor) error { return d.DeleteEndpoint(t.Context(), a, hook) }, theirsToo(change)},
			{"DeleteItem", func(a lost.Actor) error { return d.DeleteItem(t.Context(), a, hotel, umbrella) }, write},
			{"DeleteLocation", func(a lost.Actor) error { return d.DeleteLocation(t.Context(), a, hotel) }, write},
		} {
			deletes := strings.HasPrefix(m.name, "Delete")
			for who, a := range actors {
				if deletes && m.want[who] == "" {
					continue
				}
				if err := m.call(a); code(err) != m.want[who] {
					t.Errorf("%s by %s: %v, want %q", m.name, who, err, m.want[who])
				}
			}
			if deletes {
				who := "this location"
				if m.want[who] != "" {
					who = "whole account"
				}
				if err := m.call(actors[who]); err != nil {
					t.Errorf("%s by %s: %v", m.name, who, err)
				}
			}
		}
	})
}

// unlessConflict is nil where something did not fit: whoever gets to hear that may.
func unlessConflict(err error) error {
	if code(err) == lost.Conflict {
		return nil
	}
	return err
}

func code(err error) lost.Code {
	if err == nil {
		return ""
	}
	return lost.CodeOf(err)
}

// taken is nil where an upload was let in, and got as far as there are none here.
func taken[T any](_ T, err error) error {
	if errors.Is(err, errNoUploads) {
		return nil
	}
	return err
}

// must is for a step that has to go well; a panic fails the test as well as anything.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestACreateCanBeRepeatedForADay(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := newDesk(t, db, clock)
		a := begin(t, d)
		once := lost.IdempotencyKey{Key: "once", Request: "the same"}
		first, err := d.CreateLocation(t.Context(), a, named("Hotel"), once)
		if err != nil {
			t.Fatal(err)
		}
		clock.Advance(24*time.Hour - time.Second)
		if again, err := d.CreateLocation(t.Context(), a, named("Hotel"), once); err != nil || again != first {
			t.Errorf("within a day: %v, %+v, want %+v", err, again, first)
		}
		if _, err := d.CreateLocation(t.Context(), a, named("Hotel"), lost.IdempotencyKey{Key: "once", Request: "another"}); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("another request: %v", err)
		}
		clock.Advance(time.Second)
		if again, err := d.CreateLocation(t.Context(), a, named("Hotel"), once); err != nil || again.ID == first.ID {
			t.Errorf("after a day: %v, %s", err, again.ID)
		}
	})
}

func TestAKeyOpensUntilItsTime(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := newDesk(t, db, clock)
		k, err := d.CreateKey(t.Context(), begin(t, d), lost.KeyPatch{Name: lost.Set("Short"), ExpiresAt: lost.Set(clock.Now().Add(time.Second))}, lost.IdempotencyKey{})
		if err != nil {
			t.Fatal(err)
		}
		if a, err := d.Authenticate(t.Context(), k.Secret); err != nil || a.ID != k.ID {
			t.Errorf("before: %v", err)
		}
		clock.Advance(time.Second) // within what is remembered of it
		if _, err := d.Authenticate(t.Context(), k.Secret); lost.CodeOf(err) != lost.Unauthorized {
			t.Errorf("after: %v", err)
		}
	})
}

// Two copies of the service share a database: what one revokes, the other forgets within seconds.
func TestARevocationIsFeltAtOnceHereAndSoonOnOtherCopies(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		here, there := newDesk(t, db, clock), newDesk(t, db, clock)
		a := begin(t, here)
		k, err := here.CreateKey(t.Context(), a, lost.KeyPatch{Name: lost.Set("Lost")}, lost.IdempotencyKey{})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []*desk.Desk{here, there} {
			if _, err := d.Authenticate(t.Context(), k.Secret); err != nil {
				t.Fatal(err)
			}
		}
		if err := here.RevokeKey(t.Context(), a, k.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := here.Authenticate(t.Context(), k.Secret); lost.CodeOf(err) != lost.Unauthorized {
			t.Errorf("here: %v", err)
		}
		clock.Advance(2 * time.Second)
		if _, err := there.Authenticate(t.Context(), k.Secret); lost.CodeOf(err) != lost.Unauthorized {
			t.Errorf("there: %v", err)
		}
	})
}

func TestOfSeveralCopiesThatStartTogetherOneMakesTheFirstAccount(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		var mu sync.Mutex
		var firsts []desk.First
		var starting sync.WaitGroup
		for range 4 {
			d := newDesk(t, db, clock)
			starting.Go(func() {
				first, made, err := d.Begin(t.Context(), desk.FirstSettings{})
				if err != nil {
					t.Error(err)
				}
				if mu.Lock(); made {
					firsts = append(firsts, first)
				}
				mu.Unlock()
			})
		}
		starting.Wait()
		if len(firsts) != 1 {
			t.Fatalf("%d copies made one", len(firsts))
		}
		d := newDesk(t, db, clock)
		if accounts, err := d.Accounts(t.Context()); err != nil || len(accounts) != 1 {
			t.Errorf("%v: %v", err, accounts)
		}
		if a, err := d.Authenticate(t.Context(), firsts[0].Key.Secret); err != nil || a.Account != firsts[0].Account.ID {
			t.Errorf("its key: %v", err)
		}
		if users, err := d.Users(t.Context(), firsts[0].Account.ID); err != nil || len(users) != 1 {
			t.Errorf("its users: %v: %v", err, users)
		}
	})
}
