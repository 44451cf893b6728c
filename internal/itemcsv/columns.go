package itemcsv

import (
	"math"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
)

// columns is the whole table. Headings are the API's names, so that what is wrong with a row is said of the column as it is headed.
var columns = []column{
	{"reference", []string{"ref", "tag", "tagnumber"}, func(i lost.Item) string { return i.Reference },
		func(p *lost.CarriedPatch, s string) { p.Reference = lost.Set(s) }},
	{"status", []string{"state"}, func(i lost.Item) string { return string(i.Status) },
		func(p *lost.CarriedPatch, s string) { p.Move.Status = lost.Set(status(s)) }},
	{"description", []string{"item", "title", "name", "what", "article", "object"}, func(i lost.Item) string { return i.Description },
		func(p *lost.CarriedPatch, s string) { p.Item.Description = lost.Set(s) }},
	{"brand", []string{"make", "manufacturer"}, func(i lost.Item) string { return i.Brand },
		func(p *lost.CarriedPatch, s string) { p.Item.Brand = lost.Set(s) }},
	{"model", []string{"type"}, func(i lost.Item) string { return i.Model },
		func(p *lost.CarriedPatch, s string) { p.Item.Model = lost.Set(s) }},
	{"color", []string{"colour"}, func(i lost.Item) string { return i.Color },
		func(p *lost.CarriedPatch, s string) { p.Item.Color = lost.Set(s) }},
	{"discoveryPlace", []string{"foundat", "foundin", "foundwhere", "where", "place", "room", "placefound"}, func(i lost.Item) string { return i.DiscoveryPlace },
		func(p *lost.CarriedPatch, s string) { p.Item.DiscoveryPlace = lost.Set(s) }},
	{"discoveryDate", []string{"foundon", "founddate", "datefound", "date", "when"}, func(i lost.Item) string { return i.DiscoveryDate },
		func(p *lost.CarriedPatch, s string) { p.Item.DiscoveryDate = lost.Set(day(s)) }},
	{"storagePlace", []string{"storage", "storedat", "storedin", "shelf", "keptat"}, lost.Item.KeptAt,
		func(p *lost.CarriedPatch, s string) { p.Item.StoragePlace = lost.Set(s) }},
	{"storeUntil", nil, lost.Item.StoreUntil, nil},
	{"notes", []string{"note", "remark", "remarks", "comment", "comments"}, func(i lost.Item) string { return i.Notes },
		func(p *lost.CarriedPatch, s string) { p.Item.Notes = lost.Set(s) }},
	{"owner.firstName", []string{"firstname", "givenname", "guestfirstname"}, func(i lost.Item) string { return i.Owner.FirstName },
		func(p *lost.CarriedPatch, s string) { owner(p).FirstName = lost.Set(s) }},
	{"owner.lastName", []string{"lastname", "surname", "familyname", "guestlastname", "owner", "ownername", "guest", "guestname"}, func(i lost.Item) string { return i.Owner.LastName },
		func(p *lost.CarriedPatch, s string) { owner(p).LastName = lost.Set(s) }},
	{"owner.email", []string{"email", "mail", "emailaddress", "guestemail"}, func(i lost.Item) string { return i.Owner.Email },
		func(p *lost.CarriedPatch, s string) { owner(p).Email = lost.Set(s) }},
	{"owner.phone", []string{"phone", "telephone", "mobile", "phonenumber", "guestphone"}, func(i lost.Item) string { return i.Owner.Phone },
		func(p *lost.CarriedPatch, s string) { owner(p).Phone = lost.Set(s) }},
	{"language", []string{"ownerlanguage", "guestlanguage"}, func(i lost.Item) string { return i.Language },
		func(p *lost.CarriedPatch, s string) { p.Item.Language = lost.Set(s) }},
	{"pickupDate", []string{"collectiondate"}, func(i lost.Item) string { return i.Pickup.Date },
		func(p *lost.CarriedPatch, s string) { p.Move.PickupDate = lost.Set(day(s)) }},
	{"pickupTime", []string{"collectiontime"}, func(i lost.Item) string { return i.Pickup.Time },
		func(p *lost.CarriedPatch, s string) { p.Move.PickupTime = lost.Set(timeOfDay(s)) }},
	{"closed", nil, func(i lost.Item) string { return yes(!i.ClosedAt.IsZero(), "") },
		func(p *lost.CarriedPatch, s string) { flag(p, "closed", s, &p.Move.Closed) }},
	{"trackingNumber", []string{"shippingtrackingnumber", "tracking"}, func(i lost.Item) string { return i.Shipping.TrackingNumber },
		func(p *lost.CarriedPatch, s string) { p.TrackingNumber = lost.Set(s) }},
	{"shipping.weight", []string{"weight"}, func(i lost.Item) string { return weight(i.Shipping.Weight) },
		func(p *lost.CarriedPatch, s string) { number(p, "shipping.weight", s, &shipping(p).Weight) }},
	{"shipping.weightUnit", []string{"weightunit", "unit"}, func(i lost.Item) string { return string(i.Shipping.WeightUnit) },
		func(p *lost.CarriedPatch, s string) { shipping(p).WeightUnit = lost.Set(strings.ToLower(s)) }},
	{"shipping.boxType", []string{"boxtype", "box"}, func(i lost.Item) string { return string(i.Shipping.BoxType) },
		func(p *lost.CarriedPatch, s string) { shipping(p).BoxType = lost.Set(strings.ToLower(s)) }},
	{"shipping.isDocument", []string{"isdocument", "document"}, func(i lost.Item) string { return document(i.Shipping.IsDocument) },
		func(p *lost.CarriedPatch, s string) {
			flag(p, "shipping.isDocument", s, &shipping(p).IsDocument)
		}},
	{"shipping.notShippedBecause", []string{"notshippedbecause"}, func(i lost.Item) string { return i.Shipping.NotShipped },
		func(p *lost.CarriedPatch, s string) { shipping(p).NotShipped = lost.Set(s) }},
	{"imageUrl", []string{"image", "photo", "picture"}, func(i lost.Item) string { return i.ImageURL },
		func(p *lost.CarriedPatch, s string) { p.Item.ImageURL = lost.Set(s) }},
	{"source", nil, func(i lost.Item) string { return string(i.Source) }, found},
	{"id", []string{"itemid"}, func(i lost.Item) string { return i.ID }, nil},
	{"createdAt", nil, func(i lost.Item) string { return moment(i.CreatedAt) }, nil},
	{"updatedAt", nil, func(i lost.Item) string { return moment(i.UpdatedAt) }, nil},
	{"hold", []string{"onhold", "holdreason"}, func(i lost.Item) string { return i.Hold },
		func(p *lost.CarriedPatch, s string) { p.Item.Hold = lost.Set(s) }},
	{"keepUntil", []string{"keptuntil"}, func(i lost.Item) string { return i.KeepUntil },
		func(p *lost.CarriedPatch, s string) { p.Item.KeepUntil = lost.Set(day(s)) }},
	{"destination", nil, func(i lost.Item) string { return string(i.Destination) },
		func(p *lost.CarriedPatch, s string) { p.Destination = lost.Set(strings.ToLower(s)) }},
	{"handover.at", []string{"handedover", "handedoverat", "handedoveron"}, func(i lost.Item) string { return moment(i.Handover.At) },
		func(p *lost.CarriedPatch, s string) { p.HandedOver = lost.Set(onlyDay(s)) }},
	{"handover.idChecked", []string{"idchecked"}, func(i lost.Item) string { return yes(i.Handover.IDChecked, "") },
		func(p *lost.CarriedPatch, s string) { flag(p, "handover.idChecked", s, &p.IDChecked) }},
}

