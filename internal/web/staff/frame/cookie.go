package frame

import (
	"net/http"
	"net/url"

	"homeward/internal/web/respond"
)

// secure reports whether the service uses TLS.
func (f *Frame) secure() bool { return f.Base.Scheme == "https" }

// Cookie returns the value of a cookie, or an empty string.
func (c *Call) Cookie(name string) string { return respond.Cookie(c.Request, name, c.secure()) }

// CookieYear is a year in seconds, for cookies that store preferences.
const CookieYear = 365 * 24 * 60 * 60

// SetCookie stores a cookie for a number of seconds. 0 stores it until the browser is closed; a negative number
// deletes it.
func (c *Call) SetCookie(name, value string, seconds int) {
	if inBackground(c.Request) { // another tab may use the cookie
		return
	}
	http.SetCookie(c.Writer, &http.Cookie{ //nolint:gosec // the cookie is not Secure if the service does not use TLS
		Name: respond.CookieName(name, c.secure()), Value: value, Path: "/", MaxAge: seconds, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: c.secure(),
	})
}

// flashCookie holds a message that the next page shows once.
const flashCookie = "tell"

// Flash makes the next page show a message. Call it before Redirect.
func (c *Call) Flash(text string) { c.SetCookie(flashCookie, url.QueryEscape(text), 60) }

// warningCookie holds a warning that the next page shows once.
const warningCookie = "warn"

// FlashWarning makes the next page show a warning. Call it before Redirect.
func (c *Call) FlashWarning(text string) { c.SetCookie(warningCookie, url.QueryEscape(text), 60) }

// takeFlash returns the message in a cookie and deletes the cookie.
func (c *Call) takeFlash(cookie string) string {
	text, err := url.QueryUnescape(c.Cookie(cookie))
	if err != nil || text == "" || inBackground(c.Request) {
		return ""
	}
	c.SetCookie(cookie, "", -1)
	return text
}
