package frame

import (
	"homeward/internal/lost"
)

// Decision is a decision about overdue items (lost.Clearance) as shown on a page.
type Decision struct {
	ID, Text, Who string
	Ends          string // the time until which it can be undone; empty if that time has passed
	LeftOut       int
	Over          bool
}

// ShowDecision describes a decision about overdue items.
func (c *Call) ShowDecision(l lost.Location, d lost.Clearance) Decision {
	out := Decision{ID: d.ID, Who: d.By.Name, LeftOut: d.LeftOut, Over: d.State == lost.ClearanceDone}
	switch {
	case d.Undoable(c.Now()):
		out.Ends = d.Until.In(l.Zone()).Format(lost.TimeLayout)
		out.Text = Plural(d.Items, "item", "items") + " will be " + DestinationText(d.Destination, l) + " at " +
			out.Ends + "."
	case d.State == lost.ClearanceDone:
		out.Text = Plural(d.Items-d.LeftOut, "item was ", "items were ") + DestinationText(d.Destination, l) + " at " +
			d.EndedAt.In(l.Zone()).Format(lost.TimeLayout) + "."
	case d.State == lost.ClearanceUndone:
		out.Over, out.Text = true, "This was undone."
	default:
		out.Text = Plural(d.Items, "item is", "items are") + " being processed."
	}
	return out
}
