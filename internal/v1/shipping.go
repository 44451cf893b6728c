package v1

import (
	"homeward/internal/lost"
)

// Shipping is what is known about sending an item.
type Shipping struct {
	Weight            *float64   `json:"weight,omitempty" input:"optional" above:"0" most:"100000" doc:"Weight of the item." example:"0.4"`
	WeightUnit        string     `json:"weightUnit,omitempty" input:"optional" enum:"weightUnits" doc:"Unit of the weight; kg unless told otherwise." example:"kg"`
	BoxType           string     `json:"boxType,omitempty" input:"optional" enum:"boxTypes" doc:"Packaging box, in cm: letter 33 x 23 x 3, flat 33 x 23 x 6, shoe 40 x 20 x 20, moving 60 x 40 x 40, long 100 x 20 x 20. Its size counts for the price." example:"long"`
	IsDocument        *bool      `json:"isDocument,omitempty" input:"optional" doc:"True when the item consists of documents only." example:"false"`
	NotShippedBecause string     `json:"notShippedBecause,omitempty" input:"optional" max:"500" sample:"omit" doc:"Why the item is not to be sent; the guest is offered no shipping and told this. null: it may be sent." example:"Lithium batteries may not travel by post."`
	TrackingNumber    string     `json:"trackingNumber,omitempty" sample:"omit" doc:"The carrier's number for the parcel, from the label; update-status sets it too." example:"00340434161094042557"`
	Recipient         *Recipient `json:"recipient,omitempty" sample:"omit" doc:"Who it goes to and where, once the owner has said."`
	Service           string     `json:"service,omitempty" sample:"omit" doc:"What it is sent with, once that is chosen." example:"Standard parcel"`
	Price             *Price     `json:"price,omitempty" sample:"omit" doc:"What the owner pays for sending it, once that is known."`
	Payment           string     `json:"payment,omitempty" enum:"payments" sample:"omit" doc:"How it was paid, once it was: none says that the location has collected the fee itself, test that no money moved." example:"stripe"`
	Refund            string     `json:"refund,omitempty" enum:"refundStates" sample:"omit" doc:"How far giving the fee back is, where that was asked for." example:"done"`
	ShippingDate      string     `json:"shippingDate,omitempty" format:"date" sample:"omit" doc:"The day on which the parcel leaves, YYYY-MM-DD, once there is a label." example:"2026-11-20"`
	TrackingURL       string     `json:"trackingUrl,omitempty" format:"uri" sample:"omit" doc:"Where the carrier shows how far the parcel is." example:"https://carrier.example/track/00340434161094042557"`
	Documents         []Document `json:"documents,omitempty" sample:"omit" doc:"The papers of the parcel, once they are printed."`
}

// Price is what sending an item costs its owner.
type Price struct {
	Total    int64  `json:"total" doc:"What the owner pays, in minor units of the currency, tax included." example:"1990"`
	Postage  int64  `json:"postage" doc:"The part of it that is for the carrier." example:"1690"`
	Handling int64  `json:"handling" doc:"The part of it that the location takes for its work." example:"300"`
	Currency string `json:"currency" doc:"The currency by its three letters (ISO 4217)." example:"EUR"`
}

// Document is a document of a parcel.
type Document struct {
	Type      string `json:"type" enum:"documentKinds" doc:"What it is for. customs is there only where the parcel passes a customs frontier." example:"label"`
	URL       string `json:"url" format:"uri" doc:"Address of the file: whoever has it can read it, for as long as the item is there." example:"https://homeward.example/files/mv4x7q2k9d3w.pdf"`
	PaperSize string `json:"paperSize" doc:"Size of the paper." example:"A6"`
	FileType  string `json:"fileType" doc:"Type of the file." example:"pdf"`
}

// Recipient is who a parcel goes to, and where.
type Recipient struct {
	Name     string `json:"name,omitempty" doc:"Full name." example:"Anna Kowalska"`
	Company  string `json:"company,omitempty" doc:"Company." example:"Studio Fala"`
	Address1 string `json:"address1,omitempty" doc:"Address line 1." example:"ul. Długa 7"`
	Address2 string `json:"address2,omitempty" doc:"Address line 2." example:"m. 12"`
	City     string `json:"city,omitempty" doc:"City." example:"Warszawa"`
	State    string `json:"state,omitempty" doc:"State, province or prefecture." example:"Mazowieckie"`
	ZipCode  string `json:"zipCode,omitempty" doc:"Zip or postal code." example:"00-238"`
	Country  string `json:"country,omitempty" doc:"2-letter country code (ISO 3166-1)." example:"PL"`
	Phone    string `json:"phone,omitempty" doc:"Phone number in E.164." example:"+48221234567"`
}

// shipping writes what is known about sending an item; nil if nothing is.
func (w Encoder) shipping(i lost.Item) *Shipping {
	s, p := i.Shipping, i.Parcel
	unseen := lost.Parcel{
		ShipmentID: p.ShipmentID, PayBy: p.PayBy, Offered: p.Offered, Unpriced: p.Unpriced, Awaited: p.Awaited,
		Troubles: p.Troubles,
	}
	if !s.Known() && p.Equal(unseen) {
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

// Quotes are the ways to send an item.
type Quotes struct {
	Data   []Quote `json:"data" doc:"The ways to send it, the cheapest first; at most 4. Empty where no price can be told."`
	Reason string  `json:"reason,omitempty" sample:"omit" doc:"Why no price can be told." example:"Neither weight nor box of the item is known: set one of them."`
}

// Quote is one way to send an item.
type Quote struct {
	Service  string `json:"service" doc:"What it would be sent with." example:"Standard parcel"`
	Price    Price  `json:"price" doc:"What the owner would pay."`
	FromDays int    `json:"fromDays,omitempty" doc:"How many working days it takes at least; absent where nobody says." example:"3"`
	ToDays   int    `json:"toDays,omitempty" doc:"How many working days it takes at most; absent where nobody says." example:"6"`
}

// Quotes writes the ways to send an item.
func (w Encoder) Quotes(o lost.Offers) Quotes {
	out := Quotes{Data: make([]Quote, len(o.Quotes)), Reason: o.Why}
	for n, q := range o.Quotes {
		out.Data[n] = Quote{Service: q.Service, Price: priceOf(q.Price), FromDays: q.FromDays, ToDays: q.ToDays}
	}
	return out
}

// Refund asks for a refund.
type Refund struct {
	Reason string `json:"reason" input:"optional" max:"500" doc:"Why, for the item's history." example:"The parcel was never sent."`
}

// DecodeRefund reads a request for a refund.
func DecodeRefund(body []byte) (p lost.RefundPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		o.text("reason", &p.Because)
	})
	return p, err
}
