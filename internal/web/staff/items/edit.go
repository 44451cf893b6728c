package items

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// itemGroup is a group of fields that are shown and edited together.
type itemGroup struct {
	ID, Name string
	Facts    []frame.ItemFact
	Empty    string // shown if no field has a value
	Inputs   []*frame.Input
	Open     bool                  // shown as a form
	Closed   bool                  // nothing can be edited
	Folded   bool                  // collapsed by default
	Warning  string                // what will happen when the form is saved
	Seen     int64                 // the version of the item that the form was made from
	Changes  []frame.TimelineEntry // changes by somebody else, after a conflict
	Now      []frame.ItemFact      // the current values, after a conflict
	Base     string                // the path of the item's page
	Handles  bool
	Parcel   *parcelShown
}

// itemGroups returns the groups of an item's fields.
func itemGroups(lang frame.Locale, i lost.Item) []*itemGroup {
	groups := []*itemGroup{
		whatGroup(lang, i), whereGroup(lang, i), ownerGroup(lang, i), storageGroup(lang, i), notesGroup(i),
		shippingGroup(lang, i),
	}
	for _, g := range groups {
		g.Seen = i.UpdatedAt.UnixMicro()
		g.Facts = slices.DeleteFunc(g.Facts, func(f frame.ItemFact) bool { return f.Value == "" })
	}
	return groups
}

func itemText(name, label, value string) *frame.Input {
	return &frame.Input{Name: name, Label: label, Type: "text", Value: value}
}

func whatGroup(lang frame.Locale, i lost.Item) *itemGroup {
	description := &frame.Input{
		Name: "description", Label: "Description", Type: "area", Value: i.Description, Required: true, Focus: true,
	}
	g := &itemGroup{
		ID: "what", Name: "What", Facts: []frame.ItemFact{{Name: "Description", Value: i.Description}},
		Inputs: []*frame.Input{description},
	}
	for _, f := range frame.DetailFields {
		g.Facts = append(g.Facts, frame.ItemFact{Name: lang.FieldLabel(f.Name), Value: f.Value(i)})
		g.Inputs = append(g.Inputs, itemText(f.Name, lang.FieldLabel(f.Name), f.Value(i)))
	}
	return g
}

func whereGroup(lang frame.Locale, i lost.Item) *itemGroup {
	place := itemText("discoveryPlace", "Where it was found", i.DiscoveryPlace)
	place.Focus = true
	return &itemGroup{
		ID: "where", Name: "Where and when", Empty: "Where and when it was found is not recorded.",
		Facts: []frame.ItemFact{{Name: "Found at", Value: i.DiscoveryPlace},
			{Name: "Found on", Value: lang.Day(i.DiscoveryDate)}},
		Inputs: []*frame.Input{place,
			{Name: "discoveryDate", Label: "Day", Type: "date", Value: i.DiscoveryDate, Narrow: true}},
	}
}

func ownerGroup(lang frame.Locale, i lost.Item) *itemGroup {
	first := itemText("owner.firstName", "First name", i.Owner.FirstName)
	first.Focus = true
	g := &itemGroup{
		ID: "owner", Name: "Owner",
		Empty: "Owner unknown. Add an e-mail address or phone number, and the owner is notified immediately.",
		Facts: []frame.ItemFact{
			{Name: "Name", Value: frame.FullName(i.Owner)}, {Name: "E-mail", Value: i.Owner.Email},
			{Name: "Phone", Value: i.Owner.Phone},
			{Name: "Language", Value: lang.LanguageName(i.Language)},
		},
		Inputs: []*frame.Input{
			first, itemText("owner.lastName", "Last name", i.Owner.LastName),
			{Name: "owner.email", Label: "E-mail address", Type: "email", Value: i.Owner.Email},
			{
				Name: "owner.phone", Label: "Phone number", Type: "tel", Value: i.Owner.Phone,
				Hint: "With + and the country code. Used for text messages if there is no e-mail address.",
			},
			{
				Name: "language", Label: "Language", Type: "list", Value: i.Language,
				Options: ownerLanguages(lang, i.Language), Narrow: true,
			},
		},
	}
	if i.WouldNotifyOwner() {
		g.Warning = "If you enter a new address, the owner is sent a message with a link to choose what happens to " +
			"the item."
	}
	return g
}

