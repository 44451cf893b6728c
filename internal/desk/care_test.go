package desk_test

import (
	"bytes"
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
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	v1 "homeward/internal/v1"
)

// forms prints a line.
type forms struct{}

func (forms) Receipt(r lost.HandoverReceipt) ([]byte, error) {
	return fmt.Appendf(nil, "receipt for %s, signed with %d bytes", r.Handover.Name, len(r.Signature)), nil
}

func (forms) PickList(l lost.PickList) ([]byte, error) {
	var b bytes.Buffer
	for _, i := range l.Items {
		fmt.Fprintln(&b, l.Destination, i.Description)
	}
	return b.Bytes(), nil
}

// pad takes pictures: what begins with PNG is one, and anything else a JPEG.
type pad struct{ *cabinet }

func (p pad) Receive(_ context.Context, _ string, r io.Reader, limit int64) (desk.Upload, error) {
	content, err := io.ReadAll(r)
	if err != nil || int64(len(content)) > limit {
		return nil, lost.E(lost.TooLarge, "The file is too large.")
	}
	u := &drawing{at: p.cabinet, content: string(content), image: lost.Image{File: p.NewName(), ContentType: "image/jpeg", Width: 600, Height: 200}}
	if strings.HasPrefix(u.content, "PNG") {
		u.image.ContentType = "image/png"
	}
	if strings.HasSuffix(u.content, "huge") {
		u.image.Width = 60000
	}
	return u, nil
}

type drawing struct {
	at      *cabinet
	content string
	image   lost.Image
}

func (d *drawing) Image() lost.Image { return d.image }
func (d *drawing) Digest() string    { return "" }
func (d *drawing) Keep(ctx context.Context) error {
	return d.at.Keep(ctx, d.image.File, []byte(d.content))
}
func (d *drawing) Close() {}

// shelf is a hotel that keeps things for 10 days, with an umbrella of Anna's on the 26th of November: its time is over since midnight.
type shelf struct {
	*lobby
	*script
	cabinet *cabinet
	out     *outbox.Outbox
}

func eachShelf(t *testing.T, fn func(s *shelf)) {
	t.Helper()
	each(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		plan := &script{calls: map[string]int{}, plan: map[string][]func() error{}}
		s := &shelf{lobby: &lobby{t: t, db: db, clock: clock}, script: plan, cabinet: &cabinet{script: plan, kept: map[string]string{}}}
		s.desk = s.staff(func() {})
		s.actor = begin(t, s.desk)
		s.where = must(s.desk.CreateLocation(t.Context(), s.actor, lost.LocationPatch{
			Name: lost.Set("Hotel Adler"), TimeZone: lost.Set("Europe/Berlin"), StorageDuration: lost.Set(10), Charity: lost.Set("Caritas"),
		}, lost.IdempotencyKey{}))
		s.item = s.find("Umbrella")
		s.out = s.another(s.desk)
		clock.Advance(11 * 24 * time.Hour)
		s.work()
		fn(s)
	})
}

// staff is a copy of the service, as far as the desk knows.
func (s *shelf) staff(nudge func()) *desk.Desk {
	return desk.New(desk.Options{
		DB: s.db, Wire: v1.Wire{Base: "https://homeward.example"}, Uploads: pad{s.cabinet}, Hooks: allHooks{}, Messenger: scribe{}, Forms: forms{}, Files: s.cabinet,
		Now: s.clock.Now, Nudge: nudge, NudgeLetters: func() {}, NudgeLanes: func(...store.Lane) {}, Hashing: quick,
	})
}

// another is a copy of the service's background work.
func (s *shelf) another(c outbox.Clearances) *outbox.Outbox {
	return outbox.New(outbox.Options{
		DB: s.db, Files: s.cabinet, Post: letterbox{}, Clearances: c, Base: "https://homeward.example", Log: slog.New(slog.DiscardHandler),
		Observe: func(lost.DeliveryState, time.Duration) {}, KeepDeliveries: 30 * 24 * time.Hour,
	})
}

func (s *shelf) find(what string) lost.Item {
	s.t.Helper()
	return must(s.desk.CreateItem(s.t.Context(), s.actor, s.where.ID, owned(what, strings.ToLower(what)+"@example.com"), lost.IdempotencyKey{}))
}

