package notify_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/notice"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// A request is open while other items are found that match it.
func TestEachLikelyMatchIsANotice(t *testing.T) {
	each(t, func(h *fixture) {
		h.choose(nil, notice.Match)
		request := h.file("Ring")
		first, second := h.find(testkit.ItemDescribed("Ring")), h.find(testkit.ItemDescribed("Gold ring"))
		h.likelyMatch(request, first)
		h.expect("the first", "ben@hotel.example: match Ring")
		h.likelyMatch(request, first)
		h.expect("after another search")
		h.likelyMatch(request, first, second)
		h.expect("the second", "ben@hotel.example: match Ring")
		h.likelyMatch(request, second)
		h.likelyMatch(request, second, first)
		h.expect("the first again")
		h.likelyMatch(h.file("Watch"), first, second)
		h.expect("two at once", "ben@hotel.example: match Watch")
	})
}

// expectStorage makes the storage of many items end, and checks that there is a notice about each.
func (h *fixture) expectStorage(ctx context.Context, count int) {
	h.T.Helper()
	_, err := h.Services.Locations.Update(h.T.Context(), h.by, h.location.ID,
		lost.LocationPatch{StorageDuration: lost.Set(30)})
	if err != nil {
		h.T.Fatal(err)
	}
	day := h.Clock.Now().In(h.location.Zone()).AddDate(0, 0, -29).Format(lost.DateLayout)
	for n := 0; n < count; n += lost.MaxBulk {
		var items []lost.ItemPatch
		for k := range lost.MaxBulk {
			p := testkit.ItemDescribed(fmt.Sprintf("Item %d", n+k))
			p.DiscoveryDate = lost.Set(day)
			items = append(items, p)
		}
		testkit.Must(h.Services.Items.CreateItems(h.T.Context(), h.by, h.location.ID,
			lost.BulkPatch{Items: lost.Set(items)}, lost.IdempotencyKey{}))
	}
	h.Clock.Advance(24 * time.Hour)
	if err := h.Services.Notices.RunOnce(ctx); err != nil {
		h.T.Fatal(err)
	}
	lines := 0
	for _, m := range h.out.messages {
		lines += len(m.Lines) + m.More
	}
	if lines != count {
		h.T.Errorf("got notices about %d items, want %d", lines, count)
	}
}

func TestNoStorageNoticeIsLost(t *testing.T) {
	each(t, func(h *fixture) {
		h.choose(nil, notice.Storage)
		h.expectStorage(h.T.Context(), 1100)
		h.out.messages = nil
		h.expect("again")
	})
}

// Notices about many items for many people and browsers are added in transactions of limited size.
func TestNoticesAreAddedInSeveralTransactions(t *testing.T) {
	each(t, func(h *fixture) {
		server := h.usePush()
		for range 4 {
			h.subscribe(server.NewBrowser())
		}
		h.choose(func(s *notice.Settings) {
			s.Kinds[notice.Storage] = notice.Choice{Email: notice.AtOnce, Push: true}
		}, notice.Storage)
		ctx, statements := storetest.RecordStatements(h.T.Context())
		h.expectStorage(ctx, 300)
		const limit = 1000
		inOne, all := 0, 0
		for _, sql := range statements() {
			switch {
			case strings.HasPrefix(sql, "UPDATE notice_cursors"): // each transaction begins with it
				inOne = 0
			case strings.HasPrefix(sql, "INSERT INTO notices"):
				inOne++
				all++
			}
			if inOne > limit {
				h.T.Fatalf("got more than %d notices in a transaction", limit)
			}
		}
		if all != 300*5 {
			h.T.Errorf("got %d notices, want %d", all, 300*5)
		}
	})
}

// Everybody's browsers are read, however many there are.
func TestAllBrowsersOfAnAccountGetPushMessages(t *testing.T) {
	each(t, func(h *fixture) {
		server := h.usePush()
		last := server.NewBrowser()
		h.subscribe(last)
		testkit.Must(0, h.DB.Write(h.T.Context(), func(tx *store.Tx) error {
			for n := range 5001 {
				name := fmt.Sprintf("%05d", n)
				err := tx.SavePushSubscription(notice.Subscription{
					Account: h.staff.Account, ID: "psh_" + name, UserID: "usr_0" + name, Endpoint: name,
				})
				if err != nil {
					return err
				}
			}
			return nil
		}))
		h.choose(byPush, notice.Report)
		h.file("Scarf")
		h.run()
		if got := last.Received(); len(got) != 1 {
			h.T.Errorf("got %d messages, want 1", len(got))
		}
	})
}
