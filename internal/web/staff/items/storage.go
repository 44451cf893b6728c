package items

import (
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// storageInfo is the hold on an item, the decision about it after its storage time, and its hand-over. Pages show it
// with {{template "storage-notes" .Storage}}.
type storageInfo struct {
	Root        string // the path of the item's page
	CanHandle   bool
	Hold        string
	Destination string
	Clearing    *frame.Decision
	Undo        string // the path to undo the decision
	Handover    *handedOver
}

// loadStorageInfo loads the storage information of an item.
func loadStorageInfo(c *frame.Call, l lost.Location, i lost.Item) (storageInfo, error) {
	out := storageInfo{
		Root: frame.LocationPath(l.ID, "/items/"+i.ID), CanHandle: c.May(lost.HandleItems), Hold: i.Hold,
		Handover: newHandedOver(c, i, l),
	}
	if i.Destination != "" {
		out.Destination = c.Say("items.decision.done", "done", c.DestinationText(i.Destination, l))
	}
	d, waits, err := c.Services.Storage.PendingDecision(c.Context(), c.Actor(), l.ID, i.ID)
	if err != nil || !waits {
		return out, err
	}
	shown := c.ShowDecision(l, d)
	done := c.DestinationText(d.Destination, l)
	shown.Text = c.Say("items.decision.planned", "done", done, "time", shown.Ends)
	if shown.Ends == "" {
		shown.Text = c.Say("items.decision.soon", "done", done)
	} else if out.CanHandle {
		out.Undo = frame.LocationPath(l.ID, "/storage/decisions/"+d.ID+"/undo")
	}
	out.Clearing = &shown
	return out, nil
}

// releaseOne ends an item's hold. Holds and longer storage are set in the form for the item's storage.
func (c *call) releaseOne() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	id := c.Request.PathValue("id")
	if _, err := c.Services.Items.Get(c.Context(), c.Actor(), l.ID, id); err != nil {
		return err
	}
	if _, err := c.Services.Storage.Release(c.Context(), c.Actor(), l.ID, []string{id}); err != nil {
		return err
	}
	c.Flash(c.Say("items.hold.ended"))
	return c.Redirect(frame.LocationPath(l.ID, "/items/"+id))
}
