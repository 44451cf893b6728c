package lost

// Held tells whether the item is with the desk, as far as its books say: it was found, and has not been sent or otherwise given away.
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

// Whereabouts tells what is here from what is gone, in a list of what was found.
type Whereabouts string

// The whereabouts; empty for both.
const (
	Here Whereabouts = "here"
	Away Whereabouts = "gone"
)

// Place is a storage place of a location: one that its items are at, or its usual one. Empty is the name of no place.
type Place struct {
	Name  string
	Items Total // that are held there, counted to MaxShown
}

// MaxShown is as far as the items at each place are counted for a list of places. On the page of a place they are counted as far as they are
// in a stock-take.
const MaxShown = 200
