package lost

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Load is what a carrier has to know of a thing: how heavy and how large it is.
type Load struct {
	Grams    int64 // as it was weighed; 0 where nobody has
	Box      BoxType
	Document bool
}

// Load tells how heavy and large an item is, and whether enough of that is known to tell a price.
func (i Item) Load() (Load, bool) {
	l := Load{Box: i.Shipping.BoxType, Document: i.Shipping.IsDocument != nil && *i.Shipping.IsDocument}
	if w := i.Shipping.Weight; w != nil {
		l.Grams = wholeGrams(i.Shipping.WeightUnit.Grams(*w))
	}
	return l, l.Grams > 0 || l.Box != "" || l.Document
}

// wholeGrams rounds a weight up. What is beyond a microgram is arithmetic, not weight: 16.1 kg are 16100 g.
func wholeGrams(grams float64) int64 {
	const micro = 1e6
	return max(1, int64(math.Ceil(math.Round(grams*micro)/micro)))
}

// cubic is how many cubic centimetres are charged as a gram: carriers charge for room too.
const cubic = 5

// Charged is the weight that is paid for: the real one or, where that is more, the one that goes with the box.
func (l Load) Charged() int64 {
	n := slices.IndexFunc(Boxes(), func(b Box) bool { return b.Type == l.Box })
	if n < 0 {
		return l.Grams
	}
	b := Boxes()[n]
	return max(l.Grams, int64(b.Length*b.Width*b.Depth/cubic))
}

// Consignment is what goes where.
type Consignment struct {
	From Location
	To   Recipient
	Item Item
	Load Load
}

// Consign makes the consignment of an item to somebody, and tells whether enough is known of the item to tell a price.
func (i Item) Consign(from Location, to Recipient) (Consignment, bool) {
	load, known := i.Load()
	return Consignment{From: from, To: to, Item: i, Load: load}, known
}

// Abroad tells whether a parcel passes a customs frontier.
func (c Consignment) Abroad() bool {
	from, to := c.From.Country, c.To.Country
	return from != to && !(oneMarket(from) && oneMarket(to))
}

// oneMarket tells the countries between which goods move without customs.
func oneMarket(country string) bool {
	return strings.Contains("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MC MT NL PL PT RO SE SI SK", country) && country != ""
}

// Quote is an offer to send an item: by what, for how much, how fast.
type Quote struct {
	Service string // as people call it
	Rate    string // the carrier's name for the offer, where it has one
	Price   Price
	// FromDays and ToDays are how many working days it takes; 0 where nobody says.
	FromDays, ToDays int
}

// Key tells offers of one shipment apart, and whether the one that somebody looked at is still the same.
func (q Quote) Key() string {
	return fmt.Sprint(q.Service, " ", q.Price.Postage, " ", q.Price.Handling, " ", q.Price.Currency)
}

// Offers are the ways to send something, the cheapest first; or why there are none, for the desk to read.
type Offers struct {
	Quotes []Quote
	Why    string
	// Basis is what they follow from. Where that has changed they are made anew.
	Basis string
}

// MaxOffers bounds how many ways to send an item a guest is asked to choose from.
const MaxOffers = 4

// ShipmentState says how far a shipment is.
type ShipmentState string

// The states of a shipment.
const (
	ShipmentOpen    ShipmentState = "open"    // not paid
	ShipmentPaid    ShipmentState = "paid"    // the label is to be bought
	ShipmentBought  ShipmentState = "bought"  // its papers are to be printed
	ShipmentReady   ShipmentState = "ready"   // everybody has what they need
	ShipmentRefused ShipmentState = "refused" // the carrier does not take it as it is
	ShipmentOver    ShipmentState = "over"    // the owner chose otherwise, or has the money back
)

// PayBy is how the fee is paid.
type PayBy string

// The ways to pay.
const (
	PayStripe PayBy = "stripe"
	PayTest   PayBy = "test" // on a page that says that it is a test
	PayDesk   PayBy = "none" // the desk collects it and says so
)

// Online tells whether the owner pays on a page that they are led to.
func (p PayBy) Online() bool { return p == PayStripe || p == PayTest }

// RefundState says how far a refund is.
type RefundState string

// The states of a refund; empty where none was asked for.
const (
	RefundWanted RefundState = "wanted"
	RefundDone   RefundState = "done"
	RefundFailed RefundState = "failed"
)

