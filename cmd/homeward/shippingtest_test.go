package main_test

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/courier/easyposttest"
	"homeward/internal/message/mailtest"
	"homeward/internal/payment/stripetest"
	"homeward/internal/store"
)

// step is a moment during shipping at which the service may be killed.
type step string

// The steps from the payment to the last e-mail, in order.
const (
	paymentReceived     step = "the payment webhook was received"
	paymentProcessed    step = "the payment webhook was processed and the response is lost"
	paymentAcknowledged step = "the payment webhook was acknowledged"
	beforePrepare       step = "a shipment is requested from the carrier"
	afterPrepare        step = "the carrier has created the shipment and the response is lost"
	beforeBuy           step = "the label is bought from the carrier"
	afterBuy            step = "the carrier has sold the label and the response is lost"
	beforeLabel         step = "the label is requested"
	afterLabel          step = "the label was downloaded"
	eventReceived       step = "the event has reached the client program"
	labelAnnounced      step = "the mail with the label is announced"
	labelReceived       step = "the mail with the label is received"
	labelAccepted       step = "the mail with the label is acknowledged"
	receiptReceived     step = "the receipt is received"
	receiptAccepted     step = "the receipt is acknowledged"
)

// anyMoment stands for a random moment after a step.
const anyMoment step = "any moment"

// The steps of a refund.
const (
	refundRequested step = "the desk has requested the refund"
	beforeRefund    step = "the refund is requested from the payment provider"
	afterRefund     step = "the payment provider has refunded the payment and the response is lost"
	beforeVoid      step = "a refund of the label is requested from the carrier"
	afterVoid       step = "the carrier has refunded the label and the response is lost"
)

// shippingTest tests shipping. It has a service that is killed and restarted, and every server that the service uses.
type shippingTest struct {
	t             *testing.T
	database      string
	settings      []string
	waitForLeases bool // wait until the killed process's leases expire, instead of expiring them in the database
	stripe        *stripetest.Server
	easypost      *easyposttest.Server
	post          *mailtest.Server
	hooks         *webhookReceiver
	proxyURL      string // an address of the service that does not change when it restarts
	account       string
	hotel         string
	sent          int // number of shipments so far

	mu       sync.Mutex
	service  *process
	killStep step
	delay    time.Duration // from the step to the kill
	killed   chan struct{}
}

// deskMail is the address of the location.
const deskMail = "labels@hotel.example"

// newShippingTest starts a service and creates a location that ships items.
func newShippingTest(t *testing.T, database string, patient bool) *shippingTest {
	t.Helper()
	r := &shippingTest{
		t: t, database: database, waitForLeases: patient, stripe: stripetest.New(t), easypost: easyposttest.New(t),
		post: mailtest.Start(t),
	}
	r.watchSteps()
	r.settings = newSettings(t, database, "HOMEWARD_BASE_URL="+r.proxyURL, "HOMEWARD_SMTP="+r.post.URL(),
		"HOMEWARD_WEBHOOK_ALLOW_PRIVATE=true",
		"HOMEWARD_PAYMENT=stripe", "HOMEWARD_STRIPE_KEY="+r.stripe.Key,
		"HOMEWARD_STRIPE_WEBHOOK_SECRET="+r.stripe.Secret, "HOMEWARD_STRIPE_API="+r.stripe.URL,
		"HOMEWARD_CARRIER=easypost", "HOMEWARD_EASYPOST_KEY="+r.easypost.Key,
		"HOMEWARD_EASYPOST_WEBHOOK_SECRET="+r.easypost.Secret, "HOMEWARD_EASYPOST_API="+r.easypost.URL)
	r.service = startService(t, r.settings...)
	r.account = r.service.must(http.StatusOK, "GET", "/v1/account", "")["id"].(string)
	r.hooks = newWebhookReceiver(t, r.service, func(*http.Request, string, int) int {
		r.reached(eventReceived)
		return http.StatusOK
	}, "shipping-label")
	r.hotel = "/v1/locations/" + r.service.must(http.StatusCreated, "POST", "/v1/locations",
		`{"name": "Harbor Hotel", "address1": "417 Montgomery Street", "city": "San Francisco",
		"state": "CA", "zipCode": "94104", "country": "US",
		"contact": {"name": "Jo Park", "email": "desk@hotel.example", "email2": "`+deskMail+`"}}`)["id"].(string)
	return r
}

