package lost_test

import (
	"fmt"
	"testing"

	"homeward/internal/lost"
)

func TestNextActionsFollowTheState(t *testing.T) {
	anna, named := lost.Owner{Email: "anna@example.com"}, lost.Owner{FirstName: "Anna"}
	weight, home := 0.4, lost.Recipient{Name: "Anna", City: "Oslo", Country: "NO"}
	wanted, weighed := lost.Shipping{Recipient: home}, lost.Shipping{Recipient: home, Weight: &weight}
	label := []lost.Document{{Kind: lost.LabelPaper, File: "label.pdf"}}
	refused := []lost.ParcelProblem{{Kind: lost.LabelTask, Why: "too heavy"}}
	for _, c := range []struct {
		name string
		item lost.Item
		want string
	}{
		{"owner not known", lost.Item{Status: lost.Pending}, "[name-owner hand-over]"},
		{"no way to reach the owner", lost.Item{Status: lost.Pending, Owner: named},
			"[name-owner hand-over]"},
		{"owner notified", lost.Item{Status: lost.Pending, Owner: anna}, "[remind hand-over]"},
		{"owner says that it is not theirs", lost.Item{Status: lost.Pending, Owner: anna, DisownedAt: noon},
			"[rename-owner hand-over]"},
		{"its storage time has ended", lost.Item{Status: lost.Pending, Owner: anna, KeepUntil: "2026-11-01"},
			"[decide remind hand-over]"},
		{"pick-up planned", lost.Item{Status: lost.PickUp, Owner: anna}, "[hand-over]"},
		{"collected", lost.Item{Status: lost.PickUp, Owner: anna, ClosedAt: noon}, "[]"},
		{"shipping wanted, owner not known", lost.Item{Status: lost.InfoCompleted}, "[name-owner]"},
		{"shipping wanted, address not known", lost.Item{Status: lost.InfoCompleted, Owner: anna}, "[address]"},
		{"address, but no weight", lost.Item{Status: lost.InfoCompleted, Owner: anna, Shipping: wanted},
			"[weigh paid]"},
		{"the desk collects the fee",
			lost.Item{
				Status: lost.InfoCompleted, Owner: anna, Shipping: weighed,
				Parcel: lost.Parcel{PayBy: lost.PayDesk, Offered: true},
			}, "[paid]"},
		{"payment due",
			lost.Item{
				Status: lost.InfoCompleted, Owner: anna, Shipping: wanted,
				Parcel: lost.Parcel{PayBy: lost.PayStripe, Offered: true},
			}, "[remind paid]"},
		{"payment due, owner unreachable",
			lost.Item{
				Status: lost.InfoCompleted, Owner: named, Shipping: wanted,
				Parcel: lost.Parcel{PayBy: lost.PayStripe, Offered: true},
			}, "[paid]"},
		{"paid, label ready",
			lost.Item{Status: lost.FeePaid, Parcel: lost.Parcel{Paid: true, Documents: label}}, "[label shipped]"},
		{"paid, label not ready", lost.Item{Status: lost.FeePaid, Parcel: lost.Parcel{Paid: true}},
			"[shipped]"},
		{"label refused", lost.Item{Status: lost.FeePaid, Parcel: lost.Parcel{Paid: true, Troubles: refused}},
			"[relabel weigh address shipped]"},
		{"paid, but not shipped", lost.Item{Status: lost.PickUp, Owner: anna, Parcel: lost.Parcel{Paid: true}},
			"[give-back hand-over]"},
		{"in transit", lost.Item{Status: lost.Shipped, Parcel: lost.Parcel{TrackingURL: "https://carrier.example/1"}},
			"[delivered follow]"},
		{"in transit, without tracking", lost.Item{Status: lost.Shipped}, "[delivered]"},
		{"delivered", lost.Item{Status: lost.Delivered}, "[]"},
		{"to be donated", lost.Item{Status: lost.Donate, MovedBy: lost.ByGuest}, "[finish]"},
		{"to be discarded by the desk", lost.Item{Status: lost.Discard, MovedBy: lost.ByUser}, "[finish]"},
		{"given away", lost.Item{Status: lost.Donate, MovedBy: lost.ByGuest, ClosedAt: noon}, "[]"},
		{"a request",
			lost.Item{Source: lost.Request, Status: lost.Pending, Claim: lost.Claim{State: lost.RequestPending}},
			"[answer]"},
		{"a decided request",
			lost.Item{Source: lost.Request, Status: lost.Pending, Claim: lost.Claim{State: lost.RequestMatched}}, "[]"},
	} {
		if c.item.Source == "" {
			c.item.Source = lost.Found
		}
		if got := fmt.Sprint(c.item.NextActions(false, noon)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestTaskActionsAreThoseThatCompleteTheTask(t *testing.T) {
	anna := lost.Owner{Email: "anna@example.com"}
	for _, c := range []struct {
		kind lost.TaskKind
		item lost.Item
		want string
	}{
		{lost.PickupTask, lost.Item{Status: lost.PickUp, Owner: anna, Parcel: lost.Parcel{Paid: true}}, "[hand-over]"},
		{lost.RefundTask, lost.Item{Status: lost.PickUp, Owner: anna, Parcel: lost.Parcel{Paid: true}}, "[give-back]"},
		{lost.ShipTask, lost.Item{Status: lost.FeePaid, Parcel: lost.Parcel{Paid: true}}, "[shipped]"},
		{lost.ShippingTask, lost.Item{Status: lost.InfoCompleted, Owner: anna}, "[address]"},
		{lost.UnreachableTask, lost.Item{Status: lost.Pending, Owner: anna}, "[rename-owner]"},
		{lost.OverdueTask, lost.Item{Status: lost.Pending, Owner: anna, KeepUntil: "2026-11-01"}, "[decide]"},
		{lost.ParcelTask,
			lost.Item{
				Status: lost.Shipped, Parcel: lost.Parcel{Troubles: []lost.ParcelProblem{{Kind: lost.ParcelTask}}},
			},
			"[delivered]"},
		// the item was collected in the meantime
		{lost.PickupTask, lost.Item{Status: lost.PickUp, Owner: anna, ClosedAt: noon}, "[]"},
	} {
		c.item.Source = lost.Found
		if got := fmt.Sprint(lost.Task{Kind: c.kind, Item: c.item}.NextActions(noon)); got != c.want {
			t.Errorf("%s: %s, want %s", c.kind, got, c.want)
		}
	}
}
