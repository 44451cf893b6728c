package guest

import (
	"net/http"
	"net/url"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// requestPage shows a claimant the state of their request.
type requestPage struct {
	page
	Thing         thing
	Status, Class string
	Text          string
	Reason        string
	Again         string // the path at which to file a new report
	Open          bool   // the claimant can add details
	Question      string // a question from staff
	Details       *input
	Picture       *input
	AddTo         string
	Tracker       *trackerForm // nil if the request is closed
	FoundIt       string
}

// presentRequest shows the state of a request. If the guest submitted invalid details, values and problems are those
// of the submitted form.
func (c linkCall) presentRequest(status int, notice string, values url.Values, problems lost.Problems) error {
	l, i := c.language(), c.visit.Item
	p := requestPage{page: c.page(""), Thing: showThing(l, i), Class: "done"}
	p.Notice = notice
	name := c.place.Name
	answer, err := c.services.Requests.Answer(c.r.Context(), i)
	if err != nil {
		return err
	}
	switch state := i.Claim.State; {
	case (state == lost.RequestMatched || state == lost.RequestRejected) && answer == desk.AnswerOpen:
		p.Class = "waiting"
		p.Status, p.Title = l.Say("guest.request.pending"), l.Say("guest.request.pending.title", "location", name)
		p.Text = l.Say("guest.request.pending.text", "location", name)
	case state == lost.RequestMatched:
		p.Status, p.Title = l.Say("guest.request.matched"), l.Say("guest.request.matched.title", "location", name)
		p.Text = matchedText(l, answer, name)
		if answer == desk.AnswerGone {
			p.Title, p.Class = l.Say("guest.request.gone.title", "location", name), "over"
		}
	case state == lost.RequestRejected:
		p.Status, p.Title = l.Say("guest.request.rejected"), l.Say("guest.request.rejected.title", "location", name)
		p.Text, p.Reason = l.Say("guest.request.rejected.text", "location", name), i.Claim.Reason
		p.Again, p.Class = p.Place.Path, "over"
	case state == lost.RequestWithdrawn:
		p.Status, p.Title = l.Say("guest.request.withdrawn"), l.Say("guest.request.withdrawn.title")
		p.Text = l.Say("guest.request.withdrawn.text", "location", name)
	default:
		p.Open, p.Collects, p.Class = true, true, "waiting"
		p.Question = i.Claim.Question
		p.Status, p.Title = l.Say("guest.request.pending"), l.Say("guest.request.pending.title", "location", name)
		p.Text = l.Say("guest.request.pending.text", "location", name)
		hint, err := c.services.Suggestions.Hint(c.r.Context(), *c.place, i)
		if err != nil {
			return err
		}
		if hint {
			p.Text = l.Say("guest.request.maybe", "location", name)
		}
		p.AddTo, p.FoundIt = c.home()+"/details", c.home()+"/found"
		p.Details = &input{
			Name: "details", Label: l.Say("guest.request.details"), Type: "area", Value: values.Get("details"),
			maxLength: lost.MaxAdded,
		}
		p.Picture = photoInput(l, l.Say("guest.request.photo"))
		p.Tracker = c.trackerForm(l, i, values)
		inputs := []*input{p.Details, p.Picture, p.Tracker.Link}
		p.Problems = assignProblems(l, inputs, problems, problemContext{})
	}
	if err := c.addConversation(&p.page); err != nil {
		return err
	}
	return c.write(status, "request", p)
}

// Asked reports whether the claimant should rather answer a message than add details.
func (p requestPage) Asked() bool {
	return p.Conversation != nil && p.Conversation.Asked && p.Conversation.Form != ""
}

// matchedText tells a claimant whose item was found how to get it back. Anybody's e-mail address can be entered in a
// report, so only the person who receives the e-mail may see the found item.
func matchedText(l *i18n.Language, answer desk.ClaimAnswer, location string) string {
	switch answer {
	case desk.AnswerNotNotified:
		return l.Say("guest.request.untold", "location", location)
	case desk.AnswerCollected:
		return l.Say("guest.request.collected", "location", location)
	case desk.AnswerGone:
		return l.Say("guest.request.gone.text", "location", location)
	default:
		return l.Say("guest.request.matched.mail", "location", location)
	}
}

// photoInput returns the field for a photo.
func photoInput(l *i18n.Language, label string) *input {
	return &input{
		Name: photoField, Label: label, Hint: l.Say("public.photo.hint"), Type: "file",
		Optional: true,
	}
}

// addDetails adds a claimant's text and photo to the request.
func (c linkCall) addDetails() error {
	if err := c.openLink(); err != nil {
		return err
	}
	form, err := c.upload()
	if err != nil {
		return err
	}
	_, err = c.services.Guests.AddToRequest(c.r.Context(), c.token, respond.FormText(form.values, "details"),
		form.photo)
	c.drain()
	if err == nil {
		return c.redirect(c.home() + "?added=1")
	}
	if form.photo != nil && len(c.visit.Item.Images) >= lost.MaxClaimImages {
		var p lost.Problems
		p.Add(photoField, "too-many", "cannot be added: there are too many photos")
		return c.presentRequest(http.StatusConflict, "", form.values, p)
	}
	if problems, ok := formProblems(err, form); ok {
		return c.presentRequest(statusOf(err), "", form.values, problems)
	}
	return c.showResult(err, nil)
}

// withdraw closes the request of a claimant who has found the item.
func (c linkCall) withdraw() error {
	if err := c.openLink(); err != nil {
		return err
	}
	_, err := c.services.Guests.WithdrawRequest(c.r.Context(), c.token)
	return c.showResult(err, nil)
}