// work does everything that is due.
func (s *shelf) work() {
	s.t.Helper()
	s.clock.Advance(10 * time.Millisecond) // changes of one record follow each other, also while the clock stands still
	for range 100 {
		looked, jobs := must(s.out.LookOnce(s.t.Context())), must(s.out.RunOnce(s.t.Context()))
		if looked+jobs == 0 {
			s.clock.Advance(time.Millisecond) // what comes next is later
			return
		}
	}
	s.t.Fatal("there is always something to do")
}

// waiting lists what waits for a decision.
func (s *shelf) waiting() (all []string) {
	s.t.Helper()
	for _, i := range must(s.desk.Storage(s.t.Context(), s.actor, s.where.ID, lost.FirstPage())).Data {
		all = append(all, i.Description)
	}
	return all
}

func (s *shelf) now(i lost.Item) lost.Item {
	s.t.Helper()
	return must(s.desk.Item(s.t.Context(), s.actor, s.where.ID, i.ID))
}

// clear decides on items, and tells how many were left out.
func (s *shelf) clear(to lost.Destination, items ...lost.Item) (lost.Clearance, int) {
	s.t.Helper()
	s.clock.Advance(time.Millisecond) // after any other decision
	c, left, err := s.desk.Clear(s.t.Context(), s.actor, s.where.ID, ids(items...), to, time.Time{})
	if err != nil {
		s.t.Fatal(err)
	}
	return c, left
}

func ids(items ...lost.Item) (all []string) {
	for _, i := range items {
		all = append(all, i.ID)
	}
	return all
}

