package desk_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/outbox"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
	v1 "homeward/internal/v1"
)

// pictureUploads accepts fake pictures. Content that starts with "PNG" is a PNG; anything else is a JPEG.
type pictureUploads struct{ *testkit.MemoryFiles }

func (p pictureUploads) Receive(_ context.Context, in desk.IncomingPicture) (desk.Upload, error) {
	content, err := io.ReadAll(in.Content)
	if err != nil || int64(len(content)) > in.Limit {
		return nil, lost.E(lost.TooLarge, "The file is too large.")
	}
	u := &drawing{
		at: p.MemoryFiles, content: string(content),
		image: lost.Image{File: p.NewName(), ContentType: "image/jpeg", Width: 600, Height: 200},
	}
	if strings.HasPrefix(u.content, "PNG") {
		u.image.ContentType = "image/png"
	}
	if strings.HasSuffix(u.content, "huge") {
		u.image.Width = 60000
	}
	return u, nil
}

// Verify reports that content which starts with "damaged" is damaged. For other content, see factsOf.
func (p pictureUploads) Verify(ctx context.Context, name string, _ bool) (desk.Verified, error) {
	content, err := p.Read(ctx, name, 1000)
	if strings.HasPrefix(string(content), "damaged") {
		return desk.Verified{Damaged: true}, err
	}
	return desk.Verified{Facts: factsOf(string(content))}, err
}

// FindFacts returns the facts of content; see factsOf.
func (p pictureUploads) FindFacts(_ context.Context, _ string, r io.Reader, limit int64) (f lost.PhotoFacts,
	err error) {
	content, err := io.ReadAll(io.LimitReader(r, limit))
	if found := factsOf(string(content)); found != nil {
		f = *found
	}
	return f, err
}

// factsOf returns the facts of content such as "facts red 12ab code SN-1": the main colour, the hash and a code.
func factsOf(content string) *lost.PhotoFacts {
	var color, code string
	var hash uint64
	if n, _ := fmt.Sscanf(content, "facts %s %x code %s", &color, &hash, &code); n < 2 {
		return nil
	}
	facts := &lost.PhotoFacts{Colors: []lost.Color{lost.Color(color)}, Hash: lost.PhotoHash(hash)}
	if code != "" {
		facts.Codes = []lost.PhotoCode{{Format: lost.Code128, Text: code}}
	}
	return facts
}

// Blurred returns a text with the name of the picture.
func (p pictureUploads) Blurred(_ context.Context, name string) ([]byte, error) {
	return []byte("blurred " + name), nil
}

type drawing struct {
	at      *testkit.MemoryFiles
	content string
	image   lost.Image
}

func (d *drawing) Image() lost.Image { return d.image }
func (d *drawing) Save(ctx context.Context) error {
	return d.at.Save(ctx, d.image.File, []byte(d.content))
}
func (d *drawing) Close() {}

// overdueFixture is a hotel that stores items for 10 days. The storage time of its umbrella expired at midnight.
type overdueFixture struct {
	*testkit.Fixture
	*testkit.Faults
	files *testkit.MemoryFiles
	out   *outbox.Outbox
}

func eachOverdue(t *testing.T, fn func(s *overdueFixture)) {
	t.Helper()
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		plan := testkit.NewFaults()
		s := &overdueFixture{
			Fixture: &testkit.Fixture{T: t, DB: db, Clock: clock}, Faults: plan, files: testkit.NewMemoryFiles(plan),
		}
		s.Services = s.staff(func() {})
		s.Actor = testkit.CreateFirstAccount(t, s.Services)
		s.Location = testkit.Must(s.Services.Locations.Create(t.Context(), s.Actor, lost.LocationPatch{
			Name: lost.Set("Hotel Adler"), TimeZone: lost.Set("Europe/Berlin"), StorageDuration: lost.Set(10),
			Charity: lost.Set("Caritas"),
		}, lost.IdempotencyKey{}))
		s.Item = s.find("Umbrella")
		s.out = s.newWorker(s.Services.Storage)
		clock.Advance(11 * 24 * time.Hour)
		s.work()
		fn(s)
	})
}

