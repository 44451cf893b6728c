package app_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"homeward/internal/web/browsertest"
)

// parcelGuests returns the visitors for parcel journeys. Together they cover both screen sizes, both databases, light
// and dark mode, and browsers with and without JavaScript.
func parcelGuests() []browsertest.Options {
	return []browsertest.Options{{Phone: true}, {NoScript: true, Dark: true}}
}

// A guest sees the price before entering the address, pays on the test page, and gets the parcel. The desk gets
// everything it needs by e-mail, and the webhooks have exactly the documented content.
func TestParcelPaidInTestModeArrives(t *testing.T) {
	t.Parallel()
	for _, o := range parcelGuests() {
		t.Run(o.String(), func(t *testing.T) {
			i := newSite(t, databaseFor(t, o), shippingHotel(), withPayment("test"))
			t.Run("to", func(t *testing.T) {
				for _, tt := range []struct {
					name string
					run  func(*journey)
					axe  bool
				}{
					{"have it sent, and get it", payAndReceive, true},
					{"pay the price later", payPriceLater, false},
					{"see why it is not shipped", seeWhyNotShipped, o.Phone},
				} {
					t.Run(tt.name, func(t *testing.T) {
						t.Parallel()
						j := i.newJourney(t, o)
						j.axe = tt.axe
						tt.run(j)
					})
				}
			})
			i.checkDeliveries(t)
		})
	}
}

func payAndReceive(j *journey) {
	item := j.createItem(newParcelItem("anna", map[string]any{"brand": "Knirps"}))
	j.addPhoto(item)
	reference := text(j.must(http.StatusOK, "GET", item, nil)["reference"])
	link := j.guestLink(j.waitForMail("anna", 1))
	j.v.Visit(link)
	j.chooseShipping("Switzerland")
	j.checkStablePage("address", "Your address", "Sending it to Switzerland costs €17.40.", "€2.50 for handling",
		"3 to 6 working days", "You pay after you have entered your address.")
	j.fillAddress("Seestrasse 5", "8002", "Zürich")
	j.checkStablePage("pay", "Check and pay", reference, "Anna Berg", "Seestrasse 5", "8002 Zürich", "Switzerland",
		"What happens next")
	var bill []string
	j.v.Run(`[...document.querySelectorAll('.bill > div')].map(e => e.innerText.replace(/\s+/g, ' '))`, &bill)
	if want := []string{"Standard parcel 3 to 6 working days €14.90", "Handling €2.50",
		"Total €17.40"}; !slices.Equal(bill, want) {
		j.t.Errorf("the bill is %q, want %q", bill, want)
	}
	j.v.Follow("Continue to the test payment")
	j.checkStablePage("test payment", "This is a TEST.", "No real money is charged.", "€17.40")
	var size float64
	j.v.Run("parseFloat(getComputedStyle(document.querySelector('h1')).fontSize)", &size)
	if size < 36 {
		j.t.Errorf("the notice of the test page is only %v px high", size)
	}
	if status := j.must(http.StatusOK, "GET", item, nil)["status"]; status != "INFO COMPLETED" {
		j.t.Errorf("before the payment the status is %v", status)
	}
	j.tapTwice("Pretend to pay €17.40", "Thank you. The fee is paid.")
	j.checkStablePage("thanks", "Paid, to be shipped")

	documents := []string{"label", "invoice", "packing-slip", "customs"}
	record := j.waitForLabel(item, documents...)
	shown := shippingOf(record)
	same(j.t, "the price", shown["price"].(map[string]any),
		map[string]any{"total": 1740.0, "postage": 1490.0, "handling": 250.0, "currency": "EUR"})
	if shown["service"] != "Standard parcel" || shown["payment"] != "test" || text(shown["shippingDate"]) <= j.day(0) ||
		shown["trackingUrl"] != nil {
		j.t.Errorf("the shipment is %v", shown)
	}
	j.checkDocuments(record)
	label := j.waitForMailAbout(parcelDesk, reference, 1)
	j.checkAttachments(label, record, documents...)
	if says := joinLines(label.Text); !strings.Contains(says,
		"Delivery address: Anna Berg, Seestrasse 5, 8002 Zürich, Switzerland") ||
		!strings.Contains(says, "Stored at: Cellar shelf") || strings.Contains(says, "/g/") {
		j.t.Errorf("the e-mail to the desk is\n%s", label.Text)
	}
	receipt := j.waitForMailAbout("anna@example.com", "has received your payment", 1)
	j.checkAttachments(receipt, record, "invoice")
	if !strings.Contains(receipt.Text, "€17.40 (postage €14.90, handling €2.50)") ||
		!strings.Contains(receipt.Text, "test mode") || j.guestLink(receipt) != link {
		j.t.Errorf("the receipt is\n%s", receipt.Text)
	}

	j.v.Visit(link)
	j.checkStablePage("paid", "It will be sent soon", formatDay(text(shown["shippingDate"])), "Standard parcel",
		"€17.40", "Open the invoice (PDF)")
	var linked []string
	j.v.Run(`[...document.querySelectorAll('a[href$=".pdf"]')].map(a => a.href)`, &linked)
	if !slices.Equal(linked,
		[]string{documentURL(record, "invoice")}) {
		j.t.Errorf("the link leads to %q", linked)
	}
	deliver(j, item, link)
}

