package desk

import (
	"context"

	"homeward/internal/lost"
)

// AllMessages lists the messages of the locations that the actor reaches, newest first.
func (d *Desk) AllMessages(ctx context.Context, a lost.Actor, f lost.MessageFilter) (found lost.Stretch[lost.Message], err error) {
	if err := a.May(lost.Look); err != nil {
		return found, err
	}
	only := a.Locations
	if f.Location != "" {
		if err := reach(a, f.Location, "location"); err != nil {
			return found, err
		}
		only = []string{f.Location}
	}
	found, err = d.db.Post(ctx, a.Account, only, f)
	if err == nil && len(found.Data) > 0 {
		d.sightings.note(a, lost.MessagesSeen, f.Location, f.Location, d.now())
	}
	return found, err
}

// Message gives one message, with its words for an actor who may write: they hold the guest's link. A digest's words are made
// when it is sent, of what waits then.
func (d *Desk) Message(ctx context.Context, a lost.Actor, id string) (c Correspondence, err error) {
	m, err := d.db.Message(ctx, a.Account, id)
	if err != nil {
		return c, err
	}
	if err := mayLook(a, m.LocationID, "message"); err != nil {
		return c, err
	}
	c.Message = m
	if m.ItemID != "" {
		d.sightings.note(a, lost.MessagesSeen, m.LocationID, m.ID, d.now())
	}
	if reads := may(a, lost.Handle, m.LocationID, "message") == nil; m.ItemID != "" && reads {
		return d.worded(ctx, m)
	}
	return c, nil
}

// worded gives a message about an item with its words, as they are at present.
func (d *Desk) worded(ctx context.Context, m lost.Message) (c Correspondence, err error) {
	c.Message = m
	i, err := d.db.Item(ctx, m.Account, m.LocationID, m.ItemID)
	if err != nil {
		return c, err
	}
	l, err := d.db.Location(ctx, m.Account, m.LocationID)
	if err != nil {
		return c, err
	}
	letter := lost.NewLetter(m, i, l, "")
	if m.To == i.Owner.Address() {
		if letter.URL, err = d.guestURL(ctx, i); err != nil {
			return c, err
		}
	}
	c.Subject, c.Text, err = d.post.Compose(letter)
	return c, err
}

// Sends tells whether messages go out by a channel; where they do not they are kept, to be shown.
func (d *Desk) Sends(by lost.Channel) bool { return d.post.Sends(by) }
