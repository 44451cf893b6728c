package guest

import (
	"net/http"
	"regexp"
	"time"
)

// returnCookie is the name of the cookie with the link token of a guest who is on the payment provider's page. The
// provider must not learn the token, so all guests return to the same address.
const returnCookie = "back"

// returnTime is how long the payment provider's page accepts payments.
const returnTime = 24 * time.Hour

// tokenPattern matches link tokens. A cookie with another value is ignored.
var tokenPattern = regexp.MustCompile(`^[a-z2-7]{32}$`)

// setReturnToken stores the link token in a cookie, so that the guest can return to their link. An empty token
// deletes the cookie.
func (c paymentCall) setReturnToken(token string) {
	age := int(returnTime.Seconds())
	if token == "" {
		age = -1
	}
	http.SetCookie(c.w, &http.Cookie{ //nolint:gosec // Secure only with TLS; otherwise the link is public anyway
		Name: returnCookie, Value: token, Path: "/g", MaxAge: age,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: c.base.Scheme == "https",
	})
}

// returnAfterPaying returns the handler for guests who come back from the provider's page after paying.
func returnAfterPaying() func(paymentCall) error {
	return returnFromPayment("?paid=1", "guest.back.paid.title", "guest.back.paid.text")
}

// returnWithoutPaying returns the handler for guests who come back from the provider's page after cancelling the
// payment.
func returnWithoutPaying() func(paymentCall) error {
	return returnFromPayment("/pay?unpaid=1", "guest.back.unpaid.title", "guest.back.unpaid.text")
}

// returnFromPayment redirects a guest who comes from the provider's page to their link. If the cookie is missing,
// because they use another browser or return after a day, a page tells them to open the link in their message.
func returnFromPayment(to, title, text string) func(paymentCall) error {
	return func(c paymentCall) error {
		cookie, err := c.r.Cookie(returnCookie)
		if err == nil {
			c.setReturnToken("")
			if tokenPattern.MatchString(cookie.Value) {
				return c.redirect("/g/" + cookie.Value + to)
			}
		}
		l := c.language()
		return c.write(http.StatusOK, "fail", errorPage{page: c.page(l.Say(title)), Text: l.Say(text)})
	}
}
