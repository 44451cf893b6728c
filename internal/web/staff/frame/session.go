package frame

import (
	"net/http"
	"net/url"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// SessionCookie holds the token of a session.
const SessionCookie = "session"

func (c *Call) SessionToken() string { return c.Cookie(SessionCookie) }

// withNext is an address with where the person wants to go after it.
func withNext(at, next string) string {
	if next = SafePath(next); next == "/" {
		return at
	}
	return at + "?next=" + url.QueryEscape(next)
}

// browserCookie tells a browser again with which somebody has logged in: see desk.Insider.
const browserCookie = "browser"

// Client is what is known of the browser.
func (c *Call) Client() lost.Client {
	return lost.Client{Address: respond.ClientOf(c.Request), Agent: c.Request.UserAgent(), Mark: c.Cookie(browserCookie)}
}

// StartSession gives the browser the session that was begun, and sends it on: to where the person wanted to go, or to their second step.
func (c *Call) StartSession(in desk.Insider, next string) error {
	seconds := 0
	if in.Session.Lasting {
		seconds = int(in.Session.ExpiresAt.Sub(in.Session.CreatedAt).Seconds())
	}
	c.SetCookie(SessionCookie, in.Token, seconds)
	if in.Session.Waits {
		return c.Redirect(withNext("/login/code", next))
	}
	c.SetCookie(browserCookie, in.Mark, CookieYear)
	return c.Redirect(SafePath(next))
}

// redirectToLogin sends somebody who is not logged in to the page where they do so, and remembers where they wanted to go.
func (c *Call) redirectToLogin() {
	to := "/login"
	if next := c.Request.URL.RequestURI(); c.Request.Method == http.MethodGet && next != "/" {
		to += "?next=" + url.QueryEscape(next)
	}
	respond.See(c.Writer, to)
}