// say compares lists.
func (s *shelf) say(what string, got []string, want ...string) {
	s.t.Helper()
	if !slices.Equal(got, want) {
		s.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestADecisionIsCarriedOutWhenItCanNoLongerBeUndone(t *testing.T) {
	eachShelf(t, func(s *shelf) {
		t := s.t
		hat := s.find("Hat") // its time is not over
		s.say("waiting", s.waiting(), "Umbrella")
		c, left := s.clear(lost.Donated, s.item, hat)
		if c.Items != 1 || left != 1 || !c.Until.Equal(s.clock.Now().Add(lost.UndoTime)) {
			t.Errorf("%+v, %d left out", c, left)
		}
		s.say("waiting, decided", s.waiting())
		if tasks := must(s.desk.Tasks(t.Context(), s.actor, s.where.ID, lost.FirstPage())); tasks.Count != 0 {
			t.Errorf("there are %d tasks", tasks.Count)
		}
		if now, waits, err := s.desk.Clearing(t.Context(), s.actor, s.where.ID, s.item.ID); err != nil || !waits || now.ID != c.ID {
			t.Errorf("clearing: %v, %v", waits, err)
		}
		s.clock.Advance(time.Minute)
		if err := s.db.Write(t.Context(), func(tx *store.Tx) error { return tx.LookAt(s.item.Account, s.item.ID, tx.Now()) }); err != nil {
			t.Fatal(err)
		}
		s.work()
		s.say("waiting, decided and looked at", s.waiting())
		s.clock.Advance(lost.UndoTime - time.Minute - time.Second)
		s.work()
		if i := s.now(s.item); i.Status != lost.Pending || len(s.events()) > 0 {
			t.Errorf("before its time it is %s, told %v", i.Status, s.events())
		}
		s.clock.Advance(time.Second)
		s.work()
		i := s.now(s.item)
		if i.Status != lost.Donate || i.Destination != lost.Donated || i.ClosedAt.IsZero() || i.OpenToGuest() {
			t.Errorf("it is %s, %q, closed %v", i.Status, i.Destination, i.ClosedAt)
		}
		s.say("events", s.events(), "donate")
		entry := must(s.desk.History(t.Context(), s.actor, s.where.ID, i.ID, lost.FirstPage())).Data[0]
		if entry.Action != lost.Moved || entry.Actor.ID != s.actor.ID || entry.To != lost.Donate || !strings.Contains(entry.Note, "donated") {
			t.Errorf("its history says %+v", entry)
		}
		done := must(s.desk.Clearances(t.Context(), s.actor, s.where.ID))[0]
		if done.State != lost.ClearanceDone || done.LeftOut != 0 || done.EndedAt.IsZero() {
			t.Errorf("the decision is %+v", done)
		}
		if _, err := s.desk.UndoClear(t.Context(), s.actor, s.where.ID, c.ID); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("undone too late: %v", err)
		}
	})
}

func TestWhatWasUndoneNeverHappened(t *testing.T) {
	eachShelf(t, func(s *shelf) {
		t := s.t
		c, _ := s.clear(lost.Discarded, s.item)
		for range 2 { // from two windows
			if undone, err := s.desk.UndoClear(t.Context(), s.actor, s.where.ID, c.ID); err != nil || undone.State != lost.ClearanceUndone {
				t.Fatalf("%v %v", undone, err)
			}
		}
		s.say("waiting", s.waiting(), "Umbrella")
		s.work()
		s.say("waiting, after a look", s.waiting(), "Umbrella")
		again, _ := s.clear(lost.Police, s.item)
		s.clock.Advance(lost.UndoTime)
		s.work()
		s.say("events", s.events(), "discard")
		if i := s.now(s.item); i.Destination != lost.Police || i.Status != lost.Discard {
			t.Errorf("it is %s, %q", i.Status, i.Destination)
		}
		if all := must(s.desk.Clearances(t.Context(), s.actor, s.where.ID)); len(all) != 1 || all[0].ID != again.ID {
			t.Errorf("decisions: %+v", all)
		}
	})
}

func TestWhoActsWhileADecisionCanBeUndoneWins(t *testing.T) {
	eachShelf(t, func(s *shelf) {
		t, ctx := s.t, s.t.Context()
		all := []lost.Item{s.item}
		for _, what := range []string{"Hat", "Scarf", "Book", "Glove", "Coat"} {
			all = append(all, s.find(what))
		}
		s.clock.Advance(12 * 24 * time.Hour)
		s.work()
		c, _ := s.clear(lost.Donated, all...)
		must(s.desk.Choose(ctx, s.token(all[0]), lost.ChoicePatch{Choice: lost.ChooseLeave}))
		must(s.desk.Hold(ctx, s.actor, s.where.ID, ids(all[1]), "Her sister called"))
		if _, _, err := s.desk.KeepLonger(ctx, s.actor, s.where.ID, ids(all[2]), lost.KeepPatch{Days: 30}); err != nil {
			t.Fatal(err)
		}
		if err := s.desk.DeleteItem(ctx, s.actor, s.where.ID, all[3].ID); err != nil {
			t.Fatal(err)
		}
		must(s.desk.UpdateItem(ctx, s.actor, s.where.ID, all[4].ID, lost.ItemPatch{StoragePlace: lost.Set("Box for Caritas")})) // as one does
		s.clock.Advance(time.Second)
		for _, to := range []string{"PICKUP", "PENDING"} { // and is as it was
			must(s.desk.SetStatus(ctx, s.actor, s.where.ID, all[5].ID, lost.MovePatch{Status: lost.Set(to)}))
		}
		s.clock.Advance(lost.UndoTime)
		s.work()
		s.say("events", s.events(), "donate", "pickup", "discard")
		if i := s.now(all[0]); i.Status != lost.Discard || i.MovedBy != lost.ByGuest || i.Destination != "" || !i.OpenToGuest() {
			t.Errorf("the guest's is %s by %s", i.Status, i.MovedBy)
		}
		if i := s.now(all[4]); i.Destination != lost.Donated {
			t.Errorf("what was put into the box is %s", i.Status)
		}
		done, items, left, err := s.desk.Clearance(ctx, s.actor, s.where.ID, c.ID, lost.Page{Number: 1, Limit: 4})
		if err != nil || done.LeftOut != 4 || len(items.Data) != 0 || !items.More() || len(left) != 4 {
			t.Fatalf("%v: %+v, %d and %d", err, done, len(items.Data), len(left))
		}
		if _, items, rest, err := s.desk.Clearance(ctx, s.actor, s.where.ID, c.ID, lost.Page{Number: 2, Limit: 4}); err != nil || len(items.Data) != 1 || items.More() || len(rest) != 0 {
			t.Fatalf("%v: then %d and %d", err, len(items.Data), len(rest))
		}
		var why []string
		for _, l := range left {
			why = append(why, l.Why)
		}
		slices.Sort(why)
		s.say("why", why, "It does not wait for its owner any more.", "It is on hold.", "It is still kept.", "Somebody has acted on it meanwhile.")
	})
}

// Whoever decides from a list that was made a while ago decides on what it showed.
func TestADecisionIsAboutWhatWasListedThen(t *testing.T) {
	eachShelf(t, func(s *shelf) {
		ctx, day := s.t.Context(), 24*time.Hour
		hat := s.find("Hat")
		s.clock.Advance(time.Hour)
		scarf := s.find("Scarf")
		s.clock.Advance(day)
		late := s.find("Ring")
		s.clock.Advance(10 * day)
		s.work()
		listed := s.clock.Now()
		s.say("listed", s.waiting(), "Umbrella", "Hat", "Scarf")
		s.clock.Advance(day)
		s.work()
		must(s.desk.UpdateItem(ctx, s.actor, s.where.ID, hat.ID, lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{FirstName: lost.Set("Ada")})}))
		must(s.desk.UpdateItem(ctx, s.actor, s.where.ID, scarf.ID, lost.ItemPatch{StoragePlace: lost.Set("Box")})) // which is no reason
		s.say("by now", s.waiting(), "Umbrella", "Hat", "Scarf", "Ring")
		c, left, err := s.desk.Clear(ctx, s.actor, s.where.ID, ids(hat, scarf, late), lost.Discarded, listed)
		if err != nil || c.Items != 1 || left != 2 {
			t.Fatalf("%d are decided on, %d are left: %v", c.Items, left, err)
		}
		if _, _, err := s.desk.Clear(ctx, s.actor, s.where.ID, ids(late), lost.Discarded, listed); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("what was not listed then: %v", err)
		}
		s.clock.Advance(lost.UndoTime)
		s.work()
		s.say("after it", s.waiting(), "Umbrella", "Hat", "Ring")
	})
}

