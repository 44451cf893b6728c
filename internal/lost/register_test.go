package lost_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
)

// registered returns a location with a public register, and a find that it lists at the returned time.
func registered(t *testing.T) (lost.Location, lost.Item, time.Time) {
	t.Helper()
	recorded := time.Date(2026, 11, 15, 22, 30, 0, 0, time.UTC) // 23:30 in Berlin
	l, err := lost.NewLocation("acc_1", lost.LocationPatch{
		Name: lost.Set("Hotel Adler"), TimeZone: lost.Set("Europe/Berlin"), PublicRegister: lost.Set(true),
		PublicAreas: lost.Set([]string{"Pool", " Pool bar ", "", "Lobby", "Lobby", "Salle à manger"}),
	}, recorded)
	if err != nil {
		t.Fatal(err)
	}
	i, err := lost.NewItem("acc_1", l.ID, lost.ItemPatch{
		Description: lost.Set("Umbrella with Kessler's name"), Category: lost.Set("umbrella"),
		DiscoveryPlace: lost.Set("Under the sofa of room 207, near the lobby"), DiscoveryDate: lost.Set("2026-11-14"),
	}, recorded)
	if err != nil {
		t.Fatal(err)
	}
	return l, i, time.Date(2026, 11, 16, 23, 0, 0, 0, time.UTC) // midnight in Berlin, on the second day after
}

func TestTheRegisterShowsOnlyCategoryDayAndArea(t *testing.T) {
	l, i, now := registered(t)
	want := []string{"Pool", "Pool bar", "Lobby", "Salle à manger"}
	if !slices.Equal(l.PublicAreas, want) {
		t.Errorf("got areas %q, want %q", l.PublicAreas, want)
	}
	e, listed := l.RegisterEntry(i, now)
	entry := lost.RegisterEntry{ItemID: i.ID, Category: "umbrella", Day: "2026-11-14", Area: "Lobby"}
	if !listed || e != entry {
		t.Errorf("got %+v, %t, want %+v", e, listed, entry)
	}
	for place, area := range map[string]string{
		"": "", "Room 207": "", "lobbyist": "", "Swimming-POOL": "Pool", "pool bar, second stool": "Pool bar",
		"bar of the pool": "Pool", "Petite salle À MANGER": "Salle à manger", "salle": "",
	} {
		i.DiscoveryPlace = place
		if e, _ := l.RegisterEntry(i, now); e.Area != area {
			t.Errorf("%q: got area %q, want %q", place, e.Area, area)
		}
	}
	for date, day := range map[string]string{"": "2026-11-15", "2026-11-30": "2026-11-15", "2026-10-01": "2026-10-01"} {
		i.DiscoveryDate = date
		if e, _ := l.RegisterEntry(i, now); e.Day != day {
			t.Errorf("found on %q: got day %q, want %q", date, e.Day, day)
		}
	}
}

func TestTheRegisterLeavesOutWhatIsNotForEverybody(t *testing.T) {
	l, listed, now := registered(t)
	for name, change := range map[string]func(*lost.Location, *lost.Item, *time.Time){
		"switched off":      func(l *lost.Location, _ *lost.Item, _ *time.Time) { l.PublicRegister = false },
		"elsewhere":         func(_ *lost.Location, i *lost.Item, _ *time.Time) { i.LocationID = "loc_2" },
		"a request":         func(_ *lost.Location, i *lost.Item, _ *time.Time) { i.Source = lost.Request },
		"on hold":           func(_ *lost.Location, i *lost.Item, _ *time.Time) { i.Hold = "Police" },
		"donated":           func(_ *lost.Location, i *lost.Item, _ *time.Time) { i.Status = lost.Donate },
		"with an owner":     func(_ *lost.Location, i *lost.Item, _ *time.Time) { i.Owner.LastName = "Kessler" },
		"owner told":        func(_ *lost.Location, i *lost.Item, _ *time.Time) { i.OwnerState = lost.OwnerTold },
		"disowned":          func(_ *lost.Location, i *lost.Item, now *time.Time) { i.DisownedAt = *now },
		"without category":  func(_ *lost.Location, i *lost.Item, _ *time.Time) { i.Category = "" },
		"a passport":        func(_ *lost.Location, i *lost.Item, _ *time.Time) { i.Category = lost.PassportCategory },
		"a payment card":    func(_ *lost.Location, i *lost.Item, _ *time.Time) { i.Category = lost.CardCategory },
		"a document":        func(_ *lost.Location, i *lost.Item, _ *time.Time) { i.Category = lost.DocumentCategory },
		"money":             func(_ *lost.Location, i *lost.Item, _ *time.Time) { i.Category = lost.MoneyCategory },
		"a medical item":    func(_ *lost.Location, i *lost.Item, _ *time.Time) { i.Category = lost.MedicalCategory },
		"recorded recently": func(_ *lost.Location, _ *lost.Item, now *time.Time) { *now = now.Add(-time.Second) },
	} {
		place, i, at := l, listed, now
		change(&place, &i, &at)
		if e, is := place.RegisterEntry(i, at); is || e != (lost.RegisterEntry{}) {
			t.Errorf("%s: got %+v, want nothing", name, e)
		}
	}
}

func TestTheOrderOfTheRegisterTellsNothingElse(t *testing.T) {
	l, i, now := registered(t)
	var finds []lost.Item
	for n, look := range []struct{ category, day, place string }{
		{"umbrella", "2026-11-14", "Pool"}, {"umbrella", "2026-11-14", "Lobby"}, {"phone", "2026-11-14", "Pool"},
		{"umbrella", "2026-11-15", ""}, {"phone", "2026-11-13", "Lobby"},
	} {
		f := i
		f.ID, f.Category = string(rune('a'+n)), lost.Category(look.category)
		f.DiscoveryDate, f.DiscoveryPlace = look.day, look.place
		finds = append(finds, f)
	}
	ids := func(finds []lost.Item) (ids string) {
		for _, e := range l.Register(finds, now) {
			ids += e.ItemID
		}
		return ids
	}
	forwards := ids(finds)
	slices.Reverse(finds)
	if backwards := ids(finds); forwards != "dcbae" || backwards != forwards {
		t.Errorf("got the orders %q and %q, want dcbae for both", forwards, backwards)
	}
}

func TestAClaimOfTheRegisterNeedsAProof(t *testing.T) {
	p := lost.RequestPatch{
		Description: lost.Set("Umbrella"), RegisterItemID: "item_1",
		Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")}),
	}
	if _, err := lost.NewRequest("acc_1", "loc_1", p, time.Now()); !lost.ProblemsOf(err).Has("proof") {
		t.Errorf("got %v, want a problem of proof", err)
	}
	p.Proof = lost.Set("A burn mark")
	if i, err := lost.NewRequest("acc_1", "loc_1", p, time.Now()); err != nil || i.Claim.RegisterItemID != "item_1" {
		t.Errorf("got the claimed find %q (%v)", i.Claim.RegisterItemID, err)
	}
}
