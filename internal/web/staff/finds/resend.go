package finds

import (
	"maps"
	"net/http"
	"net/url"
	"slices"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// findKey returns the idempotency key of the form. The key does not depend on which button was pressed.
func findKey(values url.Values) lost.IdempotencyKey {
	fields := maps.Clone(values)
	delete(fields, "then")
	return frame.FormKey(fields, "find")
}

// startedByAnotherUserError rejects a form that another user started. A script that receives it keeps the found item
// until that user logs in.
func (c *call) startedByAnotherUserError() error {
	return c.NewError(lost.Unauthorized, "finds.other-user")
}

// startedByAnotherUser reports whether another user opened the form in this browser.
func (c *call) startedByAnotherUser(values url.Values) bool {
	person := values.Get("person")
	return person != "" && person != c.Session.User.ID
}

// duplicateSend explains why the form is shown again.
type duplicateSend struct {
	OtherUser     bool // another user started the form
	ID, Reference string
	Href          string // the path of the item that the form created the first time; empty if it was deleted
}

// refuseOtherUsersForm rejects a form that another user started and shows it again. The current user may save it as
// their own.
func (c *call) refuseOtherUsersForm(values url.Values, photos frame.FormPhotos) error {
	if !c.WantsHTML() {
		return c.startedByAnotherUserError()
	}
	return c.showFindFormAgain(values, photos, duplicateSend{OtherUser: true})
}

// showSavedBefore handles a form that was already saved and then changed, for example after the user pressed Back. It
// links to the saved item and shows the form again; sending that form creates a second item.
func (c *call) showSavedBefore(values url.Values, photos frame.FormPhotos, again lost.IdempotencyKey,
	conflict error) error {
	location := c.Request.PathValue("location")
	i, err := c.Services.Items.GetByIdempotencyKey(c.Context(), c.Actor(), location, again)
	if err != nil && lost.CodeOf(err) != lost.NotFound {
		return err
	}
	s := duplicateSend{}
	if err == nil {
		s = duplicateSend{ID: i.ID, Reference: i.Reference, Href: frame.LocationPath(location, "/find/"+i.ID)}
		if c.May(lost.ViewItems) {
			s.Href = frame.ItemPath(i)
		}
	}
	respond.RecordError(c.Writer, conflict)
	if !c.WantsHTML() {
		return respond.JSON(c.Writer, http.StatusConflict, s.problem(c.Locale))
	}
	return c.showFindFormAgain(values, photos, s)
}

// sentBefore is the JSON response for a form that was already saved.
type sentBefore struct {
	Detail    string `json:"detail"`
	Reference string `json:"reference,omitempty"`
	Href      string `json:"href,omitempty"`
}

func (s duplicateSend) problem(lang frame.Locale) sentBefore {
	if s.ID == "" {
		return sentBefore{Detail: lang.Say("finds.again.deleted")}
	}
	return sentBefore{
		Detail: lang.Say("finds.again.saved", "reference", s.Reference), Reference: s.Reference, Href: s.Href,
	}
}

// showFindFormAgain shows the form with the submitted values and a new idempotency key, so that it is accepted when
// it is sent again.
func (c *call) showFindFormAgain(values url.Values, photos frame.FormPhotos, why duplicateSend) error {
	values = maps.Clone(values)
	delete(values, "once")
	return c.showFindForm(http.StatusConflict, values, photos.ChooseAgain(nil), func(p *findPage) {
		p.Again = &why
	})
}

// locationInput returns the input for the location, or nil if there is only one.
func (c *call) locationInput(l lost.Location) (*frame.Input, error) {
	all, err := c.Locations()
	if err != nil || len(all) < 2 {
		return nil, err
	}
	input := &frame.Input{
		Name: "location", Label: c.Say("finds.location"), Type: "list", Value: l.ID, Required: true,
	}
	if !slices.ContainsFunc(all, func(other lost.Location) bool { return other.ID == l.ID }) {
		all = append([]lost.Location{l}, all...) // the list is limited
	}
	for _, other := range all {
		input.Options = append(input.Options, frame.Option{Value: other.ID, Name: other.Name})
	}
	return input, nil
}

// findPatch reads the item from the form. Empty fields stay unset. The currency is the location's.
func findPatch(lang frame.Locale, values url.Values, currency string) lost.ItemPatch {
	typed := func(name string) lost.Field[string] { return respond.FormText(values, name) }
	p := lost.ItemPatch{
		Description: lost.Set(values.Get("description")), DiscoveryPlace: typed("discoveryPlace"),
		DiscoveryDate: typed("discoveryDate"), StoragePlace: typed("storagePlace"), Notes: typed("notes"),
		Category: typed("category"),
	}
	if typed("value").Sent {
		p.Value = lang.ReadValue(values, currency, &p.Problems)
	}
	if slices.ContainsFunc(lang.FinderInputs(values), func(i *frame.Input) bool { return i.Value != "" }) {
		p.Finder = lost.Set(frame.ReadFinder(values))
	}
	for _, f := range frame.DetailFields {
		f.Set(&p, typed(f.Name))
	}
	if owner := (lost.OwnerPatch{
		FirstName: typed("owner.firstName"), LastName: typed("owner.lastName"), Email: typed("owner.email"),
		Phone: typed("owner.phone"),
	}); owner != (lost.OwnerPatch{}) {
		p.Owner = lost.Set(owner)
	}
	parcel := lost.ShippingPatch{BoxType: typed("shipping.boxType")}
	if typed("shipping.weight").Sent {
		parcel.Weight = frame.ReadWeight(values.Get("shipping.weight"), &p.Problems)
		parcel.WeightUnit = typed("shipping.weightUnit")
	}
	if parcel != (lost.ShippingPatch{}) {
		p.Shipping = lost.Set(parcel)
	}
	return p
}
