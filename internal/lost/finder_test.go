package lost_test

import (
	"testing"
	"time"

	"homeward/internal/lost"
)

// A finder is told that an item is theirs only when that is so, and a message that waited is sent only if it still is.
func TestAFinderIsToldOnlyThatAnItemIsTheirsIfItIs(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*lost.Item)
		at     time.Time
		want   bool
	}{
		"on the last day of storage":  {func(*lost.Item) {}, day(25), false},
		"after the storage has ended": {func(*lost.Item) {}, day(26), true},
		"without a limit of storage":  {func(i *lost.Item) { i.Terms.StorageDuration = nil }, day(26), false},
		"stored longer":               {func(i *lost.Item) { i.KeepUntil = "2026-12-31" }, day(26), false},
		"on hold":                     {func(i *lost.Item) { i.Hold = "Police" }, day(26), false},
		"an owner is known":           {func(i *lost.Item) { i.Owner.LastName = "Arden" }, day(26), false},
		"the owner disowned the item": {func(i *lost.Item) {
			i.Owner.Email, i.DisownedAt = "anna@example.com", day(16)
		}, day(26), true},
		"the owner will collect it": {func(i *lost.Item) { i.Status = lost.PickUp }, day(26), false},
		"donated":                   {func(i *lost.Item) { i.Status, i.ClosedAt = lost.Donate, day(26) }, day(26), false},
		"given to the police": {func(i *lost.Item) {
			i.Status, i.ClosedAt, i.Destination = lost.Discard, day(26), lost.Police
		}, day(26), false},
		"given to the finder before the storage ended": {func(i *lost.Item) {
			i.Status, i.ClosedAt, i.Destination = lost.Discard, day(16), lost.ToFinder
		}, day(16), true},
		"given to the finder although an owner is known": {func(i *lost.Item) {
			i.Status, i.ClosedAt, i.Destination = lost.Discard, day(26), lost.ToFinder
			i.Owner.Email = "anna@example.com"
		}, day(26), true},
	} {
		i := annasItem(t, berlinLocation(t))
		i.Owner = lost.Owner{}
		i.Finder = lost.Finder{Name: "Marta Nowak", Email: "marta@example.com", ClaimsItem: true}
		m := lost.NewMessage(lost.FinderItem, i, "", noon)
		m.To = i.Finder.Email
		c.change(&i)
		if err := i.CheckTellFinder(lost.FinderItem, c.at); (err == nil) != c.want {
			t.Errorf("%s: got %v", name, err)
		}
		if got := m.StillTrue(i, c.at); got != c.want {
			t.Errorf("%s: a message that waited is true: %v", name, got)
		}
	}
}
