package guest

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// payPage shows what sending it costs, where it goes and what happens next, and asks for a yes.
type payPage struct {
	formPage
	Thing    thing
	To       []string
	Readdr   string // where to change the address
	Shipment string
	Offers   []offer
	Handling string // what is in every price; empty where nothing is
	Next     []string
}

// offer is a way to send it.
type offer struct {
	Key, Service, Days       string
	Postage, Handling, Total string
}

// One is the only offer; nil where there are more.
func (p payPage) One() *offer {
	if len(p.Offers) != 1 {
		return nil
	}
	return &p.Offers[0]
}

// askPay shows the bill.
func (c *call) askPay() error {
	if err := c.follow(); err != nil {
		return err
	}
	bill, err := c.desk.Bill(c.r.Context(), c.token)
	if lost.CodeOf(err) == lost.Conflict || err == nil && len(bill.Shipment.Offers) == 0 {
		return c.see(c.home())
	}
	if err != nil {
		return err
	}
	c.visit, c.place = bill.Visit, &bill.Location
	return c.write(http.StatusOK, "pay", c.payPage(bill.Shipment))
}

func (c *call) payPage(s lost.Shipment) payPage {
	l, name := c.language(), c.place.Name
	p := payPage{
		formPage: c.formPage(l.Say("guest.pay.title"), "pay", nil), Thing: showThing(l, c.visit.Item), To: addressLines(l, s.To),
		Readdr: c.home() + "/ship?country=" + url.QueryEscape(s.To.Country), Shipment: s.ID,
	}
	for _, q := range s.Offers {
		p.Offers = append(p.Offers, showOffer(l, q))
	}
	total := p.Offers[0].Total
	if len(p.Offers) > 1 {
		p.Handling = p.Offers[0].Handling
	}
	several := len(p.Offers) > 1
	switch c.desk.PayBy() {
	case lost.PayTest:
		p.Button, p.Next = l.Say("guest.pay.button.test"), []string{l.Say("guest.pay.next.test"), l.Say("guest.pay.next", "location", name)}
	case lost.PayDesk:
		p.Title, p.Next = l.Say("guest.pay.desk.title"), []string{l.Say("guest.pay.next.desk", "location", name)}
		if p.Button = l.Say("guest.pay.button.desk", "price", total); several {
			p.Button = l.Say("guest.pay.button.desk.any")
		}
	default:
		p.Next = []string{l.Say("guest.pay.next.online"), l.Say("guest.pay.next", "location", name)}
		if p.Button = l.Say("guest.pay.button", "price", total); several {
			p.Button = l.Say("guest.pay.button.any")
		}
	}
	switch query := c.r.URL.Query(); {
	case query.Get("unpaid") == "1":
		p.Notice = l.Say("guest.pay.unpaid")
	case query.Get("changed") == "1":
		p.Notice = l.Say("guest.pay.changed")
	}
	return p
}

func showOffer(l *i18n.Language, q lost.Quote) offer {
	o := offer{
		Key: q.Key(), Service: l.Service(q.Service), Days: l.WorkingDays(q.FromDays, q.ToDays),
		Postage: l.Money(q.Price.Postage, q.Price.Currency), Total: money(l, q.Price),
	}
	if q.Price.Handling > 0 {
		o.Handling = l.Money(q.Price.Handling, q.Price.Currency)
	}
	return o
}

// pay takes the offer that the reader chose, and leads to where it is paid.
func (c *call) pay() error {
	if err := c.follow(); err != nil {
		return err
	}
	sent, err := c.form()
	if err != nil {
		return err
	}
	if c.overtaken(sent) {
		return c.lookAgain()
	}
	bill, err := c.desk.Checkout(c.r.Context(), c.token, sent.Get("offer"), c.language().Tag())
	switch code := lost.CodeOf(err); {
	case code == lost.Conflict:
		return c.lookAgain()
	case code == lost.Invalid: // the provider does not take it, and will not
		c.unpayable(err)
		return nil
	case err != nil:
		return err
	}
	switch bill.Shipment.PayBy {
	case lost.PayTest:
		return c.see(c.home() + "/test-payment")
	case lost.PayStripe:
		return c.lead(bill)
	default:
		return c.see(c.home())
	}
}

