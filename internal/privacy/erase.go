package privacy

import (
	"context"
	"slices"
	"time"

	"homeward/internal/access"
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

// NewPeople returns a new People.
func NewPeople(o PeopleOptions) *People {
	return &People{
		db: o.DB, wire: o.Wire, wake: o.Wake, maxWait: o.MaxWait,
	}
}

const (
	eraseBatch    = 25    // maximum number of items per transaction, so that others can write in between
	exportRecords = 10000 // maximum number of records exported for one person
	exportOthers  = 1000  // maximum number of exported messages, shipments or events about other people's items

	arrivalInterval = 12 * time.Hour // time between checks of whether an erased person's parcel has arrived
	scrubInterval   = time.Minute    // time between attempts to empty the write-ahead log while readers use it
)

// ErasePerson erases a person's data from the account. It waits up to MaxWait for the erasure to finish; Erasure
// returns its progress later. If an item's parcel is in transit, the person's data is erased from the item after the
// parcel has arrived.
func (s *People) ErasePerson(ctx context.Context, a lost.Actor, of lost.PersonPatch,
	o lost.IdempotencyKey) (e lost.Erasure, err error) {
	if e, _, err = s.beginErasure(ctx, a, of, o); err != nil {
		return e, err
	}
	s.wake()
	const pollInterval = 50 * time.Millisecond
	e, err = s.db.Erasure(ctx, a.Account, e.ID) // the current state, if this is a repeated call
	for waited := time.Duration(0); waited < s.maxWait && e.DoneAt.IsZero() && e.Erased.UnderWay == 0 &&
		err == nil; waited += pollInterval {
		select {
		case <-ctx.Done():
			return e, nil
		case <-time.After(pollInterval):
		}
		e, err = s.db.Erasure(ctx, a.Account, e.ID)
	}
	return e, err
}

// EraseNow is like ErasePerson, but for commands. It runs the erasure itself, because the service may not be running.
// Steps that have to wait are left to the service.
func (s *People) EraseNow(ctx context.Context, a lost.Actor, of lost.PersonPatch) (e lost.Erasure, err error) {
	e, found, err := s.beginErasure(ctx, a, of, lost.IdempotencyKey{})
	if err != nil {
		return e, err
	}
	if _, err := s.RunErasure(ctx, a.Account, e.ID, found.Person, found.Phones); err != nil {
		return e, err
	}
	return s.db.Erasure(ctx, a.Account, e.ID)
}

func (s *People) beginErasure(ctx context.Context, a lost.Actor, of lost.PersonPatch,
	o lost.IdempotencyKey) (e lost.Erasure, found FoundPerson, err error) {
	if err := access.MayManage(a, lost.ManageStaff); err != nil {
		return e, found, err
	}
	if found, err = s.find(ctx, a, of); err != nil {
		return e, found, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		e, err = access.CreateOnce(tx, a, o, func() (lost.Erasure, error) {
			e := lost.NewErasure(a, tx.Now())
			e.Erased.SharedPhones = len(found.SharedPhones)
			return e, tx.InsertErasure(e, found.Person, found.Phones)
		})
		return err
	})
	return e, found, err
}

// Erasure returns an erasure with its progress.
func (s *People) Erasure(ctx context.Context, a lost.Actor, id string) (lost.Erasure, error) {
	if err := access.MayViewAccount(a, lost.ManageStaff); err != nil {
		return lost.Erasure{}, err
	}
	return s.db.Erasure(ctx, a.Account, id)
}

// Erasures lists the newest erasures.
func (s *People) Erasures(ctx context.Context, a lost.Actor) ([]lost.Erasure, error) {
	const limit = 20
	if err := access.MayViewAccount(a, lost.ManageStaff); err != nil {
		return nil, err
	}
	return s.db.Erasures(ctx, a.Account, limit)
}

