package courier_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"homeward/internal/courier"
	"homeward/internal/courier/easyposttest"
	"homeward/internal/lost"
)

func TestLabelIsBoughtDownloadedAndVoided(t *testing.T) {
	server, e := service(t)
	s := soldShipment(t, e)
	p := s.Postage
	if !strings.HasPrefix(p.Tracker, "trk_") || p.TrackingNumber == "" ||
		!strings.HasPrefix(p.TrackingURL, server.URL) || p.LabelURL == "" || p.ShippingDate != "2026-11-09" {
		t.Fatalf("%+v", p)
	}
	content, paper, err := e.Label(t.Context(), p)
	if err != nil || paper != "4x6" || !bytes.Equal(content, easyposttest.PDF(p.TrackingNumber)) {
		t.Error(len(content), paper, err)
	}
	for range 3 {
		if err := e.Void(t.Context(), p); err != nil {
			t.Error(err)
		}
	}
	if server.Refunded("ship_1") != 1 {
		t.Errorf("voided %d times, want 1", server.Refunded("ship_1"))
	}
}

func TestUsedLabelCannotBeVoided(t *testing.T) {
	server, e := service(t)
	s := soldShipment(t, e)
	server.Advance("ship_1", "in_transit", "Accepted")
	err := e.Void(t.Context(), s.Postage)
	expectCode(t, err, lost.Invalid)
	if err != nil && !strings.Contains(err.Error(), "has been shipped") {
		t.Error(err)
	}
	for _, p := range []lost.Postage{{}, {Shipment: "ship_1"}, preparedShipment(t, e, umbrella(guest)).Postage} {
		if err := e.Void(t.Context(), p); err != nil {
			t.Errorf("no label was bought: %v", err)
		}
	}
}

func TestRepeatedBuyBuysOneLabel(t *testing.T) {
	server, e := service(t)
	s := preparedShipment(t, e, umbrella(guest))
	var first lost.Postage
	for n := range 3 {
		p, err := e.Buy(t.Context(), s, umbrella(guest))
		if n == 0 {
			first = p
		}
		if err != nil || p != first || p.TrackingNumber == "" {
			t.Errorf("%+v, %v", p, err)
		}
	}
	if server.Bought("ship_1") != 1 {
		t.Errorf("bought %d labels, want 1", server.Bought("ship_1"))
	}
	for _, r := range server.Requests() {
		if buys := strings.HasSuffix(r.Path, "/buy"); buys != (r.IdempotencyKey == s.ID+"-"+s.Postage.Rate) {
			t.Errorf("%+v", r)
		}
	}
}

func TestConcurrentBuysBuyOneLabel(t *testing.T) {
	server, e := service(t)
	s := preparedShipment(t, e, umbrella(guest))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if p, err := e.Buy(t.Context(), s, umbrella(guest)); err != nil || p.TrackingNumber == "" {
				t.Errorf("%+v, %v", p, err)
			}
		})
	}
	all.Wait()
	if server.Bought("ship_1") != 1 {
		t.Errorf("bought %d labels, want 1", server.Bought("ship_1"))
	}
}

func TestLabelIsReadAgainAfterALostResponse(t *testing.T) {
	server, e := service(t)
	s := preparedShipment(t, e, umbrella(guest))
	server.OnRequest(func(_, path, phase string) {
		if strings.HasSuffix(path, "/buy") && phase == easyposttest.After {
			panic(http.ErrAbortHandler)
		}
	})
	_, err := e.Buy(t.Context(), s, umbrella(guest))
	expectCode(t, err, lost.Unavailable)
	if server.Bought("ship_1") != 1 {
		t.Fatalf("bought %d labels, want 1", server.Bought("ship_1"))
	}
	server.OnRequest(nil)
	restarted := connect(t, courier.Options{Key: server.Key, API: server.URL})
	p, err := restarted.Buy(t.Context(), s, umbrella(guest))
	if err != nil || p.TrackingNumber == "" || server.Bought("ship_1") != 1 {
		t.Errorf("%+v, bought %d: %v", p, server.Bought("ship_1"), err)
	}
}

func TestAnExistingLabelIsNeverReportedAsRefused(t *testing.T) {
	server, e := service(t)
	s := soldShipment(t, e)
	server.OnRequest(func(method, path, phase string) {
		if method == http.MethodGet && phase == easyposttest.Before {
			server.Fail(http.StatusBadRequest)
		}
	})
	_, err := e.Buy(t.Context(), s, umbrella(guest))
	expectCode(t, err, lost.Unavailable)
}

func TestRefusalHasEasyPostsMessage(t *testing.T) {
	server, e := service(t)
	s := preparedShipment(t, e, umbrella(guest))
	server.Refuse("SHIPMENT.POSTAGE.FAILURE",
		"The address of ELIZABETH SWAN, 179 N Harbor Dr is not served with "+server.Key+". "+strings.Repeat("Really. ",
			100))
	_, err := e.Buy(t.Context(), s, umbrella(guest))
	expectCode(t, err, lost.Invalid)
	var lostErr *lost.Error
	if !errors.As(err, &lostErr) || !strings.Contains(lostErr.Detail, "is not served with") ||
		len([]rune(lostErr.Detail)) > 350 {
		t.Fatal(err)
	}
	for _, secret := range []string{"SWAN", "Harbor", server.Key} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error contains %s: %v", secret, err)
		}
	}
	if _, err := e.Buy(t.Context(), s, umbrella(guest)); err != nil || server.Bought("ship_1") != 1 {
		t.Errorf("bought after a second request: %d, %v", server.Bought("ship_1"), err)
	}
	_, err = e.Buy(t.Context(), lost.Shipment{ID: "ship_2", Postage: lost.Postage{Shipment: "ship_2"}}, umbrella(guest))
	expectCode(t, err, lost.Invalid)
}

func TestATemporaryRefusalIsNotFinal(t *testing.T) {
	for _, code := range []string{"SHIPMENT.PURCHASE.IN_PROGRESS", "SHIPMENT.POSTAGE.NO_RESPONSE",
		"SHIPMENT.POSTAGE.TIMED_OUT"} {
		server, e := service(t)
		s := preparedShipment(t, e, umbrella(guest))
		server.Refuse(code, "The carrier did not respond.")
		_, err := e.Buy(t.Context(), s, umbrella(guest))
		expectCode(t, err, lost.Unavailable)
	}
}
