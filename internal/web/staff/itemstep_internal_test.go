package staff

import (
	"testing"
	"time"

	"homeward/internal/lost"
)

func TestEverythingThatCanBeDoneNextHasAButton(t *testing.T) {
	i := lost.Item{ID: "item_1", LocationID: "loc_1", Source: lost.Found, Parcel: lost.Parcel{TrackingURL: "https://carrier.example/1", Documents: []lost.Document{{Kind: lost.LabelPaper, File: "label.pdf"}}}}
	acts := []lost.Act{
		lost.DecideAct, lost.GiveBackAct, lost.RelabelAct, lost.WeighAct, lost.NameAct, lost.RenameAct, lost.AddressAct, lost.RemindAct, lost.HandOverAct,
		lost.PaidAct, lost.LabelAct, lost.ShippedAct, lost.FollowAct, lost.DeliveredAct, lost.FinishAct,
	}
	for n, s := range stepsOf(i, acts) {
		if s.Name == "" || s.To == "" || s.To == itemPath(i) {
			t.Errorf("%s has %+v", acts[n], s)
		}
	}
}

func TestATaskThatIsDoneAtOnceIsDoneOnThePageOfItsItem(t *testing.T) {
	refused := []lost.Trouble{{Kind: lost.LabelTask, Why: "too heavy"}}
	i := lost.Item{ID: "item_1", LocationID: "loc_1", Source: lost.Found, Status: lost.FeePaid, Parcel: lost.Parcel{Paid: true, Troubles: refused}}
	if links := taskActions(lost.Task{Kind: lost.LabelTask, Item: i}, time.Now()); len(links) != 1 || links[0].Name != "See to it" || links[0].Href != itemPath(i) {
		t.Errorf("it leads to %+v", links)
	}
	if links := taskActions(lost.Task{Kind: lost.ShipTask, Item: i}, time.Now()); len(links) != 1 || links[0].Name != "Mark shipped" {
		t.Errorf("it leads to %+v", links)
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
