package stays

import (
	"context"
	"fmt"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/itemcsv"
	"homeward/internal/lost"
	"homeward/internal/lost/stay"
	"homeward/internal/store"
)

// Upload is a guest list that somebody uploads.
type Upload struct {
	Content []byte
	Days    int  // how long the list is kept
	Replace bool // delete the former lists of the location
}

// Uploaded says what became of a guest list.
type Uploaded struct {
	Rows, Skipped int
	Unknown       []string // headings that are not known
}

// AddList stores a guest list. It counts once all of its rows are stored, so that an interruption leaves nothing behind
// that counts. The headings that are not known are also returned with an error.
func (s *Stays) AddList(ctx context.Context, a lost.Actor, location string, u Upload) (Uploaded, error) {
	var out Uploaded
	if err := access.May(a, lost.ManageLocations, location, "location"); err != nil {
		return out, err
	}
	l, err := s.db.Location(ctx, a.Account, location)
	if err != nil {
		return out, err
	}
	list, err := stay.NewList(a.Account, location, u.Days, s.db.Now())
	if err != nil {
		return out, err
	}
	if err := access.ThrottleNow(ctx, s.db, uploads.NewAttempt(a.Account, location)); err != nil {
		return out, err
	}
	read, err := itemcsv.ReadGuests(u.Content, l.Country, s.now())
	out.Unknown = read.Unknown
	if err != nil {
		return out, err
	}
	out = Uploaded{Rows: len(read.Stays), Skipped: read.Skipped, Unknown: read.Unknown}
	list.Rows = out.Rows
	if err := s.checkListLimits(ctx, s.db, list, u.Replace); err != nil { // before the rows are stored
		return out, err
	}
	if err := s.db.Write(ctx, func(tx *store.Tx) error { return tx.InsertGuestList(list) }); err != nil {
		return out, err
	}
	const batch = 500 // short transactions, so that others can write in between
	for rows := range slices.Chunk(read.Stays, batch) {
		if err := s.db.Write(ctx, func(tx *store.Tx) error { return tx.InsertGuestStays(list, rows) }); err != nil {
			return out, err
		}
	}
	return out, s.db.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.LockLocation(a.Account, location); err != nil { // it may have been deleted in the meantime
			return err
		}
		if err := s.checkListLimits(ctx, tx, list, u.Replace); err != nil { // others may have been added
			return err
		}
		active, err := tx.ActivateGuestList(list, u.Replace)
		if err != nil {
			return err
		}
		if !active {
			return lost.E(lost.Conflict, "The guest lists were deleted in the meantime. Upload the list again.")
		}
		note := fmt.Sprintf("%d rows for %d days", list.Rows, u.Days)
		return access.Audit(tx, a, lost.GuestListAdded, location, note)
	})
}

// listReader is the database, or a transaction.
type listReader interface {
	GuestLists(ctx context.Context, account, location string, now time.Time) ([]stay.List, error)
}

// checkListLimits returns an error if a location would have too many lists or rows with another list.
func (s *Stays) checkListLimits(ctx context.Context, from listReader, l stay.List, replace bool) error {
	if replace {
		return nil
	}
	lists, err := from.GuestLists(ctx, l.Account, l.LocationID, s.now())
	if err != nil {
		return err
	}
	if (Settings{Lists: lists}).Rows()+l.Rows > stay.MaxStoredRows || len(lists) >= stay.MaxLists {
		return lost.E(lost.LimitReached,
			"The guest lists of a location can have %d rows in total. Replace them instead.", stay.MaxStoredRows)
	}
	return nil
}

// RemoveLists deletes all guest lists of a location.
func (s *Stays) RemoveLists(ctx context.Context, a lost.Actor, location string) error {
	if err := access.May(a, lost.ManageLocations, location, "location"); err != nil {
		return err
	}
	if _, err := s.db.Location(ctx, a.Account, location); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.ExpireGuestLists(a.Account, location); err != nil {
			return err
		}
		return access.Audit(tx, a, lost.GuestListsRemoved, location, "")
	})
}
