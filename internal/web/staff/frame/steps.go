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

// RemindPath is the path of the form that sends another reminder, relative to the item's page.
const RemindPath = "/notify"

// stepPaths contains the paths of next steps, relative to the item's page. Steps that are not listed depend on the
// item.
var stepPaths = map[lost.NextAction]ItemStep{
	lost.RefundAct:     {To: "/refund"},
	lost.RetryLabelAct: {To: "/label", Form: true},
	lost.WeighAct:      {To: "?edit=shipping#shipping"},
	lost.NameAct:       {To: "?edit=owner#owner"},
	lost.RenameAct:     {To: "?edit=owner#owner"},
	lost.AddressAct:    {To: "/address"},
	lost.RemindAct:     {To: RemindPath},
	lost.HandOverAct:   {To: "/hand-over"},
	lost.PaidAct:       {To: "/status?to=FEE+PAID"},
	lost.ShippedAct:    {To: "/status?to=SHIPPED"},
	lost.DeliveredAct:  {To: "/status?to=DELIVERED"},
	lost.FinishAct:     {To: "/status?done=1", Form: true},
}

// StepName returns the label of a next step.
func (l Locale) StepName(act lost.NextAction) string { return l.Say("frame.step." + string(act)) }

// StepsOf converts possible next steps to buttons.
func (l Locale) StepsOf(i lost.Item, acts []lost.NextAction) []ItemStep {
	var steps []ItemStep
	for _, act := range acts {
		step := stepPaths[act]
		switch act {
		case lost.DecideAct:
			step = ItemStep{To: LocationPath(i.LocationID, "/storage")}
		case lost.LabelAct:
			step = ItemStep{To: FilePath(i.Parcel.Document(lost.LabelPaper).File), File: true}
		case lost.TrackAct:
			step = ItemStep{To: i.Parcel.TrackingURL, File: true}
		default:
			step.To = ItemPath(i) + step.To
		}
		step.Name = l.StepName(act)
		if act == lost.NameAct && i.Owner.Known() {
			step.Name = l.Say("frame.step.contact")
		}
		if act == lost.AddressAct && i.Shipping.Recipient.Known() {
			step.Name = l.Say("frame.step.readdress")
		}
		steps = append(steps, step)
	}
	return steps
}
