package matching_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
	"homeward/internal/matching"
	"homeward/internal/outbox"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
	v1 "homeward/internal/v1"
)

// fixture has two hotels and the services that match their items.
type fixture struct {
	*testing.T
	db            *store.DB
	clock         *storetest.Clock
	desk          *services.Services
	out           *outbox.Outbox
	by            lost.Actor
	hotel, hotel2 string
	maxWait       time.Duration
	embedder      matching.Embedder // nil for none
}

func eachFixture(t *testing.T, fn func(b *fixture)) {
	t.Helper()
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		b := &fixture{T: t, db: db, clock: clock}
		b.restart()
		b.by = testkit.CreateFirstAccount(t, b.desk)
		b.hotel = testkit.Must(b.desk.Locations.Create(t.Context(), b.by, testkit.LocationNamed("Hotel Adler"),
			lost.IdempotencyKey{})).ID
		b.hotel2 = testkit.Must(b.desk.Locations.Create(t.Context(), b.by, testkit.LocationNamed("Hotel Falke"),
			lost.IdempotencyKey{})).ID
		fn(b)
	})
}

// restart rebuilds all services on the same database.
func (b *fixture) restart() {
	b.desk = services.New(services.Options{
		DB: b.db, Wire: v1.Encoder{Base: "https://homeward.example"}, Hooks: testkit.Hooks{},
		Messenger: testkit.Messenger{},
		Now:       b.clock.Now, Wake: func() {}, WakeMessages: func() {},
		WakeDeliveries: func(...store.EndpointQueue) {},
		Hashing:        testkit.QuickHashing, MaxWait: b.maxWait, Embedder: b.embedder,
	})
	b.out = outbox.New(outbox.Options{
		DB: b.db, Messenger: testkit.Sender{}, Matching: b.desk.Matcher, Imports: b.desk.Imports,
		Base:    "https://homeward.example",
		Log:     slog.New(slog.DiscardHandler),
		Observe: func(lost.DeliveryState, time.Duration) {}, KeepDeliveries: time.Hour,
	})
}

// matcher returns a separate Matcher on the same database.
func (b *fixture) matcher() *matching.Matcher {
	noop := func() {}
	return matching.NewMatcher(matching.MatcherOptions{
		DB: b.db, Now: b.clock.Now, Wake: noop, WakeMatching: noop,
	})
}

// work runs all jobs and checks that are due.
func (b *fixture) work() {
	b.Helper()
	b.clock.Advance(10 * time.Millisecond)
	for range 1000 {
		if testkit.Must(b.out.RunOnce(b.Context()))+testkit.Must(b.out.CheckItemsOnce(b.Context())) == 0 {
			b.clock.Advance(10 * time.Millisecond)
			return
		}
	}
	b.Fatal("there is always another job or check due")
}

func (b *fixture) find(at, what string) lost.Item {
	b.Helper()
	b.clock.Advance(time.Millisecond)
	return testkit.Must(b.desk.Items.Create(b.Context(), b.by, at, testkit.ItemDescribed(what), lost.IdempotencyKey{}))
}

func (b *fixture) miss(at, what string) lost.Item {
	b.Helper()
	b.clock.Advance(time.Millisecond)
	return testkit.Must(b.desk.Requests.File(b.Context(), b.by, at, testkit.RequestFor(what), lost.IdempotencyKey{}))
}

// matches lists the suggestions for an item.
func (b *fixture) matches(i lost.Item) []lost.Match {
	b.Helper()
	return testkit.Must(b.desk.Suggestions.Matches(b.Context(), b.by, i.LocationID, i.ID, lost.FirstPage())).Data
}

// expect checks that the suggestions for an item are the wanted items, best first.
func (b *fixture) expect(when string, i lost.Item, want ...lost.Item) {
	b.Helper()
	var got, wanted []string
	for _, m := range b.matches(i) {
		got = append(got, m.Other.Description)
		if m.Likelihood == "" || m.Score <= 0 || m.Score > 1_000_000 || len(m.Reasons) == 0 ||
			m.Other.LocationID == "" {
			b.Errorf("%s: incomplete match: %+v", when, m)
		}
	}
	for _, w := range want {
		wanted = append(wanted, w.Description)
	}
	if !slices.Equal(got, wanted) {
		b.Errorf("%s: matches of %q: got %q, want %q", when, i.Description, got, wanted)
	}
}

