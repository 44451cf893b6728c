package outbox_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/outbox"
	"homeward/internal/store/storetest"
)

// TestAGuestIsErasedHalfAYearAfterTheItemArrived ships a parcel. Half a year after it arrives, the database must
// contain no data about the guest, and the documents must be deleted.
func TestAGuestIsErasedHalfAYearAfterTheItemArrived(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		i, token := q.requestPayment("CH", "8001")
		q.pay(token)
		q.runAll()
		note := lost.MovePatch{
			Status: lost.Set("DELIVERED"), TrackingNumber: lost.Set("TRACK123"), Note: lost.Set("Anna called"),
		}
		q.move(i, note)
		q.runAll()
		q.advanceTo("2027-05-13 12:00") // 179 days later
		q.out.RunUpkeepOnce(t.Context())
		if current := q.item(i); current.Owner.Email != anna || current.Shipping.Recipient.Name == "" ||
			len(q.documents.files) == 0 {
			t.Fatalf("erased too early: %+v, %d documents", current, len(q.documents.files))
		}
		q.advanceTo("2027-05-15 12:00")
		q.out.RunUpkeepOnce(t.Context())
		q.runAll()
		q.expectAbsent(anna, "Anna", "High Street", "8001", "TRACK123")
		if len(q.documents.files) > 0 {
			t.Errorf("documents are left: %v", q.documents.files)
		}
		after := q.item(i)
		if after.Status != lost.Delivered || after.Description != "Umbrella" ||
			after.Parcel.Price != i.Parcel.Price && !after.Parcel.Paid {
			t.Errorf("the item is %+v", after)
		}
		q.expectErased(1)
		q.out.RunUpkeepOnce(t.Context())
		q.expectErased(1) // a second run must not erase anything else
		if again := q.item(i); !again.UpdatedAt.Equal(after.UpdatedAt) {
			t.Error("a second run changed the item")
		}
	})
}

func TestGuestsOfOpenItemsAreNotErased(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		waiting, planned := n.createOwned("waiting@example.com"), n.createOwned("planned@example.com")
		n.move(planned, lost.MovePatch{Status: lost.Set("PICKUP")})
		collected, donated := n.createOwned("collected@example.com"), n.createOwned("donated@example.com")
		n.clock.Advance(time.Second)
		n.move(collected, lost.MovePatch{Status: lost.Set("PICKUP"), Closed: lost.Set(true)})
		n.move(donated, lost.MovePatch{Status: lost.Set("DONATE")})
		open := n.fileRequest("open@example.com")
		decided := n.fileRequest("decided@example.com")
		if _, err := n.desk.Requests.Decide(n.t.Context(), n.actor, n.where.ID, decided.ID,
			lost.DecisionPatch{Type: lost.Set("reject"), Reason: lost.Set("This is not yours")}); err != nil {
			n.t.Fatal(err)
		}
		n.runAll()
		n.clock.Advance(181 * 24 * time.Hour)
		n.out.RunUpkeepOnce(t.Context())
		for i, want := range map[*lost.Item]bool{
			&waiting: true, &planned: true, &collected: false, &donated: false, &open: true, &decided: false,
		} {
			if got := n.item(*i); got.Owner.Known() != want {
				t.Errorf("%s: owner known is %v, want %v", i.Owner.Email, got.Owner.Known(), want)
			}
		}
		n.expectAbsent("collected@example.com", "donated@example.com", "decided@example.com", "This is not yours",
			"words of decided@")
		n.expectErased(3)

		// An owner who is added after the erasure is erased too.
		if _, err := n.desk.Items.Update(t.Context(), n.actor, n.where.ID, donated.ID,
			lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("new@example.com")})}); err != nil {
			t.Fatal(err)
		}
		n.out.RunUpkeepOnce(t.Context())
		n.expectAbsent("new@example.com")
	})
}

// A conversation is deleted with the data of the guest, and not before.
func TestConversationsGoWithTheirGuests(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		write := func(i lost.Item, text string) {
			d := desk.Draft{Via: lost.ViaPage, ThreadPatch: lost.ThreadPatch{Text: lost.Set(text)}}
			if _, err := n.desk.Threads.Write(n.t.Context(), n.actor, n.where.ID, i.ID, d,
				lost.IdempotencyKey{}); err != nil {
				n.t.Fatal(err)
			}
			n.clock.Advance(time.Second)
		}
		collected, waiting := n.createOwned("collected@example.com"), n.createOwned("waiting@example.com")
		decided, open := n.fileRequest("decided@example.com"), n.fileRequest("open@example.com")
		write(collected, "About what was collected")
		write(waiting, "About what waits")
		write(decided, "About what was decided")
		write(open, "About what is open")
		n.move(collected, lost.MovePatch{Status: lost.Set("PICKUP"), Closed: lost.Set(true)})
		if _, err := n.desk.Requests.Decide(n.t.Context(), n.actor, n.where.ID, decided.ID,
			lost.DecisionPatch{Type: lost.Set("reject"), Reason: lost.Set("This is not yours")}); err != nil {
			n.t.Fatal(err)
		}
		n.runAll()
		expect := func(days int, want map[*lost.Item]int) {
			n.clock.Advance(time.Duration(days) * 24 * time.Hour)
			n.out.RunUpkeepOnce(n.t.Context())
			for i, messages := range want {
				list, err := n.db.Thread(n.t.Context(), i.Account, i.ID, lost.FirstPage())
				if err != nil || len(list.Data) != messages {
					n.t.Errorf("%s, %d days later: got %d messages, want %d; %v", i.Owner.Email, days, len(list.Data),
						messages, err)
				}
			}
		}
		expect(179, map[*lost.Item]int{&collected: 1, &waiting: 1, &decided: 1, &open: 1})
		expect(2, map[*lost.Item]int{&collected: 0, &waiting: 1, &decided: 0, &open: 1})
		n.expectAbsent("About what was collected", "About what was decided")
	})
}

