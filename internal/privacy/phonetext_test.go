package privacy_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// The last digits of a phone number may be any other number in an id. They are removed only from prose.
func TestErasingAPhoneNumberKeepsIdsThatEndAlike(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		i := b.NewItem(lost.ItemPatch{
			Description: lost.Set("Bag, call 5551234 or (212) 555-1234"), Brand: lost.Set("Brand 5551234"),
			Model: lost.Set("555-1234"), ExternalID: lost.Set("5551234"), SerialNumber: lost.Set("555 1234"),
			StoragePlace: lost.Set("Shelf 555/1234"), DiscoveryPlace: lost.Set("Bus 5551234"),
			Hold: lost.Set("Police, 555 1234"),
			Metadata: lost.Set(lost.MetadataPatch{
				"order": lost.Set("5551234"), "5551234": lost.Set("yes"), "note": lost.Set("5551234"),
				"phone": lost.Set("212 555 1234"), "whole": lost.Set("+1 (212) 555-1234"),
			}),
		})
		_, err := b.Services.People.EraseNow(b.T.Context(), b.Actor, lost.PersonPatch{Phone: lost.Set("+12125551234")})
		if err != nil {
			b.T.Fatal(err)
		}
		got := testkit.Must(b.DB.Item(b.T.Context(), b.Actor.Account, i.LocationID, i.ID))
		want := i
		want.Description, want.Hold = "Bag, call [removed] or [removed]", "Police, [removed]"
		want.Metadata = lost.Metadata{
			"order": "5551234", "5551234": "yes", "note": "5551234", "phone": "[removed]", "whole": "[removed]",
		}
		want.UpdatedAt = got.UpdatedAt
		if diff := cmp.Diff(want, got); diff != "" {
			b.T.Errorf("the item after the erasure (-want +got):\n%s", diff)
		}
		bodies := ""
		for _, e := range testkit.Must(b.DB.Events(b.T.Context(), b.Actor.Account,
			lost.EventFilter{Types: lost.ChangeEventTypes(), Page: lost.FirstPage()})).Data {
			bodies += string(e.Body)
		}
		for _, kept := range []string{
			`"externalId":"5551234"`, `"serialNumber":"555 1234"`, `"storagePlace":"Shelf 555/1234"`,
			`"model":"555-1234"`, `"order":"5551234"`, `"5551234":"yes"`, `"note":"5551234"`,
		} {
			if !strings.Contains(bodies, kept) {
				b.T.Errorf("the events lack %s: %s", kept, bodies)
			}
		}
		for _, removed := range []string{"call 5551234", "(212)", "Police, 555", "212 555 1234"} {
			if strings.Contains(bodies, removed) {
				b.T.Errorf("the events contain %q: %s", removed, bodies)
			}
		}
	})
}