// overtaken tells whether a form speaks of something else than what is to be paid now: the item has moved, or goes elsewhere.
func (c *call) overtaken(sent url.Values) bool {
	i := c.visit.Item
	seen, shipment := sent.Get("seen"), sent.Get("shipment")
	return seen != "" && seen != string(i.Status) || shipment != "" && shipment != i.Parcel.ShipmentID
}

// lookAgain leads to how things stand now, and says that they have changed.
func (c *call) lookAgain() error {
	if err := c.follow(); err != nil {
		return err
	}
	if i := c.visit.Item; i.Status == lost.InfoCompleted && i.Parcel.Offered {
		return c.see(c.home() + "/pay?changed=1")
	}
	return c.see(c.home() + "?changed=1")
}

// unpayable tells that the fee cannot be paid here. What the provider says of it is for the log.
func (c *call) unpayable(err error) {
	l := c.language()
	p := failPage{page: c.page(l.Say("error.page.unpayable.title")), Text: l.Say("error.page.unpayable.text", "location", c.place.Name), Back: c.home()}
	c.failWith(err, p)
}

// leadPage leads to a page of somebody else's. A form of ours may not, by its policy; a page and its link may.
type leadPage struct {
	page
	Text, To string
}

// lead leads to the provider's page.
func (c *call) lead(bill desk.Bill) error {
	to, ok := webAddress(bill.Shipment.Checkout.URL)
	if !ok {
		return errors.New("the page to pay on has no address on the web")
	}
	c.setBack(c.token)
	l := c.language()
	p := leadPage{page: c.page(l.Say("guest.lead.title")), Text: l.Say("guest.lead.text"), To: to}
	p.Refresh = to
	return c.write(http.StatusOK, "lead", p)
}

// testPage is the page to pay on where nothing is paid.
type testPage struct {
	formPage
	Shipment, Total string
	Amount          string // in minor units, as it was when the page was made
}

// mayPayTest follows the link to the test page, or tells that there is none.
func (c *call) mayPayTest() error {
	if err := c.follow(); err != nil {
		return err
	}
	if c.desk.PayBy() != lost.PayTest || c.visit.Item.Source != lost.Found {
		return lost.Missing("page")
	}
	return nil
}

// askTestPayment shows the page, if there is something to pay.
func (c *call) askTestPayment() error {
	if err := c.mayPayTest(); err != nil {
		return err
	}
	i := c.visit.Item
	switch {
	case i.Status != lost.InfoCompleted:
		return c.see(c.home())
	case !i.Parcel.Price.Known(): // nothing was agreed on yet
		return c.see(c.home() + "/pay")
	}
	l := c.language()
	p := testPage{
		formPage: c.formPage(l.Say("guest.test.title"), "test-payment", nil), Shipment: i.Parcel.ShipmentID, Total: money(l, i.Parcel.Price), Amount: amount(i.Parcel.Price),
	}
	p.Text, p.Button, p.Back = l.Say("guest.test.text"), l.Say("guest.test.button", "price", p.Total), c.home()+"/pay"
	return c.write(http.StatusOK, "test", p)
}

func amount(p lost.Price) string { return strconv.FormatInt(p.Total(), 10) + " " + p.Currency }

// payTest is the button of that page.
func (c *call) payTest() error {
	if err := c.mayPayTest(); err != nil {
		return err
	}
	sent, err := c.form()
	if err != nil {
		return err
	}
	i := c.visit.Item
	if i.Status == lost.InfoCompleted && (c.overtaken(sent) || cmp.Or(sent.Get("amount"), amount(i.Parcel.Price)) != amount(i.Parcel.Price)) {
		return c.lookAgain()
	}
	_, err = c.desk.PayTest(c.r.Context(), c.token)
	switch {
	case lost.CodeOf(err) == lost.Conflict:
		return c.lookAgain()
	case err != nil:
		return err
	}
	return c.see(c.home() + "?paid=1")
}
