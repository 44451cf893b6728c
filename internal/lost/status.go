package lost

import (
	"slices"
	"time"
)

// Status is the status of a found item.
type Status string

// The statuses. A new item is Pending.
const (
	Pending       Status = "PENDING"
	InfoCompleted Status = "INFO COMPLETED"
	FeePaid       Status = "FEE PAID"
	Shipped       Status = "SHIPPED"
	Delivered     Status = "DELIVERED"
	Discard       Status = "DISCARD"
	PickUp        Status = "PICKUP"
	Donate        Status = "DONATE"
)

// Statuses lists all statuses in their usual order.
func Statuses() []Status {
	return []Status{Pending, InfoCompleted, FeePaid, Shipped, Delivered, Discard, PickUp, Donate}
}

// GivesAway reports whether an item with the status is lost to its owner.
func (s Status) GivesAway() bool { return s == Discard || s == Donate }

// forward lists the usual next statuses of an item and its parcel. The desk may set any status. For guests who change
// their choice, see GuestMayChoose.
func (s Status) forward() []Status {
	switch s {
	case Pending:
		return []Status{InfoCompleted, PickUp, Discard, Donate}
	case InfoCompleted:
		return []Status{FeePaid, PickUp, Discard, Donate}
	case FeePaid:
		return []Status{Shipped, Delivered}
	case Shipped:
		return []Status{Delivered}
	default:
		return nil
	}
}

// CanMoveTo reports whether a guest's first choice or an automatic step may change the status from s to next.
func (s Status) CanMoveTo(next Status) bool { return slices.Contains(s.forward(), next) }

// MovePatch is a status change as received from the client.
type MovePatch struct {
	Status, PickupDate, PickupTime, TrackingNumber, Note Field[string]
	Closed                                               Field[bool]
	// Advised makes the move fail if Item.CheckMove returns an error.
	Advised bool
	// Seen is the item's UpdatedAt when the user loaded it. If it is zero, the check for later changes is skipped.
	Seen time.Time
	DecodeResult
}

// Move is a valid status change.
type Move struct {
	To                                     Status
	PickupDate, PickupTime, TrackingNumber Field[string] // null clears the field
	Closed                                 Field[bool]   // the desk has carried out the choice
	Note                                   string
}

// Move validates the patch. The error lists all problems.
func (p MovePatch) Move() (Move, error) {
	var m Move
	c := &check{slices.Clone(p.Problems)}
	oneOf(c, p.Status, "status", Statuses(), &m.To)
	if m.To == "" && !c.Has("status") {
		c.Add("status", "required", "is required and must be one of %s", Quoted(Statuses()))
	}
	m.PickupDate, m.PickupTime = p.PickupDate, p.PickupTime
	m.TrackingNumber, m.Closed = p.TrackingNumber, p.Closed
	c.date(p.PickupDate, "pickupDate", &m.PickupDate.Value)
	c.timeOfDay(p.PickupTime, "pickupTime", &m.PickupTime.Value)
	c.line(p.TrackingNumber, "trackingNumber", MaxShort, &m.TrackingNumber.Value)
	c.prose(p.Note, "note", MaxDescription, &m.Note)
	m.checkDetails(c)
	return m, c.Err()
}

// BulkMovePatch is a new status of several items, as received from the client.
type BulkMovePatch struct {
	IDs    Field[[]string]
	Status Field[string]
	DecodeResult
}

// Read returns the ids, which may contain duplicates, and the change of each item.
func (p BulkMovePatch) Read() (ids []string, move MovePatch, err error) {
	move = MovePatch{Status: p.Status, DecodeResult: p.DecodeResult}
	_, err = move.Move()
	c := &check{slices.Clone(ProblemsOf(err))}
	c.bulk(p.IDs.Sent, len(p.IDs.Value), "ids")
	return p.IDs.Value, move, c.Err()
}

// checkDetails adds a problem for details that do not belong to the status.
func (m Move) checkDetails(c *check) {
	if m.To == "" {
		return
	}
	const onlyPickup = "is only allowed with status PICKUP"
	if m.PickupDate.Value != "" && m.To != PickUp {
		c.Add("pickupDate", "not-with-status", onlyPickup)
	}
	if m.PickupTime.Value != "" && m.To != PickUp {
		c.Add("pickupTime", "not-with-status", onlyPickup)
	}
	if m.Closed.Value && m.To != PickUp && m.To != Discard && m.To != Donate {
		c.Add("closed", "not-with-status", "is only allowed with status PICKUP, DISCARD or DONATE")
	}
	if m.TrackingNumber.Value != "" && m.To != FeePaid && m.To != Shipped && m.To != Delivered {
		c.Add("trackingNumber", "not-with-status", "is only allowed with status FEE PAID, SHIPPED or DELIVERED")
	}
}

