package frame

import (
	"homeward/internal/lost"
)

// ItemStep is something sensible to do with an item now, as a button.
type ItemStep struct {
	Name string
	To   string
	Form bool // it is a form's button: it happens at once, and tells nobody
	File bool // it opens beside the page
}

// StepText are what people call what can be done about an item, and where below the item's page it is done.
var StepText = map[lost.Act]ItemStep{
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

// StepsOf makes buttons of what can be done about an item.
func StepsOf(i lost.Item, acts []lost.Act) []ItemStep {
	var steps []ItemStep
	for _, act := range acts {
		step := StepText[act]
		switch act {
		case lost.DecideAct:
			step = ItemStep{Name: "Decide where it goes", To: LocationPath(i.LocationID, "/storage")}
		case lost.LabelAct:
			step = ItemStep{Name: "Print label", To: FilePath(i.Parcel.Document(lost.LabelPaper).File), File: true}
		case lost.FollowAct:
			step = ItemStep{Name: "Follow the parcel", To: i.Parcel.TrackingURL, File: true}
		default:
			step.To = ItemPath(i) + step.To
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
