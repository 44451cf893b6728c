package finds

import (
	"cmp"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// maxPhotos is how many photos one form brings. More can be added to the item later.
const maxPhotos = 6

// findPage is the form for what was found.
type findPage struct {
	frame.Page
	Once               string
	Description, Where frame.Input
	When               frame.Input
	More               []*frame.Input
	Owner              []*frame.Input
	Parcel             []*frame.Input
	Opened             bool   // what is said more seldom is shown
	Photos             string // what is wrong with them
	Last               *recordedFind
	Again              *duplicateSend
	Suggest            desk.Suggestions
}

// extraFields lists the fields that are out of sight until somebody wants them.
var extraFields = []string{
	"brand", "model", "color", "storagePlace", "notes", "owner.firstName", "owner.lastName", "owner.email", "owner.phone", "shipping.weight", "shipping.boxType",
}

// inputs lists the fields in the order in which they are read.
func (p *findPage) inputs() []*frame.Input {
	all := append([]*frame.Input{{Name: "photo", Label: "Photos"}, &p.Description, &p.Where, &p.When}, p.More...)
	return append(append(all, p.Owner...), p.Parcel...)
}

// recordedFind is a find that was just saved.
type recordedFind struct {
	frame.ItemSummary
	Photos int
	CanSee bool
}

func (c *call) recordedFind(i lost.Item) recordedFind {
	return recordedFind{ItemSummary: frame.SummarizeItem(i), Photos: len(i.Images), CanSee: c.May(lost.Look)}
}

func (c *call) askFind() error {
	values := url.Values{"discoveryPlace": {c.lastPlace()}}
	return c.showFindForm(http.StatusOK, values, nil, func(p *findPage) { p.Last = c.lastFind() })
}

// lastFind is what the form before this one recorded, if it asked for the next at once.
func (c *call) lastFind() *recordedFind {
	id := c.Request.URL.Query().Get("saved")
	if id == "" {
		return nil
	}
	i, err := c.Desk.Recorded(c.Context(), c.Actor(), c.Request.PathValue("location"), id)
	if err != nil {
		return nil
	}
	found := c.recordedFind(i)
	return &found
}

// showFindForm shows the form; values and wrong are those of one that was not taken.
func (c *call) showFindForm(status int, values url.Values, wrong error, add func(*findPage)) error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	p := newFindPage(values, l, l.Day(c.Now()))
	p.Page = c.NewPage("Record a find", "kept.js", "find.js")
	add(&p)
	if kept := c.NotSentText(lost.ByEmail); kept != "" {
		p.Owner[2].Hint = kept
	}
	if p.Suggest, err = c.Desk.Suggest(c.Context(), c.Actor(), l.ID); err != nil {
		return err
	}
	for _, i := range p.inputs() {
		p.Opened = p.Opened || i.Value != "" && slices.Contains(extraFields, i.Name)
	}
	inputs := p.inputs()
	if p.Problems, err = frame.MarkErrors(inputs, wrong); err != nil {
		return err
	}
	p.Photos = inputs[0].Error
	return c.Render(status, "find", p)
}

func newFindPage(values url.Values, l lost.Location, today string) findPage {
	v := values.Get
	return findPage{
		Once:        cmp.Or(v("once"), frame.NewFormKey()),
		Description: frame.Input{Name: "description", Label: "What is it?", Type: "area", Value: v("description"), Required: true, Hint: "Kind, colour, what is special about it."},
		Where:       frame.Input{Name: "discoveryPlace", Label: "Where was it?", Type: "text", Value: v("discoveryPlace"), List: "places", Autocomplete: "off"},
		When:        frame.Input{Name: "discoveryDate", Label: "When?", Type: "date", Value: cmp.Or(v("discoveryDate"), today), Max: today, Narrow: true},
		More: []*frame.Input{
			{Name: "brand", Label: "Brand", Type: "text", Value: v("brand"), List: "brands", Autocomplete: "off"},
			{Name: "model", Label: "Model", Type: "text", Value: v("model"), List: "models", Autocomplete: "off"},
			{Name: "color", Label: "Colour", Type: "text", Value: v("color"), List: "colors", Autocomplete: "off"},
			{Name: "storagePlace", Label: "Where is it kept?", Type: "text", Value: v("storagePlace"), List: "shelves", Autocomplete: "off", Hint: usualPlace(l)},
			{Name: "notes", Label: "Notes for the desk", Type: "area", Value: v("notes"), Hint: "Guests never see them."},
		},
		Owner: []*frame.Input{
			{Name: "owner.firstName", Label: "First name", Type: "text", Value: v("owner.firstName"), Autocomplete: "off"},
			{Name: "owner.lastName", Label: "Last name", Type: "text", Value: v("owner.lastName"), Autocomplete: "off"},
			{Name: "owner.email", Label: "E-mail address", Type: "email", Value: v("owner.email"), Autocomplete: "off", Hint: "They are told at once, and choose what happens with it."},
			{Name: "owner.phone", Label: "Phone number", Type: "tel", Value: v("owner.phone"), Autocomplete: "off", Hint: "With the country code. They get a text message where there is no e-mail address."},
		},
		Parcel: []*frame.Input{
			{Name: "shipping.weight", Label: "Weight", Type: "number", Value: v("shipping.weight"), Min: "0", Step: "any", Narrow: true, Keyboard: "decimal", Hint: "The owner sees what sending costs once weight or box is known."},
			{Name: "shipping.weightUnit", Label: "Unit", Type: "list", Value: cmp.Or(v("shipping.weightUnit"), usualUnit(l)), Narrow: true, Options: frame.UnitOptions()},
			{Name: "shipping.boxType", Label: "Box that it fits in", Type: "list", Value: v("shipping.boxType"), Options: frame.BoxOptions()},
		},
	}
}

