package staff

import "homeward/internal/lost"

// care is what the desk does for one item beside its status, for the pages of that item: {{template "care-notes" .Care}}.
type care struct {
	Root        string // address of the item
	CanHandle   bool
	Hold        string
	Destination string
	Clearing    *decision
	Undo        string // address to take the decision back
	Handover    *handedOver
}

// careOf gathers what is done for an item.
func (c *call) careOf(l lost.Location, i lost.Item) (care, error) {
	out := care{Root: atPath(l.ID, "/items/"+i.ID), CanHandle: c.may(lost.Handle), Hold: i.Hold, Handover: c.showHandover(i, l)}
	if i.Destination != "" {
		out.Destination = "When its storage time was over it was " + gone(i.Destination, l) + "."
	}
	d, waits, err := c.desk.Clearing(c.ctx(), c.actor(), l.ID, i.ID)
	if err != nil || !waits {
		return out, err
	}
	shown := c.showDecision(l, d)
	shown.Text = "It will be " + gone(d.Destination, l) + " at " + shown.Ends + "."
	if shown.Ends == "" {
		shown.Text = "It is about to be " + gone(d.Destination, l) + "."
	} else if out.CanHandle {
		out.Undo = atPath(l.ID, "/storage/decisions/"+d.ID+"/undo")
	}
	out.Clearing = &shown
	return out, nil
}

// releaseOne ends the hold of an item. It is put on hold, and kept longer, where its storage is edited.
func (c *call) releaseOne() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	id := c.r.PathValue("id")
	if _, err := c.desk.Item(c.ctx(), c.actor(), l.ID, id); err != nil {
		return err
	}
	if _, err := c.desk.Release(c.ctx(), c.actor(), l.ID, []string{id}); err != nil {
		return err
	}
	c.tell("It is no longer on hold.")
	return c.see(atPath(l.ID, "/items/"+id))
}
