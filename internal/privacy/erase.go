package privacy

import (
	"context"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// People exports and erases the personal data of guests.
type People struct {
	db      *store.DB
	wire    v1.Encoder
	wake    func()
	maxWait time.Duration
}

// PeopleOptions are the dependencies of People.
type PeopleOptions struct {
	DB      *store.DB
	Wire    v1.Encoder
	Wake    func()
	MaxWait time.Duration
}

// NewPeople makes People.
func NewPeople(o PeopleOptions) *People {
	return &People{
		db: o.DB, wire: o.Wire, wake: o.Wake, maxWait: o.MaxWait,
	}
}

const (
	eraseAtOnce    = 25    // items in one transaction, so that others can write in between
	exportRecords  = 10000 // of one person
	exportMessages = 1000  // to them about other people's items

	arrivals = 12 * time.Hour // between two checks whether a parcel has arrived whose address is to be erased
	readers  = time.Minute    // between two attempts to empty the database's write-ahead log while somebody reads it
)

// ErasePerson erases a person from the account. It waits a little for the erasure; Erasure gives its progress later.
// Items whose parcel is under way are erased after it has arrived.
func (s *People) ErasePerson(ctx context.Context, a lost.Actor, of lost.PersonPatch,
	o lost.IdempotencyKey) (e lost.Erasure, err error) {
	if e, _, err = s.beginErasure(ctx, a, of, o); err != nil {
		return e, err
	}
	s.wake()
	const look = 50 * time.Millisecond
	e, err = s.db.Erasure(ctx, a.Account, e.ID) // its present state, if this is a repeated call
	for waited := time.Duration(0); waited < s.maxWait && e.DoneAt.IsZero() && e.Erased.UnderWay == 0 &&
		err == nil; waited += look {
		select {
		case <-ctx.Done():
			return e, nil
		case <-time.After(look):
		}
		e, err = s.db.Erasure(ctx, a.Account, e.ID)
	}
	return e, err
}

// EraseNow is ErasePerson for a command, which erases by itself because there may be no service running. What
// has to wait is left to the service.
func (s *People) EraseNow(ctx context.Context, a lost.Actor, of lost.PersonPatch) (e lost.Erasure, err error) {
	e, p, err := s.beginErasure(ctx, a, of, lost.IdempotencyKey{})
	if err != nil {
		return e, err
	}
	if _, err := s.RunErasure(ctx, a.Account, e.ID, p); err != nil {
		return e, err
	}
	return s.db.Erasure(ctx, a.Account, e.ID)
}

func (s *People) beginErasure(ctx context.Context, a lost.Actor, of lost.PersonPatch,
	o lost.IdempotencyKey) (e lost.Erasure, p lost.Person, err error) {
	if err := access.MayManage(a, lost.ManageStaff); err != nil {
		return e, p, err
	}
	if p, err = of.Person(); err != nil {
		return e, p, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		e, err = access.CreateOnce(tx, a, o, func() (lost.Erasure, error) {
			e := lost.NewErasure(a, tx.Now())
			return e, tx.InsertErasure(e, p)
		})
		return err
	})
	return e, p, err
}

// Erasure gives an erasure with its progress.
func (s *People) Erasure(ctx context.Context, a lost.Actor, id string) (lost.Erasure, error) {
	if err := access.MayOversee(a, lost.ManageStaff); err != nil {
		return lost.Erasure{}, err
	}
	return s.db.Erasure(ctx, a.Account, id)
}

// Erasures lists the newest erasures.
func (s *People) Erasures(ctx context.Context, a lost.Actor) ([]lost.Erasure, error) {
	const listed = 20
	if err := access.MayOversee(a, lost.ManageStaff); err != nil {
		return nil, err
	}
	return s.db.Erasures(ctx, a.Account, listed)
}

