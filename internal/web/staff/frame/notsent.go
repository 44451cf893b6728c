package frame

import (
	"homeward/internal/lost"
)

// NotSentText is the notice that messages by a channel are not sent. It is empty if they are.
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

// NotSentTo is the notice that messages to an owner are not sent. It is empty if they are, and if the owner has no
// address.
func (c *Call) NotSentTo(o lost.Owner) string {
	if o.Address() == "" {
		return ""
	}
	return c.NotSentText(o.Channel())
}

// FlashMessageSent has the next page show sent; or, if the channel is not set up, what was done instead and why.
func (c *Call) FlashMessageSent(by lost.Channel, sent, done string) {
	if notSent := c.NotSentText(by); notSent != "" {
		c.Flash(done + " " + notSent)
		return
	}
	c.Flash(sent)
}
