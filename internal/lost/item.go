package lost

import (
	"slices"
	"sync"
	"time"
)

// Item is an item that a location found, or that a claimant reported as lost.
type Item struct {
	Account    string
	ID         string
	LocationID string
	Reference  string // short, unique in the account, printed on the tag
	Source     Source
	Status     Status

	Description    string
	DiscoveryPlace string
	DiscoveryDate  string
	Brand          string
	Model          string
	Color          string
	Category       Category
	SerialNumber   string
	Value          Value
	StoragePlace   string // only if it differs from the location's default; see StoredAt
	Notes          string
	ImageURL       string  // set by the client
	ImageFile      string  // name of the uploaded main image; only ImageURL or ImageFile is set, not both
	Images         []Image // every upload, in the order in which they are shown
	Shipping       Shipping
	Owner          Owner
	ExternalID     string   // the item's id in the client's own system; several items may have the same one
	Metadata       Metadata // the client's own data about the item
	Language       string   // the owner's language tag, such as de or pt-BR
	Parcel         Parcel   // state of its shipment
	Pickup         Pickup
	Claim          Claim // only for requests

	MovedBy    ActorKind // who set the status and the pick-up
	MovedAt    time.Time
	ClosedAt   time.Time // when the desk carried out the owner's choice; the owner can no longer change it
	DisownedAt time.Time // when the notified person said that the item is not theirs
	OwnerState OwnerState

	Finder        Finder
	FinderNotices FinderNotices

	Hold        string      // why the item is on hold; empty if it is not
	KeepUntil   string      // last day of storage, if the desk has extended it
	Destination Destination // what the desk did with the item after its storage time had ended
	Handover    Handover

	Terms Terms // the current terms of its location

	CreatedAt, UpdatedAt time.Time
}

// Terms are the settings that an item inherits from its location.
type Terms struct {
	StoragePlace    string
	StorageDuration *int
	TimeZone        string
	Keeping         []KeepingRule // shared by all items of the location; do not change
}

// Zone returns the time zone of the location.
func (t Terms) Zone() *time.Location { return zone(t.TimeZone) }

// LookSame reports whether an item looks the same to clients with these terms as with its own.
func (t Terms) LookSame(i Item) bool {
	other := i
	other.Terms = t
	return other.StoredAt() == i.StoredAt() && other.SameKeeping(i)
}

// Shipping contains the shipping data of an item.
type Shipping struct {
	Weight         *float64
	WeightUnit     WeightUnit
	BoxType        BoxType
	IsDocument     *bool
	TrackingNumber string
	Recipient      Recipient
	NotShipped     string // why the item cannot be shipped, shown to the owner; empty if it can
}

// Known reports whether any shipping data is set.
func (s Shipping) Known() bool { return s != Shipping{} }

// Owner is the guest that an item belongs to.
type Owner struct{ FirstName, LastName, Email, Phone string }

// Known reports whether any data about the owner is set.
func (o Owner) Known() bool { return o != Owner{} }

// Reads reports whether an address is the owner's e-mail address or phone number.
func (o Owner) Reads(address string) bool {
	return address != "" && (SameAddress(o.Email, address) || SameAddress(o.Phone, address))
}

// RecentValues contains texts from found items that often repeat. The dashboard suggests them in forms.
type RecentValues struct{ Brand, Model, Color, Place, StoragePlace string }

// Pickup is the time when the owner picks the item up. A pick-up that was in the future when it was set is planned
// and can be missed. Any other pick-up records a past event.
type Pickup struct {
	Date, Time string
	Planned    bool
}

// ItemPatch is a partial item, for creating and updating items.
type ItemPatch struct {
	Description, DiscoveryPlace, DiscoveryDate, Brand, Model, Color Field[string]
	StoragePlace, Notes, ImageURL, Language, Hold, KeepUntil        Field[string]
	ExternalID, Category, SerialNumber                              Field[string]
	Metadata                                                        Field[MetadataPatch]
	Value                                                           Field[ValuePatch]
	Shipping                                                        Field[ShippingPatch]
	Owner                                                           Field[OwnerPatch]
	Finder                                                          Field[FinderPatch]
	// Country and Currency are the location's. They must be set if NeedsLocation.
	Country, Currency string
	// Seen is the item's UpdatedAt when the user loaded it. If it is zero, the check for later changes is skipped.
	Seen time.Time
	// Latest is the latest discovery date that a form accepts. It is empty for API clients, which may be in another
	// time zone.
	Latest string
	// PhotosFollow says that photos of a new item are uploaded next. The owner's notice waits for them.
	PhotosFollow bool
	// Confirmed is the audit note about a guest of a room whom somebody has confirmed as the owner. It is empty if the
	// owner is set in another way.
	Confirmed string
	DecodeResult
}