// RunErasure erases a person in pieces of one transaction each. It can be repeated after a crash: what is gone is no
// longer found. Two workers at once do not disturb each other. It tells when to continue if a parcel is under way, or
// if a reader keeps the database from scrubbing deleted data; in that case the person's data is no longer known to
// the job.
func (s *People) RunErasure(ctx context.Context, account, id string, p lost.Person) (again time.Duration, err error) {
	e, err := s.db.Erasure(ctx, account, id)
	if lost.CodeOf(err) == lost.NotFound || err == nil && !e.DoneAt.IsZero() {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if p != (lost.Person{}) {
		if again, err = s.erase(ctx, e, p); again > 0 || err != nil {
			return again, err
		}
	}
	switch clean, err := s.db.RemoveDeletedData(ctx); {
	case err != nil:
		return 0, err
	case !clean:
		return readers, nil
	}
	return 0, s.db.Write(ctx, func(tx *store.Tx) error {
		e, err := tx.LockErasure(account, id)
		if err != nil || !e.DoneAt.IsZero() {
			return err
		}
		e.DoneAt = tx.Now()
		if err := tx.SaveErasure(e); err != nil {
			return err
		}
		return access.Audit(tx, e.By, lost.PersonErased, e.ID, e.Erased.String())
	})
}

// erase erases what can be erased now, and at the end the person's data in the job.
func (s *People) erase(ctx context.Context, e lost.Erasure, p lost.Person) (again time.Duration, err error) {
	r := &eraser{people: s, of: e, person: p, underWay: map[string]bool{}}
	// Rows of imports come first, because they become items in the meantime.
	for _, step := range []func(context.Context) error{r.rows, r.items, r.messages, r.events, r.texts} {
		if err := step(ctx); err != nil {
			return 0, err
		}
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		e, err := tx.LockErasure(e.Account, e.ID)
		if err != nil || !e.DoneAt.IsZero() {
			return err
		}
		if e.Erased.UnderWay = len(r.underWay); e.Erased.UnderWay > 0 {
			return tx.SaveErasure(e)
		}
		if err := tx.SaveErasure(e); err != nil {
			return err
		}
		return tx.ClearErasurePerson(e)
	})
	if err != nil {
		return 0, err
	}
	s.wake() // there are files to delete
	if len(r.underWay) > 0 {
		return arrivals, nil
	}
	return 0, nil
}

// eraser erases one person.
type eraser struct {
	people   *People
	of       lost.Erasure
	person   lost.Person
	underWay map[string]bool // ids of items whose parcel is under way
}

// walk finds records that may name the person, some at a time outside of transactions, and changes them in small
// transactions.
func (r *eraser) walk(ctx context.Context, t store.PersonalDataTable, change func(tx *store.Tx,
	keys [][]string) (lost.Erased, error)) error {
	for after, more := []string(nil), true; more; {
		found, last, err := r.people.db.RowsWithPerson(ctx, r.of.Account, t, r.person, after)
		if err != nil {
			return err
		}
		for some := range slices.Chunk(found, eraseAtOnce) {
			if err := r.piece(ctx, func(tx *store.Tx) (lost.Erased, error) { return change(tx, some) }); err != nil {
				return err
			}
		}
		after, more = last, last != nil
	}
	return nil
}

// piece is one transaction that also counts what it has erased.
func (r *eraser) piece(ctx context.Context, do func(tx *store.Tx) (lost.Erased, error)) error {
	return r.people.db.Write(ctx, func(tx *store.Tx) error {
		e, err := do(tx)
		if err != nil {
			return err
		}
		return r.add(tx, e)
	})
}

// add adds to the counts of the erasure.
func (r *eraser) add(tx *store.Tx, e lost.Erased) error {
	if e == (lost.Erased{}) {
		return nil
	}
	kept, err := tx.LockErasure(r.of.Account, r.of.ID)
	if err != nil {
		return err
	}
	kept.Erased.Add(e)
	return tx.SaveErasure(kept)
}

// rows erases the person from imported files.
func (r *eraser) rows(ctx context.Context) error {
	for after, more := (store.ImportRowPosition{}), true; more; {
		found, last, left, err := r.people.db.ImportRowsWithPerson(ctx, r.of.Account, r.person, after)
		if err != nil {
			return err
		}
		for _, at := range found {
			if err := r.piece(ctx, func(tx *store.Tx) (lost.Erased, error) {
				return tx.EraseImportChunk(r.of.Account, r.person, at)
			}); err != nil {
				return err
			}
		}
		after, more = last, left
	}
	return nil
}