// Shipment is one way of one item to its owner: what was offered, what was paid, what was bought and printed.
type Shipment struct {
	Account    string
	ID         string
	LocationID string
	ItemID     string
	State      ShipmentState

	To     Recipient
	Basis  string // of the offers
	Offers []Quote
	At     time.Time // when they were made
	Quote  Quote     // the offer that was chosen, and is what is paid

	PayBy     PayBy
	Checkout  Checkout // the page that is open for the owner to pay on
	Rounds    int      // how many of them there were
	Reference string   // the provider's name for the payment
	PaidAt    time.Time
	Refund    RefundState
	Reason    string  // of the refund, in the desk's words
	Strays    []Stray // money that came and does not belong here

	Postage   Postage
	Voided    bool     // whether the carrier was told that the label is not used
	Announced bool     // whether client programs were told of the payment
	Invoice   int64    // its number; 0 until a label is bought
	TaxRate   int      // that is on it, in hundredths of a per cent
	Sweeps    []string // jobs that remove the papers, unless somebody gets them
	Documents []Document

	CreatedAt, UpdatedAt time.Time
}

// Checkout is a page on which somebody else takes the money.
type Checkout struct {
	ID        string
	URL       string
	ExpiresAt time.Time
}

// Open tells whether the page can still be paid on, with time to do so.
func (c Checkout) Open(now time.Time) bool {
	const enough = 5 * time.Minute
	return c.ID != "" && now.Add(enough).Before(c.ExpiresAt)
}

// Stray is a payment that is not what was agreed on: too late, a second one, or of another amount. It is given back.
type Stray struct {
	By        PayBy // who has it
	Reference string
	Amount    int64
	Currency  string
	Why       string
	Refund    RefundState
}

// Postage is what the carrier has sold.
type Postage struct {
	Shipment       string // the carrier's name for the shipment
	Rate           string // and for the offer that is bought
	Tracker        string // and for what follows the parcel
	LabelURL       string // where the carrier keeps the label; empty where we print it
	TrackingNumber string
	TrackingURL    string
	ShippingDate   string
}

// DocumentKind says what a paper is for.
type DocumentKind string

// The papers of a shipment.
const (
	LabelPaper   DocumentKind = "label"
	InvoicePaper DocumentKind = "invoice"
	SlipPaper    DocumentKind = "packing-slip"
	CustomsPaper DocumentKind = "customs" // abroad
)

// DocumentKinds lists them.
func DocumentKinds() []DocumentKind {
	return []DocumentKind{LabelPaper, InvoicePaper, SlipPaper, CustomsPaper}
}

// Document is a paper that was printed: a PDF.
type Document struct {
	Kind  DocumentKind
	File  string // name in the file store
	Paper string // size of a sheet: A4, A6, Letter, 4x6
}

// Papers names the documents that a consignment needs.
func (c Consignment) Papers() []DocumentKind {
	kinds := []DocumentKind{LabelPaper, InvoicePaper, SlipPaper}
	if c.Abroad() {
		kinds = append(kinds, CustomsPaper)
	}
	return kinds
}

// Parcel is what an item tells of its shipment.
type Parcel struct {
	ShipmentID   string
	PayBy        PayBy
	Offered      bool   // whether a price could be told
	Unpriced     string // why not, for the desk to read
	Paid         bool
	Awaited      bool // whether a payment was promised that takes days
	Refund       RefundState
	Service      string
	Price        Price
	FromDays     int // working days that it takes; see Quote
	ToDays       int
	ShippingDate string
	TrackingURL  string
	Documents    []Document
	Troubles     []Trouble
}

// Trouble is something about a shipment that the desk has to see to.
type Trouble struct {
	Kind TaskKind
	Why  string
}

// Equal compares two states of a parcel.
func (p Parcel) Equal(o Parcel) bool {
	same := slices.Equal(p.Documents, o.Documents) && slices.Equal(p.Troubles, o.Troubles)
	return same && p.ShipmentID == o.ShipmentID && p.PayBy == o.PayBy && p.Offered == o.Offered && p.Unpriced == o.Unpriced && p.Paid == o.Paid && p.Awaited == o.Awaited && p.Refund == o.Refund && p.Service == o.Service &&
		p.Price == o.Price && p.FromDays == o.FromDays && p.ToDays == o.ToDays && p.ShippingDate == o.ShippingDate && p.TrackingURL == o.TrackingURL
}

