package message_test

import (
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/message"
)

const tracking = "https://parcels.example/follow?number=00340434161094042557"

// parcel returns the umbrella with a parcel, in the state in which a kind of message is sent.
func parcel(kind lost.MessageKind) lost.Item {
	i := umbrella()
	i.Status = map[lost.MessageKind]lost.Status{
		lost.PriceMessage: lost.InfoCompleted, lost.ReceiptMessage: lost.FeePaid, lost.ShippedMessage: lost.Shipped,
		lost.DeliveredMessage: lost.Delivered, lost.RefundMessage: lost.Pending, lost.LabelMessage: lost.FeePaid,
	}[kind]
	i.Shipping.Recipient = lost.Recipient{
		Name: "Anna Müller", Address1: "1 High Street", City: "London", ZipCode: "SW1A 1AA", Country: "GB",
		Phone: "+447700900123",
	}
	i.Parcel = lost.Parcel{
		ShipmentID: "shp_1", PayBy: lost.PayStripe, Offered: true, Paid: kind != lost.PriceMessage,
		Service: "Parcel, insured",
		Price:   lost.Price{Postage: 950, Handling: 300, Currency: "EUR"},
	}
	if kind == lost.PriceMessage || kind == lost.RefundMessage {
		return i
	}
	i.Parcel.ShippingDate, i.Parcel.TrackingURL, i.Shipping.TrackingNumber = "2026-11-17", tracking,
		"00340434161094042557"
	i.Parcel.Documents = []lost.Document{{Kind: lost.LabelPaper, File: "l"}, {Kind: lost.InvoicePaper, File: "i"},
		{Kind: lost.SlipPaper, File: "s"}}
	if kind == lost.LabelMessage {
		i.StoragePlace = "Shelf 4"
		i.Parcel.Documents = append(i.Parcel.Documents, lost.Document{Kind: lost.CustomsPaper, File: "c"})
	}
	return i
}

// parcelMessages returns messages about parcels in other states, by name.
func parcelMessages() map[string]lost.MessageData {
	all := map[string]lost.MessageData{}
	add := func(name string, kind lost.MessageKind, change func(l *lost.MessageData)) {
		l := newMessage(kind)
		if kind == lost.ChoiceMessage {
			l.Item = parcel(lost.PriceMessage)
		}
		change(&l)
		all[name] = l
	}
	add("choice-ship-pay", lost.ChoiceMessage, func(*lost.MessageData) {})
	add("choice-ship-price", lost.ChoiceMessage, func(l *lost.MessageData) { l.Item.Parcel.PayBy = lost.PayDesk })
	add("price-desk", lost.PriceMessage, func(l *lost.MessageData) {
		l.Item.Parcel.PayBy, l.Item.Parcel.Price.Handling = lost.PayDesk, 0
	})
	add("price-open", lost.PriceMessage, func(l *lost.MessageData) {
		l.Item.Parcel.PayBy, l.Item.Parcel.Price, l.Item.Parcel.Service = lost.PayTest, lost.Price{}, ""
	})
	add("receipt-preparing", lost.ReceiptMessage, func(l *lost.MessageData) {
		l.Item.Parcel.Documents = nil
		l.Item.Parcel.ShippingDate = ""
		l.Item.Parcel.PayBy = lost.PayTest
		l.Enclosed = nil
	})
	add("shipped-untracked", lost.ShippedMessage, func(l *lost.MessageData) {
		l.Item.Parcel.TrackingURL, l.Item.Shipping.TrackingNumber = "", ""
	})
	add("refund-desk", lost.RefundMessage, func(l *lost.MessageData) {
		l.Item.Parcel.PayBy, l.Item.Parcel.Price = lost.PayDesk, lost.Price{}
	})
	add("refund-test", lost.RefundMessage, func(l *lost.MessageData) { l.Item.Parcel.PayBy = lost.PayTest })
	add("refund-shipped", lost.RefundMessage, func(l *lost.MessageData) { l.Item.Status = lost.Shipped })
	add("notice-unsent", lost.NoticeMessage, func(l *lost.MessageData) {
		l.Item.Shipping.NotShipped = "It has a battery."
	})
	add("label-tariff", lost.LabelMessage, func(l *lost.MessageData) {
		l.Item.Parcel.TrackingURL = ""
		l.Item.Shipping.TrackingNumber = ""
		l.Item.Parcel.PayBy = lost.PayTest
		l.Enclosed = nil
		l.Item.Parcel.Documents, l.To = l.Item.Parcel.Documents[:3], "desk@adler.example"
	})
	return all
}

// parcelText lists texts that a message about a parcel must contain, and texts that it must not contain.
type parcelText struct{ says, hides []string }