// RunErasure erases a person's data in small transactions, and the data of the phone numbers that were on the person's
// records. It can be repeated after a crash, and two workers can run it at the same time. It returns when to continue
// if a parcel is in transit, or if a reader prevents the database from scrubbing deleted data; in the second case the
// person's data has already been removed from the job.
func (s *People) RunErasure(ctx context.Context, account, id string, p lost.Person,
	phones []string) (again time.Duration, err error) {
	e, err := s.db.Erasure(ctx, account, id)
	if lost.CodeOf(err) == lost.NotFound || err == nil && !e.DoneAt.IsZero() {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if p != (lost.Person{}) {
		if again, err = s.erase(ctx, e, p, phones); again > 0 || err != nil {
			return again, err
		}
	}
	switch clean, err := s.db.RemoveDeletedData(ctx); {
	case err != nil:
		return 0, err
	case !clean:
		return scrubInterval, nil
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

// erase erases the person's data from all records where this is possible now, and finally from the job.
func (s *People) erase(ctx context.Context, e lost.Erasure, p lost.Person,
	phones []string) (again time.Duration, err error) {
	r := &eraser{people: s, of: e, person: p, inTransit: map[string]bool{}}
	if err := r.run(ctx); err != nil {
		return 0, err
	}
	for _, phone := range phones {
		r.person = lost.Person{Phone: phone}
		if err := r.run(ctx); err != nil {
			return 0, err
		}
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		e, err := tx.LockErasure(e.Account, e.ID)
		if err != nil || !e.DoneAt.IsZero() {
			return err
		}
		if e.Erased.UnderWay = len(r.inTransit); e.Erased.UnderWay > 0 {
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
	s.wake() // files may have to be deleted
	if len(r.inTransit) > 0 {
		return arrivalInterval, nil
	}
	return 0, nil
}

// eraser erases the data of one person.
type eraser struct {
	people    *People
	of        lost.Erasure
	person    lost.Person
	inTransit map[string]bool // ids of items with a parcel in transit
}

// run erases the person's data from all tables.
func (r *eraser) run(ctx context.Context) error {
	// Import rows come first, because a running import may turn them into items.
	for _, step := range []func(context.Context) error{
		r.rows, r.stays, r.items, r.eraseFormerItems, r.messages, r.events, r.texts,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// walk searches for records that may name the person, in batches outside of transactions, and changes them in small
// transactions.
func (r *eraser) walk(ctx context.Context, t store.PersonalDataTable, change func(tx *store.Tx,
	keys [][]string) (lost.Erased, error)) error {
	for after, more := []string(nil), true; more; {
		found, last, err := r.people.db.RowsWithPerson(ctx, r.of.Account, t, r.person, after)
		if err != nil {
			return err
		}
		for batch := range slices.Chunk(found, eraseBatch) {
			if err := r.write(ctx, func(tx *store.Tx) (lost.Erased, error) { return change(tx, batch) }); err != nil {
				return err
			}
		}
		after, more = last, last != nil
	}
	return nil
}

// write calls do in a transaction and adds its result to the erasure's counts.
func (r *eraser) write(ctx context.Context, do func(tx *store.Tx) (lost.Erased, error)) error {
	return r.people.db.Write(ctx, func(tx *store.Tx) error {
		e, err := do(tx)
		if err != nil {
			return err
		}
		return r.add(tx, e)
	})
}

// add adds e to the erasure's counts.
func (r *eraser) add(tx *store.Tx, e lost.Erased) error {
	if e == (lost.Erased{}) {
		return nil
	}
	erasure, err := tx.LockErasure(r.of.Account, r.of.ID)
	if err != nil {
		return err
	}
	erasure.Erased.Add(e)
	return tx.SaveErasure(erasure)
}

// rows erases the person's data from imported files.
func (r *eraser) rows(ctx context.Context) error {
	for after, more := (store.ImportRowPosition{}), true; more; {
		found, last, left, err := r.people.db.ImportRowsWithPerson(ctx, r.of.Account, r.person, after)
		if err != nil {
			return err
		}
		for _, at := range found {
			if err := r.write(ctx, func(tx *store.Tx) (lost.Erased, error) {
				return tx.EraseImportChunk(r.of.Account, r.person, at)
			}); err != nil {
				return err
			}
		}
		after, more = last, left
	}
	return nil
}

// stays erases the person's data from guest lists, and the guests that look-ups have found.
func (r *eraser) stays(ctx context.Context) error {
	erase := func(tx *store.Tx, keys [][]string) (lost.Erased, error) {
		return tx.EraseStays(r.of.Account, r.person, keys)
	}
	if err := r.write(ctx, func(tx *store.Tx) (lost.Erased, error) { return erase(tx, nil) }); err != nil {
		return err
	}
	return r.walk(ctx, store.StayPersonalData(), erase)
}

// items erases the person's data from their own items, and their name from the text of other items.
func (r *eraser) items(ctx context.Context) error {
	return r.walk(ctx, store.ItemPersonalData(), func(tx *store.Tx, keys [][]string) (sum lost.Erased, err error) {
		items, err := tx.LockItemsByID(r.of.Account, slices.Concat(keys...))
		if err != nil {
			return sum, err
		}
		for _, i := range items {
			e, err := r.eraseItem(tx, i)
			if err != nil {
				return sum, err
			}
			sum.Add(e)
		}
		return sum, nil
	})
}

// eraseItem erases the person's data from an item: as its owner and as its finder, or their name from its texts.
func (r *eraser) eraseItem(tx *store.Tx, i lost.Item) (sum lost.Erased, err error) {
	owns, found := r.person.Owns(i), r.person.Found(i)
	if found {
		if i, sum, err = tx.EraseFinder(i, r.of.By, v1.WithoutFinder); err != nil {
			return sum, err
		}
	}
	change := r.removeName
	if owns {
		change = r.eraseGuest
	}
	e, err := change(tx, i)
	sum.Add(e)
	return sum, err
}

// eraseGuest erases the guest's data from an item, unless its parcel is in transit and needs the address.
func (r *eraser) eraseGuest(tx *store.Tx, i lost.Item) (lost.Erased, error) {
	if i.InTransit() {
		r.inTransit[i.ID] = true
		return lost.Erased{}, nil
	}
	delete(r.inTransit, i.ID) // in case the transaction is run again
	if err := r.endOpenWork(tx, &i); err != nil {
		return lost.Erased{}, err
	}
	_, e, err := tx.EraseItemGuest(i, r.of.By, v1.WithoutGuest)
	return e, err
}

func (r *eraser) removeName(tx *store.Tx, i lost.Item) (lost.Erased, error) {
	before := i
	if !i.RemoveNames(r.person.Address()) {
		return lost.Erased{}, nil
	}
	i.UpdatedAt = tx.Now()
	return tx.SaveItemWithoutName(before, i, r.of.By)
}

// messages erases messages to the person, including messages about items that now have another owner.
func (r *eraser) messages(ctx context.Context) error {
	err := r.walk(ctx, store.MessagePersonalData(), func(tx *store.Tx, keys [][]string) (lost.Erased, error) {
		return tx.EraseMessages(r.of.Account, r.person, keys, r.inTransit)
	})
	if err != nil {
		return err
	}
	err = r.walk(ctx, store.ThreadPersonalData(), func(tx *store.Tx, keys [][]string) (lost.Erased, error) {
		return tx.EraseThreads(r.of.Account, r.person, keys, r.inTransit)
	})
	if err != nil {
		return err
	}
	return r.walk(ctx, store.LinkPersonalData(), func(tx *store.Tx, keys [][]string) (lost.Erased, error) {
		return tx.EraseLinks(r.of.Account, r.person, keys, r.inTransit)
	})
}

// events erases the person's data from events about deleted items, and about items that now have another owner.
func (r *eraser) events(ctx context.Context) error {
	without := func(body []byte) ([]byte, error) { return v1.WithoutPerson(body, r.person) }
	return r.walk(ctx, store.EventPersonalData(), func(tx *store.Tx, keys [][]string) (lost.Erased, error) {
		return tx.EraseEvents(r.of.Account, r.person, without, keys, r.inTransit)
	})
}

// texts erases the person's data from all other text columns.
func (r *eraser) texts(ctx context.Context) error {
	for _, t := range store.TextPersonalData() {
		err := r.walk(ctx, t, func(tx *store.Tx, keys [][]string) (lost.Erased, error) {
			return tx.EraseTexts(r.of.Account, t, r.person, keys, r.inTransit)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