func (b *fixture) task(i lost.Item) bool {
	b.Helper()
	tasks := testkit.Must(b.desk.Reports.Tasks(b.Context(), b.by, i.LocationID, lost.FirstPage()))
	return slices.ContainsFunc(tasks.Data, func(t lost.Task) bool {
		return t.ItemID == i.ID && t.Kind == lost.MatchTask
	})
}

const (
	lostUmbrella  = "Black Knirps umbrella with a carved wooden duck head handle, engraved AK 1987"
	foundUmbrella = "Umbrella Knirps, black, wooden duck head handle, engraved AK 1987"
	lostPhone     = "iPhone 13 mini, pink, cracked screen, sticker of a whale on the back"
	foundPhone    = "Pink iPhone 13 mini, whale sticker, cracked screen"
)

func TestRequestsAndFindsAreSuggestedForEachOther(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		early := b.find(b.hotel, foundUmbrella)
		request := b.miss(b.hotel, lostUmbrella)
		b.find(b.hotel, foundPhone)
		b.find(b.hotel2, foundUmbrella+" elsewhere")
		b.work()
		b.expect("earlier find", request, early)
		b.expect("reverse direction", early, request)
		late := b.find(b.hotel, foundUmbrella+" too")
		b.work()
		if got := b.matches(request); len(got) != 2 {
			b.Errorf("got %d matches, want 2", len(got))
		}
		b.expect("later find", late, request)
		if m := b.matches(late)[0]; m.RequestID != request.ID || m.ItemID != late.ID || m.Other.ID != request.ID {
			b.Errorf("%+v", m)
		}
	})
}

func TestSuggestionsFollowWhatChanges(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		request, found := b.miss(b.hotel, lostUmbrella), b.find(b.hotel, foundUmbrella)
		b.work()
		if b.expect("initially", request, found); !b.task(request) {
			b.Error("no task was created")
		}
		set := func(i lost.Item, p lost.ItemPatch) {
			b.Helper()
			b.clock.Advance(time.Millisecond)
			testkit.Must(b.desk.Items.Update(b.Context(), b.by, i.LocationID, i.ID, p))
		}
		set(found, testkit.ItemDescribed(foundPhone))
		b.work()
		if b.expect("with another description", request); b.task(request) {
			b.Error("the task was not removed")
		}
		set(found, testkit.ItemDescribed(foundUmbrella))
		b.work()
		if b.expect("with the first description", request, found); !b.task(request) {
			b.Error("the task was not created again")
		}
		set(found, lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("bert@example.com")})})
		b.expect("with an owner, immediately", request)
		if b.work(); b.task(request) {
			b.Error("the task was not removed")
		}
		set(found, lost.ItemPatch{Owner: lost.Field[lost.OwnerPatch]{Sent: true, Null: true}})
		b.work()
		b.expect("without an owner", request, found)
		testkit.Must(b.desk.Items.SetStatus(b.Context(), b.by, b.hotel, found.ID,
			lost.MovePatch{Status: lost.Set(string(lost.Donate))}))
		b.expect("donated, immediately", request)
		b.work()
		b.expect("donated", request)
		testkit.Must(b.desk.Items.SetStatus(b.Context(), b.by, b.hotel, found.ID,
			lost.MovePatch{Status: lost.Set(string(lost.Pending))}))
		b.work()
		b.expect("pending again", found, request)
		testkit.Must(b.desk.Requests.Decide(b.Context(), b.by, b.hotel, request.ID,
			lost.DecisionPatch{Type: lost.Set(lost.Reject)}))
		b.expect("rejected, immediately", found)
		b.work()
		b.expect("rejected", request)
		b.clean(found.ID)
	})
}

// clean checks that only the given items are indexed, and that there are no suggestions.
func (b *fixture) clean(items ...string) {
	b.Helper()
	for line := range strings.Lines(storetest.Dump(b.T, b.db)) {
		if strings.HasPrefix(line, "matches: ") && line != "matches: \n" {
			b.Errorf("remaining match: %s", line)
		}
		if strings.HasPrefix(line, "match_examples: ") { // decisions are kept without ids
			if strings.Contains(line, "item_") {
				b.Errorf("an example has an id: %s", line)
			}
			continue
		}
		if !strings.HasPrefix(line, "match_") || strings.HasSuffix(line, ": \n") {
			continue
		}
		if !slices.ContainsFunc(items, func(id string) bool { return strings.Contains(line, id) }) {
			b.Errorf("remaining index entry: %s", line)
		}
	}
}