// checkDocuments checks the documents for a parcel to Zürich, both in print and in a browser.
func (j *journey) checkDocuments(record map[string]any) {
	j.t.Helper()
	reference := text(record["reference"])
	for kind, words := range map[string][]string{
		"label": {
			reference, "Hotel Adler", "Hafenstraße 12", "Anna Berg", "Seestrasse 5", "8002 Zürich", "Standard parcel",
		},
		"invoice": {
			reference, "Hotel Adler", "DE123456789", "Anna Berg", "€14.90", "€2.50", "€17.40", "19%", "€2.78",
			"Test mode: no money was paid",
		},
		"packing-slip": {reference, "Black umbrella with a wooden handle", "Cellar shelf", "Knirps", "Zürich"},
		"customs":      {"CUSTOMS DECLARATION", "CN 22"},
	} {
		j.checkPrint(j.openDocument(documentURL(record, kind), words...), kind)
	}
	j.viewDocument(documentURL(record, "label"))
	j.viewDocument(documentURL(record, "invoice"))
}

// deliver hands the parcel over to the carrier and later marks it as delivered.
func deliver(j *journey, item, link string) {
	j.t.Helper()
	const number = "00340434161094042557"
	const address = "https://carrier.example/track/" + number
	j.setStatus(item, "SHIPPED", map[string]any{"trackingNumber": number})
	onItsWay := j.waitForMailAbout("anna@example.com", "On its way to you", 1)
	if !strings.Contains(onItsWay.Text, number) || onItsWay.Link(address) != address || j.guestLink(onItsWay) != link {
		j.t.Errorf("the e-mail is\n%s", onItsWay.Text)
	}
	j.v.Visit(link)
	j.checkStablePage("shipped", "It is on its way", number, "Track the parcel with the carrier")
	var to string
	if j.v.Run(`[...document.querySelectorAll('main a')].find(a => a.innerText.includes('with the carrier')).href`,
		&to); to != address {
		j.t.Errorf("the tracking link is %s", to)
	}
	j.setStatus(item, "DELIVERED", nil)
	if there := j.waitForMailAbout("anna@example.com", "has arrived", 1); !strings.Contains(there.Text,
		"It has arrived") || j.guestLink(there) != link {
		j.t.Errorf("the e-mail is\n%s", there.Text)
	}
	j.v.Visit(link)
	j.checkStablePage("delivered", "It has arrived", "If you have not received it, ask Hotel Adler")
	record := j.checkOutcome(item, outcome{
		"DELIVERED", []string{
			"created by key", "image-added by key", "PENDING to INFO COMPLETED by guest", "updated by guest",
			"INFO COMPLETED to FEE PAID by service", "label by service",
			"FEE PAID to SHIPPED by key", "SHIPPED to DELIVERED by key",
		},
		[]string{"notice", "choice", "label", "receipt", "shipped", "delivered"}, []string{"shipping-label"},
	})
	if shown := shippingOf(record); shown["trackingUrl"] != address || shown["trackingNumber"] != number {
		j.t.Errorf("the shipment is %v", shown)
	}
	j.checkTasks(item)
}

// An item without a weight has no price. Once there is a price, the guest is notified and pays.
func payPriceLater(j *journey) {
	item := j.createItem(map[string]any{"owner": newOwner("bea")})
	link := j.guestLink(j.waitForMail("bea", 1))
	j.v.Visit(link)
	j.chooseShipping("Germany")
	j.v.See("Hotel Adler will tell you the price before anything is sent.")
	j.fillAddress("Lindenweg 3", "10115", "Berlin")
	j.checkStablePage("no price yet", "We have your address",
		"Hotel Adler will tell you the price before anything is sent.")
	j.checkTasks(item, "shipping-wanted")
	j.must(http.StatusOK, "PUT", item, map[string]any{"shipping": map[string]any{"weight": 14, "weightUnit": "oz"}})
	price := j.waitForMailAbout("bea@example.com", "Sending it home from Hotel Adler costs €8.40", 1)
	if !strings.Contains(price.Text, "€8.40 (postage €5.90, handling €2.50)") {
		j.t.Errorf("the e-mail is\n%s", price.Text)
	}
	j.checkTasks(item)
	j.v.Visit(j.guestLink(price))
	j.checkStablePage("a price", "Pay and have it sent")
	j.v.Follow("Pay and have it sent")
	j.v.See("€5.90", "€2.50", "€8.40", "1 to 3 working days")
	j.v.Follow("Continue to the test payment")
	j.v.Follow("Pretend to pay €8.40")
	j.v.See("Thank you. The fee is paid.")
	j.waitForLabel(item, "label", "invoice", "packing-slip") // a domestic parcel needs no customs declaration
	j.checkOutcome(item, outcome{
		"FEE PAID", []string{
			"created by key", "PENDING to INFO COMPLETED by guest", "updated by key", "updated by service",
			"updated by guest", "INFO COMPLETED to FEE PAID by service", "label by service",
		},
		[]string{"notice", "choice", "price", "label", "receipt"}, []string{"shipping-label"},
	})
}