// staff returns a new instance of the services.
func (s *overdueFixture) staff(wake func()) *services.Services {
	return services.New(services.Options{
		DB: s.DB, Wire: v1.Encoder{Base: "https://homeward.example"}, Uploads: pictureUploads{s.files},
		Hooks:     testkit.Hooks{},
		Messenger: testkit.Messenger{}, Forms: testkit.Forms{}, Files: s.files,
		Now: s.Clock.Now, Wake: wake, WakeMessages: func() {}, WakeDeliveries: func(...store.EndpointQueue) {},
		Hashing: testkit.QuickHashing,
	})
}

// newWorker returns a new background worker.
func (s *overdueFixture) newWorker(c outbox.Clearances) *outbox.Outbox {
	return outbox.New(outbox.Options{
		DB: s.DB, Files: s.files, Messenger: testkit.Sender{}, Clearances: c, Base: "https://homeward.example",
		Log:     slog.New(slog.DiscardHandler),
		Observe: func(lost.DeliveryState, time.Duration) {}, KeepDeliveries: 30 * 24 * time.Hour,
	})
}

func (s *overdueFixture) find(what string) lost.Item {
	s.T.Helper()
	return testkit.Must(s.Services.Items.Create(s.T.Context(), s.Actor, s.Location.ID,
		testkit.ItemOwnedBy(what, strings.ToLower(what)+"@example.com"), lost.IdempotencyKey{}))
}

// work runs all jobs and item checks that are due.
func (s *overdueFixture) work() {
	s.T.Helper()
	// Two changes to one record must have different times, even if the test does not advance the clock.
	s.Clock.Advance(10 * time.Millisecond)
	for range 100 {
		checks, jobs := testkit.Must(s.out.CheckItemsOnce(s.T.Context())), testkit.Must(s.out.RunOnce(s.T.Context()))
		if checks+jobs == 0 {
			s.Clock.Advance(time.Millisecond) // the next change gets a later time
			return
		}
	}
	s.T.Fatal("there is always another check or job to run")
}

// waiting lists the descriptions of the items that are waiting for a decision.
func (s *overdueFixture) waiting() (all []string) {
	s.T.Helper()
	for _, i := range testkit.Must(s.Services.Storage.Overdue(s.T.Context(), s.Actor, s.Location.ID,
		lost.FirstPage())).Data {
		all = append(all, i.Description)
	}
	return all
}

func (s *overdueFixture) now(i lost.Item) lost.Item {
	s.T.Helper()
	return testkit.Must(s.Services.Items.Get(s.T.Context(), s.Actor, s.Location.ID, i.ID))
}

// clear makes a decision about items, and returns it with the number of items that were left out.
func (s *overdueFixture) clear(to lost.Destination, items ...lost.Item) (lost.Clearance, int) {
	s.T.Helper()
	s.Clock.Advance(time.Millisecond) // each decision gets a later time than the one before
	c, left, err := s.Services.Storage.DecideOverdue(s.T.Context(), s.Actor, s.Location.ID, ids(items...), to,
		time.Time{})
	if err != nil {
		s.T.Fatal(err)
	}
	return c[0], left
}

func ids(items ...lost.Item) (all []string) {
	for _, i := range items {
		all = append(all, i.ID)
	}
	return all
}

