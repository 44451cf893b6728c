package app_test

import (
	"bytes"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"homeward/internal/app"
	"homeward/internal/courier/easyposttest"
	"homeward/internal/payment/stripetest"
	"homeward/internal/web/browsertest"
)

// sendingBy has parcels sent by EasyPost, which is somewhere else for a test.
func sendingBy(post *easyposttest.Server) func(*app.Config) {
	return func(c *app.Config) {
		c.Carrier, c.EasyPostAPI, c.EasyPostKey, c.EasyPostHook = "easypost", post.URL, post.Key, post.Secret
	}
}

// A guest chooses among what carriers offer, the desk collects the fee, the carrier's own label is what is printed, and the carrier
// tells where the parcel is: in any order, more than once, and nobody else does.
func TestACarrierSellsTheLabelAndTellsWhereTheParcelIs(t *testing.T) {
	t.Parallel()
	o := parcelGuests()[0]
	post := easyposttest.New(t)
	i := openInn(t, databaseFor(t, o), harbor(), sendingBy(post))
	j := i.begin(t, o)
	j.axe = true
	haveACarrierBringIt(j, post)
	i.settle(t)
}

func haveACarrierBringIt(j *journey, post *easyposttest.Server) {
	item := j.found(boxed("anna", nil))
	link := j.link(j.mail("anna", 1))
	j.v.Visit(link)
	j.v.Follow("Have it sent")
	j.v.Choose("Country", "United States")
	j.v.Follow("Continue")
	j.v.See("You see the price before you pay.")
	j.v.Fill("State", "TX")
	j.lives("2001 Kirby Drive", "77019", "Houston")
	j.examine("offers", "Have it sent?", "How should it be sent?", "USPS Ground Advantage", "3 working days", "$5.93", "USPS Priority", "$6.90", "USPS Express", "2 working days", "$33.10")
	var shipment string
	j.v.Run("document.querySelector('[name=shipment]').value", &shipment)
	j.v.Click("css:label[for=offer-1]")
	j.v.Follow("Yes, send it")
	j.examine("confirmed", "Sending it costs $6.90.", "Harbor Hotel collects the fee")
	if n := post.Bought(shipment); n != 0 {
		j.t.Errorf("%d labels were bought before anything was paid", n)
	}
	j.moveTo(item, "FEE PAID", nil)
	record := j.labelled(item, "label", "invoice", "packing-slip")
	shown := parcel(record)
	number, _ := shown["trackingNumber"].(string)
	if label := j.opens(paper(record, "label"), number); !bytes.Equal(label, easyposttest.PDF(number)) || number == "" {
		j.t.Errorf("the label of %q is not the carrier's", number)
	}
	if shown["service"] != "USPS Priority" || !strings.HasPrefix(text(shown["trackingUrl"]), post.URL+"/track/") || post.Bought(shipment) != 1 {
		j.t.Errorf("%d labels were bought, and the parcel is %v", post.Bought(shipment), shown)
	}
	j.prints(j.opens(paper(record, "invoice"), "$6.90", "Kirby Drive"), "invoice")
	j.encloses(j.letter(parcelDesk, text(record["reference"]), 1), record, "label", "invoice", "packing-slip")
	followIt(j, post, item, link, shipment)
}

