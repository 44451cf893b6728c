package lost_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
)

func TestSortingImagesKeepsTheClientsOwnImageURL(t *testing.T) {
	now := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	i := lost.Item{
		ImageURL: "https://a.example/x.jpg", Images: []lost.Image{{File: "b.jpg"}, {File: "a.jpg"}, {File: "c.jpg"}},
	}
	before := i
	order := lost.ImageOrder{IDs: lost.Set([]string{
		lost.ImageIDOf("c.jpg"), lost.ImageIDOf("b.jpg"), lost.ImageIDOf("a.jpg"),
	})}
	changed, err := order.Sort(&i, now)
	if err != nil || !slices.Equal(changed, []string{"images"}) || i.ImageFile != "" || i.UpdatedAt != now {
		t.Errorf("got %v, %v, main image %q", changed, err, i.ImageFile)
	}
	if i.Images[0].File != "c.jpg" || before.Images[0].File != "b.jpg" {
		t.Errorf("got %v, and the copy %v", i.Images, before.Images)
	}
	i.ImageURL, i.ImageFile = "", "a.jpg"
	if changed, err = order.Sort(&i, now); err != nil || !slices.Equal(changed, []string{"imageUrl"}) ||
		i.ImageFile != "c.jpg" {
		t.Errorf("got %v, %v, main image %q", changed, err, i.ImageFile)
	}
}
