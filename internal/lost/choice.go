package lost

import (
	"cmp"
	"slices"
	"time"
)

// Choice is what a guest wants done with an item.
type Choice string

// The choices. "Not mine" is not one of them: see Disown.
const (
	ChoosePickUp Choice = "pickup"
	ChooseLeave  Choice = "leave"
	ChooseDonate Choice = "donate"
	ChooseShip   Choice = "ship"
)

// Choices lists them.
func Choices() []Choice { return []Choice{ChoosePickUp, ChooseLeave, ChooseDonate, ChooseShip} }

// Status returns the status that a choice leads to.
func (c Choice) Status() Status {
	switch c {
	case ChoosePickUp:
		return PickUp
	case ChooseLeave:
		return Discard
	case ChooseDonate:
		return Donate
	case ChooseShip:
		return InfoCompleted
	default:
		return ""
	}
}

// ChoicePatch is a guest's choice as it was sent.
type ChoicePatch struct {
	Choice Choice
	// Seen is the status that the guest saw when choosing; empty to skip the check.
	Seen       Status
	PickupDate Field[string]
	PickupTime Field[string]
	Recipient  RecipientPatch
	DecodeResult
}

// GuestMayChoose reports whether the owner may choose, or choose again: until the fee is paid, and until the desk has
// acted on the choice or made one itself.
func (i Item) GuestMayChoose() bool {
	switch i.Status {
	case Pending, InfoCompleted:
		return i.Source == Found
	case PickUp, Discard, Donate:
		return i.Source == Found && i.MovedBy == ByGuest && i.ClosedAt.IsZero()
	default:
		return false
	}
}

// Choose applies the guest's choice. It fails if the guest may no longer choose, and if the status has changed since
// the guest saw it, so that an old browser tab undoes nothing. Choosing the same again changes nothing.
func (i *Item) Choose(p ChoicePatch, l Location, now time.Time) (changed []string, err error) {
	move, recipient, err := p.read(*i, l, now)
	if err != nil {
		return nil, err
	}
	same := i.Status == move.To && i.Pickup.Date == move.PickupDate.Value && i.Pickup.Time == move.PickupTime.Value &&
		i.Shipping.Recipient == recipient
	switch {
	case same:
		return nil, nil
	case !i.GuestMayChoose():
		return nil, E(Conflict, "This can no longer be changed here.")
	case p.Seen != "" && p.Seen != i.Status:
		return nil, E(Conflict, "This item was changed in the meantime. Reload the page.")
	}
	changed, err = i.MoveTo(move, ByGuest, now)
	if err != nil {
		return nil, err
	}
	if i.Shipping.Recipient != recipient { // other choices clear it: an address that is not needed is not kept
		i.Shipping.Recipient = recipient
		changed = append(changed, "shipping.recipient")
	}
	if !i.DisownedAt.IsZero() { // choosing says that it is theirs
		i.DisownedAt = time.Time{}
		changed = append(changed, "disownedAt")
	}
	if len(changed) > 0 {
		i.UpdatedAt = now
	}
	return changed, nil
}

// read validates what was sent about an item, or returns everything that is wrong with it.
func (p ChoicePatch) read(i Item, l Location, now time.Time) (m Move, r Recipient, err error) {
	c := &check{slices.Clone(p.Problems)}
	m.To = p.Choice.Status()
	switch p.Choice {
	case ChoosePickUp:
		m.PickupDate, m.PickupTime = p.PickupDate, p.PickupTime
		c.date(p.PickupDate, "pickupDate", &m.PickupDate.Value)
		c.timeOfDay(p.PickupTime, "pickupTime", &m.PickupTime.Value)
		c.required("pickupDate", p.PickupDate.Value)
		c.required("pickupTime", p.PickupTime.Value)
		c.pickup(i, m, l, now)
	case ChooseShip:
		r = c.recipient(p.Recipient)
		if _, ships := i.CanShip(l); !ships {
			c.Add("choice", "not-shipped", "is not available: this item cannot be shipped")
		}
	case ChooseLeave, ChooseDonate:
	default:
		c.Add("choice", "not-allowed", "must be one of %s", Quoted(Choices()))
	}
	return m, r, c.Err()
}

// MaxPickupAhead is how many days ahead a pick-up may be if the location has no storage duration.
const MaxPickupAhead = 365

// PickupDays returns the first and the last day on which the owner can pick the item up. If last is before first, there
// is none.
func (i Item) PickupDays(l Location, now time.Time) (first, last string) {
	here := now.In(zone(l.TimeZone))
	first = here.Format(DateForm)
	if l.Pickup.To != "" && here.Format(TimeForm) >= l.Pickup.To {
		first = here.AddDate(0, 0, 1).Format(DateForm)
	}
	last = here.AddDate(0, 0, MaxPickupAhead).Format(DateForm)
	if until := i.StoreUntil(); until != "" {
		last = min(last, until)
	}
	return first, last
}

// pickup refuses a day that has passed or is too late, and a time outside the pick-up window.
func (c *check) pickup(i Item, m Move, l Location, now time.Time) {
	day, hour := m.PickupDate.Value, m.PickupTime.Value
	if c.Has("pickupDate") || c.Has("pickupTime") {
		return
	}
	here := now.In(zone(l.TimeZone))
	today := here.Format(DateForm)
	_, last := i.PickupDays(l, now)
	until := i.StoreUntil()
	switch {
	case day < today:
		c.Add("pickupDate", "past", "has passed; choose today or a later day")
	case until != "" && day > until:
		c.Add("pickupDate", "after-store-until", "is later than the item is kept; choose a day until %s", until)
	case day > last:
		c.Add("pickupDate", "too-far", "is too far away; choose a day until %s", last)
	}
	switch {
	case l.Pickup.From != "" && hour < l.Pickup.From || l.Pickup.To != "" && hour > l.Pickup.To:
		c.Add("pickupTime", "outside-window", "must be between %s and %s", cmp.Or(l.Pickup.From, "00:00"),
			cmp.Or(l.Pickup.To, "23:59"))
	case day == today && hour <= here.Format(TimeForm):
		c.Add("pickupTime", "past", "has passed; choose a later time")
	}
}

// Disown records that the notified person says that the item is not theirs. It reports whether anything changed.
func (i *Item) Disown(now time.Time) (bool, error) {
	if i.Source != Found || i.Status != Pending {
		return false, E(Conflict, "This can no longer be changed here.")
	}
	if !i.DisownedAt.IsZero() {
		return false, nil
	}
	i.DisownedAt, i.UpdatedAt = now, now
	return true, nil
}
