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
	Tell     []frame.Option    // what the finder can be told
	Chips    []frame.PhotoChip // what the photos suggest for the fields of an open form
	SeenBy   string            // the photo assistant's model, if some of them are from it
}

// itemGroups returns the groups of an item's fields. The currency is the location's.
func itemGroups(lang frame.Locale, i lost.Item, currency string, now time.Time) []*itemGroup {
	groups := []*itemGroup{
		whatGroup(lang, i, currency), whereGroup(lang, i), ownerGroup(lang, i), storageGroup(lang, i),
		notesGroup(lang, i), finderGroup(lang, i, now), shippingGroup(lang, i),
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

func whatGroup(lang frame.Locale, i lost.Item, currency string) *itemGroup {
	category := lang.CategoryName(i.Category)
	description := &frame.Input{
		Name: "description", Label: lang.FieldLabel("description"), Type: "area", Value: i.Description,
		Required: true, Focus: true,
	}
	g := &itemGroup{
		ID: "what", Name: lang.Say("items.what"),
		Facts: []frame.ItemFact{
			{Name: description.Label, Value: i.Description}, {Name: lang.FieldLabel("category"), Value: category},
		},
		Inputs: []*frame.Input{description, lang.CategoryInput(string(i.Category))},
	}
	for _, f := range frame.DetailFields {
		g.Facts = append(g.Facts, frame.ItemFact{Name: lang.FieldLabel(f.Name), Value: f.Value(i)})
		g.Inputs = append(g.Inputs, itemText(f.Name, lang.FieldLabel(f.Name), f.Value(i)))
	}
	worth, typed := "", ""
	if v := i.Value; v.Known() {
		worth, typed = lang.Money(v.Amount, v.Currency), lang.FormAmount(v.Amount, v.Currency)
		currency = v.Currency
	}
	g.Facts = append(g.Facts, frame.ItemFact{Name: lang.FieldLabel("value"), Value: worth})
	g.Inputs = append(g.Inputs, lang.ValueInput(typed, currency),
		&frame.Input{Name: "currency", Type: "hidden", Value: currency})
	return g
}

func whereGroup(lang frame.Locale, i lost.Item) *itemGroup {
	place := itemText("discoveryPlace", lang.FieldLabel("discoveryPlace"), i.DiscoveryPlace)
	place.Focus = true
	return &itemGroup{
		ID: "where", Name: lang.Say("items.where"), Empty: lang.Say("items.where.none"),
		Facts: []frame.ItemFact{{Name: lang.Say("items.found-at"), Value: i.DiscoveryPlace},
			{Name: lang.Say("items.found-on"), Value: lang.Day(i.DiscoveryDate)}},
		Inputs: []*frame.Input{place, {
			Name: "discoveryDate", Label: lang.Say("items.found-day"), Type: "date", Value: i.DiscoveryDate,
			Narrow: true,
		}},
	}
}

func ownerGroup(lang frame.Locale, i lost.Item) *itemGroup {
	g := &itemGroup{
		ID: "owner", Name: lang.Say("items.owner"), Empty: lang.Say("items.owner.none"),
		Facts: []frame.ItemFact{
			{Name: lang.Say("items.owner.name"), Value: frame.OwnerName(lang, i.Owner)},
			{Name: lang.Say("items.owner.email"), Value: i.Owner.Email},
			{Name: lang.Say("items.owner.phone"), Value: i.Owner.Phone},
			{Name: lang.FieldLabel("language"), Value: lang.LanguageName(i.Language)},
		},
		Inputs: frame.ArrangeInputs(lang, []*frame.Input{
			itemText("owner.firstName", lang.FieldLabel("owner.firstName"), i.Owner.FirstName),
			itemText("owner.lastName", lang.FieldLabel("owner.lastName"), i.Owner.LastName),
			{Name: "owner.email", Label: lang.FieldLabel("owner.email"), Type: "email", Value: i.Owner.Email},
			{
				Name: "owner.phone", Label: lang.FieldLabel("owner.phone"), Type: "tel", Value: i.Owner.Phone,
				Hint: lang.Say("items.owner.phone.hint"),
			},
			{
				Name: "language", Label: lang.FieldLabel("language"), Type: "list", Value: i.Language,
				Options: ownerLanguages(lang, i.Language), Narrow: true,
			},
		}),
	}
	g.Inputs[0].Focus = true
	if i.WouldNotifyOwner() {
		g.Warning = lang.Say("items.owner.warning")
	}
	return g
}

// ownerLanguages lists the languages for messages to an owner.
func ownerLanguages(lang frame.Locale, present string) []frame.Option {
	options := lang.LanguageOptions(present)
	options[0].Name = lang.Say("items.owner.language")
	return options
}

func storageGroup(lang frame.Locale, i lost.Item) *itemGroup {
	place := itemText("storagePlace", lang.FieldLabel("storagePlace"), i.StoragePlace)
	place.Focus = true
	if i.Terms.StoragePlace != "" {
		place.Hint = lang.Say("items.storage.default", "place", i.Terms.StoragePlace)
	}
	if !i.Held() {
		return &itemGroup{
			ID: "storage", Name: lang.Say("items.storage"), Closed: true, Empty: lang.Say("items.storage.gone"),
		}
	}
	return &itemGroup{
		ID: "storage", Name: lang.Say("items.storage"), Empty: lang.Say("items.storage.none"),
		Facts: []frame.ItemFact{{Name: lang.Say("items.stored-at"), Value: i.StoredAt()},
			{Name: lang.Say("items.keep-until"), Value: lang.Day(i.StoreUntil())},
			{Name: lang.Say("frame.then"), Value: lang.DisposalText(i.ThenDue())},
			{Name: lang.FieldLabel("hold"), Value: i.Hold}},
		Inputs: []*frame.Input{
			place,
			{
				Name: "keepUntil", Label: lang.Say("items.keep-until.least"), Type: "date", Value: i.KeepUntil,
				Narrow: true, Hint: lang.Say("items.keep-until.hint"),
			},
			{
				Name: "hold", Label: lang.FieldLabel("hold"), Type: "text", Value: i.Hold,
				Hint: lang.Say("items.hold.hint"),
			},
		},
	}
}

func notesGroup(lang frame.Locale, i lost.Item) *itemGroup {
	name := lang.FieldLabel("notes")
	return &itemGroup{
		ID: "notes", Name: name, Empty: lang.Say("items.notes.none"),
		Facts: []frame.ItemFact{{Name: name, Value: i.Notes}},
		Inputs: []*frame.Input{{
			Name: "notes", Label: name, Type: "area", Value: i.Notes, Hint: lang.Say("items.notes.hint"), Focus: true,
		}},
	}
}

func shippingGroup(lang frame.Locale, i lost.Item) *itemGroup {
	s := i.Shipping
	unit := string(cmp.Or(s.WeightUnit, lost.DefaultWeightUnit))
	var weight, weightText, document, documentText, box string
	if s.Weight != nil {
		weight = strings.Replace(strconv.FormatFloat(*s.Weight, 'f', -1, 64), ".", lang.DecimalMark(), 1)
		weightText = lang.Decimal(*s.Weight, -1) + " " + unit
	}
	if s.IsDocument != nil && *s.IsDocument {
		document, documentText = "yes", lang.Say("items.yes")
	}
	for _, b := range lost.Boxes() {
		if b.Type == s.BoxType {
			box = lang.BoxText(b)
		}
	}
	return &itemGroup{
		Closed: !i.Held() && !s.Known() && i.Parcel.ShipmentID == "", // no longer here and not shipped
		ID:     "shipping", Name: lang.Say("items.shipping"), Empty: lang.Say("items.shipping.none"),
		Facts: []frame.ItemFact{
			{Name: lang.FieldLabel("shipping.weight"), Value: weightText},
			{Name: lang.FieldLabel("shipping.boxType"), Value: box},
			{Name: lang.Say("items.shipping.document"), Value: documentText},
			{Name: lang.Say("items.shipping.refused"), Value: s.NotShipped},
		},
		Inputs: []*frame.Input{
			{
				Name: "shipping.weight", Label: lang.FieldLabel("shipping.weight"), Type: "text",
				Keyboard: "decimal", Value: weight, Narrow: true, Focus: true,
			},
			{
				Name: "shipping.weightUnit", Label: lang.Say("items.shipping.unit"), Type: "list", Value: unit,
				Options: frame.UnitOptions(), Narrow: true, Required: true,
			},
			{
				Name: "shipping.boxType", Label: lang.FieldLabel("shipping.boxType"), Type: "list",
				Value: string(s.BoxType), Options: lang.BoxOptions(),
			},
			{
				Name: "shipping.isDocument", Label: lang.Say("items.shipping.is-document"), Type: "check",
				Value: document,
			},
			{
				Name: "shipping.notShippedBecause", Label: lang.FieldLabel("shipping.notShippedBecause"),
				Type: "text", Value: s.NotShipped, Hint: lang.Say("items.shipping.refused.hint"),
			},
		},
	}
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
func patchOf(lang frame.Locale, group string, values url.Values) (p lost.ItemPatch, known bool) {
	get := func(name string) lost.Field[string] { return frame.FormField(values, name) }
	switch group {
	case "what":
		p.Description = lost.Set(respond.FormText(values, "description").Value)
		for _, f := range frame.DetailFields {
			f.Set(&p, get(f.Name))
		}
		p.Category = get("category")
		p.Value = lang.ReadValue(values, values.Get("currency"), &p.Problems)
	case "finder":
		p.Finder = lost.Set(frame.ReadFinder(values))
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
	patch, known := patchOf(c.Locale, values.Get("group"), values)
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
	c.Flash(c.Say("items.saved"))
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
	p.moveChips()
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
		t := c.NewTimelineEntry(f.Item, e)
		t.When = c.ShortMoment(e.At, f.Location, c.Now())
		entries = append(entries, t)
	}
	return entries, err
}
