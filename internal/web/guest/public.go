package guest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// publicPage shows a location, and takes reports of what was lost there.
type publicPage struct {
	page
	Action, Stamp, Trap string
	What, Who           []*input
	Picture             *input
}

// trapField is a field that people do not see. Robots fill it in.
const trapField = "homepage"

// location is a location's public page.
func (c *call) location() error {
	if err := c.locate(); err != nil {
		return err
	}
	return c.reportForm(http.StatusOK, c.stamps.make(c.place.ID, c.now()), nil, nil)
}

func (c *call) reportForm(status int, stamp string, values url.Values, found lost.Problems) error {
	l := c.language()
	p := publicPage{
		page: c.page(l.Say("public.title", "location", c.place.Name)), Action: c.publicPath(""), Stamp: stamp, Trap: trapField,
		Picture: photoInput(l, l.Say("public.photo")),
	}
	field := func(name, label, hint, kind string, most int) *input {
		return &input{Name: name, Label: label, Hint: hint, Type: kind, Value: values.Get(name), most: most}
	}
	what := field("description", l.Say("public.what"), l.Say("public.what.hint"), "area", lost.MaxDescription)
	where := field("lostPlace", l.Say("public.where"), l.Say("public.where.hint"), "text", lost.MaxPlace)
	when := field("lostDate", l.Say("public.when"), "", "date", 0)
	when.Max, when.Narrow = c.place.Day(c.now()), true
	proof := field("proof", l.Say("public.proof"), l.Say("public.proof.hint", "location", c.place.Name), "area", lost.MaxDescription)
	first := field("owner.firstName", l.Say("public.first"), "", "text", lost.MaxName)
	last := field("owner.lastName", l.Say("public.last"), "", "text", lost.MaxName)
	mail := field("owner.email", l.Say("public.email"), "", "email", lost.MaxEmail)
	phone := field("owner.phone", l.Say("public.phone"), l.Say("public.phone.hint"), "tel", 0)
	first.Autocomplete, last.Autocomplete = "given-name", "family-name"
	mail.Autocomplete, mail.Keyboard = "email", "email"
	phone.Autocomplete, phone.Keyboard = "tel", "tel"
	mail.Either, phone.Either = true, true
	optional := l.Say("guest.form.optional")
	where.Optional, when.Optional, proof.Optional, first.Optional, last.Optional = optional, optional, optional, optional, optional
	p.What, p.Who = []*input{what, where, when, proof}, []*input{first, last, mail, phone}
	p.Problems = judge(l, slices.Concat(p.What, p.Who, []*input{p.Picture}), found, facts{location: *c.place, wait: c.minutes()})
	return c.write(status, "location", p)
}

// report files what was reported.
func (c *call) report() error {
	if err := c.locate(); err != nil {
		return err
	}
	form, err := c.upload()
	if err != nil {
		return err
	}
	giveBack, err := c.desk.TakeReport(c.r.Context(), respond.ClientOf(c.r))
	if e, ok := errors.AsType[*lost.Error](err); ok && e.Code == lost.TooMany {
		c.drain()
		return c.refuseReport(form, c.tooMany(e.Wait))
	}
	if err != nil {
		return err
	}
	if form.values.Get(trapField) != "" { // as if it had worked
		c.drain()
		return c.see(c.publicPath("/thanks/" + c.stamps.decoy()))
	}
	token, filed, err := c.file(form)
	c.drain()
	if !filed {
		if kept := giveBack(context.WithoutCancel(c.r.Context())); kept != nil { // of which the guest need not hear
			respond.Note(c.w, slog.Any("notGivenBack", kept))
		}
	}
	if err != nil {
		return c.refuseReport(form, err)
	}
	return c.see(c.publicPath("/thanks/" + token))
}

