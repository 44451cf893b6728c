package guest

import (
	"net/http"
	"net/url"
	"strconv"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// parcel is what the reader is told of a shipment. The papers are the desk's, except for the invoice.
type parcel struct {
	To                   []string
	Service, Sent, Price string
	Number, Follow       string // the carrier's number, and its page
	Invoice              string
}

// Facts tells whether there is anything to list.
func (p parcel) Facts() bool { return p.Service+p.Sent+p.Price+p.Number+p.Invoice != "" }

func showParcel(l *i18n.Language, i lost.Item) parcel {
	p := parcel{Number: i.Shipping.TrackingNumber}
	if i.Shipping.Recipient.Known() {
		p.To = addressLines(l, i.Shipping.Recipient)
	}
	if i.Status == lost.InfoCompleted { // what was agreed on may still change
		return p
	}
	p.Service = l.Service(i.Parcel.Service)
	if i.Parcel.Price.Known() {
		p.Price = money(l, i.Parcel.Price)
	}
	if i.Parcel.ShippingDate != "" {
		p.Sent = l.Date(i.Parcel.ShippingDate)
	}
	if file := i.Parcel.Document(lost.InvoicePaper).File; file != "" {
		p.Invoice = filePath(file)
	}
	if at, ok := webAddress(i.Parcel.TrackingURL); ok && i.Status != lost.FeePaid { // before that the carrier knows nothing
		p.Follow = at
	}
	return p
}

// webAddress is an address that a page of ours may lead to; false for what is none.
func webAddress(s string) (string, bool) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", false
	}
	return u.String(), true
}

// presentParcel tells how far a parcel is.
func (c *call) presentParcel(l *i18n.Language, p *statusPage) {
	i, name := c.visit.Item, c.place.Name
	p.Parcel = showParcel(l, i)
	reached := false
	for _, s := range []lost.Status{lost.Delivered, lost.Shipped, lost.FeePaid, lost.InfoCompleted} {
		current := s == i.Status
		reached = reached || current
		p.Steps = append([]step{{Label: l.Say(statusWords[s]), Done: reached, Current: current}}, p.Steps...)
	}
	p.Mood = "going"
	switch i.Status {
	case lost.InfoCompleted:
		p.Mood, p.Title = "waiting", l.Say("guest.address.title")
		c.presentFee(l, p)
	case lost.FeePaid:
		p.Title, p.Next = l.Say("guest.paid.title"), []string{l.Say("guest.paid.text", "location", name)}
		if i.Parcel.Paid && len(i.Parcel.Documents) == 0 { // whatever keeps the desk waiting is the desk's
			p.Next = []string{l.Say("guest.paid.preparing", "location", name)}
		}
	case lost.Shipped:
		p.Title, p.Next = l.Say("guest.shipped.title"), []string{l.Say("guest.shipped.text")}
	default:
		p.Mood, p.Title, p.Next = "done", l.Say("guest.delivered.title"), []string{l.Say("guest.delivered.text", "location", name)}
	}
	if news := c.refundNews(l); news != "" {
		p.Next = append(p.Next, news)
	}
}

// presentFee tells what is left to do before it is sent.
func (c *call) presentFee(l *i18n.Language, p *statusPage) {
	i, name := c.visit.Item, c.place.Name
	switch by := c.desk.PayBy(); {
	case i.Parcel.Awaited:
		p.Next = []string{l.Say("guest.confirm.text")}
	case c.unsent(l) != "":
		p.Next = []string{c.unsent(l), l.Say("guest.unsent.next")}
	case i.Parcel.PayBy == lost.PayDesk && i.Parcel.Price.Known():
		p.Title = l.Say("guest.fee.agreed")
		p.Next = []string{l.Say("guest.fee.desk", "price", money(l, i.Parcel.Price), "location", name), l.Say("guest.fee.desk.how", "location", name)}
	case i.Parcel.Offered && by.Online():
		p.Next = []string{l.Say("guest.fee.online", "location", name)}
		p.Pay = &button{payLabel(l, i.Parcel.Price), c.home() + "/pay"}
	case i.Parcel.Offered:
		p.Next = []string{l.Say("guest.fee.confirm", "location", name)}
		p.Pay = &button{l.Say("guest.fee.see"), c.home() + "/pay"}
	default:
		p.Next = []string{l.Say("guest.price.unknown", "location", name)}
	}
}

// payLabel names what is to be paid, once that is agreed on.
func payLabel(l *i18n.Language, p lost.Price) string {
	if !p.Known() {
		return l.Say("guest.fee.pay")
	}
	return l.Say("guest.fee.pay.price", "price", money(l, p))
}

// refundNews tells of a fee that is given back, in the way it was paid; empty where none is.
func (c *call) refundNews(l *i18n.Language) string {
	p := c.visit.Item.Parcel
	switch {
	case p.Refund == "":
		return ""
	case p.PayBy == lost.PayTest:
		return l.Say("message.refund.test.lead")
	case p.PayBy == lost.PayDesk:
		return l.Say("message.refund.desk.lead", "place", c.place.Name)
	case p.Refund == lost.RefundDone:
		return l.Say("guest.refund.done")
	default: // what goes wrong with it is the desk's
		return l.Say("guest.refund.wanted")
	}
}

// again is how to look whether a payment was confirmed.
type again struct {
	Href   string
	Unpaid string // for who has not paid after all
	Soon   bool   // a script may look by itself
}

// mostLooks bounds how often a page looks by itself: with four seconds between, for a minute.
const mostLooks = 15

// presentPaid shows how things stand after a payment. It believes nothing: what the provider has told decides.
func (c *call) presentPaid(look string) error {
	l, i := c.language(), c.visit.Item
	switch i.Status {
	case lost.FeePaid, lost.Shipped, lost.Delivered:
		p := c.statusPage(l.Say("guest.paid.thanks"))
		p.Good = true
		return c.write(http.StatusOK, "status", p)
	case lost.InfoCompleted:
		if !i.Parcel.PayBy.Online() || !i.Parcel.Price.Known() {
			return c.presentStatus(http.StatusOK, "")
		}
	default:
		return c.present(http.StatusOK, "", false)
	}
	looks, err := strconv.Atoi(look)
	if err != nil || looks < 0 || looks > mostLooks {
		looks = 0
		if look != "" {
			looks = mostLooks
		}
	}
	p := c.statusPage("")
	p.Title, p.Next, p.Pay, p.Change = l.Say("guest.confirm.title"), []string{l.Say("guest.confirm.text")}, nil, ""
	p.Again = &again{Href: c.home() + "?paid=1", Unpaid: c.home() + "/pay", Soon: looks < mostLooks}
	if p.Again.Soon {
		p.Again.Href += "&look=" + strconv.Itoa(looks+1)
	}
	return c.write(http.StatusOK, "status", p)
}
