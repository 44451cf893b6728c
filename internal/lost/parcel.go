package lost

import (
	"cmp"
	"slices"
)

// Parcel is the state of the shipment that is shown with an item.
type Parcel struct {
	ShipmentID   string
	ByGuest      bool // whether the guest entered the address, with the private link
	PayBy        PayBy
	Offered      bool   // whether there are offers
	Unpriced     string // why there are no offers, for the desk
	Paid         bool
	Awaited      bool // whether a payment that can take days is pending
	Refund       RefundState
	Service      string
	Price        Price
	FromDays     int // working days; see Quote
	ToDays       int
	ShippingDate string
	TrackingURL  string
	Documents    []Document
	Troubles     []ParcelProblem
}

// ParcelProblem is a problem with a shipment that the desk must solve.
type ParcelProblem struct {
	Kind   TaskKind
	Why    string
	AtDesk bool // the desk has to pay the fee back and confirm it; only for RefundTask
}

// Equal reports whether two states of a parcel are equal.
func (p Parcel) Equal(o Parcel) bool {
	same := slices.Equal(p.Documents, o.Documents) && slices.Equal(p.Troubles, o.Troubles)
	return same && p.ShipmentID == o.ShipmentID && p.ByGuest == o.ByGuest && p.PayBy == o.PayBy &&
		p.Offered == o.Offered && p.Unpriced == o.Unpriced && p.Paid == o.Paid &&
		p.Awaited == o.Awaited && p.Refund == o.Refund &&
		p.Service == o.Service &&
		p.Price == o.Price && p.FromDays == o.FromDays && p.ToDays == o.ToDays && p.ShippingDate == o.ShippingDate &&
		p.TrackingURL == o.TrackingURL
}

// Document returns a document by its kind, or the zero value if there is none.
func (p Parcel) Document(kind DocumentKind) Document {
	n := slices.IndexFunc(p.Documents, func(d Document) bool { return d.Kind == kind })
	if n < 0 {
		return Document{}
	}
	return p.Documents[n]
}

// Problem returns the problem that causes a task of this kind, or an empty string if there is none.
func (p Parcel) Problem(kind TaskKind) string {
	n := slices.IndexFunc(p.Troubles, func(t ParcelProblem) bool { return t.Kind == kind })
	if n < 0 {
		return ""
	}
	return p.Troubles[n].Why
}

// note records a problem for the desk. It replaces an earlier problem of the same kind.
func (p *Parcel) note(kind TaskKind, why string) {
	p.clear(kind)
	p.Troubles = append(p.Troubles,
		ParcelProblem{Kind: kind, Why: Shorten(cmp.Or(why, Note(NoteNoReason)), MaxPlace)})
}

// clear removes the problems of these kinds.
func (p *Parcel) clear(kinds ...TaskKind) {
	p.Troubles = slices.DeleteFunc(slices.Clone(p.Troubles), func(t ParcelProblem) bool {
		return slices.Contains(kinds, t.Kind)
	})
	if len(p.Troubles) == 0 {
		p.Troubles = nil
	}
}

// ParcelState is the state of a parcel at its carrier.
type ParcelState string

// The states of a parcel.
const (
	ParcelWaiting   ParcelState = "waiting" // the carrier does not have it yet
	ParcelMoving    ParcelState = "moving"
	ParcelDelivered ParcelState = "delivered"
	ParcelTrouble   ParcelState = "trouble" // it is being returned, or is lost
)

// ParcelUpdate is an update about one parcel from its carrier.
type ParcelUpdate struct {
	Tracker string // the carrier's id for tracking
	State   ParcelState
	Why     string // reason, for ParcelTrouble
	URL     string
}

// Status returns the item status for the parcel's state, or an empty string if there is none.
func (s ParcelState) Status() Status {
	switch s {
	case ParcelMoving:
		return Shipped
	case ParcelDelivered:
		return Delivered
	default:
		return ""
	}
}

// clearSolvedBy removes the problems that are solved by a status change.
func (p *Parcel) clearSolvedBy(s Status) {
	p.clear(ParcelTask)
	if s != FeePaid {
		p.clear(LabelTask)
	}
	if s != InfoCompleted {
		p.clear(ShippingTask)
	}
}