func TestADecisionIsCarriedOutOnceWhoeverDiesAndHoweverManyWork(t *testing.T) {
	eachShelf(t, func(s *shelf) {
		t := s.t
		all := []lost.Item{s.item}
		for n := range 3 {
			all = append(all, s.find(fmt.Sprintf("Hat%d", n)))
		}
		s.clock.Advance(12 * 24 * time.Hour)
		s.work()
		s.clear(lost.Discarded, all...)
		s.clock.Advance(lost.UndoTime)
		lives := 2
		mortal := s.another(s.staff(func() {
			if lives--; lives == 0 {
				panic("killed")
			}
		}))
		must(mortal.RunOnce(t.Context())) // two are cleared away, and then it dies
		if n := len(s.events()); n != 2 {
			t.Fatalf("%d were told of", n)
		}
		s.clock.Advance(10 * time.Minute) // longer than its lease
		other := s.another(s.desk)
		var both sync.WaitGroup
		for _, o := range []*outbox.Outbox{s.out, other} {
			both.Go(func() {
				for range 3 {
					_, _ = o.RunOnce(t.Context())
				}
			})
		}
		both.Wait()
		s.say("events", s.events(), "discard", "discard", "discard", "discard")
		if c := must(s.desk.Clearances(t.Context(), s.actor, s.where.ID))[0]; c.State != lost.ClearanceDone || c.LeftOut != 0 {
			t.Errorf("the decision is %+v", c)
		}
	})
}

func TestADecisionThatCanBeUndoneIsListedHoweverManyCameAfter(t *testing.T) {
	eachShelf(t, func(s *shelf) {
		t := s.t
		ids := must(s.desk.StorageIDs(t.Context(), s.actor, s.where.ID))
		s.say("ids", ids, s.item.ID)
		first, _ := s.clear(lost.Donated, s.item)
		for range 51 {
			c := lost.NewClearance(s.where.ID, lost.Discarded, s.actor, s.clock.Now())
			c.State, c.EndedAt = lost.ClearanceDone, s.clock.Now()
			if err := s.db.Write(t.Context(), func(tx *store.Tx) error { return tx.InsertClearance(c) }); err != nil {
				t.Fatal(err)
			}
			s.clock.Advance(time.Second)
		}
		all := must(s.desk.Clearances(t.Context(), s.actor, s.where.ID))
		if len(all) != 50 || all[0].ID != first.ID || !all[0].Undoable(s.clock.Now()) {
			t.Errorf("%d decisions, the first is %+v", len(all), all[0])
		}
		s.clock.Advance(25 * time.Hour)
		if all := must(s.desk.Clearances(t.Context(), s.actor, s.where.ID)); len(all) != 1 {
			t.Errorf("after a day there are %d", len(all))
		}
	})
}

