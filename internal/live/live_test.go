package live_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"homeward/internal/live"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// database is a database that two hubs share.
type database struct {
	mu        sync.Mutex
	listeners map[string]func([]store.PageChange)
	sent      [][]store.PageChange
	down      bool
	cut       context.CancelFunc // cuts the connection of the last listener
}

var errDown = errors.New("the database is down")

func (d *database) Broadcast(_ context.Context, sender string, changes []store.PageChange) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down {
		return errDown
	}
	d.sent = append(d.sent, changes)
	for name, heard := range d.listeners {
		if name != sender {
			heard(changes)
		}
	}
	return nil
}

func (d *database) ListenForChanges(ctx context.Context, sender string, ready func(),
	heard func([]store.PageChange)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d.mu.Lock()
	if d.listeners == nil {
		d.listeners = map[string]func([]store.PageChange){}
	}
	d.listeners[sender], d.cut = heard, cancel
	d.mu.Unlock()
	ready()
	<-ctx.Done()
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.listeners, sender)
	return errDown
}

// run runs a test with two hubs on one database, in a bubble with its own clock.
func run(t *testing.T, fn func(t *testing.T, d *database, here, there *live.Hub)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &database{}
		here, there := live.NewHub(d, slog.New(slog.DiscardHandler)), live.NewHub(d, slog.New(slog.DiscardHandler))
		fn(t, d, here, there)
		here.Close()
		there.Close()
	})
}

// sleep lets time pass in the bubble.
func sleep(d time.Duration) { time.Sleep(d) } //nolint:forbidigo // inside testing/synctest

// open opens a page on a hub that has heard all changes for a while, so that it has no news.
func open(t *testing.T, h *live.Hub, s live.Scope) *live.Tab {
	t.Helper()
	s.Account, s.User = "acc_1", "usr_1"
	if s.Session == "" {
		s.Session = "ses_1"
	}
	tab, err := h.Open(s, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	sleep(10 * time.Second)
	synctest.Wait()
	tab.Take()
	select {
	case <-tab.Ready():
	default:
	}
	return tab
}

// news waits for what follows from a change, and returns what the page is told.
func news(tab *live.Tab) live.News {
	sleep(time.Second)
	synctest.Wait()
	n := tab.Take()
	n.Delay = 0
	return n
}

func at(location, item string) store.PageChange {
	return store.PageChange{Account: "acc_1", Location: location, Item: item}
}

func TestAPageHearsOnlyOfWhatItShows(t *testing.T) {
	limited, second := []string{"loc_1"}, live.Scope{Location: "loc_1", Item: "item_2"}
	request := at("loc_1", "item_9")
	request.Kind = store.RequestChanged
	matches, foreign := at("loc_1", "item_1"), at("loc_2", "item_2")
	matches.Kind, foreign.Kind = store.MatchesChanged, store.MatchesChanged
	other := at("loc_1", "item_1")
	other.Account = "acc_2"
	told := live.News{Changed: true, Counts: true}
	counts := live.News{Counts: true}
	for name, c := range map[string]struct {
		scope  live.Scope
		change store.PageChange
		want   live.News
	}{
		"a list of its location":             {live.Scope{Location: "loc_1"}, at("loc_1", "item_1"), told},
		"a list of another location":         {live.Scope{Location: "loc_2"}, at("loc_1", "item_1"), counts},
		"a list of all locations":            {live.Scope{}, at("loc_1", "item_1"), told},
		"a page of its item":                 {live.Scope{Location: "loc_1", Item: "item_1"}, matches, told},
		"a page of another item":             {second, at("loc_1", "item_1"), counts},
		"a page of an item, and a request":   {second, request, told},
		"a page of an item, and its place":   {second, at("loc_1", ""), told},
		"a list, and the matches of an item": {live.Scope{Location: "loc_1"}, matches, counts},
		"a list, and the account":            {live.Scope{Location: "loc_1"}, at("", ""), told},
		"a page that follows nothing":        {live.Scope{Static: true}, at("loc_1", "item_1"), counts},
		"a user with access":                 {live.Scope{Locations: limited}, at("loc_1", "item_1"), told},
		"a user without access":              {live.Scope{Locations: limited}, at("loc_2", "item_1"), live.News{}},
		"a user who names another's item":    {live.Scope{Locations: limited, Item: "item_2"}, foreign, live.News{}},
		"a change without a location":        {live.Scope{Locations: limited}, at("", "item_1"), live.News{}},
		"a user, and the account":            {live.Scope{Locations: limited}, at("", ""), told},
		"another account":                    {live.Scope{}, other, live.News{}},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, _ *database, here, there *live.Hub) {
				near, far := open(t, here, c.scope), open(t, there, c.scope)
				defer near.Close()
				defer far.Close()
				here.Publish([]store.PageChange{c.change})
				if got := news(near); got != c.want {
					t.Errorf("a page on the same instance is told %+v, want %+v", got, c.want)
				}
				if got := news(far); got != c.want {
					t.Errorf("a page on another instance is told %+v, want %+v", got, c.want)
				}
			})
		})
	}
}

