package message

import (
	"net/url"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// aboutParcel has what messages to the owner about a parcel share.
func aboutParcel() phrases {
	return phrases{
		discreet: "message.discreet.parcel.subject", discreetSMS: "message.discreet.parcel.sms",
		button: "message.button.parcel", link: "message.sms.follow", page: "message.page.parcel", footer: "message.footer.found",
		service: true, to: true,
	}
}

// parcelPhrases chooses what a letter about a parcel says.
func parcelPhrases(l lost.Letter) phrases {
	switch l.Kind {
	case lost.PriceMessage:
		return pricePhrases(l)
	case lost.ReceiptMessage:
		return receiptPhrases(l)
	case lost.RefundMessage:
		return refundPhrases(l)
	case lost.LabelMessage:
		return labelPhrases(l)
	case lost.DeliveredMessage:
		p := aboutParcel().saying("message.delivered.subject", "message.delivered.title", "message.delivered.lead", "message.delivered.sms")
		p.notes, p.tracking = []string{"message.delivered.missing"}, true
		return p.leading("", "message.button.see", "message.sms.see")
	default:
		p := aboutParcel().saying("message.shipped.subject", "message.shipped.title", "message.shipped.lead", "message.shipped.sms")
		if l.Item.Shipping.TrackingNumber != "" {
			p.sms = "message.shipped.sms.tracking"
		}
		p.tracking = true
		return p
	}
}

// shipPhrases confirms that an item is to be sent to its owner.
func shipPhrases(l lost.Letter) phrases {
	p, parcel := aboutChoice(), l.Item.Parcel
	if parcel.Offered {
		p.price, p.service = "message.fact.price", true
	}
	switch {
	case parcel.Offered && parcel.PayBy.Online():
		return p.saying(p.subject, "message.choice.ship.title", "message.choice.ship.pay.lead", "message.choice.ship.pay.sms").payable(l).tested(l)
	case parcel.Offered && parcel.Price.Known():
		p = p.saying(p.subject, "message.choice.ship.title", "message.choice.ship.price.lead", "message.choice.ship.price.sms")
	default:
		p = p.saying(p.subject, "message.choice.ship.title", "message.choice.ship.lead", "message.choice.ship.sms")
	}
	return p.changeable(l)
}

func pricePhrases(l lost.Letter) phrases {
	p := aboutParcel().saying("message.price.subject", "message.price.title", "message.price.lead", "message.price.sms")
	if l.Item.Parcel.Price.Known() {
		p = p.saying("message.price.subject.amount", "message.price.title.amount", p.lead, "message.price.sms.amount")
	}
	p.price, p.until = "message.fact.price", true
	p = p.leading("", "message.button.see", "message.sms.see")
	if l.Item.Parcel.PayBy.Online() {
		return p.payable(l).tested(l)
	}
	p.lead = "message.price.desk.lead"
	return p.changeable(l)
}

func receiptPhrases(l lost.Letter) phrases {
	p := aboutParcel().saying("message.receipt.subject", "message.receipt.title", "message.receipt.lead", "message.receipt.sms")
	if len(l.Item.Parcel.Documents) == 0 {
		p.lead = "message.receipt.preparing.lead"
	}
	if l.Item.Parcel.Price.Known() {
		p.sms = "message.receipt.sms.amount"
	}
	if papers, _ := enclosed(l); len(papers) > 0 {
		p.notes = []string{"message.receipt.invoice"}
	}
	p.price, p.leaves = "message.fact.paid", true
	return p.tested(l)
}

func refundPhrases(l lost.Letter) phrases {
	p := aboutParcel().saying("message.refund.subject", "message.refund.title", "message.refund.lead", "message.refund.sms")
	if l.Item.Parcel.Price.Known() {
		p = p.saying(p.subject, "message.refund.title.amount", p.lead, "message.refund.sms.amount")
	}
	p.price, p.service, p.to = "message.fact.refund", false, false
	switch l.Item.Parcel.PayBy {
	case lost.PayStripe:
	case lost.PayTest:
		p = p.saying("message.refund.test.subject", "message.refund.test.title", "message.refund.test.lead", "message.refund.test.sms")
		p.price = "" // there was none
	default:
		p.lead = "message.refund.desk.lead"
	}
	p = p.leading("", "message.button.see", "message.sms.see")
	switch l.Item.Status {
	case lost.Pending, lost.InfoCompleted, lost.PickUp, lost.FeePaid:
		p.notes = []string{"message.refund.here"}
	}
	if l.Item.OpenToGuest() {
		p = p.leading(choosing(l), "message.button.choose", "message.sms.choose")
		p.until = true
	}
	return p
}

// labelPhrases tells the desk what to do with a parcel. It leads nowhere: the guest's page is not the desk's to open.
func labelPhrases(l lost.Letter) phrases {
	p := phrases{
		discreet: "message.discreet.label.subject", discreetSMS: "message.discreet.label.subject", link: "message.sms.see", footer: "message.footer.digest",
		desk: true, service: true, leaves: true, to: true, tracking: true, steps: []string{"message.label.pack"},
	}
	ours := l.Item.Parcel.TrackingURL == "" && l.Item.Shipping.TrackingNumber == "" // a carrier's label has a number, and is paid for
	if ours {
		p.steps = []string{"message.label.postage", "message.label.pack"}
	}
	p = p.saying("message.label.subject", "message.label.title", "message.label.lead", "message.discreet.label.subject")
	if papers, whole := enclosed(l); !whole || len(papers) == 0 {
		p.lead = "message.label.elsewhere.lead"
	}
	if l.Item.Parcel.Document(lost.CustomsPaper) != (lost.Document{}) {
		p.steps = append(p.steps, "message.label.customs")
	}
	if ours { // else the carrier has said it by itself
		p.steps = append(p.steps, "message.label.tracking")
	}
	return p.tested(l)
}

// leading puts in where a message leads to.
func (p phrases) leading(page, button, link string) phrases {
	p.page, p.button, p.link = page, button, link
	return p
}

// payable leads to paying, for as long as the owner can.
func (p phrases) payable(l lost.Letter) phrases {
	if !l.Item.OpenToGuest() {
		return p
	}
	return p.leading("message.page.pay", "message.button.pay", "message.sms.pay")
}

// tested says so where no real money is paid.
func (p phrases) tested(l lost.Letter) phrases {
	if l.Item.Parcel.PayBy == lost.PayTest {
		p.notes = append(p.notes, "message.test")
	}
	return p
}

// parcelFacts adds what is to know of a parcel, as far as it is known.
func (s scribe) parcelFacts(add func(tell bool, label string, lines ...string)) {
	i := s.Item
	add(s.desk, "message.fact.kept", line(i.KeptAt(), maxPlace))
	if s.price != "" {
		add(i.Parcel.Price.Known(), s.price, s.total())
	}
	add(s.service, "message.fact.service", line(s.Service(i.Parcel.Service), maxPlace))
	add(s.service && s.price != "", "message.fact.days", s.WorkingDays(i.Parcel.FromDays, i.Parcel.ToDays))
	add(s.leaves, "message.fact.shipping-date", line(s.Date(i.Parcel.ShippingDate), maxPlace))
	add(s.to, "message.fact.to", s.recipient()...)
	add(s.tracking, "message.fact.tracking", line(i.Shipping.TrackingNumber, maxPlace))
	add(s.tracking, "message.fact.carrier", carrierPage(i.Parcel.TrackingURL))
	papers, _ := enclosed(s.Letter)
	add(s.desk, "message.fact.enclosed", names(papers)...)
}

// total is what sending costs, with what it is made of where that is more than postage. Money comes back in one sum.
func (s scribe) total() string {
	p := s.Item.Parcel.Price
	if p.Handling == 0 || s.Kind == lost.RefundMessage {
		return s.money(p.Total())
	}
	return s.Say("message.price.parts", "price", s.money(p.Total()), "postage", s.money(p.Postage), "handling", s.money(p.Handling))
}

// money writes an amount in the currency of the item's parcel; empty where it has none.
func (s scribe) money(minor int64) string {
	const most = 8 // of a currency's letters; they have three
	if p := s.Item.Parcel.Price; p.Known() {
		return s.Money(minor, line(p.Currency, most))
	}
	return ""
}

// recipient is where a parcel goes, line by line.
func (s scribe) recipient() []string {
	r := s.Item.Shipping.Recipient
	return s.envelopeLines(i18n.Address{
		Name: r.Name, Company: r.Company, Line1: r.Address1, Line2: r.Address2, City: r.City, State: r.State, ZipCode: r.ZipCode, Country: r.Country,
	})
}

// carrierPage is the address of the carrier's page about a parcel; empty where it is none that can be shown as it is. One that names a user
// before its host could pretend to be another's.
func carrierPage(raw string) string {
	const most = 500
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return ""
	}
	if raw != line(raw, most) {
		return ""
	}
	return u.String()
}
