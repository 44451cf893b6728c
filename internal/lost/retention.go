package lost

import "time"

// How many days after an item has ended what is kept of its guest is removed.
const (
	MinGuestDays     = 30
	MaxGuestDays     = 3650
	DefaultGuestDays = 180
)

// KeepGuests sets for how many days guests' data is kept, and tells whether that is a change.
func (a *Account) KeepGuests(days int) (changed bool, err error) {
	if days < MinGuestDays || days > MaxGuestDays {
		var p Problems
		p.Add("days", "out-of-range", "must be a number of days from %d to %d", MinGuestDays, MaxGuestDays)
		return false, p.Err()
	}
	changed = a.GuestDays != days
	a.GuestDays = days
	return changed, nil
}

// EndedAt is when nothing was left to do about an item: it arrived, was handed over or given away, or a request was decided. Zero
// where something is. What is kept of its guest is removed a while later. The index items_ended says the same.
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

// forgottenWords is what stands in the place of a claimant's own words.
const forgottenWords = "Removed"

// Forget removes what an item tells of its guest: who and where they are, what they and the desk wrote about it, and the photos. What
// remains says what was found, where and when, and what became of it. It tells whether there was anything.
func (i *Item) Forget(now time.Time) bool {
	before, names := *i, i.names()
	i.Owner, i.Language, i.Notes = Owner{}, "", ""
	i.Shipping.Recipient, i.Shipping.TrackingNumber, i.Parcel.TrackingURL = Recipient{}, "", ""
	i.Parcel.Documents, i.Parcel.Troubles = nil, nil
	i.Images, i.ImageFile, i.ImageURL = nil, "", ""
	i.DisownedAt, i.Hold = time.Time{}, ""
	i.Shipping.NotShipped = Unname(i.Shipping.NotShipped, names...)
	i.Handover = Handover{IDChecked: i.Handover.IDChecked, At: i.Handover.At}
	if i.Source == Request {
		i.Description, i.Brand, i.Model, i.Color = forgottenWords, "", "", ""
		i.Claim = Claim{State: i.Claim.State, LostDate: i.Claim.LostDate, MatchedItemID: i.Claim.MatchedItemID}
	}
	i.Unname(names...) // what the desk calls it may name them too
	same := len(before.Images) == 0 && len(i.differences(before)) == 0 && i.Shipping == before.Shipping && i.Parcel.Equal(before.Parcel) &&
		i.Claim == before.Claim && i.DisownedAt.Equal(before.DisownedAt) && i.Handover == before.Handover
	if !same {
		i.UpdatedAt = now
	}
	return !same
}

// Forget removes what a shipment tells of the guest, and names its papers. What was paid stays, and who has the money.
func (s *Shipment) Forget(now time.Time) (papers []string) {
	for _, d := range s.Documents {
		papers = append(papers, d.File)
	}
	s.To, s.Basis, s.Reason, s.Checkout.URL, s.Documents, s.UpdatedAt = Recipient{}, "", "", "", nil, now
	s.Postage.LabelURL, s.Postage.TrackingNumber, s.Postage.TrackingURL, s.Postage.Tracker = "", "", "", ""
	return papers
}

// Forgotten is of how many items guests' data was removed on a day.
type Forgotten struct {
	Day   string
	Items int
}