// expect reports an error if two lists differ.
func (s *overdueFixture) expect(what string, got []string, want ...string) {
	s.T.Helper()
	if !slices.Equal(got, want) {
		s.T.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestADecisionIsCarriedOutAfterTheUndoPeriod(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t := s.T
		hat := s.find("Hat") // its storage time has not expired
		s.expect("waiting", s.waiting(), "Umbrella")
		c, left := s.clear(lost.Donated, s.Item, hat)
		if c.Items != 1 || left != 1 || !c.Until.Equal(s.Clock.Now().Add(lost.UndoTime)) {
			t.Errorf("%+v, %d left out", c, left)
		}
		s.expect("waiting after the decision", s.waiting())
		if tasks := testkit.Must(s.Services.Reports.Tasks(t.Context(), s.Actor, s.Location.ID,
			lost.FirstPage())); tasks.Count != 0 {
			t.Errorf("got %d tasks, want 0", tasks.Count)
		}
		if now, waits, err := s.Services.Storage.PendingDecision(t.Context(), s.Actor, s.Location.ID,
			s.Item.ID); err != nil ||
			!waits || now.ID != c.ID {
			t.Errorf("clearing: %v, %v", waits, err)
		}
		s.Clock.Advance(time.Minute)
		if err := s.DB.Write(t.Context(), func(tx *store.Tx) error {
			return tx.ScheduleCheck(s.Item.Account, s.Item.ID, tx.Now())
		}); err != nil {
			t.Fatal(err)
		}
		s.work()
		s.expect("waiting after the decision and a check", s.waiting())
		s.Clock.Advance(lost.UndoTime - time.Minute - time.Second)
		s.work()
		if i := s.now(s.Item); i.Status != lost.Pending || len(s.Events()) > 0 {
			t.Errorf("before the undo period ends: got status %s, events %v", i.Status, s.Events())
		}
		s.Clock.Advance(time.Second)
		s.work()
		i := s.now(s.Item)
		if i.Status != lost.Donate || i.Destination != lost.Donated || i.ClosedAt.IsZero() || i.GuestMayChoose() {
			t.Errorf("got status %s, destination %q, closed %v", i.Status, i.Destination, i.ClosedAt)
		}
		s.expect("events", s.Events(), "donate")
		entry := testkit.Must(s.Services.Items.History(t.Context(), s.Actor, s.Location.ID, i.ID,
			lost.FirstPage())).Data[0]
		if entry.Action != lost.Moved || entry.Actor.ID != s.Actor.ID || entry.To != lost.Donate ||
			!strings.Contains(entry.Note, "Donated") {
			t.Errorf("got history entry %+v", entry)
		}
		done := testkit.Must(s.Services.Storage.ListClearances(t.Context(), s.Actor, s.Location.ID))[0]
		if done.State != lost.ClearanceDone || done.LeftOut != 0 || done.EndedAt.IsZero() {
			t.Errorf("got decision %+v", done)
		}
		if _, err := s.Services.Storage.UndoDecision(t.Context(), s.Actor, s.Location.ID,
			c.ID); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("undo after the undo period: got %v, want a conflict", err)
		}
	})
}

func TestAnUndoneDecisionHasNoEffect(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t := s.T
		c, _ := s.clear(lost.Discarded, s.Item)
		for range 2 { // two browser windows undo the same decision
			if undone, err := s.Services.Storage.UndoDecision(t.Context(), s.Actor, s.Location.ID, c.ID); err != nil ||
				undone.State != lost.ClearanceUndone {
				t.Fatalf("%v %v", undone, err)
			}
		}
		s.expect("waiting", s.waiting(), "Umbrella")
		s.work()
		s.expect("waiting after a check", s.waiting(), "Umbrella")
		again, _ := s.clear(lost.Police, s.Item)
		s.Clock.Advance(lost.UndoTime)
		s.work()
		s.expect("events", s.Events(), "discard")
		if i := s.now(s.Item); i.Destination != lost.Police || i.Status != lost.Discard {
			t.Errorf("got status %s, destination %q", i.Status, i.Destination)
		}
		if all := testkit.Must(s.Services.Storage.ListClearances(t.Context(), s.Actor, s.Location.ID)); len(all) != 1 ||
			all[0].ID != again.ID {
			t.Errorf("decisions: %+v", all)
		}
	})
}

