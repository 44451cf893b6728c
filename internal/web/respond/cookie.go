package respond

import "net/http"

// SessionCookie is the name of the cookie that holds the token of a session of the dashboard. See CookieName.
const SessionCookie = "session"

// CookieName adds the __Host- prefix to the name of a cookie if the service uses TLS, so that the browser limits the
// cookie to TLS and this host.
func CookieName(name string, secure bool) string {
	if secure {
		return "__Host-" + name
	}
	return name
}

// Cookie returns the value of a cookie that has a CookieName, or an empty string.
func Cookie(r *http.Request, name string, secure bool) string {
	cookie, err := r.Cookie(CookieName(name, secure))
	if err != nil {
		return ""
	}
	return cookie.Value
}
