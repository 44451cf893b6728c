package frame

import (
	"homeward/internal/lost"
)

// NotSentText say of messages by a channel that nobody gets them. They are empty where they go out.
func (c *Call) NotSentText(by lost.Channel) string {
	switch {
	case c.Desk.Sends(by):
		return ""
	case by == lost.BySMS:
		return "Nothing is sent until text messages are set up. What is written is kept."
	default:
		return "Nothing is sent until e-mail is set up. What is written is kept."
	}
}

// NotSentTo says of messages to somebody that they do not get them. It is empty where they do, and where nobody writes to them.
func (c *Call) NotSentTo(o lost.Owner) string {
	if o.Address() == "" {
		return ""
	}
	return c.NotSentText(o.Channel())
}

// FlashMessageSent has the next page say that somebody was written to; or, where nothing is sent, what was done and that the message is kept.
func (c *Call) FlashMessageSent(by lost.Channel, sent, done string) {
	if kept := c.NotSentText(by); kept != "" {
		c.Flash(done + " The message to them is kept: " + firstLower(kept))
		return
	}
	c.Flash(sent)
}

func firstLower(s string) string { return string(s[0]|0x20) + s[1:] } // ours, and ASCII
