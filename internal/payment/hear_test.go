package payment_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/payment"
	"homeward/internal/payment/stripetest"
)

func TestStripesEventsAreDecoded(t *testing.T) {
	server, s := newStripe(t)
	var open []string
	for round := range 4 {
		b := bill()
		b.Round = round
		open = append(open, opened(t, s, b).ID)
	}
	for _, c := range []struct {
		event   stripetest.Event
		session int
		want    lost.PaymentState
	}{
		{server.Pay(open[0]), 0, lost.PaymentPaid},
		{server.Pay(open[0]), 0, lost.PaymentPaid}, // the same event again
		{server.CompleteUnpaid(open[1]), 1, lost.PaymentWaiting},
		{server.AsyncSucceed(open[1]), 1, lost.PaymentPaid},
		{server.CompleteUnpaid(open[2]), 2, lost.PaymentWaiting},
		{server.AsyncFail(open[2]), 2, lost.PaymentFailed},
		{server.Expire(open[3]), 3, lost.PaymentExpired},
	} {
		made := server.Sessions()[c.session]
		want := lost.PaymentUpdate{
			By: lost.PayStripe, Shipment: shipment, Checkout: made.ID, Reference: made.PaymentIntent, State: c.want,
			Amount: 1140, Currency: "EUR",
		}
		update, ok, err := s.ParseEvent(c.event.Header, c.event.Body)
		if update != want || !ok || err != nil {
			t.Errorf("%s: got %+v, %v, %v, want %+v", c.event.Type, update, ok, err, want)
		}
	}
}

func TestTheAmountOfTheEventIsReported(t *testing.T) {
	server, s := newStripe(t)
	c := opened(t, s, bill())
	e := server.Pay(c.ID, stripetest.Amount(1), stripetest.Currency("jpy"))
	if update, ok, err := s.ParseEvent(e.Header, e.Body); !ok || err != nil || update.Amount != 1 ||
		update.Currency != "JPY" {
		t.Errorf("got %+v, %v, %v", update, ok, err)
	}
	for _, amount := range []int64{550, -100} { // a fraction of a króna, and a negative amount
		e = server.Pay(c.ID, stripetest.Amount(amount), stripetest.Currency("isk"))
		if _, ok, err := s.ParseEvent(e.Header, e.Body); ok || lost.CodeOf(err) != lost.Unreadable {
			t.Errorf("got %v, %v", ok, err)
		}
	}
}

func TestFreePageIsPaid(t *testing.T) {
	server, s := newStripe(t)
	b := bill()
	b.Shipment.Quote.Price = lost.Price{Currency: "EUR"}
	c := opened(t, s, b)
	e := server.Pay(c.ID)
	update, ok, err := s.ParseEvent(e.Header, e.Body)
	if want := (lost.PaymentUpdate{
		By: lost.PayStripe, Shipment: shipment, Checkout: c.ID, State: lost.PaymentPaid, Currency: "EUR",
	}); update != want || !ok || err != nil {
		t.Errorf("got %+v, %v, %v", update, ok, err)
	}
	e = server.Pay(c.ID, stripetest.Amount(1140))
	if update, _, _ := s.ParseEvent(e.Header, e.Body); update.State != lost.PaymentWaiting {
		t.Errorf("got state %s, although 1140 are due", update.State)
	}
}

func TestOtherEventsAreIgnored(t *testing.T) {
	server, s := newStripe(t)
	c := opened(t, s, bill())
	for _, e := range []stripetest.Event{
		server.Pay(c.ID, stripetest.Field("client_reference_id", "order 17")),
		server.Pay(c.ID, stripetest.Field("client_reference_id", nil)),
		server.Pay(c.ID, stripetest.Field("client_reference_id", "")),
		server.Pay(c.ID, stripetest.Kind("payment_intent.succeeded")),
		server.Pay(c.ID, stripetest.Kind("checkout.session.something_new")),
		server.Pay(c.ID, stripetest.Kind("charge.refunded")),
		stripetest.Sign("", []byte(`{"object":"v2.core.event","type":"v1.billing.meter.no_meter_found","id":"evt_1"}`),
			server.Secret, time.Now()),
		stripetest.Sign("", []byte(`{"object":"event","type":"customer.created","data":{"object":{"id":17}}}`),
			server.Secret, time.Now()),
	} {
		if update, ok, err := s.ParseEvent(e.Header, e.Body); ok || err != nil || update != (lost.PaymentUpdate{}) {
			t.Errorf("%s: got %+v, %v, %v", e.Type, update, ok, err)
		}
	}
}

