package guest

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/shipping"
)

// payPage shows the shipping price, the address and what happens next, and asks for confirmation.
type payPage struct {
	formPage
	Thing         thing
	To            []string
	ChangeAddress string // path of the address form
	Shipment      string
	Offers        []offer
	Handling      string // the handling fee that every price includes; empty if there is none
	Next          []string
}

// offer is a shipping service with its price.
type offer struct {
	Key, Service, Days       string
	Postage, Handling, Total string
}

// One returns the only offer, or nil if there are several.
func (p payPage) One() *offer {
	if len(p.Offers) != 1 {
		return nil
	}
	return &p.Offers[0]
}

// askPay shows the price and asks for confirmation.
func (c paymentCall) askPay() error {
	if err := c.openLink(); err != nil {
		return err
	}
	bill, err := c.services.Payments.Bill(c.r.Context(), c.token)
	if lost.CodeOf(err) == lost.Conflict || err == nil && len(bill.Shipment.Offers) == 0 {
		return c.redirect(c.home())
	}
	if err != nil {
		return err
	}
	c.visit, c.place = bill.Visit, &bill.Location
	return c.write(http.StatusOK, "pay", c.payPage(bill.Shipment))
}

func (c paymentCall) payPage(s lost.Shipment) payPage {
	l, name := c.language(), c.place.Name
	p := payPage{
		formPage: c.formPage(l.Say("guest.pay.title"), "pay", nil), Thing: showThing(l, c.visit.Item),
		To: addressLines(l, s.To), ChangeAddress: c.home() + "/ship?country=" + url.QueryEscape(s.To.Country),
		Shipment: s.ID,
	}
	for _, q := range s.Offers {
		p.Offers = append(p.Offers, showOffer(l, q))
	}
	total := p.Offers[0].Total
	several := len(p.Offers) > 1
	if several {
		p.Handling = p.Offers[0].Handling
	}
	switch c.services.Payments.PayBy() {
	case lost.PayTest:
		p.Button = l.Say("guest.pay.button.test")
		p.Next = []string{l.Say("guest.pay.next.test"), l.Say("guest.pay.next", "location", name)}
	case lost.PayDesk:
		p.Title, p.Next = l.Say("guest.pay.desk.title"), []string{l.Say("guest.pay.next.desk", "location", name)}
		p.Button = l.Say("guest.pay.button.desk", "price", total)
		if several {
			p.Button = l.Say("guest.pay.button.desk.any")
		}
	default:
		p.Next = []string{l.Say("guest.pay.next.online"), l.Say("guest.pay.next", "location", name)}
		p.Button = l.Say("guest.pay.button", "price", total)
		if several {
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

// pay accepts the offer that the guest chose and redirects to the payment page.
func (c paymentCall) pay() error {
	if err := c.openLink(); err != nil {
		return err
	}
	sent, err := c.form()
	if err != nil {
		return err
	}
	if c.isOutdated(sent) {
		return c.showChanged()
	}
	bill, err := c.services.Payments.Checkout(c.r.Context(), c.token, sent.Get("offer"), c.language().Tag())
	switch code := lost.CodeOf(err); {
	case code == lost.Conflict:
		return c.showChanged()
	case code == lost.Invalid: // the provider permanently rejects this payment
		c.writeUnpayable(err)
		return nil
	case err != nil:
		return err
	}
	switch bill.Shipment.PayBy {
	case lost.PayTest:
		return c.redirect(c.home() + "/test-payment")
	case lost.PayStripe:
		return c.redirectToProvider(bill)
	default:
		return c.redirect(c.home())
	}
}

// isOutdated reports whether a form no longer matches what has to be paid: the item's status or its address changed
// after the form was shown.
func (c paymentCall) isOutdated(sent url.Values) bool {
	i := c.visit.Item
	seen, shipment := sent.Get("seen"), sent.Get("shipment")
	return seen != "" && seen != string(i.Status) || shipment != "" && shipment != i.Parcel.ShipmentID
}

// showChanged redirects to the current state, with a notice that it has changed.
func (c paymentCall) showChanged() error {
	if err := c.openLink(); err != nil {
		return err
	}
	if i := c.visit.Item; i.Status == lost.InfoCompleted && i.Parcel.Offered {
		return c.redirect(c.home() + "/pay?changed=1")
	}
	return c.redirect(c.home() + "?changed=1")
}

// writeUnpayable tells the guest that the fee cannot be paid online. The provider's message is only logged.
func (c paymentCall) writeUnpayable(err error) {
	l := c.language()
	p := errorPage{
		page: c.page(l.Say("error.page.unpayable.title")),
		Text: l.Say("error.page.unpayable.text", "location", c.place.Name), Back: c.home(),
	}
	c.writeErrorPage(err, p)
}

// leadPage sends the guest to another site with a refresh header and a link. The Content-Security-Policy does not
// allow a form to redirect there.
type leadPage struct {
	page
	Text, To string
}

// redirectToProvider sends the guest to the payment provider's page.
func (c paymentCall) redirectToProvider(bill shipping.Bill) error {
	to, ok := webAddress(bill.Shipment.Checkout.URL)
	if !ok {
		return errors.New("checkout page has no web address")
	}
	c.setReturnToken(c.token)
	l := c.language()
	p := leadPage{page: c.page(l.Say("guest.lead.title")), Text: l.Say("guest.lead.text"), To: to}
	p.Refresh = to
	return c.write(http.StatusOK, "lead", p)
}

// testPage replaces the payment provider's page in test mode.
type testPage struct {
	formPage
	Shipment, Total string
	Amount          string // the price when the page was shown, in minor units
}

// openTestPayment loads the item that the link belongs to. It returns a NotFound error if the service does not use
// test payments.
func (c paymentCall) openTestPayment() error {
	if err := c.openLink(); err != nil {
		return err
	}
	if c.services.Payments.PayBy() != lost.PayTest || c.visit.Item.Source != lost.Found {
		return lost.Missing("page")
	}
	return nil
}

// askTestPayment shows the test payment page if there is something to pay.
func (c paymentCall) askTestPayment() error {
	if err := c.openTestPayment(); err != nil {
		return err
	}
	i := c.visit.Item
	switch {
	case i.Status != lost.InfoCompleted:
		return c.redirect(c.home())
	case !i.Parcel.Price.Known(): // the guest has not accepted an offer yet
		return c.redirect(c.home() + "/pay")
	}
	l := c.language()
	p := testPage{
		formPage: c.formPage(l.Say("guest.test.title"), "test-payment", nil),
		Shipment: i.Parcel.ShipmentID, Total: money(l, i.Parcel.Price), Amount: amount(i.Parcel.Price),
	}
	p.Text = l.Say("guest.test.text")
	p.Button = l.Say("guest.test.button", "price", p.Total)
	p.Back = c.home() + "/pay"
	return c.write(http.StatusOK, "test", p)
}

func amount(p lost.Price) string { return strconv.FormatInt(p.Total(), 10) + " " + p.Currency }

// payTest records the test payment.
func (c paymentCall) payTest() error {
	if err := c.openTestPayment(); err != nil {
		return err
	}
	sent, err := c.form()
	if err != nil {
		return err
	}
	if c.visit.Item.Status == lost.InfoCompleted && (c.isOutdated(sent) || c.priceChanged(sent)) {
		return c.showChanged()
	}
	_, err = c.services.Payments.PayTest(c.r.Context(), c.token)
	switch {
	case lost.CodeOf(err) == lost.Conflict:
		return c.showChanged()
	case err != nil:
		return err
	}
	return c.redirect(c.home() + "?paid=1")
}

// priceChanged reports whether the price differs from the one on the submitted form.
func (c paymentCall) priceChanged(sent url.Values) bool {
	shown := sent.Get("amount")
	return shown != "" && shown != amount(c.visit.Item.Parcel.Price)
}
