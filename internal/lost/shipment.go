package lost

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// ParcelSize is the weight and size of an item, for a carrier.
type ParcelSize struct {
	Grams    int64 // actual weight; 0 if not known
	Box      BoxType
	Document bool
}

// ParcelSize returns the weight and size of an item, and whether enough is known to calculate a price.
func (s Shipping) ParcelSize() (ParcelSize, bool) {
	l := ParcelSize{Box: s.BoxType, Document: s.IsDocument != nil && *s.IsDocument}
	if w := s.Weight; w != nil {
		l.Grams = wholeGrams(s.WeightUnit.Grams(*w))
	}
	return l, l.Grams > 0 || l.Box != "" || l.Document
}

// wholeGrams rounds a weight up to whole grams. Fractions below a microgram are ignored as rounding errors: 16.1 kg
// is 16100 g.
func wholeGrams(grams float64) int64 {
	const micro = 1e6
	return max(1, int64(math.Ceil(math.Round(grams*micro)/micro)))
}

// volumetricDivisor is the number of cubic centimetres that are charged as one gram, because carriers also charge for
// volume.
const volumetricDivisor = 5

// ChargedGrams returns the weight that is charged: the actual weight, or the volumetric weight of the box if it is
// higher.
func (l ParcelSize) ChargedGrams() int64 {
	n := slices.IndexFunc(Boxes(), func(b Box) bool { return b.Type == l.Box })
	if n < 0 {
		return l.Grams
	}
	b := Boxes()[n]
	return max(l.Grams, int64(b.Length*b.Width*b.Depth/volumetricDivisor))
}

// ParcelOrder is an item to be shipped, with its sender and recipient.
type ParcelOrder struct {
	From Location
	To   Recipient
	Item Item
	Load ParcelSize
}

// NewParcelOrder returns an order to ship an item to a recipient, and reports whether enough is known about the item
// to calculate a price.
func NewParcelOrder(i Item, from Location, to Recipient) (ParcelOrder, bool) {
	load, known := i.Shipping.ParcelSize()
	return ParcelOrder{From: from, To: to, Item: i, Load: load}, known
}

// TariffQuote returns the price of the parcel in the location's tariff. If there is none, it returns an Invalid error
// with the reason.
func (c ParcelOrder) TariffQuote() (Quote, error) {
	if why := c.WhyNoPrice(); why != "" {
		return Quote{}, E(Invalid, "%s", why)
	}
	rules := c.From.Rules()
	zone := rules.Zone(c.From.Country, c.To.Country)
	price, _ := zone.Price(c.Load)
	return Quote{
		Service:  rules.serviceName(zone, c.Load),
		Price:    Price{Postage: price, Handling: rules.Handling, Currency: rules.Currency},
		FromDays: zone.FromDays, ToDays: zone.ToDays,
	}, nil
}

// serviceName returns the name of the service from the location's rules, or a default name for the parcel.
func (r ShippingRules) serviceName(zone Zone, load ParcelSize) string {
	if r.Service != "" {
		return r.Service
	}
	letters := Zone{Document: zone.Document} // the zone with only its price for letters
	if _, isLetter := letters.Price(load); isLetter {
		return "Standard letter"
	}
	return "Standard parcel"
}

// NeedsCustoms reports whether a parcel needs customs documents.
func (c ParcelOrder) NeedsCustoms() bool {
	from, to := c.From.Country, c.To.Country
	return from != to && !(inCustomsUnion(from) && inCustomsUnion(to))
}

// inCustomsUnion reports whether a country is in the EU's customs union.
func inCustomsUnion(country string) bool {
	return strings.Contains("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MC MT NL PL PT RO SE SI SK",
		country) && country != ""
}

// Quote is an offer to ship an item: service, price and delivery time.
type Quote struct {
	Service string // name of the service
	Rate    string // the carrier's id for the offer, if it has one
	Price   Price
	// FromDays and ToDays are the delivery time in working days; 0 if not known.
	FromDays, ToDays int
}