func TestADismissedMatchIsNeverSuggestedAgain(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		request, found := b.miss(b.hotel, lostUmbrella), b.find(b.hotel, foundUmbrella)
		other := b.find(b.hotel, "Black umbrella Knirps, wooden duck handle")
		b.work()
		b.expect("initially", request, found, other)
		for range 2 { // repeating changes nothing
			if err := b.desk.Suggestions.RejectMatch(b.Context(), b.by, b.hotel, request.ID, found.ID); err != nil {
				b.Fatal(err)
			}
			b.expect("rejected, immediately", request, other)
		}
		for _, i := range []lost.Item{request, found} {
			history := testkit.Must(b.desk.Items.History(b.Context(), b.by, b.hotel, i.ID, lost.FirstPage())).Data
			if n := len(slices.DeleteFunc(history, func(e lost.Entry) bool {
				return e.Action != lost.Unmatched
			})); n != 1 {
				b.Errorf("got %d history entries, want 1", n)
			}
		}
		b.work()
		b.restart()
		b.expect("after a restart", request, other)
		testkit.Must(b.desk.Items.Update(b.Context(), b.by, b.hotel, found.ID,
			testkit.ItemDescribed(foundUmbrella+", strap")))
		testkit.Must(b.desk.Items.Update(b.Context(), b.by, b.hotel, request.ID,
			testkit.ItemDescribed(lostUmbrella+", strap")))
		b.work()
		b.expect("after changes", request, other)
		again := b.miss(b.hotel, lostUmbrella)
		b.work()
		if got := b.matches(again); len(got) != 2 || got[0].ItemID != found.ID {
			b.Errorf("another request: got %+v", got)
		}
		testkit.Must(b.desk.Requests.Decide(b.Context(), b.by, b.hotel, again.ID,
			lost.DecisionPatch{Type: lost.Set(lost.Accept), ItemID: lost.Set(found.ID)}))
		if err := b.desk.Suggestions.RejectMatch(b.Context(), b.by, b.hotel, again.ID,
			found.ID); lost.CodeOf(err) != lost.Conflict {
			b.Errorf("rejecting an accepted match: got %v, want a conflict", err)
		}
		for what, err := range map[string]error{
			"not a request":    b.desk.Suggestions.RejectMatch(b.Context(), b.by, b.hotel, found.ID, found.ID),
			"not a found item": b.desk.Suggestions.RejectMatch(b.Context(), b.by, b.hotel, request.ID, again.ID),
			"unknown item": b.desk.Suggestions.RejectMatch(b.Context(), b.by, b.hotel, request.ID,
				"item_none"),
			"an item of another location": b.desk.Suggestions.RejectMatch(b.Context(), b.by, b.hotel, request.ID,
				b.find(b.hotel2, foundUmbrella).ID),
		} {
			if lost.CodeOf(err) != lost.NotFound {
				b.Errorf("%s: got %v, want not found", what, err)
			}
		}
	})
}

// A found item triggers a search for every request that it may match, even if there are more such requests than one
// item can have suggestions.
func TestAFindIsSuggestedForEveryRequest(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		const many = 25
		var requests []lost.Item
		for range many {
			requests = append(requests, b.miss(b.hotel, lostUmbrella))
		}
		b.work()
		found := b.find(b.hotel, foundUmbrella)
		b.work()
		for n, r := range requests {
			b.expect(fmt.Sprintf("request %d of %d", n+1, many), r, found)
		}
	})
}

// The number of indexed terms is limited, however long the description is.
func TestALongDescriptionIsMatchedByItsFirstTerms(t *testing.T) {
	var words strings.Builder
	for n := range 3 * match.MaxTerms {
		fmt.Fprintf(&words, "quagga%c%c ", 'a'+n%26, 'a'+n/26)
	}
	i := lost.Item{Source: lost.Request, Description: words.String()}
	if n := len(matching.TermsOf(i)); n != match.MaxTerms {
		t.Errorf("got %d terms, want %d", n, match.MaxTerms)
	}
}