// ShippingPatch changes some fields of a Shipping.
type ShippingPatch struct {
	Weight     Field[float64]
	WeightUnit Field[string]
	BoxType    Field[string]
	IsDocument Field[bool]
	NotShipped Field[string]
}

// OwnerPatch changes some fields of an Owner.
type OwnerPatch struct{ FirstName, LastName, Email, Phone Field[string] }

// NeedsCountry reports whether the phone number can be understood only in the country of the location.
func (p OwnerPatch) NeedsCountry() bool { return isNational(p.Phone) }

// isNational reports whether a phone number can be understood only in the country of the location.
func isNational(phone Field[string]) bool {
	_, international := ParsePhone(phone.Value)
	return !isEmpty(phone) && !international
}

// NeedsLocation reports whether the patch can be understood only with the country or the currency of the location.
func (p ItemPatch) NeedsLocation() bool {
	v := p.Value.Value
	return p.Owner.Value.NeedsCountry() || isNational(p.Finder.Value.Phone) ||
		(v.Amount.Sent || v.Currency.Sent) && isEmpty(v.Currency)
}

// MaxBulk is the maximum number of items that one request of an API client creates or changes.
const MaxBulk = 100

// BulkPatch is a list of new items, as received from the client. The problems of an item are in its patch.
type BulkPatch struct {
	Items Field[[]ItemPatch]
	DecodeResult
}

// Read returns the patches. It returns an error if there are none or too many.
func (p BulkPatch) Read() ([]ItemPatch, error) {
	c := &check{p.Problems}
	c.bulk(p.Items.Sent, len(p.Items.Value), "items")
	return p.Items.Value, c.Err()
}

// bulk adds a problem if a list has no elements, or more than MaxBulk.
func (c *check) bulk(sent bool, n int, field string) {
	switch {
	case c.Has(field):
	case !sent || n == 0:
		c.Add(field, "required", "is required and must have 1 to %d elements", MaxBulk)
	case n > MaxBulk:
		c.Add(field, "too-many", "must have at most %d elements; send the others in another request", MaxBulk)
	}
}

// BulkResult is what became of one item in a request about several.
type BulkResult struct {
	Item    Item   `json:",omitzero"`
	Refused *Error // why the item was not created or changed; nil if it was
}

// BulkResults are the results of a request about several items, in its order.
type BulkResults []BulkResult

// NewItem returns a new item that was found at a location. The error lists all problems.
func NewItem(account, location string, p ItemPatch, now time.Time) (Item, error) {
	it := Item{
		Account: account, ID: NewID(ItemID, now), LocationID: location, Reference: NewReference(),
		Source: Found, Status: Pending, OwnerState: NoOwner, CreatedAt: now, UpdatedAt: now,
	}
	problems := p.apply(&it)
	problems = append(problems, p.refuseEcho()...)
	return it, problems.Err()
}

// Update applies a patch and returns the names of the changed fields, for the history. UpdatedAt changes only if
// another field does.
func (i *Item) Update(p ItemPatch, now time.Time) (changed []string, err error) {
	before := *i
	if err := p.apply(i).Err(); err != nil {
		return nil, err
	}
	if i.Source == Request && i.Owner.Address() == "" {
		var c check
		c.Add("owner", "required", "must have an e-mail address or phone number, so that the claimant can be reached")
		return nil, c.Err()
	}
	if i.Hold != "" && i.Hold != before.Hold {
		if err := checkHold(i); err != nil {
			return nil, err
		}
	}
	if i.Finder.Known() && i.Finder != before.Finder {
		if err := checkFinder(i); err != nil {
			return nil, err
		}
	}
	if !SameAddress(i.Finder.Address(), before.Finder.Address()) {
		i.FinderNotices = FinderNotices{} // the new finder has been told nothing
	}
	if !SameAddress(i.Owner.Address(), before.Owner.Address()) {
		i.DisownedAt = time.Time{} // the new owner has not disowned the item
		i.OwnerState = ToldState(*i)
	}
	changed = differences(itemFields, &before, i)
	if ReplacesGuest(before, *i) {
		forgotten, err := forgetGuest(i, now)
		if err != nil {
			return nil, err
		}
		changed = append(changed, forgotten...)
	}
	if len(changed) > 0 {
		i.UpdatedAt = now
	}
	return changed, nil
}

