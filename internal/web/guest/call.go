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

// call is one request for a guest page, with the data that was loaded for it.
type call struct {
	*Guest
	w       http.ResponseWriter
	r       *http.Request
	token   string
	visit   desk.Visit
	place   *lost.Location     // nil until it is loaded
	privacy lost.PrivacyNotice // of the location

	written       url.Values    // a submitted message that was not accepted
	writeProblems lost.Problems // why it was not
}

// linkCall is a request for a page that is opened with a private link: the page of the item or request, or a form for
// one of the owner's choices.
type linkCall struct{ *call }

// paymentCall is a request for a page on which the owner pays the fee.
type paymentCall struct{ linkCall }

// publicCall is a request for a location's public page.
type publicCall struct{ *call }

func onLink(serve func(linkCall) error) func(*call) error {
	return func(c *call) error { return serve(linkCall{c}) }
}

// onAction is like onLink, but for a form that only a person sends. They have seen the messages of the location that
// the browser showed before, even if no script says so. An error is ignored: the form matters more.
func onAction(serve func(linkCall) error) func(*call) error {
	return func(c *call) error {
		err := serve(linkCall{c})
		if newest := c.shownMessage(); newest != "" && c.visit.Item.ID != "" && !c.byStaff() {
			_ = c.services.Threads.SeeAsGuest(c.r.Context(), c.token, newest)
		}
		return err
	}
}

// byStaff reports whether somebody from the desk opened the guest's page: the browser has a session of the dashboard,
// in the account of the item. What they see, the guest has not seen. It answers yes if the session cannot be checked,
// as a wrong receipt is worse than none.
func (c *call) byStaff() bool {
	token := respond.Cookie(c.r, respond.SessionCookie, c.base.Scheme == "https")
	if token == "" {
		return false
	}
	in, err := c.services.Sessions.Peek(c.r.Context(), token, lost.Client{})
	if err != nil {
		return lost.CodeOf(err) != lost.Unauthorized
	}
	return in.User.Account == c.visit.Item.Account
}

func onPayment(serve func(paymentCall) error) func(*call) error {
	return func(c *call) error { return serve(paymentCall{linkCall{c}}) }
}

func onPublic(serve func(publicCall) error) func(*call) error {
	return func(c *call) error { return serve(publicCall{c}) }
}

// write responds with a page.
func (c *call) write(status int, name string, data any) error {
	return respond.Page(c.w, status, c.pages[name], respond.LayoutName, data)
}

// openLink loads the item that the link belongs to. A client that tries many wrong links is throttled.
func (c *call) openLink() error {
	// Some mail programs treat the full stop after a link as part of it.
	c.token = strings.ToLower(strings.TrimRight(c.r.PathValue("token"), ".,;:!?)>]'\""))
	v, err := c.services.Guests.Visit(c.r.Context(), c.token)
	if v.Location.ID != "" {
		c.visit, c.place, c.privacy = v, &v.Location, v.Privacy
	}
	if lost.CodeOf(err) == lost.NotFound {
		// Only wrong links are throttled, because other guests may share an IP address with somebody who guesses
		// links.
		if _, wait := c.wrongTokens.Take(respond.ClientNetwork(c.r)); wait > 0 {
			return c.tooManyRequests(wait)
		}
		return lost.Missing("link")
	}
	if err == nil && c.r.Method == http.MethodPost {
		if _, wait := c.changesByLink.Take(v.Link.ID); wait > 0 {
			c.drain()
			return c.tooManyRequests(wait)
		}
	}
	return err
}

// loadLocation loads the location named in the path.
func (c *call) loadLocation() error {
	l, err := c.services.Locations.GetPublic(c.r.Context(), c.r.PathValue("permalink"))
	if err != nil {
		return err
	}
	c.place, c.privacy = &l.Location, l.Privacy
	return nil
}

// home returns the path of the page that the private link opens.
func (c *call) home() string { return "/g/" + c.token }

// embedded reports whether another site embeds the page.
func (c *call) embedded() bool {
	return strings.HasPrefix(c.r.URL.Path, "/l/") && c.r.URL.Query().Get("embed") == "1"
}

// publicPath returns a path below the location's public page. If the page is embedded, it keeps the query parameters.
func (c *call) publicPath(below string) string {
	at := "/l/" + url.PathEscape(c.place.Permalink) + below
	if !c.embedded() {
		return at
	}
	at += "?embed=1"
	if lang := c.requestedLanguage(); lang != "" { // browsers do not send the cookie from an embedded page
		at += "&lang=" + lang
	}
	return at
}

// langCookie stores the language that the visitor chose.
const langCookie = "lang"

// requestedLanguage returns the language in the query string, or an empty string if it is missing or not supported.
func (c *call) requestedLanguage() string {
	lang := c.r.URL.Query().Get("lang")
	if !slices.Contains(i18n.Tags(), lang) {
		return ""
	}
	return lang
}

// language returns the language of the page. The visitor's choice takes precedence.
func (c *call) language() *i18n.Language {
	chosen := c.requestedLanguage()
	if cookie, err := c.r.Cookie(langCookie); err == nil && chosen == "" {
		chosen = cookie.Value
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

// rememberLanguage stores the language in the query string in a cookie.
func (c *call) rememberLanguage() {
	const year = 365 * 24 * 60 * 60
	lang := c.requestedLanguage()
	if lang == "" {
		return
	}
	http.SetCookie(c.w, &http.Cookie{ //nolint:gosec // Secure only with TLS; the cookie contains no secret
		Name: langCookie, Value: lang, Path: "/", MaxAge: year,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: c.base.Scheme == "https",
	})
}

// form reads a submitted form that has no files.
func (c *call) form() (url.Values, error) { return respond.ReadForm(c.r) }

// redirect sends the browser to another page of the service.
func (c *call) redirect(to string) error {
	respond.SeeOther(c.w, to)
	return nil
}

// asset serves a stylesheet, script or icon.
func (c *call) asset() error {
	c.w.Header().Del("X-Robots-Tag")
	return c.assets.Serve(c.w, c.r, c.r.PathValue("name"))
}

// renew sends a new link to replace an expired one. The response is always the same, so that it does not reveal
// whether a guessed link exists.
func (c *call) renew() error {
	err := c.openLink()
	if err != nil && lost.CodeOf(err) != lost.Gone && lost.CodeOf(err) != lost.NotFound {
		return err
	}
	if err := c.services.Guests.RenewLink(c.r.Context(), c.token); err != nil && isFault(err) {
		return err
	}
	c.place, c.visit = nil, desk.Visit{}
	l := c.language()
	p := errorPage{page: c.page(l.Say("guest.renewed.title")), Text: l.Say("guest.renewed.text")}
	return c.write(http.StatusOK, "fail", p)
}

// isFault reports whether an error was caused by the service, not by the request.
func isFault(err error) bool {
	code := lost.CodeOf(err)
	return code == lost.Internal || code == lost.Unavailable
}