func parcelTexts() map[string]parcelText {
	const whole = "€12.50 (postage €9.50, handling €3.00)"
	return map[string]parcelText{
		"choice-ship-pay": {[]string{"as soon as the fee is paid", whole, "Pay, or choose again " + link},
			[]string{"will tell you the price", "test"}},
		"choice-ship-price": {[]string{"which costs €12.50. Hotel Adler will tell you how to pay", "choose again"},
			[]string{"Pay, or", "will tell you the price"}},
		"choice-ship": {[]string{"will tell you the price before anything is sent"}, []string{"€", "Price:"}},
		"price": {[]string{"Sending it home costs €12.50", "Price: " + whole, "Service: Parcel, insured",
			"as soon as the fee is paid", "Pay, or choose again " + link,
			"Anna Müller, 1 High Street, London SW1A 1AA, United Kingdom"}, []string{"test", "+447700900123"}},
		"price-desk": {[]string{"Price: €9.50", "Arrange the payment with the staff",
			"See or change your choice"}, []string{"handling", "Pay, or"}},
		"price-open": {[]string{"It can be sent home to you", "test mode"}, []string{"Price:", "costs"}},
		"receipt": {[]string{
			"Paid: " + whole, "Shipping date: Tuesday 17 November 2026", "The invoice is attached",
			"Track the parcel " + link, "1 High Street",
		}, []string{"preparing", "test"}},
		"receipt-preparing": {[]string{"Hotel Adler is preparing the parcel. There is nothing more", "test mode"},
			[]string{"attached", "Shipping date"}},
		"shipped": {[]string{"Tracking number: 00340434161094042557", "Carrier tracking: " + tracking,
			"Track the parcel " + link}, []string{"Price", "Kept until"}},
		"shipped-untracked": {[]string{"on its way to you", "Track the parcel " + link},
			[]string{"Tracking", "Carrier tracking"}},
		"delivered": {[]string{
			"was delivered", "If you have not received it, ask your neighbours", "tell Hotel Adler",
		}, nil},
		"refund": {[]string{
			"You are getting a refund of €12.50", "A card refund can take a few days", "still at Hotel Adler",
			"Choose what happens to it " + link,
		}, []string{"test", "tell you how"}},
		"refund-desk": {[]string{"You are getting a refund", "The staff will tell you how",
			"still at Hotel Adler"}, []string{"card", "€", "Refund:"}},
		"refund-test": {[]string{"A test payment was cancelled", "This was a test: no real money was paid",
			"still at Hotel Adler"}, []string{"card", "€", "refunding the fee"}},
		"refund-shipped": {[]string{"a refund of €12.50", "See the status " + link},
			[]string{"still at", "Choose"}},
		"label": {[]string{"Hello,", "K7F-3QD", "Stored at: Shelf 4", "Delivery address: Anna Müller, 1 High Street",
			"Service: Parcel, insured", "Shipping date: Tuesday 17 November 2026",
			"Tracking number: 00340434161094042557", "documents are attached",
			"Attached: Label K7F-3QD.pdf, Invoice 17.pdf, Packing slip.pdf", "Stick the label",
			"Write the value and country of origin on the customs declaration, date and sign it"},
			[]string{"Jana", "enter the tracking number", "in Homeward", "Questions?", "postage", "test mode"}},
		"label-tariff": {[]string{
			"Hello Jana Berg,", "on the item page in Homeward",
			"shows only the address and does not include postage. Buy postage from the carrier",
			"enter the tracking number on the item page", "test mode",
		},
			[]string{"ttached", "customs", "Tracking number:"}},
		"digest": {[]string{"Paid, but the carrier rejected the parcel, since Thursday 12 November 2026: The " +
			"carrier wants a phone number", "Return to sender.", "Refund to pay out, since"}, nil},
	}
}

func TestAParcelMessageSaysWhatItsReaderNeeds(t *testing.T) {
	p := newSender(t, message.Options{})
	for name, c := range parcelTexts() {
		subject, text := compose(t, p, allMessages()[name])
		flat := subject + " " + strings.Join(strings.Fields(text), " ")
		for _, w := range c.says {
			if !strings.Contains(flat, w) {
				t.Errorf("%s does not say %q:\n%s", name, w, text)
			}
		}
		for _, w := range c.hides {
			if strings.Contains(flat, w) {
				t.Errorf("%s says %q:\n%s", name, w, text)
			}
		}
		if strings.Contains(text, "secret") {
			t.Errorf("%s contains text that is for the desk only:\n%s", name, text)
		}
	}
}

func TestShippingIsOfferedOnlyIfTheItemShips(t *testing.T) {
	p := newSender(t, message.Options{})
	for _, kind := range []lost.MessageKind{
		lost.NoticeMessage, lost.MatchMessage, lost.ReminderMessage, lost.LastCallMessage, lost.RefundMessage,
	} {
		shipped, unshippable, noShipping := newMessage(kind), newMessage(kind), newMessage(kind)
		unshippable.Item.Shipping.NotShipped = "It has a battery."
		noShipping.Location.Shipping = &lost.ShippingRules{}
		for l, says := range map[*lost.MessageData]bool{&shipped: true, &unshippable: false, &noShipping: false} {
			_, text := compose(t, p, *l)
			flat := strings.Join(strings.Fields(text), " ")
			if strings.Contains(flat, "have it sent") != says ||
				!strings.Contains(flat, "donate it, or leave it behind") {
				t.Errorf("%s, shipping offered %t:\n%s", kind, says, text)
			}
		}
	}
}

