package stays

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/lost/stay"
	"homeward/internal/store"
)

// Result is the result of a look-up.
type Result struct {
	LookupID   string
	Room, Day  string
	Candidates []stay.Candidate
	// LastRoomOnly reports whether guests who have moved are listed with their last room only.
	LastRoomOnly bool
}

// lookUps limits how often somebody may look up guests, so that nobody can read the whole list of guests.
var lookUps = access.Limit{
	Kind: "stays", Policy: lost.ThrottlePolicy{Free: 120, Window: time.Hour},
}

// checks and uploads limit tests of hotel systems, and uploads of guest lists, which are stored before they are
// counted.
var (
	checks  = access.Limit{Kind: "stays-test", Policy: lost.ThrottlePolicy{Free: 30, Window: time.Hour}}
	uploads = access.Limit{Kind: "guest-list", Policy: lost.ThrottlePolicy{Free: 30, Window: time.Hour}}
)

// mayLookUp returns an error if the actor may not look up guests of a location.
func mayLookUp(a lost.Actor, location string) error {
	return access.May(a, lost.RecordItems, location, "location")
}

// Available reports whether guests of a location can be looked up: there is a connection or a guest list.
func (s *Stays) Available(ctx context.Context, a lost.Actor, location string) (bool, error) {
	if err := mayLookUp(a, location); err != nil {
		return false, nil //nolint:nilerr // who may not look up guests is not offered it
	}
	switch _, err := s.db.StayConnection(ctx, a.Account, location); {
	case err == nil:
		return true, nil
	case lost.CodeOf(err) != lost.NotFound:
		return false, err
	}
	lists, err := s.db.GuestLists(ctx, a.Account, location, s.now())
	return len(lists) > 0, err
}

// LookUp lists who comes into question as the owner of something that was found in a room on a day, the most likely
// first. It asks the hotel system of the location and its guest lists. It never tells a guest anything.
func (s *Stays) LookUp(ctx context.Context, a lost.Actor, location, room, day string) (Result, error) {
	var out Result
	if err := mayLookUp(a, location); err != nil {
		return out, err
	}
	l, err := s.db.Location(ctx, a.Account, location)
	if err != nil {
		return out, err
	}
	q, err := stay.NewQuery(room, day, l.Zone())
	if err != nil {
		return out, err
	}
	if err := access.ThrottleNow(ctx, s.db, lookUps.NewAttempt(a.Account, a.ID)); err != nil {
		return out, err
	}
	found, source, err := s.find(ctx, a, l, q, &out)
	out.Room, out.Day = q.Room, q.Day
	failed, ok := errors.AsType[*stay.SystemError](err)
	switch {
	case ok: // the audit log says why nobody was found
		if err := s.record(ctx, a, location, source, &out, failed.Problem); err != nil {
			return out, err
		}
		return out, failed.ForUsers()
	case err != nil:
		return out, err
	}
	for n := range found {
		found[n].Guest = found[n].Guest.Clean(l.Country)
	}
	out.Candidates = slices.DeleteFunc(stay.Rank(found, q), func(c stay.Candidate) bool {
		return c.Guest == (stay.Guest{})
	})
	return out, s.record(ctx, a, location, source, &out, "")
}

// find asks the hotel system and the guest lists, and returns the name of what was asked. It sets out.LastRoomOnly.
func (s *Stays) find(ctx context.Context, a lost.Actor, l lost.Location, q stay.Query,
	out *Result) (found []stay.Stay, source string, err error) {
	found, err = s.db.GuestStays(ctx, a.Account, l.ID, q, s.now())
	if err != nil {
		return nil, "", err
	}
	c, err := s.db.StayConnection(ctx, a.Account, l.ID)
	if lost.CodeOf(err) == lost.NotFound {
		return found, "guest list", nil
	}
	if err != nil {
		return nil, "", err
	}
	limited, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	more, lastRoomOnly, err := s.systems.Stays(limited, c, q)
	out.LastRoomOnly = lastRoomOnly
	if failed, ok := errors.AsType[*stay.SystemError](err); ok && len(found) > 0 { // the guest list answers instead
		return found, fmt.Sprintf("guest list (%s: %s)", c.System.Name(), failed.Problem), nil
	}
	return append(more, found...), c.System.Name(), err
}

