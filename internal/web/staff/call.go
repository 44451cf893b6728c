package staff

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// call is one request to the door, and what was found out about it.
type call struct {
	*Staff
	w  http.ResponseWriter
	r  *http.Request
	in desk.Insider // nobody until they have logged in

	locations []lost.Location // that the person reaches, some of them; see places
	here      *lost.Location  // the one that the page is about; see at
}

func (c *call) ctx() context.Context { return c.r.Context() }

// actor is who acts.
func (c *call) actor() lost.Actor { return c.in.Actor() }

// may tells whether the person may do something somewhere. The desk decides; this is for what is shown.
func (c *call) may(right lost.Right) bool { return c.actor().May(right) == nil }

// enter finds out who is there, and lets them no further than the route allows.
func (c *call) enter(route Route) error {
	in, err := c.desk.Insider(c.ctx(), c.token())
	if err == nil {
		c.in = in
		respond.Note(c.w, slog.String("account", in.User.Account), slog.String("user", in.User.ID))
	}
	if route.Open {
		return c.unlessOutside(err)
	}
	if err != nil {
		return err
	}
	if route.Right == "" {
		return nil
	}
	return c.actor().May(route.Right)
}

// unlessOutside makes no error of nobody having logged in.
func (c *call) unlessOutside(err error) error {
	if lost.CodeOf(err) == lost.Unauthorized {
		return nil
	}
	return err
}

// cookieName names a cookie of ours. Where the service is reached with TLS, the browser itself holds it to that and to this host.
func (c *call) cookieName(name string) string {
	if c.secure() {
		return "__Host-" + name
	}
	return name
}

func (c *call) secure() bool { return c.base.Scheme == "https" }

// cookie gives what the browser kept for us.
func (c *call) cookie(name string) string {
	kept, err := c.r.Cookie(c.cookieName(name))
	if err != nil {
		return ""
	}
	return kept.Value
}

// year is how long a browser keeps what somebody has got used to, in seconds.
const year = 365 * 24 * 60 * 60

// keep has the browser keep something: for some seconds, until it is closed (0), or no more (below 0).
func (c *call) keep(name, value string, seconds int) {
	http.SetCookie(c.w, &http.Cookie{ //nolint:gosec // not Secure where the service is reached without TLS
		Name: c.cookieName(name), Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: c.secure(),
	})
}

// sessionCookie holds the token of a session.
const sessionCookie = "session"

func (c *call) token() string { return c.cookie(sessionCookie) }

// form reads a form that has no file.
func (c *call) form() (url.Values, error) { return respond.ReadForm(c.r) }

// see sends the browser on after a form was taken.
func (c *call) see(at string) error {
	respond.See(c.w, at)
	return nil
}

// tellCookie holds what the next page tells, once.
const tellCookie = "tell"

// tell has the next page say what was done. It goes before see.
func (c *call) tell(text string) { c.keep(tellCookie, url.QueryEscape(text), 60) }

// warnCookie holds what the next page warns of, once.
const warnCookie = "warn"

// warn has the next page say what did not go well. It goes before see.
func (c *call) warn(text string) { c.keep(warnCookie, url.QueryEscape(text), 60) }

// once is what the page before wanted to have said, in a cookie that is then gone.
func (c *call) once(cookie string) string {
	text, err := url.QueryUnescape(c.cookie(cookie))
	if err != nil || text == "" {
		return ""
	}
	c.keep(cookie, "", -1)
	return text
}

// write answers with a page.
func (c *call) write(status int, name string, data any) error {
	return respond.Page(c.w, status, c.pages[name], "layout", data)
}

// back is a path of ours that the browser asks to return to; the start page where that is not one.
func back(to string) string {
	odd := func(r rune) bool { return r == '\\' || unicode.IsControl(r) }
	if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsFunc(to, odd) {
		return "/"
	}
	return to
}
