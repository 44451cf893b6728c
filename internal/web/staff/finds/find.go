package finds

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
	"homeward/internal/web/staff/stayform"
)

// findPage is the form to record a found item.
type findPage struct {
	frame.Page
	Once               string
	Location           *frame.Input // nil if there is only one location
	Description, Where frame.Input
	When               frame.Input
	Category           *frame.Input
	More               []*frame.Input
	Owner              []*frame.Input
	Finder             []*frame.Input
	Parcel             []*frame.Input
	Opened             bool   // the optional fields are expanded
	Photos             string // error messages about the photos
	Picker             frame.PhotoPicker
	Last               *recordedFind
	Again              *duplicateSend
	Suggest            desk.Suggestions
	Stays              *stayform.Form // nil if guests cannot be looked up
	Guest              frame.Input    // for errors about the chosen guest
}

// inputs returns all inputs, in the order in which the form shows them.
func (p *findPage) inputs() []*frame.Input {
	photos := &frame.Input{Name: "photo", Label: p.Locale.Say("finds.photos")}
	all := append([]*frame.Input{photos, &p.Description, p.Category, &p.Where, &p.When, &p.Guest}, p.More...)
	return slices.Concat(all, p.Owner, p.Finder, p.Parcel)
}

// hasExtras reports whether an optional field has a value. The unit of weight does not count, because it always has a
// value.
func (p *findPage) hasExtras() bool {
	return slices.ContainsFunc(slices.Concat(p.More, p.Owner, p.Finder, p.Parcel), func(i *frame.Input) bool {
		return i.Value != "" && i.Name != "shipping.weightUnit"
	})
}

// recordedFind is an item that was just saved.
type recordedFind struct {
	frame.ItemSummary
	Photos int
	CanSee bool
}

func (c *call) recordedFind(i lost.Item) recordedFind {
	return recordedFind{ItemSummary: c.SummarizeItem(i), Photos: len(i.Images), CanSee: c.May(lost.ViewItems)}
}

func (c *call) askFind() error {
	id := c.Request.URL.Query().Get("saved") // the item that the previous form saved, after "Save and next"
	if id == "" {
		return c.showFindForm(http.StatusOK, nil, nil, func(*findPage) {})
	}
	i, err := c.Services.Items.GetRecorded(c.Context(), c.Actor(), c.Request.PathValue("location"), id)
	if err != nil {
		return c.showFindForm(http.StatusOK, nil, nil, func(*findPage) {})
	}
	last := c.recordedFind(i)
	return c.showFindForm(http.StatusOK, url.Values{"discoveryPlace": {i.DiscoveryPlace}}, nil,
		func(p *findPage) { p.Last = &last })
}

// showFindForm renders the form. If a form was rejected, values contains the submitted values, and wrong is the
// reason.
func (c *call) showFindForm(status int, values url.Values, wrong error, add func(*findPage)) error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	p := newFindPage(c.Locale, values, l, l.Day(c.Now()))
	p.Page = c.NewPage(c.Say("frame.record"), "photos.js", "offline.js", "find.js", "category.js", "stays.js")
	p.ShowLocation = false // the form names the location
	if p.Location, err = c.locationInput(l); err != nil {
		return err
	}
	if err := c.addStays(&p, l, values); err != nil {
		return err
	}
	add(&p)
	if notice := c.NotSentText(lost.ByEmail); notice != "" {
		p.Owner[2].Hint = notice
	}
	if p.Suggest, err = c.Services.FormMemory.Suggest(c.Context(), c.Actor(), l.ID); err != nil {
		return err
	}
	p.Opened = p.hasExtras()
	inputs := p.inputs()
	if p.Problems, err = c.MarkErrors(inputs, wrong); err != nil {
		return err
	}
	if p.Photos = inputs[0].Error; p.Photos != "" {
		p.Picker.Described += " photo-error"
	}
	return c.Render(status, "find", p)
}

