package lost_test

import (
	"testing"
	"time"

	"homeward/internal/lost"
)

func TestGuestDataIsKeptForOneMonthToTenYears(t *testing.T) {
	for days, fine := range map[int]bool{29: false, 30: true, 180: true, 3650: true, 3651: false, -1: false} {
		a := lost.Account{GuestDays: 180}
		changed, err := a.SetGuestDays(days)
		if fine != (err == nil) || changed != (fine && days != 180) || !fine && a.GuestDays != 180 {
			t.Errorf("%d days: %v, changed %v, %d", days, err, changed, a.GuestDays)
		}
	}
}

func TestAnItemEndsWhenNothingIsLeftToDo(t *testing.T) {
	moved, closed, updated := time.Unix(1, 0), time.Unix(2, 0), time.Unix(3, 0)
	for _, c := range []struct {
		name string
		item lost.Item
		want time.Time
	}{
		{"waiting", lost.Item{Source: lost.Found, Status: lost.Pending, MovedAt: moved}, time.Time{}},
		{"delivered", lost.Item{Source: lost.Found, Status: lost.Delivered, MovedAt: moved}, moved},
		{"donated", lost.Item{Source: lost.Found, Status: lost.Donate, MovedAt: moved}, moved},
		{"donated and given away", lost.Item{Source: lost.Found, Status: lost.Donate, MovedAt: moved, ClosedAt: closed},
			closed},
		{"to be collected", lost.Item{Source: lost.Found, Status: lost.PickUp, MovedAt: moved}, time.Time{}},
		{"collected", lost.Item{Source: lost.Found, Status: lost.PickUp, MovedAt: moved, ClosedAt: closed}, closed},
		{"pending request",
			lost.Item{
				Source: lost.Request, Status: lost.Pending, Claim: lost.Claim{State: lost.RequestPending},
				UpdatedAt: updated,
			}, time.Time{}},
		{"withdrawn",
			lost.Item{
				Source: lost.Request, Status: lost.Pending, Claim: lost.Claim{State: lost.RequestWithdrawn},
				UpdatedAt: updated,
			}, updated},
	} {
		c.item.UpdatedAt = updated
		if got := c.item.EndedAt(); !got.Equal(c.want) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestErasingAGuestTwiceHasNoFurtherEffect(t *testing.T) {
	now := time.Unix(10, 0)
	i := lost.Item{
		Source: lost.Request, Description: "My hat, I am Anna", Notes: "called twice", Language: "de",
		Owner: lost.Owner{Email: "anna@example.com"},
		Claim: lost.Claim{
			State: lost.RequestRejected, Proof: "A scratch", LostPlace: "Room 12", LostDate: "2026-01-02",
			Reason: "Not here", Question: "Which room, Anna?",
		},
	}
	if !i.EraseGuest(now) || i.Owner.Known() ||
		i.Notes+i.Language+i.Claim.Proof+i.Claim.LostPlace+i.Claim.Reason+i.Claim.Question != "" ||
		i.Description == "My hat, I am Anna" {
		t.Errorf("got %+v", i)
	}
	if i.EraseGuest(now.Add(time.Hour)) || !i.UpdatedAt.Equal(now) {
		t.Errorf("second erasure changed the item: %+v", i)
	}
}
