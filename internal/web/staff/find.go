package staff

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
)

func findRoutes() []Route {
	const at = "/at/{location}/find"
	return []Route{
		{Method: http.MethodGet, Path: at, Right: lost.Record, serve: (*call).askFind},
		{Method: http.MethodPost, Path: at, Right: lost.Record, serve: (*call).recordFind},
		{Method: http.MethodGet, Path: at + "/{id}", Right: lost.Record, serve: (*call).recorded},
		{Method: http.MethodPost, Path: at + "/{id}/photos", Right: lost.Record, serve: (*call).addPhotos},
	}
}

// mostPhotos is how many photos one form brings. More can be added to the item later.
const mostPhotos = 6

// findPage is the form for what was found.
type findPage struct {
	page
	Once               string
	Description, Where input
	When               input
	More               []*input
	Owner              []*input
	Parcel             []*input
	Opened             bool   // what is said more seldom is shown
	Photos             string // what is wrong with them
	Last               *recordedFind
	Again              *secondSend
	Suggest            desk.Suggestions
}

// seldom lists the fields that are out of sight until somebody wants them.
var seldom = []string{
	"brand", "model", "color", "storagePlace", "notes", "owner.firstName", "owner.lastName", "owner.email", "owner.phone", "shipping.weight", "shipping.boxType",
}

// inputs lists the fields in the order in which they are read.
func (p *findPage) inputs() []*input {
	all := append([]*input{{Name: "photo", Label: "Photos"}, &p.Description, &p.Where, &p.When}, p.More...)
	return append(append(all, p.Owner...), p.Parcel...)
}

// recordedFind is a find that was just saved.
type recordedFind struct {
	glimpse
	Photos int
	CanSee bool
}

func (c *call) recordedFind(i lost.Item) recordedFind {
	return recordedFind{glimpse: glance(i), Photos: len(i.Images), CanSee: c.may(lost.Look)}
}

func (c *call) askFind() error {
	values := url.Values{"discoveryPlace": {c.lastPlace()}}
	return c.presentFind(http.StatusOK, values, nil, func(p *findPage) { p.Last = c.lastFind() })
}

// lastFind is what the form before this one recorded, if it asked for the next at once.
func (c *call) lastFind() *recordedFind {
	id := c.r.URL.Query().Get("saved")
	if id == "" {
		return nil
	}
	i, err := c.desk.Recorded(c.ctx(), c.actor(), c.r.PathValue("location"), id)
	if err != nil {
		return nil
	}
	found := c.recordedFind(i)
	return &found
}

// presentFind shows the form; values and wrong are those of one that was not taken.
func (c *call) presentFind(status int, values url.Values, wrong error, add func(*findPage)) error {
	l, err := c.at()
	if err != nil {
		return err
	}
	p := newFindPage(values, l, l.Day(c.now()))
	p.page = c.page("Record a find", "kept.js", "find.js")
	add(&p)
	if kept := c.keptWords(lost.ByEmail); kept != "" {
		p.Owner[2].Hint = kept
	}
	if p.Suggest, err = c.desk.Suggest(c.ctx(), c.actor(), l.ID); err != nil {
		return err
	}
	for _, i := range p.inputs() {
		p.Opened = p.Opened || i.Value != "" && slices.Contains(seldom, i.Name)
	}
	inputs := p.inputs()
	if p.Problems, err = judge(inputs, wrong); err != nil {
		return err
	}
	p.Photos = inputs[0].Error
	return c.write(status, "find", p)
}

