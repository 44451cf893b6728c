package guest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// publicPage shows a location and a form to report a lost item.
type publicPage struct {
	page
	Action, FormToken, Trap string
	ItemInputs, OwnerInputs []*input
	Picture                 *input
	Register                string // the path of the public register; empty if the location has none
	Claim                   string // which find of the register the visitor claims; empty if none
	FindField, Find         string // the hidden field with the token of that find
	Hours                   []openDay
	Window                  string   // the hours of every day, if there are no opening hours
	Closures                []string // the next days on which the location is closed
}

// trapField is a hidden field that people do not see but bots fill in (a honeypot).
const trapField = "homepage"

// location shows a location's public page.
func (c publicCall) location() error {
	if err := c.loadLocation(); err != nil {
		return err
	}
	asked := url.Values{findField: {c.r.URL.Query().Get(findField)}}
	return c.reportForm(http.StatusOK, c.formTokens.issue(c.place.ID, c.now()), asked, nil)
}

func (c publicCall) reportForm(status int, token string, values url.Values, problems lost.Problems) error {
	l := c.language()
	p := publicPage{
		page: c.page(l.Say("public.title", "location", c.place.Name)), Action: c.publicPath(""),
		FormToken: token, Trap: trapField,
		ItemInputs: c.itemInputs(l), OwnerInputs: ownerInputs(l), Picture: photoInput(l, l.Say("public.photo")),
	}
	p.Collects = true
	if c.place.PublicRegister {
		p.Register = c.publicPath("/found")
	}
	if err := c.addClaim(&p, values); err != nil {
		return err
	}
	for _, i := range slices.Concat(p.ItemInputs, p.OwnerInputs) {
		i.Value = values.Get(i.Name)
	}
	p.addHours(*c.place, c.now())
	about := problemContext{location: *c.place, wait: c.minutesToWait()}
	p.Problems = assignProblems(l, slices.Concat(p.ItemInputs, p.OwnerInputs, []*input{p.Picture}), problems, about)
	return c.write(status, "location", p)
}

// itemInputs returns the fields about the lost item.
func (c publicCall) itemInputs(l *i18n.Language) []*input {
	return []*input{
		{
			Name: "description", Label: l.Say("public.what"), Hint: l.Say("public.what.hint"),
			Type: "area", maxLength: lost.MaxDescription,
		},
		{
			Name: "category", Label: l.Say("public.category"), Optional: true, Type: "list",
			Options: categoryOptions(l),
		},
		{
			Name: "lostPlace", Label: l.Say("public.where"), Hint: l.Say("public.where.hint"), Optional: true,
			Type: "text", maxLength: lost.MaxPlace,
		},
		{
			Name: "lostDate", Label: l.Say("public.when"), Optional: true,
			Type: "date", Max: c.place.Day(c.now()), Narrow: true,
		},
		{
			Name: "serialNumber", Label: l.Say("public.serial"), Hint: l.Say("public.serial.hint"), Optional: true,
			Type: "text", maxLength: lost.MaxShort,
		},
		{
			Name: "proof", Label: l.Say("public.proof"), Optional: true,
			Hint: l.Say("public.proof.hint", "location", c.place.Name), Type: "area", maxLength: lost.MaxDescription,
		},
		trackerInput(l),
	}
}

// categoryOptions lists the categories of items by name.
func categoryOptions(l *i18n.Language) (options []i18n.Country) {
	for _, c := range i18n.SortCategories(l, lost.Categories()) {
		options = append(options, i18n.Country{Code: string(c), Name: l.Say("common.category." + string(c))})
	}
	return options
}

// ownerInputs returns the fields about the person who reports the item. An e-mail address or a phone number is
// required.
func ownerInputs(l *i18n.Language) []*input {
	inputs := []*input{
		{
			Name: "owner.firstName", Label: l.Say("public.first"), Optional: true,
			Type: "text", Autocomplete: "given-name", maxLength: lost.MaxName,
		},
		{
			Name: "owner.lastName", Label: l.Say("public.last"), Optional: true,
			Type: "text", Autocomplete: "family-name", maxLength: lost.MaxName,
		},
		{
			Name: "owner.email", Label: l.Say("public.email"), Either: true,
			Type: "email", Autocomplete: "email", Keyboard: "email", maxLength: lost.MaxEmail,
		},
		{
			Name: "owner.phone", Label: l.Say("public.phone"), Hint: l.Say("public.phone.hint"), Either: true,
			Type: "tel", Autocomplete: "tel", Keyboard: "tel",
		},
	}
	i18n.ArrangeFields(l, inputs, func(i *input) string { return i.Name })
	return inputs
}

