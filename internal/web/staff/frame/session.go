package frame

import (
	"net/http"
	"net/url"

	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// SessionCookie holds the session token.
const SessionCookie = respond.SessionCookie

// SessionToken returns the token in the session cookie, or an empty string if there is none.
func (c *Call) SessionToken() string { return c.Cookie(SessionCookie) }

// withNext adds the query parameter next, the page to open afterwards, to a path.
func withNext(at, next string) string {
	if next = SafePath(next); next == "/" {
		return at
	}
	return at + "?next=" + url.QueryEscape(next)
}

// browserCookie identifies a browser in which the user has logged in before. See identity.Session.
const browserCookie = "browser"

// Client describes the browser of the request.
func (c *Call) Client() lost.Client {
	return lost.Client{
		Address: respond.ClientNetwork(c.Request), Agent: respond.UserAgent(c.Request), Mark: c.Cookie(browserCookie),
	}
}

// StartSession stores the session in a cookie and redirects to next, or to the second step of the login if one is
// needed.
func (c *Call) StartSession(in identity.Session, next string) error {
	seconds := 0
	if in.Session.Lasting {
		seconds = int(in.Session.ExpiresAt.Sub(in.Session.CreatedAt).Seconds())
	}
	c.SetCookie(SessionCookie, in.Token, seconds)
	if in.Session.NeedsSecondStep {
		return c.Redirect(withNext("/login/code", next))
	}
	c.SetCookie(browserCookie, in.BrowserMark, CookieYear)
	return c.Redirect(SafePath(next))
}

// redirectToLogin redirects to the login page, which redirects back to this page after the login.
func (c *Call) redirectToLogin() {
	to := "/login"
	if next := c.Request.URL.RequestURI(); c.Request.Method == http.MethodGet && next != "/" {
		to += "?next=" + url.QueryEscape(next)
	}
	respond.SeeOther(c.Writer, to)
}