func TestReportsAndChoicesAreToldOnlyToThoseWithAccess(t *testing.T) {
	run(t, func(t *testing.T, _ *database, here, _ *live.Hub) {
		tab := open(t, here, live.Scope{Static: true})
		outsider := open(t, here, live.Scope{Locations: []string{"loc_2"}})
		defer tab.Close()
		defer outsider.Close()
		report, choice := at("loc_1", "item_1"), at("loc_1", "item_2")
		report.Kind, choice.Kind = store.LostReportFiled, store.OwnerChose
		here.Publish([]store.PageChange{report, choice})
		if got, want := news(tab), (live.News{Counts: true, Report: true, Choice: true}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if got := news(outsider); got != (live.News{}) {
			t.Errorf("a user without access is told %+v", got)
		}
	})
}

func TestOnlyThoseWhoLostAccessAreChecked(t *testing.T) {
	run(t, func(t *testing.T, _ *database, here, there *live.Hub) {
		tab := open(t, there, live.Scope{})
		defer tab.Close()
		for id, want := range map[string]bool{"usr_1": true, "ses_1": true, "": true, "usr_2": false, "ses_2": false} {
			here.Publish([]store.PageChange{{Account: "acc_1", Item: id, Kind: store.AccessChanged}})
			if got := news(tab); got.Access != want || got.Changed || got.Counts {
				t.Errorf("%q: got %+v, want access to be checked: %t", id, got, want)
			}
		}
	})
}

func TestAPageThatMissedAChangeIsToldWhenItConnects(t *testing.T) {
	run(t, func(t *testing.T, d *database, here, _ *live.Hub) {
		first := open(t, here, live.Scope{})
		defer first.Close()
		connect := func(session string, since time.Time) bool {
			tab, err := here.Open(live.Scope{Account: "acc_1", Session: session}, since)
			if err != nil {
				t.Fatal(err)
			}
			defer tab.Close()
			return tab.Take().Changed
		}
		sleep(20 * time.Second)
		if connect("a", time.Now().Add(-5*time.Second)) {
			t.Error("a page is read again although nothing has changed")
		}
		read := time.Now()
		here.Publish([]store.PageChange{at("loc_1", "item_1")})
		sleep(10 * time.Second)
		if !connect("b", read) {
			t.Error("a page that was read before the change is not read again")
		}
		if connect("c", time.Now()) {
			t.Error("a page that was read after the change is read again")
		}
		sleep(10 * time.Minute)
		if !connect("d", read.Add(5*time.Second)) {
			t.Error("a page that was read long ago is not read again")
		}
		news(first)
		read = time.Now()
		d.cut()
		sleep(5 * time.Second)
		if !news(first).Changed {
			t.Error("an open page is not read again after the connection was lost")
		}
		if !connect("e", read) {
			t.Error("a page that was read before the connection was lost is not read again")
		}
	})
}

func TestChangesAreBroadcastTogetherAndAgainAfterAFailure(t *testing.T) {
	run(t, func(t *testing.T, d *database, here, there *live.Hub) {
		tab := open(t, there, live.Scope{Location: "loc_1"})
		defer tab.Close()
		d.down = true
		for n := range 300 {
			here.Publish([]store.PageChange{at("loc_1", "item_"+string(rune('a'+n)))})
		}
		if got := news(tab); got != (live.News{}) {
			t.Errorf("the page is told %+v although the database is down", got)
		}
		d.mu.Lock()
		d.down = false
		d.mu.Unlock()
		if !news(tab).Changed {
			t.Error("the changes were lost")
		}
		if len(d.sent) != 1 || len(d.sent[0]) > 60 {
			t.Errorf("the changes were sent in %d parts, the first with %d changes", len(d.sent), len(d.sent[0]))
		}
	})
}

func TestTheLastChangesAreBroadcastBeforeTheEnd(t *testing.T) {
	run(t, func(t *testing.T, _ *database, here, there *live.Hub) {
		tab := open(t, there, live.Scope{})
		defer tab.Close()
		here.Publish([]store.PageChange{at("loc_1", "item_1")})
		here.Close()
		if !tab.Take().Changed {
			t.Error("the last change was lost")
		}
	})
}

func TestPagesAreLimitedForEachSession(t *testing.T) {
	run(t, func(t *testing.T, _ *database, here, _ *live.Hub) {
		var tabs []*live.Tab
		connect := func(session string) error {
			tab, err := here.Open(live.Scope{Account: "acc_1", Session: session}, time.Now())
			if err == nil {
				tabs = append(tabs, tab)
			}
			return err
		}
		for range 30 {
			if err := connect("ses_1"); err != nil {
				t.Fatal(err)
			}
		}
		sleep(time.Minute)
		if lost.CodeOf(connect("ses_1")) != lost.TooMany {
			t.Error("a session may open more than 30 pages")
		}
		if err := connect("ses_2"); err != nil {
			t.Errorf("another session may not open a page: %v", err)
		}
		for _, tab := range tabs {
			tab.Close()
			tab.Close() // has no further effect
		}
		if here.Tabs() != 0 {
			t.Errorf("%d pages are open, want none", here.Tabs())
		}
		opened := 0
		for range 100 {
			if connect("ses_3") == nil {
				opened++
				tabs[len(tabs)-1].Close()
			}
		}
		if opened != 60 {
			t.Errorf("a session opened %d pages at once, want 60", opened)
		}
	})
}

func TestDrainEndsAllPages(t *testing.T) {
	run(t, func(t *testing.T, _ *database, here, _ *live.Hub) {
		tab := open(t, here, live.Scope{})
		defer tab.Close()
		here.Drain()
		<-tab.Ready()
		if !tab.Take().End {
			t.Error("the page is not told to end")
		}
		if _, err := here.Open(live.Scope{Account: "acc_1", Session: "ses_1"}, time.Now()); lost.CodeOf(err) !=
			lost.Unavailable {
			t.Errorf("got %v, want that no page can be opened", err)
		}
	})
}

func TestCountsAreReadOnceForEachChange(t *testing.T) {
	run(t, func(t *testing.T, _ *database, here, there *live.Hub) {
		read := 0
		count := func() (live.Counts, error) {
			read++
			return live.Counts{Tasks: read}, nil
		}
		get := func() int {
			n, err := there.Counts("acc_1", "", count)
			if err != nil {
				t.Fatal(err)
			}
			return n.Tasks
		}
		get()
		if get() != 2 {
			t.Error("counts are cached although this instance does not hear of changes")
		}
		tab := open(t, there, live.Scope{})
		defer tab.Close()
		get()
		if get() != 3 {
			t.Error("counts are not cached")
		}
		here.Publish([]store.PageChange{at("loc_1", "item_1")})
		if news(tab); get() != 4 {
			t.Error("counts are not read again after a change")
		}
	})
}

func TestManyPagesOfAnAccountAreReadOneAfterAnother(t *testing.T) {
	run(t, func(t *testing.T, _ *database, here, _ *live.Hub) {
		const pages = 1000
		var tabs []*live.Tab
		for n := range pages {
			tab, err := here.Open(live.Scope{Account: "acc_1", Session: string(rune('a' + n))}, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			defer tab.Close()
			tabs = append(tabs, tab)
		}
		synctest.Wait()
		for _, tab := range tabs {
			tab.Take()
		}
		here.Publish([]store.PageChange{at("loc_1", "item_1")})
		var sum time.Duration
		for _, tab := range tabs {
			sum += tab.Take().Delay
		}
		if mean := sum / pages; mean < 2*time.Second || mean > 3*time.Second {
			t.Errorf("the mean delay is %s, want about 2.5 s", mean)
		}
	})
}
