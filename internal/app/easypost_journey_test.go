package app_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"homeward/internal/app"
	"homeward/internal/courier/easyposttest"
	"homeward/internal/payment/stripetest"
	"homeward/internal/store/storetest"
	"homeward/internal/web/browsertest"
)

// withEasyPost returns a function that makes EasyPost the carrier and a test server its API.
func withEasyPost(post *easyposttest.Server) func(*app.Config) {
	return func(c *app.Config) {
		c.Carrier = "easypost"
		c.EasyPostAPI, c.EasyPostKey, c.EasyPostSecret = post.URL, post.Key, post.Secret
	}
}

// A guest chooses one of the carrier's rates, the desk collects the fee, and the carrier's own label is stored. The
// carrier's tracking reports may arrive in any order and more than once. Reports from anybody else are rejected.
func TestCarrierLabelAndTracking(t *testing.T) {
	t.Parallel()
	o := parcelGuests()[0]
	post := easyposttest.New(t)
	i := newSite(t, databaseFor(t, o), harborHotel(), withEasyPost(post))
	j := i.newJourney(t, o)
	j.axe = true
	shipByCarrier(j, post)
	i.checkDeliveries(t)
}

func shipByCarrier(j *journey, post *easyposttest.Server) {
	item := j.createItem(newParcelItem("anna", nil))
	link := j.guestLink(j.waitForMail("anna", 1))
	j.v.Visit(link)
	j.v.Follow("Have it sent")
	j.v.Choose("Country", "United States")
	j.v.Follow("Continue")
	j.v.See("You will see the price before you pay.")
	j.v.Fill("State", "TX")
	j.fillAddress("2001 Kirby Drive", "77019", "Houston")
	j.checkStablePage("offers", "Have it sent?", "How should it be sent?", "USPS Ground Advantage", "3 working days",
		"$5.93", "USPS Priority", "$6.90", "USPS Express", "2 working days", "$33.10")
	var shipment string
	j.v.Run("document.querySelector('[name=shipment]').value", &shipment)
	j.v.Click("css:label[for=offer-1]")
	j.v.Follow("Yes, send it")
	j.checkStablePage("confirmed", "Sending it costs $6.90.", "Harbor Hotel will collect the fee")
	if n := post.Bought(shipment); n != 0 {
		j.t.Errorf("%d labels were bought before the payment", n)
	}
	j.setStatus(item, "FEE PAID", nil)
	record := j.waitForLabel(item, "label", "invoice", "packing-slip")
	shown := shippingOf(record)
	number, _ := shown["trackingNumber"].(string)
	if label := j.openDocument(documentURL(record, "label"), number); !bytes.Equal(label, easyposttest.PDF(number)) ||
		number == "" {
		j.t.Errorf("the label of %q is not the carrier's", number)
	}
	if shown["service"] != "USPS Priority" || !strings.HasPrefix(text(shown["trackingUrl"]), post.URL+"/track/") ||
		post.Bought(shipment) != 1 {
		j.t.Errorf("%d labels were bought, and the shipment is %v", post.Bought(shipment), shown)
	}
	j.checkPrint(j.openDocument(documentURL(record, "invoice"), "$6.90", "Kirby Drive"), "invoice")
	j.checkAttachments(j.waitForMailAbout(parcelDesk, text(record["reference"]), 1), record, "label", "invoice",
		"packing-slip")
	trackParcel(j, post, item, link, shipment)
}

