package desk_test

import (
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// recordFinds creates found items.
func recordFinds(b *testkit.Fixture, all ...lost.ItemPatch) (items []lost.Item) {
	b.T.Helper()
	for _, p := range all {
		i, err := b.Services.Items.Create(b.T.Context(), b.Actor, b.Location.ID, p, lost.IdempotencyKey{})
		if err != nil {
			b.T.Fatal(err)
		}
		items = append(items, i)
	}
	return items
}

// recordHundreds creates hundreds of items with the same description.
func recordHundreds(b *testkit.Fixture, hundreds int, description string) {
	b.T.Helper()
	items := slices.Repeat([]lost.ItemPatch{{Description: lost.Set(description)}}, 100)
	for range hundreds {
		testkit.Must(b.Services.Items.CreateItems(b.T.Context(), b.Actor, b.Location.ID,
			lost.BulkPatch{Items: lost.Set(items)}, lost.IdempotencyKey{}))
	}
}

// search returns the descriptions that a query finds, best first, and the number of exact ones.
func search(b *testkit.Fixture, a lost.Actor, f lost.ItemFilter) (found []string, exact int) {
	b.T.Helper()
	f.Page = lost.FirstPage()
	list, err := b.Services.Items.ListAll(b.T.Context(), a, nil, f)
	if err != nil {
		b.T.Fatal(err)
	}
	for _, i := range list.Data {
		found = append(found, i.Description)
	}
	if list.Count != len(found) || !list.Ranked {
		b.T.Errorf("%q: the list has %d items and counts %d", f.Query, len(found), list.Count)
	}
	return found, list.Exact
}

func TestAQueryFindsWhatIsMeant(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		items := recordFinds(b,
			lost.ItemPatch{
				Description: lost.Set("Black umbrella"), DiscoveryPlace: lost.Set("Room 301"),
				StoragePlace: lost.Set("Cellar, shelf A4"), Brand: lost.Set("Knirps"), Model: lost.Set("T.200"),
			},
			lost.ItemPatch{
				Description: lost.Set("Brille mit rotem Gestell"), DiscoveryPlace: lost.Set("Lobby, sofa"),
				Notes: lost.Set("Handed in by the plumber"), ExternalID: lost.Set("PMS-20931"),
			},
			lost.ItemPatch{
				Description: lost.Set("Parapluie vert"), DiscoveryPlace: lost.Set("Room 3014"),
				Owner: lost.Set(lost.OwnerPatch{
					FirstName: lost.Set("Jürgen"), LastName: lost.Set("Grünewald"), Phone: lost.Set("+49301234567"),
				}),
			},
			lost.ItemPatch{Description: lost.Set("黒い財布"), DiscoveryPlace: lost.Set("ロビー")},
		)
		reference := items[0].Reference
		wrong := "Q"
		if reference[6] == 'Q' {
			wrong = "R"
		}
		for query, want := range map[string]string{
			"black brolly": "Black umbrella", "room 301": "Black umbrella", "zimmer 301": "Black umbrella",
			"301": "Black umbrella", "umbrela black": "Black umbrella", "black umbrellas": "Black umbrella",
			"shelf a4": "Black umbrella", "kellerregal A4": "Black umbrella", "knrips": "Black umbrella",
			"t200": "Black umbrella", "a black brolly from the room": "Black umbrella",
			strings.ToLower(strings.ReplaceAll(reference, "-", "")): "Black umbrella", reference: "Black umbrella",
			reference[:6] + wrong: "Black umbrella",
			"specs lobby":         "Brille mit rotem Gestell", "red glasses": "Brille mit rotem Gestell",
			"plumber": "Brille mit rotem Gestell", "pms-20931": "Brille mit rotem Gestell",
			"gruenewald": "Parapluie vert", "Grünwald": "Parapluie vert", "030 1234567": "Parapluie vert",
			"juergen": "Parapluie vert", "green umbrella": "Parapluie vert", "ombrello verde": "Parapluie vert",
			"財布": "黒い財布", "black wallet": "黒い財布", "schwarze geldbörse": "黒い財布",
		} {
			found, _ := search(b, b.Actor, lost.ItemFilter{Query: query})
			if len(found) == 0 || found[0] != want {
				b.T.Errorf("%q finds %q, want %q first", query, found, want)
			}
		}
		for _, query := range []string{"zeppelin", "?!", "qz"} {
			if found, _ := search(b, b.Actor, lost.ItemFilter{Query: query}); len(found) > 0 {
				b.T.Errorf("%q finds %q, want nothing", query, found)
			}
		}
	})
}

