package lost

import (
	"slices"
	"time"
)

// Handover is that an item was given to somebody at the desk. It stays when the item comes back: it is what has been.
type Handover struct {
	Name          string // of who took it
	IDChecked     bool   // the desk has seen a paper with that name
	At            time.Time
	SignatureFile string // name of the picture; empty where nobody signed on the screen
	ReceiptFile   string // name of the PDF
	Before        Before // how the item stood, to be put back
}

// Before is how an item stood before it was handed over.
type Before struct {
	Status Status // empty where nobody noted it
	Pickup Pickup
	Hold   string
}

// Known tells whether the item was handed over.
func (h Handover) Known() bool { return h != Handover{} }

// Files names what is kept of the hand-over.
func (h Handover) Files() []string {
	return slices.DeleteFunc([]string{h.SignatureFile, h.ReceiptFile}, func(name string) bool { return name == "" })
}

// HandoverPatch is a hand-over as it was sent.
type HandoverPatch struct {
	Name      string
	IDChecked bool
	// Seen is the UpdatedAt of the item that whoever hands it over was looking at; zero where that does not matter.
	Seen time.Time
}

// Read checks what was sent of a hand-over, or says everything that is wrong with it.
func (p HandoverPatch) Read(at time.Time) (Handover, error) {
	h := Handover{IDChecked: p.IDChecked, At: at}
	c := &check{}
	c.line(Set(p.Name), "name", MaxName, &h.Name)
	if !c.Has("name") {
		c.required("name", h.Name)
	}
	return h, c.Err()
}

// MayHandOver is nil, or why the item cannot be given to anybody at the desk as it stands.
func (i Item) MayHandOver() error {
	switch {
	case i.Source == Request:
		return E(Conflict, "This is a request. Hand over the item that was found for it.")
	case i.Status == PickUp && !i.ClosedAt.IsZero():
		return E(Conflict, "This item was handed over already.")
	case i.Status == FeePaid:
		return E(Conflict, "Its owner has paid for sending it. Give the fee back or send it; set it to be collected before it is handed over.")
	case i.Status.Travels():
		return E(Conflict, "This item was sent. Set it to be collected if it came back.")
	case !i.ClosedAt.IsZero():
		return E(Conflict, "This item was given away already. Set it to be collected if it is still there.")
	default:
		return nil
	}
}

// HandOver notes that the item was given to somebody, and that the desk is done with it. Where that was not planned, the pick-up is now.
func (i *Item) HandOver(h Handover, by ActorKind, now time.Time) (changed []string, err error) {
	if err := i.MayHandOver(); err != nil {
		return nil, err
	}
	h.Before = Before{i.Status, i.Pickup, i.Hold}
	m := Move{To: PickUp, Closed: Set(true)}
	if i.Status != PickUp {
		here := now.In(zone(i.Terms.TimeZone))
		m.PickupDate, m.PickupTime = Set(here.Format(DateForm)), Set(here.Format(TimeForm))
	}
	if changed, err = i.MoveTo(m, by, now); err != nil {
		return nil, err
	}
	i.Handover, i.UpdatedAt = h, now
	return append(changed, "handover"), nil
}

// MayTakeBack is nil, or why a hand-over can no longer be undone.
func (i Item) MayTakeBack(now time.Time) error {
	h := i.Handover
	switch {
	case i.Status != PickUp || i.ClosedAt.IsZero() || h.Before.Status == "":
		return E(Conflict, "There is no hand-over to undo.")
	case now.Sub(h.At) >= UndoTime:
		return E(Conflict, "The time to undo this is over. Change the status instead.")
	case h.Before.Status == InfoCompleted:
		return E(Conflict, "It was to be sent, and that ended with the hand-over. Change the status instead.")
	default:
		return nil
	}
}

// TakeBack undoes a hand-over: the item stands as it did before, and nothing is kept of it but its history.
func (i *Item) TakeBack(by ActorKind, now time.Time) (changed []string, err error) {
	if err := i.MayTakeBack(now); err != nil {
		return nil, err
	}
	before := i.Handover.Before
	if changed, err = i.MoveTo(Move{To: before.Status, Closed: Set(false)}, by, now); err != nil {
		return nil, err
	}
	if i.Hold != before.Hold {
		changed = append(changed, "hold")
	}
	i.Pickup, i.Hold, i.Handover, i.UpdatedAt = before.Pickup, before.Hold, Handover{}, now
	return append(changed, "handover"), nil
}

// Destination is what the desk did with an item whose time was over.
type Destination string

// The destinations.
const (
	Donated   Destination = "donated"
	Discarded Destination = "discarded"
	Police    Destination = "police"
)

// Destinations lists them.
func Destinations() []Destination { return []Destination{Donated, Discarded, Police} }

// Known tells whether there is such a destination.
func (d Destination) Known() bool { return slices.Contains(Destinations(), d) }

// Status is where a destination leads. What the police have is not the location's any more, as with what is discarded.
func (d Destination) Status() Status {
	if d == Donated {
		return Donate
	}
	return Discard
}
