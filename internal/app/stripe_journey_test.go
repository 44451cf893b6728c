package app_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/app"
	"homeward/internal/payment/stripetest"
	"homeward/internal/store/storetest"
	"homeward/internal/web/browsertest"
)

// withStripe returns a function that makes Stripe the payment provider and a test server its API.
func withStripe(address, key, secret string) func(*app.Config) {
	return func(c *app.Config) {
		c.Payment = "stripe"
		c.StripeAPI, c.StripeKey, c.StripeSecret = address, key, secret
	}
}

// A guest pays on Stripe's page and returns. Only Stripe's signed webhooks confirm the payment, in whatever order and
// however often they arrive. Forged webhooks have no effect.
func TestStripePayment(t *testing.T) {
	t.Parallel()
	for _, o := range parcelGuests() {
		t.Run(o.String(), func(t *testing.T) {
			stripe := stripetest.New(t) // it sends no webhooks itself; the test sends them
			i := newSite(t, databaseFor(t, o), shippingHotel(), withStripe(stripe.URL, stripe.Key, stripe.Secret))
			t.Run("to", func(t *testing.T) {
				for name, run := range map[string]func(*journey, *stripetest.Server){
					"pay and return": payAndReturn, "be paid once": bePaidOnce, "pay another amount": payAnotherAmount,
					"pay too late": payTooLate,
				} {
					if o.NoScript && name == "pay and return" { // covered by the tests of the guest pages
						continue
					}
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						j := i.newJourney(t, o)
						j.axe = true
						run(j, stripe)
					})
				}
			})
			i.checkDeliveries(t)
		})
	}
}

// sessionsOf returns the checkout sessions of a shipment, oldest first.
func sessionsOf(stripe *stripetest.Server, shipment string) []stripetest.Session {
	return slices.DeleteFunc(stripe.Sessions(), func(s stripetest.Session) bool { return s.Shipment != shipment })
}

// postStripeEvent posts an event as Stripe would, and checks the response's status.
func (j *journey) postStripeEvent(e stripetest.Event, status int) {
	j.t.Helper()
	if got := j.postHook("stripe", e.Header, e.Body); got != status {
		j.t.Errorf("%s returned %d, want %d", e.Type, got, status)
	}
}

func payAndReturn(j *journey, stripe *stripetest.Server) {
	item := j.createItem(newParcelItem("dora", nil))
	link := j.guestLink(j.waitForMail("dora", 1))
	j.v.Visit(link)
	j.chooseShipping("Germany")
	j.fillAddress("Lindenweg 3", "10115", "Berlin")
	j.checkStablePage("pay", "Check and pay", "Standard parcel", "Handling", "€8.40",
		"You will pay on the secure page of our payment provider.")
	var shipment string
	j.v.Run("document.querySelector('[name=shipment]').value", &shipment)
	openPaymentPage := func() {
		j.t.Helper()
		j.v.Click("Pay €8.40")
		j.v.See("Total: 840 eur", "Standard parcel: 590", "Handling: 250")
	}
	openPaymentPage()
	first := sessionsOf(stripe, shipment)[0]
	for name, value := range first.Form {
		if strings.Contains(value, link[strings.LastIndexByte(link, '/')+1:]) {
			j.t.Errorf("Stripe receives the secret token of the guest's link in the field %s", name)
		}
	}
	if first.Form["customer_email"] != "dora@example.com" || first.Form["success_url"] != j.url+"/g/paid" ||
		first.Form["cancel_url"] != j.url+"/g/unpaid" {
		j.t.Errorf("Stripe receives %v", first.Form)
	}
	j.v.Follow("Cancel")
	j.checkStablePage("cancelled", "Nothing was paid.")
	if at := j.v.Location(); !strings.HasPrefix(at, link+"/pay") {
		j.t.Errorf("cancelling the payment leads to the page %s", at)
	}
	openPaymentPage() // the same session, because it is still open
	j.postStripeEvent(stripe.Expire(first.ID), http.StatusOK)
	j.v.Visit(link)
	j.checkStablePage("to be paid", "Pay €8.40 and have it sent")
	j.v.Follow("Pay €8.40 and have it sent")
	openPaymentPage() // a new session
	opened := sessionsOf(stripe, shipment)
	if len(opened) != 2 || opened[1].Status != "open" {
		j.t.Fatalf("the sessions are %+v", opened)
	}

	j.v.Click("css:#pay")
	j.v.See("Your payment is being confirmed")
	if status := j.must(http.StatusOK, "GET", item, nil)["status"]; status != "INFO COMPLETED" {
		j.t.Errorf("the status is %v after the guest returned, before Stripe confirmed the payment", status)
	}
	if j.options.NoScript { // with JavaScript the page reloads itself
		j.checkStablePage("confirming", "Check again")
	}
	j.postStripeEvent(stripe.Pay(opened[1].ID), http.StatusOK)
	if j.options.NoScript {
		j.v.Follow("Check again")
	}
	j.checkStablePage("paid", "Thank you. The fee is paid.")
	record := j.waitForLabel(item, "label", "invoice", "packing-slip")
	j.openDocument(documentURL(record, "invoice"), "€8.40", sessionsOf(stripe, shipment)[1].PaymentIntent)
	j.checkOutcome(item, outcome{
		"FEE PAID",
		[]string{
			"created by key", "PENDING to INFO COMPLETED by guest", "updated by guest",
			"INFO COMPLETED to FEE PAID by service", "label by service",
		},
		[]string{"notice", "choice", "label", "receipt"}, []string{"shipping-label"},
	})
	if n := stripe.Charges(shipment); n != 1 || shippingOf(record)["payment"] != "stripe" {
		j.t.Errorf("%d payments, and the shipment is %v", n, shippingOf(record))
	}
}