func newFindPage(lang frame.Locale, values url.Values, l lost.Location, today string) findPage {
	v := values.Get
	return findPage{
		Picker: frame.NewPhotoPicker(),
		Once:   cmp.Or(v("once"), frame.NewFormKey()),
		Description: frame.Input{
			Name: "description", Label: lang.Say("finds.what"), Type: "area", Value: v("description"), Required: true,
			Hint: lang.Say("finds.what.hint"),
		},
		Where: frame.Input{
			Name: "discoveryPlace", Label: lang.Say("finds.where"), Type: "text", Value: v("discoveryPlace"),
			List: "places", Autocomplete: "off",
		},
		When: frame.Input{
			Name: "discoveryDate", Label: lang.Say("finds.when"), Type: "date",
			Value: cmp.Or(v("discoveryDate"), today), Max: today, Narrow: true,
		},
		Category: lang.CategoryInput(v("category")),
		More:     detailInputs(lang, values, l),
		Owner:    ownerInputs(lang, values),
		Finder:   lang.FinderInputs(values),
		Parcel:   parcelInputs(lang, values, l),
		Guest:    frame.Input{Name: stayform.GuestField, Label: lang.Say("stays.who")},
	}
}

func detailInputs(lang frame.Locale, values url.Values, l lost.Location) []*frame.Input {
	var inputs []*frame.Input
	for _, f := range frame.DetailFields {
		inputs = append(inputs, &frame.Input{
			Name: f.Name, Label: lang.FieldLabel(f.Name), Type: "text", Value: values.Get(f.Name), List: f.Suggestions,
			Autocomplete: "off",
		})
	}
	return append(inputs,
		lang.ValueInput(values.Get("value"), l.Currency()),
		&frame.Input{
			Name: "storagePlace", Label: lang.Say("finds.stored"), Type: "text", Value: values.Get("storagePlace"),
			List: "shelves", Autocomplete: "off", Hint: usualPlace(lang, l),
		},
		&frame.Input{
			Name: "notes", Label: lang.Say("finds.notes"), Type: "area", Value: values.Get("notes"),
			Hint: lang.Say("finds.notes.hint"),
		})
}

func ownerInputs(lang frame.Locale, values url.Values) []*frame.Input {
	input := func(name, kind, hint string) *frame.Input {
		return &frame.Input{
			Name: name, Label: lang.FieldLabel(name), Type: kind, Value: values.Get(name), Autocomplete: "off",
			Hint: hint,
		}
	}
	return frame.ArrangeInputs(lang, []*frame.Input{
		input("owner.firstName", "text", ""), input("owner.lastName", "text", ""),
		input("owner.email", "email", lang.Say("finds.email.hint")),
		input("owner.phone", "tel", lang.Say("finds.phone.hint")),
	})
}

func parcelInputs(lang frame.Locale, values url.Values, l lost.Location) []*frame.Input {
	v := values.Get
	return []*frame.Input{
		{
			Name: "shipping.weight", Label: lang.FieldLabel("shipping.weight"), Type: "number",
			Value: v("shipping.weight"), Min: "0", Step: "any", Narrow: true, Keyboard: "decimal",
			Hint: lang.Say("finds.weight.hint"),
		},
		{
			Name: "shipping.weightUnit", Label: lang.Say("finds.unit"), Type: "list",
			Value: cmp.Or(v("shipping.weightUnit"), usualUnit(l)), Narrow: true, Options: frame.UnitOptions(),
		},
		{
			Name: "shipping.boxType", Label: lang.Say("finds.box"), Type: "list", Value: v("shipping.boxType"),
			Options: lang.BoxOptions(),
		},
	}
}

func usualPlace(lang frame.Locale, l lost.Location) string {
	if l.StoragePlace == "" {
		return ""
	}
	return lang.Say("finds.stored.default", "place", l.StoragePlace)
}

// usualUnit returns the unit of weight that is usual in the location's country.
func usualUnit(l lost.Location) string {
	if l.Country == "US" {
		return string(lost.Pound)
	}
	return string(lost.DefaultWeightUnit)
}

