package privacy_test

import (
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// The finder and the owner of an item are exported and erased separately.
func TestAFinderIsExportedAndErasedWithoutTheOwner(t *testing.T) {
	const owner, finder = "anna@example.com", "marta@example.com"
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		i := b.NewItem(lost.ItemPatch{
			Description: lost.Set("Hat"), Notes: lost.Set("Brought by Marta Nowak"),
			Owner: lost.Set(lost.OwnerPatch{LastName: lost.Set("Kowalska"), Email: lost.Set(owner)}),
			Finder: lost.Set(lost.FinderPatch{
				Name: lost.Set("Marta Nowak"), Email: lost.Set(finder), Phone: lost.Set("+48221234568"),
			}),
		})
		export := func(who string) string {
			var text strings.Builder
			err := b.Services.People.ExportPerson(b.T.Context(), b.Actor, lost.ParsePerson(who), &text)
			if err != nil {
				b.T.Fatal(err)
			}
			return text.String()
		}
		if text := export(finder); !strings.Contains(text, "Marta Nowak") || strings.Contains(text, "Kowalska") ||
			strings.Contains(text, owner) {
			b.T.Errorf("the finder's export: %s", text)
		}
		if text := export(owner); !strings.Contains(text, "Kowalska") || strings.Contains(text, "Nowak") ||
			strings.Contains(text, finder) {
			b.T.Errorf("the owner's export: %s", text)
		}

		expectFound := func(n int) {
			b.T.Helper()
			for _, query := range []string{"marta nowak", finder, "22 1234568"} {
				list, err := b.Services.Items.ListAll(b.T.Context(), b.Actor, nil,
					lost.ItemFilter{Query: query, Page: lost.FirstPage()})
				if err != nil || list.Count != n {
					b.T.Errorf("%q finds %d items, %v, want %d", query, list.Count, err, n)
				}
			}
		}
		expectFound(1)
		if _, err := b.Services.People.EraseNow(b.T.Context(), b.Actor, lost.ParsePerson(finder)); err != nil {
			b.T.Fatal(err)
		}
		now := testkit.Must(b.DB.Item(b.T.Context(), b.Actor.Account, i.LocationID, i.ID))
		if now.Finder.Known() || strings.Contains(now.Notes, "Nowak") {
			b.T.Errorf("after the finder's erasure: %+v, notes %q", now.Finder, now.Notes)
		}
		expectFound(0)
		if now.Owner.Email != owner {
			b.T.Errorf("the finder's erasure changed the owner to %+v", now.Owner)
		}
	})
}

func TestErasingTheOwnerKeepsTheFinder(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		i := b.NewItem(lost.ItemPatch{
			Description: lost.Set("Hat"),
			Owner:       lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")}),
			Finder:      lost.Set(lost.FinderPatch{Email: lost.Set("marta@example.com"), WantsReward: lost.Set(true)}),
		})
		_, err := b.Services.People.EraseNow(b.T.Context(), b.Actor, lost.ParsePerson("anna@example.com"))
		if err != nil {
			b.T.Fatal(err)
		}
		now := testkit.Must(b.DB.Item(b.T.Context(), b.Actor.Account, i.LocationID, i.ID))
		if now.Owner.Known() || now.Finder != i.Finder {
			b.T.Errorf("got the owner %+v and the finder %+v, want %+v", now.Owner, now.Finder, i.Finder)
		}
	})
}