// file files a report, once: filed is false where it was filed before.
func (c *call) file(form *upload) (token string, filed bool, err error) {
	stamp, get := form.values.Get("stamp"), func(name string) lost.Field[string] { return respond.Typed(form.values, name) }
	if age, ours := c.stamps.age(stamp, c.place.ID, c.now()); !ours || age < youngest || age > oldest {
		var p lost.Problems
		p.Add("", "send-again", "must be sent once more")
		return "", false, p.Err()
	}
	p := lost.RequestPatch{
		Description: get("description"), LostPlace: get("lostPlace"), LostDate: get("lostDate"), Proof: get("proof"), Language: lost.Set(c.language().Tag()),
		Owner: lost.Set(lost.OwnerPatch{FirstName: get("owner.firstName"), LastName: get("owner.lastName"), Email: get("owner.email"), Phone: get("owner.phone")}),
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %t", form.values.Encode(), form.photo != nil)) // the stamp is part of it, so it is this very form
	once := hex.EncodeToString(sum[:])
	r, err := c.desk.Report(c.r.Context(), *c.place, p, form.photo, lost.IdempotencyKey{Key: once, Request: once})
	return r.Token, r.First && err == nil, err
}

// refuseReport shows the form again with what was typed, and says what is wrong.
func (c *call) refuseReport(form *upload, err error) error {
	found, about := c.formProblems(err, form)
	if !about {
		return err
	}
	stamp := form.values.Get("stamp")
	if age, ours := c.stamps.age(stamp, c.place.ID, c.now()); !ours || age > oldest { // one that is only young grows old by itself
		stamp = c.stamps.make(c.place.ID, c.now())
	}
	return c.reportForm(statusOf(err), stamp, form.values, found)
}

// formProblems turns an error into problems of the fields of a form with a photo; false for one that is about neither.
// A photo that came along is not kept, and has to be chosen again.
func (c *call) formProblems(err error, form *upload) (lost.Problems, bool) {
	found, about := photoProblem(err)
	if !about {
		return nil, false
	}
	if form.photo != nil && !found.Has(photoField) {
		found.Add(photoField, "choose-again", "must be chosen again")
	}
	return found, true
}

// statusOf is the status of a form that is shown again.
func statusOf(err error) int { return respond.Status(lost.CodeOf(err)) }

// thanksPage tells a claimant that the report is filed, and what happens next.
type thanksPage struct {
	page
	Reference, Text, Follow, Again string
}

// thanks is shown after a report.
func (c *call) thanks() error {
	if err := c.locate(); err != nil {
		return err
	}
	place := c.place
	c.w.Header().Set("Cache-Control", "no-store")
	c.w.Header().Set("X-Robots-Tag", "noindex, nofollow")
	if c.token = c.r.PathValue("token"); c.stamps.isDecoy(c.token) {
		c.visit.Item = lost.Item{Reference: lost.NewReference()}
	} else if err := c.follow(); err != nil || c.visit.Item.Source != lost.Request || c.visit.Location.ID != place.ID {
		return orMissing(err)
	}
	l, i := c.language(), c.visit.Item
	p := thanksPage{page: c.page(l.Say("public.thanks.title")), Reference: i.Reference, Follow: c.home(), Again: c.publicPath("")}
	switch to := i.Owner.Address(); {
	case to == "":
		p.Text = l.Say("public.thanks.text", "location", place.Name)
	case c.desk.Writes(i.Owner) && i.Owner.Email != "": // a text message is not sent before the desk has read it
		p.Text = l.Say("public.thanks.text.to", "location", place.Name, "address", to)
	default:
		p.Text = l.Say("public.thanks.text.keep", "location", place.Name)
	}
	return c.write(http.StatusOK, "thanks", p)
}

func orMissing(err error) error {
	if err == nil {
		return lost.Missing("page")
	}
	return err
}

// embedScript is what another site loads to show the form as a part of its page.
func (c *call) embedScript() error {
	if err := c.locate(); err != nil {
		return err
	}
	title, err := json.Marshal(c.language().Say("public.title", "location", c.place.Name))
	if err != nil {
		return err
	}
	script, err := files.ReadFile("embed.js")
	if err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	_, _ = c.w.Write(bytes.Replace(script, []byte(`"TITLE"`), title, 1)) // a browser that left is no error of ours
	return nil
}
