package lost

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Choice is a guest's decision about an item.
type Choice string

// The choices. For "not mine", see Disown.
const (
	ChoosePickUp Choice = "pickup"
	ChooseLeave  Choice = "leave"
	ChooseDonate Choice = "donate"
	ChooseShip   Choice = "ship"
)

// Choices lists all choices.
func Choices() []Choice { return []Choice{ChoosePickUp, ChooseLeave, ChooseDonate, ChooseShip} }

// Status returns the status that a choice leads to, or an empty string for an unknown choice.
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

// ChoicePatch is a guest's choice as received from the client.
type ChoicePatch struct {
	Choice Choice
	// Seen is the status that the guest saw when choosing. If it is empty, the check for later changes is skipped.
	Seen       Status
	PickupDate Field[string]
	PickupTime Field[string]
	Recipient  RecipientPatch
	DecodeResult
}

// GuestMayChoose reports whether the owner may make or change a choice. This is possible until the fee is paid, the
// desk has carried out the choice, or the desk has made a choice itself.
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

// Choose applies the guest's choice. It returns an error if the guest may no longer choose, or if the status has
// changed since the guest loaded the page, so that an old browser tab cannot overwrite a newer choice. Repeating the
// same choice has no effect.
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
		return nil, E(WrongState, "This can no longer be changed here.")
	case p.Seen != "" && p.Seen != i.Status:
		return nil, E(Conflict, "This item was changed in the meantime. Reload the page.")
	}
	changed, err = i.MoveTo(move, ByGuest, now)
	if err != nil {
		return nil, err
	}
	if i.Shipping.Recipient != recipient { // other choices clear the address, because it is no longer needed
		i.Shipping.Recipient = recipient
		changed = append(changed, "shipping.recipient")
	}
	if !i.DisownedAt.IsZero() { // by choosing, the owner confirms that the item is theirs
		i.DisownedAt = time.Time{}
		changed = append(changed, "disownedAt")
	}
	if len(changed) > 0 {
		i.UpdatedAt = now
	}
	return changed, nil
}