// TestOnlyOwnersWhoCanPayAreLinkedToThePayment: a message has no payment link if the price is unknown or the fee is
// already paid.
func TestOnlyOwnersWhoCanPayAreLinkedToThePayment(t *testing.T) {
	p := newSender(t, message.Options{})
	open := allMessages()["choice-ship-pay"]
	open.Item.Parcel.Offered, open.Item.Parcel.Price = false, lost.Price{}
	paid := newMessage(lost.PriceMessage)
	paid.Item.Status = lost.FeePaid
	for _, l := range []lost.MessageData{open, paid} {
		_, text := compose(t, p, l)
		if _, sms := compose(t, p, bySMS(l)); strings.Contains(text, "Pay, or") || strings.Contains(sms, "Pay here") ||
			!strings.Contains(text, link) {
			t.Errorf("%s\n%s", sms, text)
		}
	}
	if _, text := compose(t, p, open); !strings.Contains(text, "will tell you the price\nbefore anything is sent") {
		t.Errorf("the message does not say who sets the price:\n%s", text)
	}
}

func TestAnSMSAboutAParcelNamesWhatIsKnown(t *testing.T) {
	p := newSender(t, message.Options{})
	for name, want := range map[string]string{
		"choice-ship-pay": "has your address and will send your item once the fee is paid, ref. K7F-3QD. Pay here: " +
			link,
		"price":      "Hotel Adler: sending it to you costs €12.50, ref. K7F-3QD. Pay here: " + link,
		"price-desk": "costs €9.50, ref. K7F-3QD. See here: " + link,
		"price-open": "Hotel Adler can send it to you now, ref. K7F-3QD. Pay here: " + link,
		"receipt": "your payment of €12.50 and will send your item to you, ref. K7F-3QD. Follow it here: " +
			link,
		"shipped":           "Tracking number 00340434161094042557.",
		"shipped-untracked": "on its way to you, ref. K7F-3QD. Follow it here:",
		"delivered":         "If you have not received it, tell us.",
		"refund":            "Hotel Adler is refunding €12.50 to you, ref. K7F-3QD. Choose here: " + link,
		"refund-desk":       "is refunding the fee",
		"refund-test":       "a test payment was cancelled",
	} {
		if _, text := compose(t, p, bySMS(allMessages()[name])); !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q", name, text, want)
		}
	}
}

func TestTheCarriersPageIsLinkedAndTheButtonIsOurs(t *testing.T) {
	p := newSender(t, message.Options{})
	htmlPart, _ := htmlOf(t, p, newMessage(lost.ShippedMessage))
	if n := strings.Count(htmlPart, `href="`+tracking+`"`); n != 1 || !strings.Contains(htmlPart, `>`+tracking+`</a>`) {
		t.Errorf("the carrier's page is linked %d times in %s", n, htmlPart)
	}
	_, action, _ := strings.Cut(htmlPart, `class="action"`)
	if _, target, _ := strings.Cut(action, `href="`); !strings.HasPrefix(target, link) {
		t.Errorf("the button links to %.80s", target)
	}
	checkHTML(t, "shipped", htmlPart)
	for _, invalid := range []string{
		"javascript:alert(1)", "//evil.example/x", "/evil", "evil.example", "ftp://evil.example/",
		"https://parcels.example@evil.example/", "https://evil.example/\r\nBcc: x",
		"https://", "https:///evil", "data:text/html,evil", "https://evil.example/" + strings.Repeat("x", 600),
		"https://evil\u202e.example/", " https://evil.example/",
	} {
		l := newMessage(lost.ShippedMessage)
		l.Item.Parcel.TrackingURL = invalid
		htmlPart, _ := htmlOf(t, p, l)
		if _, text := compose(t, p, l); strings.Contains(text+htmlPart, "evil") ||
			strings.Contains(text+htmlPart, "alert") || strings.Contains(text, "Carrier tracking") {
			t.Errorf("%q is shown:\n%s", invalid, text)
		}
	}
}

func TestADeskIsAddressedInItsOwnLanguage(t *testing.T) {
	p := newSender(t, message.Options{})
	l := newMessage(lost.LabelMessage)
	l.Item.Language, l.Location.Language = "ja", "de"
	l.URL = link // even if a link is set
	subject, text := compose(t, p, l)
	if !strings.HasPrefix(subject, "Paket zu versenden") || strings.Contains(text, link) {
		t.Errorf("%s\n%s", subject, text)
	}
}

func TestMoneyIsFormattedInTheReadersLanguage(t *testing.T) {
	p := newSender(t, message.Options{})
	for tag, want := range map[string]string{"de": "12,50\u00a0€", "fr": "12,50\u00a0€", "en": "€12.50"} {
		l := newMessage(lost.PriceMessage)
		l.Item.Language = tag
		if _, text := compose(t, p, l); !strings.Contains(text, want) {
			t.Errorf("%s: no %q in\n%s", tag, want, text)
		}
	}
}