func trackParcel(j *journey, post *easyposttest.Server, item, link, shipment string) {
	j.t.Helper()
	j.v.Visit(link)
	j.checkStablePage("paid", "It will be sent soon", "USPS Priority")
	j.v.SeeNot("Track the parcel with the carrier") // the carrier has not scanned it yet
	settled := j.getRaw(item)
	scanned, signed := post.Advance(shipment, "in_transit", "Arrived at USPS facility")
	for _, forged := range []http.Header{easyposttest.Sign("a secret of somebody else", scanned),
		{"Content-Type": {"application/json"}}} {
		if got := j.postHook("easypost", forged, scanned); got != http.StatusForbidden {
			j.t.Errorf("a forged report returned %d", got)
		}
	}
	if now := j.getRaw(item); now != settled {
		j.t.Errorf("before\n%s\nafter\n%s", settled, now)
	}
	receiveReport := func(header http.Header, body []byte, status string) {
		j.t.Helper()
		for range 2 { // repeated reports have no further effect
			if got := j.postHook("easypost", header, body); got != http.StatusOK {
				j.t.Errorf("the carrier's report returned %d", got)
			}
			if now := j.must(http.StatusOK, "GET", item, nil)["status"]; now != status {
				j.t.Errorf("status %v, want %s", now, status)
			}
		}
	}
	receiveReport(signed, scanned, "SHIPPED")
	j.v.Visit(link)
	j.checkStablePage("shipped", "It is on its way", "Track the parcel with the carrier")
	arrived, alsoSigned := post.Advance(shipment, "delivered", "Delivered, front door")
	receiveReport(alsoSigned, arrived, "DELIVERED")
	receiveReport(signed, scanned, "DELIVERED") // an outdated report
	j.v.Visit(link)
	j.checkStablePage("delivered", "It has arrived")
	onItsWay, there := j.waitForMailAbout("anna@example.com", "On its way to you", 1),
		j.waitForMailAbout("anna@example.com", "has arrived", 1)
	if j.guestLink(onItsWay) != link || j.guestLink(there) != link ||
		!strings.Contains(onItsWay.Text, post.URL+"/track/") {
		j.t.Errorf("the e-mails are\n%s\n%s", onItsWay.Text, there.Text)
	}
	j.checkOutcome(item, outcome{
		"DELIVERED", []string{
			"created by key", "PENDING to INFO COMPLETED by guest", "updated by guest",
			"INFO COMPLETED to FEE PAID by key", "label by service",
			"FEE PAID to SHIPPED by service", "SHIPPED to DELIVERED by service",
		},
		[]string{"notice", "choice", "label", "receipt", "shipped", "delivered"}, []string{"shipping-label"},
	})
}

// The guest pays once, one label is bought and one event is sent, even if the carrier fails or rejects requests.
func TestPaidParcelSurvivesCarrierFailures(t *testing.T) {
	t.Parallel()
	stripe, post := stripetest.New(t), easyposttest.New(t)
	i := newSite(t, storetest.SQLite(t), harborHotel(), withEasyPost(post),
		withStripe(stripe.URL, stripe.Key, stripe.Secret))
	for name, run := range map[string]func(*journey, *stripetest.Server, *easyposttest.Server){
		"the carrier refuses": retryAfterRejection, "the carrier is down": retryAfterOutage,
		"the fee is refunded": refundAndCancelLabel,
	} {
		t.Run(name, func(t *testing.T) { run(i.newJourney(t, browsertest.Options{}), stripe, post) })
	}
	i.checkDeliveries(t)
}

// openParcelCheckout submits an address in Houston without a browser and opens Stripe's payment page.
func (j *journey) openParcelCheckout(name string,
	stripe *stripetest.Server) (item, link string, session stripetest.Session) {
	j.t.Helper()
	item = j.createItem(newParcelItem(name, nil))
	link = j.guestLink(j.waitForMail(name, 1))
	j.submitAddress(link, addressInHouston())
	return item, link, j.checkOut(link, stripe)
}

// checkPaidAndSent checks that there was one payment and one label.
func (j *journey) checkPaidAndSent(item string, stripe *stripetest.Server, post *easyposttest.Server,
	session stripetest.Session, acts ...string) {
	j.t.Helper()
	sent := []string{"notice", "choice", "label", "receipt"}
	if slices.Contains(acts, "label by key") { // a second receipt, because the first had no invoice
		sent = append(sent, "receipt")
	}
	j.checkOutcome(item, outcome{
		"FEE PAID",
		append([]string{
			"created by key", "PENDING to INFO COMPLETED by guest", "updated by guest",
			"INFO COMPLETED to FEE PAID by service",
		}, acts...),
		sent, []string{"shipping-label"},
	})
	if paid, bought := stripe.Charges(session.Shipment), post.Bought(session.Shipment); paid != 1 || bought != 1 ||
		countRefunds(stripe, session) != 0 {
		j.t.Errorf("%d payments, %d labels", paid, bought)
	}
}

