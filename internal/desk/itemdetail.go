package desk

import (
	"context"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
)

// Get returns an item of a location.
func (s *Items) Get(ctx context.Context, a lost.Actor, location, id string) (lost.Item, error) {
	return s.reader.Item(ctx, a, location, id)
}

// GetAnywhere returns an item by its id alone. The item may be at any location that the actor may see.
func (s *Items) GetAnywhere(ctx context.Context, a lost.Actor, id string) (lost.Item, error) {
	i, err := s.db.AccountItem(ctx, a.Account, id)
	if err != nil {
		return lost.Item{}, err
	}
	if err := access.MayView(a, i.LocationID, "item"); err != nil {
		return lost.Item{}, err
	}
	s.reader.Saw(a, i)
	return i, nil
}

// History lists the history entries of an item, newest first.
func (s *Items) History(ctx context.Context, a lost.Actor, location, id string,
	page lost.Page) (lost.List[lost.Entry], error) {
	if _, err := s.reader.Item(ctx, a, location, id); err != nil {
		return lost.List[lost.Entry]{}, err
	}
	return s.db.History(ctx, a.Account, id, page)
}

// ChangedSince lists the history entries that were added since the actor read the item, newest first.
func (s *Items) ChangedSince(ctx context.Context, a lost.Actor, location, id string,
	seen time.Time) ([]lost.Entry, error) {
	if _, err := s.reader.Item(ctx, a, location, id); err != nil {
		return nil, err
	}
	since, err := s.db.HistorySince(ctx, a.Account, id, seen)
	slices.Reverse(since)
	return since, err
}

// ItemDetail is an item with its location, history, messages and deliveries. Each list contains only the newest
// entries.
type ItemDetail struct {
	Item        lost.Item
	Location    lost.Location
	History     lost.List[lost.Entry]
	Messages    lost.List[MessageWithText]
	Deliveries  []lost.Delivery // without endpoint ids and responses if the actor may not see webhooks
	LastFailure string          // why the last message to the owner failed; empty if it succeeded
	// GuestURL is the URL of the owner's page. It is empty if there is no valid link or the actor may not write.
	GuestURL string
}

// Detail returns an item with its location, history, messages and deliveries. Each list has at most lines entries.
func (s *Items) Detail(ctx context.Context, a lost.Actor, location, id string,
	lines int) (f ItemDetail, err error) {
	if f.Item, err = s.reader.Item(ctx, a, location, id); err != nil {
		return f, err
	}
	if f.Location, err = s.db.Location(ctx, a.Account, location); err != nil {
		return f, err
	}
	page := lost.Page{Number: 1, Limit: lines}
	if f.History, err = s.db.History(ctx, a.Account, id, page); err != nil {
		return f, err
	}
	if f.Deliveries, err = s.itemDeliveries(ctx, a, id, lines); err != nil {
		return f, err
	}
	if access.May(a, lost.HandleItems, location, "item") == nil {
		if f.GuestURL, err = s.messages.guestURL(ctx, f.Item); err != nil {
			return f, err
		}
	}
	if f.Messages, err = s.messages.itemMessages(ctx, a, f.Item, f.Location, page); err != nil {
		return f, err
	}
	f.LastFailure, err = s.lastFailure(ctx, f.Item)
	return f, err
}

// lastFailure returns why the last message to an item's owner failed. It returns "" if the message did not fail.
func (s *Items) lastFailure(ctx context.Context, i lost.Item) (string, error) {
	if i.Owner.Address() == "" {
		return "", nil
	}
	sent, err := s.db.RecentMessages(ctx, i.Account, i.ID)
	why, _ := i.Owner.DeliveryProblem(sent)
	return why, err
}

// itemDeliveries lists the newest deliveries of an item's events.
func (s *Items) itemDeliveries(ctx context.Context, a lost.Actor, item string, lines int) ([]lost.Delivery, error) {
	list, err := s.db.ItemDeliveries(ctx, a.Account, item, lines)
	if access.MayViewAccount(a, lost.ManageIntegrations) == nil {
		return list, err
	}
	for n := range list {
		list[n].EndpointID = ""
		for m := range list[n].Attempts {
			list[n].Attempts[m].Response = ""
		}
	}
	return list, err
}

// Audience describes who is notified when staff set the status of an item.
type Audience struct {
	Owner    string // the address that gets a message; empty if there is none
	Sends    bool   // whether the message is sent; otherwise it is only saved
	Webhooks int    // number of webhooks that get the event
}

// Audience returns who would be notified if staff set an item to the given status.
func (s *Items) Audience(ctx context.Context, a lost.Actor, location, id string,
	to lost.Status) (who Audience, err error) {
	i, err := s.reader.Item(ctx, a, location, id)
	if err != nil {
		return who, err
	}
	if lost.NotifiesOnMove(i, to) {
		who.Owner, who.Sends = i.Owner.Address(), s.messages.SendsTo(i.Owner)
	}
	event, is := to.EventType()
	if !is || to == i.Status && to != lost.PickUp { // another time of the pick-up is also announced
		return who, nil
	}
	who.Webhooks, err = s.db.CountSubscribed(ctx, a.Account, event, i.LocationID)
	return who, err
}