func TestAChangeDuringTheUndoPeriodWins(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t, ctx := s.T, s.T.Context()
		all := []lost.Item{s.Item}
		for _, what := range []string{"Hat", "Scarf", "Book", "Glove", "Coat"} {
			all = append(all, s.find(what))
		}
		s.Clock.Advance(12 * 24 * time.Hour)
		s.work()
		c, _ := s.clear(lost.Donated, all...)
		testkit.Must(s.Services.Guests.Choose(ctx, s.Token(all[0]), lost.ChoicePatch{Choice: lost.ChooseLeave}))
		testkit.Must(s.Services.Storage.Hold(ctx, s.Actor, s.Location.ID, ids(all[1]), "Her sister called"))
		if _, _, err := s.Services.Storage.KeepLonger(ctx, s.Actor, s.Location.ID, ids(all[2]),
			lost.KeepPatch{Days: 30}); err != nil {
			t.Fatal(err)
		}
		if err := s.Services.Items.Delete(ctx, s.Actor, s.Location.ID, all[3].ID); err != nil {
			t.Fatal(err)
		}
		// A change of the storage place does not affect the decision.
		testkit.Must(s.Services.Items.Update(ctx, s.Actor, s.Location.ID, all[4].ID,
			lost.ItemPatch{StoragePlace: lost.Set("Box for Caritas")}))
		s.Clock.Advance(time.Second)
		for _, to := range []string{"PICKUP", "PENDING"} { // the item returns to its original status
			testkit.Must(s.Services.Items.SetStatus(ctx, s.Actor, s.Location.ID, all[5].ID,
				lost.MovePatch{Status: lost.Set(to)}))
		}
		s.Clock.Advance(lost.UndoTime)
		s.work()
		s.expect("events", s.Events(), "donate", "pickup", "discard")
		if i := s.now(all[0]); i.Status != lost.Discard || i.MovedBy != lost.ByGuest || i.Destination != "" ||
			!i.GuestMayChoose() {
			t.Errorf("item that the guest chose to leave: got %s by %s", i.Status, i.MovedBy)
		}
		if i := s.now(all[4]); i.Destination != lost.Donated {
			t.Errorf("item with a new place: got %s", i.Status)
		}
		done, items, left, err := s.Services.Storage.Clearance(ctx, s.Actor, s.Location.ID, c.ID,
			lost.Page{Number: 1, Limit: 4})
		if err != nil || done.LeftOut != 4 || len(items.Data) != 0 || !items.More() || len(left) != 4 {
			t.Fatalf("got %v: %+v, %d items and %d left out", err, done, len(items.Data), len(left))
		}
		if _, items, rest, err := s.Services.Storage.Clearance(ctx, s.Actor, s.Location.ID, c.ID,
			lost.Page{Number: 2, Limit: 4}); err != nil || len(items.Data) != 1 || items.More() || len(rest) != 0 {
			t.Fatalf("second page: got %v, %d items and %d left out", err, len(items.Data), len(rest))
		}
		var why []string
		for _, l := range left {
			why = append(why, l.Why)
		}
		slices.Sort(why)
		s.expect("why", why, "Somebody changed the item in the meantime.",
			"The item is no longer waiting for its owner.", "The item is on hold.",
			"The item's storage time has not ended yet.")
	})
}

// A decision made from an outdated list affects only items that the list showed.
func TestADecisionCoversOnlyTheListedItems(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		ctx, day := s.T.Context(), 24*time.Hour
		hat := s.find("Hat")
		s.Clock.Advance(time.Hour)
		scarf := s.find("Scarf")
		s.Clock.Advance(day)
		late := s.find("Ring")
		s.Clock.Advance(10 * day)
		s.work()
		listed := s.Clock.Now()
		s.expect("listed", s.waiting(), "Umbrella", "Hat", "Scarf")
		s.Clock.Advance(day)
		s.work()
		testkit.Must(s.Services.Items.Update(ctx, s.Actor, s.Location.ID, hat.ID,
			lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{FirstName: lost.Set("Ada")})}))
		// This change does not affect the decision.
		testkit.Must(s.Services.Items.Update(ctx, s.Actor, s.Location.ID, scarf.ID,
			lost.ItemPatch{StoragePlace: lost.Set("Box")}))
		s.expect("now", s.waiting(), "Umbrella", "Hat", "Scarf", "Ring")
		c, left, err := s.Services.Storage.DecideOverdue(ctx, s.Actor, s.Location.ID, ids(hat, scarf, late),
			lost.Discarded,
			listed)
		if err != nil || len(c) != 1 || c[0].Items != 1 || left != 2 {
			t.Fatalf("got decisions %+v, %d left out, %v", c, left, err)
		}
		if _, _, err := s.Services.Storage.DecideOverdue(ctx, s.Actor, s.Location.ID, ids(late), lost.Discarded,
			listed); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("item that was not listed: got %v, want a conflict", err)
		}
		s.Clock.Advance(lost.UndoTime)
		s.work()
		s.expect("after the decision", s.waiting(), "Umbrella", "Hat", "Ring")
	})
}