// Key returns a key that identifies an offer within a shipment. The key changes if the price changes.
func (q Quote) Key() string {
	return fmt.Sprint(q.Service, " ", q.Price.Postage, " ", q.Price.Handling, " ", q.Price.Currency)
}

// Offers contains the offers to ship an item, the cheapest first. If there are none, Why tells the desk the reason.
type Offers struct {
	Quotes []Quote
	Why    string
	// Basis is a digest of the data that the offers depend on. If it changes, new offers are requested.
	Basis string
}

// MaxOffers is the maximum number of offers that a guest can choose from.
const MaxOffers = 4

// ShipmentState is the progress of a shipment.
type ShipmentState string

// The states of a shipment.
const (
	ShipmentOpen      ShipmentState = "open"    // not paid
	ShipmentPaid      ShipmentState = "paid"    // the label must be bought
	ShipmentBought    ShipmentState = "bought"  // the label was bought; the documents must be created
	ShipmentReady     ShipmentState = "ready"   // all documents are ready
	ShipmentRefused   ShipmentState = "refused" // the carrier rejected the parcel
	ShipmentCancelled ShipmentState = "over"    // the owner chose something else, or was refunded
)

// PayBy is how the fee is paid.
type PayBy string

// The ways to pay.
const (
	PayStripe PayBy = "stripe"
	PayTest   PayBy = "test" // on a test page, without money
	PayDesk   PayBy = "none" // the desk collects the fee and sets the status
)

// Online reports whether the owner pays on a web page.
func (p PayBy) Online() bool { return p == PayStripe || p == PayTest }

// RefundState is the progress of a refund.
type RefundState string

// The states of a refund. Empty means no refund.
const (
	RefundWanted RefundState = "wanted"
	RefundDone   RefundState = "done"
	RefundFailed RefundState = "failed"
)

// Shipment is one shipment of an item to its owner: offers, payment, label and documents.
type Shipment struct {
	Account    string
	ID         string
	LocationID string
	ItemID     string
	State      ShipmentState

	Guest  Owner // the item's owner when the shipment was created
	To     Recipient
	Basis  string // digest of the data that the offers depend on
	Offers []Quote
	At     time.Time // when the offers were made
	Quote  Quote     // the chosen offer

	PayBy     PayBy
	Checkout  Checkout // the open payment page
	Rounds    int      // number of payment pages so far
	Reference string   // the provider's id for the payment
	PaidAt    time.Time
	Refund    RefundState
	Reason    string              // the desk's reason for the refund
	Strays    []UnexpectedPayment // unexpected payments

	Postage   Postage
	Voided    bool     // whether the label was cancelled at the carrier
	Announced bool     // whether API clients were notified of the payment
	Invoice   int64    // invoice number; 0 until a label is bought
	TaxRate   int      // tax rate on the invoice, in hundredths of a per cent
	Sweeps    []string // ids of jobs that delete unused documents
	Documents []Document

	CreatedAt, UpdatedAt time.Time
}

// Checkout is a page at a payment provider where the owner pays.
type Checkout struct {
	ID        string
	URL       string
	ExpiresAt time.Time
}

// Open reports whether the page can still be used for payment, with enough time left.
func (c Checkout) Open(now time.Time) bool {
	const enough = 5 * time.Minute
	return c.ID != "" && now.Add(enough).Before(c.ExpiresAt)
}

// UnexpectedPayment is a payment that is too late, a duplicate, or of the wrong amount. It is refunded.
type UnexpectedPayment struct {
	By        PayBy // how it was paid
	Reference string
	Amount    int64
	Currency  string
	Why       string
	Refund    RefundState
}

// Postage is the label that was bought from a carrier.
type Postage struct {
	Shipment       string // the carrier's id for the shipment
	Rate           string // the carrier's id for the offer
	Tracker        string // the carrier's id for tracking
	LabelURL       string // URL of the label at the carrier; empty if the service creates the label
	TrackingNumber string
	TrackingURL    string
	ShippingDate   string
}

