package desk

import (
	"context"
	"slices"
	"strings"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// Items records, reads and changes items.
type Items struct {
	db           *store.DB
	wire         v1.Encoder
	now          func() time.Time
	reader       *access.Reader
	change       *change.Items
	pictures     *pictures
	messages     *Messages
	search       Searcher
	finds        *Finds
	labels       Shipper
	wake         func()
	wakeMessages func()
	wakeMatching func()
	wakeImages   func()
}

// ItemsOptions are the dependencies of Items.
type ItemsOptions struct {
	DB           *store.DB
	Wire         v1.Encoder
	Now          func() time.Time
	Reader       *access.Reader
	Change       *change.Items
	Uploads      Uploads
	Messages     *Messages
	Shipping     Shipper
	Search       Searcher
	Finds        *Finds
	Wake         func()
	WakeMessages func()
	WakeMatching func()
	// WakeImages is called after a commit that added only a photo to verify.
	WakeImages func()
}

// NewItems creates Items.
func NewItems(o ItemsOptions) *Items {
	return &Items{
		db: o.DB, wire: o.Wire, now: o.Now, reader: o.Reader, change: o.Change,
		pictures: &pictures{db: o.DB, uploads: o.Uploads}, messages: o.Messages, search: o.Search,
		finds: o.Finds, labels: o.Shipping,
		wake: o.Wake, wakeMessages: o.WakeMessages, wakeMatching: o.WakeMatching, wakeImages: o.WakeImages,
	}
}

// Create records an item that was found at a location.
func (s *Items) Create(ctx context.Context, a lost.Actor, location string, p lost.ItemPatch,
	o lost.IdempotencyKey) (i lost.Item, err error) {
	if err := access.May(a, lost.RecordItems, location, "location"); err != nil {
		return i, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		i, err = access.CreateOnce(tx, a, o, func() (lost.Item, error) {
			p, err := withLocation(tx, a.Account, location, p)
			if err != nil {
				return lost.Item{}, err
			}
			i, err := lost.NewItem(a.Account, location, p, tx.Now())
			if err != nil {
				_, missing := tx.Terms(ctx, a.Account, location)
				if missing != nil {
					return i, missing
				}
				return i, err
			}
			if err := insertItem(tx, a, i, noticeWait(p)); err != nil {
				return i, err
			}
			if err := auditConfirmation(tx, a, i, p); err != nil {
				return i, err
			}
			i.Terms, err = tx.InheritedTerms(a.Account, location)
			return i, err
		})
		return err
	})
	if err == nil {
		s.startWork(i)
	}
	return i, err
}

// auditConfirmation adds to the audit log that somebody has confirmed a guest of a room as the owner of an item, if so.
func auditConfirmation(tx *store.Tx, a lost.Actor, i lost.Item, p lost.ItemPatch) error {
	if p.Confirmed == "" {
		return nil
	}
	return access.Audit(tx, a, lost.GuestConfirmed, i.ID, p.Confirmed)
}

// noticeWait returns how long the notice of a new item waits. Its photos arrive within seconds, and the notice shows
// the first one.
func noticeWait(p lost.ItemPatch) time.Duration {
	if p.PhotosFollow {
		return 30 * time.Second
	}
	return 0
}

// insertItem saves a new item with its history, and queues the message to its owner, to be sent after the given time.
func insertItem(tx *store.Tx, a lost.Actor, i lost.Item, wait time.Duration) error {
	if i.OwnerState = lost.ToldState(i); !tx.Sends(i.Owner.Channel()) {
		i.OwnerState = lost.NoOwner
	}
	if err := tx.InsertItem(i); err != nil {
		return err
	}
	saved, err := change.NotifyNewOwner(tx, i, lost.NoticeMessage, wait)
	if err != nil {
		return err
	}
	return tx.AddHistory(i, append(saved, lost.NewEntry(a, lost.Created, tx.Now()))...)
}

// startWork starts the jobs of new items after their transaction was committed.
func (s *Items) startWork(items ...lost.Item) {
	if slices.ContainsFunc(items, func(i lost.Item) bool { return s.messages.SendsTo(i.Owner) }) {
		s.wakeMessages()
	}
	if slices.ContainsFunc(items, lost.Item.Matchable) {
		s.wakeMatching()
	}
}

// withLocation adds the country and the currency of the location to a patch that needs them.
func withLocation(tx *store.Tx, account, location string, p lost.ItemPatch) (lost.ItemPatch, error) {
	if !p.NeedsLocation() {
		return p, nil
	}
	l, err := tx.Location(tx.Context(), account, location)
	p.Country, p.Currency = l.Country, l.Currency()
	return p, err
}

