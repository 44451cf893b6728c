package stay_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/stay"
)

func TestRoomsAreReadInTenLanguages(t *testing.T) {
	for text, want := range map[string]string{
		// English
		"Room 207": "207", "room no. 207": "207", "Rm. 12B": "12B", "Found in room 1203, under the bed": "1203",
		"Bathroom of room #5": "5", "207": "207", "207, bathroom": "207", "207 bathroom": "207", "Suite A-12": "A-12",
		"Apt 3": "3", "Room: 0207": "0207",
		// German
		"Zimmer 207": "207", "Zi. 207 im Bad": "207", "Zimmer Nr. 14": "14", "Zi.14": "14",
		// French
		"chambre 207": "207", "Ch. 207": "207", "Chambre n° 12": "12", "dans la chambre 8, sous le lit": "8",
		// Spanish
		"habitación 207": "207", "Hab. 207": "207", "Habitación número 9": "9",
		// Italian
		"camera 207": "207", "Stanza n. 4": "4", "Cam. 33": "33",
		// Dutch
		"kamer 207": "207", "Kamer nummer 6": "6",
		// Portuguese
		"quarto 207": "207", "Quarto nº 11": "11",
		// Polish
		"pokój 207": "207", "Pok. 31": "31", "w pokoju nr 5": "5",
		// Japanese
		"207号室": "207", "部屋 301": "301", "２０７号室のベッドの下": "207", "客室1203": "1203",
		// Chinese
		"207号房": "207", "房间207": "207", "房号:815": "815",
	} {
		if got, found := stay.Room(text); got != want || !found {
			t.Errorf("%q: got %q, %t; want %q", text, got, found, want)
		}
	}
}

func TestOtherPlacesAreNoRooms(t *testing.T) {
	for _, text := range []string{
		"", "Lobby", "Breakfast room", "2nd floor", "2. Stock", "2 OG", "3 étage", "3階", "100 m from the entrance",
		"Table 7", "Tisch 7", "Gate B12", "Bus 42", "Terminal 2", "Car park, level 3", "5 EUR note", "Zimmer",
		"Room with a view", "Restaurant Zimmermann", "2026-11-14", "12:30",
	} {
		if got, found := stay.Room(text); found {
			t.Errorf("%q: got the room %q", text, got)
		}
	}
}

func TestNamesOfOneRoomHaveTheSameKey(t *testing.T) {
	for _, same := range [][]string{
		{"207", "Room 207", "Zimmer 207", "0207", "207号室", "２０７"}, {"12b", "12 B", "12-B", "Room 12B"}, {"0", "00"},
	} {
		for _, name := range same {
			if stay.RoomKey(name) != stay.RoomKey(same[0]) {
				t.Errorf("%q has the key %q, want %q", name, stay.RoomKey(name), stay.RoomKey(same[0]))
			}
		}
	}
	if stay.RoomKey("207") == stay.RoomKey("2070") || stay.RoomKey("A1") == stay.RoomKey("B1") {
		t.Error("different rooms have the same key")
	}
}

