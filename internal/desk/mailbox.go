package desk

import (
	"context"

	"homeward/internal/access"
	"homeward/internal/lost"
)

// AllMessages lists the messages of the locations that the actor reaches, newest first.
func (s *Messages) AllMessages(ctx context.Context, a lost.Actor,
	f lost.MessageFilter) (found lost.Stretch[lost.Message], err error) {
	if err := a.May(lost.Look); err != nil {
		return found, err
	}
	only := a.Locations
	if f.Location != "" {
		if err := access.Reach(a, f.Location, "location"); err != nil {
			return found, err
		}
		only = []string{f.Location}
	}
	found, err = s.db.Post(ctx, a.Account, only, f)
	if err == nil && len(found.Data) > 0 {
		s.log.Note(a, lost.MessagesSeen, f.Location, f.Location, s.now())
	}
	return found, err
}

// Message gives one message, with its words for an actor who may write: they hold the guest's link. A digest's words
// are made when it is sent, of what waits then.
func (s *Messages) Message(ctx context.Context, a lost.Actor, id string) (c Correspondence, err error) {
	m, err := s.db.Message(ctx, a.Account, id)
	if err != nil {
		return c, err
	}
	if err := access.MayLook(a, m.LocationID, "message"); err != nil {
		return c, err
	}
	c.Message = m
	if m.ItemID != "" {
		s.log.Note(a, lost.MessagesSeen, m.LocationID, m.ID, s.now())
	}
	if reads := access.May(a, lost.Handle, m.LocationID, "message") == nil; m.ItemID != "" && reads {
		return s.worded(ctx, m)
	}
	return c, nil
}

// worded gives a message about an item with its words, as they are at present.
func (s *Messages) worded(ctx context.Context, m lost.Message) (c Correspondence, err error) {
	c.Message = m
	i, err := s.db.Item(ctx, m.Account, m.LocationID, m.ItemID)
	if err != nil {
		return c, err
	}
	l, err := s.db.Location(ctx, m.Account, m.LocationID)
	if err != nil {
		return c, err
	}
	letter := lost.NewLetter(m, i, l, "")
	if m.To == i.Owner.Address() {
		if letter.URL, err = s.guestURL(ctx, i); err != nil {
			return c, err
		}
	}
	c.Subject, c.Text, err = s.messenger.Compose(letter)
	return c, err
}

// Sends tells whether messages go out by a channel; where they do not they are kept, to be shown.
func (s *Messages) Sends(by lost.Channel) bool { return s.messenger.Sends(by) }