// DocumentKind is a kind of document.
type DocumentKind string

// The documents of a shipment.
const (
	LabelPaper   DocumentKind = "label"
	InvoicePaper DocumentKind = "invoice"
	SlipPaper    DocumentKind = "packing-slip"
	CustomsPaper DocumentKind = "customs" // only if the parcel needs customs documents
)

// DocumentKinds lists all kinds.
func DocumentKinds() []DocumentKind {
	return []DocumentKind{LabelPaper, InvoicePaper, SlipPaper, CustomsPaper}
}

// Document is a PDF document for a shipment.
type Document struct {
	Kind  DocumentKind
	File  string // name in the file store
	Paper string // paper size: A4, A6, Letter, 4x6
}

// DocumentKinds lists the documents that the parcel needs.
func (c ParcelOrder) DocumentKinds() []DocumentKind {
	kinds := []DocumentKind{LabelPaper, InvoicePaper, SlipPaper}
	if c.NeedsCustoms() {
		kinds = append(kinds, CustomsPaper)
	}
	return kinds
}

// NewShipment starts a shipment of an item to its recipient, and sets the item's parcel.
func NewShipment(i *Item, by PayBy, now time.Time) Shipment {
	s := Shipment{
		Account: i.Account, ID: NewID(ShipmentID, now), LocationID: i.LocationID, ItemID: i.ID, State: ShipmentOpen,
		Guest: i.Owner, To: i.Shipping.Recipient, PayBy: by, CreatedAt: now, UpdatedAt: now,
	}
	i.Parcel = Parcel{ShipmentID: s.ID, ByGuest: i.Parcel.ByGuest, PayBy: by, Troubles: i.Parcel.Troubles}
	return s
}

// IsFor reports whether the shipment was made for a person. Shipments of earlier versions do not name the guest: such a
// shipment was made for the person whose link to the item was the newest at that time. Links are sorted newest first.
func (s Shipment) IsFor(p Person, links []Link) bool {
	if p.Reads(s.Guest.Email) || p.Reads(s.Guest.Phone) || p.Reads(s.To.Phone) {
		return true
	}
	if s.Guest.Known() || !s.To.Known() {
		return false
	}
	n := slices.IndexFunc(links, func(l Link) bool { return !l.CreatedAt.After(s.CreatedAt) })
	return n >= 0 && p.Reads(links[n].Address)
}

// CanShip reports whether an item can be shipped. If the desk has marked the item as not shippable, why is the
// reason. If the location does not ship items, why is empty.
func (i Item) CanShip(l Location) (why string, ships bool) {
	if i.Shipping.NotShipped != "" {
		return i.Shipping.NotShipped, false
	}
	return "", l.Rules().Offered
}

// PaymentState is the state of a payment at its provider.
type PaymentState string

// The states of a payment.
const (
	PaymentPaid    PaymentState = "paid"
	PaymentWaiting PaymentState = "waiting" // the payment can take days
	PaymentFailed  PaymentState = "failed"
	PaymentExpired PaymentState = "expired" // the page expired without a payment
)

// PaymentUpdate is an update about one payment from its provider.
type PaymentUpdate struct {
	By        PayBy  // how it was paid
	Shipment  string // id of the shipment
	Checkout  string
	Reference string
	State     PaymentState
	Amount    int64
	Currency  string
}

// ShipDay returns the shipping date of a parcel that is paid now: the next working day at the location.
func (l Location) ShipDay(now time.Time) string {
	day := now.In(zone(l.TimeZone)).AddDate(0, 0, 1)
	for day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
		day = day.AddDate(0, 0, 1)
	}
	return day.Format(DateLayout)
}

// CheckoutRequest is a shipment to be paid, with the texts of the payment page.
type CheckoutRequest struct {
	Shipment Shipment
	Round    int    // number of the payment page
	Title    string // item and location
	Email    string
	Language string
	Done     string // return URL after payment
	Back     string // return URL without payment
}
