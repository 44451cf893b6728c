package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

func TestFoldRemovesCaseAndAccents(t *testing.T) {
	for in, want := range map[string]string{
		"Straße": "strasse", "STRASSE": "strasse", "ÉCLAIR": "eclair", "e\u0301clair": "eclair", "Ångström": "angstrom",
		"Łódź": "lodz", "smørrebrød": "smorrebrod",
		"Œuvre": "oeuvre", "ΣΊΣΥΦΟΣ": "σισυφοσ", "Σίσυφος": "σισυφοσ", "ЁЛКА": "елка", "ﬁnger": "finger", "ＡＢＣ": "abc",
		"İstanbul": "istanbul", "ıstanbul": "istanbul",
		"한국": "한국", "ガラス": "ガラス", "日本": "日本", "😀": "😀", "a\u200bb": "ab", "x\ue000y": "x\U000f0000y",
		"\U0001fae9": "\U0001fae9", "100%_'\"": "100%_'\"",
	} {
		if got := store.Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		if once := store.Fold(s); store.Fold(once) != once {
			t.Fatalf("Fold(Fold(%q)) = %q, want %q", s, store.Fold(once), once)
		}
	})
}

func TestSearchFindsAnySubstringOnBothDatabases(t *testing.T) {
	texts := []string{
		"Black umbrella, wooden handle", "Crème brûlée set", "100% cotton shirt", "snake_case mug", `Say "hello" card`,
		"It's a hat", `back\slash`,
		"😀 sticker", "iPhone 15", "日本語の本", "Straßenkarte", "a*b AND NOT c", "Ärmel", "x", "NEAR(umbrella)",
	}
	terms := []string{
		"umbrella", "UMBRELLA", "brel", "brule", "creme brulee", "brulee creme", "100%", "%", "0%", "_", "e_c", `"`,
		`"hello"`, "'", "it's", `\`, `k\s`, "😀", "😀 sti", "15", "e 1", "日本", "日本語", "strasse", "STRAßE", "a*b",
		"and not", "near", "near(", "ar", "x", "hat hat", "zzz", "umbrella zzz", "a", "*", "umb wood", "Ä",
	}
	matches := func(text, term string) bool {
		for _, w := range store.Words(term) {
			if !strings.Contains(store.Fold(text), w) {
				return false
			}
		}
		return true
	}
	if !matches("Crème brûlée set", "BRULEE creme") || matches("Black umbrella", "umbrella zzz") {
		t.Fatal("the reference implementation in this test is wrong")
	}
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		other := addLocation(t, db, withName("Other"))
		for _, text := range texts {
			addItem(t, db, l, lost.ItemPatch{Description: lost.Set(text), Notes: lost.Set("umbrella zzz in the notes")})
			addItem(t, db, other, withDescription(text))
		}
		for _, term := range terms {
			var want []string
			for _, text := range texts {
				if matches(text, term) {
					want = append(want, text)
				}
			}
			list := items(t, db, l, lost.ItemFilter{Term: term})
			got := []string{}
			for _, i := range list.Data {
				got = append([]string{i.Description}, got...)
			}
			// A reference may contain short words by chance.
			isLong := func(word string) bool { return len([]rune(word)) > 3 }
			if !slices.ContainsFunc(store.Words(term), isLong) {
				got = remove(got, func(text string) bool { return !matches(text, term) })
			}
			if d := cmp.Diff(want, got); d != "" && len(want)+len(got) > 0 {
				t.Errorf("%q (-want +got):\n%s", term, d)
			}
		}
	})
}

func remove(texts []string, match func(string) bool) []string {
	out := []string{}
	for _, t := range texts {
		if !match(t) {
			out = append(out, t)
		}
	}
	return out
}

func TestSearchCoversEveryField(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, lost.LocationPatch{
			Name: lost.Set("Grand Palace"), Description: lost.Set("seaside"), City: lost.Set("Nowhere"),
			Contact: lost.Set(lost.ContactPatch{Name: lost.Set("Jörg Müller"), Email: lost.Set("desk@grand.example")}),
		})
		i := addItem(t, db, l, lost.ItemPatch{
			Description: lost.Set("umbrella"), Brand: lost.Set("Knirps"), Model: lost.Set("T200"),
			Color: lost.Set("navy"), DiscoveryPlace: lost.Set("lobby"),
			Notes: lost.Set("secretnote"),
			Owner: lost.Set(lost.OwnerPatch{
				FirstName: lost.Set("Anna"), LastName: lost.Set("Kowalska"), Email: lost.Set("anna@k.example"),
				Phone: lost.Set("+48221234567"),
			}),
		})
		for _, term := range []string{
			"umbrella", "knirps", "t200", "navy", "anna", "kowal", "anna@k.ex", "+4822", i.Reference,
			strings.ToLower(i.Reference), "knirps navy anna",
		} {
			if n := items(t, db, l, lost.ItemFilter{Term: term}).Count; n != 1 {
				t.Errorf("items: %q was not found", term)
			}
		}
		for _, term := range []string{"lobby", "secretnote", "umbrellaknirps", "annakowalska"} {
			if n := items(t, db, l, lost.ItemFilter{Term: term}).Count; n != 0 {
				t.Errorf("items: %q was found", term)
			}
		}
		for term, want := range map[string]int{
			"palace": 1, "SEASIDE": 1, "muller": 1, "desk@grand": 1, "grand muller": 1, "nowhere": 0, "%": 0,
		} {
			list, err := db.Locations(t.Context(), account, nil,
				lost.LocationFilter{Term: term, Page: lost.FirstPage()})
			if err != nil || list.Count != want {
				t.Errorf("locations: %q was found %d times, want %d (%v)", term, list.Count, want, err)
			}
		}
		after := i
		after.Description = "parasol"
		write(t, db, func(tx *store.Tx) error { return tx.SaveItem(i, after) })
		for term, want := range map[string]int{"umbrella": 0, "parasol": 1} {
			if n := items(t, db, l, lost.ItemFilter{Term: term}).Count; n != want {
				t.Errorf("after the change, %q was found %d times, want %d", term, n, want)
			}
		}
		write(t, db, func(tx *store.Tx) error { return tx.DeleteItem(after) })
		if n := items(t, db, l, lost.ItemFilter{Term: "parasol"}).Count; n != 0 {
			t.Errorf("a deleted item was found")
		}
	})
}

// FuzzSearchTerm checks that a search finds an item if and only if its text contains every word of
// the search term as a substring.
func FuzzSearchTerm(f *testing.F) {
	for _, s := range []string{
		"umbrella", "%", "_", `"`, "'", `\`, "a b", "AND", "*", "日本", "ß", "x:y", "(", "-", "\x00", "^a", "NEAR/2",
		"\x1f", "\u200b", " \t",
	} {
		f.Add("black umbrella "+s, s)
	}
	db := storetest.Open(f, f.TempDir()+"/fuzz.db", storetest.Now)
	if _, err := db.Migrate(f.Context()); err != nil {
		f.Fatal(err)
	}
	l := addLocation(f, db, withName("Hotel"))
	f.Fuzz(func(t *testing.T, text, term string) {
		i, err := lost.NewItem(l.Account, l.ID, withDescription(text), storetest.Now())
		if err != nil || len([]rune(term)) > lost.MaxTerm {
			return
		}
		i.Reference = "~" + i.ID // prevents terms from matching only the reference
		write(t, db, func(tx *store.Tx) error { return tx.InsertItem(i) })
		defer write(t, db, func(tx *store.Tx) error { return tx.DeleteItem(i) })
		want := 1
		if len(store.Words(term)) == 0 && strings.TrimSpace(term) != "" {
			want = 0 // no text contains a term without visible characters
		}
		for _, w := range store.Words(term) {
			if !strings.Contains(store.Fold(i.Description), w) && !strings.Contains(store.Fold(i.Reference), w) {
				want = 0
			}
		}
		list := items(t, db, l, lost.ItemFilter{Term: term})
		if len(list.Data) != want || list.Count != want {
			t.Errorf("%q in %q: got %d (total %d), want %d", term, text, len(list.Data), list.Count, want)
		}
	})
}

