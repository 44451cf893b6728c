package lost

import (
	"maps"
	"slices"
	"time"
)

// Location is a place that holds lost items: a hotel, an airport, a zoo.
type Location struct {
	Account   string
	ID        string
	Permalink string // slug of its public page; unique in the whole service, never changes

	Name        string
	Website     string
	LogoURL     string // as the client gave it
	LogoFile    string // name of the uploaded logo; at most one of the two is set
	Description string
	Type        LocationType

	StorageDuration *int // days for which an item is kept; nil: not set
	StoragePlace    string

	Address1, Address2, City, State, ZipCode, Country string

	Contact  Contact
	Pickup   PickupWindow
	TimeZone string // IANA name; UTC where empty
	Charity  string
	Language string // for people whose own language is not known; English if empty
	// Reminders is when guests are reminded; nil: the default schedule.
	Reminders *ReminderSchedule
	// Shipping is how items are shipped and for how much; nil: the default rules. See Rules.
	Shipping *ShippingRules
	Matching Matching

	CreatedAt, UpdatedAt time.Time
}

// Contact is the person in charge of lost and found at a location.
type Contact struct{ Name, Email, Email2, Phone string }

// PickupWindow is when guests may pick items up, as HH:mm; empty if not set.
type PickupWindow struct{ From, To string }

// LocationPatch is a partial location: creating and updating both apply one.
type LocationPatch struct {
	Name, Website, LogoURL, Description, Type         Field[string]
	StorageDuration                                   Field[int]
	StoragePlace                                      Field[string]
	Address1, Address2, City, State, ZipCode, Country Field[string]
	Contact                                           Field[ContactPatch]
	Pickup                                            Field[PickupPatch]
	TimeZone, Charity, Language                       Field[string]
	Reminders                                         Field[ReminderSchedulePatch]
	Shipping                                          Field[ShippingRulesPatch]
	Matching                                          Field[MatchingPatch]
	// Same reports whether the location is still as it was shown to the user; nil to skip the check.
	Same func(Location) bool
	DecodeResult
}

// ContactPatch merges into a Contact.
type ContactPatch struct{ Name, Email, Email2, Phone Field[string] }

// PickupPatch merges into a PickupWindow.
type PickupPatch struct{ From, To Field[string] }

// NewLocation makes a location of the account from what was sent, or returns everything that is wrong with it. The
// caller sets its permalink.
func NewLocation(account string, p LocationPatch, now time.Time) (Location, error) {
	l := Location{
		Account: account, ID: NewID(LocationID, now), Type: DefaultLocationType,
		CreatedAt: now, UpdatedAt: now,
	}
	problems := p.apply(&l)
	problems = append(problems, p.refuseEcho()...)
	return l, problems.Err()
}

// Update applies a patch and reports whether anything changed. A location that does not change keeps its UpdatedAt.
// After an error it must not be saved.
func (l *Location) Update(p LocationPatch, now time.Time) (changed bool, err error) {
	before := *l
	if err := p.apply(l).Err(); err != nil {
		return false, err
	}
	if before.same(*l) {
		return false, nil
	}
	l.UpdatedAt = now
	return true, nil
}

// same compares two states of a location.
func (l Location) same(o Location) bool {
	if !l.SameRules(o) || (l.Reminders == nil) != (o.Reminders == nil) || (l.Shipping == nil) != (o.Shipping == nil) ||
		!l.Rules().equal(o.Rules()) {
		return false
	}
	l.StorageDuration, o.StorageDuration = nil, nil
	l.Reminders, o.Reminders = nil, nil
	l.Shipping, o.Shipping = nil, nil
	return l == o
}

// SameRules reports whether two states of a location have the same storage and reminder rules.
func (l Location) SameRules(o Location) bool {
	return samePointee(l.StorageDuration, o.StorageDuration) && l.TimeZone == o.TimeZone &&
		l.ReminderSchedule().equal(o.ReminderSchedule())
}

// SamePrices reports whether two states of a location have the same shipping prices, as far as they depend on the
// location.
func (l Location) SamePrices(o Location) bool {
	return l.Address1 == o.Address1 && l.City == o.City && l.State == o.State && l.ZipCode == o.ZipCode &&
		l.Country == o.Country && l.Rules().equal(o.Rules())
}

// Terms returns the settings that the location's items inherit.
func (l Location) Terms() Terms {
	return Terms{StoragePlace: l.StoragePlace, StorageDuration: l.StorageDuration, TimeZone: l.TimeZone}
}

// apply sets what was sent, and gives everything that is wrong with it.
func (p LocationPatch) apply(l *Location) Problems {
	c := &check{slices.Clone(p.Problems)}
	if p.Contact.Null {
		l.Contact = Contact{}
	}
	if p.Pickup.Null {
		l.Pickup = PickupWindow{}
	}
	for n := range locationFields {
		locationFields[n].set(c, &p, l)
	}
	from, to := l.Pickup.From, l.Pickup.To
	known := !c.Has("pickupTime.from") && !c.Has("pickupTime.to")
	if p.Pickup.Sent && known && from != "" && to != "" && from >= to {
		c.Add("pickupTime.from", "not-before-to", "must be earlier than pickupTime.to")
	}
	return c.Problems
}

// applyObject merges a nested object, or clears it.
func applyObject[P, T any](f Field[P], dst *T, merge func(P, *T)) {
	switch {
	case !f.Sent:
	case f.Null:
		var none T
		*dst = none
	default:
		merge(f.Value, dst)
	}
}

// refuseEcho returns a problem for each read-only field that was sent for a record that does not exist yet.
func (r DecodeResult) refuseEcho() Problems {
	var p Problems
	for _, field := range slices.Sorted(maps.Keys(r.Echo)) {
		p.Add(field, "read-only", "is set by the service; leave it out")
	}
	return p
}
