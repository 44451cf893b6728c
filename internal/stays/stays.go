// Package stays implements the use cases of the guest look-up: connecting a location to its hotel system, uploading a
// guest list, finding out who stayed in a room, and confirming one of them as the owner of an item. The full data of a
// guest never leave the server before somebody confirms the guest. Every look-up and every confirmation is in the audit
// log.
package stays

import (
	"context"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/lost/stay"
	"homeward/internal/store"
)

// Systems asks hotel systems. Its errors are of the type *stay.SystemError.
type Systems interface {
	Stays(ctx context.Context, to stay.Connection, q stay.Query) (all []stay.Stay, lastRoomOnly bool, err error)
	Check(ctx context.Context, to stay.Connection) error
	CheckURL(raw string) lost.Problems
}

// Stays looks up guests.
type Stays struct {
	db      *store.DB
	systems Systems
	now     func() time.Time
	reader  *access.Reader
	timeout time.Duration
}

// Options are the dependencies of Stays.
type Options struct {
	DB      *store.DB
	Systems Systems
	Now     func() time.Time
	Reader  *access.Reader
}

// New creates Stays.
func New(o Options) *Stays {
	return &Stays{
		db: o.DB, systems: o.Systems, now: o.Now, reader: o.Reader, timeout: stay.Timeout,
	}
}

// Settings are what a location's page shows about the guest look-up. They contain no secrets.
type Settings struct {
	Connected  bool
	Connection stay.Connection
	Lists      []stay.List
}

// Rows returns how many rows the guest lists have.
func (s Settings) Rows() (n int) {
	for _, l := range s.Lists {
		n += l.Rows
	}
	return n
}

// Get returns the settings of a location.
func (s *Stays) Get(ctx context.Context, a lost.Actor, location string) (Settings, error) {
	var out Settings
	if err := access.CheckAccess(a, location, "location"); err != nil {
		return out, err
	}
	if err := a.May(lost.ManageLocations); err != nil {
		return out, err
	}
	if _, err := s.db.Location(ctx, a.Account, location); err != nil {
		return out, err
	}
	c, err := s.db.StayConnection(ctx, a.Account, location)
	if lost.IgnoreNotFound(err) != nil {
		return out, err
	}
	out.Connected, out.Connection = err == nil, c.Public()
	out.Lists, err = s.db.GuestLists(ctx, a.Account, location, s.now())
	return out, err
}

// Connect connects a location to its hotel system, in place of another one. An empty secret keeps the former one if the
// system and its address are the same.
func (s *Stays) Connect(ctx context.Context, a lost.Actor, location string, system stay.System,
	values map[string]string) error {
	if err := access.May(a, lost.ManageLocations, location, "location"); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.LockLocation(a.Account, location); err != nil {
			return err
		}
		former, err := tx.StayConnection(tx.Context(), a.Account, location)
		if lost.IgnoreNotFound(err) != nil {
			return err
		}
		c, err := stay.NewConnection(a.Account, location, system, values, former, s.systems.CheckURL, tx.Now())
		if err != nil {
			return err
		}
		if err := tx.SaveStayConnection(c); err != nil {
			return err
		}
		return access.Audit(tx, a, lost.StaysConnected, location, system.Name())
	})
}

// Test asks the hotel system of a location, and records the result. A failure is in the connection that it returns.
func (s *Stays) Test(ctx context.Context, a lost.Actor, location string) (stay.Connection, error) {
	if err := access.May(a, lost.ManageLocations, location, "location"); err != nil {
		return stay.Connection{}, err
	}
	c, err := s.db.StayConnection(ctx, a.Account, location)
	if err != nil {
		return stay.Connection{}, err
	}
	if err := access.ThrottleNow(ctx, s.db, checks.NewAttempt(a.Account, location)); err != nil {
		return stay.Connection{}, err
	}
	limited, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	err = s.systems.Check(limited, c)
	c.Problem = ProblemOf(err)
	if err != nil && c.Problem == "" {
		return stay.Connection{}, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		c.TestedAt = tx.Now()
		return tx.SaveStayTest(c)
	})
	return c.Public(), err
}

// Disconnect deletes the connection of a location with its credentials.
func (s *Stays) Disconnect(ctx context.Context, a lost.Actor, location string) error {
	if err := access.May(a, lost.ManageLocations, location, "location"); err != nil {
		return err
	}
	if _, err := s.db.Location(ctx, a.Account, location); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *store.Tx) error {
		c, err := tx.StayConnection(tx.Context(), a.Account, location)
		if err != nil {
			return lost.IgnoreNotFound(err)
		}
		if err := tx.DeleteStayConnection(a.Account, location); err != nil {
			return err
		}
		return access.Audit(tx, a, lost.StaysDisconnected, location, c.System.Name())
	})
}
