package courier

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/EasyPost/easypost-go/v5"

	"homeward/internal/lost"
)

// complete reports whether the data that carriers need for a price is set: both addresses, and the weight or size.
func complete(c lost.ParcelOrder) bool {
	from := c.From.Address1 != "" && c.From.City != "" && hasPostalCode(c.From.ZipCode, c.From.Country)
	to := c.To.Address1 != "" && c.To.City != "" && hasPostalCode(c.To.ZipCode, c.To.Country)
	return hasBasics(c) && from && to
}

// hasPostalCode reports whether the postal code is set, or the country has no postal codes.
func hasPostalCode(code, country string) bool { return code != "" || lost.PostalExample(country) == "" }

// declare converts a parcel order to an EasyPost shipment.
func declare(reference string, c lost.ParcelOrder) *easypost.Shipment {
	s := &easypost.Shipment{
		Reference:   reference,
		FromAddress: sender(c.From), ToAddress: receiver(c.To), Parcel: parcel(c.Load),
		Options: &easypost.ShipmentOptions{LabelFormat: "PDF", LabelSize: labelPaper},
	}
	if c.NeedsCustoms() {
		s.CustomsInfo = customs(c)
	}
	return s
}

func sender(l lost.Location) *easypost.Address {
	return &easypost.Address{
		Name: l.Contact.Name, Company: l.Name, Street1: l.Address1, Street2: l.Address2, City: l.City, State: l.State,
		Zip:     l.ZipCode,
		Country: l.Country, Phone: l.Contact.Phone,
	}
}

func receiver(r lost.Recipient) *easypost.Address {
	return &easypost.Address{
		Name: r.Name, Company: r.Company, Street1: r.Address1, Street2: r.Address2, City: r.City, State: r.State,
		Zip:     r.ZipCode,
		Country: r.Country, Phone: r.Phone,
	}
}

// parcel returns the size in inches and the weight in ounces. Both are rounded up to tenths, because carriers charge
// extra for parcels that are larger or heavier than declared.
func parcel(l lost.ParcelSize) *easypost.Parcel {
	box, grams := packed(l)
	return &easypost.Parcel{
		Length: inches(box.Length), Width: inches(box.Width), Height: inches(box.Depth), Weight: ounces(grams),
	}
}

// defaultGrams is the assumed weight of a parcel that was not weighed, by its box.
var defaultGrams = map[lost.BoxType]int64{"letter": 250, "flat": 750, "shoe": 2000, "moving": 8000, "long": 4000}

// packed returns the box and the weight of a parcel. If no box is set, it returns the smallest box for the weight.
func packed(l lost.ParcelSize) (lost.Box, int64) {
	name := l.Box
	switch {
	case name != "":
	case l.Document && l.Grams <= 1000:
		name = "letter"
	case l.Grams <= 1000:
		name = "flat"
	case l.Grams <= 5000:
		name = "shoe"
	default:
		name = "moving"
	}
	boxes := lost.Boxes()
	n := max(0, slices.IndexFunc(boxes, func(b lost.Box) bool { return b.Type == name }))
	return boxes[n], cmp.Or(l.Grams, defaultGrams[boxes[n].Type])
}

func inches(centimetres int) float64 { return roundUpTenths(float64(centimetres) / 2.54) }

func ounces(grams int64) float64 { return roundUpTenths(float64(grams) / lost.Ounce.Grams(1)) }

func roundUpTenths(v float64) float64 { return math.Ceil(v*10) / 10 }

const (
	// customsValue is the value that is declared for every item, in whole units of the location's currency. The real
	// value is unknown, and customs does not accept zero.
	customsValue = 10
	// maxContents is the maximum length of a description on a customs form, in characters.
	maxContents = 60
)

// customs returns the customs declaration for an item that is returned to its owner.
func customs(c lost.ParcelOrder) *easypost.CustomsInfo {
	kind, contents := "returned_goods",
		cmp.Or(strings.Join(strings.Fields(c.Item.Description), " "), "Lost property, returned to its owner")
	if c.Load.Document {
		kind = "documents"
	}
	_, grams := packed(c.Load)
	info := &easypost.CustomsInfo{
		ContentsType: kind, CustomsCertify: true, CustomsSigner: cmp.Or(c.From.Contact.Name, c.From.Name),
		NonDeliveryOption: "return", RestrictionType: "none",
		CustomsItems: []*easypost.CustomsItem{{
			Description: lost.Shorten(contents, maxContents), Quantity: 1, Value: customsValue,
			Currency: c.From.Rules().Currency,
			Weight:   ounces(grams), OriginCountry: c.From.Country,
		}},
	}
	if c.From.Country == "US" {
		info.EELPFC = "NOEEI 30.37(a)" // the value is so low that no export filing is needed
	}
	return info
}
