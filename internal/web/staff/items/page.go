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

// itemPage is the page about one item.
type itemPage struct {
	frame.Page
	Item       lost.Item
	Base       string              // the path of the item's page
	Once       string              // the idempotency key of the buttons
	Back       string              // the list to return to
	Position   *frame.ListPosition // nil if the item is not from a list
	Name       string              // the description, shortened to a headline
	State      frame.State
	Since      string // the date on which the item left or will be collected
	PickupForm string // the path of the form to change that date; empty if it cannot be changed
	Line       []itemProgress
	Steps      []frame.ItemStep
	Notices    []string // notices about open tasks and failures
	NotSent    string   // the notice that messages are not sent; empty if they are sent
	Storage    storageInfo
	Photos     []frame.Photo
	Chips      []frame.PhotoChip // what the photos suggest
	Copies     []frame.Link      // other items with the same photo
	Editor     *frame.PhotoEditor
	Suggested  *suggestion
	FromPhotos *frame.PhotoSuggestions // nil if the photo assistant suggests nothing
	Identity   *identityPart           // nil unless the item is an identity paper or a payment card
	Kind       lost.Category           // for the drawing if there is no photo
	Elsewhere  string                  // the URL of a photo on another site
	Groups     []*itemGroup
	Programs   []frame.ItemFact // what client programs store on the item for themselves
	Statuses   []frame.Option
	Guest      string       // the URL of the owner's page
	Jumps      []frame.Link // links to the sections, for small screens
	Thread     *frame.Thread
	Timeline   []frame.TimelineEntry
	Older      []frame.TimelineEntry // the older entries, which are collapsed
	Unfolded   bool                  // the user opened "Show more"
	Parcel     *parcelShown
	Handles    bool
	Removes    bool
	Reminds    bool // the owner can be notified again

	MoreEntries      string // the URL of the page with more timeline entries
	MatchingRequests matchingRequests
	Accepted         acceptedRequest
}

// The number of timeline entries that are loaded at first, and after "Show more".
const (
	fewLines  = 20
	moreLines = 100
	maxLines  = 500
)

// readLines returns the number of timeline entries that the URL requests.
func readLines(values url.Values) int {
	switch n, _ := strconv.Atoi(values.Get("lines")); {
	case n > moreLines:
		return maxLines
	case n > fewLines:
		return moreLines
	default:
		return fewLines
	}
}

// item shows the page about an item. Requests have their own page.
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
	p.moveChips()
	if err := addStays(c, p); err != nil {
		return err
	}
	if values.Has("quote") {
		if err := c.quoteFor(p, values.Get("quote")); err != nil {
			return err
		}
	}
	return c.Render(http.StatusOK, "item", p)
}

// itemDetail loads everything about the item in the URL.
func (c *call) itemDetail(lines int) (desk.ItemDetail, error) {
	return c.Services.Items.Detail(c.Context(), c.Actor(), c.Request.PathValue("location"), c.Request.PathValue("id"),
		lines)
}

// maxHeadline is the longest description that is shown in the headline.
const maxHeadline = 100

// itemPage prepares the page about an item.
func (c *call) itemPage(f desk.ItemDetail, values url.Values) (p *itemPage, err error) {
	i, name := f.Item, lost.Shorten(f.Item.Description, maxHeadline)
	p = &itemPage{
		Page: c.NewPage(i.Reference+" "+name, "photos.js", "items.js", "category.js"), Item: i, Name: name,
		Base: frame.ItemPath(i), Once: frame.NewFormKey(), Back: listPath(c.Call, i),
		State: c.ItemState(i), Line: progressOf(c.Locale, i),
		Groups: itemGroups(c.Locale, i, f.Location.Currency(), c.Now()), Programs: c.ProgramFacts(i),
		Guest: f.GuestURL, Handles: c.May(lost.HandleItems), Removes: c.May(lost.DeleteItems),
	}
	p.Wide, p.Position = true, frame.PositionOf(c.Call, i)
	if err := c.addPhotos(p); err != nil {
		return nil, err
	}
	if p.Handles {
		p.Steps = c.nextSteps(f)
		p.Statuses = statusOptions(c.Locale, i)
	}
	p.date(f.Location)
	p.Reminds = p.Handles && lost.CheckReminder(i) == nil
	c.addNotices(p, f)
	p.Parcel = showParcel(c.Locale, i, p.Base)
	if p.Handles && i.MaySend() == nil {
		p.Parcel.Sends = p.Base + "/address"
	}
	for _, g := range p.Groups {
		if g.Base, g.Handles = p.Base, p.Handles; g.ID == "shipping" {
			g.Parcel = p.Parcel
			g.Folded = i.Status != lost.InfoCompleted && !i.Status.IsShipping() && !values.Has("quote") && !g.Closed
		}
		if notice := c.NotSentText(lost.ByEmail); notice != "" && g.ID == "owner" {
			g.Empty = c.Say("items.owner.none.saved", "notice", notice)
			if g.Warning != "" {
				g.Warning = c.Say("items.owner.warning.saved", "notice", notice)
			}
		}
	}
	lines := readLines(values)
	timeline, more := itemTimeline(c.Locale, f, lines, c.Services.Messages.Sends, c.Now())
	if more && lines < maxLines {
		p.MoreEntries = p.Base + "?lines=" + strconv.Itoa(lines+1) + "#timeline"
	}
	p.Timeline, p.Older = foldTimeline(timeline, c.May(lost.ManageIntegrations))
	p.Unfolded = lines > fewLines
	p.Jumps = p.jumps()
	if p.MatchingRequests, err = c.matchingRequests(i); err != nil {
		return nil, err
	}
	if p.Thread, err = frame.LoadThread(c.Call, i, f.Location); err != nil {
		return nil, err
	}
	if p.Accepted, err = c.acceptedRequest(f.Location, i); err != nil {
		return nil, err
	}
	p.Storage, err = loadStorageInfo(c.Call, f.Location, i)
	return p, err
}