func usualPlace(l lost.Location) string {
	if l.StoragePlace == "" {
		return ""
	}
	return "Empty: at the usual place, " + l.StoragePlace + "."
}

// usualUnit is what things are weighed in at a location.
func usualUnit(l lost.Location) string {
	if l.Country == "US" {
		return string(lost.Pound)
	}
	return string(lost.DefaultWeightUnit)
}

// recordFind takes a find, with photos or without. With a script the photos follow one by one.
func (c *call) recordFind() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	values, photos, done, err := c.findForm()
	if err != nil {
		return err
	}
	defer done()
	if c.startedByAnotherUser(values) {
		return c.refuseOtherUsersForm(values, photos)
	}
	again, patch := findKey(values), findPatch(values)
	patch.Latest = l.LatestFind(c.Now())
	i, err := c.Desk.CreateItem(c.Context(), c.Actor(), l.ID, patch, again)
	switch code := lost.CodeOf(err); {
	case code == lost.Invalid && c.WantsHTML():
		err = withPhotoProblem(err, photos)
		return c.showFindForm(respond.Failed(c.Writer, err), values, err, func(*findPage) {})
	case code == lost.Conflict && again.Key != "":
		return c.showSavedBefore(values, photos, again, err)
	case err != nil:
		return err
	}
	c.rememberPlace(l, patch.DiscoveryPlace.Value)
	at := frame.LocationPath(l.ID, "/find/"+i.ID)
	if !c.WantsHTML() {
		return respond.JSON(c.Writer, http.StatusCreated, savedFind{ID: i.ID, Reference: i.Reference, Href: at})
	}
	if wrong := c.savePhotos(l.ID, i.ID, values.Get("once"), photos); wrong != "" {
		c.FlashWarning("It is saved. " + wrong)
	} else if values.Get("then") == "next" {
		at = frame.LocationPath(l.ID, "/find?saved="+i.ID)
	}
	return c.Redirect(at)
}

// savedFind is what a script is told of a find.
type savedFind struct {
	ID        string `json:"id"`
	Reference string `json:"reference"`
	Href      string `json:"href"`
}

// findForm reads the form, with its files on disk where it has any.
func (c *call) findForm() (values url.Values, photos []*multipart.FileHeader, done func(), err error) {
	if !strings.HasPrefix(c.Request.Header.Get("Content-Type"), "multipart/") {
		values, err = c.ReadForm()
		return values, nil, func() {}, err
	}
	form, done, err := c.MultipartForm(maxPhotos * desk.MaxImage)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, photo := range form.File["photo"] {
		if photo.Size > 0 && len(photos) < maxPhotos { // a browser sends an empty one where none was chosen
			photos = append(photos, photo)
		}
	}
	return form.Value, photos, done, nil
}

// savePhotos puts photos on a find, the first one last: the newest is its picture. It says which did not get there. A form that
// is sent again, which is known by once, adds none that it brought before.
func (c *call) savePhotos(location, item, once string, photos []*multipart.FileHeader) string {
	var lacking []string
	for n := len(photos) - 1; n >= 0; n-- {
		if err := c.savePhoto(location, item, photoKey(once, item, n, photos[n].Size), photos[n]); err != nil {
			lacking = append(lacking, fmt.Sprintf("Photo %d: %s", n+1, frame.PhotoFault(err)))
		}
	}
	slices.Reverse(lacking)
	return strings.Join(lacking, " ")
}