// Update sets the item's fields that are present in the patch.
func (s *Items) Update(ctx context.Context, a lost.Actor, location, id string, p lost.ItemPatch,
	conditions ...lost.Condition[lost.Item]) (lost.Item, error) {
	return s.change.Item(ctx, a, location, id, s.update(a, p, conditions...))
}

// update returns the change that applies a patch to an item.
func (s *Items) update(a lost.Actor, p lost.ItemPatch, conditions ...lost.Condition[lost.Item]) change.Func {
	return func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(a, lost.Updated, tx.Now())
		if err := lost.CheckConditions(*i, conditions); err != nil {
			return entry, err
		}
		p, err := withLocation(tx, i.Account, i.LocationID, p) // a copy, because this may run twice
		if err != nil {
			return entry, err
		}
		if err := s.wire.CheckReadOnlyItem(&p, *i); err != nil {
			return entry, err
		}
		before := *i
		if entry.Fields, err = i.Update(p, tx.Now()); err != nil {
			return entry, err
		}
		if err := checkFieldConflict(tx, before, p.Seen, entry.Fields); err != nil {
			return entry, err
		}
		if len(entry.Fields) > 0 {
			if err := auditConfirmation(tx, a, *i, p); err != nil {
				return entry, err
			}
		}
		if i.Status != before.Status { // the item has another owner, who chooses again
			entry.From, entry.To = before.Status, i.Status
		}
		aboutShipping := slices.ContainsFunc(entry.Fields, func(name string) bool {
			return strings.HasPrefix(name, "shipping.")
		})
		// The shipping price may change, so a job requests it again.
		if aboutShipping && i.Status == lost.InfoCompleted && i.Parcel.ShipmentID != "" {
			i.Parcel.AwaitPrice()
			err = tx.AddJob(i.Account, store.JobShip, i.Parcel.ShipmentID, tx.Now())
		}
		if err != nil || lost.SameAddress(i.Owner.Address(), before.Owner.Address()) {
			return entry, err
		}
		return entry, change.NotifyOwner(tx, *i)
	}
}

// checkFieldConflict returns an error if somebody else has changed the same fields since the actor read the item.
// Changes to different fields do not conflict.
func checkFieldConflict(tx *store.Tx, i lost.Item, seen time.Time, fields []string) error {
	if len(fields) == 0 {
		return nil
	}
	return checkUnchangedSince(tx, i, seen, func(e lost.Entry) bool { return e.ConflictsWith(fields) })
}

// checkUnchangedSince returns an error if matters returns true for any history entry since the actor read the item.
func checkUnchangedSince(tx *store.Tx, i lost.Item, seen time.Time, matters func(lost.Entry) bool) error {
	if seen.IsZero() || i.UpdatedAt.Equal(seen) {
		return nil
	}
	if seen.After(i.UpdatedAt) { // seen is invalid: the item has no later version
		return lost.E(lost.Conflict, "This item was changed. Reload it and try again.")
	}
	since, err := tx.HistorySince(tx.Context(), i.Account, i.ID, seen)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(since, matters) || len(since) == store.MaxHistorySince { // there may be more entries
		return access.ErrConflict
	}
	return nil
}

// SetStatus sets the status of an item. It returns an error if somebody else has changed the status since the actor
// read the item, unless the item already has the new status.
func (s *Items) SetStatus(ctx context.Context, a lost.Actor, location, id string, p lost.MovePatch,
	conditions ...lost.Condition[lost.Item]) (lost.Item, error) {
	return s.change.Item(ctx, a, location, id, s.move(a, p, conditions...))
}

// move returns the change that sets the status of an item.
func (s *Items) move(a lost.Actor, p lost.MovePatch, conditions ...lost.Condition[lost.Item]) change.Func {
	return func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(a, lost.Updated, tx.Now())
		if err := lost.CheckConditions(*i, conditions); err != nil {
			return entry, err
		}
		move, err := p.Move()
		if err != nil {
			return entry, err
		}
		if p.Advised {
			if err := i.CheckMove(move.To); err != nil {
				return entry, err
			}
		}
		before, from := *i, i.Status
		if entry.Fields, err = i.MoveTo(move, a.Kind, tx.Now()); err != nil {
			return entry, err
		}
		if len(entry.Fields) > 0 {
			if err := checkUnchangedSince(tx, before, p.Seen, lost.Entry.InvalidatesMove); err != nil {
				return entry, err
			}
		}
		if i.Status != from {
			entry.Action, entry.From, entry.To = lost.Moved, from, i.Status
		}
		entry.Note = move.Note
		if slices.Contains(entry.Fields, "shipping.trackingNumber") {
			l, err := tx.Location(tx.Context(), i.Account, i.LocationID)
			if err != nil {
				return entry, err
			}
			i.Parcel.TrackingURL = l.Rules().TrackingURL(i.Shipping.TrackingNumber)
		}
		if i.Status != from && i.Status == lost.FeePaid {
			err = s.labels.ShipOut(tx, i)
		}
		return entry, err
	}
}

