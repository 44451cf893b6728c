package lost

import (
	"encoding/base64"
	"slices"
	"strings"
	"time"
)

// Handover records that an item was given to somebody at the desk. The record stays if the item comes back
// later.
type Handover struct {
	Name          string // who collected the item
	IDChecked     bool   // the desk has checked an identity document
	At            time.Time
	SignatureFile string // name of the image; empty if nobody signed on the screen
	ReceiptFile   string // name of the PDF
	Before        Before // the state of the item before the hand-over, for undo
}

// Before is the state of an item before it was handed over.
type Before struct {
	Status Status // empty if it was not recorded
	Pickup Pickup
	Hold   string
}

// Known reports whether the item was handed over.
func (h Handover) Known() bool { return h != Handover{} }

// Files lists the files of the hand-over.
func (h Handover) Files() []string {
	return slices.DeleteFunc([]string{h.SignatureFile, h.ReceiptFile}, func(name string) bool { return name == "" })
}

// HandoverPatch is a hand-over as received from the client.
type HandoverPatch struct {
	Recipient string
	IDChecked bool
	Note      string // for the history
	Signature []byte // a PNG; empty if nobody signed on the screen
	// Seen is the item's UpdatedAt when the user loaded it. If it is zero, the check for later changes is skipped.
	Seen time.Time
	DecodeResult
}

// Read validates the hand-over and returns it with the note for the history. The error lists all problems.
func (p HandoverPatch) Read(at time.Time) (h Handover, note string, err error) {
	h = Handover{IDChecked: p.IDChecked, At: at}
	c := &check{slices.Clone(p.Problems)}
	c.line(Set(p.Recipient), "recipient", MaxName, &h.Name)
	c.Require("recipient", h.Name)
	c.prose(Set(p.Note), "note", MaxDescription, &note)
	return h, note, c.Err()
}

// ParseBase64 decodes base64, alone or in a data: URL. It returns false for other text.
func ParseBase64(text string) ([]byte, bool) {
	if strings.HasPrefix(text, "data:") {
		_, encoded, found := strings.Cut(text, ";base64,")
		if !found {
			return nil, false
		}
		text = encoded
	}
	content, err := base64.StdEncoding.DecodeString(text)
	return content, err == nil
}

// MayHandOver returns an error if the item cannot be handed over.
func (i Item) MayHandOver() error {
	switch {
	case i.Source == Request:
		return E(WrongState, "This is a request. Hand over the found item that matches it.")
	case i.Status == PickUp && !i.ClosedAt.IsZero():
		return E(WrongState, "This item was already handed over.")
	case i.Status == FeePaid:
		return E(WrongState,
			"The owner has paid for shipping. Refund the fee or ship the item; to hand it over, set it to PICKUP "+
				"first.")
	case i.Status.IsShipping():
		return E(WrongState, "This item was shipped. If it came back, set it to PICKUP first.")
	case !i.ClosedAt.IsZero():
		return E(WrongState, "This item was already given away. If it is still there, set it to PICKUP first.")
	default:
		return nil
	}
}

// HandOver records that the item was given to somebody and closes the item. If no pick-up was planned, the pick-up is
// set to now.
func (i *Item) HandOver(h Handover, by ActorKind, now time.Time) (changed []string, err error) {
	if err := i.MayHandOver(); err != nil {
		return nil, err
	}
	h.Before = Before{i.Status, i.Pickup, i.Hold}
	m := Move{To: PickUp, Closed: Set(true)}
	if i.Status != PickUp {
		here := now.In(i.Terms.Zone())
		m.PickupDate, m.PickupTime = Set(here.Format(DateLayout)), Set(here.Format(TimeLayout))
	}
	if changed, err = i.MoveTo(m, by, now); err != nil {
		return nil, err
	}
	i.Handover, i.UpdatedAt = h, now
	return append(changed, "handover"), nil
}

// MayTransfer returns an error if the item cannot be given to somebody who is not its owner.
func (i Item) MayTransfer() error {
	if err := i.MayHandOver(); err != nil {
		return err
	}
	if i.Parcel.Awaited {
		return E(WrongState, "%s", Note(NotePaymentInProgress))
	}
	return nil
}

// Transfer records that the item was given to somebody who is not its owner, such as the police, and closes the item.
func (i *Item) Transfer(to Destination, h Handover, by ActorKind, now time.Time) (changed []string, err error) {
	if err := i.MayTransfer(); err != nil {
		return nil, err
	}
	h.Before = Before{i.Status, i.Pickup, i.Hold}
	if changed, err = i.MoveTo(Move{To: to.Status(), Closed: Set(true)}, by, now); err != nil {
		return nil, err
	}
	i.Destination, i.Handover = to, h
	i.ClosedAt, i.UpdatedAt = h.At, now
	return append(changed, "destination", "handover"), nil
}