func newFindPage(values url.Values, l lost.Location, today string) findPage {
	v := values.Get
	return findPage{
		Once:        cmp.Or(v("once"), newOnce()),
		Description: input{Name: "description", Label: "What is it?", Type: "area", Value: v("description"), Required: true, Hint: "Kind, colour, what is special about it."},
		Where:       input{Name: "discoveryPlace", Label: "Where was it?", Type: "text", Value: v("discoveryPlace"), List: "places", Autocomplete: "off"},
		When:        input{Name: "discoveryDate", Label: "When?", Type: "date", Value: cmp.Or(v("discoveryDate"), today), Max: today, Narrow: true},
		More: []*input{
			{Name: "brand", Label: "Brand", Type: "text", Value: v("brand"), List: "brands", Autocomplete: "off"},
			{Name: "model", Label: "Model", Type: "text", Value: v("model"), List: "models", Autocomplete: "off"},
			{Name: "color", Label: "Colour", Type: "text", Value: v("color"), List: "colors", Autocomplete: "off"},
			{Name: "storagePlace", Label: "Where is it kept?", Type: "text", Value: v("storagePlace"), List: "shelves", Autocomplete: "off", Hint: usualPlace(l)},
			{Name: "notes", Label: "Notes for the desk", Type: "area", Value: v("notes"), Hint: "Guests never see them."},
		},
		Owner: []*input{
			{Name: "owner.firstName", Label: "First name", Type: "text", Value: v("owner.firstName"), Autocomplete: "off"},
			{Name: "owner.lastName", Label: "Last name", Type: "text", Value: v("owner.lastName"), Autocomplete: "off"},
			{Name: "owner.email", Label: "E-mail address", Type: "email", Value: v("owner.email"), Autocomplete: "off", Hint: "They are told at once, and choose what happens with it."},
			{Name: "owner.phone", Label: "Phone number", Type: "tel", Value: v("owner.phone"), Autocomplete: "off", Hint: "With the country code. They get a text message where there is no e-mail address."},
		},
		Parcel: []*input{
			{Name: "shipping.weight", Label: "Weight", Type: "number", Value: v("shipping.weight"), Min: "0", Step: "any", Narrow: true, Keyboard: "decimal", Hint: "The owner sees what sending costs once weight or box is known."},
			{Name: "shipping.weightUnit", Label: "Unit", Type: "list", Value: cmp.Or(v("shipping.weightUnit"), usualUnit(l)), Narrow: true, Options: unitOptions()},
			{Name: "shipping.boxType", Label: "Box that it fits in", Type: "list", Value: v("shipping.boxType"), Options: boxOptions()},
		},
	}
}

func usualPlace(l lost.Location) string {
	if l.StoragePlace == "" {
		return ""
	}
	return "Empty: at the usual place, " + l.StoragePlace + "."
}

// unitOptions are the units of weight.
func unitOptions() (options []option) {
	for _, u := range lost.WeightUnits() {
		options = append(options, option{string(u), string(u)})
	}
	return options
}

// boxOptions are the boxes, each with its size.
func boxOptions() []option {
	options := []option{{"", "Not chosen"}}
	for _, b := range lost.Boxes() {
		options = append(options, option{string(b.Type), boxWords(b)})
	}
	return options
}

func boxWords(b lost.Box) string {
	return fmt.Sprintf("%s, %d × %d × %d cm", b.Name, b.Length, b.Width, b.Depth)
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
	l, err := c.at()
	if err != nil {
		return err
	}
	values, photos, done, err := c.findForm()
	if err != nil {
		return err
	}
	defer done()
	if c.begunByAnother(values) {
		return c.refuseAnothers(values, photos)
	}
	again, patch := findOnce(values), findPatch(values)
	patch.Latest = l.LatestFind(c.now())
	i, err := c.desk.CreateItem(c.ctx(), c.actor(), l.ID, patch, again)
	switch code := lost.CodeOf(err); {
	case code == lost.Invalid && c.wantsPage():
		err = photosAsWell(err, photos)
		return c.presentFind(respond.Failed(c.w, err), values, err, func(*findPage) {})
	case code == lost.Conflict && again.Key != "":
		return c.savedBefore(values, photos, again, err)
	case err != nil:
		return err
	}
	c.keepPlace(l, patch.DiscoveryPlace.Value)
	at := atPath(l.ID, "/find/"+i.ID)
	if !c.wantsPage() {
		return respond.JSON(c.w, http.StatusCreated, savedFind{ID: i.ID, Reference: i.Reference, Href: at})
	}
	if wrong := c.keepPhotos(l.ID, i.ID, values.Get("once"), photos); wrong != "" {
		c.warn("It is saved. " + wrong)
	} else if values.Get("then") == "next" {
		at = atPath(l.ID, "/find?saved="+i.ID)
	}
	return c.see(at)
}

// savedFind is what a script is told of a find.
type savedFind struct {
	ID        string `json:"id"`
	Reference string `json:"reference"`
	Href      string `json:"href"`
}

// findForm reads the form, with its files on disk where it has any.
func (c *call) findForm() (values url.Values, photos []*multipart.FileHeader, done func(), err error) {
	if !strings.HasPrefix(c.r.Header.Get("Content-Type"), "multipart/") {
		values, err = c.form()
		return values, nil, func() {}, err
	}
	form, done, err := c.spooled(mostPhotos * desk.MaxImage)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, photo := range form.File["photo"] {
		if photo.Size > 0 && len(photos) < mostPhotos { // a browser sends an empty one where none was chosen
			photos = append(photos, photo)
		}
	}
	return form.Value, photos, done, nil
}

