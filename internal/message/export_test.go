package message

import (
	"net/url"

	"homeward/internal/lost"
)

// HTML returns the HTML part of a message and its preview text.
func (p *Sender) HTML(l lost.MessageData) (html, preheader string, err error) {
	page := p.composer(l).page()
	html, err = page.html()
	return html, page.Preheader, err
}

// Enclosed returns the attachments of a message.
func Enclosed(l lost.MessageData) []lost.Attachment {
	files, _ := attachments(l)
	return files
}

// Line exports line for tests.
var Line = line

// IsSigned reports whether a request to an address is signed with the token.
func IsSigned(token, address string, form url.Values, signature string) bool {
	return (&twilio{Twilio: Twilio{Token: token}}).isSigned(address, form, signature)
}