// report files a report.
func (c publicCall) report() error {
	if err := c.loadLocation(); err != nil {
		return err
	}
	// The limits come before the form is read: reading a photo takes a connection, bandwidth and disk space.
	if _, wait := c.formsByClient.Take(respond.ClientNetwork(c.r)); wait > 0 {
		return c.tooManyRequests(wait)
	}
	refund, throttled := c.services.Requests.ThrottleReport(c.r.Context(), *c.place, desk.Reporter{
		Client: respond.ClientNetwork(c.r), Network: respond.ClientSubnet(c.r),
	})
	if throttled != nil && lost.CodeOf(throttled) != lost.TooMany {
		return throttled
	}
	form, err := c.upload()
	if err == nil && throttled != nil {
		return c.refuseThrottled(form, throttled)
	}
	if throttled != nil {
		return err
	}
	if err == nil && form.values.Get(trapField) != "" { // a bot: respond as if the report had been filed
		c.drain()
		return c.redirect(c.publicPath("/thanks/" + c.formTokens.decoy()))
	}
	var filed desk.Reported
	if err == nil {
		filed, err = c.file(form)
		c.drain()
	}
	if !filed.First && !filed.Decoded {
		// Nothing was filed or decoded, so the request must not count against the client's rate limit. If this fails,
		// the guest still gets the normal response.
		if err := refund(context.WithoutCancel(c.r.Context())); err != nil {
			respond.AddLogAttrs(c.w, slog.Any("notGivenBack", err))
		}
	}
	switch {
	case err == nil:
		return c.redirect(c.publicPath("/thanks/" + filed.Token))
	case form == nil:
		return err
	default:
		return c.refuseReport(form, err)
	}
}

// refuseThrottled responds to a client that has sent too many reports. If the form was already filed, it shows the
// confirmation. Otherwise it shows the form again, so that the visitor does not lose the text. The photo is not
// decoded.
func (c publicCall) refuseThrottled(form *upload, throttled error) error {
	if age, valid := c.formTokens.age(form.values.Get("stamp"), c.place.ID, c.now()); valid && age <= maxFormAge {
		filed, err := c.services.Requests.FindReport(c.r.Context(), *c.place, form.photo, formKey(form))
		if err == nil && filed.Token != "" {
			c.drain()
			return c.redirect(c.publicPath("/thanks/" + filed.Token))
		}
		if lost.CodeOf(err) == lost.Conflict { // another report, which needs a new token
			form.values.Del("stamp")
		}
	}
	c.drain()
	var wait time.Duration
	if e, ok := errors.AsType[*lost.Error](throttled); ok {
		wait = e.Wait
	}
	return c.refuseReport(form, c.tooManyRequests(wait))
}

// formKey returns the idempotency key of a form: each form token files one report. The digest of the request covers
// all fields as they were sent. The digest of the photo is added when the photo is read.
func formKey(form *upload) lost.IdempotencyKey {
	fields := maps.Clone(form.values)
	fields.Del("stamp")
	stamp, content := sha256.Sum256([]byte(form.values.Get("stamp"))), sha256.Sum256([]byte(fields.Encode()))
	return lost.IdempotencyKey{
		Key: "report " + hex.EncodeToString(stamp[:]), Request: "report " + hex.EncodeToString(content[:]),
	}
}

