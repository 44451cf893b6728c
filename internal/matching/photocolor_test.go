package matching_test

import (
	"testing"

	"homeward/internal/lost"
	"homeward/internal/store"
)

func TestTheColourOfAPhotoIsEvidenceIfTheWordsNameNone(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		i := b.find(b.hotel, "Umbrella with a wooden duck head handle")
		request := b.miss(b.hotel, "Red umbrella with a wooden duck head handle")
		score := func() int {
			t.Helper()
			b.work()
			found := b.matches(request)
			if len(found) != 1 {
				t.Fatalf("got %d matches", len(found))
			}
			return found[0].Score
		}
		unknown := score()
		b.showColor(i, "red")
		same := score()
		b.showColor(i, "blue")
		if other := score(); other >= unknown || same <= unknown {
			t.Errorf("the scores are %d with the same colour, %d without and %d with another", same, unknown, other)
		}
	})
}

// showColor stores that the only photo of an item shows something of a colour.
func (b *fixture) showColor(i lost.Item, color lost.Color) {
	b.Helper()
	err := b.db.Write(b.Context(), func(tx *store.Tx) error {
		before, err := tx.LockAccountItem(i.Account, i.ID)
		if err != nil {
			return err
		}
		now := before
		now.Images = []lost.Image{{File: "photo.jpg", Facts: &lost.PhotoFacts{Colors: []lost.Color{color}}}}
		if !lost.NeedsMatching(before, now) {
			b.Errorf("the colour %s does not affect the matches", color)
		}
		if err := tx.SavePhotoFacts(now, now.Images[0]); err != nil {
			return err
		}
		return tx.AddMatchJobs(i.Account, []string{i.ID}, tx.Now())
	})
	if err != nil {
		b.Fatal(err)
	}
}
