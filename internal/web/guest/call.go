package guest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// call is one request to the door, and what was found out about it.
type call struct {
	*Guest
	w     http.ResponseWriter
	r     *http.Request
	token string
	visit desk.Visit
	place *lost.Location // nil until it is known
}

// write answers with a page.
func (c *call) write(status int, name string, data any) error {
	return respond.Page(c.w, status, c.pages[name], "layout", data)
}

// follow finds what the link in the address leads to. Whoever tries many that lead nowhere has to wait.
func (c *call) follow() error {
	// Some mail programs take the full stop after a link for a part of it.
	c.token = strings.ToLower(strings.TrimRight(c.r.PathValue("token"), ".,;:!?)>]'\""))
	v, err := c.desk.Visit(c.r.Context(), c.token)
	if v.Location.ID != "" {
		c.visit, c.place = v, &v.Location
	}
	if lost.CodeOf(err) == lost.NotFound {
		// A link that works always does: many guests may share an address with somebody who guesses.
		if _, wait := c.guesses.take(respond.ClientOf(c.r)); wait > 0 {
			return c.tooMany(wait)
		}
		return lost.Missing("link")
	}
	if err == nil && c.r.Method == http.MethodPost {
		if _, wait := c.acts.take(v.Link.ID); wait > 0 {
			c.drain()
			return c.tooMany(wait)
		}
	}
	return err
}

// locate finds the location that the address names.
func (c *call) locate() error {
	l, err := c.desk.PublicLocation(c.r.Context(), c.r.PathValue("permalink"))
	if err != nil {
		return err
	}
	c.place = &l
	return nil
}

// home is the page of the link.
func (c *call) home() string { return "/g/" + c.token }

// embedded tells whether the page is shown as a part of another site's.
func (c *call) embedded() bool {
	return strings.HasPrefix(c.r.URL.Path, "/l/") && c.r.URL.Query().Get("embed") == "1"
}

// publicPath is an address below the location's page, for a reader who may be on another site.
func (c *call) publicPath(below string) string {
	at := "/l/" + url.PathEscape(c.place.Permalink) + below
	if !c.embedded() {
		return at
	}
	at += "?embed=1"
	if lang := c.asked(); lang != "" { // there the cookie is not sent
		at += "&lang=" + lang
	}
	return at
}

// langCookie remembers a language that the reader chose.
const langCookie = "lang"

// asked is the language that the reader asks for in the address; empty where that is none of ours.
func (c *call) asked() string {
	lang := c.r.URL.Query().Get("lang")
	if !slices.Contains(i18n.Tags(), lang) {
		return ""
	}
	return lang
}

// language is the one to speak to the reader. What the reader chose goes before everything.
func (c *call) language() *i18n.Language {
	chosen := c.asked()
	if kept, err := c.r.Cookie(langCookie); err == nil && chosen == "" {
		chosen = kept.Value
	}
	preferences := []string{chosen, c.visit.Item.Language, c.r.Header.Get("Accept-Language")}
	if strings.HasPrefix(c.r.URL.Path, "/l/") {
		preferences = []string{chosen, c.r.Header.Get("Accept-Language")}
	}
	if c.place != nil {
		preferences = append(preferences, c.place.Language)
	}
	return i18n.Choose(preferences...)
}

// remember keeps the language that the reader asks for.
func (c *call) remember() {
	const year = 365 * 24 * 60 * 60
	lang := c.asked()
	if lang == "" {
		return
	}
	http.SetCookie(c.w, &http.Cookie{ //nolint:gosec // not Secure where the service is reached without TLS; it holds a language, no secret
		Name: langCookie, Value: lang, Path: "/", MaxAge: year, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: c.base.Scheme == "https",
	})
}

// form reads a form that has no file.
func (c *call) form() (url.Values, error) { return respond.ReadForm(c.r) }

// see sends the reader on after a form was taken.
func (c *call) see(at string) error {
	respond.See(c.w, at)
	return nil
}

// asset serves a file that pages load.
func (c *call) asset() error {
	c.w.Header().Del("X-Robots-Tag")
	return c.assets.Serve(c.w, c.r, c.r.PathValue("name"))
}

// renew has a new link sent in place of one whose time is over. The answer is the same whatever becomes of it: whoever
// tries a link learns nothing.
func (c *call) renew() error {
	if err := c.follow(); err != nil && lost.CodeOf(err) != lost.Gone && lost.CodeOf(err) != lost.NotFound {
		return err
	}
	if err := c.desk.RenewLink(c.r.Context(), c.token); err != nil && isFault(err) {
		return err
	}
	c.place, c.visit = nil, desk.Visit{}
	l := c.language()
	return c.write(http.StatusOK, "fail", failPage{page: c.page(l.Say("guest.renewed.title")), Text: l.Say("guest.renewed.text")})
}

// isFault tells an error of ours from an answer.
func isFault(err error) bool {
	code := lost.CodeOf(err)
	return code == lost.Internal || code == lost.Unavailable
}
