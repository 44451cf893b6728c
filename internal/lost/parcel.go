package lost

import (
	"cmp"
	"slices"
)

// Parcel is the state of the shipment that is shown with an item.
type Parcel struct {
	ShipmentID   string
	PayBy        PayBy
	Offered      bool   // whether there are offers
	Unpriced     string // why there are none, for the desk
	Paid         bool
	Awaited      bool // whether a payment is pending that takes days
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
	Kind TaskKind
	Why  string
}

// Equal compares two states of a parcel.
func (p Parcel) Equal(o Parcel) bool {
	same := slices.Equal(p.Documents, o.Documents) && slices.Equal(p.Troubles, o.Troubles)
	return same && p.ShipmentID == o.ShipmentID && p.PayBy == o.PayBy && p.Offered == o.Offered &&
		p.Unpriced == o.Unpriced && p.Paid == o.Paid && p.Awaited == o.Awaited && p.Refund == o.Refund &&
		p.Service == o.Service &&
		p.Price == o.Price && p.FromDays == o.FromDays && p.ToDays == o.ToDays && p.ShippingDate == o.ShippingDate &&
		p.TrackingURL == o.TrackingURL
}

// Document returns a document by its kind; zero if there is none.
func (p Parcel) Document(kind DocumentKind) Document {
	n := slices.IndexFunc(p.Documents, func(d Document) bool { return d.Kind == kind })
	if n < 0 {
		return Document{}
	}
	return p.Documents[n]
}

// Problem returns the problem behind a task; empty if there is none.
func (p Parcel) Problem(kind TaskKind) string {
	n := slices.IndexFunc(p.Troubles, func(t ParcelProblem) bool { return t.Kind == kind })
	if n < 0 {
		return ""
	}
	return p.Troubles[n].Why
}

// note adds a problem for the desk.
func (p *Parcel) note(kind TaskKind, why string) {
	p.settle(kind)
	p.Troubles = append(p.Troubles, ParcelProblem{kind, Shorten(cmp.Or(why, "No reason was given."), MaxPlace)})
}

// settle removes problems.
func (p *Parcel) settle(kinds ...TaskKind) {
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
	Why     string // with trouble
	URL     string
}

// Status returns the item status that follows from the parcel's state; empty if none does.
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

// settleBy removes the problems that a change of status solves.
func (p *Parcel) settleBy(s Status) {
	p.settle(ParcelTask)
	if s != FeePaid {
		p.settle(LabelTask)
	}
	if s != InfoCompleted {
		p.settle(ShippingTask)
	}
}
