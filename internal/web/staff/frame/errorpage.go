package frame

import (
	"errors"
	"net/http"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// errorPage shows an error.
type errorPage struct {
	Page
	Text   string
	ID     string       // the request ID, to quote when asking for help
	Latest *latestState // the current state of the record, after a conflict
}

// renderError responds with an error page. The cause is only logged. A user who is not logged in is redirected to the
// login page, and back to this page after logging in.
func (c *Call) renderError(err error) {
	if respond.ClientDisconnected(c.Writer, err) {
		return
	}
	if wantsStream(c) && lost.CodeOf(err) == lost.Unauthorized { // ends the stream; the browser does not try again
		c.Writer.WriteHeader(http.StatusNoContent)
		return
	}
	if !c.WantsHTML() {
		respond.Problem(c.Writer, labelFields(c.Locale, err))
		return
	}
	if lost.CodeOf(err) == lost.Unauthorized {
		c.redirectToLogin()
		return
	}
	p := errorPage{
		Page: c.NewPage(errorTitle(c.Locale, lost.CodeOf(err))), Text: c.Say("frame.error.internal.text"),
	}
	p.Follows, p.LiveURL = false, ""
	if text := c.ErrorText(err); text != "" {
		p.Text = text
	} else {
		p.ID = c.Writer.Header().Get(respond.RequestIDHeader)
	}
	switch lost.CodeOf(err) {
	case lost.Conflict, lost.TooLarge, lost.Unsupported, lost.TooMany, lost.Unavailable:
		if c.Session.User.ID != "" {
			now := loadLatestState(c)
			p.Latest = &now
		}
	}
	status := respond.RecordError(c.Writer, err)
	if problem := c.Render(status, "fail", p); problem != nil { // the error page failed too
		respond.RecordError(c.Writer, errors.Join(err, problem))
		http.Error(c.Writer, c.Say("frame.error.again"), http.StatusInternalServerError)
	}
}

// WantsHTML reports whether the client accepts HTML, as browsers do. Other clients get a JSON problem instead of a
// page.
func (c *Call) WantsHTML() bool { return strings.Contains(c.Request.Header.Get("Accept"), "text/html") }

// errorTitle returns the title of the page for an error.
func errorTitle(l Locale, code lost.Code) string {
	switch code {
	case lost.NotFound:
		return l.Say("frame.error.not-found")
	case lost.Forbidden:
		return l.Say("frame.error.forbidden")
	case lost.Conflict:
		return l.Say("frame.error.conflict")
	case lost.TooLarge:
		return l.Say("frame.error.too-large")
	case lost.TooMany:
		return l.Say("frame.error.rate-limited")
	case lost.Unavailable:
		return l.Say("frame.error.unavailable")
	case lost.NoMethod, lost.Unreadable, lost.Invalid, lost.Unsupported, lost.TooSlow:
		return l.Say("frame.error.unreadable")
	default:
		return l.Say("frame.error.internal")
	}
}