// TestGuestsAreErasedAfterTheAccountsRetentionPeriod also checks that many items are erased in several
// transactions.
func TestGuestsAreErasedAfterTheAccountsRetentionPeriod(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		const many = 60
		var items []lost.Item
		for range many {
			i := n.createOwned("many@example.com")
			n.clock.Advance(time.Millisecond)
			n.move(i, lost.MovePatch{Status: lost.Set("DISCARD")})
			items = append(items, i)
		}
		owner := n.actor
		owner.Role = lost.OwnerRole
		if err := n.desk.RetentionPolicy.Set(t.Context(), owner, 30); err != nil {
			t.Fatal(err)
		}
		n.clock.Advance(31 * 24 * time.Hour)
		if preview, err := n.desk.RetentionPolicy.Preview(t.Context(), owner, 30); err != nil || preview.Count != many {
			t.Errorf("the preview has %d items, want %d; %v", preview.Count, many, err)
		}
		if preview, err := n.desk.RetentionPolicy.Preview(t.Context(), owner, 32); err != nil || preview.Count != 0 {
			t.Errorf("the preview for 32 days has %d items, want 0; %v", preview.Count, err)
		}
		n.out.RunUpkeepOnce(t.Context())
		n.expectErased(many)
		if i := n.item(items[many-1]); i.Owner.Known() {
			t.Errorf("the last item is %+v", i)
		}
	})
}

func (n *fixture) item(i lost.Item) lost.Item {
	n.t.Helper()
	got, err := n.db.Item(n.t.Context(), i.Account, i.LocationID, i.ID)
	if err != nil {
		n.t.Fatal(err)
	}
	return got
}

// fileRequest files a guest's request.
func (n *fixture) fileRequest(email string) lost.Item {
	n.t.Helper()
	i, err := n.desk.Requests.File(n.t.Context(), n.actor, n.where.ID, lost.RequestPatch{
		Description: lost.Set("In the words of " + email), Proof: lost.Set("A scratch"),
		Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(email)}),
	}, lost.IdempotencyKey{})
	if err != nil {
		n.t.Fatal(err)
	}
	return i
}

// dump returns the whole content of the database as text.
func (n *fixture) dump() string {
	n.t.Helper()
	return storetest.Dump(n.t, n.db)
}

// expectAbsent fails the test if the database contains any of the words. It ignores IDs, hashes and times, which may
// contain short numbers by chance.
func (n *fixture) expectAbsent(words ...string) {
	n.t.Helper()
	text := randomIDs.ReplaceAllString(n.dump(), "")
	for line := range strings.Lines(text) {
		for _, w := range words {
			if strings.Contains(line, w) {
				at := strings.Index(line, w)
				n.t.Errorf("%q is left in %.300s, after %s", w, line, line[max(0, at-100):at])
			}
		}
	}
}

// randomIDs matches IDs, hexadecimal hashes and times in microseconds.
var randomIDs = regexp.MustCompile(`\b[a-z]+_[0-9a-z]{26}\b|\b[0-9a-f]{64}\b|\b1[0-9]{15}\b`)

// expectErased checks the total number of items whose guest data was removed.
func (n *fixture) expectErased(want int) {
	n.t.Helper()
	days, err := n.db.ErasedPerDay(n.t.Context(), n.actor.Account, 100)
	if err != nil {
		n.t.Fatal(err)
	}
	got := 0
	for _, d := range days {
		got += d.Items
	}
	if got != want {
		n.t.Errorf("guest data was removed from %d items, want %d", got, want)
	}
}

func TestSeveralInstancesEraseEachItemOnce(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		const many = 60
		for range many {
			i := n.createOwned("many@example.com")
			n.clock.Advance(time.Millisecond)
			n.move(i, lost.MovePatch{Status: lost.Set("DISCARD")})
		}
		n.clock.Advance(181 * 24 * time.Hour)
		instances := []*outbox.Outbox{n.newInstance(), n.newInstance(), n.newInstance()}
		done := make(chan struct{})
		for _, o := range instances {
			go func() { o.RunUpkeepOnce(t.Context()); done <- struct{}{} }()
		}
		for range instances {
			<-done
		}
		n.out.RunUpkeepOnce(t.Context())
		n.expectErased(many)
		lines := 0
		for line := range strings.Lines(storetest.Dump(t, n.db)) {
			if strings.Contains(line, string(lost.GuestDataRemoved)) {
				lines++
			}
		}
		if lines != many {
			t.Errorf("got %d history entries, want %d", lines, many)
		}
	})
}
