package desk_test

import (
	"fmt"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// However much has happened to an item since somebody looked at it, what they change is held against all of it.
func TestAChangeIsOvertakenHoweverLongAgo(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newOffice(t, db, clock)
		i := must(o.desk.CreateItem(t.Context(), o.by, o.hotel, described("Hat"), lost.Once{}))
		seen := i.UpdatedAt
		change := func(p lost.ItemPatch) error {
			clock.Advance(time.Second)
			_, err := o.desk.UpdateItem(t.Context(), o.by, o.hotel, i.ID, p)
			return err
		}
		must(0, change(lost.ItemPatch{Brand: lost.Set("Mayser")}))
		for n := range lost.MaxLimit + 10 {
			must(0, change(lost.ItemPatch{Notes: lost.Set(fmt.Sprint(n))}))
		}
		if err := change(lost.ItemPatch{Seen: seen, Brand: lost.Set("Stetson")}); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("the same field: %v", err)
		}
		if err := change(lost.ItemPatch{Seen: seen, Color: lost.Set("grey")}); err != nil {
			t.Errorf("another field: %v", err)
		}
	})
}
