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
	LogoURL     string // set by the client
	LogoFile    string // name of the uploaded logo; only LogoURL or LogoFile is set, not both
	Description string
	Type        LocationType

	StorageDuration *int // days for which items without a keeping rule are stored; nil if not set
	KeepingRules    []KeepingRule
	StoragePlace    string

	Address1, Address2, City, State, ZipCode, Country string

	Contact  Contact
	Pickup   PickupWindow // applies if OpeningHours is empty
	TimeZone string       // IANA name; UTC if empty

	OpeningHours []OpeningHours
	Closures     []Closure // by their first day
	Slots        Slots
	Charity      string
	Language     string // default language for guests; English if empty
	// PrivacyText and PrivacyURL are the location's own privacy notice; see PrivacyNotice.
	PrivacyText, PrivacyURL string
	// Reminders is the reminder schedule for guests; nil means the default schedule.
	Reminders *ReminderSchedule
	// Shipping contains the shipping rules and prices; nil means the default rules. See Rules.
	Shipping *ShippingRules
	Matching Matching
	// PublicRegister reports whether anybody may see a list of finds; see Register. PublicAreas are the names of the
	// location's areas that the list may show.
	PublicRegister bool
	PublicAreas    []string

	ExternalID string   // the location's id in the client's own system; several locations may have the same one
	Metadata   Metadata // the client's own data about the location

	CreatedAt, UpdatedAt time.Time
}

// Contact is the person in charge of lost and found at a location.
type Contact struct{ Name, Email, Email2, Phone string }

// PickupWindow is the time of day when guests may pick items up, as HH:mm; empty if not set. If To is earlier than
// From, the window ends on the next day.
type PickupWindow struct{ From, To string }

// PastMidnight reports whether the window ends on the day after it begins.
func (w PickupWindow) PastMidnight() bool { return w.From != "" && w.To != "" && w.To < w.From }

// includes reports whether a time of day is in the window.
func (w PickupWindow) includes(at string) bool {
	if w.PastMidnight() {
		return at >= w.From || at <= w.To
	}
	return at >= w.From && (w.To == "" || at <= w.To)
}

// LocationPatch is a partial location, for creating and updating locations.
type LocationPatch struct {
	Name, Website, LogoURL, Description, Type         Field[string]
	StorageDuration                                   Field[int]
	KeepingRules                                      Field[[]KeepingRule]
	StoragePlace                                      Field[string]
	Address1, Address2, City, State, ZipCode, Country Field[string]
	Contact                                           Field[ContactPatch]
	Pickup                                            Field[PickupPatch]
	OpeningHours                                      Field[[]OpeningHours]
	Closures                                          Field[[]Closure]
	Slots                                             Field[SlotsPatch]
	TimeZone, Charity, Language                       Field[string]
	PrivacyText, PrivacyURL, ExternalID               Field[string]
	Metadata                                          Field[MetadataPatch]
	Reminders                                         Field[ReminderSchedulePatch]
	Shipping                                          Field[ShippingRulesPatch]
	Matching                                          Field[MatchingPatch]
	PublicRegister                                    Field[bool]
	PublicAreas                                       Field[[]string]
	// Same reports whether the location is unchanged since it was shown to the user. If nil, nothing is checked.
	Same func(Location) bool
	DecodeResult
}

// ContactPatch changes some fields of a Contact.
type ContactPatch struct{ Name, Email, Email2, Phone Field[string] }

// PickupPatch changes some fields of a PickupWindow.
type PickupPatch struct{ From, To Field[string] }

// NewLocation returns a new location of an account from a patch. The error lists all problems. The caller sets the
// permalink.
func NewLocation(account string, p LocationPatch, now time.Time) (Location, error) {
	l := Location{
		Account: account, ID: NewID(LocationID, now), Type: DefaultLocationType,
		CreatedAt: now, UpdatedAt: now,
	}
	if isEmpty(p.Type) {
		p.Type.Drop() // the default applies
	}
	problems := p.apply(&l)
	problems = append(problems, p.refuseEcho()...)
	return l, problems.Err()
}

