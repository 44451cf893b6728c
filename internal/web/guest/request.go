package guest

import (
	"net/http"
	"net/url"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// requestPage tells a claimant what became of a request.
type requestPage struct {
	page
	Thing      thing
	Word, Mood string
	Text       string
	Reason     string
	Again      string // where to report it once more
	Open       bool   // more can be said
	Question   string // that the desk asked
	Details    *input
	Picture    *input
	AddTo      string
	FoundIt    string
}

// presentRequest shows how a request stands. values and found are those of an addition that was not taken.
func (c *call) presentRequest(status int, notice string, values url.Values, found lost.Problems) error {
	l, i := c.language(), c.visit.Item
	p := requestPage{page: c.page(""), Thing: showThing(l, i), Mood: "done"}
	p.Notice = notice
	name := c.place.Name
	switch i.Claim.State {
	case lost.RequestMatched:
		p.Word, p.Title = l.Say("guest.request.matched"), l.Say("guest.request.matched.title", "location", name)
		// Whoever reports something names any address. The page of the item that was found is for who reads the mail there.
		p.Text = l.Say("guest.request.matched.mail", "location", name)
	case lost.RequestRejected:
		p.Word, p.Title = l.Say("guest.request.rejected"), l.Say("guest.request.rejected.title", "location", name)
		p.Text, p.Reason = l.Say("guest.request.rejected.text", "location", name), i.Claim.Reason
		p.Again, p.Mood = p.Place.Path, "over"
	case lost.RequestWithdrawn:
		p.Word, p.Title = l.Say("guest.request.withdrawn"), l.Say("guest.request.withdrawn.title")
		p.Text = l.Say("guest.request.withdrawn.text", "location", name)
	default:
		p.Open, p.Mood, p.Question = true, "waiting", i.Claim.Question
		p.Word, p.Title = l.Say("guest.request.pending"), l.Say("guest.request.pending.title", "location", name)
		p.Text = l.Say("guest.request.pending.text", "location", name)
		p.AddTo, p.FoundIt = c.home()+"/details", c.home()+"/found"
		p.Details = &input{Name: "details", Label: l.Say("guest.request.details"), Type: "area", Value: values.Get("details"), most: lost.MaxAdded}
		p.Picture = photoInput(l, l.Say("guest.request.photo"))
		p.Problems = judge(l, []*input{p.Details, p.Picture}, found, facts{})
	}
	return c.write(status, "request", p)
}

// photoInput is the field for a photo.
func photoInput(l *i18n.Language, label string) *input {
	return &input{Name: photoField, Label: label, Hint: l.Say("public.photo.hint"), Type: "file", Optional: l.Say("guest.form.optional")}
}

// addDetails takes a claimant's words and photo.
func (c *call) addDetails() error {
	if err := c.follow(); err != nil {
		return err
	}
	form, err := c.upload()
	if err != nil {
		return err
	}
	_, err = c.desk.AddToRequest(c.r.Context(), c.token, respond.Typed(form.values, "details"), form.photo)
	c.drain()
	if err != nil && form.photo != nil && len(c.visit.Item.Images) >= lost.MaxClaimImages {
		var p lost.Problems
		p.Add(photoField, "too-many", "is one too many")
		return c.presentRequest(http.StatusConflict, "", form.values, p)
	}
	if err != nil {
		if found, about := c.formProblems(err, form); about {
			return c.presentRequest(statusOf(err), "", form.values, found)
		}
	}
	if err == nil {
		return c.see(c.home() + "?added=1")
	}
	return c.afterwards(err, nil)
}

// withdraw takes the news that the claimant has it again.
func (c *call) withdraw() error {
	if err := c.follow(); err != nil {
		return err
	}
	_, err := c.desk.WithdrawRequest(c.r.Context(), c.token)
	return c.afterwards(err, nil)
}
