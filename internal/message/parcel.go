package message

import (
	"net/url"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// aboutParcel returns the phrases that messages to the owner about a parcel share.
func aboutParcel() phrases {
	return phrases{
		discreet: "message.discreet.parcel.subject", discreetSMS: "message.discreet.parcel.sms",
		button: "message.button.parcel", link: "message.sms.follow", page: "message.page.parcel",
		footer:  "message.footer.found",
		service: true, to: true,
	}
}

// parcelPhrases returns the phrases of a message about a parcel.
func parcelPhrases(l lost.MessageData) phrases {
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
		p := aboutParcel().withTexts("message.delivered.subject", "message.delivered.title", "message.delivered.lead",
			"message.delivered.sms")
		p.notes, p.tracking = []string{"message.delivered.missing"}, true
		return p.withLink("", "message.button.see", "message.sms.see")
	default:
		p := aboutParcel().withTexts("message.shipped.subject", "message.shipped.title", "message.shipped.lead",
			"message.shipped.sms")
		if l.Item.Shipping.TrackingNumber != "" {
			p.sms = "message.shipped.sms.tracking"
		}
		p.tracking = true
		return p
	}
}

// shipPhrases returns the phrases of a message that confirms the owner's choice to have the item shipped.
func shipPhrases(l lost.MessageData) phrases {
	p, parcel := aboutChoice(), l.Item.Parcel
	if parcel.Offered {
		p.price, p.service = "message.fact.price", true
	}
	switch {
	case parcel.Offered && parcel.PayBy.Online():
		return p.withTexts(p.subject, "message.choice.ship.title", "message.choice.ship.pay.lead",
			"message.choice.ship.pay.sms").withPayment(l).withTestNote(l)
	case parcel.Offered && parcel.Price.Known():
		p = p.withTexts(p.subject, "message.choice.ship.title", "message.choice.ship.price.lead",
			"message.choice.ship.price.sms")
	default:
		p = p.withTexts(p.subject, "message.choice.ship.title", "message.choice.ship.lead", "message.choice.ship.sms")
	}
	return p.withChange(l)
}

func pricePhrases(l lost.MessageData) phrases {
	p := aboutParcel().withTexts("message.price.subject", "message.price.title", "message.price.lead",
		"message.price.sms")
	if l.Item.Parcel.Price.Known() {
		p = p.withTexts("message.price.subject.amount", "message.price.title.amount", p.lead,
			"message.price.sms.amount")
	}
	p.price, p.until = "message.fact.price", true
	p = p.withLink("", "message.button.see", "message.sms.see")
	if l.Item.Parcel.PayBy.Online() {
		return p.withPayment(l).withTestNote(l)
	}
	p.lead = "message.price.desk.lead"
	return p.withChange(l)
}

func receiptPhrases(l lost.MessageData) phrases {
	p := aboutParcel().withTexts("message.receipt.subject", "message.receipt.title", "message.receipt.lead",
		"message.receipt.sms")
	if len(l.Item.Parcel.Documents) == 0 {
		p.lead = "message.receipt.preparing.lead"
	}
	if l.Item.Parcel.Price.Known() {
		p.sms = "message.receipt.sms.amount"
	}
	if files, _ := attachments(l); len(files) > 0 {
		p.notes = []string{"message.receipt.invoice"}
	}
	p.price, p.shippingDate = "message.fact.paid", true
	return p.withTestNote(l)
}

func refundPhrases(l lost.MessageData) phrases {
	p := aboutParcel().withTexts("message.refund.subject", "message.refund.title", "message.refund.lead",
		"message.refund.sms")
	if l.Item.Parcel.Price.Known() {
		p = p.withTexts(p.subject, "message.refund.title.amount", p.lead, "message.refund.sms.amount")
	}
	p.price, p.service, p.to = "message.fact.refund", false, false
	switch l.Item.Parcel.PayBy {
	case lost.PayStripe:
	case lost.PayTest:
		p = p.withTexts("message.refund.test.subject", "message.refund.test.title", "message.refund.test.lead",
			"message.refund.test.sms")
		p.price = "" // nothing was paid
	default:
		p.lead = "message.refund.desk.lead"
	}
	p = p.withLink("", "message.button.see", "message.sms.see")
	switch l.Item.Status {
	case lost.Pending, lost.InfoCompleted, lost.PickUp, lost.FeePaid:
		p.notes = []string{"message.refund.here"}
	}
	if l.Item.GuestMayChoose() {
		p = p.withLink(choiceText(l), "message.button.choose", "message.sms.choose")
		p.until = true
	}
	return p
}

