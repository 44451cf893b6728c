package staff

import (
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
)

func TestTheNextSensibleStepsFollowFromWhereAnItemStands(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	anna := lost.Owner{Email: "anna@example.com"}
	label := []lost.Document{{Kind: lost.LabelPaper, File: "label.pdf"}}
	weight := 0.4
	for _, c := range []struct {
		name string
		item lost.Item
		want string
	}{
		{"nobody knows whose it is", lost.Item{Status: lost.Pending}, "Add the owner, Hand over"},
		{"its owner was told", lost.Item{Status: lost.Pending, Owner: anna}, "Send again, Hand over"},
		{"they say that it is not theirs", lost.Item{Status: lost.Pending, Owner: anna, DisownedAt: now}, "Change the owner, Hand over"},
		{"its owner comes", lost.Item{Status: lost.PickUp, Owner: anna}, "Hand over"},
		{"it was collected", lost.Item{Status: lost.PickUp, Owner: anna, ClosedAt: now}, ""},
		{"an address and no weight", lost.Item{Status: lost.InfoCompleted, Owner: anna}, "Set weight and box, Mark paid"},
		{"the desk collects the fee", lost.Item{Status: lost.InfoCompleted, Owner: anna, Shipping: lost.Shipping{Weight: &weight}, Parcel: lost.Parcel{PayBy: lost.PayDesk, Offered: true}}, "Mark paid"},
		{"the owner is to pay", lost.Item{Status: lost.InfoCompleted, Owner: anna, Parcel: lost.Parcel{PayBy: lost.PayStripe, Offered: true}}, "Send again, Mark paid"},
		{"paid, and the label is there", lost.Item{Status: lost.FeePaid, Parcel: lost.Parcel{Paid: true, Documents: label}}, "Print label, Mark shipped"},
		{"paid, and the label is not there yet", lost.Item{Status: lost.FeePaid, Parcel: lost.Parcel{Paid: true}}, "Mark shipped"},
		{"the label was refused", lost.Item{Status: lost.FeePaid, Parcel: lost.Parcel{Paid: true, Troubles: []lost.Trouble{{Kind: lost.LabelTask, Why: "too heavy"}}}}, "Try the label again, Change weight and box, Mark shipped"},
		{"paid, and not sent after all", lost.Item{Status: lost.PickUp, Owner: anna, Parcel: lost.Parcel{Paid: true}}, "Give the money back, Hand over"},
		{"on its way", lost.Item{Status: lost.Shipped, Parcel: lost.Parcel{TrackingURL: "https://carrier.example/1"}}, "Mark delivered, Follow the parcel"},
		{"delivered", lost.Item{Status: lost.Delivered}, ""},
		{"the owner gives it away", lost.Item{Status: lost.Donate, MovedBy: lost.ByGuest}, "Done"},
		{"the owner leaves it", lost.Item{Status: lost.Discard, MovedBy: lost.ByGuest}, "Done"},
		{"the desk gave it away", lost.Item{Status: lost.Donate, MovedBy: lost.ByUser}, ""},
		{"given away, and done", lost.Item{Status: lost.Donate, MovedBy: lost.ByGuest, ClosedAt: now}, ""},
	} {
		c.item.Source = lost.Found
		var names []string
		for _, s := range nextSteps(c.item, now) {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, ", "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTheKindOfAThingIsGuessedFromItsDescription(t *testing.T) {
	for text, want := range map[string]string{
		"Black umbrella with a wooden handle": "umbrella", "Regenschirm, schwarz": "umbrella", "iPhone 15, cracked": "phone", "Keys on a ring": "keys",
		"Brown leather handbag": "bag", "Wallet with cards": "wallet", "Lunettes de soleil": "glasses", "Blue scarf": "clothing", "A book about rings": "book",
		"Water bottle": "bottle", "Teddy": "toy", "Gold ring": "jewellery", "Something": "other", "": "other",
	} {
		if got := kindOf(text); got != want {
			t.Errorf("%q is drawn as %s, want %s", text, got, want)
		}
	}
}