// Update applies a patch and reports whether anything changed. UpdatedAt changes only if another field does. After an
// error, the location must not be saved.
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

// same reports whether two states of a location are equal.
func (l Location) same(o Location) bool {
	if !l.SameReminders(o) || !samePointee(l.StorageDuration, o.StorageDuration) ||
		(l.Reminders == nil) != (o.Reminders == nil) || (l.Shipping == nil) != (o.Shipping == nil) ||
		!l.Rules().equal(o.Rules()) {
		return false
	}
	l.StorageDuration, o.StorageDuration = nil, nil
	l.Reminders, o.Reminders = nil, nil
	l.Shipping, o.Shipping = nil, nil
	return len(differences(locationFields, &l, &o)) == 0
}

// SameReminders reports whether two states of a location have the same reminder schedule in the same time zone.
func (l Location) SameReminders(o Location) bool {
	return l.TimeZone == o.TimeZone && l.ReminderSchedule().equal(o.ReminderSchedule())
}

// SameTerms reports whether two states of a location have the same settings for its items to inherit.
func (l Location) SameTerms(o Location) bool {
	return samePointee(l.StorageDuration, o.StorageDuration) && l.TimeZone == o.TimeZone &&
		l.StoragePlace == o.StoragePlace && slices.Equal(l.KeepingRules, o.KeepingRules)
}

// SamePrices reports whether two states of a location have the same settings for shipping prices.
func (l Location) SamePrices(o Location) bool {
	return l.Address1 == o.Address1 && l.City == o.City && l.State == o.State && l.ZipCode == o.ZipCode &&
		l.Country == o.Country && l.Rules().equal(o.Rules())
}

// PublicFacts returns the location with only the fields that its public page shows.
func (l Location) PublicFacts() Location {
	l.Contact.Email2 = ""
	return Location{
		Account: l.Account, ID: l.ID, Permalink: l.Permalink, Name: l.Name, Website: l.Website, LogoURL: l.LogoURL,
		LogoFile: l.LogoFile, Description: l.Description, Type: l.Type, Address1: l.Address1, Address2: l.Address2,
		City: l.City, State: l.State, ZipCode: l.ZipCode, Country: l.Country, Contact: l.Contact, Pickup: l.Pickup,
		OpeningHours: l.OpeningHours, Closures: withoutReasons(l.Closures),
		TimeZone: l.TimeZone, Language: l.Language, PrivacyText: l.PrivacyText, PrivacyURL: l.PrivacyURL,
		PublicRegister: l.PublicRegister,
		CreatedAt:      l.CreatedAt, UpdatedAt: l.UpdatedAt,
	}
}

// withoutReasons returns closures without their reasons, which are for the desk.
func withoutReasons(closures []Closure) (public []Closure) {
	for _, c := range closures {
		public = append(public, Closure{From: c.From, To: c.To, Yearly: c.Yearly})
	}
	return public
}

// Terms returns the settings that the location's items inherit.
func (l Location) Terms() Terms {
	return Terms{
		StoragePlace: l.StoragePlace, StorageDuration: l.StorageDuration, TimeZone: l.TimeZone, Keeping: l.KeepingRules,
	}
}

// apply sets the fields that were sent and returns all problems.
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
	if p.Pickup.Sent && known && from != "" && from == to {
		c.Add("pickupTime.from", "not-before-to", "must differ from pickupTime.to")
	}
	return c.Problems
}

// applyObject merges a nested object of a patch into dst. If the object is null, it clears dst.
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

// refuseEcho returns a problem for each read-only field that was sent when creating a record.
func (r DecodeResult) refuseEcho() Problems {
	var p Problems
	for _, field := range slices.Sorted(maps.Keys(r.Echo)) {
		p.Add(field, "read-only", "is set by the service; leave it out")
	}
	return p
}