func TestHeldItemsWaitAgainWhenTheHoldEnds(t *testing.T) {
	eachShelf(t, func(s *shelf) {
		t, ctx := s.t, s.t.Context()
		if _, err := s.desk.Hold(ctx, s.actor, s.where.ID, ids(s.item), ""); lost.CodeOf(err) != lost.Invalid {
			t.Errorf("without a reason: %v", err)
		}
		for n, want := range []int{1, 0} { // the same again changes nothing
			if got := must(s.desk.Hold(ctx, s.actor, s.where.ID, ids(s.item), "Evidence")); got != want {
				t.Errorf("%d: %d changed", n, got)
			}
		}
		s.work()
		s.say("waiting, on hold", s.waiting())
		if held := must(s.desk.Held(ctx, s.actor, s.where.ID, lost.FirstPage())); held.Count != 1 || held.Data[0].Hold != "Evidence" {
			t.Errorf("held: %+v", held)
		}
		entry := must(s.desk.History(ctx, s.actor, s.where.ID, s.item.ID, lost.FirstPage())).Data[0]
		if entry.Note != "Evidence" || !slices.Equal(entry.Fields, []string{"hold"}) {
			t.Errorf("its history says %+v", entry)
		}
		if _, _, err := s.desk.Clear(ctx, s.actor, s.where.ID, ids(s.item), lost.Donated, time.Time{}); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("cleared away on hold: %v", err)
		}
		if n := must(s.desk.Release(ctx, s.actor, s.where.ID, ids(s.item))); n != 1 {
			t.Errorf("%d released", n)
		}
		s.work()
		s.say("waiting, released", s.waiting(), "Umbrella")
		until, n, err := s.desk.KeepLonger(ctx, s.actor, s.where.ID, ids(s.item), lost.KeepPatch{Days: 30})
		if err != nil || n != 1 || until != s.where.Day(s.clock.Now().AddDate(0, 0, 30)) || s.now(s.item).StoreUntil() != until {
			t.Errorf("kept until %q: %v", until, err)
		}
		s.work()
		s.say("waiting, kept longer", s.waiting())
		s.clock.Advance(31 * 24 * time.Hour)
		s.work()
		s.say("waiting, when that is over", s.waiting(), "Umbrella")
		must(s.desk.SetStatus(ctx, s.actor, s.where.ID, s.item.ID, lost.MovePatch{Status: lost.Set("SHIPPED")}))
		if _, err := s.desk.Hold(ctx, s.actor, s.where.ID, ids(s.item), "Evidence"); lost.CodeOf(err) != lost.Conflict || s.now(s.item).Hold != "" {
			t.Errorf("what was sent is put on hold: %v", err)
		}
	})
}

func TestManyAreBounded(t *testing.T) {
	eachShelf(t, func(s *shelf) {
		t, ctx := s.t, s.t.Context()
		var many []string
		for n := range lost.MaxChosen + 1 {
			many = append(many, fmt.Sprint("item_", n))
		}
		for name, list := range map[string][]string{"none": nil, "too many": many} {
			_, _, err := s.desk.Clear(ctx, s.actor, s.where.ID, list, lost.Donated, time.Time{})
			if _, held := s.desk.Hold(ctx, s.actor, s.where.ID, list, "Why"); lost.CodeOf(err) != lost.Invalid || lost.CodeOf(held) != lost.Invalid {
				t.Errorf("%s: %v, %v", name, err, held)
			}
		}
		if _, _, err := s.desk.Clear(ctx, s.actor, s.where.ID, ids(s.item), "sold", time.Time{}); lost.CodeOf(err) != lost.Invalid {
			t.Errorf("sold: %v", err)
		}
	})
}

func TestAPickListIsOfADecisionOrASelection(t *testing.T) {
	eachShelf(t, func(s *shelf) {
		t, ctx := s.t, s.t.Context()
		hat := s.find("Hat")
		if list := must(s.desk.PickList(ctx, s.actor, s.where.ID, ids(s.item, hat), "")); string(list) != " Umbrella\n Hat\n" {
			t.Errorf("%q", list)
		}
		c, _ := s.clear(lost.Police, s.item)
		if list := must(s.desk.PickList(ctx, s.actor, s.where.ID, nil, c.ID)); string(list) != "police Umbrella\n" {
			t.Errorf("%q", list)
		}
		if _, err := s.desk.PickList(ctx, s.actor, s.where.ID, nil, "clr_nothing"); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("of nothing: %v", err)
		}
	})
}