// CheckMove returns an error if the desk should not set the status of an item now: see lost.Item.CheckMove and
// lost.CheckGiveAway.
func (s *Items) CheckMove(ctx context.Context, i lost.Item, to lost.Status) error {
	messages, err := claimantMessages(ctx, s.db, []lost.Item{i}, to)
	if err != nil {
		return err
	}
	return checkMove(i, to, messages, s.now())
}

func checkMove(i lost.Item, to lost.Status, messages map[string][]lost.Message, now time.Time) error {
	if err := i.CheckMove(to); err != nil {
		return err
	}
	return lost.CheckGiveAway(i, messages[i.ID], now)
}

// messageReader reads the messages about items: the database or a transaction.
type messageReader interface {
	MessagesOfItems(ctx context.Context, account string, items []string) (map[string][]lost.Message, error)
}

// claimantMessages returns the messages about those of an account's items whose claimant must be notified before they
// can be moved to a status, by the id of the item. lost.CheckGiveAway returns no error for the others.
func claimantMessages(ctx context.Context, r messageReader, items []lost.Item,
	to lost.Status) (map[string][]lost.Message, error) {
	var ids []string
	for _, i := range items {
		if to.GivesAway() && i.Status != to && i.Owner.Address() != "" {
			ids = append(ids, i.ID)
		}
	}
	if len(ids) == 0 {
		return map[string][]lost.Message{}, nil
	}
	return r.MessagesOfItems(ctx, items[0].Account, ids)
}

// Finish records that staff have carried out the owner's choice. It returns an error if the choice has changed since
// the actor read the item. It is idempotent.
func (s *Items) Finish(ctx context.Context, a lost.Actor, location, id string, seen time.Time) (lost.Item, error) {
	return s.change.Item(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		entry, matters := lost.NewEntry(a, lost.Updated, tx.Now()), lost.Entry.InvalidatesMove
		if !i.ClosedAt.IsZero() {
			matters = func(e lost.Entry) bool { return e.To != "" } // somebody may have completed a different choice
		}
		if err := checkUnchangedSince(tx, *i, seen, matters); err != nil {
			return entry, err
		}
		move, err := lost.MovePatch{Status: lost.Set(string(i.Status)), Closed: lost.Set(true)}.Move()
		if err != nil {
			return entry,
				lost.E(lost.WrongState, "The owner has not made a choice that can be completed yet.").WithCause(err)
		}
		entry.Fields, err = i.MoveTo(move, a.Kind, tx.Now())
		return entry, err
	})
}

// Delete deletes an item with its history and files. It returns an error if lost.CheckDelete does.
func (s *Items) Delete(ctx context.Context, a lost.Actor, location, id string,
	conditions ...lost.Condition[lost.Item]) error {
	if err := access.May(a, lost.DeleteItems, location, "item"); err != nil {
		return err
	}
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.LockItem(a.Account, location, id)
		if err != nil {
			return err
		}
		if err := lost.CheckConditions(i, conditions); err != nil {
			return err
		}
		if err := lost.CheckDelete(i); err != nil {
			return err
		}
		if err := change.ReopenRequests(tx, a, i); err != nil {
			return err
		}
		if err := removeItem(tx, i); err != nil {
			return err
		}
		return access.Audit(tx, a, lost.ItemDeleted, i.ID, i.Reference)
	})
	s.wake()
	return err
}

// removeItem deletes an item with its shipments and files.
func removeItem(tx *store.Tx, i lost.Item) error {
	documents, err := tx.DeleteShipments(i.Account, []string{i.ID})
	if err != nil {
		return err
	}
	if err := tx.DeleteItem(i); err != nil {
		return err
	}
	return tx.AddDeleteFilesJobs(i.Account, append(documents, i.Files()...)...)
}
