package frame

import (
	"homeward/internal/lost"
)

// NotSentText returns the notice that messages of a channel are not sent. It is empty if they are sent.
func (c *Call) NotSentText(by lost.Channel) string {
	switch {
	case c.Services.Messages.Sends(by):
		return ""
	case by == lost.BySMS:
		return "Text messages are not set up. Messages are saved, not sent."
	default:
		return "E-mail is not set up. Messages are saved, not sent."
	}
}

// NotSentTo returns the notice that messages to an owner are not sent. It is empty if they are sent, and if the owner
// has no address.
func (c *Call) NotSentTo(o lost.Owner) string {
	if o.Address() == "" {
		return ""
	}
	return c.NotSentText(o.Channel())
}

// FlashMessageSent makes the next page show sent. If the channel is not set up, the page shows done and the reason.
func (c *Call) FlashMessageSent(by lost.Channel, sent, done string) {
	if notSent := c.NotSentText(by); notSent != "" {
		c.Flash(done + " " + notSent)
		return
	}
	c.Flash(sent)
}
