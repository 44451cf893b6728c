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

// itemGroup is a part of an item that is shown, and edited, together.
type itemGroup struct {
	ID, Name  string
	Facts     []frame.ItemFact
	Empty     string // what is said where nothing is known
	Inputs    []*frame.Input
	Open      bool                  // it is shown as a form
	Closed    bool                  // there is nothing to edit
	Folded    bool                  // it is seldom looked at, and opened by who wants it
	Warning   string                // what saving brings about
	Seen      int64                 // the state of the item that the form was made from
	Overtaken []frame.TimelineEntry // what somebody else changed meanwhile
	Now       []frame.ItemFact      // and how it is now
	Base      string                // the address of the item's page
	Handles   bool
	Parcel    *parcelShown // of what is sent
}

// itemGroups are the parts of an item.
func itemGroups(i lost.Item) []*itemGroup {
	groups := []*itemGroup{whatGroup(i), whereGroup(i), ownerGroup(i), storageGroup(i), notesGroup(i), shippingGroup(i)}
	for _, g := range groups {
		g.Seen = i.UpdatedAt.UnixMicro()
		g.Facts = slices.DeleteFunc(g.Facts, func(f frame.ItemFact) bool { return f.Value == "" })
	}
	return groups
}

func itemText(name, label, value string) *frame.Input {
	return &frame.Input{Name: name, Label: label, Type: "text", Value: value}
}

func whatGroup(i lost.Item) *itemGroup {
	description := &frame.Input{Name: "description", Label: "Description", Type: "area", Value: i.Description, Required: true, Focus: true}
	return &itemGroup{
		ID: "what", Name: "What",
		Facts:  []frame.ItemFact{{Name: "Description", Value: i.Description}, {Name: "Brand", Value: i.Brand}, {Name: "Model", Value: i.Model}, {Name: "Colour", Value: i.Color}},
		Inputs: []*frame.Input{description, itemText("brand", "Brand", i.Brand), itemText("model", "Model", i.Model), itemText("color", "Colour", i.Color)},
	}
}

func whereGroup(i lost.Item) *itemGroup {
	place := itemText("discoveryPlace", "Where it was found", i.DiscoveryPlace)
	place.Focus = true
	return &itemGroup{
		ID: "where", Name: "Where and when", Empty: "Nobody noted where and when it was found.",
		Facts:  []frame.ItemFact{{Name: "Found at", Value: i.DiscoveryPlace}, {Name: "Found on", Value: frame.Day(i.DiscoveryDate)}},
		Inputs: []*frame.Input{place, {Name: "discoveryDate", Label: "Day", Type: "date", Value: i.DiscoveryDate, Narrow: true}},
	}
}

func ownerGroup(i lost.Item) *itemGroup {
	first := itemText("owner.firstName", "First name", i.Owner.FirstName)
	first.Focus = true
	g := &itemGroup{
		ID: "owner", Name: "Owner", Empty: "Nobody knows whose it is. Add an e-mail address or a phone number, and the owner is told at once.",
		Facts: []frame.ItemFact{{Name: "Name", Value: frame.FullName(i.Owner)}, {Name: "E-mail", Value: i.Owner.Email}, {Name: "Phone", Value: i.Owner.Phone}, {Name: "Language", Value: cmp.Or(frame.LanguageNames[i.Language], i.Language)}},
		Inputs: []*frame.Input{
			first, itemText("owner.lastName", "Last name", i.Owner.LastName),
			{Name: "owner.email", Label: "E-mail address", Type: "email", Value: i.Owner.Email},
			{Name: "owner.phone", Label: "Phone number", Type: "tel", Value: i.Owner.Phone, Hint: "With + and the country code. An SMS is sent where there is no e-mail address."},
			{Name: "language", Label: "Language", Type: "list", Value: i.Language, Options: ownerLanguages(i.Language), Narrow: true},
		},
	}
	if i.WouldTell() {
		g.Warning = "A new address is written to as soon as you save: what was found, and a link to choose what happens with it."
	}
	return g
}

// ownerLanguages are the languages that an owner is written to in.
func ownerLanguages(present string) []frame.Option {
	options := frame.LanguageOptions(present)
	options[0].Name = "As the location writes"
	return options
}

func storageGroup(i lost.Item) *itemGroup {
	place := itemText("storagePlace", "Storage place", i.StoragePlace)
	place.Focus = true
	if i.Terms.StoragePlace != "" {
		place.Hint = "Left empty: " + i.Terms.StoragePlace
	}
	if !i.Held() { // and kept nowhere
		return &itemGroup{ID: "storage", Name: "Storage", Closed: true, Empty: "It is not here any more."}
	}
	return &itemGroup{
		ID: "storage", Name: "Storage", Empty: "Nobody noted where it is kept.",
		Facts: []frame.ItemFact{{Name: "Kept at", Value: i.KeptAt()}, {Name: "Kept until", Value: frame.Day(i.StoreUntil())}, {Name: "On hold, because", Value: i.Hold}},
		Inputs: []*frame.Input{
			place,
			{Name: "keepUntil", Label: "Keep until at least", Type: "date", Value: i.KeepUntil, Narrow: true, Hint: "Longer than the location keeps things."},
			{Name: "hold", Label: "On hold, because", Type: "text", Value: i.Hold, Hint: "What is on hold is kept, whatever the day. Left empty, it is not."},
		},
	}
}

