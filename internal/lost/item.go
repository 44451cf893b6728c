package lost

import (
	"slices"
	"sync"
	"time"
)

// Item is a lost item: one that a location found, or one that a claimant reported.
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
	StoragePlace   string // the item's own; see KeptAt
	Notes          string
	ImageURL       string  // as the client sent it
	ImageFile      string  // name of the newest upload; at most one of the two is set
	Images         []Image // every upload, newest first
	Shipping       Shipping
	Owner          Owner
	Language       string // the owner's, as a tag such as de or pt-BR
	Parcel         Parcel // its shipment
	Pickup         Pickup
	Claim          Claim // only of requests

	MovedBy    ActorKind // who set the status and the pick-up
	MovedAt    time.Time
	ClosedAt   time.Time // when the desk carried out the owner's choice; the owner can no longer change it
	DisownedAt time.Time // when the notified person said that it is not theirs

	Hold        string      // why the desk keeps it beyond its storage time; empty if it does not
	KeepUntil   string      // the day until which the desk keeps it at least
	Destination Destination // what the desk did with it after its storage time
	Handover    Handover

	Terms Terms // the present terms of its location

	CreatedAt, UpdatedAt time.Time
}

// Terms are the settings that an item inherits from its location.
type Terms struct {
	StoragePlace    string
	StorageDuration *int
	TimeZone        string
}

// Image is one uploaded photo.
type Image struct {
	File        string // name in the file store
	Thumbnail   string // name of its small version
	ContentType string
	Width       int
	Height      int
	Size        int64
	At          time.Time
}

// Shipping is what is known about sending the item.
type Shipping struct {
	Weight         *float64
	WeightUnit     WeightUnit
	BoxType        BoxType
	IsDocument     *bool
	TrackingNumber string
	Recipient      Recipient
	NotShipped     string // why it cannot be shipped, shown to the owner; empty if it can
}

// Known reports whether anything is said about shipping.
func (s Shipping) Known() bool { return s != Shipping{} }

// Owner is the guest an item belongs to.
type Owner struct{ FirstName, LastName, Email, Phone string }

// Known reports whether anything is said about the owner.
func (o Owner) Known() bool { return o != Owner{} }

// Traits are the texts that are often repeated in found items; the dashboard suggests them.
type Traits struct{ Brand, Model, Color, Place, StoragePlace string }

// Pickup is when the owner picks the item up. A pick-up that was in the future when it was set is planned and can be
// missed; any other records a past event.
type Pickup struct {
	Date, Time string
	Planned    bool
}

// ItemPatch is a partial item: creating and updating both apply one.
type ItemPatch struct {
	Description, DiscoveryPlace, DiscoveryDate, Brand, Model, Color Field[string]
	StoragePlace, Notes, ImageURL, Language, Hold, KeepUntil        Field[string]
	Shipping                                                        Field[ShippingPatch]
	Owner                                                           Field[OwnerPatch]
	// Seen is the UpdatedAt of the item as it was shown; zero to skip the check for changes since.
	Seen time.Time
	// Latest is the last possible discovery date for input in a form; empty for client programs, which may be in
	// another time zone.
	Latest string
	DecodeResult
}

// ShippingPatch merges into a Shipping.
type ShippingPatch struct {
	Weight     Field[float64]
	WeightUnit Field[string]
	BoxType    Field[string]
	IsDocument Field[bool]
	NotShipped Field[string]
}

// OwnerPatch merges into an Owner.
type OwnerPatch struct{ FirstName, LastName, Email, Phone Field[string] }

// NewItem makes an item found at a location from what was sent, or returns everything that is wrong with it.
func NewItem(account, location string, p ItemPatch, now time.Time) (Item, error) {
	it := Item{
		Account: account, ID: NewID(ItemID, now), LocationID: location, Reference: NewReference(),
		Source: Found, Status: Pending, CreatedAt: now, UpdatedAt: now,
	}
	problems := p.apply(&it)
	problems = append(problems, p.refuseEcho()...)
	return it, problems.Err()
}

// Update applies a patch and names the fields that changed, for the history. An
// item that does not change keeps its UpdatedAt.
func (i *Item) Update(p ItemPatch, now time.Time) (changed []string, err error) {
	before := *i
	if err := p.apply(i).Err(); err != nil {
		return nil, err
	}
	if i.Source == Request && i.Owner.Address() == "" {
		var c check
		c.Add("owner", "required", "must keep an e-mail address or phone number: a way to reach the claimant")
		return nil, c.Err()
	}
	if i.Hold != "" && i.Hold != before.Hold {
		if err := i.mayHold(); err != nil {
			return nil, err
		}
	}
	if i.Owner.Address() != before.Owner.Address() {
		i.DisownedAt = time.Time{} // another person said so
	}
	changed = differences(itemFields, &before, i)
	if len(changed) > 0 {
		i.UpdatedAt = now
	}
	return changed, nil
}

