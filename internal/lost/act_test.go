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
		{"nobody knows whose it is", lost.Item{Status: lost.Pending}, "[name-owner hand-over]"},
		{"nobody knows how to reach its owner", lost.Item{Status: lost.Pending, Owner: named},
			"[name-owner hand-over]"},
		{"its owner was told", lost.Item{Status: lost.Pending, Owner: anna}, "[remind hand-over]"},
		{"they say that it is not theirs", lost.Item{Status: lost.Pending, Owner: anna, DisownedAt: noon},
			"[rename-owner hand-over]"},
		{"its storage time has ended", lost.Item{Status: lost.Pending, Owner: anna, KeepUntil: "2026-11-01"},
			"[decide remind hand-over]"},
		{"its owner comes", lost.Item{Status: lost.PickUp, Owner: anna}, "[hand-over]"},
		{"it was collected", lost.Item{Status: lost.PickUp, Owner: anna, ClosedAt: noon}, "[]"},
		{"it is to be sent, and nobody knows to whom", lost.Item{Status: lost.InfoCompleted}, "[name-owner]"},
		{"it is to be sent, and nobody knows where", lost.Item{Status: lost.InfoCompleted, Owner: anna}, "[address]"},
		{"an address and no weight", lost.Item{Status: lost.InfoCompleted, Owner: anna, Shipping: wanted},
			"[weigh paid]"},
		{"the desk collects the fee",
			lost.Item{
				Status: lost.InfoCompleted, Owner: anna, Shipping: weighed,
				Parcel: lost.Parcel{PayBy: lost.PayDesk, Offered: true},
			}, "[paid]"},
		{"the owner is to pay",
			lost.Item{
				Status: lost.InfoCompleted, Owner: anna, Shipping: wanted,
				Parcel: lost.Parcel{PayBy: lost.PayStripe, Offered: true},
			}, "[remind paid]"},
		{"the owner is to pay, and cannot be told",
			lost.Item{
				Status: lost.InfoCompleted, Owner: named, Shipping: wanted,
				Parcel: lost.Parcel{PayBy: lost.PayStripe, Offered: true},
			}, "[paid]"},
		{"paid, and the label is there",
			lost.Item{Status: lost.FeePaid, Parcel: lost.Parcel{Paid: true, Documents: label}}, "[label shipped]"},
		{"paid, and the label is not there yet", lost.Item{Status: lost.FeePaid, Parcel: lost.Parcel{Paid: true}},
			"[shipped]"},
		{"the label was refused", lost.Item{Status: lost.FeePaid, Parcel: lost.Parcel{Paid: true, Troubles: refused}},
			"[relabel weigh address shipped]"},
		{"paid, and not sent after all", lost.Item{Status: lost.PickUp, Owner: anna, Parcel: lost.Parcel{Paid: true}},
			"[give-back hand-over]"},
		{"on its way", lost.Item{Status: lost.Shipped, Parcel: lost.Parcel{TrackingURL: "https://carrier.example/1"}},
			"[delivered follow]"},
		{"on its way, and nobody can follow it", lost.Item{Status: lost.Shipped}, "[delivered]"},
		{"delivered", lost.Item{Status: lost.Delivered}, "[]"},
		{"to be donated", lost.Item{Status: lost.Donate, MovedBy: lost.ByGuest}, "[finish]"},
		{"to be discarded, says the desk", lost.Item{Status: lost.Discard, MovedBy: lost.ByUser}, "[finish]"},
		{"given away", lost.Item{Status: lost.Donate, MovedBy: lost.ByGuest, ClosedAt: noon}, "[]"},
		{"a request",
			lost.Item{Source: lost.Request, Status: lost.Pending, Claim: lost.Claim{State: lost.RequestPending}},
			"[answer]"},
		{"a request that was answered",
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

func TestATaskIsDoneByWhatCanBeDoneAboutItsItem(t *testing.T) {
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
		// it was done a moment ago
		{lost.PickupTask, lost.Item{Status: lost.PickUp, Owner: anna, ClosedAt: noon}, "[]"},
	} {
		c.item.Source = lost.Found
		if got := fmt.Sprint(lost.Task{Kind: c.kind, Item: c.item}.NextActions(noon)); got != c.want {
			t.Errorf("%s: %s, want %s", c.kind, got, c.want)
		}
	}
}