func TestADecisionIsCarriedOutOnceDespiteCrashesAndConcurrentWorkers(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t := s.T
		all := []lost.Item{s.Item}
		for n := range 3 {
			all = append(all, s.find(fmt.Sprintf("Hat%d", n)))
		}
		s.Clock.Advance(12 * 24 * time.Hour)
		s.work()
		s.clear(lost.Discarded, all...)
		s.Clock.Advance(lost.UndoTime)
		calls := 2
		crashing := s.newWorker(s.staff(func() {
			if calls--; calls == 0 {
				panic("killed")
			}
		}).Storage)
		testkit.Must(crashing.RunOnce(t.Context())) // the worker crashes after two items
		if n := len(s.Events()); n != 2 {
			t.Fatalf("got %d events, want 2", n)
		}
		s.Clock.Advance(10 * time.Minute) // longer than the lease
		other := s.newWorker(s.Services.Storage)
		var both sync.WaitGroup
		for _, o := range []*outbox.Outbox{s.out, other} {
			both.Go(func() {
				for range 3 {
					_, _ = o.RunOnce(t.Context())
				}
			})
		}
		both.Wait()
		s.expect("events", s.Events(), "discard", "discard", "discard", "discard")
		if c := testkit.Must(s.Services.Storage.ListClearances(t.Context(), s.Actor,
			s.Location.ID))[0]; c.State != lost.ClearanceDone || c.LeftOut != 0 {
			t.Errorf("got decision %+v", c)
		}
	})
}

func TestAnUndoableDecisionIsListedAfterManyLaterOnes(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t := s.T
		ids := testkit.Must(s.Services.Storage.OverdueIDs(t.Context(), s.Actor, s.Location.ID))
		s.expect("ids", ids, s.Item.ID)
		first, _ := s.clear(lost.Donated, s.Item)
		for range 51 {
			c := lost.NewClearance(s.Location.ID, lost.Discarded, s.Actor, s.Clock.Now())
			c.State, c.EndedAt = lost.ClearanceDone, s.Clock.Now()
			if err := s.DB.Write(t.Context(), func(tx *store.Tx) error { return tx.InsertClearance(c) }); err != nil {
				t.Fatal(err)
			}
			s.Clock.Advance(time.Second)
		}
		all := testkit.Must(s.Services.Storage.ListClearances(t.Context(), s.Actor, s.Location.ID))
		if len(all) != 50 || all[0].ID != first.ID || !all[0].Undoable(s.Clock.Now()) {
			t.Errorf("got %d decisions, the first is %+v", len(all), all[0])
		}
		s.Clock.Advance(25 * time.Hour)
		if all := testkit.Must(s.Services.Storage.ListClearances(t.Context(), s.Actor, s.Location.ID)); len(all) != 1 {
			t.Errorf("after a day: got %d decisions, want 1", len(all))
		}
	})
}

// findAt records an item at another location with the same storage time.
func (s *overdueFixture) findAt(location lost.Location, what string) lost.Item {
	s.T.Helper()
	return testkit.Must(s.Services.Items.Create(s.T.Context(), s.Actor, location.ID,
		testkit.ItemOwnedBy(what, strings.ToLower(what)+"@example.com"), lost.IdempotencyKey{}))
}