// An item that cannot be shipped has no shipping option, and the guest sees the desk's reason.
func seeWhyNotShipped(j *journey) {
	const why = `It has a battery that may not <b>fly</b>.`
	item := j.createItem(newParcelItem("carl",
		map[string]any{"shipping": map[string]any{"weight": 0.8, "notShippedBecause": why}}))
	link := j.guestLink(j.waitForMail("carl", 1))
	j.v.Visit(link)
	j.checkStablePage("not sent", "It cannot be sent: "+why, "Pick it up")
	j.v.SeeNot("Have it sent")
	j.v.Visit(link + "/ship")
	j.checkStablePage("no way", why, "Pick it up")
	j.v.SeeNot("Country")
	if quotes := j.must(http.StatusOK, "GET", item+"/quotes?country=DE", nil)["data"]; len(quotes.([]any)) != 0 {
		j.t.Errorf("quotes %v, want none", quotes)
	}
	if a := j.submit(link+"/ship", addressInBerlin()); a.status/100 == 5 ||
		j.must(http.StatusOK, "GET", item, nil)["status"] != "PENDING" {
		j.t.Errorf("a form that was not offered returned %d and was accepted", a.status)
	}
	j.must(http.StatusOK, "PUT", item, map[string]any{"shipping": map[string]any{"notShippedBecause": nil}})
	j.v.Visit(link)
	j.v.See("Have it sent")
	j.v.SeeNot("It cannot be sent")
}

// Without a payment provider, the guest accepts the price, and the desk collects and records the fee.
func TestDeskCollectsTheFee(t *testing.T) {
	t.Parallel()
	o := browsertest.Options{Phone: true, NoScript: true, Dark: true}
	i := newSite(t, databaseFor(t, o), shippingHotel())
	j := i.newJourney(t, o)
	item := j.createItem(newParcelItem("anna", nil))
	link := j.guestLink(j.waitForMail("anna", 1))
	j.v.Visit(link)
	j.chooseShipping("Germany")
	j.v.See("Sending it to Germany costs €8.40.", "You pay nothing now. Hotel Adler will tell you how to pay.")
	j.fillAddress("Lindenweg 3", "10115", "Berlin")
	j.checkStablePage("confirm", "Have it sent?", "Standard parcel", "Handling", "€2.50",
		"Hotel Adler will collect the fee and tell you how to pay.")
	j.v.Follow("Yes, send it for €8.40")
	j.checkStablePage("confirmed", "Sending it costs €8.40.", "Hotel Adler will tell you how to pay.")
	j.checkTasks(item, "shipping-wanted")
	if paid := j.setStatus(item, "FEE PAID", nil); shippingOf(paid)["payment"] != "none" ||
		shippingOf(paid)["documents"] != nil {
		t.Errorf("the shipment is %v", shippingOf(paid))
	}
	record := j.waitForLabel(item, "label", "invoice", "packing-slip")
	j.checkPrint(j.openDocument(documentURL(record, "invoice"), "000001", "€8.40", "19%"), "invoice")
	j.checkAttachments(j.waitForMailAbout(parcelDesk, text(record["reference"]), 1), record, "label", "invoice",
		"packing-slip")
	j.checkAttachments(j.waitForMailAbout("anna@example.com", "has received your payment", 1), record, "invoice")
	j.v.Visit(link)
	j.checkStablePage("paid", "It will be sent soon", "Open the invoice (PDF)")
	j.checkOutcome(item, outcome{
		"FEE PAID",
		[]string{
			"created by key", "PENDING to INFO COMPLETED by guest", "updated by guest",
			"INFO COMPLETED to FEE PAID by key", "label by service",
		},
		[]string{"notice", "choice", "label", "receipt"}, []string{"shipping-label"},
	})
	j.checkTasks(item, "ship")
	i.checkDeliveries(t)
}