func followIt(j *journey, post *easyposttest.Server, item, link, shipment string) {
	j.t.Helper()
	j.v.Visit(link)
	j.examine("paid", "It will be sent soon", "USPS Priority")
	j.v.SeeNo("Follow the parcel at the carrier") // which knows nothing of it yet
	settled := j.raw(item)
	scanned, signed := post.Advance(shipment, "in_transit", "Arrived at USPS facility")
	for _, forged := range []http.Header{easyposttest.Sign("a secret of somebody else", scanned), {"Content-Type": {"application/json"}}} {
		if got := j.tells("easypost", forged, scanned); got != http.StatusForbidden {
			j.t.Errorf("what somebody else tells is answered %d", got)
		}
	}
	if now := j.raw(item); now != settled {
		j.t.Errorf("it was\n%s\nand is\n%s", settled, now)
	}
	hear := func(header http.Header, body []byte, status string) {
		j.t.Helper()
		for range 2 { // told twice, it happened once
			if got := j.tells("easypost", header, body); got != http.StatusOK {
				j.t.Errorf("what the carrier tells is answered %d", got)
			}
			if now := j.must(http.StatusOK, "GET", item, nil)["status"]; now != status {
				j.t.Errorf("it is %v, want %s", now, status)
			}
		}
	}
	hear(signed, scanned, "SHIPPED")
	j.v.Visit(link)
	j.examine("shipped", "It is on its way", "Follow the parcel at the carrier")
	arrived, alsoSigned := post.Advance(shipment, "delivered", "Delivered, front door")
	hear(alsoSigned, arrived, "DELIVERED")
	hear(signed, scanned, "DELIVERED") // overtaken
	j.v.Visit(link)
	j.examine("delivered", "It has arrived")
	onItsWay, there := j.letter("anna@example.com", "On its way to you", 1), j.letter("anna@example.com", "has arrived", 1)
	if j.link(onItsWay) != link || j.link(there) != link || !strings.Contains(onItsWay.Text, post.URL+"/track/") {
		j.t.Errorf("the mails say\n%s\n%s", onItsWay.Text, there.Text)
	}
	j.left(item, outcome{
		"DELIVERED", []string{
			"created by key", "PENDING to INFO COMPLETED by guest", "updated by guest", "INFO COMPLETED to FEE PAID by key", "label by service",
			"FEE PAID to SHIPPED by service", "SHIPPED to DELIVERED by service",
		},
		[]string{"notice", "choice", "label", "receipt", "shipped", "delivered"}, []string{"shipping-label"},
	})
}

// Whatever the carrier makes of it, who has paid has paid once, one label is bought, and client programs are told once.
func TestAParcelThatWasPaidForIsNotLostWithTheCarrier(t *testing.T) {
	t.Parallel()
	till, post := stripetest.New(t), easyposttest.New(t)
	i := openInn(t, filepath.Join(t.TempDir(), "homeward.db"), harbor(), sendingBy(post), payingAt(till.URL, till.Key, till.Secret))
	for name, travel := range map[string]func(*journey, *stripetest.Server, *easyposttest.Server){
		"the carrier refuses": beRefused, "the carrier is down": waitForTheCarrier, "the fee is given back": getItBack,
	} {
		t.Run(name, func(t *testing.T) { travel(i.begin(t, browsertest.Options{}), till, post) })
	}
	i.settle(t)
}

// billed has a guest without a browser go as far as Stripe's page for a parcel to Houston.
func (j *journey) billed(name string, till *stripetest.Server) (item, link string, session stripetest.Session) {
	j.t.Helper()
	item = j.found(boxed(name, nil))
	link = j.link(j.mail(name, 1))
	j.givesAddress(link, inHouston())
	return item, link, j.checksOut(link, till)
}

// paidAndSent checks that all went well in the end, and once.
func (j *journey) paidAndSent(item string, till *stripetest.Server, post *easyposttest.Server, session stripetest.Session, acts ...string) {
	j.t.Helper()
	sent := []string{"notice", "choice", "label", "receipt"}
	if slices.Contains(acts, "label by key") { // the first receipt came without the invoice
		sent = append(sent, "receipt")
	}
	j.left(item, outcome{
		"FEE PAID", append([]string{"created by key", "PENDING to INFO COMPLETED by guest", "updated by guest", "INFO COMPLETED to FEE PAID by service"}, acts...),
		sent, []string{"shipping-label"},
	})
	if paid, bought := till.Charges(session.Shipment), post.Bought(session.Shipment); paid != 1 || bought != 1 || givenBack(till, session) != 0 {
		j.t.Errorf("it was paid %d times, and %d labels were bought", paid, bought)
	}
}

