package lost

import (
	"slices"
	"time"
)

// Act is something that the desk can do next with an item.
type Act string

// The acts.
const (
	AnswerAct    Act = "answer"       // the request
	DecideAct    Act = "decide"       // where an item goes whose storage time is over
	GiveBackAct  Act = "give-back"    // the fee
	RelabelAct   Act = "relabel"      // retry buying a label that was refused
	WeighAct     Act = "weigh"        // enter weight and size
	NameAct      Act = "name-owner"   // enter the owner, or how to reach them
	RenameAct    Act = "rename-owner" // enter another owner
	AddressAct   Act = "address"      // enter the shipping address
	RemindAct    Act = "remind"       // write to the owner once more
	HandOverAct  Act = "hand-over"
	PaidAct      Act = "paid" // record that the fee is paid
	LabelAct     Act = "label"
	ShippedAct   Act = "shipped"
	FollowAct    Act = "follow" // track the parcel
	DeliveredAct Act = "delivered"
	FinishAct    Act = "finish" // record that the owner's choice was carried out
)

// Acts lists what can be done next with an item, the most sensible first. Unreachable says that the last message to the
// owner failed.
func (i Item) Acts(unreachable bool, now time.Time) []Act {
	if i.Source == Request {
		if i.Claim.State == RequestPending {
			return []Act{AnswerAct}
		}
		return nil
	}
	var acts []Act
	tasks, _ := i.Tasks(unreachable, now)
	for _, urgent := range []struct {
		task TaskKind
		acts []Act
	}{
		{RefundTask, []Act{GiveBackAct}},
		{LabelTask, []Act{RelabelAct, WeighAct, AddressAct}},
		{ParcelTask, []Act{FollowAct}},
		{OverdueTask, []Act{DecideAct}},
		{UnreachableTask, []Act{RenameAct}},
		{DisownedTask, []Act{RenameAct}},
	} {
		if slices.Contains(tasks, urgent.task) {
			acts = append(acts, urgent.acts...)
		}
	}
	acts = append(acts, i.usual(unreachable)...)
	if i.Parcel.TrackingURL == "" {
		acts = slices.DeleteFunc(acts, func(d Act) bool { return d == FollowAct })
	}
	return once(acts)
}

// once removes repeated actions and keeps the order.
func once(acts []Act) (list []Act) {
	for _, d := range acts {
		if !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	return list
}

// usual lists what can be done next with a found item, by its status.
func (i Item) usual(unreachable bool) []Act {
	switch i.Status {
	case Pending:
		switch {
		case i.Owner.Address() == "":
			return []Act{NameAct, HandOverAct}
		case unreachable || !i.DisownedAt.IsZero():
			return []Act{HandOverAct}
		default:
			return []Act{RemindAct, HandOverAct}
		}
	case InfoCompleted:
		return i.untilPaid()
	case FeePaid:
		if i.Parcel.Document(LabelPaper).File != "" {
			return []Act{LabelAct, ShippedAct}
		}
		return []Act{ShippedAct}
	case Shipped:
		return []Act{DeliveredAct, FollowAct}
	case Delivered:
		return []Act{FollowAct}
	case PickUp:
		if i.ClosedAt.IsZero() {
			return []Act{HandOverAct}
		}
	case Discard, Donate:
		if i.ClosedAt.IsZero() {
			return []Act{FinishAct}
		}
	}
	return nil
}

// untilPaid lists what can be done while the fee is not paid. The desk may have to set the price.
func (i Item) untilPaid() []Act {
	_, known := i.Load()
	switch {
	case !i.Owner.Known():
		return []Act{NameAct}
	case !i.Shipping.Recipient.Known():
		return []Act{AddressAct}
	case !i.Parcel.Offered && !known:
		return []Act{WeighAct, PaidAct}
	case i.Parcel.PayBy.Online() && i.Parcel.Offered && i.Owner.Address() != "":
		return []Act{RemindAct, PaidAct}
	default:
		return []Act{PaidAct}
	}
}

// does lists the actions that complete each kind of task.
var does = map[TaskKind][]Act{
	AnswerTask: {AnswerAct}, MatchTask: {AnswerAct}, PickupTask: {HandOverAct}, NextPickupTask: {HandOverAct},
	MissedTask: {HandOverAct}, ShipTask: {LabelAct, ShippedAct},
	ShippingTask: {NameAct, AddressAct, WeighAct, PaidAct}, OverdueTask: {DecideAct}, DisownedTask: {RenameAct},
	UnreachableTask: {RenameAct, AnswerAct},
	LabelTask:       {RelabelAct, WeighAct, AddressAct}, ParcelTask: {FollowAct, DeliveredAct},
	RefundTask: {GiveBackAct},
}

// Acts lists the actions that are possible for the task's item and complete the task, in their order.
func (t Task) Acts(now time.Time) []Act {
	return slices.DeleteFunc(t.Item.Acts(t.Kind == UnreachableTask, now), func(d Act) bool {
		return !slices.Contains(does[t.Kind], d)
	})
}

// Advises returns nil, or why the desk should not move an item to a status: there would be nobody to send it to. It is
// advice, not a rule: a client program that knows more may move the item.
func (i Item) Advises(to Status) error {
	if to != InfoCompleted && to != FeePaid {
		return nil
	}
	switch {
	case !i.Owner.Known():
		return E(Conflict, "This item has no owner. Add the owner and the address first.")
	case !i.Shipping.Recipient.Known():
		return E(Conflict, "This item has no shipping address. Add the address first.")
	default:
		return nil
	}
}

// Reminds returns nil, or why the owner of an item cannot be reminded.
func (i Item) Reminds() error {
	switch {
	case i.Owner.Address() == "":
		return E(Conflict,
			"This item has no owner with an e-mail address or phone number. Add one; the owner is then notified "+
				"automatically.")
	case i.Source == Found && !i.Held():
		return E(Conflict, "This item is gone. The owner has nothing left to choose.")
	default:
		return nil
	}
}

// GoneAt is when an item left the desk; zero while it is there, and for requests.
func (i Item) GoneAt() time.Time {
	switch {
	case i.Source == Request || i.Held():
		return time.Time{}
	case !i.ClosedAt.IsZero():
		return i.ClosedAt
	default:
		return i.MovedAt
	}
}