// If the likelihood of a match changes, the task is updated after the matches have been listed.
func TestTasksAgreeWithSuggestions(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		request, found := b.miss(b.hotel, lostUmbrella), b.find(b.hotel, foundUmbrella)
		b.work()
		saved := lost.Match{
			RequestID: request.ID, ItemID: found.ID, Score: 50_000, Likelihood: lost.Possible, Other: found,
		}
		if err := b.db.Write(b.Context(), func(tx *store.Tx) error {
			return tx.SaveSuggestions(request, []lost.Match{saved})
		}); err != nil {
			b.Fatal(err)
		}
		if b.work(); b.task(request) {
			b.Fatal("there is a task for a match that is only possible")
		}
		for _, side := range []lost.Item{request, found} {
			if m := b.matches(side); len(m) != 1 || m[0].Likelihood != lost.Likely {
				b.Fatalf("%+v", m)
			}
		}
		if b.work(); !b.task(request) {
			b.Error("there is no task for a likely match")
		}
	})
}

func TestAnOutdatedMatchingRunChangesNothing(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		request := b.miss(b.hotel, lostUmbrella)
		b.work()
		finish := testkit.Must(matching.MatchHalfway(b.Context(), b.matcher(), b.by.Account, request.ID))
		found := b.find(b.hotel, foundUmbrella)
		b.work()
		b.expect("after the later search", request, found)
		if again, err := finish(); err != nil || !again {
			b.Errorf("earlier search: got %v, %v, want again", again, err)
		}
		b.expect("after the earlier search", request, found)
	})
}

// Rejected matches are replaced by others, however many are rejected.
func TestOtherMatchesReplaceDismissedOnes(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		const many = 90
		request := b.miss(b.hotel, lostUmbrella)
		for n := range many {
			f := b.find(b.hotel, fmt.Sprintf("%s, box %d", foundUmbrella, 7000+n))
			if err := b.desk.Suggestions.RejectMatch(b.Context(), b.by, b.hotel, request.ID, f.ID); err != nil {
				b.Fatal(err)
			}
		}
		other := b.find(b.hotel, "Black umbrella, wooden handle")
		b.work()
		b.expect("after all rejections", request, other)
	})
}

func TestOtherAccountsAreNeverMatched(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		request := b.miss(b.hotel, lostUmbrella)
		stranger := b.by
		stranger.Account = testkit.Must(b.desk.Accounts.Create(b.Context(), "Theirs")).ID
		sisters := lost.LocationPatch{
			Name: lost.Set("Hotel Adler"), Matching: lost.Set(lost.MatchingPatch{Sisters: lost.Set(true)}),
		}
		where := testkit.Must(b.desk.Locations.Create(b.Context(), stranger, sisters, lost.IdempotencyKey{})).ID
		testkit.Must(b.desk.Locations.Update(b.Context(), b.by, b.hotel, sisters))
		found := testkit.Must(b.desk.Items.Create(b.Context(), stranger, where, testkit.ItemDescribed(foundUmbrella),
			lost.IdempotencyKey{}))
		b.work()
		b.expect("found item of another account", request)
		if err := b.desk.Suggestions.RejectMatch(b.Context(), b.by, b.hotel, request.ID,
			found.ID); lost.CodeOf(err) != lost.NotFound {
			b.Errorf("rejecting a found item of another account: got %v, want not found", err)
		}
		if _, err := b.desk.Requests.Decide(b.Context(), b.by, b.hotel, request.ID,
			lost.DecisionPatch{
				Type: lost.Set(lost.Accept), ItemID: lost.Set(found.ID),
			}); lost.CodeOf(err) != lost.Invalid {
			b.Errorf("accepting a found item of another account: got %v, want invalid", err)
		}
		if _, err := b.desk.Suggestions.Matches(b.Context(), stranger, b.hotel, request.ID,
			lost.FirstPage()); lost.CodeOf(err) != lost.NotFound {
			b.Errorf("matches for another account: got %v, want not found", err)
		}
	})
}