// imageColumn is the one that may lead to a file of the service's own.
const imageColumn = "imageUrl"

func owner(p *lost.CarriedPatch) *lost.OwnerPatch {
	p.Item.Owner.Sent = true
	return &p.Item.Owner.Value
}

func shipping(p *lost.CarriedPatch) *lost.ShippingPatch {
	p.Item.Shipping.Sent = true
	return &p.Item.Shipping.Value
}

// found refuses what is no found item: a request is filed by the person who lost something.
func found(p *lost.CarriedPatch, s string) {
	if !strings.EqualFold(s, string(lost.Found)) {
		p.Item.Problems.Add("source", "not-allowed", "must be found: requests cannot be imported; leave the row out")
	}
}

// status takes a status in any case, also with another sign for the blank.
func status(s string) string {
	return strings.NewReplacer("_", " ", "-", " ").Replace(strings.ToUpper(s))
}

// day takes a date also as a spreadsheet may have rewritten it, where there is but one way to read it.
func day(s string) string {
	if len(s) > len(lost.DateForm) && (s[len(lost.DateForm)] == ' ' || s[len(lost.DateForm)] == 'T') {
		s = s[:len(lost.DateForm)]
	}
	return onlyDay(s)
}

// onlyDay is day for what may also be a time of one.
func onlyDay(s string) string {
	for _, form := range []string{"2.1.2006", "2006/1/2", "2006-1-2"} {
		if at, err := time.Parse(form, s); err == nil {
			return at.Format(lost.DateForm)
		}
	}
	return s
}

// timeOfDay takes a time also without its leading zero, or with seconds that are none.
func timeOfDay(s string) string {
	if at, err := time.Parse("15:4", strings.TrimSuffix(s, ":00")); err == nil && strings.Count(s, ":") == 2 {
		return at.Format(lost.TimeForm)
	}
	if at, err := time.Parse(lost.TimeForm, s); err == nil {
		return at.Format(lost.TimeForm)
	}
	return s
}

// flag takes yes and no.
func flag(p *lost.CarriedPatch, field, s string, dst *lost.Field[bool]) {
	switch strings.ToLower(s) {
	case "yes", "y", "true", "1":
		*dst = lost.Set(true)
	case "no", "n", "false", "0":
		*dst = lost.Set(false)
	default:
		p.Item.Problems.Add(field, "not-allowed", "must be yes or no")
	}
}

// number takes a number with a decimal point or comma.
func number(p *lost.CarriedPatch, field, s string, dst *lost.Field[float64]) {
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

func weight(w *float64) string {
	if w == nil {
		return ""
	}
	return strconv.FormatFloat(*w, 'f', -1, 64)
}

func document(is *bool) string {
	if is == nil {
		return ""
	}
	return yes(*is, "no")
}

func yes(is bool, otherwise string) string {
	if is {
		return "yes"
	}
	return otherwise
}

// moment writes a time; nothing where there is none.
func moment(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}