func TestAQueryInJapaneseFindsWhatIsMeant(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		finds := map[string]string{ // description to place
			"黒い折りたたみ傘": "214号室", "茶色の財布": "ロビーのソファ", "銀色の腕時計": "客室 307", "赤いマフラー": "１階レストラン",
			"眼鏡(黒縁)": "215号室のベッド脇", "子供用の帽子": "プール", "充電器": "2140号室", "ワイヤレスイヤホン": "駐車場",
		}
		for description, place := range finds {
			recordFinds(b, lost.ItemPatch{Description: lost.Set(description), DiscoveryPlace: lost.Set(place)})
		}
		for query, want := range map[string]string{
			"かさ": "黒い折りたたみ傘", "カサ": "黒い折りたたみ傘", "傘": "黒い折りたたみ傘", "214": "黒い折りたたみ傘", "214号室": "黒い折りたたみ傘",
			"２１４": "黒い折りたたみ傘", "room 214": "黒い折りたたみ傘", "214号室の傘": "黒い折りたたみ傘",
			"さいふ": "茶色の財布", "サイフ": "茶色の財布", "ブラウンの財布": "茶色の財布", "うでどけい": "銀色の腕時計", "307号室": "銀色の腕時計",
			"レストラン マフラー": "赤いマフラー", "めがね": "眼鏡(黒縁)", "メガネ 215": "眼鏡(黒縁)", "ぼうし": "子供用の帽子", "キッズ帽子": "子供用の帽子",
			"じゅうでんき": "充電器", "イヤフォン": "ワイヤレスイヤホン", "1階": "赤いマフラー",
		} {
			found, _ := search(b, b.Actor, lost.ItemFilter{Query: query})
			if len(found) == 0 || found[0] != want {
				b.T.Errorf("%q finds %q, want %q first", query, found, want)
			}
		}
	})
}

func TestExactMatchesComeFirst(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		items := recordFinds(b,
			lost.ItemPatch{Description: lost.Set("Grey scarf")},
			lost.ItemPatch{Description: lost.Set("Grey scarf, new")},
			lost.ItemPatch{Description: lost.Set("Grauer Schal")}, lost.ItemPatch{Description: lost.Set("Blue scarf")},
		)
		if _, err := b.Services.Items.SetStatus(b.T.Context(), b.Actor, b.Location.ID, items[1].ID,
			lost.MovePatch{Status: lost.Set(string(lost.Discard)), Closed: lost.Set(true)}); err != nil {
			b.T.Fatal(err)
		}
		found, exact := search(b, b.Actor, lost.ItemFilter{Query: "grey scarf"})
		if want := []string{"Grey scarf", "Grey scarf, new", "Grauer Schal", "Blue scarf"}; exact != 2 ||
			!slices.Equal(found, want) {
			b.T.Errorf("found %q, of which %d are exact; want %q, of which 2 are", found, exact, want)
		}
		found, exact = search(b, b.Actor, lost.ItemFilter{Query: "grey scarf", Statuses: []lost.Status{lost.Discard}})
		if len(found) != 1 || exact != 1 {
			b.T.Errorf("discarded: %q, %d exact", found, exact)
		}
		if found, _ := search(b, b.Actor, lost.ItemFilter{Query: "scarf", Source: lost.Request}); len(found) > 0 {
			b.T.Errorf("the requests are %q, want none", found)
		}
	})
}

// In an account with few items, the newest similar ones fill the result.
func TestExactMatchesComeFirstAmongManySimilarOnes(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		recordFinds(b, lost.ItemPatch{Description: lost.Set("Grey scarf")})
		recordHundreds(b, 4, "Grauer Schal")
		list, err := b.Services.Items.ListAll(b.T.Context(), b.Actor, nil,
			lost.ItemFilter{Query: "grey scarf", Page: lost.FirstPage()})
		if err != nil {
			b.T.Fatal(err)
		}
		if list.Exact != 1 || list.Data[0].Description != "Grey scarf" || !list.AtLeast {
			b.T.Errorf("got %d exact items, %q first and the total %+v; want the older exact one first", list.Exact,
				list.Data[0].Description, list.Total)
		}
	})
}

