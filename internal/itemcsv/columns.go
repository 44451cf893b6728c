package itemcsv

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// columns lists all columns in the order of an export. The heading of a column is its field's name in the API, so
// that problems with a row refer to the heading. A column that has neither get nor set is a text field in
// lost.ItemFields. To add such a field, add a line with its name and alternative headings at the end.
//
//nolint:gochecknoglobals // a fixed list, completed once
var columns = withFields([]column{
	{name: "reference", also: []string{"ref", "tag", "tagnumber"},
		set: func(p *lost.ImportedItemPatch, s string) { p.Reference = lost.Set(s) }},
	{name: "status", also: []string{"state"},
		get: func(i *lost.Item) string { return string(i.Status) },
		set: func(p *lost.ImportedItemPatch, s string) { p.Move.Status = lost.Set(status(codeOf("status", s))) }},
	{name: "description", also: []string{"item", "title", "name", "what", "article", "object"}},
	{name: "brand", also: []string{"make", "manufacturer"}},
	{name: "model", also: []string{"type"}},
	{name: "color", also: []string{"colour"}},
	{
		name: "discoveryPlace",
		also: []string{"foundat", "foundin", "foundwhere", "where", "place", "room", "placefound"},
	},
	{name: "discoveryDate", also: []string{"foundon", "founddate", "datefound", "date", "when"}},
	{name: "storagePlace", also: []string{"storage", "storedat", "storedin", "shelf", "keptat"},
		get: func(i *lost.Item) string { return i.StoredAt() }},
	{name: "storeUntil", get: func(i *lost.Item) string { return i.StoreUntil() }},
	{name: "notes", also: []string{"note", "remark", "remarks", "comment", "comments"}},
	{name: "owner.firstName", also: []string{"firstname", "givenname", "guestfirstname"}},
	{name: "owner.lastName", also: []string{"lastname", "surname", "familyname", "guestlastname", "owner", "ownername",
		"guest", "guestname"}},
	{name: "owner.email", also: []string{"email", "mail", "emailaddress", "guestemail"}},
	{name: "owner.phone", also: []string{"phone", "telephone", "mobile", "phonenumber", "guestphone"}},
	{name: "language", also: []string{"ownerlanguage", "guestlanguage"}, set: setLanguage},
	{name: "pickupDate", date: true, also: []string{"collectiondate"},
		get: func(i *lost.Item) string { return i.Pickup.Date },
		set: func(p *lost.ImportedItemPatch, s string) { p.Move.PickupDate = lost.Set(day(s)) }},
	{name: "pickupTime", also: []string{"collectiontime"},
		get: func(i *lost.Item) string { return i.Pickup.Time },
		set: func(p *lost.ImportedItemPatch, s string) { p.Move.PickupTime = lost.Set(timeOfDay(s)) }},
	{name: "closed",
		get: func(i *lost.Item) string { return yes(!i.ClosedAt.IsZero(), "") },
		set: func(p *lost.ImportedItemPatch, s string) { flag(p, "closed", s, &p.Move.Closed) }},
	{name: "trackingNumber", also: []string{"shippingtrackingnumber", "tracking"},
		get: func(i *lost.Item) string { return i.Shipping.TrackingNumber },
		set: func(p *lost.ImportedItemPatch, s string) { p.TrackingNumber = lost.Set(s) }},
	{name: "shipping.weight", also: []string{"weight"},
		get: func(i *lost.Item) string { return weight(i.Shipping.Weight) },
		set: func(p *lost.ImportedItemPatch, s string) { number(p, "shipping.weight", s, &shipping(p).Weight) }},
	{name: "shipping.weightUnit", also: []string{"weightunit", "unit"},
		get: func(i *lost.Item) string { return string(i.Shipping.WeightUnit) }},
	{name: "shipping.boxType", also: []string{"boxtype", "box"},
		get: func(i *lost.Item) string { return string(i.Shipping.BoxType) }},
	{name: "shipping.isDocument", also: []string{"isdocument", "document"},
		get: func(i *lost.Item) string { return document(i.Shipping.IsDocument) },
		set: func(p *lost.ImportedItemPatch, s string) { flag(p, "shipping.isDocument", s, &shipping(p).IsDocument) }},
	{name: "shipping.notShippedBecause", also: []string{"notshippedbecause"}},
	{name: "imageUrl", also: []string{"image", "photo", "picture"}},
	{name: "source", get: func(i *lost.Item) string { return string(i.Source) }, set: onlyFound},
	{name: "id", also: []string{"itemid"}},
	{name: "createdAt", get: func(i *lost.Item) string { return moment(i.CreatedAt) }},
	{name: "updatedAt", get: func(i *lost.Item) string { return moment(i.UpdatedAt) }},
	{name: "hold", also: []string{"onhold", "holdreason"}},
	{name: "keepUntil", also: []string{"keptuntil"}},
	{name: "destination",
		get: func(i *lost.Item) string { return string(i.Destination) },
		set: func(p *lost.ImportedItemPatch, s string) {
			p.Destination = lost.Set(strings.ToLower(codeOf("destination", s)))
		}},
	{name: "handover.at", date: true, also: []string{"handedover", "handedoverat", "handedoveron"},
		get: func(i *lost.Item) string { return moment(i.Handover.At) },
		set: func(p *lost.ImportedItemPatch, s string) { p.HandedOver = lost.Set(onlyDay(s)) }},
	{name: "handover.idChecked", also: []string{"idchecked"},
		get: func(i *lost.Item) string { return yes(i.Handover.IDChecked, "") },
		set: func(p *lost.ImportedItemPatch, s string) { flag(p, "handover.idChecked", s, &p.IDChecked) }},
	{name: "externalId", also: []string{"externalid", "foreignid"}},
	{name: "metadata",
		get: func(i *lost.Item) string { return pairs(i.Metadata) },
		set: setMetadata},
	{name: "endedOn", get: func(i *lost.Item) string { return endedOn(i) }},
	{name: "category", also: []string{"kind", "itemcategory"},
		get: func(i *lost.Item) string { return string(i.Category) },
		set: func(p *lost.ImportedItemPatch, s string) {
			p.Item.Category = lost.Set(strings.ToLower(codeOf("category", s)))
		}},
	{name: "serialNumber", also: []string{"serial", "serialno", "imei"}},
	{name: "value", also: []string{"estimatedvalue", "worth"},
		get: func(i *lost.Item) string { return i.Value.String() },
		set: func(p *lost.ImportedItemPatch, s string) { p.Value = lost.Set(s) }},
	{name: "finder.name", also: []string{"finder", "findername", "handedinby"}},
	{name: "finder.email", also: []string{"finderemail"}},
	{name: "finder.phone", also: []string{"finderphone"}},
	{name: "finder.wantsReward", also: []string{"wantsreward", "finderwantsreward"},
		get: func(i *lost.Item) string { return yes(i.Finder.WantsReward, "") },
		set: func(p *lost.ImportedItemPatch, s string) {
			flag(p, "finder.wantsReward", s, &finder(p).WantsReward)
		}},
	{name: "finder.claimsItem", also: []string{"claimsitem", "finderclaimsitem"},
		get: func(i *lost.Item) string { return yes(i.Finder.ClaimsItem, "") },
		set: func(p *lost.ImportedItemPatch, s string) {
			flag(p, "finder.claimsItem", s, &finder(p).ClaimsItem)
		}},
	{name: "request.state", get: func(i *lost.Item) string { return string(i.Claim.State) }},
	{name: "answeredAt", get: func(i *lost.Item) string { return moment(i.Claim.AnsweredAt) }},
})