func retryAfterRejection(j *journey, stripe *stripetest.Server, post *easyposttest.Server) {
	item, link, session := j.openParcelCheckout("bert", stripe)
	post.Refuse("SHIPMENT.POSTAGE.FAILURE", "Nobody goes to that address today.")
	j.postStripeEvent(stripe.Pay(session.ID), http.StatusOK)
	j.checkTasks(item, "label-refused")
	record := j.waitForLabel(item) // the event is sent although there are no documents
	if record["status"] != "FEE PAID" {
		j.t.Errorf("status %v", record["status"])
	}
	tasks, _ := j.listAll(j.site.location + "/tasks")
	n := slices.IndexFunc(tasks, func(task map[string]any) bool { return task["kind"] == "label-refused" })
	if n < 0 || !strings.Contains(text(tasks[n]["reason"]), "Nobody goes to that address today.") {
		j.t.Errorf("the tasks are %v", tasks)
	}
	if page, _ := j.page(link); !strings.Contains(page, "Harbor Hotel is preparing the parcel") ||
		strings.Contains(page, "Nobody goes") {
		j.t.Errorf("the page is\n%s", page)
	}
	receipt := j.waitForMailAbout("bert@example.com", "has received your payment", 1)
	if len(receipt.Attachments) != 0 || !strings.Contains(receipt.Text, "is preparing the parcel") {
		j.t.Errorf("the receipt is\n%s", receipt.Text)
	}
	j.must(http.StatusOK, "POST", item+"/label", nil)
	waitUntil(j.t, "the documents exist", func() bool {
		return documentURL(j.must(http.StatusOK, "GET", item, nil), "label") != ""
	})
	j.must(http.StatusConflict, "POST", item+"/label", nil)
	j.checkTasks(item, "ship")
	j.checkAttachments(j.waitForMailAbout("bert@example.com", "has received your payment", 2),
		j.must(http.StatusOK, "GET", item, nil), "invoice")
	j.checkAttachments(j.waitForMailAbout(parcelDesk, text(record["reference"]), 1),
		j.must(http.StatusOK, "GET", item, nil), "label", "invoice", "packing-slip")
	j.checkPaidAndSent(item, stripe, post, session, "label by service", "label by key", "label by service")
}

func retryAfterOutage(j *journey, stripe *stripetest.Server, post *easyposttest.Server) {
	item, link, session := j.openParcelCheckout("cora", stripe)
	before := len(post.Requests())
	post.Fail(http.StatusServiceUnavailable)
	j.postStripeEvent(stripe.Pay(session.ID), http.StatusOK)
	waitUntil(j.t, "the first request to the carrier failed", func() bool { return len(post.Requests()) > before })
	requested, release := post.Hang()
	post.Fail(0)
	<-requested // the second request is in progress
	if record := j.waitForStatus(item, "FEE PAID"); shippingOf(record)["documents"] != nil {
		j.t.Errorf("the shipment is %v", shippingOf(record))
	}
	if page, _ := j.page(link); !strings.Contains(page, "Harbor Hotel is preparing the parcel") {
		j.t.Errorf("the page is\n%s", page)
	}
	j.checkTasks(item, "ship")
	release()
	j.waitForLabel(item, "label", "invoice", "packing-slip")
	j.checkPaidAndSent(item, stripe, post, session, "label by service")
}

func refundAndCancelLabel(j *journey, stripe *stripetest.Server, post *easyposttest.Server) {
	item, link, session := j.openParcelCheckout("dirk", stripe)
	j.postStripeEvent(stripe.Pay(session.ID), http.StatusOK)
	j.waitForLabel(item, "label", "invoice", "packing-slip")
	refunded := j.must(http.StatusOK, "POST", item+"/refund", map[string]any{"reason": "It broke."})
	if refunded["status"] != "PENDING" {
		j.t.Errorf("status %v", refunded["status"])
	}
	j.must(http.StatusConflict, "POST", item+"/refund", map[string]any{})
	waitUntil(j.t, "the refund and the cancelled label are recorded", func() bool {
		return countRefunds(stripe, session) == 1 && post.Refunded(session.Shipment) == 1
	})
	refundMail := j.waitForMailAbout("dirk@example.com", "is refunding the fee", 1)
	if !strings.Contains(refundMail.Text, "$5.93") {
		j.t.Errorf("the e-mail is\n%s", refundMail.Text)
	}
	j.v.Visit(link)
	j.checkPage("refunded", "The fee was refunded.", "Pick it up", "Have it sent")
	j.checkOutcome(item, outcome{
		"PENDING", []string{
			"created by key", "PENDING to INFO COMPLETED by guest", "updated by guest",
			"INFO COMPLETED to FEE PAID by service", "label by service",
			"FEE PAID to PENDING by key", "refund by service", "label by service",
		},
		[]string{"notice", "choice", "label", "receipt", "refund"}, []string{"shipping-label"},
	})
}
