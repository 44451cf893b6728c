package staff

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// itemPage is the page of one item.
type itemPage struct {
	page
	Item      lost.Item
	Base      string // its address
	Once      string // so that a button does once what it does
	Back      string // the list that somebody came from
	Name      string // the description, as long as a headline may be
	State     state
	Since     string // the day on which it left, or on which its owner comes
	Comes     string // where that day is changed; empty where it cannot be
	Line      []itemProgress
	Steps     []itemStep
	Notices   []string // what the desk should know
	Kept      string   // that the owner gets no messages; empty where they do
	Care      care
	Missed    missed
	Photos    []photoShown
	Kind      string // to be drawn where there is no photo
	Elsewhere string // a photo on another site
	Groups    []*itemGroup
	Statuses  []option
	Guest     string // the address of the owner's page
	Jumps     []link // parts of the page, for who sees little of it at once
	Tales     []tale
	Older     []tale // the rest of them, folded
	Unfolded  bool   // somebody asked for more
	MoreTales string // where there is more of them
	Parcel    *parcelShown
	Handles   bool
	Removes   bool
	Reminds   bool // the owner can be written to once more
}

// photoShown is a photo in the well.
type photoShown struct {
	File, Full, Small string
	Number            int
	First             bool // the item's picture
}

// Lines of the timeline: at first, and when somebody wants more.
const (
	fewLines  = 20
	moreLines = 100
	mostLines = 500
)

// readLines is how many lines of the timeline are wanted.
func readLines(values url.Values) int {
	switch n, _ := strconv.Atoi(values.Get("lines")); {
	case n > moreLines:
		return mostLines
	case n > fewLines:
		return moreLines
	default:
		return fewLines
	}
}

// item shows the page of an item. A request has a page of its own.
func (c *call) item() error {
	if _, err := c.at(); err != nil {
		return err
	}
	values := c.r.URL.Query()
	f, err := c.dossier(readLines(values))
	if err != nil {
		return err
	}
	if f.Item.Source == lost.Request {
		return c.see(itemPath(f.Item))
	}
	p, err := c.itemPage(f, values)
	if err != nil {
		return err
	}
	if p.Handles {
		p.open(values.Get("edit"))
	}
	if values.Has("quote") {
		if err := c.quoteFor(p, values.Get("quote")); err != nil {
			return err
		}
	}
	return c.write(http.StatusOK, "item", p)
}

// dossier gives all that is known of the item that the address names.
func (c *call) dossier(lines int) (desk.ItemDetail, error) {
	return c.desk.ItemDetail(c.ctx(), c.actor(), c.r.PathValue("location"), c.r.PathValue("id"), lines)
}

// maxHeadline bounds what the top of the page shows of a description.
const maxHeadline = 100

