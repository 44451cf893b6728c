package frame

import (
	"net/http"
	"net/url"
)

// cookieName names a cookie of ours. Where the service is reached with TLS, the browser itself holds it to that and to this host.
func (c *Call) cookieName(name string) string {
	if c.secure() {
		return "__Host-" + name
	}
	return name
}

func (c *Call) secure() bool { return c.Base.Scheme == "https" }

// Cookie gives what the browser kept for us.
func (c *Call) Cookie(name string) string {
	kept, err := c.Request.Cookie(c.cookieName(name))
	if err != nil {
		return ""
	}
	return kept.Value
}

// CookieYear is how long a browser keeps what somebody has got used to, in seconds.
const CookieYear = 365 * 24 * 60 * 60

// SetCookie has the browser keep something: for some seconds, until it is closed (0), or no more (below 0).
func (c *Call) SetCookie(name, value string, seconds int) {
	http.SetCookie(c.Writer, &http.Cookie{ //nolint:gosec // not Secure where the service is reached without TLS
		Name: c.cookieName(name), Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: c.secure(),
	})
}

// flashCookie holds what the next page tells, once.
const flashCookie = "tell"

// Flash has the next page say what was done. It goes before see.
func (c *Call) Flash(text string) { c.SetCookie(flashCookie, url.QueryEscape(text), 60) }

// WarningCookie holds what the next page warns of, once.
const WarningCookie = "warn"

// FlashWarning has the next page say what did not go well. It goes before see.
func (c *Call) FlashWarning(text string) { c.SetCookie(WarningCookie, url.QueryEscape(text), 60) }

// TakeFlash is what the page before wanted to have said, in a cookie that is then gone.
func (c *Call) TakeFlash(cookie string) string {
	text, err := url.QueryUnescape(c.Cookie(cookie))
	if err != nil || text == "" {
		return ""
	}
	c.SetCookie(cookie, "", -1)
	return text
}

// DiscoveryPlaceCookie remembers where the last find was: the next is often from there.
const DiscoveryPlaceCookie = "where"