// Transferred reports whether the item was given to somebody who is not its owner, with a record of the hand-over.
func (i Item) Transferred() bool {
	return i.Destination != "" && i.Handover.Known() && i.ClosedAt.Equal(i.Handover.At)
}

// MayUndoHandover returns an error if there is no hand-over or it can no longer be undone.
func (i Item) MayUndoHandover(now time.Time) error {
	h := i.Handover
	handed := i.Status == PickUp && !i.ClosedAt.IsZero() || i.Transferred()
	switch {
	case !handed || h.Before.Status == "":
		return E(WrongState, "There is no hand-over to undo.")
	case now.Sub(h.At) >= UndoTime:
		return E(WrongState, "It is too late to undo this. Change the status instead.")
	case h.Before.Status == InfoCompleted:
		return E(WrongState, "The hand-over ended the shipment of this item. Change the status instead.")
	default:
		return nil
	}
}

// UndoHandover restores the state before the hand-over. The history still contains the hand-over.
func (i *Item) UndoHandover(by ActorKind, now time.Time) (changed []string, err error) {
	if err := i.MayUndoHandover(now); err != nil {
		return nil, err
	}
	before, destination := i.Handover.Before, i.Destination
	i.Destination = ""
	if destination != "" {
		changed = append(changed, "destination")
	}
	moved, err := i.MoveTo(Move{To: before.Status, Closed: Set(false)}, by, now)
	if err != nil {
		return nil, err
	}
	changed = append(changed, moved...)
	if i.Hold != before.Hold {
		changed = append(changed, "hold")
	}
	i.Pickup, i.Hold = before.Pickup, before.Hold
	i.Handover = Handover{}
	i.UpdatedAt = now
	return append(changed, "handover"), nil
}

// Destination is what the desk did with an item after its storage time had ended.
type Destination string

// The destinations.
const (
	Donated     Destination = "donated"
	Discarded   Destination = "discarded"
	Police      Destination = "police"
	ToAuthority Destination = "authority"
	Auctioned   Destination = "auctioned"
	ToFinder    Destination = "finder"
)

// Destinations lists all destinations, in the order of Disposals.
func Destinations() []Destination {
	return []Destination{Donated, Discarded, Police, ToAuthority, Auctioned, ToFinder}
}

// Known reports whether the destination is valid.
func (d Destination) Known() bool { return slices.Contains(Destinations(), d) }

// Kept reports whether somebody got an item with the destination, who is neither its owner nor a charity.
func (d Destination) Kept() bool { return d.Known() && d != Donated && d != Discarded }

// Status returns the status for a destination. An item that went to the police, an authority, a buyer or its finder
// counts as discarded.
func (d Destination) Status() Status {
	if d == Donated {
		return Donate
	}
	return Discard
}

// ToIssuer is the destination of an identity paper or a payment card that was forwarded to the office or the bank that
// issued it.
const ToIssuer Destination = "issuer"

// ItemDestinations lists the destinations that an item can have: those that people choose from, and ToIssuer.
func ItemDestinations() []Destination { return append(Destinations(), ToIssuer) }

// InformedParty is somebody who is informed about an identity paper or a payment card.
type InformedParty string

// The parties.
const (
	InformedIssuer    InformedParty = "issuer"
	InformedBank      InformedParty = "bank"
	InformedAuthority InformedParty = "authority"
	InformedOwner     InformedParty = "owner"
)

// InformedParties lists the parties.
func InformedParties() []InformedParty {
	return []InformedParty{InformedIssuer, InformedBank, InformedAuthority, InformedOwner}
}

// InformedNote returns a history note that says who was informed about an item and on which day. The error lists all
// problems.
func InformedNote(who, on string) (string, error) {
	c := &check{}
	var party InformedParty
	var day string
	oneOf(c, Set(who), "informed", InformedParties(), &party)
	c.Require("informed", string(party))
	c.date(Set(on), "date", &day)
	c.Require("date", day)
	if err := c.Err(); err != nil {
		return "", err
	}
	kinds := map[InformedParty]NoteKind{
		InformedIssuer: NoteInformedIssuer, InformedBank: NoteInformedBank, InformedAuthority: NoteInformedAuthority,
		InformedOwner: NoteInformedOwner,
	}
	return Note(kinds[party], day), nil
}
