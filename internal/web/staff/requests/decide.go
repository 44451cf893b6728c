package requests

import (
	"context"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// decide answers a request and redirects to its page, where the decision can be undone until the guest is notified. The
// page shows sent if the guest is notified at once, and done if messages are not sent.
func (c *call) decide(p lost.DecisionPatch, values url.Values, sent, done string) error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	p.Delayed = true
	i, err := c.Services.Requests.Decide(c.Context(), c.Actor(), l.ID, c.Request.PathValue("id"), p)
	if lost.CodeOf(err) == lost.Invalid {
		return c.showRequest(respond.RecordError(c.Writer, err), values, err)
	}
	if err != nil {
		return err
	}
	open, err := c.Services.Requests.OpenDecision(c.Context(), c.Actor(), i)
	if err != nil {
		return err
	}
	if open.ID != "" {
		sent = done // the page says when the guest is notified
	}
	c.FlashMessageSent(i.Owner.Channel(), sent, done)
	return c.Redirect(frame.ItemPath(i))
}

// undoDecision undoes a decision before the guest is notified.
func (c *call) undoDecision() error { return c.settle(c.Services.Requests.Undo, "requests.undone") }

// tellNow notifies the guest of a decision at once.
func (c *call) tellNow() error { return c.settle(c.Services.Requests.TellNow, "requests.told") }

// settle undoes or ends the decision that the page showed.
func (c *call) settle(act func(ctx context.Context, a lost.Actor, location, id, decision string) error,
	done string) error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	id, location := c.Request.PathValue("id"), c.Request.PathValue("location")
	err = act(c.Context(), c.Actor(), location, id, values.Get("decision"))
	if lost.CodeOf(err) == lost.Conflict {
		return c.NewError(lost.Conflict, "requests.undo.final")
	}
	if err != nil {
		return err
	}
	c.Flash(c.Say(done))
	return c.Redirect(frame.LocationPath(location, "/requests/"+id))
}