func TestStoredItemsOfSeveralLocationsAreHandledTogether(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t, ctx, storage := s.T, s.T.Context(), s.Services.Storage
		at := func(name, zone string) lost.Location {
			return testkit.Must(s.Services.Locations.Create(ctx, s.Actor, lost.LocationPatch{
				Name: lost.Set(name), TimeZone: lost.Set(zone), StorageDuration: lost.Set(10),
			}, lost.IdempotencyKey{}))
		}
		spa, bar := at("Spa", "Pacific/Kiritimati"), at("Bar", "Europe/Berlin")
		towel, glass := s.findAt(spa, "Towel"), s.findAt(bar, "Glass")
		s.Clock.Advance(11 * 24 * time.Hour)
		s.work()
		clerk := s.Actor
		clerk.Kind, clerk.Locations = lost.ByUser, []string{s.Location.ID, spa.ID}
		all, anywhere := ids(s.Item, towel, glass), ""
		held := func() (found []string) {
			list := testkit.Must(storage.Held(ctx, s.Actor, anywhere, lost.FirstPage()))
			for _, i := range list.Data {
				found = append(found, i.Description)
			}
			return found
		}
		if n := testkit.Must(storage.Hold(ctx, clerk, anywhere, all, "Evidence")); n != 2 {
			t.Errorf("hold: %d items changed, want 2", n)
		}
		s.expect("held", held(), "Towel", "Umbrella")
		if n := testkit.Must(storage.Release(ctx, clerk, anywhere, all)); n != 2 {
			t.Errorf("release: %d items changed, want 2", n)
		}
		until, n, err := storage.KeepLonger(ctx, clerk, anywhere, all, lost.KeepPatch{Days: 1})
		earliest := s.Clock.Now().In(s.Location.Zone()).AddDate(0, 0, 1).Format(lost.DateLayout)
		if err != nil || n != 2 || until != earliest {
			t.Errorf("keep: %d items until %s, %v, want 2 until %s", n, until, err, earliest)
		}
		s.Clock.Advance(3 * 24 * time.Hour)
		s.work()
		decisions, left, err := storage.DecideOverdue(ctx, clerk, anywhere, all, lost.Donated, s.Clock.Now())
		if err != nil || len(decisions) != 2 || left != 1 || decisions[0].LocationID == decisions[1].LocationID {
			t.Fatalf("got decisions %+v, %d left out, %v", decisions, left, err)
		}
		if list := testkit.Must(storage.Overdue(ctx, s.Actor, anywhere, lost.FirstPage())); list.Count != 1 {
			t.Errorf("%d items need a decision, want 1", list.Count)
		}
		if _, err := storage.Hold(ctx, clerk, anywhere, ids(glass), "Mine"); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("hold of an item that the actor cannot see: %v", err)
		}
		// One item that cannot be put on hold prevents the hold of the others, also at other locations.
		testkit.Must(s.Services.Items.SetStatus(ctx, s.Actor, bar.ID, glass.ID,
			lost.MovePatch{Status: lost.Set(string(lost.Delivered))}))
		if _, err := storage.Hold(ctx, s.Actor, anywhere, all, "Evidence"); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("hold of a delivered item: %v, want a conflict", err)
		}
		s.expect("held after a conflict", held())
	})
}

