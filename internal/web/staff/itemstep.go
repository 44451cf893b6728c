package staff

import "homeward/internal/lost"

// itemStep is something sensible to do with an item now, as a button.
type itemStep struct {
	Name string
	To   string
	Form bool // it is a form's button: it happens at once, and tells nobody
	File bool // it opens beside the page
}

// stepWords are what people call what can be done about an item, and where below the item's page it is done.
var stepWords = map[lost.Act]itemStep{
	lost.AnswerAct:    {Name: "Answer"},
	lost.GiveBackAct:  {Name: "Give the money back", To: "/refund"},
	lost.RelabelAct:   {Name: "Try the label again", To: "/label", Form: true},
	lost.WeighAct:     {Name: "Set weight and box", To: "?edit=shipping#shipping"},
	lost.NameAct:      {Name: "Add the owner", To: "?edit=owner#owner"},
	lost.RenameAct:    {Name: "Change the owner", To: "?edit=owner#owner"},
	lost.AddressAct:   {Name: "Add the address", To: "/address"},
	lost.RemindAct:    {Name: "Send again", To: "/notify"},
	lost.HandOverAct:  {Name: "Hand over", To: "/hand-over"},
	lost.PaidAct:      {Name: "Mark paid", To: "/status?to=FEE+PAID"},
	lost.ShippedAct:   {Name: "Mark shipped", To: "/status?to=SHIPPED"},
	lost.DeliveredAct: {Name: "Mark delivered", To: "/status?to=DELIVERED"},
	lost.FinishAct:    {Name: "Done", To: "/status?done=1", Form: true},
}

// stepsOf makes buttons of what can be done about an item.
func stepsOf(i lost.Item, acts []lost.Act) []itemStep {
	var steps []itemStep
	for _, act := range acts {
		step := stepWords[act]
		switch act {
		case lost.DecideAct:
			step = itemStep{Name: "Decide where it goes", To: atPath(i.LocationID, "/storage")}
		case lost.LabelAct:
			step = itemStep{Name: "Print label", To: filePath(i.Parcel.Document(lost.LabelPaper).File), File: true}
		case lost.FollowAct:
			step = itemStep{Name: "Follow the parcel", To: i.Parcel.TrackingURL, File: true}
		default:
			step.To = itemPath(i) + step.To
		}
		if act == lost.NameAct && i.Owner.Known() {
			step.Name = "Add how to reach them"
		}
		if act == lost.AddressAct && i.Shipping.Recipient.Known() {
			step.Name = "Change the address"
		}
		steps = append(steps, step)
	}
	return steps
}

// byHand has the owner given their link where nothing is sent: to write once more would only keep one more message.
func byHand(i lost.Item, steps []itemStep) []itemStep {
	for n, s := range steps {
		if s.To == itemPath(i)+stepWords[lost.RemindAct].To {
			steps[n] = itemStep{Name: "The owner’s page and its link", To: itemPath(i) + "/link"}
		}
	}
	return steps
}

// itemProgress is the line that shows where an item stands.
type itemProgress struct {
	Word    string
	Done    bool
	Current bool
}

// progressOf gives the stations of an item's way, which depends on what its owner chose.
func progressOf(i lost.Item) []itemProgress {
	way := []string{"Found", "Address", "Paid", "On its way", "Delivered"}
	at := map[lost.Status]int{lost.InfoCompleted: 1, lost.FeePaid: 2, lost.Shipped: 3, lost.Delivered: 4}[i.Status]
	switch i.Status {
	case lost.Pending:
		way = []string{"Found", "Owner decides", "Back home"}
		if i.Owner.Address() != "" {
			at = 1
		}
	case lost.PickUp:
		way, at = []string{"Found", "Owner collects", "Handed over"}, 1
	case lost.Donate:
		way, at = []string{"Found", "To be donated", "Donated"}, 1
	case lost.Discard:
		way, at = []string{"Found", "Left behind", "Discarded"}, 1
	}
	if !i.ClosedAt.IsZero() {
		at = len(way) - 1
	}
	if i.Destination == lost.Police {
		way[at] = stateOf(i).Word
	}
	var line []itemProgress
	for n, word := range way {
		line = append(line, itemProgress{Word: word, Done: n <= at, Current: n == at})
	}
	return line
}
