package privacy_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/privacy"
	"homeward/internal/testkit"
)

// The search for other people's records with a phone number is limited. A number that is not decided by then counts
// as shared, so that an erasure does not remove another person's number.
func TestTheSearchForSharedPhonesIsLimited(t *testing.T) {
	const own, familys, bobs, anna = "+4930901820", "+4930555000", "+4930777000", "anna@example.com"
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		newItem := func(email, phone string) {
			owner := lost.OwnerPatch{Email: lost.Set(email), Phone: lost.Set(phone)}
			b.NewItem(lost.ItemPatch{Description: lost.Set("Hat"), Owner: lost.Set(owner)})
		}
		newItem(anna, own)
		newItem("Anna@Example.com", own) // the same person
		for n := range 3 {
			newItem(fmt.Sprintf("family%d@example.com", n), familys)
		}
		newItem("bob@example.com", bobs)
		phones := []string{own, familys, bobs}
		for limit, want := range map[int][]string{
			0: {own, familys, bobs}, 1: {own, familys, bobs}, 2: {own, familys, bobs}, 100: {familys, bobs},
		} {
			shared, err := privacy.SharedPhones(b.T.Context(), b.DB, b.Actor.Account, anna, phones, limit)
			got := slices.Sorted(maps.Keys(shared))
			if slices.Sort(want); err != nil || !slices.Equal(got, want) {
				b.T.Errorf("with a limit of %d records: got %v, %v; want %v", limit, got, err, want)
			}
		}
		found := testkit.Must(b.Services.People.FindPerson(b.T.Context(), b.Actor, lost.ParsePerson(anna)))
		if !slices.Equal(found.Phones, []string{own}) || len(found.SharedPhones) != 0 {
			b.T.Errorf("found %+v", found)
		}
	})
}
