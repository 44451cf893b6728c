package guest

import (
	"crypto/rand"
	"net/http"
	"strings"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// conversation is the part of a page that shows what the guest and the location's desk wrote to each other.
type conversation struct {
	Messages []threadMessage
	Unseen   string // the path that records that the guest has seen the messages; empty if they have
	Newest   string // the id of the newest message that is shown
	Form     string // the path to which an answer is sent; empty if the guest can no longer write
	Open     bool   // the form is shown at once
	Asked    bool   // a claimant has not answered the newest message, which is from the location
	Once     string // makes a form that is sent twice count once
	Text     *input
	Picture  *input
}

// threadMessage is one message as the guest sees it. Messages of the desk name the location, not the person.
type threadMessage struct {
	Who, When, Text string
	Seen            string // whether the other side saw it; only for the guest's own messages
	Mine            bool
	Photos          []photo
}

// attachmentField is the name of the field for the photos in a message. Another form of the page may have a photo too.
const attachmentField = "attachment"

// addConversation shows the conversation on a page.
func (c linkCall) addConversation(p *page) error {
	shown, err := c.services.Threads.ListAsGuest(c.r.Context(), c.visit)
	if err != nil {
		return err
	}
	l := p.Language
	t := &conversation{Open: len(shown) > 0 || len(c.writeProblems) > 0, Newest: lost.NoThreadMessage}
	for _, m := range shown {
		t.Messages, t.Newest = append(t.Messages, c.showMessage(l, m)), m.ID
		t.Asked = c.visit.Item.Source == lost.Request && m.From == lost.FromDesk && m.AnsweredAt.IsZero()
		if m.From == lost.FromDesk && m.SeenAt.IsZero() {
			t.Unseen = c.home() + "/seen"
		}
	}
	if !lost.ThreadClosed(c.visit.Item) {
		t.Form, t.Once = c.home()+"/messages", rand.Text()
		t.Text = &input{
			Name: "text", Label: l.Say("guest.thread.text"), Type: "area", Value: c.written.Get("text"),
			maxLength: lost.MaxThreadText,
		}
		t.Picture = photoInput(l, l.Say("guest.thread.photos", "n", lost.MaxThreadImages))
		t.Picture.Name, t.Picture.Multiple = attachmentField, true
		p.Problems = append(p.Problems,
			assignProblems(l, []*input{t.Text, t.Picture}, c.writeProblems, problemContext{})...)
	}
	if t.Form != "" || len(t.Messages) > 0 {
		p.Conversation = t
	}
	if t.Unseen != "" {
		c.rememberShown(t.Newest)
	}
	return nil
}

// shownCookie has the id of the newest message that the browser showed. Only the pages of the same link get it.
const shownCookie = "shown"

// rememberShown remembers in the browser that it shows the messages up to the one with an id, unless it only prefetches
// the page. Forms on other pages of the link then tell which messages their sender has seen; see onAction.
func (c linkCall) rememberShown(newest string) {
	if strings.Contains(c.r.Header.Get("Sec-Purpose"), "prefetch") {
		return
	}
	http.SetCookie(c.w, &http.Cookie{ //nolint:gosec // Secure only with TLS; the cookie contains no secret
		Name: shownCookie, Value: newest, Path: c.home(), HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: c.base.Scheme == "https",
	})
}

// shownMessage returns the id of the newest message that the browser showed, or an empty string if it is not known.
func (c *call) shownMessage() string {
	cookie, err := c.r.Cookie(shownCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// showMessage returns a message as the guest sees it.
func (c linkCall) showMessage(l *i18n.Language, m lost.ThreadMessage) threadMessage {
	at := m.At.In(c.place.Zone())
	when := l.Say("message.when", "day", l.Date(at.Format(lost.DateLayout)), "time", l.Time(at.Format(lost.TimeLayout)))
	out := threadMessage{Who: c.place.Name, When: when, Text: m.Text, Mine: m.From == lost.FromGuest}
	if out.Mine {
		out.Who, out.Seen = l.Say("guest.thread.you"), l.Say("guest.thread.unseen")
		if !m.SeenAt.IsZero() {
			out.Seen = l.Say("guest.thread.seen")
		}
	}
	for _, image := range m.Images {
		out.Photos = append(out.Photos, photo{
			Small: respond.SmallImage(image, lost.ThumbnailSide), Set: respond.SrcSet(image, lost.ThumbnailSide),
			Full: filePath(image.File),
		})
	}
	return out
}

// seeMessages records that the guest has seen the messages of the location. The script of the page calls it, because
// mail servers and programs open links that nobody has followed yet.
func (c linkCall) seeMessages() error {
	if err := c.openLink(); err != nil {
		return err
	}
	values, err := c.form()
	if err != nil {
		return err
	}
	if !c.byStaff() {
		if err := c.services.Threads.SeeAsGuest(c.r.Context(), c.token, values.Get("newest")); err != nil {
			return err
		}
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// writeMessage sends a message from the guest to the location's desk.
func (c linkCall) writeMessage() error {
	if err := c.openLink(); err != nil {
		return err
	}
	form, err := c.uploadOf(lost.MaxThreadImages)
	if err != nil {
		return err
	}
	d := desk.Draft{Via: lost.ViaPage, NextPhoto: form.nextPhoto, Seen: form.values.Get("newest")}
	d.Text = respond.FormText(form.values, "text")
	d.ExternalID, d.FromForm = form.values.Get("once"), true
	err = c.services.Threads.WriteAsGuest(c.r.Context(), c.token, d)
	c.drain()
	if err == nil {
		return c.redirect(c.home() + "?written=1#messages")
	}
	problems, ok := formProblems(err, form)
	if !ok && lost.ReasonOf(err) == lost.LimitReached {
		problems.Add("", "wait", "cannot be sent now; try again later")
		ok = true
	}
	if !ok {
		return c.showResult(err, nil)
	}
	for n := range problems {
		if problems[n].Field == photoField {
			problems[n].Field = attachmentField
		}
	}
	c.written, c.writeProblems = form.values, problems
	status := statusOf(err)
	if status < http.StatusBadRequest {
		status = http.StatusUnprocessableEntity
	}
	if c.visit, err = c.services.Guests.Visit(c.r.Context(), c.token); err != nil {
		return err
	}
	return c.present(status, "", false)
}