// labelPhrases returns the phrases of the message that tells the desk what to do with a parcel. The message has no
// link, because the guest's page is not for the desk.
func labelPhrases(l lost.MessageData) phrases {
	p := phrases{
		discreet: "message.discreet.label.subject", discreetSMS: "message.discreet.label.subject",
		link: "message.sms.see", footer: "message.footer.digest",
		desk: true, service: true, shippingDate: true, to: true, tracking: true, steps: []string{"message.label.pack"},
	}
	// If the label was bought from a carrier, it has a tracking number and includes the postage.
	ownLabel := l.Item.Parcel.TrackingURL == "" && l.Item.Shipping.TrackingNumber == ""
	if ownLabel {
		p.steps = []string{"message.label.postage", "message.label.pack"}
	}
	p = p.withTexts("message.label.subject", "message.label.title", "message.label.lead",
		"message.discreet.label.subject")
	if files, whole := attachments(l); !whole || len(files) == 0 {
		p.lead = "message.label.elsewhere.lead"
	}
	if l.Item.Parcel.Document(lost.CustomsPaper) != (lost.Document{}) {
		p.steps = append(p.steps, "message.label.customs")
	}
	if ownLabel { // otherwise the tracking number is already known
		p.steps = append(p.steps, "message.label.tracking")
	}
	return p.withTestNote(l)
}

// withLink sets what a message links to.
func (p phrases) withLink(page, button, link string) phrases {
	p.page, p.button, p.link = page, button, link
	return p
}

// withPayment links the message to the payment page if the owner can still pay.
func (p phrases) withPayment(l lost.MessageData) phrases {
	if !l.Item.GuestMayChoose() {
		return p
	}
	return p.withLink("message.page.pay", "message.button.pay", "message.sms.pay")
}

// withTestNote adds a note if no real money is paid.
func (p phrases) withTestNote(l lost.MessageData) phrases {
	if l.Item.Parcel.PayBy == lost.PayTest {
		p.notes = append(p.notes, "message.test")
	}
	return p
}

// parcelFacts adds the details of a parcel that are known.
func (s composer) parcelFacts(add func(show bool, label string, lines ...string)) {
	i := s.Item
	add(s.desk, "message.fact.kept", line(i.StoredAt(), maxPlace))
	if s.price != "" {
		add(i.Parcel.Price.Known(), s.price, s.total())
	}
	add(s.service, "message.fact.service", line(s.Service(i.Parcel.Service), maxPlace))
	add(s.service && s.price != "", "message.fact.days", s.WorkingDays(i.Parcel.FromDays, i.Parcel.ToDays))
	add(s.shippingDate, "message.fact.shipping-date", line(s.Date(i.Parcel.ShippingDate), maxPlace))
	add(s.to, "message.fact.to", s.recipient()...)
	add(s.tracking, "message.fact.tracking", line(i.Shipping.TrackingNumber, maxPlace))
	add(s.tracking, "message.fact.carrier", carrierPage(i.Parcel.TrackingURL))
	files, _ := attachments(s.MessageData)
	add(s.desk, "message.fact.enclosed", fileNames(files)...)
}

// total formats the shipping price, followed by postage and handling if both are charged. A refund is shown as one
// amount.
func (s composer) total() string {
	p := s.Item.Parcel.Price
	if p.Handling == 0 || s.Kind == lost.RefundMessage {
		return s.money(p.Total())
	}
	return s.Say("message.price.parts", "price", s.money(p.Total()), "postage", s.money(p.Postage), "handling",
		s.money(p.Handling))
}

// money formats an amount in the currency of the parcel's price. It returns an empty string if there is no price.
func (s composer) money(minor int64) string {
	const maxCurrency = 8 // maximum number of characters shown of a currency code; real codes have three
	if p := s.Item.Parcel.Price; p.Known() {
		return s.Money(minor, line(p.Currency, maxCurrency))
	}
	return ""
}

// recipient returns the parcel's address, line by line.
func (s composer) recipient() []string {
	r := s.Item.Shipping.Recipient
	return s.addressLines(i18n.Address{
		Name: r.Name, Company: r.Company, Line1: r.Address1, Line2: r.Address2, City: r.City, State: r.State,
		ZipCode: r.ZipCode, Country: r.Country,
	})
}

// carrierPage returns the URL of the carrier's tracking page, or an empty string if it is not safe to show. A URL
// with a user name before the host could look like another site.
func carrierPage(raw string) string {
	const maxURL = 500
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return ""
	}
	if raw != line(raw, maxURL) {
		return ""
	}
	return u.String()
}
