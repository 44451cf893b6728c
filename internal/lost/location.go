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
	Permalink string // slug of its public page; unique in the whole service, and never changes

	Name        string
	Website     string
	LogoURL     string // as the client gave it
	LogoFile    string // name of the uploaded logo; at most one of the two is set
	Description string
	Type        LocationType

	StorageDuration *int // days an item is kept; nil: not said
	StoragePlace    string

	Address1, Address2, City, State, ZipCode, Country string

	Contact  Contact
	Pickup   PickupWindow
	TimeZone string // IANA name; UTC where empty
	Charity  string
	Language string // in which people are addressed whose own is not known; English where empty
	// Reminders is when guests are reminded; nil: as usual. See Ladder.
	Reminders *ReminderSchedule
	// Shipping is how things are sent, and for how much; nil: as usual. See Rules.
	Shipping *ShippingRules
	Matching Matching

	CreatedAt, UpdatedAt time.Time
}

// Contact is the person in charge of lost and found at a location.
type Contact struct{ Name, Email, Email2, Phone string }

// PickupWindow is when guests may pick items up, as HH:mm; empty where not said.
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
	// Same tells whether what the patch is about still is as whoever made it saw it; nil where that does not matter.
	Same func(Location) bool
	Received
}

// ContactPatch merges into a Contact.
type ContactPatch struct{ Name, Email, Email2, Phone Field[string] }

// PickupPatch merges into a PickupWindow.
type PickupPatch struct{ From, To Field[string] }

// NewLocation makes a location of the account from what was sent, or says
// everything that is wrong with it. Its permalink is the caller's to choose.
func NewLocation(account string, p LocationPatch, now time.Time) (Location, error) {
	l := Location{
		Account: account, ID: NewID(LocationID, now), Type: DefaultLocationType,
		CreatedAt: now, UpdatedAt: now,
	}
	problems := p.apply(&l)
	problems = append(problems, p.refuseEcho()...)
	return l, problems.Err()
}

// Update applies a patch and tells whether anything changed. A location that
// does not change keeps its UpdatedAt; one with a bad field is not to be kept.
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
	if !l.SameRules(o) || (l.Reminders == nil) != (o.Reminders == nil) || (l.Shipping == nil) != (o.Shipping == nil) || !l.Rules().equal(o.Rules()) {
		return false
	}
	l.StorageDuration, o.StorageDuration, l.Reminders, o.Reminders, l.Shipping, o.Shipping = nil, nil, nil, nil, nil, nil
	return l == o
}

// SameRules tells whether items are kept, and their owners reminded, alike in two states of a location.
func (l Location) SameRules(o Location) bool {
	return samePointee(l.StorageDuration, o.StorageDuration) && l.TimeZone == o.TimeZone && l.ReminderSchedule().equal(o.ReminderSchedule())
}

// SamePrices tells whether sending something costs the same in two states of a location, as far as that is the location's to say.
func (l Location) SamePrices(o Location) bool {
	return l.Address1 == o.Address1 && l.City == o.City && l.State == o.State && l.ZipCode == o.ZipCode && l.Country == o.Country && l.Rules().equal(o.Rules())
}

// Terms gives what the location's items take over from it.
func (l Location) Terms() Terms {
	return Terms{StoragePlace: l.StoragePlace, StorageDuration: l.StorageDuration, TimeZone: l.TimeZone}
}

func (p LocationPatch) apply(l *Location) Problems {
	c := &check{slices.Clone(p.Problems)}
	c.mandatory(p.Name.Sent, p.Name.Null, "name")
	c.mandatory(p.Type.Sent, p.Type.Null, "type")
	c.line(p.Name, "name", MaxName, &l.Name)
	if l.Name == "" && !c.Has("name") {
		c.Add("name", "required", "is required")
	}
	c.url(p.Website, "website", &l.Website)
	c.prose(p.Description, "description", MaxDescription, &l.Description)
	oneOf(c, p.Type, "type", LocationTypes(), &l.Type)
	c.line(p.StoragePlace, "storagePlace", MaxPlace, &l.StoragePlace)
	c.line(p.Address1, "address1", MaxShort, &l.Address1)
	c.line(p.Address2, "address2", MaxShort, &l.Address2)
	c.line(p.City, "city", MaxShort, &l.City)
	c.line(p.State, "state", MaxShort, &l.State)
	c.line(p.ZipCode, "zipCode", MaxShort, &l.ZipCode)
	c.country(p.Country, "country", &l.Country)
	c.timeZone(p.TimeZone, "timeZone", &l.TimeZone)
	c.prose(p.Charity, "charity", MaxPlace, &l.Charity)
	c.language(p.Language, "language", &l.Language)
	p.applyReminders(c, l)
	p.applyShipping(c, l)
	p.applyMatching(c, l)
	if p.LogoURL.Sent {
		l.LogoFile = ""
		c.url(p.LogoURL, "logoUrl", &l.LogoURL)
	}
	p.applyDuration(c, l)
	applyObject(p.Contact, &l.Contact, func(p ContactPatch, dst *Contact) {
		c.line(p.Name, "contact.name", MaxName, &dst.Name)
		c.email(p.Email, "contact.email", &dst.Email)
		c.email(p.Email2, "contact.email2", &dst.Email2)
		c.phone(p.Phone, "contact.phone", &dst.Phone)
	})
	applyObject(p.Pickup, &l.Pickup, func(p PickupPatch, dst *PickupWindow) {
		c.timeOfDay(p.From, "pickupTime.from", &dst.From)
		c.timeOfDay(p.To, "pickupTime.to", &dst.To)
		if dst.From != "" && dst.To != "" && dst.From >= dst.To && !c.Has("pickupTime.from") && !c.Has("pickupTime.to") {
			c.Add("pickupTime.from", "not-before-to", "must be earlier than pickupTime.to")
		}
	})
	return c.Problems
}

func (p LocationPatch) applyDuration(c *check, l *Location) {
	const field = "storageDuration"
	switch {
	case !p.StorageDuration.Sent || c.Has(field):
	case p.StorageDuration.Null:
		l.StorageDuration = nil
	case p.StorageDuration.Value < 0 || p.StorageDuration.Value > MaxStorageDays:
		c.Add(field, "out-of-range", "must be a number of days from 0 to %d", MaxStorageDays)
	default:
		days := p.StorageDuration.Value
		l.StorageDuration = &days
	}
}

// applyObject merges a nested object, or clears it whole.
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

// refuseEcho gives a problem for each service-owned field that was sent where
// there is no record yet that it could be the echo of.
func (r Received) refuseEcho() Problems {
	var p Problems
	for _, field := range slices.Sorted(maps.Keys(r.Echo)) {
		p.Add(field, "read-only", "is set by the service; leave it out")
	}
	return p
}
