package lost_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
)

// day returns noon on day n of November 2026.
func day(n int) time.Time { return noon.AddDate(0, 0, n-15) }

func TestStoreUntilFollowsDeskAndLocation(t *testing.T) {
	l := berlinLocation(t)
	without := lost.Location{TimeZone: "Europe/Berlin"}
	for name, c := range map[string]struct {
		l               lost.Location
		keepUntil, hold string
		want            string
	}{
		"by the location":      {l: l, want: "2026-11-25"},
		"longer":               {l: l, keepUntil: "2026-12-31", want: "2026-12-31"},
		"not shorter":          {l: l, keepUntil: "2026-11-20", want: "2026-11-25"},
		"by the desk alone":    {l: without, keepUntil: "2026-11-20", want: "2026-11-20"},
		"on hold":              {l: l, hold: "The police have asked for it"},
		"on hold, kept longer": {l: l, keepUntil: "2026-12-31", hold: "It is evidence"},
		"no limit":             {l: without},
	} {
		i := annasItem(t, l)
		i.Terms, i.KeepUntil, i.Hold = c.l.Terms(), c.keepUntil, c.hold
		if got := i.StoreUntil(); got != c.want {
			t.Errorf("%s: until %q, want %q", name, got, c.want)
		}
	}
}

func TestItemOnHoldHasNoTasks(t *testing.T) {
	i := annasItem(t, berlinLocation(t))
	tasks := func(now time.Time) []lost.TaskKind { kinds, _ := i.Tasks(false, now); return kinds }
	if got := tasks(day(26)); !slices.Equal(got, []lost.TaskKind{lost.OverdueTask}) {
		t.Errorf("tasks after the storage time: %v", got)
	}
	before := i
	if changed, err := i.Update(lost.ItemPatch{Hold: lost.Set(" Evidence ")}, day(26)); err != nil ||
		!slices.Equal(changed, []string{"hold"}) {
		t.Fatalf("%v, %v", changed, err)
	}
	if i.Hold != "Evidence" || !lost.MayChangeTasks(before, i) || len(tasks(day(26))) > 0 ||
		i.MayClear(day(26)) == nil {
		t.Errorf("tasks with hold %q: %v, want none", i.Hold, tasks(day(26)))
	}
	for _, s := range lost.DefaultReminderSchedule().Steps(i, noon, day(16)) {
		if s.Kind == lost.LastCallMessage {
			t.Error("the owner gets a last call for an item on hold")
		}
	}
	before = i
	if _, err := i.Update(lost.ItemPatch{Hold: lost.Clear[string]()}, day(26)); err != nil ||
		!lost.MayChangeTasks(before, i) ||
		len(tasks(day(26))) != 1 {
		t.Errorf("tasks after the hold was cleared: %v (%v), want one", tasks(day(26)), err)
	}
}

func TestClearanceSkipsItemsThatChanged(t *testing.T) {
	l := berlinLocation(t)
	entry := func(a lost.Action, fields ...string) []lost.Entry { return []lost.Entry{{Action: a, Fields: fields}} }
	unchanged := func(*lost.Item) {}
	for name, c := range map[string]struct {
		change func(*lost.Item)
		since  []lost.Entry
		clears bool
	}{
		"no change": {unchanged, nil, true},
		"new storage place": {func(i *lost.Item) {
			i.StoragePlace = "Cellar"
		}, entry(lost.Updated, "storagePlace"), true},
		"reminder sent":                 {unchanged, entry(lost.Sent), true},
		"reverted change":               {unchanged, slices.Repeat(entry(lost.Moved, "status"), 2), false},
		"place and description changed": {unchanged, entry(lost.Updated, "description", "storagePlace"), false},
		"note added": {unchanged, []lost.Entry{{Action: lost.Updated, Note: "A guest called about it."}},
			false},
		"photo added": {unchanged, entry(lost.ImageAdded, "images"), false},
		"not theirs":  {unchanged, entry(lost.Disowned), false},
		"on hold":     {func(i *lost.Item) { i.Hold = "Evidence" }, nil, false},
		"kept longer": {func(i *lost.Item) { i.KeepUntil = "2026-12-31" }, nil, false},
		"another owner": {func(i *lost.Item) {
			i.Owner.Email = "ben@example.com"
		}, entry(lost.Updated, "owner.email"), false},
		"pick-up planned": {func(i *lost.Item) { i.Status = lost.PickUp }, nil, false},
		"shipping wanted": {func(i *lost.Item) {
			i.Status = lost.InfoCompleted
		}, entry(lost.Moved, "status"), false},
		"payment pending": {func(i *lost.Item) { i.Parcel.Awaited = true }, nil, false},
		"a request":       {func(i *lost.Item) { i.Source = lost.Request }, nil, false},
	} {
		i := annasItem(t, l)
		c.change(&i)
		changed, err := i.Clear(lost.Police, c.since, lost.ByUser, day(26))
		if c.clears &&
			(err != nil || i.Status != lost.Discard || i.Destination != lost.Police || i.ClosedAt.IsZero() ||
				!slices.Contains(changed, "destination")) {
			t.Errorf("%s: %v, %+v", name, err, i)
		}
		if !c.clears && (lost.CodeOf(err) != lost.Conflict || i.Destination != "") {
			t.Errorf("%s: got error %v and destination %q, want a conflict and none", name, err, i.Destination)
		}
	}
	i := annasItem(t, l)
	if _, err := i.Clear(lost.Donated, nil, lost.ByUser, day(25)); lost.CodeOf(err) != lost.Conflict {
		t.Errorf("cleared on the last day of storage: %v", err)
	}
}