// read validates the choice for an item. It returns the status change and, for shipping, the recipient. The error
// lists all problems.
func (p ChoicePatch) read(i Item, l Location, now time.Time) (m Move, r Recipient, err error) {
	c := &check{slices.Clone(p.Problems)}
	m.To = p.Choice.Status()
	switch p.Choice {
	case ChoosePickUp:
		m.PickupDate, m.PickupTime = p.PickupDate, p.PickupTime
		c.date(p.PickupDate, "pickupDate", &m.PickupDate.Value)
		c.timeOfDay(p.PickupTime, "pickupTime", &m.PickupTime.Value)
		c.Require("pickupDate", p.PickupDate.Value)
		c.Require("pickupTime", p.PickupTime.Value)
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

// MaxPickupAhead is the maximum number of days that a pick-up can be planned in advance.
const MaxPickupAhead = 365

// PickupDays returns the first and the last day on which the owner can pick the item up. If last is before first, no
// day is possible.
func (i Item) PickupDays(l Location, now time.Time) (first, last string) {
	here := now.In(zone(l.TimeZone))
	first = here.Format(DateLayout)
	if l.Pickup.To != "" && here.Format(TimeLayout) >= l.Pickup.To && !l.Pickup.PastMidnight() {
		first = here.AddDate(0, 0, 1).Format(DateLayout)
	}
	last = here.AddDate(0, 0, MaxPickupAhead).Format(DateLayout)
	if until := i.StoreUntil(); until != "" {
		last = min(last, until)
	}
	if len(l.OpeningHours) > 0 {
		first = here.Format(DateLayout)
	}
	for first <= last && !l.opensAfter(first, here) {
		first = AddDays(first, 1)
	}
	return first, last
}

// ClosedAt reports whether a planned pick-up is outside the opening hours, or during a closure. The window pickupTime
// does not count, because it is only a guide for guests.
func (l Location) ClosedAt(p Pickup) bool {
	return len(l.OpeningHours)+len(l.Closures) > 0 && !l.OpenAt(p.Date, p.Time)
}

// opensAfter reports whether guests can pick up items on a day after a time, which is in the location's time zone.
func (l Location) opensAfter(day string, here time.Time) bool {
	today, now := here.Format(DateLayout), here.Format(TimeLayout)
	if l.Slots.Minutes > 0 {
		return slices.ContainsFunc(l.SlotsOn(day, nil), func(s Slot) bool { return day > today || s.Time > now })
	}
	return slices.ContainsFunc(l.HoursOn(day), func(w PickupWindow) bool {
		return len(l.OpeningHours) == 0 || day > today || w.To > now
	})
}

// pickup adds a problem for a day that is in the past, too late or closed, and for a time that guests cannot choose.
func (c *check) pickup(i Item, m Move, l Location, now time.Time) {
	day, hour := m.PickupDate.Value, m.PickupTime.Value
	if c.Has("pickupDate") || c.Has("pickupTime") {
		return
	}
	here := now.In(zone(l.TimeZone))
	today := here.Format(DateLayout)
	_, last := i.PickupDays(l, now)
	until := i.StoreUntil()
	switch {
	case day < today:
		c.Add("pickupDate", "past", "has passed; choose today or a later day")
	case until != "" && day > until:
		c.Add("pickupDate", "after-store-until",
			"is after the last day of storage; choose %s or an earlier day", until)
	case day > last:
		c.Add("pickupDate", "too-far", "is too far in the future; choose %s or an earlier day", last)
	}
	hours := l.HoursOn(day)
	_, isSlot := l.SlotAt(day, hour, nil)
	switch {
	case len(hours) == 0:
		c.Add("pickupDate", "closed", "is a day on which the location is closed; choose another day")
	case clockSkips(l.Zone(), day, hour):
		c.skippedTime()
	case l.Slots.Minutes > 0 && !isSlot:
		c.Add("pickupTime", "not-a-slot", "is not the start of a slot; choose one of the slots of that day")
	case !l.OpenAt(day, hour):
		var between []string
		for _, w := range hours {
			between = append(between, "between "+cmp.Or(w.From, "00:00")+" and "+cmp.Or(w.To, "23:59"))
		}
		c.Add("pickupTime", "outside-window", "must be %s", strings.Join(between, " or "))
	case day == today && hour <= here.Format(TimeLayout):
		c.Add("pickupTime", "past", "has passed; choose a later time")
	}
}

// skippedTime adds the problem of a pick-up at a time that the clock skips.
func (c *check) skippedTime() {
	c.Add("pickupTime", "skipped-time",
		"does not exist on this day, because the clocks go forward; choose a later time")
}

// CancelPickup withdraws the guest's choice to pick the item up. Repeating it has no effect.
func CancelPickup(i *Item, now time.Time) (changed []string, err error) {
	switch {
	case i.Status == Pending && i.Source == Found:
		return nil, nil
	case i.Status != PickUp || !i.GuestMayChoose():
		return nil, E(WrongState, "This can no longer be changed here.")
	default:
		return i.MoveTo(Move{To: Pending}, ByGuest, now)
	}
}

// Disown records that the item does not belong to the notified person. It reports whether anything changed.
func (i *Item) Disown(now time.Time) (bool, error) {
	if i.Source != Found || i.Status != Pending {
		return false, E(WrongState, "This can no longer be changed here.")
	}
	if !i.DisownedAt.IsZero() {
		return false, nil
	}
	i.DisownedAt, i.OwnerState, i.UpdatedAt = now, NoOwner, now
	return true, nil
}

// ReplacesGuest reports whether a change gave an item another owner, or none, who must not see what the former owner
// chose and entered. Owners with the same e-mail address are the same person, and so are owners with the same phone
// number, unless the e-mail address and the name are others. Owners with the same full name are the same person too,
// unless the former owner used the private link: then the address was correct.
func ReplacesGuest(before, i Item) bool {
	was, is := before.Owner, i.Owner
	usedLink := before.MovedBy == ByGuest || before.Parcel.ByGuest
	sameName := was.FirstName == is.FirstName && was.LastName == is.LastName
	fullName := was.FirstName != "" && was.LastName != ""
	switch {
	case i.Source != Found, was.Address() == "":
		return false
	case is.Reads(was.Email):
		return false
	case is.Reads(was.Phone):
		return was.Email != "" && is.Email != "" && fullName && !sameName
	default:
		return !fullName || !sameName || usedLink
	}
}

// forgetGuest removes the former owner's choice, address and parcel from an item that gets another owner, and returns
// the names of the changed fields. It returns an error while a parcel that the former owner paid for is on its way, or
// its fee must be refunded.
func forgetGuest(i *Item, now time.Time) (changed []string, err error) {
	if i.Parcel.HasUnsettledFee(i.Status) {
		return nil, E(PaymentOpen, "The current owner has paid for shipping, so this item cannot get another owner. "+
			"Refund the fee first. To correct an address, keep the owner's e-mail address or phone number.")
	}
	chosen := i.Status == InfoCompleted && i.Shipping.Recipient.Known() ||
		i.MovedBy == ByGuest && i.ClosedAt.IsZero() && !i.Status.IsShipping()
	if chosen {
		if changed, err = i.MoveTo(Move{To: Pending}, ByService, now); err != nil {
			return nil, err
		}
	}
	former := i.Parcel
	i.Parcel = Parcel{Troubles: former.Troubles}
	i.Parcel.clear(LabelTask, ParcelTask, ShippingTask)
	if !former.Paid && former.Refund == "" {
		i.Parcel.ShipmentID = former.ShipmentID // it may be open, and is cancelled with the change
	}
	for _, f := range []struct {
		name  string
		known bool
	}{
		{"shipping.recipient", i.Shipping.Recipient.Known()},
		{"shipping.trackingNumber", i.Shipping.TrackingNumber != ""},
		{"shipping.documents", len(former.Documents) > 0},
	} {
		if f.known {
			changed = append(changed, f.name)
		}
	}
	i.Shipping.Recipient, i.Shipping.TrackingNumber = Recipient{}, ""
	return changed, nil
}

// HasUnsettledFee reports whether the owner of an item with the given status has paid for shipping, the parcel has not
// arrived, and no refund was requested.
func (p Parcel) HasUnsettledFee(s Status) bool { return p.Paid && p.Refund == "" && s != Delivered }

// CheckDelete returns an error while a parcel that the owner paid for is on its way, or the fee must be refunded. A
// refund that failed does not prevent the deletion: the desk knows about it, and it may never succeed.
func CheckDelete(i Item) error {
	switch {
	case i.Parcel.HasUnsettledFee(i.Status):
		return E(PaymentOpen,
			"The owner has paid for shipping. Refund the fee first, or wait until the parcel has arrived.")
	case i.Parcel.DeskRefundDue():
		return E(PaymentOpen, "The shipping fee is not paid back yet. Pay it back to the owner and confirm it first.")
	case i.Parcel.Refund == RefundWanted:
		return E(PaymentOpen, "The shipping fee is being refunded. Wait until the refund is done.")
	default:
		return nil
	}
}

// CheckDeleteAll returns an error if any of a location's items must not be deleted; see CheckDelete. If more is
// true, the location may have more such items than those in items.
func CheckDeleteAll(items []Item, more bool) error {
	n := 0
	for _, i := range items {
		if CheckDelete(i) != nil {
			n++
		}
	}
	switch {
	case n == 0:
		return nil
	case n == 1 && !more:
		return E(PaymentOpen, "The owner of 1 item here has paid for shipping, and the parcel has not arrived. "+
			"Complete the refund first, or wait until the parcel has arrived.")
	}
	count := strconv.Itoa(n)
	if more {
		count = "at least " + count
	}
	return E(PaymentOpen, "The owners of %s items here have paid for shipping, and the parcels have not arrived. "+
		"Complete the refunds first, or wait until the parcels have arrived.", count)
}
