package desk

import (
	"context"
	"slices"
	"time"

	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Guests implements the actions that guests can take on the page that their link opens.
type Guests struct {
	db       *store.DB
	links    *change.GuestLinks
	pictures *pictures
	quotes   Quotes
	payments Payments
	wake     func()
}

// GuestsOptions are the dependencies of Guests.
type GuestsOptions struct {
	DB       *store.DB
	Links    *change.GuestLinks
	Uploads  Uploads
	Quotes   Quotes
	Payments Payments
	Wake     func()
}

// NewGuests creates Guests.
func NewGuests(o GuestsOptions) *Guests {
	return &Guests{
		db: o.DB, links: o.Links, pictures: &pictures{db: o.DB, uploads: o.Uploads}, quotes: o.Quotes,
		payments: o.Payments, wake: o.Wake,
	}
}

// Visit resolves a link. The error is NotFound for an unknown token, and Gone for an expired or revoked token. With
// Gone, the returned visit contains only the location and its privacy notice.
func (g *Guests) Visit(ctx context.Context, token string) (Visit, error) {
	return g.links.Visit(ctx, token)
}

// Choose carries out the guest's choice.
func (g *Guests) Choose(ctx context.Context, token string, p lost.ChoicePatch) (change.Visit, error) {
	offers, err := g.offersFor(ctx, token, p)
	if err != nil {
		return change.Visit{}, err
	}
	return g.links.Change(ctx, token, func(tx *store.Tx, v change.Visit, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(v.Link.Guest(), lost.Updated, tx.Now())
		before := *i
		var err error
		if entry.Fields, err = choose(tx, i, p, v.Location); err != nil || len(entry.Fields) == 0 {
			return entry, err
		}
		if i.Status != before.Status {
			entry.Action, entry.From, entry.To = lost.Moved, before.Status, i.Status
		}
		if i.Shipping.Recipient != before.Shipping.Recipient { // the address has changed or was removed
			if err := change.EndShipment(tx, i); err != nil {
				return entry, err
			}
		}
		if i.Status == lost.InfoCompleted {
			if err := g.payments.RefundFormer(tx, i); err != nil {
				return entry, err
			}
			s := lost.NewShipment(i, g.payments.PayBy(), tx.Now())
			i.Parcel.ByGuest = true
			s.SetOffers(offers, i, tx.Now())
			if err := tx.InsertShipment(s); err != nil {
				return entry, err
			}
			if offers.Basis == "" { // the carrier did not respond; a job will retry
				if err := tx.AddJob(s.Account, store.JobShip, s.ID, tx.Now()); err != nil {
					return entry, err
				}
			}
		}
		return entry, change.Confirm(tx, *i, lost.ChoiceMessage, "choice "+entry.ID, offers.Quotes...)
	})
}

// choose applies the guest's choice. For a pick-up it locks the location first, so that two guests cannot take the last
// place of a slot at the same time, and the hours cannot change in the meantime.
func choose(tx *store.Tx, i *lost.Item, p lost.ChoicePatch, l lost.Location) (changed []string, err error) {
	if p.Choice == lost.ChoosePickUp {
		if l, err = tx.LockLocation(i.Account, i.LocationID); err != nil {
			return nil, err
		}
	}
	booking := p.Choice == lost.ChoosePickUp && l.Slots.Minutes > 0
	if changed, err = i.Choose(p, l, tx.Now()); err != nil || len(changed) == 0 || !booking {
		return changed, err
	}
	booked, err := tx.Bookings(tx.Context(), i.Account, i.LocationID, i.Pickup.Date,
		lost.AddDays(i.Pickup.Date, lost.SlotLookahead), i.ID)
	if err != nil {
		return nil, err
	}
	return changed, l.CheckSlot(*i, booked, tx.Now())
}

// CancelPickup withdraws the guest's choice to pick the item up. The guest can choose again.
func (g *Guests) CancelPickup(ctx context.Context, token string) (change.Visit, error) {
	return g.links.Change(ctx, token, func(tx *store.Tx, v change.Visit, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(v.Link.Guest(), lost.Moved, tx.Now())
		entry.From = i.Status
		var err error
		entry.Fields, err = lost.CancelPickup(i, tx.Now())
		entry.To = i.Status
		return entry, err
	})
}

// Slots returns the slots of some days that the guest of a visit can choose, in order. The guest's own booking does not
// count.
func (g *Guests) Slots(ctx context.Context, v Visit, from, to string) ([]lost.Slot, error) {
	booked, err := g.db.Bookings(ctx, v.Item.Account, v.Item.LocationID, from, to, v.Item.ID)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(v.Location.SlotsBetween(from, to, booked, v.Now),
		func(s lost.Slot) bool { return s.Free() == 0 }), nil
}

// offersFor requests the price of the guest's choice before the choice is saved, because the next steps depend on it.
// If the input is invalid, it returns no offers and no error: the transaction that saves the choice reports the
// error.
func (g *Guests) offersFor(ctx context.Context, token string, p lost.ChoicePatch) (o lost.Offers, err error) {
	if p.Choice != lost.ChooseShip {
		return o, nil
	}
	v, err := g.links.Visit(ctx, token)
	if err != nil {
		return o, err
	}
	i := v.Item
	if _, err := i.Choose(p, v.Location, v.Now); err != nil {
		return o, nil //nolint:nilerr // the transaction reports the error
	}
	// If the carrier does not respond, the choice is saved without offers.
	if o, err = g.quotes.Offers(ctx, v.Location, i, i.Shipping.Recipient); err != nil {
		return lost.Offers{}, nil //nolint:nilerr // the address is saved anyway
	}
	return o, nil
}

// Disown records the guest's statement that the item is not theirs, which staff can see.
func (g *Guests) Disown(ctx context.Context, token string) (change.Visit, error) {
	return g.links.Change(ctx, token, func(tx *store.Tx, v change.Visit, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(v.Link.Guest(), lost.Disowned, tx.Now())
		changed, err := i.Disown(tx.Now())
		if changed {
			entry.Fields = []string{"disownedAt"}
		}
		return entry, err
	})
}

// WithdrawRequest withdraws a request because the claimant has found the item.
func (g *Guests) WithdrawRequest(ctx context.Context, token string) (change.Visit, error) {
	return g.links.Change(ctx, token, func(tx *store.Tx, v change.Visit, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(v.Link.Guest(), lost.Withdrawn, tx.Now())
		changed, err := i.Withdraw(tx.Now())
		if changed {
			entry.Fields = []string{"request"}
		}
		return entry, err
	})
}

// renewEvery is the shortest time between two renewals of a link.
const renewEvery = time.Hour

// RenewLink sends a new link to the address that an expired link was sent to, at most once an hour. It does not
// report whether it sent a link, so that somebody who has an old link learns nothing.
func (g *Guests) RenewLink(ctx context.Context, token string) error {
	link, err := g.links.Link(ctx, token)
	if err != nil {
		return err
	}
	err = g.db.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.LockItem(link.Account, link.LocationID, link.ItemID)
		if err != nil {
			return err
		}
		if err := link.CheckAccess(i, tx.Now()); lost.CodeOf(err) != lost.Gone {
			return err
		}
		sent, err := tx.RecentMessages(ctx, i.Account, i.ID)
		if err != nil || len(sent) > 0 && tx.Now().Sub(sent[0].CreatedAt) < renewEvery {
			return err
		}
		_, err = notifyAgain(tx, i)
		return err
	})
	g.wake()
	return err
}