// date sets the date on which the item left or will be collected, and the path of the form to change it.
func (p *itemPage) date(l lost.Location) {
	if at := p.Item.LeftAt(); !at.IsZero() {
		p.Since = p.Locale.Day(l.Day(at))
		return
	}
	if p.Item.Status != lost.PickUp {
		return
	}
	if p.Since = p.Locale.PickupText(p.Item); p.Handles {
		p.PickupForm = p.Base + "/status?to=PICKUP"
	}
}

// nextSteps returns the buttons for the next steps. If messages are not sent, one button shows the owner's link, so
// that the desk can give it to the owner.
func (c *call) nextSteps(f desk.ItemDetail) []frame.ItemStep {
	steps := c.StepsOf(f.Item, f.Item.NextActions(f.LastFailure != "", c.Now()))
	if f.GuestURL != "" && !c.Services.Messages.SendsTo(f.Item.Owner) {
		return replaceResend(c.Locale, f.Item, steps)
	}
	return steps
}

// visibleEntries is how many timeline entries are visible at first. The rest is collapsed if it has at least
// minCollapsed entries.
const (
	visibleEntries = 6
	minCollapsed   = 3
)

// foldTimeline splits the timeline into the visible and the collapsed entries. For users who do not manage webhooks,
// webhook entries are always collapsed.
func foldTimeline(entries []frame.TimelineEntry, integrates bool) (visible, folded []frame.TimelineEntry) {
	for _, t := range entries {
		if len(visible) == visibleEntries || t.Webhook && !integrates {
			folded = append(folded, t)
		} else {
			visible = append(visible, t)
		}
	}
	if len(folded) < minCollapsed && !slices.ContainsFunc(folded, func(t frame.TimelineEntry) bool {
		return t.Webhook && !integrates
	}) {
		return entries, nil
	}
	return visible, folded
}

// jumps returns links to the sections of the page.
func (p *itemPage) jumps() []frame.Link {
	var links []frame.Link
	for _, g := range p.Groups {
		if !g.Closed {
			links = append(links, frame.Link{Name: g.Name, Href: "#" + g.ID})
		}
	}
	links = append(links, frame.Link{Name: p.Locale.Say("items.history"), Href: "#timeline"})
	if p.Handles {
		links = append(links, frame.Link{Name: p.Locale.Say("items.move"), Href: "#more"})
	}
	return links
}

// statusOptions lists the statuses that an item can change to.
func statusOptions(lang frame.Locale, i lost.Item) []frame.Option {
	var options []frame.Option
	for _, s := range lost.Statuses() {
		if s != i.Status && i.CheckMove(s) == nil {
			options = append(options, frame.Option{Value: string(s), Name: lang.StatusState(s).Word})
		}
	}
	return options
}

// parcelShown is the shipment as shown on the page.
type parcelShown struct {
	Base      string // the path of the item's page
	Address   []string
	Facts     []frame.ItemFact
	Papers    []frame.Link
	Quotable  bool   // a price can be requested
	Sends     string // the path of the form for the recipient; empty if it cannot be changed
	Tracking  string // the tracking number
	Follow    string // the carrier's tracking page
	Asks      bool   // a price was requested
	Countries []frame.Option
	Country   string
	Quotes    []quoteShown
	Why       string // why there is no price
	FixURL    string // the path of the form to fix the cause; empty if the user may not open it
}