// openCheckout submits an address in Berlin without a browser and opens Stripe's payment page.
func (j *journey) openCheckout(name string, stripe *stripetest.Server) (item, link string, session stripetest.Session) {
	j.t.Helper()
	item = j.createItem(newParcelItem(name, nil))
	link = j.guestLink(j.waitForMail(name, 1))
	j.submitAddress(link, addressInBerlin())
	return item, link, j.checkOut(link, stripe)
}

// checkOut submits the payment form without a browser, and returns the session that it leads to.
func (j *journey) checkOut(link string, stripe *stripetest.Server) stripetest.Session {
	j.t.Helper()
	_, bill := j.page(link + "/pay")
	a := j.submit(link+"/pay", bill)
	all := sessionsOf(stripe, bill.Get("shipment"))
	if a.status != http.StatusOK || len(all) == 0 ||
		!strings.Contains(string(a.body), `content="0; url=`+stripe.URL+"/pay/"+all[len(all)-1].ID+`"`) {
		j.t.Fatalf("there are %d sessions, and the response is %d\n%s", len(all), a.status, a.body)
	}
	return all[len(all)-1]
}

// Events may arrive repeatedly, early, late or from anybody. Still, the fee is paid once and one label is created.
func bePaidOnce(j *journey, stripe *stripetest.Server) {
	item, _, session := j.openCheckout("emil", stripe)
	before := j.getRaw(item)
	paid := stripe.Pay(session.ID)
	unsigned, altered := paid, paid
	unsigned.Header = http.Header{"Content-Type": {"application/json"}}
	altered.Body = []byte(strings.Replace(string(paid.Body), `"livemode":false`, `"livemode":true`, 1))
	for _, forged := range []stripetest.Event{
		unsigned, altered, stripe.Pay(session.ID, stripetest.SignedWith("whsec_of_somebody_else")),
		stripe.Pay(session.ID, stripetest.SignedAt(time.Now().Add(-time.Hour))),
	} {
		j.postStripeEvent(forged, http.StatusForbidden)
	}
	// A payment that belongs to another service that uses the same Stripe account.
	j.postStripeEvent(stripe.Pay(session.ID, stripetest.Field("client_reference_id", "order 7")), http.StatusOK)
	j.postStripeEvent(stripe.Pay(session.ID, stripetest.Kind("charge.succeeded")), http.StatusOK)
	if now := j.getRaw(item); now != before {
		j.t.Errorf("before\n%s\nafter\n%s", before, now)
	}
	j.postStripeEvent(stripe.Expire(session.ID), http.StatusOK) // the session expires before the payment event arrives
	j.postStripeEvent(paid, http.StatusOK)
	j.waitForLabel(item, "label", "invoice", "packing-slip")
	afterPayment := j.getRaw(item)
	for _, again := range []stripetest.Event{
		paid, stripe.Pay(session.ID), stripe.Expire(session.ID),
		stripe.Pay(session.ID, stripetest.Kind("checkout.session.async_payment_failed")), paid,
	} {
		j.postStripeEvent(again, http.StatusOK)
	}
	if now := j.getRaw(item); now != afterPayment {
		j.t.Errorf("before\n%s\nafter\n%s", afterPayment, now)
	}
	j.checkOutcome(item, outcome{
		"FEE PAID",
		[]string{
			"created by key", "PENDING to INFO COMPLETED by guest", "updated by guest",
			"INFO COMPLETED to FEE PAID by service", "label by service",
		},
		[]string{"notice", "choice", "label", "receipt"}, []string{"shipping-label"},
	})
	if n := countRefunds(stripe, session); n != 0 {
		j.t.Errorf("refunded %d times", n)
	}
}

