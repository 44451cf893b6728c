package guest

import (
	"net/http"
	"net/url"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// trackerField is the name of the field for the share link of a tracker.
const trackerField = "trackerLink"

// trackerInput returns the field for the share link of a tracker.
func trackerInput(l *i18n.Language) *input {
	return &input{
		Name: trackerField, Label: l.Say("public.tracker"), Hint: l.Say("public.tracker.hint"), Optional: true,
		Type: "url", Keyboard: "url", maxLength: lost.MaxURL,
	}
}

// trackerForm is the part of a claimant's page with which they share the link of a tracker, replace or remove it. It
// names the service behind a shared link, but never shows the link.
type trackerForm struct {
	Action string
	Shared string // what is shared and until when; empty if nothing is
	Open   bool   // the form is shown at once
	Link   *input
}

func (c linkCall) trackerForm(l *i18n.Language, i lost.Item, values url.Values) *trackerForm {
	f := &trackerForm{Action: c.home() + "/tracker", Link: trackerInput(l)}
	f.Link.Optional, f.Link.Value = false, values.Get(trackerField)
	f.Open = f.Link.Value != ""
	if link := i.Claim.Tracker(c.now()); link != "" {
		until := i.Claim.TrackerUntil.In(c.place.Zone())
		f.Shared = l.Say("guest.tracker.is-shared", "service", lost.TrackerServiceName(link),
			"location", c.place.Name, "day", l.Date(until.Format(lost.DateLayout)),
			"time", l.Time(until.Format(lost.TimeLayout)))
	}
	return f
}

// shareTracker shares the link of a tracker with the location, or removes it.
func (c linkCall) shareTracker() error {
	if err := c.openLink(); err != nil {
		return err
	}
	values, err := c.form()
	if err != nil {
		return err
	}
	link, done := respond.FormText(values, trackerField), "?tracker=shared"
	if values.Get("remove") != "" {
		link, done = lost.Clear[string](), "?tracker=removed"
	}
	if _, err = c.services.Guests.ShareTracker(c.r.Context(), c.token, link); err == nil {
		return c.redirect(c.home() + done)
	}
	return c.showResult(err, func(problems lost.Problems) error {
		return c.presentRequest(http.StatusUnprocessableEntity, "", values, problems)
	})
}
