package frame

import (
	"errors"
	"net/http"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// errorPage tells that something is not as it should be.
type errorPage struct {
	Page
	Text     string
	ID       string       // of the request, to be named when asking for help
	Standing *latestState // how things stand, where somebody was quicker or what was sent does not fit
}

// renderError answers with an error, in words for the reader. What caused it goes into the log alone. Whoever is not logged in
// is led to where they can do so, and from there to where they wanted to go.
func (c *Call) renderError(err error) {
	if respond.Left(c.Writer, err) {
		return
	}
	if !c.WantsHTML() {
		respond.Problem(c.Writer, withFieldLabels(err))
		return
	}
	if lost.CodeOf(err) == lost.Unauthorized {
		c.redirectToLogin()
		return
	}
	p := errorPage{Page: c.NewPage(errorTitle(lost.CodeOf(err))), Text: "The fault is on our side. Try again; if it stays, tell whoever runs the service this number."}
	if text := lost.Detail(err); text != "" {
		p.Text = text
	} else {
		p.ID = c.Writer.Header().Get(respond.RequestIDHeader)
	}
	switch lost.CodeOf(err) {
	case lost.Conflict, lost.TooLarge, lost.Unsupported, lost.TooMany, lost.Unavailable:
		if c.Session.User.ID != "" {
			now := c.latestState()
			p.Standing = &now
		}
	}
	status := respond.Failed(c.Writer, err)
	if problem := c.Render(status, "fail", p); problem != nil { // the page for when all else fails
		respond.Failed(c.Writer, errors.Join(err, problem))
		http.Error(c.Writer, "Something went wrong on our side. Please try again.", http.StatusInternalServerError)
	}
}

// WantsHTML tells a person's browser from a program, which is helped more by a problem that it can read.
func (c *Call) WantsHTML() bool { return strings.Contains(c.Request.Header.Get("Accept"), "text/html") }

func errorTitle(code lost.Code) string {
	switch code {
	case lost.NotFound:
		return "There is nothing here"
	case lost.Forbidden:
		return "You may not do this"
	case lost.Conflict:
		return "That does not fit any more"
	case lost.TooLarge:
		return "That is too large"
	case lost.TooMany:
		return "Wait a moment"
	case lost.Unavailable:
		return "Not available right now"
	case lost.NoMethod, lost.Unreadable, lost.Invalid, lost.Unsupported:
		return "That could not be read"
	default:
		return "Something went wrong here"
	}
}