type quoteShown struct{ Service, Price, Takes string }

// paperName returns the name of a parcel's document.
func paperName(lang frame.Locale, kind lost.DocumentKind) string {
	switch kind {
	case lost.LabelPaper:
		return lang.Say("items.paper.label")
	case lost.InvoicePaper:
		return lang.Say("items.paper.invoice")
	case lost.SlipPaper:
		return lang.Say("items.paper.slip")
	case lost.CustomsPaper:
		return lang.Say("items.paper.customs")
	default:
		return string(kind)
	}
}

// showParcel prepares an item's shipment for the page.
func showParcel(lang frame.Locale, i lost.Item, base string) *parcelShown {
	p := &parcelShown{Base: base, Quotable: i.Held()}
	if r := i.Shipping.Recipient; r.Known() {
		p.Address = lang.Address(i18n.Address{
			Name: r.Name, Company: r.Company, Line1: r.Address1, Line2: r.Address2, City: r.City, State: r.State,
			ZipCode: r.ZipCode, Country: r.Country,
		})
	}
	add := func(key, value string) {
		if value != "" {
			p.Facts = append(p.Facts, frame.ItemFact{Name: lang.Say(key), Value: value})
		}
	}
	add("items.parcel.service", lang.Service(i.Parcel.Service))
	if price := i.Parcel.Price; price.Known() {
		add("items.parcel.price", lang.Money(price.Total(), price.Currency))
	}
	add("items.parcel.payment", paymentText(lang, i))
	add("items.parcel.ships-on", lang.Day(i.Parcel.ShippingDate))
	p.Tracking, p.Follow = i.Shipping.TrackingNumber, i.Parcel.TrackingURL
	for _, d := range i.Parcel.Documents {
		p.Papers = append(p.Papers,
			frame.Link{Href: frame.FilePath(d.File), Name: paperName(lang, d.Kind)})
	}
	return p
}

// paymentText describes the state of the payment.
func paymentText(lang frame.Locale, i lost.Item) string {
	switch {
	case i.Parcel.Refund == lost.RefundDone:
		return lang.Say("items.payment.refunded")
	case i.Parcel.Refund == lost.RefundWanted && i.Parcel.PayBy == lost.PayDesk:
		return lang.Say("items.payment.pay-back")
	case i.Parcel.Refund == lost.RefundWanted:
		return lang.Say("items.payment.refunding")
	case i.Parcel.Refund == lost.RefundFailed:
		return lang.Say("items.payment.refund-failed")
	case i.Parcel.Paid:
		return paidText(lang, i.Parcel.PayBy)
	case i.Parcel.Awaited:
		return lang.Say("items.payment.awaited")
	case i.Parcel.ShipmentID != "" && i.Status == lost.InfoCompleted:
		return lang.Say("items.payment.none")
	default:
		return ""
	}
}

// paidText says how the fee was paid.
func paidText(lang frame.Locale, by lost.PayBy) string {
	switch by {
	case lost.PayStripe:
		return lang.Say("items.payment.card")
	case lost.PayTest:
		return lang.Say("items.payment.test")
	case lost.PayDesk:
		return lang.Say("items.payment.desk")
	default:
		return lang.Say("items.payment.paid")
	}
}

// quoteFor adds the price of shipping to the page. The destination is country or, if that is empty, the recipient's
// country or the location's.
func (c *call) quoteFor(p *itemPage, country string) error {
	s := p.Parcel
	s.Asks = true
	s.Country = cmp.Or(country, p.Item.Shipping.Recipient.Country, p.Here.Country)
	s.Countries = c.CountryOptions()
	if _, ok := lost.ParseCountry(s.Country); !ok {
		return nil
	}
	offers, err := c.Services.Quotes.QuoteItem(c.Context(), c.Actor(), p.Item.LocationID, p.Item.ID, s.Country)
	if lost.CodeOf(err) == lost.Unavailable {
		s.Why = c.Say("items.quote.unavailable")
		return nil
	}
	if err != nil {
		return err
	}
	s.Why = c.PriceReason(offers.Why)
	if offers.Why == lost.NoCountry && c.May(lost.ManageLocations) {
		s.FixURL = frame.CountryFormPath(p.Item)
	}
	for _, q := range offers.Quotes {
		s.Quotes = append(s.Quotes,
			quoteShown{c.Service(q.Service), c.Money(q.Price.Total(), q.Price.Currency),
				c.WorkingDays(q.FromDays, q.ToDays)})
	}
	return nil
}
