package matching_test

import (
	"testing"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

// list lists the suggestions for an item as the API does.
func (b *fixture) list(i lost.Item) lost.List[lost.Match] {
	b.Helper()
	return testkit.Must(b.desk.Suggestions.Matches(b.Context(), b.by, i.LocationID, i.ID, lost.FirstPage()))
}

// An account with thousands of items to match, such as after an import, does not delay another account.
func TestManyMatchJobsOfOneAccountDoNotDelayOthers(t *testing.T) {
	for _, busy := range []string{"acc_0", "acc_zzz"} { // before and after the other account
		t.Run(busy, func(t *testing.T) {
			eachFixture(t, func(b *fixture) {
				found := b.find(b.hotel, foundUmbrella)
				b.work()
				const queued = 5000
				err := b.db.Write(b.Context(), func(tx *store.Tx) error {
					for range queued {
						if err := tx.AddJob(busy, store.JobMatch, "item_none", tx.Now()); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
				request := b.miss(b.hotel, lostUmbrella)
				if l := b.list(request); !l.Pending || len(l.Data) != 0 {
					b.Fatalf("before its job ran: got pending %t and %d matches", l.Pending, len(l.Data))
				}
				const most = 12 // three claims of a pool of four
				performed := 0
				for performed < most && len(b.list(request).Data) == 0 {
					performed += testkit.Must(b.out.RunOnce(b.Context()))
				}
				if l := b.list(request); len(l.Data) != 1 || l.Data[0].ItemID != found.ID || l.Pending {
					b.Errorf("after %d jobs: got %d matches, pending %t", performed, len(l.Data), l.Pending)
				}
			})
		})
	}
}

func TestAListOfMatchesSaysWhetherItIsPending(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		request := b.miss(b.hotel, lostUmbrella)
		page := lost.FirstPage()
		if !b.list(request).Pending ||
			!testkit.Must(b.desk.Suggestions.Suggested(b.Context(), b.by, b.hotel, request.ID, page)).Pending {
			b.Error("the list is not pending before the request is matched")
		}
		b.work()
		if b.list(request).Pending {
			b.Error("the list is pending after the request was matched")
		}
		found := b.find(b.hotel, foundUmbrella)
		if !b.list(found).Pending || !b.list(request).Pending {
			b.Error("the lists are not pending before a new found item is matched")
		}
		b.work()
		if b.list(found).Pending || b.list(request).Pending || len(b.list(request).Data) != 1 {
			b.Error("the lists are pending or incomplete after the found item was matched")
		}
	})
}
