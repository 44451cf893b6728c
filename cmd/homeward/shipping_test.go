package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeward/internal/message/mailtest"
	"homeward/internal/store/storetest"
)

// parallelTests is how many tests run at the same time.
const parallelTests = 4

// roundsVar is the environment variable for the number of rounds, which are spread over every step and both
// databases. If it is set, each round waits until leases expire, which takes up to a minute. Otherwise there is one
// round for each step, half of them on each database, and leases expire immediately.
const roundsVar = "HOMEWARD_TEST_ROUNDS"

// forEachStep runs a test for each step, on one of the databases.
func forEachStep(t *testing.T, steps []step, more string, test func(r *shippingTest, s step)) {
	t.Helper()
	began, engines := time.Now(), []string{"sqlite", "postgres"}
	rounds, subtests, limit := len(steps), len(steps), parallelTests
	configured, err := strconv.Atoi(more)
	waitForLeases := err == nil
	if waitForLeases {
		rounds, subtests = configured, 2*len(steps)
		limit = subtests // run all at once, because they spend most of their time waiting
	}
	var done atomic.Int64
	var running sync.WaitGroup
	slots := make(chan struct{}, limit)
	for n := range min(subtests, rounds) {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			s, engine := steps[n%len(steps)], engines[(n+n/len(steps))%2]
			t.Run(string(s)+"/"+engine, func(t *testing.T) {
				database := filepath.Join(t.TempDir(), "homeward.db")
				if engine == "postgres" {
					database = storetest.Postgres(t)
				}
				r := newShippingTest(t, database, waitForLeases)
				for round := n; round < rounds && !t.Failed(); round += subtests {
					test(r, s)
					done.Add(1)
				}
			})
		})
	}
	running.Wait()
	t.Logf("%d rounds, each with a kill, in %v", done.Load(), time.Since(began).Round(time.Second))
}

// A guest pays, and the service is killed at some step before everybody has received their documents. After a
// restart, the fee has been paid once, one label has been bought, and everybody is notified.
func TestKilledServiceShipsAPaidItemOnce(t *testing.T) {
	t.Parallel()
	steps := []step{
		paymentReceived, paymentProcessed, paymentAcknowledged, beforePrepare, afterPrepare, beforeBuy, afterBuy,
		beforeLabel, afterLabel, eventReceived,
		labelAnnounced, labelReceived, labelAccepted, receiptReceived, receiptAccepted,
	}
	forEachStep(t, append(steps, anyMoment), os.Getenv(roundsVar), func(r *shippingTest, s step) {
		p := r.newShipment()
		delay := time.Duration(0)
		if s == anyMoment {
			const little = 50 * time.Millisecond
			s, delay = steps[rand.N(len(steps))], 1+rand.N(little)
			r.t.Logf("killed %v after %s", delay, s)
		}
		r.killAt(s, delay)
		acknowledged := r.pay(p)
		r.restart()
		r.waitFor(acknowledged, "the payment webhook is acknowledged")
		r.waitUntilSettled("the label and the receipt have arrived", func() bool {
			return len(r.labels(p)) > 0 && len(r.receipts(p)) > 0
		})
		r.check(p)
	})
}