// endedOn returns the day on which a found item was returned, donated, discarded or handed to the police, in the time
// zone of its location. It is empty if it was not.
func endedOn(i *lost.Item) string {
	at := i.FindFacts().EndedAt()
	if i.Source != lost.Found || at.IsZero() {
		return ""
	}
	return at.In(i.Terms.Zone()).Format(lost.DateLayout)
}

// withFields sets each missing get or set function of the columns, using their fields in lost.ItemFields.
func withFields(columns []column) []column {
	fields := lost.ItemFields()
	for n := range columns {
		c := &columns[n]
		for m := range fields {
			if f := &fields[m]; f.Name == c.name {
				c.setDefaults(f)
			}
		}
	}
	return columns
}

// setDefaults sets the column's get and set functions if they are missing, and whether it contains a date, using the
// column's field.
func (c *column) setDefaults(f *lost.ItemField) {
	c.date = c.date || f.Kind == lost.DateKind
	if c.get == nil {
		c.get = func(i *lost.Item) string { return *f.Text(i) }
	}
	if c.set != nil || f.Patch == nil {
		return
	}
	c.set = func(p *lost.ImportedItemPatch, s string) {
		switch f.Kind {
		case lost.DateKind:
			s = day(s)
		case lost.ChoiceKind:
			s = strings.ToLower(s)
		}
		switch object, _, _ := strings.Cut(f.Name, "."); object {
		case "owner":
			p.Item.Owner.Sent = true
		case "shipping":
			p.Item.Shipping.Sent = true
		case "finder":
			p.Item.Finder.Sent = true
		}
		*f.Patch(&p.Item) = lost.Set(s)
	}
}

// imageColumn is the column that may contain the URL of an uploaded file. weightColumn contains a decimal number, and
// metadataColumn a JSON object.
const (
	imageColumn    = "imageUrl"
	weightColumn   = "shipping.weight"
	metadataColumn = "metadata"
)

// LocationColumn is the column with the name or id of the location, in a file with items of several locations. Only an
// import into all locations reads it.
const LocationColumn = "location"

