package desk

import (
	"context"

	"homeward/internal/access"
	"homeward/internal/lost"
)

// List lists the messages of the locations that the actor can see, newest first.
func (s *Messages) List(ctx context.Context, a lost.Actor,
	f lost.MessageFilter) (found lost.CursorPage[lost.Message], err error) {
	if err := a.May(lost.ViewItems); err != nil {
		return found, err
	}
	only := a.Locations
	if f.Location != "" {
		if err := access.CheckAccess(a, f.Location, "location"); err != nil {
			return found, err
		}
		only = []string{f.Location}
	}
	found, err = s.db.AccountMessages(ctx, a.Account, only, f)
	if err == nil && len(found.Data) > 0 {
		s.log.Note(a, lost.MessagesSeen, f.Location, f.Location, s.now())
	}
	return found, err
}

// Get returns one message. Only actors who may write see its text, because it contains the guest's link. Digests are
// returned without a text, because their text is composed when they are sent.
func (s *Messages) Get(ctx context.Context, a lost.Actor, id string) (c MessageWithText, err error) {
	m, err := s.db.Message(ctx, a.Account, id)
	if err != nil {
		return c, err
	}
	if err := access.MayView(a, m.LocationID, "message"); err != nil {
		return c, err
	}
	c.Message = m
	if m.ItemID != "" {
		s.log.Note(a, lost.MessagesSeen, m.LocationID, m.ID, s.now())
	}
	if reads := access.May(a, lost.HandleItems, m.LocationID, "message") == nil; m.ItemID != "" && reads {
		return s.withText(ctx, m)
	}
	return c, nil
}

// withText returns a message about an item, with the text that it would have if it were sent now.
func (s *Messages) withText(ctx context.Context, m lost.Message) (c MessageWithText, err error) {
	c.Message = m
	i, err := s.db.Item(ctx, m.Account, m.LocationID, m.ItemID)
	if err != nil {
		return c, err
	}
	l, err := s.db.Location(ctx, m.Account, m.LocationID)
	if err != nil {
		return c, err
	}
	data := lost.NewMessageData(m, i, l, "")
	if data.Privacy, err = s.privacyNotice(ctx, l); err != nil {
		return c, err
	}
	if lost.SameAddress(m.To, i.Owner.Address()) {
		if data.URL, err = s.guestURL(ctx, i); err != nil {
			return c, err
		}
	}
	c.Subject, c.Text, err = s.messenger.Compose(data)
	return c, err
}

// Sends reports whether messages are sent through a channel. Otherwise they are only saved.
func (s *Messages) Sends(by lost.Channel) bool { return s.messenger.Sends(by) }