func beRefused(j *journey, till *stripetest.Server, post *easyposttest.Server) {
	item, link, session := j.billed("bert", till)
	post.Refuse("SHIPMENT.POSTAGE.FAILURE", "Nobody goes to that address today.")
	j.hears(till.Paid(session.ID), http.StatusOK)
	j.waits(item, "ship", "label-refused")
	record := j.labelled(item) // at once, and without papers
	if record["status"] != "FEE PAID" {
		j.t.Errorf("it is %v", record["status"])
	}
	tasks, _ := j.all(j.inn.hotel + "/tasks")
	n := slices.IndexFunc(tasks, func(task map[string]any) bool { return task["kind"] == "label-refused" })
	if n < 0 || !strings.Contains(text(tasks[n]["reason"]), "Nobody goes to that address today.") {
		j.t.Errorf("the tasks are %v", tasks)
	}
	if page, _ := j.page(link); !strings.Contains(page, "Harbor Hotel is preparing the parcel") || strings.Contains(page, "Nobody goes") {
		j.t.Errorf("the guest is told\n%s", page)
	}
	receipt := j.letter("bert@example.com", "has your payment", 1)
	if len(receipt.Attachments) != 0 || !strings.Contains(receipt.Text, "is preparing the parcel") {
		j.t.Errorf("the receipt says\n%s", receipt.Text)
	}
	j.must(http.StatusOK, "POST", item+"/label", nil)
	eventually(j.t, "the papers are there", func() bool { return paper(j.must(http.StatusOK, "GET", item, nil), "label") != "" })
	j.must(http.StatusConflict, "POST", item+"/label", nil)
	j.waits(item, "ship")
	j.encloses(j.letter("bert@example.com", "has your payment", 2), j.must(http.StatusOK, "GET", item, nil), "invoice")
	j.encloses(j.letter(parcelDesk, text(record["reference"]), 1), j.must(http.StatusOK, "GET", item, nil), "label", "invoice", "packing-slip")
	j.paidAndSent(item, till, post, session, "label by service", "label by key", "label by service")
}

func waitForTheCarrier(j *journey, till *stripetest.Server, post *easyposttest.Server) {
	item, link, session := j.billed("cora", till)
	before := len(post.Requests())
	post.Fail(http.StatusServiceUnavailable)
	j.hears(till.Paid(session.ID), http.StatusOK)
	eventually(j.t, "the carrier was asked in vain", func() bool { return len(post.Requests()) > before })
	came, letGo := post.Hang()
	post.Fail(0)
	<-came // asked once more, it takes its time
	if record := j.becomes(item, "FEE PAID"); parcel(record)["documents"] != nil {
		j.t.Errorf("the parcel is %v", parcel(record))
	}
	if page, _ := j.page(link); !strings.Contains(page, "Harbor Hotel is preparing the parcel") {
		j.t.Errorf("the guest is told\n%s", page)
	}
	j.waits(item, "ship")
	letGo()
	j.labelled(item, "label", "invoice", "packing-slip")
	j.paidAndSent(item, till, post, session, "label by service")
}

func getItBack(j *journey, till *stripetest.Server, post *easyposttest.Server) {
	item, link, session := j.billed("dirk", till)
	j.hears(till.Paid(session.ID), http.StatusOK)
	j.labelled(item, "label", "invoice", "packing-slip")
	refunded := j.must(http.StatusOK, "POST", item+"/refund", map[string]any{"reason": "It broke."})
	if refunded["status"] != "PENDING" {
		j.t.Errorf("it is %v", refunded["status"])
	}
	j.must(http.StatusConflict, "POST", item+"/refund", map[string]any{})
	eventually(j.t, "money and label are given back", func() bool {
		return givenBack(till, session) == 1 && post.Refunded(session.Shipment) == 1
	})
	if back := j.letter("dirk@example.com", "gives the fee back", 1); !strings.Contains(back.Text, "$5.93") {
		j.t.Errorf("the mail says\n%s", back.Text)
	}
	j.v.Visit(link)
	j.look("refunded", "The fee was given back to you.", "Pick it up", "Have it sent")
	j.left(item, outcome{
		"PENDING", []string{
			"created by key", "PENDING to INFO COMPLETED by guest", "updated by guest", "INFO COMPLETED to FEE PAID by service", "label by service",
			"FEE PAID to PENDING by key", "refund by service", "label by service",
		},
		[]string{"notice", "choice", "label", "receipt", "refund"}, []string{"shipping-label"},
	})
}