func TestRowsAreFoundInTheSameWayWithAndWithoutTheIndex(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l, other := addLocation(t, db, withName("Hotel")), addLocation(t, db, withName("Other"))
		for _, text := range []string{"Black umbrella", "Blue umbrella", "Black wallet", "Schwarzer Regenschirm"} {
			addItem(t, db, l, lost.ItemPatch{Description: lost.Set(text), Notes: lost.Set("Room 301\nbed")})
			addItem(t, db, other, withDescription(text))
		}
		phrase := func(text string) store.TextPhrase {
			return store.TextPhrase{Text: text, Trigrams: []string{text[:3], text[len(text)-3:]}}
		}
		groups := [][]store.TextPhrase{
			{phrase("umbrella"), phrase("schirm")}, {phrase("black"), phrase("schwarz")}, {phrase("room 301 bed")},
		}
		for lookup := range len(groups) + 1 {
			found, err := db.SearchRows(t.Context(), l.Account, []string{l.ID}, lost.ItemFilter{},
				store.TextSearch{Groups: groups, Lookup: lookup, Tested: 100, Limit: 10})
			rows := found.Rows
			if err != nil || len(rows) != 2 {
				t.Fatalf("with %d groups in the index: %d rows, %v", lookup, len(rows), err)
			}
			items, err := db.RankedItems(t.Context(), l.Account, []store.SearchRow{rows[1], rows[0]})
			if err != nil || len(items) != 2 || items[0].Description != "Black umbrella" {
				t.Errorf("the items are %+v: %v", items, err)
			}
		}
		found, err := db.SearchRows(t.Context(), l.Account, nil, lost.ItemFilter{Source: lost.Request},
			store.TextSearch{Groups: groups[:1], Lookup: 1, Limit: 10})
		if err != nil || len(found.Rows) > 0 {
			t.Errorf("found the requests %+v: %v", found.Rows, err)
		}
		found, err = db.SearchRows(t.Context(), l.Account, []string{}, lost.ItemFilter{},
			store.TextSearch{Groups: groups, Lookup: 1, Limit: 10})
		if err != nil || len(found.Rows) > 0 {
			t.Errorf("found %+v at no location: %v", found.Rows, err)
		}
	})
}

