package v1

import (
	"homeward/internal/lost"
)

// Shipping holds the shipping data of an item.
type Shipping struct {
	Weight            *float64   `json:"weight,omitempty" input:"optional" above:"0" most:"100000"`
	WeightUnit        string     `json:"weightUnit,omitempty" input:"optional" enum:"weightUnits"`
	BoxType           string     `json:"boxType,omitempty" input:"optional" enum:"boxTypes"`
	IsDocument        *bool      `json:"isDocument,omitempty" input:"optional"`
	NotShippedBecause string     `json:"notShippedBecause,omitempty" input:"optional" max:"500" sample:"omit"`
	TrackingNumber    string     `json:"trackingNumber,omitempty" sample:"omit"`
	Recipient         *Recipient `json:"recipient,omitempty" sample:"omit"`
	Service           string     `json:"service,omitempty" sample:"omit"`
	Price             *Price     `json:"price,omitempty" sample:"omit"`
	Payment           string     `json:"payment,omitempty" enum:"payments" sample:"omit"`
	Refund            string     `json:"refund,omitempty" enum:"refundStates" sample:"omit"`
	ShippingDate      string     `json:"shippingDate,omitempty" format:"date" sample:"omit"`
	TrackingURL       string     `json:"trackingUrl,omitempty" format:"uri" sample:"omit"`
	Documents         []Document `json:"documents,omitempty" sample:"omit"`
}

// Price is the shipping price that the owner pays.
type Price struct {
	Total    int64  `json:"total"`
	Postage  int64  `json:"postage"`
	Handling int64  `json:"handling"`
	Currency string `json:"currency"`
}

// Document is a shipping document, such as a label.
type Document struct {
	Type      string `json:"type" enum:"documentKinds"`
	URL       string `json:"url" format:"uri"`
	PaperSize string `json:"paperSize"`
	FileType  string `json:"fileType"`
}

// Recipient is the name and address of the person that a parcel is shipped to.
type Recipient struct {
	Name     string `json:"name,omitempty"`
	Company  string `json:"company,omitempty"`
	Address1 string `json:"address1,omitempty"`
	Address2 string `json:"address2,omitempty"`
	City     string `json:"city,omitempty"`
	State    string `json:"state,omitempty"`
	ZipCode  string `json:"zipCode,omitempty"`
	Country  string `json:"country,omitempty"`
	Phone    string `json:"phone,omitempty"`
}

// shipping converts the shipping data of an item. It returns nil if the item has none.
func (w Encoder) shipping(i lost.Item) *Shipping {
	s, p := i.Shipping, i.Parcel
	hidden := lost.Parcel{
		ShipmentID: p.ShipmentID, PayBy: p.PayBy, Offered: p.Offered, Unpriced: p.Unpriced, Awaited: p.Awaited,
		Troubles: p.Troubles,
	}
	if !s.Known() && p.Equal(hidden) {
		return nil
	}
	out := &Shipping{
		Weight: s.Weight, WeightUnit: string(s.WeightUnit), BoxType: string(s.BoxType), IsDocument: s.IsDocument,
		NotShippedBecause: s.NotShipped,
		Service:           p.Service, Refund: string(p.Refund), ShippingDate: p.ShippingDate,
		TrackingNumber: s.TrackingNumber, TrackingURL: p.TrackingURL,
	}
	if s.Recipient.Known() {
		r := Recipient(s.Recipient)
		out.Recipient = &r
	}
	if p.Price.Known() {
		price := priceOf(p.Price)
		out.Price = &price
	}
	if p.Paid {
		out.Payment = string(p.PayBy)
	}
	for _, d := range p.Documents {
		out.Documents = append(out.Documents,
			Document{Type: string(d.Kind), URL: w.FileURL(d.File), PaperSize: d.Paper, FileType: paperType})
	}
	return out
}

// paperType is the file type of all documents.
const paperType = "pdf"

func priceOf(p lost.Price) Price {
	return Price{Total: p.Total(), Postage: p.Postage, Handling: p.Handling, Currency: p.Currency}
}

func (o *object) shipping(p *lost.ItemPatch) {
	nested(o, "shipping", &p.Shipping, func(o *object, s *lost.ShippingPatch) {
		o.number("weight", &s.Weight)
		o.flag("isDocument", &s.IsDocument)
		readTexts(o, "shipping.", lost.ItemFields(), p)
		o.owned("recipient", "service", "price", "payment", "refund", "shippingDate", "trackingNumber", "trackingUrl",
			"documents")
	})
}

// Quotes are the offers to ship an item.
type Quotes struct {
	Data   []Quote `json:"data"`
	Reason string  `json:"reason,omitempty" sample:"omit"`
}

// Quote is one offer to ship an item.
type Quote struct {
	Service  string `json:"service"`
	Price    Price  `json:"price"`
	FromDays int    `json:"fromDays,omitempty"`
	ToDays   int    `json:"toDays,omitempty"`
}

// Quotes converts the offers to ship an item to the API format.
func (w Encoder) Quotes(o lost.Offers) Quotes {
	out := Quotes{Data: make([]Quote, len(o.Quotes)), Reason: o.Why}
	for n, q := range o.Quotes {
		out.Data[n] = Quote{Service: q.Service, Price: priceOf(q.Price), FromDays: q.FromDays, ToDays: q.ToDays}
	}
	return out
}

// Refund is a request for a refund.
type Refund struct {
	Reason string `json:"reason" input:"optional" max:"500"`
}

// DecodeRefund decodes a request for a refund.
func DecodeRefund(body []byte) (p lost.RefundPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		o.text("reason", &p.Reason)
	})
	return p, err
}
