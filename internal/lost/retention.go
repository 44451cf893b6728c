package lost

import "time"

// Limits and default for the number of days for which guests' data is kept after an item is finished.
const (
	MinGuestDays     = 30
	MaxGuestDays     = 3650
	DefaultGuestDays = 180
)

// SetGuestDays sets the number of days for which guests' data is kept, and reports whether it changed.
func (a *Account) SetGuestDays(days int) (changed bool, err error) {
	if days < MinGuestDays || days > MaxGuestDays {
		var p Problems
		p.Add("days", "out-of-range", "must be a number of days from %d to %d", MinGuestDays, MaxGuestDays)
		return false, p.Err()
	}
	changed = a.GuestDays != days
	a.GuestDays = days
	return changed, nil
}

// EndedAt returns when an item was finished: it was delivered, handed over or given away, or the request was decided.
// It is zero for other items. The retention rule removes the guest's data some time later. The index items_ended uses
// the same conditions.
func (i Item) EndedAt() time.Time {
	switch {
	case i.Source == Request && i.Claim.State == RequestPending:
		return time.Time{}
	case i.Source == Request:
		return i.UpdatedAt
	case !i.ClosedAt.IsZero():
		return i.ClosedAt
	case isFinished(i):
		return i.MovedAt
	default:
		return time.Time{}
	}
}

// EraseGuest removes the guest's data from an item according to the rules in ItemFields: names and addresses, texts
// by the guest and the desk, and the photos. The remaining data describes what was found, where and when, and the
// outcome. It reports whether anything changed.
func (i *Item) EraseGuest(now time.Time) bool {
	before := *i
	request, names := i.Source == Request, i.GuestNames()
	for n := range itemFields {
		itemFields[n].erase(i, request, names)
	}
	for n := range itemFields {
		if !itemFields[n].same(&before, i) {
			i.UpdatedAt = now
			return true
		}
	}
	return false
}

// EraseGuest removes the guest's data from a shipment, and returns the names of its document files. The amount paid
// and the payment provider stay.
func (s *Shipment) EraseGuest(now time.Time) (papers []string) {
	for _, d := range s.Documents {
		papers = append(papers, d.File)
	}
	s.Guest, s.To, s.Documents = Owner{}, Recipient{}, nil
	s.Basis, s.Reason, s.Checkout.URL = "", "", ""
	s.Postage.LabelURL, s.Postage.Tracker = "", ""
	s.Postage.TrackingNumber, s.Postage.TrackingURL = "", ""
	s.UpdatedAt = now
	return papers
}

// EraseFrom removes the guest's data of an erased shipment from its item, if it is the item's current shipment. In
// earlier versions, an item kept the shipment when it got another owner.
func (s Shipment) EraseFrom(i *Item, now time.Time) {
	if i.Parcel.ShipmentID != s.ID {
		return
	}
	i.Parcel.Documents, i.Parcel.TrackingURL = nil, ""
	i.Shipping.Recipient, i.Shipping.TrackingNumber = Recipient{}, ""
	i.UpdatedAt = now
}

// ErasedOnDay counts the items whose guests' data was removed on a day.
type ErasedOnDay struct {
	Day   string
	Items int
}