// watchSteps makes every server report when a step is reached.
func (r *shippingTest) watchSteps() {
	r.proxyURL = r.startProxy()
	r.stripe.Notify(r.proxyURL + "/hooks/stripe")
	r.easypost.OnRequest(r.onRequest(map[string][2]step{
		"POST /v2/shipments": {beforePrepare, afterPrepare}, "POST /v2/shipments/buy": {beforeBuy, afterBuy},
		"POST /v2/shipments/refund": {beforeVoid, afterVoid}, "GET /labels": {beforeLabel, afterLabel},
	}))
	r.stripe.OnRequest(r.onRequest(map[string][2]step{"POST /v1/refunds": {beforeRefund, afterRefund}}))
	r.post.Refuse = func(to string) error {
		if to == deskMail && r.reached(labelAnnounced) {
			return errors.New("the service was killed")
		}
		return nil
	}
	r.post.OnReceived = func(to string) { r.reached(mailStep(to, labelReceived, receiptReceived)) }
	r.post.OnAcknowledged = func(to string) { r.reached(mailStep(to, labelAccepted, receiptAccepted)) }
}

func mailStep(to string, label, receipt step) step {
	if to == deskMail {
		return label
	}
	return receipt
}

// onRequest returns a function that reports a step before and after the corresponding request is handled. Requests
// from a killed process are not handled.
func (r *shippingTest) onRequest(steps map[string][2]step) func(method, path, phase string) {
	return func(method, path, phase string) {
		words := strings.Split(path, "/")
		name := method + " " + strings.Join(words[:min(len(words), 3)], "/")
		switch {
		case words[1] == "labels":
			name = method + " /labels"
		case len(words) > 4: // a path below an id
			name += "/" + words[4]
		}
		switch at := steps[name]; phase {
		case easyposttest.Before:
			if r.reached(at[0]) {
				panic(http.ErrAbortHandler)
			}
		default:
			r.reached(at[1])
		}
	}
}

// reached kills the service if it is scheduled to be killed at this step, and reports whether it did.
func (r *shippingTest) reached(s step) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s == "" || s != r.killStep {
		return false
	}
	r.killStep = ""
	end := func() {
		r.service.kill()
		close(r.killed)
	}
	if r.delay > 0 {
		time.AfterFunc(r.delay, end)
		return false
	}
	end()
	return true
}

// killAt schedules the service to be killed at a future step, or after a delay.
func (r *shippingTest) killAt(s step, delay time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.killStep, r.delay, r.killed = s, delay, make(chan struct{})
}

// startProxy starts a proxy in front of the service and returns its address, which stays the same, like that of a
// load balancer.
func (r *shippingTest) startProxy() string {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			r.mu.Lock()
			defer r.mu.Unlock()
			to, _ := url.Parse(r.service.url) // the service's own URL is valid
			p.SetURL(to)
			p.Out.Host = p.In.Host
		},
		ModifyResponse: func(res *http.Response) error {
			if res.Request.URL.Path == "/hooks/stripe" && r.reached(paymentProcessed) {
				return errors.New("the response is lost")
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		ErrorLog:     log.New(io.Discard, "", 0),
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/hooks/stripe" {
			proxy.ServeHTTP(w, q)
			return
		}
		arrived := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { r.reached(paymentReceived) }}
		proxy.ServeHTTP(w, q.WithContext(httptrace.WithClientTrace(q.Context(), arrived)))
		r.reached(paymentAcknowledged)
	}))
	r.t.Cleanup(server.Close)
	return server.URL
}

// waitFor waits for a signal.
func (r *shippingTest) waitFor(signal <-chan struct{}, what string) {
	r.t.Helper()
	select {
	case <-signal:
	case <-time.After(3 * time.Minute):
		r.t.Fatalf("timed out waiting until %s", what)
	}
}

// restart starts the service again after it was killed.
func (r *shippingTest) restart() {
	r.t.Helper()
	r.waitFor(r.killed, "the service is killed")
	if !r.waitForLeases {
		r.expireLeases()
	}
	again := startService(r.t, r.settings...)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.service = again
}

// expireLeases expires the killed process's leases by opening the database with a clock in the future, so that its
// jobs can be claimed immediately.
func (r *shippingTest) expireLeases() {
	r.t.Helper()
	const later = 2 * time.Minute // longer than any lease
	db, err := store.Open(r.t.Context(), r.database, func() time.Time { return time.Now().Add(later) })
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close()
	const most = 100
	err = db.Write(r.t.Context(), func(tx *store.Tx) error {
		if _, err := tx.ClaimJobs([]string{store.JobShip, store.JobRefund, store.JobSendMail}, most,
			-later); err != nil {
			return err
		}
		_, err := tx.ClaimDeliveries(store.EndpointQueue{Account: r.account, Endpoint: r.hooks.id}, most, -later)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// jobs returns how many jobs are due and how many have failed. It reads the database, because the metrics could be a
// few seconds old.
func (r *shippingTest) jobs() (due, failed int) {
	r.t.Helper()
	db, err := store.Open(r.t.Context(), r.database, time.Now)
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close()
	due, failed, err = db.CountJobs(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return due, failed
}
