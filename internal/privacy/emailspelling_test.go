package privacy_test

import (
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// TestAPersonIsFoundInBothSpellingsOfTheirAddress checks that a guest whose address was stored with decomposed letters
// is exported and erased by the composed spelling, and the other way round. A similar address is not.
func TestAPersonIsFoundInBothSpellingsOfTheirAddress(t *testing.T) {
	const composed, decomposed = "j\u00fcrgen@example.com", "ju\u0308rgen@example.com"
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		ctx := b.T.Context()
		for stored, asked := range map[string]string{composed: decomposed, decomposed: composed} {
			item := b.NewItem(testkit.ItemOwnedBy("Umbrella", stored))
			similar := b.NewItem(testkit.ItemOwnedBy("Scarf", "jurgen@example.com"))
			who := lost.PersonPatch{Email: lost.Set(asked)}
			var export strings.Builder
			if err := b.Services.People.ExportPerson(ctx, b.Actor, who, &export); err != nil {
				b.T.Fatal(err)
			}
			if !strings.Contains(export.String(), item.ID) || strings.Contains(export.String(), similar.ID) {
				b.T.Errorf("export of %+q, stored as %+q: got %s", asked, stored, export.String())
			}
			testkit.Must(b.Services.People.EraseNow(ctx, b.Actor, who))
			for id, want := range map[string]string{item.ID: "", similar.ID: "jurgen@example.com"} {
				got := testkit.Must(b.Services.Items.Get(ctx, b.Actor, b.Location.ID, id)).Owner.Email
				if got != want {
					b.T.Errorf("after erasing %+q: got address %+q, want %+q", asked, got, want)
				}
			}
		}
	})
}