func TestEventsOfAnotherAPIVersionAreDecoded(t *testing.T) {
	server, s := newStripe(t)
	c := opened(t, s, bill())
	e := server.Pay(c.ID, stripetest.Field("shipping_options", "a string in an older version"),
		stripetest.Field("payment_intent", map[string]any{"id": "pi_whole", "object": "payment_intent"}))
	var body map[string]any
	if err := json.Unmarshal(e.Body, &body); err != nil {
		t.Fatal(err)
	}
	body["api_version"] = "2019-12-03"
	old, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	e = stripetest.Sign(e.Type, old, server.Secret, time.Now())
	if update, ok, err := s.ParseEvent(e.Header, e.Body); !ok || err != nil || update.Reference != "pi_whole" {
		t.Errorf("got %+v, %v, %v", update, ok, err)
	}
}

func TestOnlyEventsRecentlySignedByStripeAreAccepted(t *testing.T) {
	server, s := newStripe(t)
	c := opened(t, s, bill())
	good := server.Pay(c.ID)
	signature := good.Header.Get("Stripe-Signature")
	stamp, hash, _ := strings.Cut(signature, ",v1=")
	signed := func(with string) http.Header { return http.Header{"Stripe-Signature": {with}} }
	for name, e := range map[string]stripetest.Event{
		"another secret":      server.Pay(c.ID, stripetest.SignedWith("whsec_other")),
		"no secret":           server.Pay(c.ID, stripetest.SignedWith("")),
		"signed an hour ago":  server.Pay(c.ID, stripetest.SignedAt(time.Now().Add(-time.Hour))),
		"signed long ago":     server.Pay(c.ID, stripetest.SignedAt(time.Unix(0, 0))),
		"no signature":        {Body: good.Body, Header: http.Header{}},
		"empty signature":     {Body: good.Body, Header: signed("")},
		"nonsense":            {Body: good.Body, Header: signed("v1,t=;==,,")},
		"truncated signature": {Body: good.Body, Header: signed(signature[:len(signature)-2])},
		"another time": {
			Body: good.Body, Header: signed("t=" + time.Now().Add(time.Minute).Format("150405") + ",v1=" + hash),
		},
		"no time":         {Body: good.Body, Header: signed("v1=" + hash)},
		"an older scheme": {Body: good.Body, Header: signed(stamp + ",v0=" + hash)},
		"another body":    {Body: bytes.Replace(good.Body, []byte("1140"), []byte("1141"), 1), Header: good.Header},
		"a longer body":   {Body: append(bytes.Clone(good.Body), ' '), Header: good.Header},
		"no body":         {Header: good.Header},
		"too large": stripetest.Sign("", append(bytes.Clone(good.Body), bytes.Repeat([]byte(" "), 1<<20)...),
			server.Secret, time.Now()),
		"thousands of hashes": {Body: good.Body, Header: signed(stamp + strings.Repeat(",v1=00", 100_000))},
	} {
		if update, ok, err := s.ParseEvent(e.Header, e.Body); ok || lost.CodeOf(err) != lost.Forbidden ||
			update != (lost.PaymentUpdate{}) {
			t.Errorf("%s: got %+v, %v, %v", name, update, ok, err)
		}
	}
	if _, ok, err := s.ParseEvent(good.Header, good.Body); !ok || err != nil {
		t.Errorf("unchanged event: %v, %v", ok, err)
	}
}

func TestWithoutASecretEveryEventIsRefused(t *testing.T) {
	server, s := newStripe(t)
	c := opened(t, s, bill())
	withoutSecret := stripeAt(t, payment.Options{Key: server.Key, API: server.URL})
	for _, e := range []stripetest.Event{server.Pay(c.ID), server.Pay(c.ID, stripetest.SignedWith(""))} {
		if _, ok, err := withoutSecret.ParseEvent(e.Header, e.Body); ok || lost.CodeOf(err) != lost.Forbidden {
			t.Errorf("got %v, %v", ok, err)
		}
	}
}

func TestUnreadableSignedEventIsReported(t *testing.T) {
	server, s := newStripe(t)
	for _, body := range []string{
		"", "secretword", `{"type":`, `[]`, `{"type":7}`,
		`{"type":"checkout.session.completed"}`, `{"type":"checkout.session.completed","data":{"object":"secretword"}}`,
		`{"type":"checkout.session.completed","data":{"object":{` +
			`"client_reference_id":"shp_1","amount_total":"secretword"}}}`,
	} {
		e := stripetest.Sign("", []byte(body), server.Secret, time.Now())
		if _, ok, err := s.ParseEvent(e.Header, e.Body); ok || lost.CodeOf(err) != lost.Unreadable ||
			strings.Contains(err.Error(), "secretword") {
			t.Errorf("%q: got %v, %v", body, ok, err)
		}
	}
}