func TestARowOfAGuestListThatRepeatsAStayIsLeftOut(t *testing.T) {
	q, err := stay.NewQuery("207", "2026-11-14", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	row := func(id, arrival, name, email, phone string) stay.Stay {
		return stay.Stay{
			ID: id, Room: "207", Arrival: arrival, Departure: "2026-11-14", Listed: id[0] == 'l',
			Guest: stay.Guest{LastName: name, Email: email, Phone: phone},
		}
	}
	const day, departure = "2026-11-12", "2026-11-14"
	for name, c := range map[string]struct {
		first, second stay.Stay
		want          int
	}{
		"a list twice":        {row("l1", day, "Berg", "a@x.de", ""), row("l2", day, "Berg", "a@x.de", ""), 1},
		"no arrival":          {row("l1", departure, "Berg", "a@x.de", ""), row("r1", day, "Berg", "", ""), 1},
		"another arrival":     {row("l1", "2026-11-13", "Berg", "", "1"), row("r1", day, "Berg", "", "1"), 2},
		"another address":     {row("l1", day, "Berg", "a@x.de", ""), row("l2", day, "Berg", "b@x.de", ""), 2},
		"the address only":    {row("l1", day, "", "A@x.de", ""), row("r1", day, "Berg", "a@x.de", ""), 1},
		"nothing in common":   {row("l1", day, "", "a@x.de", ""), row("r1", day, "Berg", "", ""), 2},
		"another name":        {row("l1", day, "Lind", "a@x.de", ""), row("r1", day, "Berg", "a@x.de", ""), 2},
		"two of the hotel":    {row("r1", day, "Berg", "a@x.de", ""), row("r2", day, "Berg", "a@x.de", ""), 2},
		"phone and e-mail":    {row("l1", day, "berg", "", "1"), row("r1", day, "Berg", "a@x.de", ""), 1},
		"a list and a system": {row("r1", day, "Berg", "", "1"), row("l1", day, "Berg", "a@x.de", ""), 1},
	} {
		got := stay.Rank([]stay.Stay{c.first, c.second}, q)
		if len(got) != c.want {
			t.Errorf("%s: got %+v, want %d", name, got, c.want)
		}
		if g := got[0]; c.want == 1 && name != "a list twice" && (g.ID != "r1" || !g.Guest.Reachable()) {
			t.Errorf("%s: got %+v, want the reservation with an address", name, g)
		}
	}
}

func TestGuestsAreRankedByWhenTheyLeft(t *testing.T) {
	all := []stay.Stay{
		{ID: "early", Room: "207", Arrival: "2026-11-08", Departure: "2026-11-09"},
		{ID: "earlier", Room: "207", Arrival: "2026-11-01", Departure: "2026-11-02"},
		{ID: "too-early", Room: "207", Arrival: "2026-10-01", Departure: "2026-10-02"},
		{ID: "arriving", Room: "207", Arrival: "2026-11-14", Departure: "2026-11-16"},
		{ID: "staying", Room: "207", Arrival: "2026-11-13", Departure: "2026-11-16"},
		{ID: "later", Room: "207", Arrival: "2026-11-15", Departure: "2026-11-16"},
		{ID: "before", Room: "207", Arrival: "2026-11-11", Departure: "2026-11-13"},
		{ID: "that-day", Room: "207", Arrival: "2026-11-13", Departure: "2026-11-14", Others: true,
			Guest: stay.Guest{FirstName: "Eve"}},
		{ID: "that-day", Room: "Room 207", Arrival: "2026-11-13", Departure: "2026-11-14"},
		{ID: "that-day", Room: "207", Arrival: "2026-11-13", Departure: "2026-11-14"},
		{ID: "elsewhere", Room: "208", Arrival: "2026-11-13", Departure: "2026-11-14"},
		{ID: "broken", Room: "207"},
	}
	q, err := stay.NewQuery("Zimmer 207", "2026-11-14", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range stay.Rank(all, q) {
		got = append(got, c.ID+" "+c.Guest.FirstName+string(c.Reason))
	}
	want := []string{
		"that-day departed-that-day", "that-day Evedeparted-that-day", "before departed-day-before", "staying staying",
		"arriving arrived-that-day", "early departed-earlier", "earlier departed-earlier",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAQueryNeedsARoomAndADay(t *testing.T) {
	for _, c := range []struct{ room, day, want string }{
		{"", "2026-11-14", "room"}, {"-", "2026-11-14", "room"}, {"#?!", "2026-11-14", "room"},
		{"207", "", "date"}, {"207", "14.11.2026", "date"}, {"207", "0001-01-01", "date"},
	} {
		if _, err := stay.NewQuery(c.room, c.day, time.UTC); !lost.ProblemsOf(err).Has(c.want) {
			t.Errorf("%+v: got %v", c, err)
		}
	}
	if q, err := stay.NewQuery("Penthouse", "2026-11-14", time.UTC); err != nil || q.Room != "Penthouse" {
		t.Errorf("got %+v, %v for a room without a number", q, err)
	}
}

func TestAddressesAreMasked(t *testing.T) {
	for in, want := range map[string]string{
		"anna@example.com": "a***@example.com", "Ünal@example.com": "Ü***@example.com", "": "", "nobody": "",
	} {
		if got := stay.MaskEmail(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"+491701234123": "+49 *** 123", "+12125550123": "+1 *** 123", "+35312345678": "+353 *** 678", "": "", "12": "",
	} {
		if got := stay.MaskPhone(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestSecretsOfAConnectionStayOnlyForTheSameAddress(t *testing.T) {
	anyURL := func(string) lost.Problems { return nil }
	now := time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)
	values := map[string]string{stay.PropertySetting: "BER", stay.APIKeySetting: "secret"}
	first, err := stay.NewConnection("acc", "loc", stay.Cloudbeds, values, stay.Connection{}, anyURL, now)
	if err != nil || first.Value(stay.URLSetting) != "https://api.cloudbeds.com" {
		t.Fatalf("got %+v, %v", first, err)
	}
	if public := first.Public(); public.Value(stay.APIKeySetting) != "" || public.Value(stay.PropertySetting) != "BER" {
		t.Errorf("got %+v without secrets", public)
	}
	values = map[string]string{stay.PropertySetting: "HAM"}
	second, err := stay.NewConnection("acc", "loc", stay.Cloudbeds, values, first, anyURL, now)
	if err != nil || second.Value(stay.APIKeySetting) != "secret" {
		t.Errorf("got %+v, %v; want the secret kept", second, err)
	}
	values[stay.URLSetting] = "https://evil.example.com"
	_, err = stay.NewConnection("acc", "loc", stay.Cloudbeds, values, first, anyURL, now)
	if !lost.ProblemsOf(err).Has(stay.APIKeySetting) {
		t.Errorf("got %v, want that the secret is asked for again with another address", err)
	}
	_, err = stay.NewConnection("acc", "loc", "other", nil, first, anyURL, now)
	if !lost.ProblemsOf(err).Has("system") {
		t.Errorf("got %v for an unknown system", err)
	}
}