// The desk refunds a fee, and the service is killed at some step during the refund. After a restart, the payment and
// the label have been refunded once, and the owner is notified.
func TestKilledServiceRefundsOnce(t *testing.T) {
	t.Parallel()
	forEachStep(t, []step{refundRequested, beforeRefund, afterRefund, beforeVoid, afterVoid}, "",
		func(r *shippingTest, s step) {
			p := r.newShipment()
			r.waitFor(r.pay(p), "the payment webhook is acknowledged")
			r.waitUntilSettled("the label and the receipt have arrived", func() bool {
				return len(r.labels(p)) > 0 && len(r.receipts(p)) > 0
			})
			r.killAt(s, 0)
			r.service.must(http.StatusOK, "POST", p.path+"/refund", `{"reason": "It was found broken."}`)
			r.reached(refundRequested)
			r.restart()
			refunds := func() []mailtest.Mail { return r.mails(p.guest, "refunded the fee") }
			r.waitUntilSettled("the owner was notified", func() bool { return len(refunds()) > 0 })
			if money, labels := r.stripe.Refunds(r.session(p).PaymentIntent),
				r.easypost.Refunded(p.shipment); money != 1 || labels != 1 {
				r.t.Errorf("the payment was refunded %d times, the label %d times", money, labels)
			}
			if charges, labels := r.stripe.Charges(p.shipment), r.easypost.Bought(p.shipment); charges != 1 ||
				labels != 1 {
				r.t.Errorf("%d charges were made and %d labels bought, want one of each", charges, labels)
			}
			item := r.service.must(http.StatusOK, "GET", p.path, "")
			if item["status"] != "PENDING" || item["shipping"].(map[string]any)["refund"] != "done" {
				r.t.Errorf("the item is %v", item)
			}
			if got, want := r.moves(p), "PENDING > INFO COMPLETED > FEE PAID > PENDING"; got != want {
				r.t.Errorf("the status changes were %s, want %s", got, want)
			}
			r.checkCopies("refund message", refunds(), "")
		})
}

// waitUntilSettled waits until a condition is true, only the regular checks of parcels and payments are left as jobs,
// and every event has been delivered.
func (r *shippingTest) waitUntilSettled(what string, condition func() bool) {
	r.t.Helper()
	polling := 2 * r.sent
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(3 * time.Minute)
	for {
		if condition() {
			due, failed := r.jobs()
			if failed > 0 {
				r.t.Fatalf("%d jobs failed:\n%s", failed, r.service.stderr)
			}
			if due == polling && len(r.service.deliveries(r.hooks.id, "delivered", 1000)) >= r.sent &&
				len(r.service.deliveries(r.hooks.id, "pending", 1)) == 0 {
				return
			}
		}
		select {
		case <-tick.C:
		case <-deadline:
			due, _ := r.jobs()
			r.t.Fatalf("timed out waiting until %s (%v); %d jobs are due, want %d:\n%s", what, condition(), due,
				polling, r.service.stderr)
		}
	}
}

// mails returns the e-mails to an address that contain a word in the text or in the name of an attachment.
func (r *shippingTest) mails(to, word string) (found []mailtest.Mail) {
	for _, m := range r.post.All() {
		named := slices.ContainsFunc(m.Attachments, func(a mailtest.Attachment) bool { return a.Name == word })
		if m.To == to && (named || strings.Contains(m.Text, word)) {
			found = append(found, m)
		}
	}
	return found
}

func (r *shippingTest) labels(p *shipment) []mailtest.Mail {
	return r.mails(deskMail, "label-"+p.reference+".pdf")
}
func (r *shippingTest) receipts(p *shipment) []mailtest.Mail {
	return r.mails(p.guest, "invoice-"+p.reference+".pdf")
}

// check compares a shipment with the records on every server.
func (r *shippingTest) check(p *shipment) {
	r.t.Helper()
	if charges, refunds := r.stripe.Charges(p.shipment), r.stripe.Refunds(r.session(p).PaymentIntent); charges != 1 ||
		refunds != 0 {
		r.t.Errorf("%d charges and %d refunds, want 1 and 0", charges, refunds)
	}
	if bought, back := r.easypost.Bought(p.shipment), r.easypost.Refunded(p.shipment); bought != 1 || back != 0 {
		r.t.Errorf("%d labels were bought and %d refunded, want 1 and 0", bought, back)
	}
	if got, want := r.moves(p), "PENDING > INFO COMPLETED > FEE PAID"; got != want {
		r.t.Errorf("the status changes were %s, want %s", got, want)
	}
	r.checkItem(p)
	r.checkEvent(p)
	r.checkCopies("label", r.labels(p), "label-"+p.reference+".pdf")
	r.checkCopies("receipt", r.receipts(p), "invoice-"+p.reference+".pdf")
}