// ownerLanguages lists the languages for messages to an owner.
func ownerLanguages(lang frame.Locale, present string) []frame.Option {
	options := lang.LanguageOptions(present)
	options[0].Name = "Same as the location"
	return options
}

func storageGroup(lang frame.Locale, i lost.Item) *itemGroup {
	place := itemText("storagePlace", "Storage place", i.StoragePlace)
	place.Focus = true
	if i.Terms.StoragePlace != "" {
		place.Hint = "Default: " + i.Terms.StoragePlace
	}
	if !i.Held() {
		return &itemGroup{ID: "storage", Name: "Storage", Closed: true, Empty: "The item is no longer here."}
	}
	return &itemGroup{
		ID: "storage", Name: "Storage", Empty: "Storage place not recorded.",
		Facts: []frame.ItemFact{{Name: "Stored at", Value: i.StoredAt()},
			{Name: "Keep until", Value: lang.Day(i.StoreUntil())}, {Name: "Reason for the hold", Value: i.Hold}},
		Inputs: []*frame.Input{
			place,
			{
				Name: "keepUntil", Label: "Keep until at least", Type: "date", Value: i.KeepUntil, Narrow: true,
				Hint: "Enter a date to keep it longer than usual at this location.",
			},
			{
				Name: "hold", Label: "Reason for the hold", Type: "text", Value: i.Hold,
				Hint: "An item on hold is kept regardless of its date. Leave it empty to end the hold.",
			},
		},
	}
}

func notesGroup(i lost.Item) *itemGroup {
	return &itemGroup{
		ID: "notes", Name: "Notes", Empty: "Only the desk sees notes. The owner never does.",
		Facts: []frame.ItemFact{{Name: "Notes", Value: i.Notes}},
		Inputs: []*frame.Input{{
			Name: "notes", Label: "Notes", Type: "area", Value: i.Notes, Hint: "Only the desk sees them.", Focus: true,
		}},
	}
}

func shippingGroup(lang frame.Locale, i lost.Item) *itemGroup {
	s := i.Shipping
	weight, document := "", ""
	if s.Weight != nil {
		weight = strconv.FormatFloat(*s.Weight, 'f', -1, 64)
	}
	if s.IsDocument != nil && *s.IsDocument {
		document = "yes"
	}
	box := ""
	for _, b := range lost.Boxes() {
		if b.Type == s.BoxType {
			box = lang.BoxText(b)
		}
	}
	unit := string(cmp.Or(s.WeightUnit, lost.DefaultWeightUnit))
	return &itemGroup{
		Closed: !i.Held() && !s.Known() && i.Parcel.ShipmentID == "", // no longer here and not shipped
		ID:     "shipping", Name: "Shipping", Empty: "Enter a weight to show the owner the shipping price.",
		Facts: []frame.ItemFact{
			{Name: "Weight", Value: strings.TrimSpace(weight + " " + unitOf(weight, unit))}, {Name: "Box", Value: box},
			{Name: "Document", Value: strings.Replace(document, "yes", "Yes", 1)},
			{Name: "Not shippable because", Value: s.NotShipped},
		},
		Inputs: []*frame.Input{
			{
				Name: "shipping.weight", Label: "Weight", Type: "text", Keyboard: "decimal", Value: weight,
				Narrow: true, Focus: true,
			},
			{
				Name: "shipping.weightUnit", Label: "Unit", Type: "list", Value: unit, Options: frame.UnitOptions(),
				Narrow: true, Required: true,
			},
			{
				Name: "shipping.boxType", Label: "Box", Type: "list", Value: string(s.BoxType),
				Options: lang.BoxOptions(),
			},
			{Name: "shipping.isDocument", Label: "It is a document", Type: "check", Value: document},
			{
				Name: "shipping.notShippedBecause", Label: "Reason it cannot be shipped", Type: "text",
				Value: s.NotShipped, Hint: "The owner sees this. Leave it empty if it can be shipped.",
			},
		},
	}
}

func unitOf(weight, unit string) string {
	if weight == "" {
		return ""
	}
	return unit
}

// open marks a group to be shown as a form and returns it, or nil if there is no such group.
func (p *itemPage) open(id string) *itemGroup {
	for _, g := range p.Groups {
		if g.ID == id {
			g.Open, g.Folded = true, false
			return g
		}
	}
	return nil
}

