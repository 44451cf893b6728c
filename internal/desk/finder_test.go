package desk_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// tellFinder sends a message to the finder of the fixture's item, and returns the code of the error, or an
// empty text.
func tellFinder(b *testkit.Fixture, kind lost.MessageKind) lost.Code {
	_, err := b.Services.Messages.TellFinder(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID, kind,
		lost.IdempotencyKey{})
	if err == nil {
		return ""
	}
	return lost.CodeOf(err)
}

func TestAFinderIsToldOnce(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		b.Location = b.NewLocation(lost.LocationPatch{Name: lost.Set("Hotel"), StorageDuration: lost.Set(30)})
		b.Item = b.NewItem(lost.ItemPatch{
			Description: lost.Set("Watch"), Finder: lost.Set(lost.FinderPatch{
				Name: lost.Set("Marta Nowak"), Email: lost.Set("marta@example.com"), WantsReward: lost.Set(true),
				ClaimsItem: lost.Set(true),
			}),
		})
		if code := tellFinder(b, lost.FinderReward); code != lost.Conflict {
			b.T.Errorf("before the item was returned: got %q", code)
		}
		if code := tellFinder(b, lost.FinderItem); code != lost.Conflict {
			b.T.Errorf("while the item is stored: got %q", code)
		}
		b.Clock.Advance(40 * 24 * time.Hour)
		if code := tellFinder(b, lost.FinderItem); code != "" {
			b.T.Errorf("after the storage has ended: got %q", code)
		}
		if code := tellFinder(b, lost.FinderItem); code != lost.Conflict {
			b.T.Errorf("told twice: got %q", code)
		}
		if got, want := messageKinds(b), []string{"finder-item to marta@example.com"}; !slices.Equal(got, want) {
			b.T.Errorf("got messages %q, want %q", got, want)
		}

		_, err := b.Services.Items.Update(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID, lost.ItemPatch{
			Finder: lost.Set(lost.FinderPatch{Email: lost.Set("other@example.com")}),
		})
		if err != nil {
			b.T.Fatal(err)
		}
		if code := tellFinder(b, lost.FinderItem); code != "" {
			b.T.Errorf("another finder: got %q", code)
		}
		_, err = b.Services.Items.Update(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID, lost.ItemPatch{
			Finder: lost.Clear[lost.FinderPatch](),
		})
		if err != nil {
			b.T.Fatal(err)
		}
		if code := tellFinder(b, lost.FinderItem); code != lost.Conflict {
			b.T.Errorf("without a finder: got %q", code)
		}
	})
}
