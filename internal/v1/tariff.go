package v1

import (
	"homeward/internal/lost"
)

// ShippingRules is how a location ships items, and what it charges.
type ShippingRules struct {
	Offered     bool    `json:"offered" input:"optional" doc:"Whether things are sent to their owners at all. null: they are." example:"true"`
	Service     string  `json:"service,omitempty" input:"optional" max:"200" doc:"What the location sends parcels with, as people call it." example:"DHL Paket"`
	Currency    string  `json:"currency" input:"optional" pattern:"^[A-Za-z]{3}$" doc:"The currency of every amount, by its three letters (ISO 4217); null: that of the location's country. In another currency, amounts that are not sent along become the usual ones." example:"EUR"`
	HandlingFee int64   `json:"handlingFee" input:"optional" least:"0" most:"100000000" doc:"What the location takes for its work, on top of the postage, in minor units." example:"300"`
	TaxRate     float64 `json:"taxRate" input:"optional" least:"0" most:"100" doc:"The tax that is contained in every price, in per cent with at most two decimal places. The invoice shows it." example:"19"`
	TaxID       string  `json:"taxId,omitempty" input:"optional" max:"200" doc:"The tax number that stands on invoices." example:"DE136695976"`
	TrackingURL string  `json:"trackingUrl,omitempty" input:"optional" max:"2048" doc:"Address of the carrier's page for a parcel, http or https, with {number} where its number belongs. It makes the link of a tracking number that is typed in." example:"https://carrier.example/track/{number}"`
	Domestic    Zone    `json:"domestic" input:"optional" doc:"Sending to the location's own country. null gives the usual prices back." example:"{\"prices\":[{\"upToGrams\":2000,\"price\":690},{\"upToGrams\":10000,\"price\":1290}],\"documentPrice\":350,\"fromDays\":1,\"toDays\":3}"`
	Neighbour   Zone    `json:"neighbour" input:"optional" doc:"Sending to other countries of the same part of the world, likewise." example:"{\"prices\":[{\"upToGrams\":2000,\"price\":1690},{\"upToGrams\":10000,\"price\":2690}],\"documentPrice\":690,\"fromDays\":3,\"toDays\":6}"`
	World       Zone    `json:"world" input:"optional" doc:"Sending to every other country, likewise." example:"{\"prices\":[{\"upToGrams\":2000,\"price\":3490}],\"fromDays\":6,\"toDays\":14}"`
}

// Zone is the price list for some countries.
type Zone struct {
	Prices        []Band `json:"prices" input:"optional" items:"30" doc:"Prices by rising weight; what is heavier than the last is not sent there, and with an empty list nothing is. The list is replaced as a whole; null gives the usual one back." example:"[{\"upToGrams\":2000,\"price\":690},{\"upToGrams\":10000,\"price\":1290}]"`
	DocumentPrice *int64 `json:"documentPrice,omitempty" input:"optional" least:"0" most:"100000000" doc:"What documents cost that weigh at most 2 kg and need no box but letter or flat, in minor units. null: what everything else does." example:"350"`
	FromDays      int64  `json:"fromDays" input:"optional" least:"0" most:"120" doc:"How many working days it takes at least; 0 and null: nobody says." example:"1"`
	ToDays        int64  `json:"toDays" input:"optional" least:"0" most:"120" doc:"How many working days it takes at most; not less than fromDays." example:"3"`
}

// Band is the price up to a weight.
type Band struct {
	UpToGrams int64 `json:"upToGrams" input:"required" least:"1" most:"1000000" doc:"The most that is charged for, in grams." example:"2000"`
	Price     int64 `json:"price" input:"required" least:"0" most:"100000000" doc:"The postage, in minor units." example:"690"`
}

// perCent is one per cent in the units of tax rates.
const perCent = 100

func shippingRules(r lost.ShippingRules) *ShippingRules {
	return &ShippingRules{
		Offered: r.Offered, Service: r.Service, Currency: r.Currency, HandlingFee: r.Handling,
		TaxRate: float64(r.TaxRate) / perCent, TaxID: r.TaxID, TrackingURL: r.Tracking,
		Domestic: zone(r.Domestic), Neighbour: zone(r.Neighbour), World: zone(r.World),
	}
}

func zone(z lost.Zone) Zone {
	out := Zone{
		Prices: make([]Band, len(z.Prices)), DocumentPrice: z.Document, FromDays: int64(z.FromDays),
		ToDays: int64(z.ToDays),
	}
	for n, b := range z.Prices {
		out.Prices[n] = Band{UpToGrams: b.Grams, Price: b.Price}
	}
	return out
}

func (o *object) shippingRules(dst *lost.Field[lost.ShippingRulesPatch]) {
	nested(o, "shipping", dst, func(o *object, p *lost.ShippingRulesPatch) {
		o.flag("offered", &p.Offered)
		o.text("service", &p.Service)
		o.text("currency", &p.Currency)
		o.amount("handlingFee", &p.Handling)
		o.number("taxRate", &p.TaxRate)
		o.text("taxId", &p.TaxID)
		o.text("trackingUrl", &p.Tracking)
		nested(o, "domestic", &p.Domestic, readZone)
		nested(o, "neighbour", &p.Neighbour, readZone)
		nested(o, "world", &p.World, readZone)
	})
}

func readZone(o *object, p *lost.ZonePatch) {
	objects(o, "prices", lost.MaxBands, &p.Prices, func(o *object, b *lost.Band) {
		o.needed("upToGrams", &b.Grams)
		o.needed("price", &b.Price)
	})
	o.amount("documentPrice", &p.Document)
	o.amount("fromDays", &p.FromDays)
	o.amount("toDays", &p.ToDays)
}
