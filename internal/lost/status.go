package lost

import (
	"slices"
	"time"
)

// Status is where an item stands on its way home.
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

// Statuses lists all of them, in the order of the way.
func Statuses() []Status {
	return []Status{Pending, InfoCompleted, FeePaid, Shipped, Delivered, Discard, PickUp, Donate}
}

// forward lists the moves that a guest's choice or an automatic step may make.
// The desk is not bound by it: it knows best.
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

// Leads tells whether a guest or an automatic step may go from s to next.
func (s Status) Leads(next Status) bool { return slices.Contains(s.forward(), next) }

// MovePatch is a change of status as it was sent.
type MovePatch struct {
	Status, PickupDate, PickupTime, TrackingNumber, Note Field[string]
	Received
}

// Move is a change of status that was understood.
type Move struct {
	To             Status
	Pickup         Pickup
	TrackingNumber string
	Note           string
}

// Move checks what was sent, or says everything that is wrong with it.
func (p MovePatch) Move() (Move, error) {
	var m Move
	c := &check{slices.Clone(p.Problems)}
	oneOf(c, p.Status, "status", Statuses(), &m.To)
	if m.To == "" && !c.Has("status") {
		c.Add("status", "required", "is required and must be one of %s", Quoted(Statuses()))
	}
	c.date(p.PickupDate, "pickupDate", &m.Pickup.Date)
	c.timeOfDay(p.PickupTime, "pickupTime", &m.Pickup.Time)
	c.line(p.TrackingNumber, "trackingNumber", MaxShort, &m.TrackingNumber)
	c.prose(p.Note, "note", MaxDescription, &m.Note)
	if m.To != "" && m.To != PickUp {
		const only = "goes only with status PICKUP"
		if m.Pickup.Date != "" {
			c.Add("pickupDate", "not-with-status", only)
		}
		if m.Pickup.Time != "" {
			c.Add("pickupTime", "not-with-status", only)
		}
	}
	if m.TrackingNumber != "" && m.To != "" && m.To != FeePaid && m.To != Shipped && m.To != Delivered {
		c.Add("trackingNumber", "not-with-status", "goes only with status FEE PAID, SHIPPED or DELIVERED")
	}
	return m, c.Err()
}

// MoveTo changes the item's status. Setting the status it already has changes no
// status; details that come along and are new (a date, a tracking number) are kept all the same.
func (i *Item) MoveTo(m Move, now time.Time) (changed []string, err error) {
	if i.Source == Request {
		return nil, E(Conflict, "This is a request; it is answered, not moved to another status.")
	}
	before := *i
	i.Status = m.To
	if i.Status != PickUp {
		i.Pickup = Pickup{}
	}
	if m.Pickup.Date != "" {
		i.Pickup.Date = m.Pickup.Date
	}
	if m.Pickup.Time != "" {
		i.Pickup.Time = m.Pickup.Time
	}
	if m.TrackingNumber != "" {
		i.Shipping.TrackingNumber = m.TrackingNumber
	}
	if before.Status != i.Status {
		changed = append(changed, "status")
	}
	if before.Pickup != i.Pickup {
		changed = append(changed, "pickup")
	}
	if before.Shipping.TrackingNumber != i.Shipping.TrackingNumber {
		changed = append(changed, "shipping.trackingNumber")
	}
	if len(changed) > 0 {
		i.UpdatedAt = now
	}
	return changed, nil
}
