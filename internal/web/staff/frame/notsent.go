package frame

import (
	"homeward/internal/lost"
)

// NotSentText returns the notice that a channel is not set up and its messages are not sent. It is empty if they are
// sent.
func (c *Call) NotSentText(by lost.Channel) string {
	switch {
	case c.Services.Messages.Sends(by):
		return ""
	case by == lost.BySMS:
		return c.Say("frame.not-sent.sms")
	default:
		return c.Say("frame.not-sent.email")
	}
}

// NotSentTo returns the notice that messages to an owner are not sent. It is empty if they are sent or if the owner
// has no contact address.
func (c *Call) NotSentTo(o lost.Owner) string {
	if o.Address() == "" {
		return ""
	}
	return c.NotSentText(o.Channel())
}

// FlashMessageSent makes the next page show the text sent. If the channel is not set up, the page shows the text done
// instead and explains why the message was not sent.
func (c *Call) FlashMessageSent(by lost.Channel, sent, done string) {
	if notSent := c.NotSentText(by); notSent != "" {
		c.Flash(c.Sentences(done, notSent))
		return
	}
	c.Flash(sent)
}