// mayHold returns nil, or why the item cannot be put on hold: only a found item that is still there can be.
func (i *Item) mayHold() error {
	var c check
	switch {
	case i.Source == Request:
		c.Add("hold", "not-held", "is only possible for found items; this is a request")
	case !i.Held():
		c.Add("hold", "not-held", "is only possible for items that are still here; this one is gone")
	}
	return c.Err()
}

// AddImage puts an upload first among the images and makes it the item's main image.
func (i *Item) AddImage(img Image, now time.Time) error {
	if len(i.Images) >= MaxImages {
		return E(Conflict, "This item already has %d images, the maximum. Remove one first.", MaxImages)
	}
	img.At = now
	i.Images = slices.Insert(slices.Clone(i.Images), 0, img)
	i.ImageFile, i.ImageURL, i.UpdatedAt = img.File, "", now
	return nil
}

// ShowImage makes one of the uploads the item's main image. It reports whether that changed anything.
func (i *Item) ShowImage(file string, now time.Time) (bool, error) {
	if !hasImage(i.Images, file) {
		return false, Missing("photo")
	}
	if i.ImageFile == file {
		return false, nil
	}
	i.ImageFile, i.ImageURL, i.UpdatedAt = file, "", now
	return true, nil
}

// RemoveImage removes an upload. If it was the item's main image, the newest of the others becomes the main image.
func (i *Item) RemoveImage(file string, now time.Time) error {
	if !hasImage(i.Images, file) {
		return Missing("photo")
	}
	i.Images = slices.DeleteFunc(slices.Clone(i.Images), func(img Image) bool { return img.File == file })
	i.UpdatedAt = now
	if i.ImageFile != file {
		return nil
	}
	i.ImageFile = ""
	if len(i.Images) > 0 {
		i.ImageFile = i.Images[0].File
	}
	return nil
}

func hasImage(images []Image, file string) bool {
	return slices.ContainsFunc(images, func(img Image) bool { return img.File == file })
}

// Picture is the upload that is the item's main image; zero if there is none.
func (i *Item) Picture() Image {
	n := slices.IndexFunc(i.Images, func(img Image) bool { return img.File == i.ImageFile })
	if n < 0 {
		return Image{}
	}
	return i.Images[n]
}

// MaxImages bounds the photos of one item.
const MaxImages = 50

// KeptAt is where the item is stored: its own place, otherwise its location's default. A request is stored nowhere.
func (i Item) KeptAt() string {
	if i.StoragePlace != "" || i.Source == Request {
		return i.StoragePlace
	}
	return i.Terms.StoragePlace
}

// StoreUntil is the last day on which the item is kept: by its location's present setting, or later if the desk has
// extended it. It is empty without a setting, while the item is on hold, and for requests.
func (i Item) StoreUntil() string {
	if i.Source == Request || i.Hold != "" {
		return ""
	}
	return max(i.storedUntil(), i.KeepUntil)
}

// storedUntil is the last day on which the item is kept by its location's setting; empty if there is none.
func (i Item) storedUntil() string {
	if i.Terms.StorageDuration == nil {
		return ""
	}
	day, err := time.Parse(DateForm, i.DiscoveryDate)
	if err != nil {
		day = i.CreatedAt.In(zone(i.Terms.TimeZone))
	}
	until := day.AddDate(0, 0, *i.Terms.StorageDuration)
	if until.Year() > 9999 {
		return "9999-12-31"
	}
	return until.Format(DateForm)
}

// zones caches time zones by name, because looking one up reads a file. There are a few hundred.
var zones sync.Map //nolint:gochecknoglobals // a zone is the same for everybody and never changes

// zone returns the time zone with a name that was validated when it was set; UTC if it is empty.
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

// apply sets what was sent, and gives everything that is wrong with it.
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
	return c.Problems
}

// clearObjects clears the objects that were sent as null. The tracking number and the recipient stay: the service set
// them, not the caller.
func (p ItemPatch) clearObjects(i *Item) {
	if p.Shipping.Null {
		i.Shipping = Shipping{TrackingNumber: i.Shipping.TrackingNumber, Recipient: i.Shipping.Recipient}
	}
	if p.Owner.Null {
		i.Owner = Owner{}
	}
}

func samePointee[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// Files lists every upload of the item and of its hand-over. Thumbnails are deleted together with their images.
func (i Item) Files() []string {
	var names []string
	for _, img := range i.Images {
		names = append(names, img.File)
	}
	return append(names, i.Handover.Files()...)
}