// record stores the candidates for a while, and adds the look-up to the audit log.
func (s *Stays) record(ctx context.Context, a lost.Actor, location, source string, out *Result,
	problem stay.Problem) error {
	return s.db.Write(ctx, func(tx *store.Tx) error {
		out.LookupID = lost.NewID(lost.LookupID, tx.Now())
		for n := range out.Candidates {
			c := &out.Candidates[n]
			c.Account, c.LocationID = a.Account, location
			c.ActorID, c.LookupID, c.LastRoomOnly = a.ID, out.LookupID, out.LastRoomOnly
			c.CandidateID, c.CreatedAt = lost.NewID(lost.StayID, tx.Now()), tx.Now()
		}
		if err := tx.InsertCandidates(out.Candidates); err != nil {
			return err
		}
		note := fmt.Sprintf("room %s, %s, %s: %d guests", out.Room, out.Day, source, len(out.Candidates))
		if problem != "" {
			note = fmt.Sprintf("room %s, %s, %s: %s", out.Room, out.Day, source, problem)
		}
		return access.Audit(tx, a, lost.StaysLookedUp, location, note)
	})
}

// Candidates lists the candidates of a look-up again. The list is empty if the look-up has expired or is not the
// actor's.
func (s *Stays) Candidates(ctx context.Context, a lost.Actor, location, lookup string) (Result, error) {
	out := Result{LookupID: lookup}
	if err := mayLookUp(a, location); err != nil {
		return out, err
	}
	all, err := s.db.StayCandidates(ctx, a.Account, lookup)
	out.Candidates = slices.DeleteFunc(all, func(c stay.Candidate) bool { return !s.belongs(c, a, location) })
	out.LastRoomOnly = slices.ContainsFunc(out.Candidates, func(c stay.Candidate) bool { return c.LastRoomOnly })
	return out, err
}

// belongs reports whether an actor may confirm a candidate at a location.
func (s *Stays) belongs(c stay.Candidate, a lost.Actor, location string) bool {
	return c.LocationID == location && c.ActorID == a.ID && !c.Expired(s.now())
}

// candidate returns a candidate that the actor has looked up at a location. All others do not exist for the actor.
func (s *Stays) candidate(ctx context.Context, a lost.Actor, location, id string) (stay.Candidate, error) {
	c, err := s.db.StayCandidate(ctx, a.Account, id)
	if err == nil && !s.belongs(c, a, location) {
		err = lost.Missing("stay")
	}
	return c, err
}

// Confirm returns the patch that makes a candidate the owner of an item that is recorded next. The transaction that
// applies the patch also adds the confirmation to the audit log.
func (s *Stays) Confirm(ctx context.Context, a lost.Actor, location, id string) (lost.ItemPatch, error) {
	if err := mayLookUp(a, location); err != nil {
		return lost.ItemPatch{}, err
	}
	c, err := s.candidate(ctx, a, location, id)
	if err != nil {
		return lost.ItemPatch{}, err
	}
	return ownerPatch(c), nil
}

// confirmation returns the note of the audit log about a confirmed guest, whom it must not name.
func confirmation(c stay.Candidate) string {
	return fmt.Sprintf("room %s, %s to %s", c.Room, c.Arrival, c.Departure)
}

// ownerPatch returns the patch that makes a candidate the owner of an item.
func ownerPatch(c stay.Candidate) lost.ItemPatch {
	g := c.Guest
	p := lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{
		FirstName: lost.Set(g.FirstName), LastName: lost.Set(g.LastName), Email: lost.Set(g.Email),
		Phone: lost.Set(g.Phone),
	}), Confirmed: confirmation(c)}
	if g.Language != "" {
		p.Language = lost.Set(g.Language)
	}
	return p
}

// ConfirmFor is like Confirm, but for an item that has no owner yet.
func (s *Stays) ConfirmFor(ctx context.Context, a lost.Actor, location, item, id string) (lost.ItemPatch, error) {
	if err := access.May(a, lost.HandleItems, location, "item"); err != nil {
		return lost.ItemPatch{}, err
	}
	i, err := s.reader.Item(ctx, a, location, item)
	if err != nil {
		return lost.ItemPatch{}, err
	}
	c, err := s.candidate(ctx, a, location, id)
	if err != nil {
		return lost.ItemPatch{}, err
	}
	if i.Owner == c.Guest.Owner() { // a repeated request changes nothing
		return ownerPatch(c), nil
	}
	if i.Owner.Known() {
		return lost.ItemPatch{}, lost.E(lost.HasOwner, "The item has an owner already. Change the owner instead.")
	}
	p := ownerPatch(c)
	p.Seen = i.UpdatedAt
	return p, nil
}

// ProblemOf returns why a hotel system could not be asked, or "" for other errors.
func ProblemOf(err error) stay.Problem {
	if failed, ok := errors.AsType[*stay.SystemError](err); ok {
		return failed.Problem
	}
	return ""
}