func TestHeldItemsAreOverdueAgainAfterTheHold(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t, ctx := s.T, s.T.Context()
		if _, err := s.Services.Storage.Hold(ctx, s.Actor, s.Location.ID, ids(s.Item),
			""); lost.CodeOf(err) != lost.Invalid {
			t.Errorf("hold without a reason: got %v, want invalid", err)
		}
		for n, want := range []int{1, 0} { // the second call must change nothing
			if got := testkit.Must(s.Services.Storage.Hold(ctx, s.Actor, s.Location.ID, ids(s.Item),
				"Evidence")); got != want {
				t.Errorf("hold %d: got %d changed", n, got)
			}
		}
		s.work()
		s.expect("waiting during the hold", s.waiting())
		if held := testkit.Must(s.Services.Storage.Held(ctx, s.Actor, s.Location.ID,
			lost.FirstPage())); held.Count != 1 ||
			held.Data[0].Hold != "Evidence" {
			t.Errorf("held: %+v", held)
		}
		entry := testkit.Must(s.Services.Items.History(ctx, s.Actor, s.Location.ID, s.Item.ID,
			lost.FirstPage())).Data[0]
		if entry.Note != "Evidence" || !slices.Equal(entry.Fields, []string{"hold"}) {
			t.Errorf("got history entry %+v", entry)
		}
		if _, _, err := s.Services.Storage.DecideOverdue(ctx, s.Actor, s.Location.ID, ids(s.Item), lost.Donated,
			time.Time{}); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("clearing a held item: got %v, want a conflict", err)
		}
		if n := testkit.Must(s.Services.Storage.Release(ctx, s.Actor, s.Location.ID, ids(s.Item))); n != 1 {
			t.Errorf("got %d released, want 1", n)
		}
		s.work()
		s.expect("waiting after the hold", s.waiting(), "Umbrella")
		until, n, err := s.Services.Storage.KeepLonger(ctx, s.Actor, s.Location.ID, ids(s.Item),
			lost.KeepPatch{Days: 30})
		if err != nil || n != 1 || until != s.Location.Day(s.Clock.Now().AddDate(0, 0, 30)) ||
			s.now(s.Item).StoreUntil() != until {
			t.Errorf("extended storage: got %q, %v", until, err)
		}
		s.work()
		s.expect("waiting during the extension", s.waiting())
		s.Clock.Advance(31 * 24 * time.Hour)
		s.work()
		s.expect("waiting after the extension", s.waiting(), "Umbrella")
		testkit.Must(s.Services.Items.SetStatus(ctx, s.Actor, s.Location.ID, s.Item.ID,
			lost.MovePatch{Status: lost.Set("SHIPPED")}))
		if _, err := s.Services.Storage.Hold(ctx, s.Actor, s.Location.ID, ids(s.Item),
			"Evidence"); lost.CodeOf(err) != lost.Conflict || s.now(s.Item).Hold != "" {
			t.Errorf("hold of a shipped item: got %v, want a conflict", err)
		}
	})
}

func TestTheNumberOfSelectedItemsIsLimited(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t, ctx := s.T, s.T.Context()
		var many []string
		for n := range lost.MaxSelected + 1 {
			many = append(many, fmt.Sprint("item_", n))
		}
		for name, list := range map[string][]string{"none": nil, "too many": many} {
			_, _, err := s.Services.Storage.DecideOverdue(ctx, s.Actor, s.Location.ID, list, lost.Donated, time.Time{})
			if _, held := s.Services.Storage.Hold(ctx, s.Actor, s.Location.ID, list,
				"Why"); lost.CodeOf(err) != lost.Invalid ||
				lost.CodeOf(held) != lost.Invalid {
				t.Errorf("%s: %v, %v", name, err, held)
			}
		}
		if _, _, err := s.Services.Storage.DecideOverdue(ctx, s.Actor, s.Location.ID, ids(s.Item), "sold",
			time.Time{}); lost.CodeOf(err) != lost.Invalid {
			t.Errorf("unknown destination: got %v, want invalid", err)
		}
	})
}

func TestAPickListListsADecisionOrASelection(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t, ctx := s.T, s.T.Context()
		hat := s.find("Hat")
		if list := testkit.Must(s.Services.Storage.PickList(ctx, s.Actor, s.Location.ID, ids(s.Item, hat),
			"")); string(list) != " Umbrella\n Hat\n" {
			t.Errorf("%q", list)
		}
		c, _ := s.clear(lost.Police, s.Item)
		if list := testkit.Must(s.Services.Storage.PickList(ctx, s.Actor, s.Location.ID, nil,
			c.ID)); string(list) != "police Umbrella\n" {
			t.Errorf("%q", list)
		}
		if _, err := s.Services.Storage.PickList(ctx, s.Actor, s.Location.ID, nil,
			"clr_nothing"); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("unknown decision: got %v, want not found", err)
		}
	})
}

