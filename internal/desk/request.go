package desk

import (
	"context"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Requests manages the requests of people who lost something.
type Requests struct {
	db       *store.DB
	now      func() time.Time
	reader   *access.Reader
	change   *change.Items
	items    *Items
	pictures *pictures
	wake     func()
}

// RequestsOptions are the dependencies of Requests.
type RequestsOptions struct {
	DB      *store.DB
	Now     func() time.Time
	Reader  *access.Reader
	Change  *change.Items
	Items   *Items
	Uploads Uploads
	Wake    func()
}

// NewRequests creates Requests.
func NewRequests(o RequestsOptions) *Requests {
	return &Requests{
		db: o.DB, now: o.Now, reader: o.Reader, change: o.Change, items: o.Items,
		pictures: &pictures{db: o.DB, uploads: o.Uploads}, wake: o.Wake,
	}
}

// File creates a claimant's request at a location, saves the event, and queues a message to the claimant.
func (s *Requests) File(ctx context.Context, a lost.Actor, location string, p lost.RequestPatch,
	o lost.IdempotencyKey) (lost.Item, error) {
	if err := access.May(a, lost.HandleItems, location, "location"); err != nil {
		return lost.Item{}, err
	}
	return s.fileRequest(ctx, a, location, p, o, nil)
}

// fileRequest saves a request with its photo, history entry, event and acknowledgement in one transaction.
func (s *Requests) fileRequest(ctx context.Context, a lost.Actor, location string, p lost.RequestPatch,
	o lost.IdempotencyKey, attach func(*store.Tx, *lost.Item) error) (i lost.Item, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		i, err = access.CreateOnce(tx, a, o, func() (lost.Item, error) {
			terms, missing := tx.Terms(ctx, a.Account, location)
			if missing != nil {
				return lost.Item{}, missing
			}
			if p.Owner.Value.NeedsCountry() {
				l, err := tx.Location(ctx, a.Account, location)
				if err != nil {
					return lost.Item{}, err
				}
				p.Country = l.Country
			}
			i, err := lost.NewRequest(a.Account, location, p, tx.Now())
			if err != nil {
				return i, err
			}
			i.Terms, i.MovedBy, i.MovedAt = terms, a.Kind, tx.Now()
			if attach != nil {
				if err := attach(tx, &i); err != nil {
					return i, err
				}
			}
			if err := tx.InsertItem(i); err != nil {
				return i, err
			}
			saved, err := acknowledge(tx, a, i)
			if err != nil {
				return i, err
			}
			created := lost.NewEntry(a, lost.Created, tx.Now())
			if err := tx.AddHistory(i, append(saved, created)...); err != nil {
				return i, err
			}
			return i, s.change.Announce(tx, lost.RequestEvent, i)
		})
		return err
	})
	if err == nil {
		s.wake()
	}
	return i, err
}

// Get returns a request of a location.
func (s *Requests) Get(ctx context.Context, a lost.Actor, location, id string) (lost.Item, error) {
	return s.reader.Request(ctx, a, location, id)
}

// List lists a location's requests, newest first. If location is empty, it lists those of all locations that the actor
// can see.
func (s *Requests) List(ctx context.Context, a lost.Actor, location string,
	f lost.ItemFilter) (lost.List[lost.Item], error) {
	f.Source = lost.Request
	if location == "" {
		return s.items.ListAll(ctx, a, nil, f)
	}
	return s.items.List(ctx, a, location, f)
}

// Decide accepts or rejects a request. Accepting a request makes the claimant the owner of a found item. In both
// cases, the claimant gets a message.
func (s *Requests) Decide(ctx context.Context, a lost.Actor, location, id string,
	p lost.DecisionPatch, conditions ...lost.Condition[lost.Item]) (i lost.Item, err error) {
	if err := access.May(a, lost.HandleItems, location, "request"); err != nil {
		return i, err
	}
	decision, invalid := p.Decision()
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if i, err = tx.LockItem(a.Account, location, id); err != nil || i.Source != lost.Request {
			if err := lost.IgnoreNotFound(err); err != nil {
				return err
			}
			return lost.Missing("request")
		}
		if err := lost.CheckConditions(i, conditions); err != nil {
			return err
		}
		if invalid != nil {
			return invalid
		}
		before, entry := i, lost.NewEntry(a, lost.Rejected, tx.Now())
		if decision.Accept {
			entry.Action = lost.Accepted
			if err := s.acceptMatch(tx, a, &i, decision.ItemID, p.Delayed); err != nil {
				return err
			}
		} else {
			if err := i.Reject(decision.Reason, tx.Now()); err != nil {
				return err
			}
			// The claimant is told that nothing was found, so no suggestion is right.
			if err := tx.AddOverruledExamples(a.Account, i.ID, ""); err != nil {
				return err
			}
			if err := change.AddMessageAbout(tx, i, lost.RejectedMessage, "rejected", undoable(p.Delayed)); err != nil {
				return err
			}
		}
		entry.Fields = []string{"request"}
		if err := tx.SaveItem(before, i); err != nil {
			return err
		}
		return tx.AddHistory(i, entry)
	})
	s.wake()
	return i, err
}

// acceptMatch makes the claimant of a request the owner of a found item, and notifies them. The message is delayed only
// if the item had no owner, because otherwise it could not become as it was before.
func (s *Requests) acceptMatch(tx *store.Tx, a lost.Actor, request *lost.Item, item string, delayed bool) error {
	found, err := lockFind(tx, a, *request, item)
	if err != nil {
		return err
	}
	before := found
	if err := request.Match(&found, tx.Now()); err != nil {
		return err
	}
	if err := tx.AddMatchExample(a.Account, request.ID, found.ID, true); err != nil {
		return err
	}
	if err := tx.AddOverruledExamples(a.Account, request.ID, found.ID); err != nil {
		return err
	}
	about := undoable(delayed && !before.Owner.Known())
	if about.UndoSeconds > 0 {
		found.OwnerState = lost.NoOwner // until the message is sent
	}
	entry := lost.NewEntry(a, lost.Updated, tx.Now())
	entry.Fields, entry.Note = []string{"owner"}, lost.Note(lost.NoteRequestAccepted, request.Reference)
	if err := tx.SaveItem(before, found); err != nil {
		return err
	}
	if err := tx.AddHistory(found, entry); err != nil {
		return err
	}
	if err := change.CancelNotice(tx, found); err != nil {
		return err
	}
	return change.AddMessageAbout(tx, found, lost.MatchMessage, "match "+entry.ID, about)
}

// lockFind locks and returns the found item for a request. It returns an error unless the item is at the same
// location as the request, or at a sister location where the actor may handle items.
func lockFind(tx *store.Tx, a lost.Actor, request lost.Item, item string) (lost.Item, error) {
	found, err := change.LockPartner(tx, a, request, item)
	if lost.CodeOf(err) == lost.NotFound {
		var p lost.Problems
		p.Add("itemId", "not-found", "must be the id of a found item of this location, or of a sister location")
		return found, p.Err()
	}
	return found, err
}

// CheckMatch returns an error if a request cannot be matched with a found item in their current states.
func (s *Requests) CheckMatch(ctx context.Context, a lost.Actor, request, found lost.Item) error {
	if err := request.MayMatch(found); err != nil || found.LocationID == request.LocationID {
		return err
	}
	err := change.CheckSisters(ctx, s.db, a, request, found)
	if lost.CodeOf(err) == lost.NotFound {
		return lost.E(lost.WrongState,
			"The found item is at a location that is not a sister of this one. Add sister locations under "+
				"Locations, About.")
	}
	return err
}