// recordFind saves an item and the photos in the form. A form sent by a script has no photos: the script sends them
// one by one afterwards.
func (c *call) recordFind() error {
	values, photos, done, err := c.ReadPhotoForm()
	if err != nil {
		return err
	}
	defer done()
	if chosen := values.Get("location"); chosen != "" {
		c.Request.SetPathValue("location", chosen)
	}
	l, err := c.Location()
	if err != nil {
		return err
	}
	if values.Has(stayform.LookField) {
		return c.lookUpStays(l, values, photos)
	}
	if c.startedByAnotherUser(values) {
		return c.refuseOtherUsersForm(values, photos)
	}
	again, patch := findKey(values), findPatch(c.Locale, values, l.Currency())
	patch.Latest = l.LatestDiscovery(c.Now())
	patch.PhotosFollow = len(photos) > 0 || values.Get("photos") != "" // a script sends them one by one
	err = c.confirmStay(l, values, again, &patch)
	var i lost.Item
	if err == nil {
		i, err = c.Services.Items.Create(c.Context(), c.Actor(), l.ID, patch, again)
	}
	switch code := lost.CodeOf(err); {
	case code == lost.Invalid && c.WantsHTML():
		err = photos.ChooseAgain(err)
		return c.showFindForm(respond.RecordError(c.Writer, err), values, err, func(*findPage) {})
	case code == lost.Conflict && again.Key != "":
		return c.showSavedBefore(values, photos, again, err)
	case err != nil:
		return err
	}
	frame.RecordAt(c.Call, l.ID)
	frame.RememberList(c.Call, frame.Scope{At: l}, frame.ReadItemFilter(nil)) // an earlier search may not find the item
	at := frame.LocationPath(l.ID, "/find/"+i.ID)
	if !c.WantsHTML() {
		return respond.JSON(c.Writer, http.StatusCreated, savedFind{ID: i.ID, Reference: i.Reference, Href: at})
	}
	if wrong := c.SavePhotos(i, values.Get("once"), photos); wrong != "" {
		c.FlashWarning(c.Say("finds.saved.but", "problem", wrong))
	} else if values.Get("then") == "next" {
		at = frame.LocationPath(l.ID, "/find?saved="+i.ID)
	}
	return c.Redirect(at)
}

// savedFind is the JSON response to a script that saved an item.
type savedFind struct {
	ID        string `json:"id"`
	Reference string `json:"reference"`
	Href      string `json:"href"`
}

// recorded shows the reference of a saved item, to write on its tag.
func (c *call) recorded() error { return c.showRecorded(http.StatusOK, "") }

// recordedPage confirms that an item was saved.
type recordedPage struct {
	frame.Page
	Find    recordedFind
	Once    string
	Fault   string // the error message about a photo
	Picker  frame.PhotoPicker
	CanMove bool

	FromPhotos *frame.PhotoSuggestions // nil if the photo assistant suggests nothing
}

func (c *call) showRecorded(status int, fault string) error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	i, err := c.Services.Items.GetRecorded(c.Context(), c.Actor(), l.ID, c.Request.PathValue("id"))
	if err != nil {
		return err
	}
	p := recordedPage{
		Page:    c.NewPage(c.Say("finds.saved.title", "reference", i.Reference), "photos.js", "offline.js", "find.js"),
		Find:    c.recordedFind(i),
		CanMove: c.May(lost.HandleItems), Once: frame.NewFormKey(),
		Picker: frame.PhotoPicker{
			Name: "photo", Max: frame.MaxFormPhotos, Upload: frame.LocationPath(l.ID, "/find/"+i.ID+"/photos"),
		},
	}
	p.Fault, p.WarningText = cmp.Or(fault, p.WarningText), "" // the warning is about a photo, too
	if p.FromPhotos, err = c.SuggestedByPhoto(i); err != nil {
		return err
	}
	if p.FromPhotos != nil {
		p.FromPhotos.Back = "recorded"
	}
	return c.Render(status, "recorded", p)
}