// moves returns the status changes of an item.
func (r *shippingTest) moves(p *shipment) string {
	r.t.Helper()
	way := []string{"PENDING"}
	for _, line := range slices.Backward(r.service.listAll(p.path + "/history")) {
		if from, moved := line["from"]; moved {
			if from != way[len(way)-1] {
				way = append(way, fmt.Sprint("not ", from))
			}
			way = append(way, fmt.Sprint(line["to"]))
		}
	}
	return strings.Join(way, " > ")
}

// checkItem checks the item and its documents.
func (r *shippingTest) checkItem(p *shipment) {
	r.t.Helper()
	item := r.service.must(http.StatusOK, "GET", p.path, "")
	shipping, _ := item["shipping"].(map[string]any)
	documents, _ := shipping["documents"].([]any)
	var kinds []string
	for _, d := range documents {
		document := d.(map[string]any)
		kinds = append(kinds, document["type"].(string))
		r.checkPDF(document["url"].(string))
	}
	slices.Sort(kinds)
	if item["status"] != "FEE PAID" || shipping["payment"] != "stripe" ||
		!slices.Equal(kinds, []string{"invoice", "label", "packing-slip"}) {
		r.t.Errorf("the item is %v, paid by %v, with the documents %v", item["status"], shipping["payment"], kinds)
	}
}

func (r *shippingTest) checkPDF(address string) {
	r.t.Helper()
	res, err := http.Get(address)
	if err != nil {
		r.t.Error(err)
		return
	}
	defer func() { _ = res.Body.Close() }()
	begins := make([]byte, 5)
	_, _ = res.Body.Read(begins) // missing bytes fail the check below
	if kind := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || kind != "application/pdf" ||
		string(begins) != "%PDF-" {
		r.t.Errorf("%s returned %d with the type %s, beginning with %q, want a PDF", address, res.StatusCode, kind,
			begins)
	}
}

// checkEvent checks that there is one event, in the list and at the receiver.
func (r *shippingTest) checkEvent(p *shipment) {
	r.t.Helper()
	events := r.service.must(http.StatusOK, "GET", "/v1/events?eventType=shipping-label&itemId="+p.id, "")
	r.hooks.mu.Lock()
	defer r.hooks.mu.Unlock()
	delivered := 0
	for _, d := range r.hooks.byID {
		var body struct {
			Payload struct {
				Item  struct{ ID string }
				Files struct{ Label, Invoice struct{ URL string } }
			}
		}
		if err := json.Unmarshal(d.body, &body); err != nil {
			r.t.Error(err)
		}
		if body.Payload.Item.ID == p.id {
			delivered++
			r.checkPDF(body.Payload.Files.Label.URL)
			r.checkPDF(body.Payload.Files.Invoice.URL)
		}
	}
	if events["total"] != 1.0 || delivered != 1 {
		r.t.Errorf("there are %v events and %d deliveries, want one of each", events["total"], delivered)
	}
}

// checkCopies checks that all given e-mails are copies of one message. After a crash, a message may be sent again
// unchanged, up to three times in total.
func (r *shippingTest) checkCopies(what string, copies []mailtest.Mail, attachment string) {
	r.t.Helper()
	names := map[string]bool{}
	for _, m := range copies {
		names[m.Header.Get("Message-Id")] = true
		for _, a := range m.Attachments {
			if a.Type != "application/pdf" || !bytes.HasPrefix(a.Content, []byte("%PDF-")) {
				r.t.Errorf("the %s has the attachment %s, %s", what, a.Name, a.Type)
			}
		}
		if has := slices.ContainsFunc(m.Attachments, func(a mailtest.Attachment) bool {
			return a.Name == attachment
		}); attachment != "" && !has {
			r.t.Errorf("the %s lacks the attachment %s", what, attachment)
		}
	}
	if len(copies) < 1 || len(copies) > 3 || len(names) != 1 {
		r.t.Errorf("%d copies of the %s, as %d messages", len(copies), what, len(names))
	}
}