func notesGroup(i lost.Item) *itemGroup {
	return &itemGroup{
		ID: "notes", Name: "Notes", Empty: "Only the desk reads notes; the owner never does.", Facts: []frame.ItemFact{{Name: "Notes", Value: i.Notes}},
		Inputs: []*frame.Input{{Name: "notes", Label: "Notes", Type: "area", Value: i.Notes, Hint: "Only the desk reads them.", Focus: true}},
	}
}

func shippingGroup(i lost.Item) *itemGroup {
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
			box = frame.BoxText(b)
		}
	}
	unit := string(cmp.Or(s.WeightUnit, lost.DefaultWeightUnit))
	return &itemGroup{
		Closed: !i.Held() && !s.Known() && i.Parcel.ShipmentID == "", // it is gone, and was not sent
		ID:     "shipping", Name: "Shipping", Empty: "Weigh it, and the owner is told what sending costs.",
		Facts: []frame.ItemFact{{Name: "Weight", Value: strings.TrimSpace(weight + " " + unitOf(weight, unit))}, {Name: "Box", Value: box}, {Name: "Document", Value: strings.Replace(document, "yes", "Yes", 1)}, {Name: "Not sent because", Value: s.NotShipped}},
		Inputs: []*frame.Input{
			{Name: "shipping.weight", Label: "Weight", Type: "text", Keyboard: "decimal", Value: weight, Narrow: true, Focus: true},
			{Name: "shipping.weightUnit", Label: "Unit", Type: "list", Value: unit, Options: frame.UnitOptions(), Narrow: true, Required: true},
			{Name: "shipping.boxType", Label: "Box", Type: "list", Value: string(s.BoxType), Options: frame.BoxOptions()},
			{Name: "shipping.isDocument", Label: "It is a document", Type: "check", Value: document},
			{Name: "shipping.notShippedBecause", Label: "It cannot be sent, because", Type: "text", Value: s.NotShipped, Hint: "The owner reads this. Left empty, it can be sent."},
		},
	}
}

func unitOf(weight, unit string) string {
	if weight == "" {
		return ""
	}
	return unit
}

// open shows a part as a form, and gives it; nil where there is none of that name.
func (p *itemPage) open(id string) *itemGroup {
	for _, g := range p.Groups {
		if g.ID == id {
			g.Open, g.Folded = true, false
			return g
		}
	}
	return nil
}

// typed puts back what was typed into a form.
func (g *itemGroup) typed(values url.Values) {
	for _, i := range g.Inputs {
		i.Value = values.Get(i.Name)
	}
}

// patchOf reads what was typed into the fields of a part.
func patchOf(group string, values url.Values) (p lost.ItemPatch, known bool) {
	get := func(name string) lost.Field[string] { return frame.Said(values, name) }
	switch group {
	case "what":
		p.Description = lost.Set(respond.Typed(values, "description").Value)
		p.Brand, p.Model, p.Color = get("brand"), get("model"), get("color")
	case "where":
		p.DiscoveryPlace, p.DiscoveryDate = get("discoveryPlace"), get("discoveryDate")
	case "owner":
		p.Owner = lost.Set(lost.OwnerPatch{FirstName: get("owner.firstName"), LastName: get("owner.lastName"), Email: get("owner.email"), Phone: get("owner.phone")})
		p.Language = get("language")
	case "storage":
		p.StoragePlace, p.KeepUntil, p.Hold = get("storagePlace"), get("keepUntil"), get("hold")
	case "notes":
		p.Notes = get("notes")
	case "shipping":
		s := lost.ShippingPatch{WeightUnit: get("shipping.weightUnit"), BoxType: get("shipping.boxType"), NotShipped: get("shipping.notShippedBecause")}
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

// editItem saves a part of an item.
func (c *call) editItem() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	patch, known := patchOf(values.Get("group"), values)
	if !known {
		return respond.Unreadable(nil)
	}
	seen, err := strconv.ParseInt(values.Get("seen"), 10, 64)
	if err != nil {
		return respond.Unreadable(nil)
	}
	l, err := c.Location()
	if err != nil {
		return err
	}
	patch.Seen, patch.Latest = time.UnixMicro(seen), l.LatestFind(c.Now())
	i, err := c.Desk.UpdateItem(c.Context(), c.Actor(), c.Request.PathValue("location"), c.Request.PathValue("id"), patch)
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

// editAgain shows a form again, with what was typed and what is wrong with it, or what somebody else changed meanwhile.
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
	status := respond.Failed(c.Writer, wrong)
	if status == http.StatusConflict {
		g.Now = g.Facts
		if g.Overtaken, err = c.showConflict(f, patch.Seen); err != nil {
			return err
		}
	} else {
		g.Seen = patch.Seen.UnixMicro()
	}
	g.typed(values)
	if status != http.StatusConflict {
		if p.Problems, err = frame.MarkErrors(g.Inputs, wrong); err != nil {
			return err
		}
	}
	return c.Render(status, "item", p)
}

// showConflict tells what happened to an item after somebody had seen it.
func (c *call) showConflict(f desk.ItemDetail, seen time.Time) (tales []frame.TimelineEntry, err error) {
	since, err := c.Desk.Overtaken(c.Context(), c.Actor(), f.Item.LocationID, f.Item.ID, seen)
	for _, e := range since[:min(len(since), moreLines)] {
		t := frame.NewTimelineEntry(e)
		t.When = frame.ShortMoment(e.At, f.Location, c.Now())
		tales = append(tales, t)
	}
	return tales, err
}
