package guest

import (
	"net/http"
	"net/url"
	"strconv"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// parcel holds the details of a shipment that the guest may see. The invoice is the only document that the guest
// may open.
type parcel struct {
	To                   []string
	Service, Sent, Price string
	Number, Follow       string // the tracking number and the carrier's tracking page
	Invoice              string
}

// Facts reports whether there are any details to list.
func (p parcel) Facts() bool { return p.Service+p.Sent+p.Price+p.Number+p.Invoice != "" }

func showParcel(l *i18n.Language, i lost.Item) parcel {
	p := parcel{Number: i.Shipping.TrackingNumber}
	if i.Shipping.Recipient.Known() {
		p.To = addressLines(l, i.Shipping.Recipient)
	}
	if i.Status == lost.InfoCompleted { // service and price may still change
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
	// The carrier's tracking page shows nothing until the carrier has the parcel.
	if at, ok := webAddress(i.Parcel.TrackingURL); ok && i.Status != lost.FeePaid {
		p.Follow = at
	}
	return p
}

// webAddress returns s if it is an HTTP or HTTPS URL that a page may link to, and false otherwise.
func webAddress(s string) (string, bool) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", false
	}
	return u.String(), true
}

// presentParcel shows the progress of a parcel.
func (c linkCall) presentParcel(l *i18n.Language, p *statusPage) {
	i, name := c.visit.Item, c.place.Name
	p.Parcel = showParcel(l, i)
	reached := false
	for _, s := range []lost.Status{lost.Delivered, lost.Shipped, lost.FeePaid, lost.InfoCompleted} {
		current := s == i.Status
		reached = reached || current
		p.Steps = append([]step{{Label: l.Say(statusWords[s]), Done: reached, Current: current}}, p.Steps...)
	}
	p.Class = "going"
	switch i.Status {
	case lost.InfoCompleted:
		p.Class, p.Title = "waiting", l.Say("guest.address.title")
		c.presentFee(l, p)
	case lost.FeePaid:
		p.Title, p.Next = l.Say("guest.paid.title"), []string{l.Say("guest.paid.text", "location", name)}
		if i.Parcel.Paid && len(i.Parcel.Documents) == 0 { // the label is not ready yet
			p.Next = []string{l.Say("guest.paid.preparing", "location", name)}
		}
	case lost.Shipped:
		p.Title, p.Next = l.Say("guest.shipped.title"), []string{l.Say("guest.shipped.text")}
	default:
		p.Class, p.Title = "done", l.Say("guest.delivered.title")
		p.Next = []string{l.Say("guest.delivered.text", "location", name)}
	}
	if text := c.refundText(l); text != "" {
		p.Next = append(p.Next, text)
	}
}

// presentFee shows what has to happen before the item is sent.
func (c linkCall) presentFee(l *i18n.Language, p *statusPage) {
	i, name := c.visit.Item, c.place.Name
	switch by := c.services.Payments.PayBy(); {
	case i.Parcel.Awaited:
		p.Next = []string{l.Say("guest.confirm.text")}
	case c.notShippedReason(l) != "":
		p.Next = []string{c.notShippedReason(l), l.Say("guest.unsent.next")}
	case i.Parcel.PayBy == lost.PayDesk && i.Parcel.Price.Known():
		p.Title = l.Say("guest.fee.agreed")
		p.Next = []string{
			l.Say("guest.fee.desk", "price", money(l, i.Parcel.Price), "location", name),
			l.Say("guest.fee.desk.how", "location", name),
		}
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

// payLabel returns the label of the payment button, including the price if it is known.
func payLabel(l *i18n.Language, p lost.Price) string {
	if !p.Known() {
		return l.Say("guest.fee.pay")
	}
	return l.Say("guest.fee.pay.price", "price", money(l, p))
}

// refundText describes the state of a refund, depending on how the fee was paid. It returns an empty string if there
// is no refund.
func (c linkCall) refundText(l *i18n.Language) string {
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
	default: // a failed refund is shown to staff only
		return l.Say("guest.refund.wanted")
	}
}

// recheck is a link that checks again whether the payment was confirmed.
type recheck struct {
	Href   string
	Unpaid string // the path for a guest who has not paid
	Soon   bool   // a script follows Href after a few seconds
}

// maxRechecks is the largest number of automatic checks: one every four seconds for a minute.
const maxRechecks = 15

// presentPaid shows the state after the guest returns from the payment page. The return does not prove a payment:
// only the provider's confirmation does.
func (c linkCall) presentPaid(look string) error {
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
	checks := countRechecks(look)
	p := c.statusPage("")
	p.Title, p.Next = l.Say("guest.confirm.title"), []string{l.Say("guest.confirm.text")}
	p.Pay, p.Change = nil, ""
	p.Again = &recheck{Href: c.home() + "?paid=1", Unpaid: c.home() + "/pay", Soon: checks < maxRechecks}
	if p.Again.Soon {
		p.Again.Href += "&look=" + strconv.Itoa(checks+1)
	}
	return c.write(http.StatusOK, "status", p)
}

// countRechecks parses the number of automatic checks so far. A malformed number ends the automatic checks.
func countRechecks(look string) int {
	if look == "" {
		return 0
	}
	checks, err := strconv.Atoi(look)
	if err != nil || checks < 0 || checks > maxRechecks {
		return maxRechecks
	}
	return checks
}
