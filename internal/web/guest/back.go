package guest

import (
	"net/http"
	"regexp"
	"time"
)

// backCookie holds the token of a reader who is away to pay. The payment provider is never told it: whoever comes back from there comes
// to an address that is the same for all.
const backCookie = "back"

// backTime is how long a page of the provider's can be paid on.
const backTime = 24 * time.Hour

// tokenForm is how tokens are written. What is none leads nowhere.
var tokenForm = regexp.MustCompile(`^[a-z2-7]{32}$`)

// setBack remembers where to lead the reader to; nothing, with an empty token.
func (c *call) setBack(token string) {
	age := int(backTime.Seconds())
	if token == "" {
		age = -1
	}
	http.SetCookie(c.w, &http.Cookie{ //nolint:gosec // not Secure where the service is reached without TLS, as the link itself is then
		Name: backCookie, Value: token, Path: "/g", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: c.base.Scheme == "https",
	})
}

// returning leads a reader back who comes from the provider's page. One who is not known, in another browser or after a day, is told
// where the way back is.
func returning(to, title, text string) func(*call) error {
	return func(c *call) error {
		kept, err := c.r.Cookie(backCookie)
		if err == nil {
			c.setBack("")
			if tokenForm.MatchString(kept.Value) {
				return c.see("/g/" + kept.Value + to)
			}
		}
		l := c.language()
		return c.write(http.StatusOK, "fail", failPage{page: c.page(l.Say(title)), Text: l.Say(text)})
	}
}