func TestItemsOfSisterLocationsAreMatched(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		request, found := b.miss(b.hotel, lostUmbrella), b.find(b.hotel2, foundUmbrella)
		b.work()
		b.expect("not sisters", request)
		accept := func(a lost.Actor) error {
			_, err := b.desk.Requests.Decide(b.Context(), a, b.hotel, request.ID,
				lost.DecisionPatch{Type: lost.Set(lost.Accept), ItemID: lost.Set(found.ID)})
			return err
		}
		set := func(location string, sisters bool) {
			testkit.Must(b.desk.Locations.Update(b.Context(), b.by, location,
				lost.LocationPatch{Matching: lost.Set(lost.MatchingPatch{Sisters: lost.Set(sisters)})}))
		}
		set(b.hotel, true)
		b.work()
		b.expect("only one location allows sisters", request)
		if err := accept(b.by); lost.CodeOf(err) != lost.Invalid {
			b.Errorf("accepting a found item of a non-sister location: got %v, want invalid", err)
		}
		set(b.hotel2, true)
		b.work()
		b.expect("sisters", request, found)
		b.expect("reverse direction", found, request)
		set(b.hotel, false)
		b.expect("no longer sisters, immediately", request)
		b.expect("reverse direction", found)
		b.work()
		b.expect("no longer sisters", request)
		set(b.hotel, true)
		b.work()
		limited := b.by
		limited.Locations = []string{b.hotel}
		if list := testkit.Must(b.desk.Suggestions.Matches(b.Context(), limited, b.hotel, request.ID,
			lost.FirstPage())); len(list.Data) != 0 {
			b.Error("an actor sees a found item of an inaccessible location")
		}
		if err := accept(limited); lost.CodeOf(err) != lost.Invalid {
			b.Errorf("accepting a found item of an inaccessible location: got %v, want invalid", err)
		}
		if err := accept(b.by); err != nil {
			b.Fatal(err)
		}
		if i := testkit.Must(b.desk.Items.Get(b.Context(), b.by, b.hotel2,
			found.ID)); i.Owner.Email != "anna@example.com" {
			b.Errorf("got owner %+v", i.Owner)
		}
		b.work()
		b.clean()
	})
}

// A caller who makes two locations sisters and immediately lists matches waits until matching is done.
func TestSuggestionsWaitForSisterLocations(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		request, found := b.miss(b.hotel, lostUmbrella), b.find(b.hotel2, foundUmbrella)
		b.work()
		b.maxWait = time.Minute
		b.restart()
		for _, location := range []string{b.hotel, b.hotel2} {
			testkit.Must(b.desk.Locations.Update(b.Context(), b.by, location,
				lost.LocationPatch{Matching: lost.Set(lost.MatchingPatch{Sisters: lost.Set(true)})}))
		}
		result := make(chan []lost.Match)
		go func() { result <- b.matches(request) }()
		for {
			select {
			case got := <-result:
				if len(got) != 1 || got[0].ItemID != found.ID {
					b.Errorf("%+v", got)
				}
				return
			default:
				b.clock.Advance(10 * time.Millisecond)
				testkit.Must(b.out.RunOnce(b.Context()))
			}
		}
	})
}

func TestConcurrentlyCreatedItemsMatch(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		const many = 8
		var all, workers sync.WaitGroup
		stop := make(chan struct{})
		for range 3 {
			workers.Go(func() {
				for {
					if _, err := b.out.RunOnce(b.Context()); err != nil {
						b.Error(err)
					}
					select {
					case <-stop:
						return
					default:
					}
				}
			})
		}
		requests, finds := make([]lost.Item, many), make([]lost.Item, many)
		for n := range many {
			engraving := fmt.Sprintf("engraved %d%d", 4711+n, n)
			all.Go(func() {
				requests[n] = testkit.Must(b.desk.Requests.File(b.Context(), b.by, b.hotel,
					testkit.RequestFor("Silver Omega wristwatch, leather strap, "+engraving), lost.IdempotencyKey{}))
			})
			all.Go(func() {
				finds[n] = testkit.Must(b.desk.Items.Create(b.Context(), b.by, b.hotel,
					testkit.ItemDescribed("Omega watch, silver, leather strap, "+engraving), lost.IdempotencyKey{}))
			})
		}
		all.Wait()
		close(stop)
		workers.Wait()
		b.work()
		for n := range many {
			if got := b.matches(requests[n]); len(got) == 0 || got[0].ItemID != finds[n].ID {
				b.Errorf("request %d: got %d matches, want its found item first", n, len(got))
			}
			if got := b.matches(finds[n]); !slices.ContainsFunc(got, func(m lost.Match) bool {
				return m.RequestID == requests[n].ID
			}) {
				b.Errorf("found item %d: got %d matches, want its request among them", n, len(got))
			}
		}
	})
}

