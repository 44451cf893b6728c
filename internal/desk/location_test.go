package desk_test

import (
	"testing"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

// TestADeletedLocationKeepsItsPermalinkForItsAccount checks that the printed address of a deleted location never leads
// to a location of another account. The same account can use it again.
func TestADeletedLocationKeepsItsPermalinkForItsAccount(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		ctx := b.T.Context()
		other := testkit.Must(b.Services.Accounts.Create(ctx, "Other"))
		stranger := lost.Actor{Account: other.ID, Kind: lost.ByUser, Role: lost.OwnerRole}
		create := func(a lost.Actor) lost.Location {
			b.T.Helper()
			l, err := b.Services.Locations.Create(ctx, a, testkit.LocationNamed("Grand Hotel"), lost.IdempotencyKey{})
			if err != nil {
				b.T.Fatal(err)
			}
			return l
		}
		expect := func(l lost.Location, want string) {
			b.T.Helper()
			if l.Permalink != want {
				b.T.Errorf("got permalink %s, want %s", l.Permalink, want)
			}
		}
		first := create(b.Actor)
		expect(first, "grand-hotel")
		expect(create(stranger), "grand-hotel-2")
		if err := b.Services.Locations.Delete(ctx, b.Actor, first.ID); err != nil {
			b.T.Fatal(err)
		}
		expect(create(stranger), "grand-hotel-3")
		if _, err := b.Services.Locations.GetPublic(ctx, "grand-hotel"); lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("page of the deleted location: got %v, want not found", err)
		}
		again := create(b.Actor)
		expect(again, "grand-hotel")
		if got, err := b.Services.Locations.GetPublic(ctx, "grand-hotel"); err != nil || got.ID != again.ID {
			b.T.Errorf("page of the new location: got %s, %v; want %s", got.ID, err, again.ID)
		}
		expect(create(b.Actor), "grand-hotel-4")
		err := b.DB.Write(ctx, func(tx *store.Tx) error { // what the deletion of an account leaves
			return tx.AddEntry(store.PermalinkEntry, store.DirectoryHash("grand-hotel-5"), store.DirectoryEntry{})
		})
		if err != nil {
			b.T.Fatal(err)
		}
		expect(create(stranger), "grand-hotel-6")
	})
}
