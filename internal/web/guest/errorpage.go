package guest

import (
	"errors"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// errorPage explains an error to the visitor.
type errorPage struct {
	page
	Text  string
	Renew string // the path at which to request a new link; empty if the link has not expired
	ID    string // the request's id, to quote when asking for help
	Back  string
}

// writeError responds with the page that explains an error. The cause of the error is only logged.
func (c *call) writeError(err error) {
	if respond.ClientDisconnected(c.w, err) {
		return
	}
	p := c.explain(err)
	if p.Back == "" && c.place != nil && c.token == "" {
		p.Back = c.publicPath("")
	}
	c.writeErrorPage(err, p)
}

// writeErrorPage records an error for the log and responds with the page that explains it.
func (c *call) writeErrorPage(err error, p errorPage) {
	status := respond.RecordError(c.w, err)
	if problem := c.write(status, "fail", p); problem != nil { // the template failed, so respond with plain text
		respond.RecordError(c.w, errors.Join(err, problem))
		http.Error(c.w, "Something went wrong on our side. Please try again.", http.StatusInternalServerError)
	}
}

// explain returns the page for an error.
func (c *call) explain(err error) errorPage {
	l := c.language()
	say := func(title, text string, args ...any) errorPage {
		return errorPage{page: c.page(l.Say(title, args...)), Text: l.Say(text, args...)}
	}
	switch lost.CodeOf(err) {
	case lost.NotFound:
		if strings.HasPrefix(c.r.URL.Path, "/g/") {
			return say("error.page.link.title", "error.page.link.text")
		}
		return say("error.page.missing.title", "error.page.missing.text")
	case lost.Gone:
		p := say("guest.expired.title", "guest.expired.text", "location", c.placeName())
		p.Renew = c.home() + "/renew"
		return p
	case lost.TooMany:
		return c.explainWait(say)
	case lost.Conflict:
		return say("error.page.conflict.title", "error.page.conflict.text")
	case lost.Forbidden:
		return say("error.page.foreign.title", "error.page.foreign.text")
	case lost.NoMethod:
		return say("error.page.method.title", "error.page.method.text")
	case lost.Unreadable, lost.Invalid, lost.Unsupported, lost.TooSlow:
		return say("error.page.unreadable.title", "error.page.unreadable.text")
	case lost.TooLarge:
		return say("error.page.large.title", "error.page.large.text")
	case lost.Unavailable:
		text := "error.page.busy.text"
		if path.Base(c.r.URL.Path) == "pay" {
			text = "error.page.busy.pay"
		}
		p := say("error.page.busy.title", text)
		p.Back = c.linkPath()
		return p
	default:
		p := say("error.page.fault.title", "error.page.fault.text")
		p.Back = c.linkPath()
		p.ID = c.w.Header().Get(respond.RequestIDHeader)
		return p
	}
}

// linkPath returns the path of the page that the private link opens, or an empty string if the link does not work.
func (c *call) linkPath() string {
	if c.visit.Item.ID == "" || c.token == "" {
		return ""
	}
	return c.home()
}

// placeName returns the location's name, or an empty string if no location was loaded.
func (c *call) placeName() string {
	if c.place == nil {
		return ""
	}
	return c.place.Name
}

// tooManyRequests sets Retry-After and returns the error for a throttled client.
func (c *call) tooManyRequests(wait time.Duration) error {
	respond.SetRetryAfter(c.w, wait)
	return lost.E(lost.TooMany, "Too many requests. Try again later.")
}

// explainWait returns a page that tells a throttled visitor how long to wait and whom to contact instead.
func (c *call) explainWait(say func(title, text string, args ...any) errorPage) errorPage {
	minutes := c.minutesToWait()
	if minutes == 0 { // the location has reached its daily limit of reports
		return say("error.page.full.title", "error.page.full.text", "location", c.placeName())
	}
	return say("error.page.wait.title", "error.page.wait.text", "n", minutes)
}

// minutesToWait returns the waiting time in the Retry-After header in minutes. It returns 0 if the header is not set or
// the time is so long that the visitor should contact the location instead.
func (c *call) minutesToWait() int {
	const longest = 2 * 60 * 60
	seconds, err := strconv.Atoi(c.w.Header().Get("Retry-After"))
	if err != nil || seconds > longest {
		return 0
	}
	return max(1, (seconds+59)/60)
}