// countRefunds returns the number of refunds of a payment.
func countRefunds(stripe *stripetest.Server, paid stripetest.Session) (n int) {
	for _, s := range sessionsOf(stripe, paid.Shipment) {
		n += stripe.Refunds(s.PaymentIntent)
	}
	return n
}

// A payment of the wrong amount is refunded once, and the guest can then pay the right amount.
func payAnotherAmount(j *journey, stripe *stripetest.Server) {
	item, link, session := j.openCheckout("fred", stripe)
	less := stripe.Pay(session.ID, stripetest.Amount(1))
	j.postStripeEvent(less, http.StatusOK)
	j.postStripeEvent(less, http.StatusOK)
	j.postStripeEvent(stripe.Pay(session.ID, stripetest.Currency("usd")), http.StatusOK) // the same payment
	refundMail := j.waitForMailAbout("fred@example.com", "is refunding the fee", 1)
	if !strings.Contains(refundMail.Text, "€0.01") {
		j.t.Errorf("the e-mail is\n%s", refundMail.Text)
	}
	if status := j.must(http.StatusOK, "GET", item, nil)["status"]; status != "INFO COMPLETED" ||
		countRefunds(stripe, session) != 1 {
		j.t.Errorf("status %v, refunded %d times", status, countRefunds(stripe, session))
	}
	next := j.checkOut(link, stripe)
	if next.ID == session.ID {
		j.t.Fatal("the new checkout uses the session that was already paid")
	}
	j.postStripeEvent(stripe.Pay(next.ID), http.StatusOK)
	j.waitForLabel(item, "label", "invoice", "packing-slip")
	j.postStripeEvent(less, http.StatusOK)
	j.checkOutcome(item, outcome{
		"FEE PAID", []string{
			"created by key", "PENDING to INFO COMPLETED by guest", "updated by guest", "payment by service",
			"refund by service",
			"INFO COMPLETED to FEE PAID by service", "label by service",
		},
		[]string{"notice", "choice", "refund", "label", "receipt"}, []string{"shipping-label"},
	})
	if n := countRefunds(stripe, session); n != 1 {
		j.t.Errorf("refunded %d times", n)
	}
}

// If the guest chooses something else before the payment arrives, the payment is refunded.
func payTooLate(j *journey, stripe *stripetest.Server) {
	item, link, session := j.openCheckout("gina", stripe)
	late := stripe.Pay(session.ID)
	day := j.day(2)
	if a := j.submit(link+"/pickup",
		url.Values{"pickupDate": {day}, "pickupTime": {"14:30"}}); a.status != http.StatusSeeOther {
		j.t.Fatalf("%d %s", a.status, a.body)
	}
	j.postStripeEvent(late, http.StatusOK)
	j.postStripeEvent(late, http.StatusOK)
	refundMail := j.waitForMailAbout("gina@example.com", "is refunding the fee", 1)
	if !strings.Contains(refundMail.Text, "€8.40") {
		j.t.Errorf("the e-mail is\n%s", refundMail.Text)
	}
	j.postStripeEvent(late, http.StatusOK)
	j.checkOutcome(item, outcome{
		"PICKUP", []string{
			"created by key", "PENDING to INFO COMPLETED by guest", "updated by guest",
			"INFO COMPLETED to PICKUP by guest", "payment by service", "refund by service",
		},
		[]string{"notice", "choice", "choice", "refund"}, []string{"pickup " + day + " 14:30"},
	})
	j.checkTasks(item)
	if n := countRefunds(stripe, session); n != 1 {
		j.t.Errorf("refunded %d times", n)
	}
}

