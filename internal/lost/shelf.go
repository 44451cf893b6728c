package lost

// Held reports whether the item is recorded as being at the desk: it was found, and was not sent or given away.
func (i Item) Held() bool {
	switch {
	case i.Source == Request || i.Status == Shipped || i.Status == Delivered:
		return false
	case i.Status == PickUp || i.Status == Discard || i.Status == Donate:
		return i.ClosedAt.IsZero()
	default:
		return true
	}
}

// StorageFilter limits a list of found items to those that are at the desk, or to those that are not.
type StorageFilter string

// The values of StorageFilter. Empty means both.
const (
	InStorage    StorageFilter = "here"
	OutOfStorage StorageFilter = "gone"
)

// StoragePlace is a place where a location stores items, or its default place. The empty name stands for items
// without a place.
type StoragePlace struct {
	Name  string
	Items Total // items at the place, counted up to MaxShown
}

// MaxShown is the maximum number of items that are counted at each place in a list of places. The page for a single
// place uses the limit of a stock-take instead.
const MaxShown = 200
