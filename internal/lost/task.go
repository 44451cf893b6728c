package lost

import (
	"cmp"
	"slices"
	"time"
)

// TaskKind is a kind of task.
type TaskKind string

// The kinds of task.
const (
	AnswerTask TaskKind = "answer-request" // a request must be decided
	MatchTask  TaskKind = "confirm-match"  // a found item is a likely match for a request
	ReplyTask  TaskKind = "answer-message" // the guest wrote and waits for an answer
	PickupTask TaskKind = "pickup-today"   // the pick-up is today
	// NextPickupTask is a pick-up in the next few days. It is not due yet, so it does not appear in the API or in
	// e-mails.
	NextPickupTask  TaskKind = "pickup-next"
	MissedTask      TaskKind = "pickup-missed"   // the pick-up day has passed, and the desk has not closed the item
	ShipTask        TaskKind = "ship"            // shipping is paid, but the item is not shipped
	ShippingTask    TaskKind = "shipping-wanted" // the owner entered an address; the desk sets the price
	OverdueTask     TaskKind = "store-until"     // the storage time has ended
	DisownedTask    TaskKind = "not-theirs"      // the notified person says that it is not theirs
	UnreachableTask TaskKind = "unreachable"     // the message to the owner was rejected or bounced
	SilentTask      TaskKind = "guest-silent"    // the guest has not answered the desk, not even after a reminder
	LabelTask       TaskKind = "label-refused"   // shipping is paid, but the carrier rejected the parcel
	ParcelTask      TaskKind = "parcel-trouble"  // the carrier is returning the parcel or has lost it
	RefundTask      TaskKind = "refund-due"      // a refund failed, or the desk has to pay a fee back
)

// TaskKinds lists the kinds of due tasks, the most urgent first: people at the desk, open requests, paid shipments,
// and finally items that only take up space.
func TaskKinds() []TaskKind {
	return []TaskKind{
		PickupTask, ReplyTask, MatchTask, AnswerTask, ShipTask, LabelTask, ParcelTask, RefundTask, ShippingTask,
		MissedTask, UnreachableTask, SilentTask, DisownedTask, OverdueTask,
	}
}

// pickupLookahead is the number of days for which future pick-ups are shown: tomorrow and the following week.
const pickupLookahead = 8

// TaskReason returns the reason for a task of this kind, or an empty string if there is none.
func (i Item) TaskReason(kind TaskKind) string {
	switch p := i.Parcel; {
	case p.Problem(kind) != "":
		return p.Problem(kind)
	case kind == RefundTask:
		return "The fee was paid, but the item is not shipped. Refund the fee or ship the item."
	case kind != ShippingTask:
		return ""
	case p.PayBy == PayDesk && p.Price.Known():
		return "The owner has agreed to pay " + p.Price.String() + "."
	default:
		return p.Unpriced
	}
}

// Task is something that a location's desk has to do. A task disappears automatically when it is done.
type Task struct {
	Account    string
	LocationID string
	ItemID     string
	Kind       TaskKind
	Since      time.Time
	Item       Item // current data
	// LocationName is only set in task lists for several locations.
	LocationName string
}

// IsDue reports whether a task is due.
func (k TaskKind) IsDue() bool { return k != NextPickupTask }

// IsPickup reports whether a task is a pick-up. The owner may change its time.
func (k TaskKind) IsPickup() bool { return k == PickupTask || k == NextPickupTask }

// Order returns the time by which a task of this kind is sorted. Pick-ups are sorted by their time, overdue items by
// the last day of their storage, and other tasks by age. A pick-up without a time is sorted as if it were at midnight.
func (k TaskKind) Order(i Item, since time.Time) time.Time {
	if k == OverdueTask {
		if day, err := time.ParseInLocation(DateLayout, i.StoreUntil(), i.Terms.Zone()); err == nil {
			return day
		}
	}
	if !k.IsPickup() {
		return since
	}
	if at, err := time.ParseInLocation(DateLayout+" "+TimeLayout, i.Pickup.Date+" "+cmp.Or(i.Pickup.Time, "00:00"),
		i.Terms.Zone()); err == nil {
		return at
	}
	return since
}

// TaskGroup contains the first tasks of one kind, and the total number of tasks of that kind.
type TaskGroup struct {
	Kind  TaskKind
	Tasks []Task // sorted by TaskKind.Order
	Total
}

// Tasks lists the tasks of an item. The result next is when the list will next change because time passes, or zero if
// it will not. The caller sets unreachable if the last message to the owner failed.
func (i Item) Tasks(unreachable bool, now time.Time) (kinds []TaskKind, next time.Time) {
	location := i.Terms.Zone()
	from := func(day string, days int, kind TaskKind) { // adds a task that starts a number of days after a date
		at, err := time.ParseInLocation(DateLayout, day, location)
		if err != nil {
			return
		}
		if at = at.AddDate(0, 0, days); at.After(now) {
			next = at
			return
		}
		kinds = append(kinds, kind)
	}
	if i.Source == Request {
		return requestTasks(i, unreachable), next
	}
	switch i.Status {
	case PickUp:
		if AwaitsPickup(i) {
			from(i.Pickup.Date, 1, MissedTask)
			from(i.Pickup.Date, 0, PickupTask)
			from(i.Pickup.Date, -pickupLookahead, NextPickupTask)
			kinds = kinds[:min(len(kinds), 1)] // keep only the latest task that has started
		}
	case FeePaid:
		if i.Parcel.Problem(LabelTask) == "" && i.Parcel.Problem(ParcelTask) == "" { // otherwise that is the task
			kinds = append(kinds, ShipTask)
		}
	case InfoCompleted:
		from(i.StoreUntil(), 1, OverdueTask)
		if !i.Parcel.PayBy.Online() || !i.Parcel.Offered { // otherwise the desk waits until the owner pays
			kinds = append(kinds, ShippingTask)
		}
	case Pending:
		from(i.StoreUntil(), 1, OverdueTask)
		if !i.DisownedAt.IsZero() {
			kinds = append(kinds, DisownedTask)
		}
	}
	kinds = append(kinds, i.Parcel.tasks(i.Status)...)
	if unreachable && (i.Status == Pending || i.Status == PickUp) {
		kinds = append(kinds, UnreachableTask)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds), next
}

// requestTasks lists the tasks of a request; see Tasks.
func requestTasks(i Item, unreachable bool) (kinds []TaskKind) {
	if i.Claim.State == RequestPending {
		kinds = append(kinds, AnswerTask)
	}
	if unreachable && i.Claim.State != RequestWithdrawn {
		kinds = append(kinds, UnreachableTask)
	}
	return kinds
}

// MayChangeTasks reports whether a change to an item may add or remove a message to the owner or the finder, or a task.
func MayChangeTasks(before, i Item) bool {
	return i.Status != before.Status || i.Pickup != before.Pickup || i.DiscoveryDate != before.DiscoveryDate ||
		i.Claim.State != before.Claim.State || !i.Claim.TrackerUntil.Equal(before.Claim.TrackerUntil) ||
		i.Owner.Address() != before.Owner.Address() || i.Owner.Known() != before.Owner.Known() ||
		!i.ClosedAt.Equal(before.ClosedAt) || !i.DisownedAt.Equal(before.DisownedAt) ||
		!i.Parcel.Equal(before.Parcel) || !i.SameKeeping(before) || i.Finder.Address() != before.Finder.Address()
}