// photoKey makes a photo of a form be taken once: the one of that number and size.
func photoKey(once, item string, number int, size int64) lost.IdempotencyKey {
	if once == "" {
		return lost.IdempotencyKey{}
	}
	return lost.IdempotencyKey{Key: fmt.Sprintf("form photo %s %d %d", once, number, size), Request: item, Form: true}
}

func (c *call) savePhoto(location, item string, again lost.IdempotencyKey, photo *multipart.FileHeader) error {
	f, err := photo.Open()
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	_, err = c.Desk.UploadImage(c.Context(), c.Actor(), location, item, f, again)
	return err
}

// recorded shows what a find was saved as: the reference, for the tag.
func (c *call) recorded() error { return c.showRecorded(http.StatusOK, "") }

// recordedPage is a find that was saved.
type recordedPage struct {
	frame.Page
	Find    recordedFind
	Once    string
	Fault   string // of a photo
	CanMove bool
}

func (c *call) showRecorded(status int, fault string) error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	i, err := c.Desk.Recorded(c.Context(), c.Actor(), l.ID, c.Request.PathValue("id"))
	if err != nil {
		return err
	}
	p := recordedPage{
		Page: c.NewPage("Saved as "+i.Reference, "kept.js", "find.js"), Find: c.recordedFind(i),
		Fault: cmp.Or(fault, c.TakeFlash(frame.WarningCookie)), CanMove: c.May(lost.Handle), Once: frame.NewFormKey(),
	}
	return c.Render(status, "recorded", p)
}

// addPhotos takes photos for a find that was saved: one from a script, some from a form.
func (c *call) addPhotos() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	values, photos, done, err := c.findForm()
	if err != nil {
		return err
	}
	defer done()
	if c.startedByAnotherUser(values) {
		return errStartedByAnotherUser
	}
	if !c.WantsHTML() {
		return c.takePhoto(l.ID, photos)
	}
	if _, err := c.Desk.Recorded(c.Context(), c.Actor(), l.ID, c.Request.PathValue("id")); err != nil {
		return err
	}
	if len(photos) == 0 {
		return c.showRecorded(http.StatusUnprocessableEntity, "Choose a photo first.")
	}
	if wrong := c.savePhotos(l.ID, c.Request.PathValue("id"), values.Get("once"), photos); wrong != "" {
		c.FlashWarning(wrong)
	}
	return c.Redirect(frame.LocationPath(l.ID, "/find/"+c.Request.PathValue("id")))
}

// takePhoto takes one photo from a script, and repeats its answer to one that asks again.
func (c *call) takePhoto(location string, photos []*multipart.FileHeader) error {
	if len(photos) != 1 {
		var p lost.Problems
		p.Add("photo", "required", "must be one photo")
		return p.Err()
	}
	f, err := photos[0].Open()
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	again := lost.IdempotencyKey{}
	if key := c.Request.FormValue("once"); key != "" {
		again = lost.IdempotencyKey{Key: "form photo " + key, Request: c.Request.PathValue("id"), Form: true}
	}
	if _, err := c.Desk.UploadImage(c.Context(), c.Actor(), location, c.Request.PathValue("id"), f, again); err != nil {
		return err
	}
	return respond.JSON(c.Writer, http.StatusCreated, savedFind{ID: c.Request.PathValue("id")})
}

// findPatch is what the form says about the find. What was left empty is not said.
func findPatch(values url.Values) lost.ItemPatch {
	typed := func(name string) lost.Field[string] { return respond.Typed(values, name) }
	p := lost.ItemPatch{
		Description: lost.Set(values.Get("description")), DiscoveryPlace: typed("discoveryPlace"), DiscoveryDate: typed("discoveryDate"),
		Brand: typed("brand"), Model: typed("model"), Color: typed("color"), StoragePlace: typed("storagePlace"), Notes: typed("notes"),
	}
	if owner := (lost.OwnerPatch{FirstName: typed("owner.firstName"), LastName: typed("owner.lastName"), Email: typed("owner.email"), Phone: typed("owner.phone")}); owner != (lost.OwnerPatch{}) {
		p.Owner = lost.Set(owner)
	}
	parcel := lost.ShippingPatch{BoxType: typed("shipping.boxType")}
	if typed("shipping.weight").Sent {
		parcel.Weight, parcel.WeightUnit = frame.ReadWeight(values.Get("shipping.weight"), &p.Problems), typed("shipping.weightUnit")
	}
	if parcel != (lost.ShippingPatch{}) {
		p.Shipping = lost.Set(parcel)
	}
	return p
}