func TestItemsAreFoundByTheUsualPlaceOfTheirLocation(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		move := func(location, place string) {
			b.T.Helper()
			if _, err := b.Services.Locations.Update(b.T.Context(), b.Actor, location,
				lost.LocationPatch{StoragePlace: lost.Set(place)}); err != nil {
				b.T.Fatal(err)
			}
		}
		move(b.Location.ID, "Cupboard B")
		recordFinds(b, lost.ItemPatch{
			Description: lost.Set("Grey scarf"), StoragePlace: lost.Set("Cupboard B, shelf 2"),
		}, lost.ItemPatch{Description: lost.Set("Black umbrella")},
			lost.ItemPatch{Description: lost.Set("Red hat"), StoragePlace: lost.Set("Cellar")})
		if _, err := b.Services.Requests.File(b.T.Context(), b.Actor, b.Location.ID, lost.RequestPatch{
			Description: lost.Set("My toy"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("ada@example.com")}),
		}, lost.IdempotencyKey{}); err != nil {
			b.T.Fatal(err)
		}
		expect := func(f lost.ItemFilter, exact int, want ...string) {
			b.T.Helper()
			found, n := search(b, b.Actor, f)
			if n != exact || !slices.Equal(found, want) {
				b.T.Errorf("%q at %q: found %q, %d exact; want %q, %d exact", f.Query, f.Place, found, n, want, exact)
			}
		}
		for _, query := range []string{"cupboard b", "in Cupboard B"} {
			expect(lost.ItemFilter{Query: query}, 3, "Grey scarf", "Black umbrella", "Umbrella")
		}
		expect(lost.ItemFilter{Query: "cupbaord b"}, 0, "Grey scarf", "Black umbrella", "Umbrella")
		expect(lost.ItemFilter{Query: "black umbrela cupboard b"}, 0, "Black umbrella", "Umbrella", "Grey scarf")
		expect(lost.ItemFilter{Query: "umbrella", Place: "cupboard"}, 2, "Black umbrella", "Umbrella")
		expect(lost.ItemFilter{Query: "cupboard", Source: lost.Request}, 0)
		move(b.Location.ID, "Depot Nord")
		expect(lost.ItemFilter{Query: "cupboard b"}, 1, "Grey scarf")
		expect(lost.ItemFilter{Query: "depot"}, 2, "Black umbrella", "Umbrella")
	})
}

func TestAQueryFindsAChangeAtOnce(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		item := recordFinds(b, lost.ItemPatch{Description: lost.Set("Toy elephant")})[0]
		if found, _ := search(b, b.Actor, lost.ItemFilter{Query: "suitcase"}); len(found) > 0 {
			b.T.Errorf("found %q, want nothing", found)
		}
		if _, err := b.Services.Items.Update(b.T.Context(), b.Actor, b.Location.ID, item.ID, lost.ItemPatch{
			Description: lost.Set("Valise"), DiscoveryPlace: lost.Set("Cloakroom"),
		}); err != nil {
			b.T.Fatal(err)
		}
		for _, query := range []string{"suitcase", "vallise", "garderobe"} {
			if found, _ := search(b, b.Actor, lost.ItemFilter{Query: query}); len(found) != 1 {
				b.T.Errorf("%q finds %q, want the changed item", query, found)
			}
		}
		if found, _ := search(b, b.Actor, lost.ItemFilter{Query: "elephant"}); len(found) > 0 {
			b.T.Errorf("found %q by a former description", found)
		}
	})
}

// A misspelled word is found if the vocabulary has it. Each search reads the words of some more items.
func TestMisspelledWordsOfOldItemsAreFoundAfterAFewSearches(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		recordFinds(b, lost.ItemPatch{Description: lost.Set("Theodolite")})
		recordHundreds(b, 11, "Grey scarf")
		b.Services = testkit.NewServices(b.DB, b.Clock) // as after a restart
		var found []string
		for range 2 {
			found, _ = search(b, b.Actor, lost.ItemFilter{Query: "theodolyte"})
		}
		if !slices.Equal(found, []string{"Theodolite"}) {
			b.T.Errorf("found %q, want the oldest item", found)
		}
	})
}