func TestASearchTellsWhetherOlderRowsWereNotTested(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		for range 3 {
			addItem(t, db, l, lost.ItemPatch{
				Description: lost.Set("Black umbrella"), DiscoveryDate: lost.Set("2026-11-01"),
			})
		}
		addItem(t, db, l, lost.ItemPatch{Description: lost.Set("Hat"), StoragePlace: lost.Set("Safe")})
		dated := lost.ItemFilter{From: "2026-10-01"} // the stored counts do not tell how many items it selects
		for _, c := range []struct {
			filter        lost.ItemFilter
			tested, limit int
			inherits      bool
			rows          int
			partial       bool
		}{
			{lost.ItemFilter{}, 3, 10, false, 2, true}, {lost.ItemFilter{}, 4, 10, false, 3, false},
			{lost.ItemFilter{}, 3, 2, false, 2, false}, {dated, 2, 10, false, 2, true}, {dated, 3, 10, false, 3, false},
			{lost.ItemFilter{}, 4, 10, true, 3, false},
		} {
			s := store.TextSearch{Newest: true, Tested: c.tested, Limit: c.limit, Inherits: c.inherits}
			if !c.inherits {
				s.Groups = [][]store.TextPhrase{{{Text: "umbrella", Trigrams: []string{"umb"}}}}
			}
			found, err := db.SearchRows(t.Context(), l.Account, nil, c.filter, s)
			if err != nil || len(found.Rows) != c.rows || found.Partial != c.partial {
				t.Errorf("%+v: got %d rows, partial %t: %v", c, len(found.Rows), found.Partial, err)
			}
		}
	})
}

// The lines of the search texts of existing items are written again when match.RulesVersion increases. The lines that
// texts of older versions have keep their position until then.
func TestChangedSearchFieldsHaveANewVersion(t *testing.T) {
	const version = 8
	want := strings.Fields("description brand model color owner.firstName owner.lastName owner.email owner.phone " +
		"externalId reference reference serialNumber finder.name finder.email finder.phone " +
		"discoveryPlace storagePlace notes hold shipping.trackingNumber request.lostPlace request.proof " +
		"handover.name category")
	if got := store.SearchFields()[1:]; !slices.Equal(got, want) || match.RulesVersion != version {
		t.Errorf("version %d has the lines %q, but version %d has %q: increase match.RulesVersion",
			match.RulesVersion, got, version, want)
	}
}

func TestSearchTextsOfAnOlderVersionAreWrittenAgain(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		i := addItem(t, db, l, lost.ItemPatch{Description: lost.Set("Hat"), DiscoveryPlace: lost.Set("Sauna")})
		find := func() int {
			found, err := db.SearchRows(t.Context(), l.Account, nil, lost.ItemFilter{}, store.TextSearch{
				Groups: [][]store.TextPhrase{{{Text: "sauna", Trigrams: []string{"sau"}}}}, Lookup: 1, Limit: 10,
			})
			if err != nil {
				t.Fatal(err)
			}
			return len(found.Rows)
		}
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			older := i
			older.DiscoveryPlace = ""
			return tx.RefreshSearchTexts([]lost.Item{older})
		})
		if n := find(); err != nil || n != 0 {
			t.Fatalf("found %d rows by a text that is not there: %v", n, err)
		}
		err = db.Write(t.Context(), func(tx *store.Tx) error { return tx.RefreshSearchTexts([]lost.Item{i}) })
		if n := find(); err != nil || n != 1 {
			t.Errorf("found %d rows, want 1: %v", n, err)
		}
	})
}
