package frame

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// Call is one request to the dashboard with its session.
type Call struct {
	*Frame
	Writer  http.ResponseWriter
	Request *http.Request
	Session identity.Session // empty until the user has logged in
	Locale                   // the language of the page
	began   time.Time        // when the request arrived

	locations []lost.Location // the locations the user can access, up to maxMenuLocations; see Locations
	Here      *lost.Location  // the location the page is about; see Location
	menuPlace string          // the location whose lists the menu opens; see ReadListScope
}

// Context returns the context of the request.
func (c *Call) Context() context.Context { return c.Request.Context() }

// Actor returns the user who makes the request.
func (c *Call) Actor() lost.Actor { return c.Session.Actor() }

// May reports whether the user has a permission at any location. It only determines what is shown; package desk
// enforces permissions.
func (c *Call) May(right lost.Permission) bool { return c.Actor().May(right) == nil }

// authenticate finds the session and checks the permission that the route needs.
func (c *Call) authenticate(route Route) error {
	find := c.Services.Sessions.ByToken
	if inBackground(c.Request) {
		find = c.Services.Sessions.Peek
	}
	in, err := find(c.Context(), c.SessionToken(), c.Client())
	if err == nil {
		c.Session = in
		c.Locale = localeOf(c)
		respond.AddLogAttrs(c.Writer, slog.String("account", in.User.Account), slog.String("user", in.User.ID))
	}
	if route.Open {
		return ignoreUnauthorized(err)
	}
	if err != nil {
		return err
	}
	if route.Right == "" {
		return nil
	}
	return c.Actor().May(route.Right)
}

// ignoreUnauthorized returns nil if err means that nobody is logged in, and err otherwise.
func ignoreUnauthorized(err error) error {
	if lost.CodeOf(err) == lost.Unauthorized {
		return nil
	}
	return err
}

// ReadForm reads a form without files.
func (c *Call) ReadForm() (url.Values, error) { return respond.ReadForm(c.Request) }

// Redirect redirects the browser to another page, for example after a form was accepted.
func (c *Call) Redirect(at string) error {
	respond.SeeOther(c.Writer, at)
	return nil
}

// Render responds with the page of this name.
func (c *Call) Render(status int, name string, data any) error {
	page, err := c.pages.get(name, c.Locale)
	if err != nil {
		return err
	}
	h := c.Writer.Header()
	h.Set("Content-Language", c.Tag())
	h.Set("Vary", "Accept-Language, Cookie")
	return respond.Page(c.Writer, status, page, respond.LayoutName, data)
}

// SafePath returns its argument if it is a path on this service, and the path of the start page otherwise.
func SafePath(to string) string {
	unsafe := func(r rune) bool { return r == '\\' || unicode.IsControl(r) }
	if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsFunc(to, unsafe) {
		return "/"
	}
	return to
}
