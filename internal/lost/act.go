package lost

import (
	"slices"
	"time"
)

// NextAction is an action that the desk can take next on an item.
type NextAction string

// The actions.
const (
	AnswerAct     NextAction = "answer"       // answer the request
	DecideAct     NextAction = "decide"       // decide what to do with an item after its storage time has ended
	RefundAct     NextAction = "give-back"    // refund the fee
	RetryLabelAct NextAction = "relabel"      // retry buying a label that was rejected
	WeighAct      NextAction = "weigh"        // enter weight and size
	NameAct       NextAction = "name-owner"   // enter the owner, or how to reach them
	RenameAct     NextAction = "rename-owner" // enter a different owner
	AddressAct    NextAction = "address"      // enter the shipping address
	RemindAct     NextAction = "remind"       // send the owner another reminder
	HandOverAct   NextAction = "hand-over"
	PaidAct       NextAction = "paid" // record that the fee is paid
	LabelAct      NextAction = "label"
	ShippedAct    NextAction = "shipped"
	TrackAct      NextAction = "follow" // track the parcel
	DeliveredAct  NextAction = "delivered"
	FinishAct     NextAction = "finish" // record that the owner's choice was carried out
)

// NextActions lists the possible next actions for an item, the most useful first. The caller sets unreachable if the
// last message to the owner failed.
func (i Item) NextActions(unreachable bool, now time.Time) []NextAction {
	if i.Source == Request {
		if i.Claim.State == RequestPending {
			return []NextAction{AnswerAct}
		}
		return nil
	}
	var acts []NextAction
	tasks, _ := i.Tasks(unreachable, now)
	for _, urgent := range []struct {
		task TaskKind
		acts []NextAction
	}{
		{RefundTask, []NextAction{RefundAct}},
		{LabelTask, []NextAction{RetryLabelAct, WeighAct, AddressAct}},
		{ParcelTask, []NextAction{TrackAct}},
		{OverdueTask, []NextAction{DecideAct}},
		{UnreachableTask, []NextAction{RenameAct}},
		{DisownedTask, []NextAction{RenameAct}},
	} {
		if slices.Contains(tasks, urgent.task) {
			acts = append(acts, urgent.acts...)
		}
	}
	acts = append(acts, statusActions(i, unreachable)...)
	if i.Parcel.TrackingURL == "" {
		acts = slices.DeleteFunc(acts, func(d NextAction) bool { return d == TrackAct })
	}
	return uniqueActions(acts)
}

// uniqueActions removes duplicate actions and keeps the order.
func uniqueActions(acts []NextAction) (list []NextAction) {
	for _, d := range acts {
		if !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	return list
}

// statusActions lists the next actions that follow from the status of a found item.
func statusActions(i Item, unreachable bool) []NextAction {
	switch i.Status {
	case Pending:
		switch {
		case i.Owner.Address() == "":
			return []NextAction{NameAct, HandOverAct}
		case unreachable || !i.DisownedAt.IsZero():
			return []NextAction{HandOverAct}
		default:
			return []NextAction{RemindAct, HandOverAct}
		}
	case InfoCompleted:
		return unpaidActions(i)
	case FeePaid:
		if i.Parcel.Document(LabelPaper).File != "" {
			return []NextAction{LabelAct, ShippedAct}
		}
		return []NextAction{ShippedAct}
	case Shipped:
		return []NextAction{DeliveredAct, TrackAct}
	case Delivered:
		return []NextAction{TrackAct}
	case PickUp:
		if i.ClosedAt.IsZero() {
			return []NextAction{HandOverAct}
		}
	case Discard, Donate:
		if i.ClosedAt.IsZero() {
			return []NextAction{FinishAct}
		}
	}
	return nil
}

// unpaidActions lists the next actions for an item whose shipping fee is not paid.
func unpaidActions(i Item) []NextAction {
	_, known := i.Shipping.ParcelSize()
	switch {
	case !i.Owner.Known():
		return []NextAction{NameAct}
	case !i.Shipping.Recipient.Known():
		return []NextAction{AddressAct}
	case !i.Parcel.Offered && !known:
		return []NextAction{WeighAct, PaidAct}
	case i.Parcel.PayBy.Online() && i.Parcel.Offered && i.Owner.Address() != "":
		return []NextAction{RemindAct, PaidAct}
	default:
		return []NextAction{PaidAct}
	}
}

// taskActions lists the actions that complete each kind of task.
var taskActions = map[TaskKind][]NextAction{
	AnswerTask: {AnswerAct}, MatchTask: {AnswerAct}, PickupTask: {HandOverAct}, NextPickupTask: {HandOverAct},
	MissedTask: {HandOverAct}, ShipTask: {LabelAct, ShippedAct},
	ShippingTask: {NameAct, AddressAct, WeighAct, PaidAct}, OverdueTask: {DecideAct}, DisownedTask: {RenameAct},
	UnreachableTask: {RenameAct, AnswerAct},
	LabelTask:       {RetryLabelAct, WeighAct, AddressAct}, ParcelTask: {TrackAct, DeliveredAct},
	RefundTask: {RefundAct},
}

// NextActions lists the next actions of the task's item that complete the task, in the order of Item.NextActions.
func (t Task) NextActions(now time.Time) []NextAction {
	return slices.DeleteFunc(t.Item.NextActions(t.Kind == UnreachableTask, now), func(d NextAction) bool {
		return !slices.Contains(taskActions[t.Kind], d)
	})
}

// CheckMove returns an error if the desk should not move the item to a status, because the owner or the shipping
// address is missing. API clients may still make the move, because they may have information that the service does
// not have.
func (i Item) CheckMove(to Status) error {
	if to != InfoCompleted && to != FeePaid {
		return nil
	}
	switch {
	case !i.Owner.Known():
		return E(NoContact, "This item has no owner. Add the owner and the address first.")
	case !i.Shipping.Recipient.Known():
		return E(WrongState, "This item has no shipping address. Add the address first.")
	default:
		return nil
	}
}

// CheckReminder returns an error if the owner of an item cannot be reminded.
func CheckReminder(i Item) error {
	switch {
	case i.Owner.Address() == "":
		return E(NoContact,
			"There is no e-mail address or phone number for the owner. Add one, and the owner will be notified "+
				"automatically.")
	case i.Source == Found && !i.Held():
		return E(WrongState, "This item is no longer here. The owner has nothing left to choose.")
	default:
		return nil
	}
}

// LeftAt returns the time when an item left the desk. It is zero for requests and for items that are still at the
// desk.
func (i Item) LeftAt() time.Time {
	switch {
	case i.Source == Request || i.Held():
		return time.Time{}
	case !i.ClosedAt.IsZero():
		return i.ClosedAt
	default:
		return i.MovedAt
	}
}