// checkHold returns an error if the item cannot be put on hold. Only found items that are still at the desk can be.
func checkHold(i *Item) error {
	var c check
	switch {
	case i.Source == Request:
		c.Add("hold", "not-held", "is only possible for found items; this is a request")
	case !i.Held():
		c.Add("hold", "not-held", "is only possible for items that are still at the desk; this one is not")
	}
	return c.Err()
}

// StoredAt returns the storage place of the item, or its location's default. It is empty for requests.
func (i Item) StoredAt() string {
	if i.StoragePlace != "" || i.Source == Request {
		return i.StoragePlace
	}
	return i.Terms.StoragePlace
}

// StoreUntil returns the last day of storage according to the location's current rules, or a later day if the desk
// has extended the storage. It is empty if there is no limit, for items on hold, and for requests.
func (i Item) StoreUntil() string {
	until, _ := stored(i)
	return until
}

// stored returns the last day of an item's storage and what should happen then; see StoreUntil and ThenDue.
func stored(i Item) (until string, then Disposal) {
	if i.Source == Request || i.Hold != "" {
		return "", ""
	}
	rule, found := i.Keeping()
	if found {
		until = lastDay(i, rule.Days)
	}
	return max(until, i.KeepUntil), rule.Then
}

// lastDay returns the last day of an item's storage for a number of days.
func lastDay(i Item, days int) string {
	day, err := time.Parse(DateLayout, i.DiscoveryDate)
	if err != nil {
		day = i.CreatedAt.In(i.Terms.Zone())
	}
	until := day.AddDate(0, 0, days)
	if until.Year() > 9999 {
		return "9999-12-31"
	}
	return until.Format(DateLayout)
}

// zones caches time zones by name, because loading one reads a file. There are only a few hundred.
var zones sync.Map //nolint:gochecknoglobals // time zones never change

// zone returns a time zone by name, or UTC if the name is empty. Names are validated when they are set.
func zone(name string) *time.Location {
	if name == "" {
		return time.UTC
	}
	if known, ok := zones.Load(name); ok {
		return known.(*time.Location)
	}
	z, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	zones.Store(name, z)
	return z
}

// apply sets the fields that were sent and returns all problems.
func (p ItemPatch) apply(i *Item) Problems {
	c := &check{slices.Clone(p.Problems)}
	before := i.DiscoveryDate
	p.clearObjects(i)
	for n := range itemFields {
		itemFields[n].set(c, &p, i)
	}
	if p.Latest != "" && i.DiscoveryDate > p.Latest && i.DiscoveryDate != before {
		c.Add("discoveryDate", "future", "is in the future; choose the day on which it was found")
	}
	s := &i.Shipping
	described := s.Weight != nil || s.BoxType != "" || s.IsDocument != nil
	if p.Shipping.Sent && !p.Shipping.Null && s.WeightUnit == "" && described {
		s.WeightUnit = DefaultWeightUnit
	}
	HideNumbers(i)
	return c.Problems
}

// clearObjects clears the objects that were sent as null. The tracking number and the recipient stay, because the
// service sets them, not the caller.
func (p ItemPatch) clearObjects(i *Item) {
	if p.Shipping.Null {
		i.Shipping = Shipping{TrackingNumber: i.Shipping.TrackingNumber, Recipient: i.Shipping.Recipient}
	}
	if p.Owner.Null {
		i.Owner = Owner{}
	}
	if p.Finder.Null {
		i.Finder = Finder{}
	}
}

func samePointee[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// Files lists the files of the item and of its hand-over. Thumbnails are deleted together with their images.
func (i Item) Files() []string {
	var names []string
	for _, img := range i.Images {
		names = append(names, img.File)
	}
	return append(names, i.Handover.Files()...)
}
