package requests

import (
	"cmp"
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// filePage is the form with which the desk enters a lost report for a guest.
type filePage struct {
	frame.Page
	Once   string
	Photos string // error messages about the photos
	Picker frame.PhotoPicker
	Inputs []*frame.Input
}

func requestInputs(lang frame.Locale, values url.Values, today string) []*frame.Input {
	v := values.Get
	return frame.ArrangeInputs(lang, []*frame.Input{
		{
			Name: "description", Label: lang.Say("requests.new.what"), Type: "area", Value: v("description"),
			Required: true, Focus: true, Hint: lang.Say("requests.new.what.hint"),
		},
		{Name: "lostPlace", Label: lang.Say("requests.where"), Type: "text", Value: v("lostPlace")},
		{
			Name: "lostDate", Label: lang.Say("requests.when"), Type: "date", Value: v("lostDate"), Max: today,
			Narrow: true,
		},
		{
			Name: "proof", Label: lang.Say("requests.proof"), Type: "area", Value: v("proof"),
			Hint: lang.Say("requests.proof.hint"),
		},
		{
			Name: "trackerLink", Label: lang.Say("requests.tracker"), Type: "url", Value: v("trackerLink"),
			Hint: lang.Say("requests.tracker.hint"),
		},
		lang.CategoryInput(v("category")),
		{Name: "serialNumber", Label: lang.FieldLabel("serialNumber"), Type: "text", Value: v("serialNumber")},
		{Name: "brand", Label: lang.FieldLabel("brand"), Type: "text", Value: v("brand")},
		{Name: "model", Label: lang.FieldLabel("model"), Type: "text", Value: v("model")},
		{Name: "color", Label: lang.FieldLabel("color"), Type: "text", Value: v("color")},
		{Name: "owner.firstName", Label: lang.Say("requests.new.first"), Type: "text", Value: v("owner.firstName")},
		{Name: "owner.lastName", Label: lang.Say("requests.new.last"), Type: "text", Value: v("owner.lastName")},
		{
			Name: "owner.email", Label: lang.Say("requests.new.email"), Type: "email", Value: v("owner.email"),
			Hint: lang.Say("requests.new.email.hint"),
		},
		{
			Name: "owner.phone", Label: lang.Say("requests.new.phone"), Type: "tel", Value: v("owner.phone"),
			Hint: lang.Say("requests.new.phone.hint"),
		},
	})
}

func (c *call) askRequest() error { return c.showRequestForm(http.StatusOK, url.Values{}, nil) }

func (c *call) showRequestForm(status int, values url.Values, wrong error) error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	p := filePage{
		Page:   c.NewPage(c.Say("requests.new"), "photos.js", "category.js", "request.js"),
		Once:   cmp.Or(values.Get("once"), frame.NewFormKey()),
		Inputs: requestInputs(c.Locale, values, l.Day(c.Now())), Picker: frame.NewPhotoPicker(),
	}
	photos := &frame.Input{Name: p.Picker.Name, Label: c.Say("frame.photos")}
	if p.Problems, err = c.MarkErrors(append([]*frame.Input{photos}, p.Inputs...), wrong); err != nil {
		return err
	}
	if p.Photos = photos.Error; p.Photos != "" {
		p.Picker.Described += " photo-error"
	}
	return c.Render(status, "request-new", p)
}

func (c *call) fileRequest() error {
	values, photos, done, err := c.ReadPhotoForm()
	if err != nil {
		return err
	}
	defer done()
	l, err := c.Location()
	if err != nil {
		return err
	}
	typed := func(name string) lost.Field[string] { return respond.FormText(values, name) }
	i, err := c.Services.Requests.File(c.Context(), c.Actor(), l.ID, lost.RequestPatch{
		Description: typed("description"), LostPlace: typed("lostPlace"), LostDate: typed("lostDate"),
		Proof: typed("proof"), TrackerLink: typed("trackerLink"),
		Category: typed("category"), SerialNumber: typed("serialNumber"),
		Brand: typed("brand"), Model: typed("model"), Color: typed("color"),
		Owner: lost.Set(lost.OwnerPatch{
			FirstName: typed("owner.firstName"), LastName: typed("owner.lastName"), Email: typed("owner.email"),
			Phone: typed("owner.phone"),
		}),
	}, frame.FormKey(values, "request"))
	if lost.CodeOf(err) == lost.Invalid && c.WantsHTML() {
		err = photos.ChooseAgain(err)
		return c.showRequestForm(respond.RecordError(c.Writer, err), values, err)
	}
	if err != nil {
		return err
	}
	saved := c.Say("requests.new.done", "reference", i.Reference)
	if wrong := c.SavePhotos(i, values.Get("once"), photos); wrong != "" {
		c.FlashWarning(c.Sentences(saved, wrong))
	} else {
		c.Flash(saved)
	}
	at := frame.LocationPath(l.ID, "/requests/"+i.ID)
	if !c.WantsHTML() {
		return respond.JSON(c.Writer, http.StatusCreated, filedRequest{Href: at})
	}
	return c.Redirect(at)
}

// filedRequest is the JSON response to a script that filed a request.
type filedRequest struct {
	Href string `json:"href"`
}
