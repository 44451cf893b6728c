package v1

import (
	"homeward/internal/lost"
)

// ShippingRules are the shipping settings and prices of a location.
type ShippingRules struct {
	Offered     bool    `json:"offered" input:"optional"`
	Service     string  `json:"service,omitempty" input:"optional" max:"200"`
	Currency    string  `json:"currency" input:"optional" pattern:"^[A-Za-z]{3}$"`
	HandlingFee int64   `json:"handlingFee" input:"optional" least:"0" most:"100000000"`
	TaxRate     float64 `json:"taxRate" input:"optional" least:"0" most:"100"`
	TaxID       string  `json:"taxId,omitempty" input:"optional" max:"200"`
	TrackingURL string  `json:"trackingUrl,omitempty" input:"optional" max:"2048"`
	Domestic    Zone    `json:"domestic" input:"optional"`
	Neighbour   Zone    `json:"neighbour" input:"optional"`
	World       Zone    `json:"world" input:"optional"`
}

// Zone holds the prices and delivery times for a group of countries.
type Zone struct {
	Prices        []Band `json:"prices" input:"optional" items:"30"`
	DocumentPrice *int64 `json:"documentPrice,omitempty" input:"optional" least:"0" most:"100000000"`
	FromDays      int64  `json:"fromDays" input:"optional" least:"0" most:"120"`
	ToDays        int64  `json:"toDays" input:"optional" least:"0" most:"120"`
}

// Band is the price for parcels up to a certain weight.
type Band struct {
	UpToGrams int64 `json:"upToGrams" input:"required" least:"1" most:"1000000"`
	Price     int64 `json:"price" input:"required" least:"0" most:"100000000"`
}

// perCent is one per cent in the domain's unit for tax rates.
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