func TestAHandoverIsStoredWithItsReceipt(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t, ctx := s.T, s.T.Context()
		handOver := func(name, signature string) (lost.Item, error) {
			return s.Services.Handovers.HandOver(ctx, s.Actor, s.Location.ID, s.Item.ID,
				lost.HandoverPatch{Recipient: name, IDChecked: true, Signature: []byte(signature)},
				lost.IdempotencyKey{})
		}
		for name, c := range map[string]struct {
			who, signature string
			want           lost.Code
		}{
			"no name": {"", "PNG", lost.Invalid}, "a JPEG": {"Anna", "JPEG", lost.Invalid},
			"huge":      {"Anna", "PNG huge", lost.Invalid},
			"too large": {"Anna", "PNG" + strings.Repeat("x", desk.MaxSignature), lost.Invalid},
		} {
			if _, err := handOver(c.who, c.signature); lost.CodeOf(err) != c.want {
				t.Errorf("%s: %v", name, err)
			}
		}
		if i := s.now(s.Item); i.Handover.Known() || len(s.files.Stored) > 0 {
			t.Fatalf("rejected hand-overs stored files %v", s.files.Stored)
		}
		i, err := handOver("Anna Arden", "PNG")
		if err != nil || i.Status != lost.PickUp || i.ClosedAt.IsZero() || i.Handover.Name != "Anna Arden" ||
			!i.Handover.IDChecked {
			t.Fatalf("hand-over: got %+v, %v", i, err)
		}
		if got := s.files.Stored[i.Handover.ReceiptFile]; got != "receipt for Anna Arden, signed with 3 bytes" ||
			s.files.Stored[i.Handover.SignatureFile] != "PNG" {
			t.Errorf("got files %v", s.files.Stored)
		}
		s.expect("events", s.Events(), "pickup")
		entry := testkit.Must(s.Services.Items.History(ctx, s.Actor, s.Location.ID, i.ID, lost.FirstPage())).Data[0]
		if entry.Action != lost.HandedOver || entry.Note != "Handed to Anna Arden. Their ID was checked." ||
			entry.To != lost.PickUp {
			t.Errorf("got history entry %+v", entry)
		}
		if got := s.now(i); got.Handover != i.Handover {
			t.Errorf("stored hand-over: got %+v", got.Handover)
		}
		// Another browser window hands over the same item.
		if _, err := handOver("Ben", "PNG"); lost.CodeOf(err) != lost.Conflict || len(s.files.Stored) != 2 {
			t.Errorf("second hand-over: got %v, files %v", err, s.files.Stored)
		}
		s.Clock.Advance(2 * time.Hour)
		s.work() // the jobs must not delete the files, because the item refers to them
		if len(s.files.Stored) != 2 {
			t.Errorf("got files %v", s.files.Stored)
		}
		if err := s.Services.Items.Delete(ctx, s.Actor, s.Location.ID, i.ID); err != nil {
			t.Fatal(err)
		}
		s.work()
		if len(s.files.Stored) > 0 {
			t.Errorf("files after deletion: got %v", s.files.Stored)
		}
	})
}

func TestAnAbandonedHandoverLeavesNoFiles(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t := s.T
		s.Fail("after Keep", fmt.Errorf("killed"))
		patch := lost.HandoverPatch{Recipient: "Anna"}
		if _, err := s.Services.Handovers.HandOver(t.Context(), s.Actor, s.Location.ID, s.Item.ID, patch,
			lost.IdempotencyKey{}); err == nil ||
			len(s.files.Stored) != 1 {
			t.Fatalf("got %v, files %v", err, s.files.Stored)
		}
		s.Clock.Advance(2 * time.Hour)
		s.work()
		if len(s.files.Stored) > 0 || s.now(s.Item).Handover.Known() {
			t.Errorf("got files %v", s.files.Stored)
		}
		// The item is handed over without a signature, is returned to storage, and is handed over again.
		i, err := s.Services.Handovers.HandOver(t.Context(), s.Actor, s.Location.ID, s.Item.ID, patch,
			lost.IdempotencyKey{})
		if err != nil || i.Handover.SignatureFile != "" {
			t.Fatal(err)
		}
		testkit.Must(s.Services.Items.SetStatus(t.Context(), s.Actor, s.Location.ID, i.ID,
			lost.MovePatch{Status: lost.Set("PENDING")}))
		again, err := s.Services.Handovers.HandOver(t.Context(), s.Actor, s.Location.ID, s.Item.ID, patch,
			lost.IdempotencyKey{})
		s.work()
		if _, found := s.files.Stored[again.Handover.ReceiptFile]; err != nil || !found || len(s.files.Stored) != 1 {
			t.Errorf("got %v, files %v", err, s.files.Stored)
		}
	})
}