// locationColumn returns the column with the location, which is not a field of an item.
func locationColumn() *column {
	return &column{name: LocationColumn, also: []string{"locationname", "locationid", "branch", "site"},
		set: func(*lost.ImportedItemPatch, string) {}}
}

func shipping(p *lost.ImportedItemPatch) *lost.ShippingPatch {
	p.Item.Shipping.Sent = true
	return &p.Item.Shipping.Value
}

func finder(p *lost.ImportedItemPatch) *lost.FinderPatch {
	p.Item.Finder.Sent = true
	return &p.Item.Finder.Value
}

// onlyFound adds a problem for requests, because only the person who lost an item can file a request.
func onlyFound(p *lost.ImportedItemPatch, s string) {
	if !strings.EqualFold(codeOf("source", s), string(lost.Found)) {
		p.Item.Problems.Add("source", "not-allowed",
			"must be found, because requests cannot be imported; remove the row")
	}
}

// setLanguage sets the owner's language. It adds a problem for languages that do not exist.
func setLanguage(p *lost.ImportedItemPatch, s string) {
	if !i18n.Exists(s) {
		p.Item.Problems.Add("language", "invalid-language", "must be a language tag, such as de or pt-BR")
	}
	p.Item.Language = lost.Set(s)
}

// status converts a status to upper case and replaces _ and - with a space.
func status(s string) string {
	return strings.NewReplacer("_", " ", "-", " ").Replace(strings.ToUpper(s))
}

// day converts a date in an unambiguous spreadsheet format to YYYY-MM-DD. It returns other text unchanged.
func day(s string) string {
	if len(s) > len(lost.DateLayout) && (s[len(lost.DateLayout)] == ' ' || s[len(lost.DateLayout)] == 'T') {
		s = s[:len(lost.DateLayout)]
	}
	return onlyDay(s)
}

// onlyDay is like day, but returns a date that is followed by a time unchanged.
func onlyDay(s string) string {
	for _, form := range []string{"2.1.2006", "2006/1/2", "2006-1-2"} {
		if at, err := time.Parse(form, s); err == nil {
			return at.Format(lost.DateLayout)
		}
	}
	return s
}

// timeOfDay converts a time without a leading zero or with zero seconds to HH:mm. It returns other text unchanged.
func timeOfDay(s string) string {
	if at, err := time.Parse("15:4", strings.TrimSuffix(s, ":00")); err == nil && strings.Count(s, ":") == 2 {
		return at.Format(lost.TimeLayout)
	}
	if at, err := time.Parse(lost.TimeLayout, s); err == nil {
		return at.Format(lost.TimeLayout)
	}
	return s
}

// flag sets a field to true for yes and to false for no. It adds a problem for other text.
func flag(p *lost.ImportedItemPatch, field, s string, dst *lost.Field[bool]) {
	switch strings.ToLower(s) {
	case "yes", "y", "true", "1":
		*dst = lost.Set(true)
	case "no", "n", "false", "0":
		*dst = lost.Set(false)
	default:
		p.Item.Problems.Add(field, "not-allowed", "must be yes or no")
	}
}

// number sets a field to a number with a decimal point or comma. It adds a problem for other text.
func number(p *lost.ImportedItemPatch, field, s string, dst *lost.Field[float64]) {
	if strings.Count(s, ",") == 1 && !strings.Contains(s, ".") {
		s = strings.Replace(s, ",", ".", 1)
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		p.Item.Problems.Add(field, "wrong-type", "must be a number, such as 1.5")
		return
	}
	*dst = lost.Set(n)
}

// pairs formats metadata as a JSON object. It returns an empty string if there is none.
func pairs(m lost.Metadata) string {
	if len(m) == 0 {
		return ""
	}
	text, _ := json.Marshal(m) // texts can always be encoded
	return string(text)
}

// setMetadata sets the metadata to a JSON object of texts. It adds a problem for other text.
func setMetadata(p *lost.ImportedItemPatch, s string) {
	var m map[string]string
	if err := json.Unmarshal([]byte(s), &m); err != nil {
		p.Item.Problems.Add(metadataColumn, "wrong-type",
			`must be a JSON object of texts, such as {"booking": "HH-4711"}`)
		return
	}
	p.Item.Metadata = lost.Set(make(lost.MetadataPatch, len(m)))
	for key, value := range m {
		p.Item.Metadata.Value[key] = lost.Set(value)
	}
}

func weight(w *float64) string {
	if w == nil {
		return ""
	}
	return strconv.FormatFloat(*w, 'f', -1, 64)
}

func document(isDocument *bool) string {
	if isDocument == nil {
		return ""
	}
	return yes(*isDocument, "no")
}

func yes(condition bool, otherwise string) string {
	if condition {
		return "yes"
	}
	return otherwise
}

// moment formats a time. It returns an empty string for the zero time.
func moment(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}