// keepPhotos puts photos on a find, the first one last: the newest is its picture. It says which did not get there. A form that
// is sent again, which is known by once, adds none that it brought before.
func (c *call) keepPhotos(location, item, once string, photos []*multipart.FileHeader) string {
	var lacking []string
	for n := len(photos) - 1; n >= 0; n-- {
		if err := c.keepPhoto(location, item, photoOnce(once, item, n, photos[n].Size), photos[n]); err != nil {
			lacking = append(lacking, fmt.Sprintf("Photo %d: %s", n+1, photoFault(err)))
		}
	}
	slices.Reverse(lacking)
	return strings.Join(lacking, " ")
}

// photoOnce makes a photo of a form be taken once: the one of that number and size.
func photoOnce(once, item string, number int, size int64) lost.IdempotencyKey {
	if once == "" {
		return lost.IdempotencyKey{}
	}
	return lost.IdempotencyKey{Key: fmt.Sprintf("form photo %s %d %d", once, number, size), Request: item, Form: true}
}

func (c *call) keepPhoto(location, item string, again lost.IdempotencyKey, photo *multipart.FileHeader) error {
	f, err := photo.Open()
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	_, err = c.desk.UploadImage(c.ctx(), c.actor(), location, item, f, again)
	return err
}

// photoFault says what is wrong with a photo, and what to do about it.
func photoFault(err error) string {
	switch lost.CodeOf(err) {
	case lost.TooLarge:
		return "it is larger than " + megabytes(desk.MaxImage) + "; take it smaller."
	case lost.Unsupported:
		return "it is no picture that we can read; choose a JPEG, PNG, WebP or GIF."
	case lost.Invalid:
		for _, p := range lost.ProblemsOf(err) {
			return "it " + p.Message + "."
		}
		return "it could not be read."
	case lost.Conflict:
		return "there are as many as there can be."
	default:
		return "it did not arrive; try again."
	}
}

// recorded shows what a find was saved as: the reference, for the tag.
func (c *call) recorded() error { return c.presentRecorded(http.StatusOK, "") }

// recordedPage is a find that was saved.
type recordedPage struct {
	page
	Find    recordedFind
	Once    string
	Fault   string // of a photo
	CanMove bool
}

func (c *call) presentRecorded(status int, fault string) error {
	l, err := c.at()
	if err != nil {
		return err
	}
	i, err := c.desk.Recorded(c.ctx(), c.actor(), l.ID, c.r.PathValue("id"))
	if err != nil {
		return err
	}
	p := recordedPage{
		page: c.page("Saved as "+i.Reference, "kept.js", "find.js"), Find: c.recordedFind(i),
		Fault: cmp.Or(fault, c.once(warnCookie)), CanMove: c.may(lost.Handle), Once: newOnce(),
	}
	return c.write(status, "recorded", p)
}

// addPhotos takes photos for a find that was saved: one from a script, some from a form.
func (c *call) addPhotos() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	values, photos, done, err := c.findForm()
	if err != nil {
		return err
	}
	defer done()
	if c.begunByAnother(values) {
		return errBegunByAnother
	}
	if !c.wantsPage() {
		return c.takePhoto(l.ID, photos)
	}
	if _, err := c.desk.Recorded(c.ctx(), c.actor(), l.ID, c.r.PathValue("id")); err != nil {
		return err
	}
	if len(photos) == 0 {
		return c.presentRecorded(http.StatusUnprocessableEntity, "Choose a photo first.")
	}
	if wrong := c.keepPhotos(l.ID, c.r.PathValue("id"), values.Get("once"), photos); wrong != "" {
		c.warn(wrong)
	}
	return c.see(atPath(l.ID, "/find/"+c.r.PathValue("id")))
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
	if key := c.r.FormValue("once"); key != "" {
		again = lost.IdempotencyKey{Key: "form photo " + key, Request: c.r.PathValue("id"), Form: true}
	}
	if _, err := c.desk.UploadImage(c.ctx(), c.actor(), location, c.r.PathValue("id"), f, again); err != nil {
		return err
	}
	return respond.JSON(c.w, http.StatusCreated, savedFind{ID: c.r.PathValue("id")})
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
		parcel.Weight, parcel.WeightUnit = readWeight(values.Get("shipping.weight"), &p.Problems), typed("shipping.weightUnit")
	}
	if parcel != (lost.ShippingPatch{}) {
		p.Shipping = lost.Set(parcel)
	}
	return p
}
