package lost

import (
	"slices"
	"time"
)

// Act is something that the desk can do next about an item.
type Act string

// The acts.
const (
	AnswerAct    Act = "answer"       // the request
	DecideAct    Act = "decide"       // where an item goes whose time is over
	GiveBackAct  Act = "give-back"    // the fee
	RelabelAct   Act = "relabel"      // buy the label once more that was refused
	WeighAct     Act = "weigh"        // say how heavy and large it is
	NameAct      Act = "name-owner"   // say whose it is, or how they are reached
	RenameAct    Act = "rename-owner" // say whose it is instead
	AddressAct   Act = "address"      // say where it is sent
	RemindAct    Act = "remind"       // write to the owner once more
	HandOverAct  Act = "hand-over"
	PaidAct      Act = "paid" // note that the fee is paid
	LabelAct     Act = "label"
	ShippedAct   Act = "shipped"
	FollowAct    Act = "follow" // look where the parcel is
	DeliveredAct Act = "delivered"
	FinishAct    Act = "finish" // note that what the owner chose is done
)

// Acts lists what can be done next about an item as it stands, the most sensible first. unreachable says that the last message to
// the owner came to nothing.
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

// once leaves each act where it stands first.
func once(acts []Act) (list []Act) {
	for _, d := range acts {
		if !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	return list
}

// usual lists what can be done next about an item that was found, by its status.
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

// untilPaid lists what can be done while the fee is not paid. What it costs may be the desk's to say.
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

// does lists what each kind of task is done with.
var does = map[TaskKind][]Act{
	AnswerTask: {AnswerAct}, MatchTask: {AnswerAct}, PickupTask: {HandOverAct}, NextPickupTask: {HandOverAct}, MissedTask: {HandOverAct}, ShipTask: {LabelAct, ShippedAct},
	ShippingTask: {NameAct, AddressAct, WeighAct, PaidAct}, OverdueTask: {DecideAct}, DisownedTask: {RenameAct}, UnreachableTask: {RenameAct, AnswerAct},
	LabelTask: {RelabelAct, WeighAct, AddressAct}, ParcelTask: {FollowAct, DeliveredAct}, RefundTask: {GiveBackAct},
}

// Acts lists what a task can be done with: those of all that can be done about its item that are about it, in their order.
func (t Task) Acts(now time.Time) []Act {
	return slices.DeleteFunc(t.Item.Acts(t.Kind == UnreachableTask, now), func(d Act) bool { return !slices.Contains(does[t.Kind], d) })
}

// Advises is nil, or why the desk is not advised to move an item to a status: there would be nobody to send it to. It is no
// rule: a client program that knows more may move it all the same.
func (i Item) Advises(to Status) error {
	if to != InfoCompleted && to != FeePaid {
		return nil
	}
	switch {
	case !i.Owner.Known():
		return E(Conflict, "Nobody knows whose it is. Add the owner and the address first.")
	case !i.Shipping.Recipient.Known():
		return E(Conflict, "Nobody knows where it is to be sent. Add the address first.")
	default:
		return nil
	}
}

// Reminds is nil, or why there is nothing left to write to the owner of an item about.
func (i Item) Reminds() error {
	switch {
	case i.Owner.Address() == "":
		return E(Conflict, "This item has no owner with an e-mail address or phone number. Set one; it is told by itself then.")
	case i.Source == Found && !i.Held():
		return E(Conflict, "It is not here any more. There is nothing left for the owner to choose.")
	default:
		return nil
	}
}

// GoneAt is when an item left the desk; zero while it is there, and for what was not found.
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