// itemPage gathers what the page of an item shows.
func (c *call) itemPage(f desk.ItemDetail, values url.Values) (p *itemPage, err error) {
	i := f.Item
	p = &itemPage{
		page: c.page(i.Reference+" "+lost.Shorten(i.Description, maxHeadline), "items.js"), Item: i, Base: itemPath(i), Once: newOnce(), Back: c.listPath(i),
		Name: lost.Shorten(i.Description, maxHeadline), State: stateOf(i), Line: progressOf(i), Groups: itemGroups(i),
		Guest: f.GuestURL, Handles: c.may(lost.Handle), Removes: c.may(lost.Remove), Elsewhere: i.ImageURL,
	}
	p.Wide = true
	for n, img := range i.Images {
		p.Photos = append(p.Photos, photoShown{
			File: img.File, Full: filePath(img.File), Small: filePath(cmp.Or(img.Thumbnail, img.File)),
			Number: n + 1, First: img.File == i.ImageFile,
		})
	}
	if len(p.Photos) == 0 {
		p.Kind = kindOf(i.Description)
	}
	if p.Handles {
		p.Steps = c.nextSteps(f)
		p.Statuses = statusOptions(i)
	}
	p.date(f.Location)
	p.Reminds = p.Handles && i.Reminds() == nil
	p.Notices = itemNotices(f, c.now())
	p.remedy(c.countryFor(i))
	if i.Held() {
		p.Kept = c.keptFrom(i.Owner)
	}
	p.Parcel = showParcel(i, p.Base)
	if p.Handles && i.MaySend() == nil {
		p.Parcel.Sends = p.Base + "/address"
	}
	for _, g := range p.Groups {
		if g.Base, g.Handles = p.Base, p.Handles; g.ID == "shipping" {
			g.Parcel = p.Parcel
			g.Folded = i.Status != lost.InfoCompleted && !i.Status.Travels() && !values.Has("quote") && !g.Closed
		}
		if kept := c.keptWords(lost.ByEmail); kept != "" && g.ID == "owner" {
			g.Empty = "Nobody knows whose it is. " + kept
			if g.Warning != "" {
				g.Warning = "A message to a new address is written as soon as you save. " + kept
			}
		}
	}
	lines := readLines(values)
	var more bool
	if p.Tales, more = itemTimeline(f, lines, c.desk.Sends, c.now()); more && lines < mostLines {
		p.MoreTales = p.Base + "?lines=" + strconv.Itoa(lines+1) + "#timeline"
	}
	p.Tales, p.Older = foldTales(p.Tales, c.may(lost.Integrate))
	p.Unfolded = lines > fewLines
	p.Jumps = p.jumps()
	if p.Missed, err = c.missedBy(i); err != nil {
		return nil, err
	}
	p.Care, err = c.careOf(f.Location, i)
	return p, err
}

// date says when the item left, or when its owner comes, and where that is changed.
func (p *itemPage) date(l lost.Location) {
	if at := p.Item.GoneAt(); !at.IsZero() {
		p.Since = day(l.Day(at))
		return
	}
	if p.Item.Status != lost.PickUp {
		return
	}
	if p.Since = pickupWords(p.Item); p.Handles {
		p.Comes = p.Base + "/status?to=PICKUP"
	}
}

// nextSteps are the buttons of the page. Where nothing is sent, the owner is given their link by hand.
func (c *call) nextSteps(f desk.ItemDetail) []itemStep {
	steps := stepsOf(f.Item, f.Item.Acts(f.Unreached != "", c.now()))
	if f.GuestURL != "" && !c.desk.Writes(f.Item.Owner) {
		return byHand(f.Item, steps)
	}
	return steps
}

// newestTales is how much of the timeline is seen without unfolding it, and hiddenTales how much is worth folding.
const (
	newestTales = 6
	hiddenTales = 3
)

// foldTales parts what is seen at once of a timeline from what is unfolded. What client programs were told is folded for whoever has nothing to do with them.
func foldTales(tales []tale, integrates bool) (seen, folded []tale) {
	for _, t := range tales {
		if len(seen) == newestTales || t.Program && !integrates {
			folded = append(folded, t)
		} else {
			seen = append(seen, t)
		}
	}
	if len(folded) < hiddenTales && !slices.ContainsFunc(folded, func(t tale) bool { return t.Program && !integrates }) {
		return tales, nil
	}
	return seen, folded
}

// jumps are the parts of the page.
func (p *itemPage) jumps() []link {
	var links []link
	for _, g := range p.Groups {
		if !g.Closed {
			links = append(links, link{Name: g.Name, Href: "#" + g.ID})
		}
	}
	if links = append(links, link{Name: "What happened", Href: "#timeline"}); p.Handles {
		links = append(links, link{Name: "Change the status", Href: "#more"})
	}
	return links
}

// statusOptions are the statuses that an item is sensibly moved to, in words.
func statusOptions(i lost.Item) []option {
	var options []option
	for _, s := range lost.Statuses() {
		if s != i.Status && i.Advises(s) == nil {
			options = append(options, option{string(s), showState(s).Word})
		}
	}
	return options
}