func TestOnlyItemsAtTheDeskCanBeOnHold(t *testing.T) {
	hold := lost.ItemPatch{Hold: lost.Set("Evidence")}
	for name, i := range map[string]lost.Item{
		"a request": {
			Source: lost.Request, Status: lost.Pending, Owner: lost.Owner{Email: "anna@example.com"},
			Claim: lost.Claim{State: lost.RequestPending},
		},
		"sent":       {Source: lost.Found, Status: lost.Shipped},
		"collected":  {Source: lost.Found, Status: lost.PickUp, ClosedAt: noon},
		"given away": {Source: lost.Found, Status: lost.Donate, ClosedAt: noon},
	} {
		i.Description = "Hat"
		before := i
		if _, err := i.Update(hold, noon); !lost.ProblemsOf(err).Has("hold") {
			t.Errorf("%s: %v", name, err)
		}
		before.Hold = "Evidence" // an old record may have a hold; sending it unchanged is valid
		if _, err := before.Update(hold, noon); err != nil {
			t.Errorf("%s, unchanged: %v", name, err)
		}
	}
	i := lost.Item{Source: lost.Found, Status: lost.PickUp, Description: "Hat", Hold: "Evidence"}
	if changed, err := i.MoveTo(lost.Move{To: lost.PickUp, Closed: lost.Set(true)}, lost.ByUser, noon); err != nil ||
		i.Hold != "" || !slices.Contains(changed, "hold") {
		t.Errorf("collected item has hold %q (changed %v, error %v), want none", i.Hold, changed, err)
	}
}

func TestMovingAnItemClearsItsDestination(t *testing.T) {
	i := annasItem(t, berlinLocation(t))
	if _, err := i.Clear(lost.Donated, nil, lost.ByUser, day(26)); err != nil || i.Status != lost.Donate {
		t.Fatal(err)
	}
	if _, err := i.MoveTo(lost.Move{To: lost.Pending}, lost.ByUser, day(27)); err != nil || i.Destination != "" ||
		!i.ClosedAt.IsZero() {
		t.Errorf("%v: %q, closed %v", err, i.Destination, i.ClosedAt)
	}
}

func TestClearanceCanBeUndoneForALimitedTime(t *testing.T) {
	c := lost.NewClearance("loc_1", lost.Donated, lost.Actor{Account: "acc_1"}, noon)
	late := c
	if err := late.Undo(noon.Add(lost.UndoTime)); lost.CodeOf(err) != lost.Conflict ||
		late.State != lost.ClearanceOpen {
		t.Errorf("undo after the limit: got %v, state %s", err, late.State)
	}
	for range 2 { // the second call has no effect
		if err := c.Undo(noon.Add(lost.UndoTime - 1)); err != nil || c.State != lost.ClearanceUndone {
			t.Errorf("undo before the limit: got %v, state %s", err, c.State)
		}
	}
}

func TestHandingOverClosesAnItem(t *testing.T) {
	l := berlinLocation(t)
	h := lost.Handover{Name: "Anna", At: noon}
	for status, want := range map[lost.Status]lost.Code{
		lost.Pending: "", lost.InfoCompleted: "", lost.PickUp: "", lost.Discard: "", lost.Donate: "",
		lost.FeePaid: lost.Conflict, lost.Shipped: lost.Conflict, lost.Delivered: lost.Conflict,
	} {
		i := annasItem(t, l)
		i.Status, i.Hold = status, "Called, comes today"
		_, err := i.HandOver(h, lost.ByUser, noon)
		h.Before = i.Handover.Before // the state for undo
		if want != "" {
			if lost.CodeOf(err) != want || i.Handover.Known() {
				t.Errorf("%s: %v", status, err)
			}
			continue
		}
		if err != nil || i.Status != lost.PickUp || i.ClosedAt.IsZero() || i.Handover != h || i.Hold != "" ||
			i.GuestMayChoose() {
			t.Errorf("%s: %v, %+v", status, err, i)
		}
		if status == lost.Pending && i.Pickup != (lost.Pickup{Date: "2026-11-15", Time: "13:00"}) {
			t.Errorf("unexpected pick-up %+v", i.Pickup)
		}
		if _, err := i.HandOver(h, lost.ByUser, noon); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("%s: second hand-over: got %v, want a conflict", status, err)
		}
	}
}

func TestAHandOverNeedsAName(t *testing.T) {
	if _, _, err := (lost.HandoverPatch{Recipient: "  "}).Read(noon); !slices.Equal(faults(err),
		[]string{"recipient required"}) {
		t.Errorf("got %v", err)
	}
	if h, _, err := (lost.HandoverPatch{Recipient: " Anna ", IDChecked: true}).Read(noon); err != nil ||
		h.Name != "Anna" || !h.IDChecked {
		t.Errorf("got %+v, %v", h, err)
	}
}

func TestKeepDaysCountFromToday(t *testing.T) {
	l := berlinLocation(t)
	for _, c := range []struct {
		p    lost.KeepPatch
		want string
		bad  []string
	}{
		{lost.KeepPatch{Days: 30}, "2026-12-15", nil},
		{lost.KeepPatch{Until: "2026-11-15"}, "2026-11-15", nil},
		{lost.KeepPatch{Until: "2026-11-14"}, "", []string{"until past"}},
		{lost.KeepPatch{Until: "2056-11-14"}, "", []string{"until too-far"}},
		{lost.KeepPatch{Until: "soon"}, "", []string{"until invalid-date"}},
		{lost.KeepPatch{Days: -1}, "", []string{"days out-of-range"}},
		{lost.KeepPatch{Days: lost.MaxKeepDays + 1}, "", []string{"days out-of-range"}},
	} {
		until, err := c.p.Read(l, noon)
		if !slices.Equal(faults(err), c.bad) || err == nil && until != c.want {
			t.Errorf("%+v: %q, %v", c.p, until, err)
		}
	}
}
