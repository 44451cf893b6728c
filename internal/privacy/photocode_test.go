package privacy_test

import (
	"slices"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

// Codes with a person's address that were stored before they were refused are erased with the person.
func TestErasingAPersonDeletesTheCodesOfPhotosThatNameThem(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		ctx := b.T.Context()
		serial := lost.PhotoCode{Format: lost.Code128, Text: "SN-60012345"}
		i := b.NewItem(testkit.ItemDescribed("Suitcase"))
		before := i
		i.Images = []lost.Image{{File: "a.jpg"}, {File: "b.jpg", Facts: &lost.PhotoFacts{Codes: []lost.PhotoCode{
			{Format: lost.QRCode, Text: "Anna Kowalska Anna@Example.com"}, serial,
			{Format: lost.QRCode, Text: "Anna Kowalska +48 600 123 456"},
		}}}}
		testkit.Must(0, b.DB.Write(ctx, func(tx *store.Tx) error { return tx.SaveItem(before, i) }))
		for _, c := range []struct {
			person lost.PersonPatch
			left   []lost.PhotoCode
		}{
			{lost.PersonPatch{Email: lost.Set("bob@example.com")}, i.Images[1].Facts.Codes},
			{lost.PersonPatch{Email: lost.Set("anna@example.com")}, i.Images[1].Facts.Codes[1:]},
			{lost.PersonPatch{Phone: lost.Set("+48600123456")}, []lost.PhotoCode{serial}},
		} {
			if _, err := b.Services.People.EraseNow(ctx, b.Actor, c.person); err != nil {
				b.T.Fatal(err)
			}
			got := testkit.Must(b.DB.Item(ctx, b.Actor.Account, i.LocationID, i.ID))
			if len(got.Images) != 2 || !slices.Equal(got.Images[1].Facts.Codes, c.left) {
				b.T.Errorf("after erasing %+v, the photos are %+v, want the codes %v", c.person, got.Images, c.left)
			}
		}
	})
}