// Document finds a paper by its kind; zero where there is none.
func (p Parcel) Document(kind DocumentKind) Document {
	n := slices.IndexFunc(p.Documents, func(d Document) bool { return d.Kind == kind })
	if n < 0 {
		return Document{}
	}
	return p.Documents[n]
}

// Trouble tells why a task is there; empty where it is not.
func (p Parcel) Trouble(kind TaskKind) string {
	n := slices.IndexFunc(p.Troubles, func(t Trouble) bool { return t.Kind == kind })
	if n < 0 {
		return ""
	}
	return p.Troubles[n].Why
}

// note puts a trouble before the desk.
func (p *Parcel) note(kind TaskKind, why string) {
	p.settle(kind)
	p.Troubles = append(p.Troubles, Trouble{kind, Shorten(cmp.Or(why, "No reason was given."), MaxPlace)})
}

// settle takes a trouble away.
func (p *Parcel) settle(kinds ...TaskKind) {
	p.Troubles = slices.DeleteFunc(slices.Clone(p.Troubles), func(t Trouble) bool { return slices.Contains(kinds, t.Kind) })
	if len(p.Troubles) == 0 {
		p.Troubles = nil
	}
}

// NewShipment begins a shipment of an item to where its owner wants it, and has the item tell of it.
func NewShipment(i *Item, by PayBy, now time.Time) Shipment {
	s := Shipment{
		Account: i.Account, ID: NewID(ShipmentID, now), LocationID: i.LocationID, ItemID: i.ID, State: ShipmentOpen,
		To: i.Shipping.Recipient, PayBy: by, CreatedAt: now, UpdatedAt: now,
	}
	i.Parcel = Parcel{ShipmentID: s.ID, PayBy: by, Troubles: i.Parcel.Troubles}
	return s
}

// Ships tells whether an item can be sent to its owner at all, or why not: because of what it is, in the desk's words, or
// because its location sends nothing.
func (i Item) Ships(l Location) (why string, ships bool) {
	if i.Shipping.NotShipped != "" {
		return i.Shipping.NotShipped, false
	}
	return "", l.Rules().Offered
}

// PaymentState is what a payment provider says of a payment.
type PaymentState string

// The states of a payment.
const (
	PaymentPaid    PaymentState = "paid"
	PaymentWaiting PaymentState = "waiting" // it was promised and takes days
	PaymentFailed  PaymentState = "failed"
	PaymentExpired PaymentState = "expired" // the page was left without paying
)

// PaymentNews is what a payment provider tells of one payment.
type PaymentNews struct {
	By        PayBy  // who has the money
	Shipment  string // our name for it
	Checkout  string
	Reference string
	State     PaymentState
	Amount    int64
	Currency  string
}

// ParcelState is where a carrier says that a parcel is.
type ParcelState string

// The states of a parcel.
const (
	ParcelWaiting   ParcelState = "waiting" // the carrier does not have it yet
	ParcelMoving    ParcelState = "moving"
	ParcelDelivered ParcelState = "delivered"
	ParcelTrouble   ParcelState = "trouble" // it comes back, or is lost
)

// ParcelNews is what a carrier tells of one parcel.
type ParcelNews struct {
	Tracker string // the carrier's name for what follows the parcel
	State   ParcelState
	Why     string // with trouble
	URL     string
}

// Status is where a parcel's state leads its item; empty where it leads nowhere.
func (s ParcelState) Status() Status {
	switch s {
	case ParcelMoving:
		return Shipped
	case ParcelDelivered:
		return Delivered
	default:
		return ""
	}
}

// ShipDay is the day on which a parcel leaves that is paid for now: the next working day at the location.
func (l Location) ShipDay(now time.Time) string {
	day := now.In(zone(l.TimeZone)).AddDate(0, 0, 1)
	for day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
		day = day.AddDate(0, 0, 1)
	}
	return day.Format(DateForm)
}

// settleBy takes away what a change of status has seen to: a label is no longer wanted, or a parcel was found.
func (p *Parcel) settleBy(s Status) {
	p.settle(ParcelTask)
	if s != FeePaid {
		p.settle(LabelTask)
	}
	if s != InfoCompleted {
		p.settle(ShippingTask)
	}
}

// Bill is a shipment that is to be paid, with what the page says on which that is done.
type Bill struct {
	Shipment Shipment
	Round    int    // tells one page from the next
	Title    string // what is sent, and whose
	Email    string
	Language string
	Done     string // where the owner is led back to after paying
	Back     string // and without
}
