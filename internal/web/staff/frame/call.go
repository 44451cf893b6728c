package frame

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

// Call is one request to the door, and what was found out about it.
type Call struct {
	*Frame
	Writer  http.ResponseWriter
	Request *http.Request
	Session desk.Insider // nobody until they have logged in

	locations []lost.Location // that the person reaches, some of them; see places
	Here      *lost.Location  // the one that the page is about; see at
}

func (c *Call) Context() context.Context { return c.Request.Context() }

// Actor is who acts.
func (c *Call) Actor() lost.Actor { return c.Session.Actor() }

// May tells whether the person may do something somewhere. The desk decides; this is for what is shown.
func (c *Call) May(right lost.Right) bool { return c.Actor().May(right) == nil }

// authenticate finds out who is there, and lets them no further than the route allows.
func (c *Call) authenticate(route Route) error {
	in, err := c.Desk.Insider(c.Context(), c.SessionToken())
	if err == nil {
		c.Session = in
		respond.Note(c.Writer, slog.String("account", in.User.Account), slog.String("user", in.User.ID))
	}
	if route.Open {
		return c.ignoreUnauthorized(err)
	}
	if err != nil {
		return err
	}
	if route.Right == "" {
		return nil
	}
	return c.Actor().May(route.Right)
}

// ignoreUnauthorized makes no error of nobody having logged in.
func (c *Call) ignoreUnauthorized(err error) error {
	if lost.CodeOf(err) == lost.Unauthorized {
		return nil
	}
	return err
}

// ReadForm reads a form that has no file.
func (c *Call) ReadForm() (url.Values, error) { return respond.ReadForm(c.Request) }

// Redirect sends the browser on after a form was taken.
func (c *Call) Redirect(at string) error {
	respond.See(c.Writer, at)
	return nil
}

// Render answers with a page.
func (c *Call) Render(status int, name string, data any) error {
	return respond.Page(c.Writer, status, c.pages[name], "layout", data)
}

// SafePath is a path of ours that the browser asks to return to; the start page where that is not one.
func SafePath(to string) string {
	odd := func(r rune) bool { return r == '\\' || unicode.IsControl(r) }
	if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsFunc(to, odd) {
		return "/"
	}
	return to
}
