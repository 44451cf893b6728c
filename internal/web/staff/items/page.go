package items

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// itemPage is the page of one item.
type itemPage struct {
	frame.Page
	Item      lost.Item
	Base      string // its address
	Once      string // so that a button does once what it does
	Back      string // the list that somebody came from
	Name      string // the description, as long as a headline may be
	State     frame.State
	Since     string // the day on which it left, or on which its owner comes
	Comes     string // where that day is changed; empty where it cannot be
	Line      []itemProgress
	Steps     []frame.ItemStep
	Notices   []string // what the desk should know
	Kept      string   // that the owner gets no messages; empty where they do
	Care      storageInfo
	Missed    matchingRequests
	Photos    []photoShown
	Kind      string // to be drawn where there is no photo
	Elsewhere string // a photo on another site
	Groups    []*itemGroup
	Statuses  []frame.Option
	Guest     string       // the address of the owner's page
	Jumps     []frame.Link // parts of the page, for who sees little of it at once
	Tales     []frame.TimelineEntry
	Older     []frame.TimelineEntry // the rest of them, folded
	Unfolded  bool                  // somebody asked for more
	MoreTales string                // where there is more of them
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
	if _, err := c.Location(); err != nil {
		return err
	}
	values := c.Request.URL.Query()
	f, err := c.itemDetail(readLines(values))
	if err != nil {
		return err
	}
	if f.Item.Source == lost.Request {
		return c.Redirect(frame.ItemPath(f.Item))
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
	return c.Render(http.StatusOK, "item", p)
}

// itemDetail gives all that is known of the item that the address names.
func (c *call) itemDetail(lines int) (desk.ItemDetail, error) {
	return c.Desk.ItemDetail(c.Context(), c.Actor(), c.Request.PathValue("location"), c.Request.PathValue("id"), lines)
}

// maxHeadline bounds what the top of the page shows of a description.
const maxHeadline = 100

// itemPage gathers what the page of an item shows.
func (c *call) itemPage(f desk.ItemDetail, values url.Values) (p *itemPage, err error) {
	i := f.Item
	p = &itemPage{
		Page: c.NewPage(i.Reference+" "+lost.Shorten(i.Description, maxHeadline), "items.js"), Item: i, Base: frame.ItemPath(i), Once: frame.NewFormKey(), Back: c.listPath(i),
		Name: lost.Shorten(i.Description, maxHeadline), State: frame.ItemState(i), Line: progressOf(i), Groups: itemGroups(i),
		Guest: f.GuestURL, Handles: c.May(lost.Handle), Removes: c.May(lost.Remove), Elsewhere: i.ImageURL,
	}
	p.Wide = true
	for n, img := range i.Images {
		p.Photos = append(p.Photos, photoShown{
			File: img.File, Full: frame.FilePath(img.File), Small: frame.FilePath(cmp.Or(img.Thumbnail, img.File)),
			Number: n + 1, First: img.File == i.ImageFile,
		})
	}
	if len(p.Photos) == 0 {
		p.Kind = frame.KindOf(i.Description)
	}
	if p.Handles {
		p.Steps = c.nextSteps(f)
		p.Statuses = statusOptions(i)
	}
	p.date(f.Location)
	p.Reminds = p.Handles && i.Reminds() == nil
	p.Notices = itemNotices(f, c.Now())
	p.remedy(c.CountryFor(i))
	if i.Held() {
		p.Kept = c.NotSentTo(i.Owner)
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
		if kept := c.NotSentText(lost.ByEmail); kept != "" && g.ID == "owner" {
			g.Empty = "Nobody knows whose it is. " + kept
			if g.Warning != "" {
				g.Warning = "A message to a new address is written as soon as you save. " + kept
			}
		}
	}
	lines := readLines(values)
	var more bool
	if p.Tales, more = itemTimeline(f, lines, c.Desk.Sends, c.Now()); more && lines < mostLines {
		p.MoreTales = p.Base + "?lines=" + strconv.Itoa(lines+1) + "#timeline"
	}
	p.Tales, p.Older = foldTimeline(p.Tales, c.May(lost.Integrate))
	p.Unfolded = lines > fewLines
	p.Jumps = p.jumps()
	if p.Missed, err = c.missingRequests(i); err != nil {
		return nil, err
	}
	p.Care, err = c.storageInfo(f.Location, i)
	return p, err
}

// date says when the item left, or when its owner comes, and where that is changed.
func (p *itemPage) date(l lost.Location) {
	if at := p.Item.GoneAt(); !at.IsZero() {
		p.Since = frame.Day(l.Day(at))
		return
	}
	if p.Item.Status != lost.PickUp {
		return
	}
	if p.Since = frame.PickupText(p.Item); p.Handles {
		p.Comes = p.Base + "/status?to=PICKUP"
	}
}

// nextSteps are the buttons of the page. Where nothing is sent, the owner is given their link by hand.
func (c *call) nextSteps(f desk.ItemDetail) []frame.ItemStep {
	steps := frame.StepsOf(f.Item, f.Item.Acts(f.Unreached != "", c.Now()))
	if f.GuestURL != "" && !c.Desk.Writes(f.Item.Owner) {
		return byHand(f.Item, steps)
	}
	return steps
}

// newestTales is how much of the timeline is seen without unfolding it, and hiddenTales how much is worth folding.
const (
	newestTales = 6
	hiddenTales = 3
)

// foldTimeline parts what is seen at once of a timeline from what is unfolded. What client programs were told is folded for whoever has nothing to do with them.
func foldTimeline(tales []frame.TimelineEntry, integrates bool) (seen, folded []frame.TimelineEntry) {
	for _, t := range tales {
		if len(seen) == newestTales || t.Program && !integrates {
			folded = append(folded, t)
		} else {
			seen = append(seen, t)
		}
	}
	if len(folded) < hiddenTales && !slices.ContainsFunc(folded, func(t frame.TimelineEntry) bool { return t.Program && !integrates }) {
		return tales, nil
	}
	return seen, folded
}

// jumps are the parts of the page.
func (p *itemPage) jumps() []frame.Link {
	var links []frame.Link
	for _, g := range p.Groups {
		if !g.Closed {
			links = append(links, frame.Link{Name: g.Name, Href: "#" + g.ID})
		}
	}
	if links = append(links, frame.Link{Name: "What happened", Href: "#timeline"}); p.Handles {
		links = append(links, frame.Link{Name: "Change the status", Href: "#more"})
	}
	return links
}

// statusOptions are the statuses that an item is sensibly moved to, in words.
func statusOptions(i lost.Item) []frame.Option {
	var options []frame.Option
	for _, s := range lost.Statuses() {
		if s != i.Status && i.Advises(s) == nil {
			options = append(options, frame.Option{Value: string(s), Name: frame.StatusState(s).Word})
		}
	}
	return options
}

// parcelShown is what the page shows of a shipment.
type parcelShown struct {
	Base      string // the address of the item's page
	Address   []string
	Facts     []frame.ItemFact
	Papers    []frame.Link
	Quotable  bool   // a price can be asked for
	Sends     string // where the address is written down; empty where it cannot be
	Tracking  string // the number
	Follow    string // where the carrier tells more
	Asks      bool   // a price is asked for
	Countries []frame.Option
	Country   string
	Quotes    []quoteShown
	Why       string // there are none
	Mend      string // where that is mended; empty where whoever looks cannot
}

type quoteShown struct{ Service, Price, Takes string }

// paperNames are what people call the papers of a parcel.
var paperNames = map[lost.DocumentKind]string{
	lost.LabelPaper: "Label", lost.InvoicePaper: "Invoice", lost.SlipPaper: "Packing slip", lost.CustomsPaper: "Customs declaration",
}

// showParcel gathers what the page shows of a shipment.
func showParcel(i lost.Item, base string) *parcelShown {
	l, p := frame.English(), &parcelShown{Base: base, Quotable: i.Held()}
	if r := i.Shipping.Recipient; r.Known() {
		p.Address = l.Address(i18n.Address{
			Name: r.Name, Company: r.Company, Line1: r.Address1, Line2: r.Address2, City: r.City, State: r.State, ZipCode: r.ZipCode, Country: r.Country,
		})
	}
	add := func(name, value string) {
		if value != "" {
			p.Facts = append(p.Facts, frame.ItemFact{Name: name, Value: value})
		}
	}
	add("Service", l.Service(i.Parcel.Service))
	if price := i.Parcel.Price; price.Known() {
		add("Price", l.Money(price.Total(), price.Currency))
	}
	add("Payment", paymentText(i))
	add("Leaves", frame.Day(i.Parcel.ShippingDate))
	p.Tracking, p.Follow = i.Shipping.TrackingNumber, i.Parcel.TrackingURL
	for _, d := range i.Parcel.Documents {
		p.Papers = append(p.Papers, frame.Link{Href: frame.FilePath(d.File), Name: cmp.Or(paperNames[d.Kind], string(d.Kind))})
	}
	return p
}

// paymentText say how the fee stands.
func paymentText(i lost.Item) string {
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
	s.Countries = frame.CountryOptions()
	if _, ok := lost.ParseCountry(s.Country); !ok {
		return nil
	}
	offers, err := c.Desk.QuoteItem(c.Context(), c.Actor(), p.Item.LocationID, p.Item.ID, s.Country)
	if lost.CodeOf(err) == lost.Unavailable {
		s.Why = "The carrier does not answer right now. Ask again in a moment."
		return nil
	}
	if err != nil {
		return err
	}
	if s.Why = offers.Why; s.Why == lost.NoCountry && c.May(lost.Arrange) {
		s.Mend = frame.CountryFormPath(p.Item)
	}
	for _, q := range offers.Quotes {
		s.Quotes = append(s.Quotes, quoteShown{frame.English().Service(q.Service), frame.English().Money(q.Price.Total(), q.Price.Currency), frame.English().WorkingDays(q.FromDays, q.ToDays)})
	}
	return nil
}
