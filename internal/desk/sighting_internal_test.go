package desk

import (
	"strconv"
	"testing"
	"time"

	"homeward/internal/lost"
)

// Whoever looks does not wait for it to be written down.
func BenchmarkNotingASighting(b *testing.B) {
	s := &sightings{every: time.Hour}
	a, now := lost.Actor{Account: "acc_1", Kind: lost.ByKey, ID: "key_1"}, time.Now()
	for n := 0; b.Loop(); n++ {
		s.note(a, lost.ItemSeen, "loc_1", "item_"+strconv.Itoa(n%1000), now)
	}
}