// MoveTo changes the item's status and returns the names of the changed fields. If the item already has the status,
// new details such as a date or a tracking number are still set.
func (i *Item) MoveTo(m Move, by ActorKind, now time.Time) (changed []string, err error) {
	if i.Source == Request {
		return nil, E(WrongState, "This is a request and has no status to change. Accept or reject it.")
	}
	before := *i
	i.Status = m.To
	if i.Status != PickUp {
		i.Pickup = Pickup{}
	}
	m.PickupDate.setOn(&i.Pickup.Date)
	m.PickupTime.setOn(&i.Pickup.Time)
	m.TrackingNumber.setOn(&i.Shipping.TrackingNumber)
	if before.Status != i.Status {
		changed = append(changed, "status")
		i.Destination = ""
	}
	if before.Pickup != i.Pickup {
		changed = append(changed, "pickup")
		if err := checkPickupTime(*i); err != nil {
			*i = before
			return nil, err
		}
	}
	if len(changed) > 0 {
		i.Pickup.Planned = i.Pickup.ahead(i.Terms.TimeZone, now)
		i.MovedBy, i.MovedAt, i.ClosedAt = by, now, time.Time{}
		i.Parcel.clearSolvedBy(i.Status)
	}
	if m.Closed.Sent && m.Closed.Value != !i.ClosedAt.IsZero() {
		i.ClosedAt = time.Time{}
		if m.Closed.Value {
			i.ClosedAt = now
		}
	}
	if !before.ClosedAt.Equal(i.ClosedAt) {
		changed = append(changed, "closedAt")
	}
	if i.Hold != "" && !i.Held() { // it is no longer at the desk, so it cannot be on hold
		i.Hold = ""
		changed = append(changed, "hold")
	}
	if before.Shipping.TrackingNumber != i.Shipping.TrackingNumber {
		changed = append(changed, "shipping.trackingNumber")
	}
	if len(changed) > 0 {
		i.UpdatedAt = now
	}
	return changed, nil
}

// checkPickupTime returns an error if the clock at the location never shows the time of the pick-up on its day.
func checkPickupTime(i Item) error {
	c := &check{}
	if p := i.Pickup; p.Date != "" && p.Time != "" && clockSkips(zone(i.Terms.TimeZone), p.Date, p.Time) {
		c.skippedTime()
	}
	return c.Err()
}

// ahead reports whether a pick-up is in the future. A pick-up today without a time counts as past, because a planned
// pick-up today has a time.
func (p Pickup) ahead(timeZone string, now time.Time) bool {
	here := now.In(zone(timeZone))
	today := here.Format(DateLayout)
	return p.Date > today || p.Date == today && p.Time > here.Format(TimeLayout)
}

// OwnerState tells how far the desk has got with the owner of a pending found item. It has no meaning for other items.
type OwnerState string

// The owner states.
const (
	// NoOwner means that nobody was told: no owner or address is known, or the message failed or was only saved.
	NoOwner   OwnerState = "no-owner"
	OwnerTold OwnerState = "told"      // the owner was told, and can still answer before the last reminder
	NoAnswer  OwnerState = "no-answer" // the owner has not chosen, although the last reminder is due
)

// OwnerStates lists the owner states in the order of an item's progress.
func OwnerStates() []OwnerState { return []OwnerState{NoOwner, OwnerTold, NoAnswer} }

// answerDays is how long an owner is given to answer at a location that sends no reminders after the notice.
const answerDays = 7

// AwaitsOwner reports whether an item is a pending found item, which has an owner state.
func AwaitsOwner(i Item) bool { return i.Source == Found && i.Status == Pending }

// ToldState returns the owner state of an item whose owner is notified now, if there is an address.
func ToldState(i Item) OwnerState {
	if i.Owner.Address() == "" || !i.DisownedAt.IsZero() {
		return NoOwner
	}
	return OwnerTold
}

// OwnerState returns the owner state of an item with the given messages, newest first, and when it will next change
// because time passes. The time is zero if it will not.
func (l ReminderSchedule) OwnerState(i Item, messages []Message, now time.Time) (state OwnerState, next time.Time) {
	_, failed := i.Owner.DeliveryProblem(messages)
	if failed || !AwaitsOwner(i) || ToldState(i) == NoOwner || !i.Owner.isTold(messages) {
		return NoOwner, time.Time{}
	}
	until := l.answerUntil(i, i.Owner.NotifiedAt(messages))
	switch {
	case until.IsZero():
		return OwnerTold, time.Time{}
	case until.After(now):
		return OwnerTold, until
	default:
		return NoAnswer, time.Time{}
	}
}

// isTold reports whether the owner has a notice that was sent or is about to be. A message that is only saved does not
// count, and neither does a decision that can still be undone.
func (o Owner) isTold(messages []Message) bool {
	return slices.ContainsFunc(messages, func(m Message) bool {
		return (m.Kind == NoticeMessage || m.Kind == MatchMessage) && SameAddress(m.To, o.Address()) &&
			(m.State == MessageSent || m.State == MessageWaiting) && !m.Provisional()
	})
}

// answerUntil returns when an owner who was notified at a time has not answered: with the last reminder after the
// notice. It returns zero if the owner was not notified.
func (l ReminderSchedule) answerUntil(i Item, noticed time.Time) time.Time {
	if noticed.IsZero() {
		return noticed
	}
	days := answerDays
	if len(l.AfterNotice) > 0 {
		days = slices.Max(l.AfterNotice)
	}
	at := noticed.In(i.Terms.Zone())
	return time.Date(at.Year(), at.Month(), at.Day()+days, reminderHour, 0, 0, 0, at.Location())
}
