package guest

import (
	"errors"
	"net/http"
	"path"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// failPage tells that something is not as it should be.
type failPage struct {
	page
	Text  string
	Renew string // where to ask for a new link
	ID    string // of the request, to be named when asking for help
	Back  string
}

// fail answers with an error, in words for the reader. What caused it goes into the log alone.
func (c *call) fail(err error) {
	if respond.Left(c.w, err) {
		return
	}
	p := c.explain(err)
	if p.Back == "" && c.place != nil && c.token == "" {
		p.Back = c.publicPath("")
	}
	c.failWith(err, p)
}

// failWith answers with an error and the page that tells of it.
func (c *call) failWith(err error, p failPage) {
	status := respond.Failed(c.w, err)
	if problem := c.write(status, "fail", p); problem != nil { // the page for when all else fails
		respond.Failed(c.w, errors.Join(err, problem))
		http.Error(c.w, "Something went wrong on our side. Please try again.", http.StatusInternalServerError)
	}
}

// explain finds the words for an error.
func (c *call) explain(err error) failPage {
	l := c.language()
	say := func(title, text string, args ...any) failPage {
		return failPage{page: c.page(l.Say(title, args...)), Text: l.Say(text, args...)}
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
	case lost.Unreadable, lost.Invalid, lost.Unsupported:
		return say("error.page.unreadable.title", "error.page.unreadable.text")
	case lost.TooLarge:
		return say("error.page.large.title", "error.page.large.text")
	case lost.Unavailable:
		text := "error.page.busy.text"
		if path.Base(c.r.URL.Path) == "pay" {
			text = "error.page.busy.pay"
		}
		p := say("error.page.busy.title", text)
		p.Back = c.wayBack()
		return p
	default:
		p := say("error.page.fault.title", "error.page.fault.text")
		p.Back = c.wayBack()
		p.ID = c.w.Header().Get(respond.RequestIDHeader)
		return p
	}
}

// wayBack is the page of a link that works; empty where there is none.
func (c *call) wayBack() string {
	if c.visit.Item.ID == "" || c.token == "" {
		return ""
	}
	return c.home()
}

// placeName is the location's name, where one is known.
func (c *call) placeName() string {
	if c.place == nil {
		return ""
	}
	return c.place.Name
}