func TestAHandOverIsKeptWithItsReceipt(t *testing.T) {
	eachShelf(t, func(s *shelf) {
		t, ctx := s.t, s.t.Context()
		give := func(name, signature string) (lost.Item, error) {
			return s.desk.HandOver(ctx, s.actor, s.where.ID, s.item.ID, lost.HandoverPatch{Name: name, IDChecked: true}, strings.NewReader(signature))
		}
		for name, c := range map[string]struct {
			who, signature string
			want           lost.Code
		}{
			"no name": {"", "PNG", lost.Invalid}, "a JPEG": {"Anna", "JPEG", lost.Unsupported}, "huge": {"Anna", "PNG huge", lost.Invalid},
			"too large": {"Anna", "PNG" + strings.Repeat("x", desk.MaxSignature), lost.TooLarge},
		} {
			if _, err := give(c.who, c.signature); lost.CodeOf(err) != c.want {
				t.Errorf("%s: %v", name, err)
			}
		}
		if i := s.now(s.item); i.Handover.Known() || len(s.cabinet.kept) > 0 {
			t.Fatalf("refused, and kept %v", s.cabinet.kept)
		}
		i, err := give("Anna Arden", "PNG")
		if err != nil || i.Status != lost.PickUp || i.ClosedAt.IsZero() || i.Handover.Name != "Anna Arden" || !i.Handover.IDChecked {
			t.Fatalf("%v: %+v", err, i)
		}
		if got := s.cabinet.kept[i.Handover.ReceiptFile]; got != "receipt for Anna Arden, signed with 3 bytes" || s.cabinet.kept[i.Handover.SignatureFile] != "PNG" {
			t.Errorf("kept %v", s.cabinet.kept)
		}
		s.say("events", s.events(), "pickup")
		entry := must(s.desk.History(ctx, s.actor, s.where.ID, i.ID, lost.FirstPage())).Data[0]
		if entry.Action != lost.HandedOver || entry.Note != "Handed to Anna Arden, whose ID was checked." || entry.To != lost.PickUp {
			t.Errorf("its history says %+v", entry)
		}
		if got := s.now(i); got.Handover != i.Handover {
			t.Errorf("it came back as %+v", got.Handover)
		}
		if _, err := give("Ben", "PNG"); lost.CodeOf(err) != lost.Conflict || len(s.cabinet.kept) != 2 { // from another window
			t.Errorf("handed over twice: %v, kept %v", err, s.cabinet.kept)
		}
		s.clock.Advance(2 * time.Hour)
		s.work() // what would remove files that nobody claimed
		if len(s.cabinet.kept) != 2 {
			t.Errorf("kept %v", s.cabinet.kept)
		}
		if err := s.desk.DeleteItem(ctx, s.actor, s.where.ID, i.ID); err != nil {
			t.Fatal(err)
		}
		s.work()
		if len(s.cabinet.kept) > 0 {
			t.Errorf("deleted, and kept %v", s.cabinet.kept)
		}
	})
}

func TestWhoNeverFinishedAHandOverLeavesNoFiles(t *testing.T) {
	eachShelf(t, func(s *shelf) {
		t := s.t
		s.fail("after Keep", fmt.Errorf("killed"))
		patch := lost.HandoverPatch{Name: "Anna"}
		if _, err := s.desk.HandOver(t.Context(), s.actor, s.where.ID, s.item.ID, patch, nil); err == nil || len(s.cabinet.kept) != 1 {
			t.Fatalf("%v, kept %v", err, s.cabinet.kept)
		}
		s.clock.Advance(2 * time.Hour)
		s.work()
		if len(s.cabinet.kept) > 0 || s.now(s.item).Handover.Known() {
			t.Errorf("kept %v", s.cabinet.kept)
		}
		i, err := s.desk.HandOver(t.Context(), s.actor, s.where.ID, s.item.ID, patch, nil) // without a signature, and again after it came back
		if err != nil || i.Handover.SignatureFile != "" {
			t.Fatal(err)
		}
		must(s.desk.SetStatus(t.Context(), s.actor, s.where.ID, i.ID, lost.MovePatch{Status: lost.Set("PENDING")}))
		again, err := s.desk.HandOver(t.Context(), s.actor, s.where.ID, s.item.ID, patch, nil)
		s.work()
		if _, there := s.cabinet.kept[again.Handover.ReceiptFile]; err != nil || !there || len(s.cabinet.kept) != 1 {
			t.Errorf("%v, kept %v", err, s.cabinet.kept)
		}
	})
}
