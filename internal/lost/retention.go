package lost

import "time"

// Limits of how many days after an item has ended its guest's data is removed.
const (
	MinGuestDays     = 30
	MaxGuestDays     = 3650
	DefaultGuestDays = 180
)

// SetGuestDays sets for how many days guests' data is kept, and reports whether that changed anything.
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

// EndedAt is when an item was finished: it arrived, was handed over or given away, or the request was decided. It is
// zero before. The retention rule removes the guest's data some time later. The index items_ended uses the same
// conditions.
func (i Item) EndedAt() time.Time {
	switch {
	case i.Source == Request && i.Claim.State == RequestPending:
		return time.Time{}
	case i.Source == Request:
		return i.UpdatedAt
	case !i.ClosedAt.IsZero():
		return i.ClosedAt
	case i.finished():
		return i.MovedAt
	default:
		return time.Time{}
	}
}

// EraseGuest removes what an item says about its guest, by the rules in ItemFields: who and where they are, what they
// and the desk wrote about it, and the photos. What remains says what was found, where and when, and what became of it.
// It reports whether anything changed.
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

// EraseGuest removes what a shipment says about the guest, and names its documents. What was paid stays, and to whom.
func (s *Shipment) EraseGuest(now time.Time) (papers []string) {
	for _, d := range s.Documents {
		papers = append(papers, d.File)
	}
	s.To, s.Documents = Recipient{}, nil
	s.Basis, s.Reason, s.Checkout.URL = "", "", ""
	s.Postage.LabelURL, s.Postage.Tracker = "", ""
	s.Postage.TrackingNumber, s.Postage.TrackingURL = "", ""
	s.UpdatedAt = now
	return papers
}

// ErasedOnDay counts the items whose guests' data was removed on a day.
type ErasedOnDay struct {
	Day   string
	Items int
}
