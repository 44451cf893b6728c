package frame

import (
	"homeward/internal/lost"
)

// ItemStep is a possible next step for an item, shown as a button.
type ItemStep struct {
	Name string
	To   string
	Form bool // a form button: the step takes effect immediately and notifies nobody
	File bool // the link opens in a new tab
}

// StepText contains the labels of next steps and their paths, relative to the item's page.
var StepText = map[lost.NextAction]ItemStep{
	lost.AnswerAct:     {Name: "Answer"},
	lost.RefundAct:     {Name: "Refund", To: "/refund"},
	lost.RetryLabelAct: {Name: "Retry label", To: "/label", Form: true},
	lost.WeighAct:      {Name: "Set weight or box", To: "?edit=shipping#shipping"},
	lost.NameAct:       {Name: "Add the owner", To: "?edit=owner#owner"},
	lost.RenameAct:     {Name: "Change the owner", To: "?edit=owner#owner"},
	lost.AddressAct:    {Name: "Add the address", To: "/address"},
	lost.RemindAct:     {Name: "Send again", To: "/notify"},
	lost.HandOverAct:   {Name: "Hand over", To: "/hand-over"},
	lost.PaidAct:       {Name: "Mark paid", To: "/status?to=FEE+PAID"},
	lost.ShippedAct:    {Name: "Mark shipped", To: "/status?to=SHIPPED"},
	lost.DeliveredAct:  {Name: "Mark delivered", To: "/status?to=DELIVERED"},
	lost.FinishAct:     {Name: "Done", To: "/status?done=1", Form: true},
}

// StepsOf converts possible next steps to buttons.
func StepsOf(i lost.Item, acts []lost.NextAction) []ItemStep {
	var steps []ItemStep
	for _, act := range acts {
		step := StepText[act]
		switch act {
		case lost.DecideAct:
			step = ItemStep{Name: "Decide what happens", To: LocationPath(i.LocationID, "/storage")}
		case lost.LabelAct:
			step = ItemStep{Name: "Print label", To: FilePath(i.Parcel.Document(lost.LabelPaper).File), File: true}
		case lost.TrackAct:
			step = ItemStep{Name: "Track parcel", To: i.Parcel.TrackingURL, File: true}
		default:
			step.To = ItemPath(i) + step.To
		}
		if act == lost.NameAct && i.Owner.Known() {
			step.Name = "Add contact details"
		}
		if act == lost.AddressAct && i.Shipping.Recipient.Known() {
			step.Name = "Change the address"
		}
		steps = append(steps, step)
	}
	return steps
}