// A call that lists matches waits until earlier changes have been matched.
func TestSuggestionsWaitForMatching(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		b.maxWait = time.Minute // long enough for a slow machine
		b.restart()
		request := b.miss(b.hotel, lostUmbrella)
		b.work()
		b.expect("before the item is found", request)
		found := b.find(b.hotel, foundUmbrella)
		var workers sync.WaitGroup
		defer workers.Wait()
		workers.Go(func() { b.work() })
		b.expect("new find", request, found)
	})
}

func TestSuggestionsWaitForNewFinds(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		b.miss(b.hotel, lostUmbrella)
		b.work()
		b.find(b.hotel, foundUmbrella)
		asked := b.clock.Now()
		b.clock.Advance(time.Second)
		testkit.Must(b.out.RunOnce(b.Context())) // matches the found item; the request is still queued
		if !testkit.Must(b.db.IsMatchingDue(b.Context(), lost.Location{Account: b.by.Account, ID: b.hotel}, asked)) {
			b.Error("matching of the request is not due")
		}
		b.work()
		if testkit.Must(b.db.IsMatchingDue(b.Context(), lost.Location{Account: b.by.Account, ID: b.hotel},
			b.clock.Now())) {
			b.Error("matching is still due")
		}
	})
}

func TestTheWaitForMatchesIsBounded(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		b.maxWait = 50 * time.Millisecond
		b.restart()
		request := b.miss(b.hotel, lostUmbrella)
		b.find(b.hotel, foundUmbrella)
		start := time.Now()
		b.expect("without a worker", request)
		if took := time.Since(start); took < b.maxWait {
			b.Errorf("waited %s, want at least %s", took, b.maxWait)
		}
		b.maxWait = time.Hour
		b.restart()
		ctx, cancel := context.WithTimeout(b.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := b.desk.Suggestions.Matches(ctx, b.by, b.hotel, request.ID, lost.FirstPage()); !errors.Is(err,
			context.DeadlineExceeded) {
			b.Errorf("cancelled caller: got %v, want deadline exceeded", err)
		}
		start = time.Now()
		stranger := b.by
		stranger.Account = testkit.Must(b.desk.Accounts.Create(b.Context(), "Theirs")).ID
		if _, err := b.desk.Suggestions.Matches(b.Context(), stranger, b.hotel, request.ID,
			lost.FirstPage()); lost.CodeOf(err) != lost.NotFound {
			b.Errorf("another account, after %s: got %v, want not found", time.Since(start), err)
		}
	})
}

func TestImportedItemsAreMatched(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		request := b.miss(b.hotel, lostUmbrella)
		b.work()
		file := "description,owner.email\n\"" + foundUmbrella + "\",\n\"" + foundUmbrella + "\",bert@example.com\n\"" +
			foundPhone + "\",\n"
		m := testkit.Must(b.desk.Imports.Stage(b.Context(), b.by, b.hotel, "finds.csv", strings.NewReader(file)))
		testkit.Must(b.desk.Imports.Start(b.Context(), b.by, b.hotel, m.ID, false))
		b.work()
		if got := b.matches(request); len(got) != 1 || got[0].Other.Description != foundUmbrella ||
			got[0].Other.Owner.Email != "" {
			b.Errorf("got matches %+v, want the umbrella without an owner", got)
		}
	})
}

func TestMatchingIsIdempotent(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		request, found := b.miss(b.hotel, lostUmbrella), b.find(b.hotel, foundUmbrella)
		b.work()
		before := b.matches(request)
		for range 2 {
			for _, i := range []lost.Item{request, found, {Account: b.by.Account, ID: "item_none"}} {
				if again, err := b.desk.Matcher.Match(b.Context(), b.by.Account, i.ID); again || err != nil {
					b.Fatal(again, err)
				}
			}
		}
		after := b.matches(request)
		if len(before) != 1 || len(after) != 1 || before[0].Score != after[0].Score ||
			!reflect.DeepEqual(before[0].Reasons, after[0].Reasons) {
			b.Errorf("matches changed from %+v to %+v", before, after)
		}
		if err := b.desk.Items.Delete(b.Context(), b.by, b.hotel, found.ID); err != nil {
			b.Fatal(err)
		}
		b.expect("deleted, immediately", request)
		if b.work(); b.task(request) {
			b.Error("the task was not removed")
		}
		b.clean(request.ID)
	})
}