// Stripe's own mock accepts our requests, and events signed by the official library are accepted.
func TestStripeMockAcceptsOurRequests(t *testing.T) {
	t.Parallel()
	proxy := newRecordingProxy(t)
	const secret = "whsec_of_the_mock"
	i := newSite(t, storetest.SQLite(t), shippingHotel(),
		withStripe(proxy.url, "sk_test_123", secret))
	j := i.newJourney(t, browsertest.Options{})
	item := j.createItem(newParcelItem("hugo", nil))
	link := j.guestLink(j.waitForMail("hugo", 1))
	bill := j.submitAddress(link, addressInBerlin())
	a := j.submit(link+"/pay", bill)
	if a.status != http.StatusOK || !strings.Contains(string(a.body), `content="0; url=https://checkout.stripe.com/`) {
		t.Fatalf("the payment form returned %d\n%s", a.status, a.body)
	}
	shipment, responses := proxy.recorded()
	if shipment != bill.Get("shipment") || !slices.Equal(responses, []string{"POST /v1/checkout/sessions 200"}) {
		t.Errorf("Stripe received requests for %s: %q", shipment, responses)
	}
	session := `{"id":"cs_test_1","object":"checkout.session","client_reference_id":"` + shipment +
		`","amount_total":840,"currency":"eur","payment_status":"paid","status":"complete","payment_intent":"pi_1"}`
	body := []byte(`{"id":"evt_1","object":"event","type":"checkout.session.completed","data":{"object":` + session +
		`}}`)
	j.postStripeEvent(stripetest.Sign("forged", body, "whsec_of_somebody_else", time.Now()), http.StatusForbidden)
	j.postStripeEvent(stripetest.Sign("completed", body, secret, time.Now()), http.StatusOK)
	j.waitForLabel(item, "label", "invoice", "packing-slip")
	if refunded := j.must(http.StatusOK, "POST", item+"/refund",
		map[string]any{"reason": "It cannot be found."}); refunded["status"] != "PENDING" {
		t.Errorf("after the refund the status is %v", refunded["status"])
	}
	waitUntil(t, "the fee is refunded", func() bool {
		return shippingOf(j.must(http.StatusOK, "GET", item, nil))["refund"] == "done"
	})
	if _, responses := proxy.recorded(); !slices.Equal(responses,
		[]string{"POST /v1/checkout/sessions 200", "POST /v1/refunds 200"}) {
		t.Errorf("Stripe received %q", responses)
	}
	j.v.Visit(link)
	j.checkPage("refunded", "The fee was refunded.", "Have it sent")
}

// recordingProxy is a proxy in front of Stripe's mock that records requests and responses.
type recordingProxy struct {
	url string

	mu        sync.Mutex
	shipment  string
	responses []string
}

func newRecordingProxy(t *testing.T) *recordingProxy {
	t.Helper()
	at, err := url.Parse(stripetest.Mock(t))
	if err != nil {
		t.Fatal(err)
	}
	w := &recordingProxy{}
	proxy := httputil.NewSingleHostReverseProxy(at)
	proxy.ModifyResponse = func(r *http.Response) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.responses = append(w.responses, r.Request.Method+" "+r.Request.URL.Path+" "+r.Status[:3])
		return nil
	}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.record(r)
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

// record stores which shipment a request is about, and leaves the request unchanged.
func (w *recordingProxy) record(r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, 1<<20))
	if err != nil {
		return // the mock reports the error
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if form, err := url.ParseQuery(string(body)); err == nil && form.Has("client_reference_id") {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.shipment = form.Get("client_reference_id")
	}
}

func (w *recordingProxy) recorded() (shipment string, responses []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.shipment, slices.Clone(w.responses)
}
