package guest

import (
	"net/http"
	"regexp"
	"time"
)

// returnCookie holds the link token of a reader who is on the payment provider's page. The provider must not learn the
// token, so readers return to an address that is the same for everybody.
const returnCookie = "back"

// returnTime is how long the provider's page stays open for payment.
const returnTime = 24 * time.Hour

// tokenPattern matches link tokens. A cookie with another value is ignored.
var tokenPattern = regexp.MustCompile(`^[a-z2-7]{32}$`)

// setReturnToken stores the link to which the reader returns. An empty token deletes the cookie.
func (c paymentCall) setReturnToken(token string) {
	age := int(returnTime.Seconds())
	if token == "" {
		age = -1
	}
	http.SetCookie(c.w, &http.Cookie{ //nolint:gosec // Secure only with TLS; without it the link is not secret either
		Name: returnCookie, Value: token, Path: "/g", MaxAge: age,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: c.base.Scheme == "https",
	})
}

// returnAfterPaying serves the address to which the provider sends a reader who has paid.
func returnAfterPaying() func(paymentCall) error {
	return returnFromPayment("?paid=1", "guest.back.paid.title", "guest.back.paid.text")
}

// returnWithoutPaying serves the address to which the provider sends a reader who has cancelled the payment.
func returnWithoutPaying() func(paymentCall) error {
	return returnFromPayment("/pay?unpaid=1", "guest.back.unpaid.title", "guest.back.unpaid.text")
}

// returnFromPayment redirects a reader who comes from the provider's page to their link. If the cookie is missing,
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