// restore fills the inputs with the submitted values.
func (g *itemGroup) restore(values url.Values) {
	for _, i := range g.Inputs {
		i.Value = values.Get(i.Name)
	}
}

// patchOf reads the fields of a group from a form. known is false if there is no such group.
func patchOf(group string, values url.Values) (p lost.ItemPatch, known bool) {
	get := func(name string) lost.Field[string] { return frame.FormField(values, name) }
	switch group {
	case "what":
		p.Description = lost.Set(respond.FormText(values, "description").Value)
		for _, f := range frame.DetailFields {
			f.Set(&p, get(f.Name))
		}
	case "where":
		p.DiscoveryPlace, p.DiscoveryDate = get("discoveryPlace"), get("discoveryDate")
	case "owner":
		p.Owner = lost.Set(lost.OwnerPatch{
			FirstName: get("owner.firstName"), LastName: get("owner.lastName"), Email: get("owner.email"),
			Phone: get("owner.phone"),
		})
		p.Language = get("language")
	case "storage":
		p.StoragePlace, p.KeepUntil, p.Hold = get("storagePlace"), get("keepUntil"), get("hold")
	case "notes":
		p.Notes = get("notes")
	case "shipping":
		s := lost.ShippingPatch{
			WeightUnit: get("shipping.weightUnit"), BoxType: get("shipping.boxType"),
			NotShipped: get("shipping.notShippedBecause"),
		}
		s.Weight = frame.ReadWeight(values.Get("shipping.weight"), &p.Problems)
		s.IsDocument = lost.Clear[bool]()
		if values.Get("shipping.isDocument") != "" {
			s.IsDocument = lost.Set(true)
		}
		p.Shipping = lost.Set(s)
	default:
		return p, false
	}
	return p, true
}

// editItem saves a group of fields.
func (c *call) editItem() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	patch, known := patchOf(values.Get("group"), values)
	if !known {
		return respond.UnreadableForm(nil)
	}
	seen, err := strconv.ParseInt(values.Get("seen"), 10, 64)
	if err != nil {
		return respond.UnreadableForm(nil)
	}
	l, err := c.Location()
	if err != nil {
		return err
	}
	patch.Seen, patch.Latest = time.UnixMicro(seen), l.LatestDiscovery(c.Now())
	i, err := c.Services.Items.Update(c.Context(), c.Actor(), c.Request.PathValue("location"),
		c.Request.PathValue("id"), patch)
	switch lost.CodeOf(err) {
	case lost.Invalid, lost.Conflict:
		return c.editAgain(values, patch, err)
	}
	if err != nil {
		return err
	}
	c.Flash("Saved.")
	return c.Redirect(frame.ItemPath(i) + "#" + values.Get("group"))
}

// editAgain shows the form again with the submitted values and their errors or, after a conflict, the changes by
// somebody else.
func (c *call) editAgain(values url.Values, patch lost.ItemPatch, wrong error) error {
	if _, err := c.Location(); err != nil {
		return err
	}
	f, err := c.itemDetail(fewLines)
	if err != nil {
		return err
	}
	p, err := c.itemPage(f, c.Request.URL.Query())
	if err != nil {
		return err
	}
	g := p.open(values.Get("group"))
	status := respond.RecordError(c.Writer, wrong)
	if status == http.StatusConflict {
		g.Now = g.Facts
		if g.Changes, err = c.showConflict(f, patch.Seen); err != nil {
			return err
		}
	} else {
		g.Seen = patch.Seen.UnixMicro()
	}
	g.restore(values)
	if status != http.StatusConflict {
		if p.Problems, err = c.MarkErrors(g.Inputs, wrong); err != nil {
			return err
		}
	}
	return c.Render(status, "item", p)
}

// showConflict returns the changes that were made after the form was opened.
func (c *call) showConflict(f desk.ItemDetail, seen time.Time) (entries []frame.TimelineEntry, err error) {
	since, err := c.Services.Items.ChangedSince(c.Context(), c.Actor(), f.Item.LocationID, f.Item.ID, seen)
	for _, e := range since[:min(len(since), moreLines)] {
		t := c.NewTimelineEntry(e)
		t.When = c.ShortMoment(e.At, f.Location, c.Now())
		entries = append(entries, t)
	}
	return entries, err
}