// parcelShown is what the page shows of a shipment.
type parcelShown struct {
	Base      string // the address of the item's page
	Address   []string
	Facts     []itemFact
	Papers    []link
	Quotable  bool   // a price can be asked for
	Sends     string // where the address is written down; empty where it cannot be
	Tracking  string // the number
	Follow    string // where the carrier tells more
	Asks      bool   // a price is asked for
	Countries []option
	Country   string
	Quotes    []quoteShown
	Why       string // there are none
	Mend      string // where that is mended; empty where whoever looks cannot
}

// itemFact is something known, with what it is.
type itemFact struct{ Name, Value string }

type quoteShown struct{ Service, Price, Takes string }

// paperNames are what people call the papers of a parcel.
var paperNames = map[lost.DocumentKind]string{
	lost.LabelPaper: "Label", lost.InvoicePaper: "Invoice", lost.SlipPaper: "Packing slip", lost.CustomsPaper: "Customs declaration",
}

// showParcel gathers what the page shows of a shipment.
func showParcel(i lost.Item, base string) *parcelShown {
	l, p := english(), &parcelShown{Base: base, Quotable: i.Held()}
	if r := i.Shipping.Recipient; r.Known() {
		p.Address = l.Address(i18n.Address{
			Name: r.Name, Company: r.Company, Line1: r.Address1, Line2: r.Address2, City: r.City, State: r.State, ZipCode: r.ZipCode, Country: r.Country,
		})
	}
	add := func(name, value string) {
		if value != "" {
			p.Facts = append(p.Facts, itemFact{name, value})
		}
	}
	add("Service", l.Service(i.Parcel.Service))
	if price := i.Parcel.Price; price.Known() {
		add("Price", l.Money(price.Total(), price.Currency))
	}
	add("Payment", paymentWords(i))
	add("Leaves", day(i.Parcel.ShippingDate))
	p.Tracking, p.Follow = i.Shipping.TrackingNumber, i.Parcel.TrackingURL
	for _, d := range i.Parcel.Documents {
		p.Papers = append(p.Papers, link{Href: filePath(d.File), Name: cmp.Or(paperNames[d.Kind], string(d.Kind))})
	}
	return p
}

// paymentWords say how the fee stands.
func paymentWords(i lost.Item) string {
	by := map[lost.PayBy]string{lost.PayStripe: "by card", lost.PayTest: "as a test", lost.PayDesk: "at the desk"}[i.Parcel.PayBy]
	switch {
	case i.Parcel.Refund == lost.RefundDone:
		return "Given back"
	case i.Parcel.Refund == lost.RefundWanted:
		return "Is being given back"
	case i.Parcel.Refund == lost.RefundFailed:
		return "Could not be given back"
	case i.Parcel.Paid:
		return "Paid " + by
	case i.Parcel.Awaited:
		return "Promised; it takes some days"
	case i.Parcel.ShipmentID != "" && i.Status == lost.InfoCompleted:
		return "Not yet paid"
	default:
		return ""
	}
}

// quoteFor asks what sending the item would cost: to a country or, where it is known, to the owner's address.
func (c *call) quoteFor(p *itemPage, country string) error {
	s := p.Parcel
	s.Asks = true
	s.Country = cmp.Or(country, p.Item.Shipping.Recipient.Country, p.Here.Country)
	s.Countries = countryOptions()
	if _, ok := lost.ParseCountry(s.Country); !ok {
		return nil
	}
	offers, err := c.desk.QuoteItem(c.ctx(), c.actor(), p.Item.LocationID, p.Item.ID, s.Country)
	if lost.CodeOf(err) == lost.Unavailable {
		s.Why = "The carrier does not answer right now. Ask again in a moment."
		return nil
	}
	if err != nil {
		return err
	}
	if s.Why = offers.Why; s.Why == lost.NoCountry && c.may(lost.Arrange) {
		s.Mend = countryForm(p.Item)
	}
	for _, q := range offers.Quotes {
		s.Quotes = append(s.Quotes, quoteShown{english().Service(q.Service), english().Money(q.Price.Total(), q.Price.Currency), english().WorkingDays(q.FromDays, q.ToDays)})
	}
	return nil
}