// Words of one or two letters are too short for the text index.
func TestShortWordsOfOldItemsAreFound(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		recordFinds(b, lost.ItemPatch{Description: lost.Set("財布")}, lost.ItemPatch{Description: lost.Set("Wallet")})
		recordHundreds(b, 5, "Grey scarf")
		found, _ := search(b, b.Actor, lost.ItemFilter{Query: "財布"})
		if !slices.Equal(found, []string{"財布", "Wallet"}) {
			b.T.Errorf("found %q, want both wallets, the exact match first", found)
		}
	})
}

func TestTheLastPageOfASearchHasNoNextOne(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		recordHundreds(b, 3, "Scarf")
		f := lost.ItemFilter{Query: "scarf", Page: lost.FirstPage()}
		f.Page.Number = testkit.Must(b.Services.Items.ListAll(b.T.Context(), b.Actor, nil, f)).Pages()
		list := testkit.Must(b.Services.Items.ListAll(b.T.Context(), b.Actor, nil, f))
		if !list.AtLeast || list.More() {
			b.T.Errorf("page %d: at least %v, more %v", f.Page.Number, list.AtLeast, list.More())
		}
	})
}

func TestAQueryFindsOnlyWhatTheActorMaySee(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		recordFinds(b, lost.ItemPatch{
			Description: lost.Set("Black umbrella"),
			Owner:       lost.Set(lost.OwnerPatch{FirstName: lost.Set("Ada"), LastName: lost.Set("Lovelace")}),
		})
		clerk := b.Person("usr_clerk", lost.DeskRole)
		clerk.Locations = []string{"loc_elsewhere"}
		stranger := b.Actor
		stranger.Account = "acc_other"
		for _, a := range []lost.Actor{clerk, stranger} {
			if found, _ := search(b, a, lost.ItemFilter{Query: "umbrella"}); len(found) > 0 {
				b.T.Errorf("%+v finds %q", a, found)
			}
			results, err := b.Services.Items.Search(b.T.Context(), a, nil, "lovelace umbrella", 5)
			if err != nil || len(results.Items)+len(results.Guests) > 0 {
				b.T.Errorf("%+v finds %+v: %v", a, results, err)
			}
		}
	})
}

func TestASearchFindsItemsRequestsAndGuests(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		ada := lost.OwnerPatch{
			FirstName: lost.Set("Ada"), LastName: lost.Set("Lovelace"), Email: lost.Set("ada@example.com"),
		}
		recordFinds(b, lost.ItemPatch{Description: lost.Set("Black umbrella"), Owner: lost.Set(ada)},
			lost.ItemPatch{Description: lost.Set("Card that says Lovelace")})
		if _, err := b.Services.Requests.File(b.T.Context(), b.Actor, b.Location.ID,
			lost.RequestPatch{Description: lost.Set("My scarf"), Owner: lost.Set(ada)},
			lost.IdempotencyKey{}); err != nil {
			b.T.Fatal(err)
		}
		results, err := b.Services.Items.Search(b.T.Context(), b.Actor, nil, "ada lovelase", 5)
		if err != nil {
			b.T.Fatal(err)
		}
		if len(results.Items) != 2 || results.Items[0].Description != "Black umbrella" || len(results.Requests) != 1 {
			b.T.Errorf("found %+v", results)
		}
		if g := results.Guests; len(g) != 1 || len(g[0].Records) != 2 || g[0].Email != "ada@example.com" {
			b.T.Errorf("found the guests %+v", g)
		}
		recordHundreds(b, 1, "Scarf")
		results = testkit.Must(b.Services.Items.Search(b.T.Context(), b.Actor, nil, "scarf", 5))
		if len(results.Items) != 5 || len(results.Requests) != 1 {
			b.T.Errorf("found %d items and %d requests, want 5 and 1", len(results.Items), len(results.Requests))
		}
	})
}
