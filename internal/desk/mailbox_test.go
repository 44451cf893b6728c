package desk_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// Staff of several locations see the messages of all these locations in one paginated list.
func TestMessagesOfSeveralLocationsAreListedTogether(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		zoo := testkit.Must(o.desk.Locations.Create(t.Context(), o.by, testkit.LocationNamed("Zoo"),
			lost.IdempotencyKey{})).ID
		pool := testkit.Must(o.desk.Locations.Create(t.Context(), o.by, testkit.LocationNamed("Pool"),
			lost.IdempotencyKey{})).ID
		for n, where := range []string{o.hotel, zoo, pool, zoo, zoo, o.hotel, pool, zoo, o.hotel, zoo} {
			clock.Advance(time.Second)
			p := testkit.ItemDescribed("Hat")
			p.Owner = lost.Set(lost.OwnerPatch{Email: lost.Set(fmt.Sprintf("guest%d@example.com", n))})
			testkit.Must(o.desk.Items.Create(t.Context(), o.by, where, p, lost.IdempotencyKey{}))
		}
		some := o.by
		some.Locations = []string{o.hotel, zoo}
		var got []string
		for f := (lost.MessageFilter{PageCursor: lost.PageCursor{Limit: 3}}); ; {
			page := testkit.Must(o.desk.Messages.List(t.Context(), some, f)).Data
			for _, m := range page {
				got = append(got, m.To)
			}
			if len(page) < f.Limit {
				break
			}
			f.Before = page[len(page)-1].ID
		}
		var want []string
		for _, n := range []int{9, 8, 7, 5, 4, 3, 1, 0} {
			want = append(want, fmt.Sprintf("guest%d@example.com", n))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		one := testkit.Must(o.desk.Messages.List(t.Context(), some,
			lost.MessageFilter{
				Location: o.hotel, State: lost.MessageWaiting, PageCursor: lost.PageCursor{Limit: 10},
			})).Data
		if len(one) != 3 || !slices.IsSortedFunc(one, func(a, b lost.Message) int {
			return b.CreatedAt.Compare(a.CreatedAt)
		}) {
			t.Errorf("messages of one location: got %d, want 3 in order", len(one))
		}
	})
}