func TestADeletedLocationLeavesNothingToMatch(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		b.miss(b.hotel, lostUmbrella)
		b.find(b.hotel, foundUmbrella)
		b.work()
		if err := b.desk.Locations.Delete(b.Context(), b.by, b.hotel); err != nil {
			b.Fatal(err)
		}
		b.work()
		b.clean()
	})
}

// Items that were created before the index existed are matched too.
func TestItemsFromBeforeTheIndexAreMatched(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		var requests, finds []lost.Item
		for n := range 3 {
			requests = append(requests, b.miss(b.hotel, fmt.Sprintf("%s, number %d", lostUmbrella, 7000+n)))
		}
		for n := range 120 {
			finds = append(finds, b.find(b.hotel, fmt.Sprintf("%s, number %d", foundUmbrella, 7000+n)))
		}
		// Once their jobs are removed, the items are like items that are older than the index.
		err := b.db.Write(b.Context(), func(tx *store.Tx) error {
			jobs, err := tx.ClaimJobs([]string{store.JobMatch}, 1000, time.Minute)
			if err != nil {
				return err
			}
			for _, job := range jobs {
				if err := tx.FinishJob(job); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		b.out.RunUpkeepOnce(b.Context())
		b.work()
		for n, r := range requests {
			if got := b.matches(r); len(got) == 0 || got[0].ItemID != finds[n].ID {
				b.Errorf("request %d: got %d matches, want its found item first", n, len(got))
			}
		}
		if n := testkit.Must(b.desk.Matcher.RematchOutdated(b.Context(), 100)); n != 0 {
			b.Errorf("%d locations are indexed again with unchanged rules, want 0", n)
		}
	})
}

// The same items have the same matches and scores in both databases, and again after a restart and after all items were
// indexed and matched again.
func TestBothDatabasesSuggestTheSame(t *testing.T) {
	var results []string
	eachFixture(t, func(b *fixture) {
		kinds := []string{
			"umbrella", "scarf", "phone", "wallet", "watch", "jacket", "teddy bear", "glasses", "charger", "book",
		}
		colours := []string{"black", "navy", "red", "grey", "green", "beige", "pink"}
		brands := []string{"Samsung", "Apple", "Nike", "Esprit", "Casio", "Lacoste"}
		var requests []lost.Item
		for n := range 200 {
			what := fmt.Sprintf("%s %s %s no %d", colours[n%7], brands[n%6], kinds[n%10], n%17)
			if n%9 == 0 {
				requests = append(requests, b.miss(b.hotel, "I lost my "+what))
			} else {
				b.find(b.hotel, what)
			}
		}
		b.work()
		for _, r := range requests { // jobs run side by side, so a search may have been before all items were indexed
			if again, err := b.desk.Matcher.Match(b.Context(), b.by.Account, r.ID); again || err != nil {
				b.Fatal(again, err)
			}
		}
		before := b.describe(requests)
		b.restart()
		if after := b.describe(requests); after != before {
			b.Errorf("after a restart:\n%s\nwant\n%s", after, before)
		}
		testkit.Must(0, b.db.Write(b.Context(), func(tx *store.Tx) error {
			if _, err := tx.Raw().Exec("DELETE FROM matches WHERE account_id = $1", b.by.Account); err != nil {
				return err
			}
			return tx.OutdateMatchRules(b.by.Account)
		}))
		b.clock.Advance(time.Minute)
		if b.describe(requests) != "" {
			b.Error("the matches were not deleted")
		}
		b.out.RunUpkeepOnce(b.Context())
		b.work()
		if after := b.describe(requests); after != before {
			b.Errorf("after all items were matched again:\n%s\nwant\n%s", after, before)
		}
		results = append(results, before)
	})
	if len(results) == 0 || results[0] == "" {
		t.Fatal("no matches")
	}
	for _, other := range results[1:] {
		if other != results[0] {
			t.Errorf("the databases differ:\n%s\nand\n%s", results[0], other)
		}
	}
}

// describe returns the matches of requests with their scores and reasons.
func (b *fixture) describe(requests []lost.Item) string {
	b.Helper()
	var all strings.Builder
	for _, r := range requests {
		for _, m := range b.matches(r) {
			fmt.Fprintln(&all, r.Description, "|", m.Other.Description, m.Score, m.Likelihood, m.Reasons)
		}
	}
	return all.String()
}
