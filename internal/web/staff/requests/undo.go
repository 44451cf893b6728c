package requests

import "homeward/internal/web/staff/frame"

// undoDecision undoes a decision before the guest is notified.
func (c *call) undoDecision() error {
	id, location := c.Request.PathValue("id"), c.Request.PathValue("location")
	if err := c.Services.Requests.Undo(c.Context(), c.Actor(), location, id); err != nil {
		return err
	}
	c.Flash(c.Say("requests.undone"))
	return c.Redirect(frame.LocationPath(location, "/requests/"+id))
}

// tellNow notifies the guest of a decision at once.
func (c *call) tellNow() error {
	id, location := c.Request.PathValue("id"), c.Request.PathValue("location")
	if err := c.Services.Requests.TellNow(c.Context(), c.Actor(), location, id); err != nil {
		return err
	}
	c.Flash(c.Say("requests.told"))
	return c.Redirect(frame.LocationPath(location, "/requests/"+id))
}