// file files a report. If the same form was filed before, it returns the first report. The error is a Conflict if the
// form token was used for another report.
func (c publicCall) file(form *upload) (r desk.Reported, err error) {
	age, valid := c.formTokens.age(form.values.Get("stamp"), c.place.ID, c.now())
	if !valid || age < minFormAge || age > maxFormAge {
		var p lost.Problems
		p.Add("", "send-again", "must be sent again")
		return r, p.Err()
	}
	get := func(name string) lost.Field[string] { return respond.FormText(form.values, name) }
	p := lost.RequestPatch{
		Description: get("description"), LostPlace: get("lostPlace"), LostDate: get("lostDate"), Proof: get("proof"),
		TrackerLink: get("trackerLink"), RegisterItemID: c.claimedItem(form.values.Get(findField)),
		Category: get("category"), SerialNumber: get("serialNumber"),
		Language: lost.Set(c.language().Tag()),
		Owner: lost.Set(lost.OwnerPatch{
			FirstName: get("owner.firstName"), LastName: get("owner.lastName"),
			Email: get("owner.email"), Phone: get("owner.phone"),
		}),
	}
	return c.services.Requests.Report(c.r.Context(), *c.place, p, form.photo, formKey(form))
}

// refuseReport shows the form again with the submitted values and what is wrong with them. A form whose token was used
// for another report gets a new token, so that the visitor can send it as a second report.
func (c publicCall) refuseReport(form *upload, err error) error {
	if lost.CodeOf(err) == lost.Conflict {
		form.values.Del("stamp")
	}
	problems, ok := reportProblems(err, form)
	if !ok {
		return err
	}
	token := form.values.Get("stamp")
	// A token that is too new is kept, because it becomes valid while the visitor corrects the form.
	if age, valid := c.formTokens.age(token, c.place.ID, c.now()); !valid || age > maxFormAge {
		token = c.formTokens.issue(c.place.ID, c.now())
	}
	return c.reportForm(statusOf(err), token, form.values, problems)
}

// reportProblems is formProblems for the form on a public page, whose conflicts come from a used form token.
func reportProblems(err error, form *upload) (lost.Problems, bool) {
	if lost.CodeOf(err) == lost.Conflict {
		var p lost.Problems
		p.Add("", "already-sent", "was already sent")
		err = p.Err()
	}
	return formProblems(err, form)
}

// formProblems converts an error into field errors of a form with a photo. It returns false if the error does not
// concern a field. The uploaded photo is not stored, so the visitor has to choose it again.
func formProblems(err error, form *upload) (lost.Problems, bool) {
	problems, ok := photoProblem(err)
	if !ok {
		return nil, false
	}
	if form.photo != nil && !problems.Has(photoField) {
		problems.Add(photoField, "choose-again", "must be chosen again")
	}
	return problems, true
}

// statusOf returns the HTTP status of a form that is shown again.
func statusOf(err error) int { return respond.Status(lost.CodeOf(err)) }

// thanksPage confirms a report and says what happens next.
type thanksPage struct {
	page
	Reference, Text, Follow, Again string
}

// thanks serves the page after a report.
func (c publicCall) thanks() error {
	if err := c.loadLocation(); err != nil {
		return err
	}
	place := c.place
	c.w.Header().Set("Cache-Control", "no-store")
	c.w.Header().Set("X-Robots-Tag", "noindex, nofollow")
	c.token = c.r.PathValue("token")
	if c.formTokens.isDecoy(c.token) {
		c.visit.Item = lost.Item{Reference: lost.NewReference()}
	} else {
		if err := c.openLink(); err != nil {
			return err
		}
		if c.visit.Item.Source != lost.Request || c.visit.Location.ID != place.ID {
			return lost.Missing("page")
		}
	}
	l, i := c.language(), c.visit.Item
	p := thanksPage{
		page: c.page(l.Say("public.thanks.title")), Reference: i.Reference, Follow: c.home(), Again: c.publicPath(""),
	}
	switch to := i.Owner.Address(); {
	case to == "":
		p.Text = l.Say("public.thanks.text", "location", place.Name)
	case c.services.Messages.SendsTo(i.Owner) && i.Owner.Email != "":
		// Only e-mails are sent immediately: staff read a report before the claimant gets an SMS.
		p.Text = l.Say("public.thanks.text.to", "location", place.Name, "address", to)
	default:
		p.Text = l.Say("public.thanks.text.keep", "location", place.Name)
	}
	return c.write(http.StatusOK, "thanks", p)
}

// embedScript serves the script that other sites include to embed the form.
func (c publicCall) embedScript() error {
	if err := c.loadLocation(); err != nil {
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
	// The error is ignored: it only means that the browser has disconnected.
	_, _ = c.w.Write(bytes.Replace(script, []byte(`"TITLE"`), title, 1))
	return nil
}