// items erases the person from their own items, and their name from the texts of other items.
func (r *eraser) items(ctx context.Context) error {
	return r.walk(ctx, store.ItemPersonalData(), func(tx *store.Tx, keys [][]string) (sum lost.Erased, err error) {
		items, err := tx.LockItemsByID(r.of.Account, slices.Concat(keys...))
		if err != nil {
			return sum, err
		}
		for _, i := range items {
			change := r.unname
			if r.person.Owns(i) {
				change = r.forget
			}
			e, err := change(tx, i)
			if err != nil {
				return sum, err
			}
			sum.Add(e)
		}
		return sum, nil
	})
}

// forget erases the guest of an item, unless its parcel is under way and needs the address.
func (r *eraser) forget(tx *store.Tx, i lost.Item) (lost.Erased, error) {
	if i.InTransit() {
		r.underWay[i.ID] = true
		return lost.Erased{}, nil
	}
	delete(r.underWay, i.ID) // if the transaction runs again
	if err := r.endOpenWork(tx, &i); err != nil {
		return lost.Erased{}, err
	}
	_, e, err := tx.EraseItemGuest(i, r.of.By, v1.WithoutGuest)
	return e, err
}

func (r *eraser) unname(tx *store.Tx, i lost.Item) (lost.Erased, error) {
	before := i
	if !i.RemoveNames(r.person.Address()) {
		return lost.Erased{}, nil
	}
	i.UpdatedAt = tx.Now()
	return tx.SaveItemWithoutName(before, i, r.of.By)
}

// endOpenWork ends what the person has under way: a request that waits for an answer, and a shipment that is not paid.
func (r *eraser) endOpenWork(tx *store.Tx, i *lost.Item) error {
	before, entry := *i, lost.Entry{}
	if i.Source == lost.Request && i.Claim.State == lost.RequestPending {
		if _, err := i.Withdraw(tx.Now()); err != nil {
			return err
		}
		entry = lost.NewEntry(r.of.By, lost.Withdrawn, tx.Now())
		entry.Fields = []string{"request"}
	}
	if i.Status == lost.InfoCompleted {
		if err := change.EndShipment(tx, i); err != nil {
			return err
		}
		if _, err := i.MoveTo(lost.Move{To: lost.Pending}, lost.ByService, tx.Now()); err != nil {
			return err
		}
		entry = lost.NewEntry(r.of.By, lost.Moved, tx.Now())
		entry.From, entry.To = before.Status, i.Status
	}
	if entry.Action == "" {
		return nil
	}
	if err := tx.SaveItem(before, *i); err != nil {
		return err
	}
	return tx.AddHistory(*i, entry)
}

// messages erases messages to the person, also about items that have another owner now.
func (r *eraser) messages(ctx context.Context) error {
	err := r.walk(ctx, store.MessagePersonalData(), func(tx *store.Tx, keys [][]string) (lost.Erased, error) {
		return tx.EraseMessages(r.of.Account, r.person, keys, r.underWay)
	})
	if err != nil {
		return err
	}
	return r.walk(ctx, store.LinkPersonalData(), func(tx *store.Tx, keys [][]string) (lost.Erased, error) {
		return tx.EraseLinks(r.of.Account, r.person, keys, r.underWay)
	})
}

// events erases the person from events of deleted items, and of items that have another owner now.
func (r *eraser) events(ctx context.Context) error {
	without := func(body []byte) ([]byte, error) { return v1.WithoutPerson(body, r.person) }
	return r.walk(ctx, store.EventPersonalData(), func(tx *store.Tx, keys [][]string) (lost.Erased, error) {
		return tx.EraseEvents(r.of.Account, r.person, without, keys, r.underWay)
	})
}

// texts erases the person from all other texts.
func (r *eraser) texts(ctx context.Context) error {
	for _, t := range store.TextPersonalData() {
		err := r.walk(ctx, t, func(tx *store.Tx, keys [][]string) (lost.Erased, error) {
			return tx.EraseTexts(r.of.Account, t, r.person, keys, r.underWay)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
