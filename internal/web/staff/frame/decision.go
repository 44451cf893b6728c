package frame

import (
	"time"

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
	say := func(key string, n int, at time.Time) string {
		return c.Say(key, "n", n, "done", c.DestinationText(d.Destination, l), "time",
			at.In(l.Zone()).Format(lost.TimeLayout))
	}
	switch {
	case d.State == lost.ClearanceHanded && d.Undoable(c.Now()):
		out.Over, out.Ends = true, d.Until.In(l.Zone()).Format(lost.TimeLayout)
		out.Text = c.Say("frame.decision.handed", "n", d.Items, "done", c.DestinationText(d.Destination, l), "time",
			d.CreatedAt.In(l.Zone()).Format(lost.TimeLayout), "until", out.Ends)
	case d.Undoable(c.Now()):
		out.Ends = d.Until.In(l.Zone()).Format(lost.TimeLayout)
		out.Text = say("frame.decision.planned", d.Items, d.Until)
	case d.State == lost.ClearanceDone || d.State == lost.ClearanceHanded:
		out.Text = say("frame.decision.done", d.Items-d.LeftOut, d.EndedAt)
	case d.State == lost.ClearanceUndone:
		out.Over, out.Text = true, c.Say("frame.decision.undone")
	default:
		out.Text = c.Say("frame.decision.running", "n", d.Items)
	}
	return out
}
