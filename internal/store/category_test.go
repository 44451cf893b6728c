package store_test

import (
	"slices"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

func TestListsAreLimitedToCategories(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hotel, spa := addLocation(t, db, withName("Hotel")), addLocation(t, db, withName("Spa"))
		for n, category := range []string{"phone", "umbrella", "", "phone", "keys"} {
			l := hotel
			if n == 3 {
				l = spa
			}
			p := lost.ItemPatch{Description: lost.Set("thing " + string(rune('a'+n)))}
			if category != "" {
				p.Category = lost.Set(category)
			}
			addItem(t, db, l, p)
		}
		for name, c := range map[string]struct {
			categories []lost.Category
			at, all    []string // newest first
		}{
			"none": {nil, []string{"thing e", "thing c", "thing b", "thing a"}, nil},
			"one":  {[]lost.Category{lost.PhoneCategory}, []string{"thing a"}, []string{"thing d", "thing a"}},
			"two": {
				[]lost.Category{lost.PhoneCategory, lost.KeysCategory}, []string{"thing e", "thing a"}, nil,
			},
			"nothing like": {[]lost.Category{lost.FoodCategory}, nil, nil},
		} {
			for _, bounded := range []bool{false, true} {
				f := lost.ItemFilter{Categories: c.categories, Source: lost.Found, Bounded: bounded}
				list := items(t, db, hotel, f)
				if got := descriptions(list.Data); !slices.Equal(got, c.at) || list.Count != len(c.at) {
					t.Errorf("%s, bounded %t: got %v of %d, want %v", name, bounded, got, list.Count, c.at)
				}
			}
			if c.all == nil {
				continue
			}
			list, err := db.AccountItems(t.Context(), account, nil,
				lost.ItemFilter{Categories: c.categories, Page: lost.FirstPage()})
			if got := descriptions(list.Data); err != nil || !slices.Equal(got, c.all) {
				t.Errorf("%s, in the account: got %v, %v, want %v", name, got, err, c.all)
			}
		}
	})
}

func descriptions(items []lost.Item) (texts []string) {
	for _, i := range items {
		texts = append(texts, i.Description)
	}
	return texts
}

func TestATermFindsASerialNumber(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		addItem(t, db, l, lost.ItemPatch{Description: lost.Set("phone"), SerialNumber: lost.Set("C39-7741X")})
		addItem(t, db, l, lost.ItemPatch{Description: lost.Set("phone"), Notes: lost.Set("C39-7741X")})
		for term, want := range map[string]int{"c39-7741x": 1, "7741": 1, "7742": 0} {
			if n := items(t, db, l, lost.ItemFilter{Term: term}).Count; n != want {
				t.Errorf("%q was found %d times, want %d", term, n, want)
			}
		}
	})
}

func TestATermFindsAFinder(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		addItem(t, db, l, lost.ItemPatch{
			Description: lost.Set("phone"), SerialNumber: lost.Set("C39"), Finder: lost.Set(lost.FinderPatch{
				Name: lost.Set("Marta Nowak"), Email: lost.Set("marta@example.com"), Phone: lost.Set("+48221234568"),
			}),
		})
		for term, want := range map[string]int{
			"NOWAK": 1, "marta@example": 1, "1234568": 1, "phone c39 marta": 1, "novak": 0,
		} {
			if n := items(t, db, l, lost.ItemFilter{Term: term}).Count; n != want {
				t.Errorf("%q was found %d times, want %d", term, n, want)
			}
		}
	})
}

func TestAPersonIsFoundAsAFinder(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		i := addItem(t, db, l, lost.ItemPatch{
			Description: lost.Set("phone"), Finder: lost.Set(lost.FinderPatch{
				Email: lost.Set("Marta@example.com"), Phone: lost.Set("+48221234568"),
			}),
		})
		for address, want := range map[string]int{
			"marta@example.com": 1, "+48 22 123 45 68": 1, "arta@example.com": 0, "+48221234569": 0,
		} {
			p, err := lost.ParsePerson(address).Person()
			if err != nil {
				t.Fatal(err)
			}
			found, err := db.ItemsOfPerson(t.Context(), account, p, "", 10)
			if err != nil || len(found) != want || want == 1 && found[0].ID != i.ID {
				t.Errorf("%s: found %v, %v, want %d", address, found, err, want)
			}
		}
	})
}
