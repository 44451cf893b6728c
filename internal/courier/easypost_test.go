package courier_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/courier"
	"homeward/internal/courier/easyposttest"
	"homeward/internal/lost"
)

var (
	hotel = lost.Location{
		Name: "Hotel Harbour", Address1: "417 Montgomery St", City: "San Francisco", State: "CA", ZipCode: "94104",
		Country:  "US",
		TimeZone: "America/Los_Angeles", Contact: lost.Contact{Name: "Jo Desk", Phone: "+14155550100"},
	}
	guest = lost.Recipient{
		Name: "Elizabeth Swan", Address1: "179 N Harbor Dr", City: "Redondo Beach", State: "CA", ZipCode: "90277",
		Country: "US",
	}
	swiss = lost.Recipient{
		Name: "Heidi Muster", Address1: "Bahnhofstrasse 1", City: "Zürich", ZipCode: "8001", Country: "CH",
	}
)

func umbrella(to lost.Recipient) lost.ParcelOrder {
	return lost.ParcelOrder{
		From: hotel, To: to, Item: lost.Item{Description: "A black  umbrella"},
		Load: lost.ParcelSize{Grams: 437, Box: "long"},
	}
}

// service returns a fake EasyPost server and a carrier that uses it.
func service(t *testing.T) (*easyposttest.Server, *courier.EasyPost) {
	t.Helper()
	server := easyposttest.New(t)
	return server, connect(t, courier.Options{Key: server.Key, API: server.URL, WebhookSecret: server.Secret})
}

func connect(t *testing.T, o courier.Options) *courier.EasyPost {
	t.Helper()
	o.Now = clock
	e, err := courier.NewEasyPost(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// preparedShipment returns a shipment that was prepared with the cheapest rate.
func preparedShipment(t *testing.T, e *courier.EasyPost, c lost.ParcelOrder) lost.Shipment {
	t.Helper()
	s := lost.Shipment{ID: "ship_1", To: c.To}
	q, p, err := e.Prepare(t.Context(), s, c)
	if err != nil {
		t.Fatal(err)
	}
	s.Quote, s.Postage = q, p
	return s
}

// soldShipment returns a shipment whose label was bought.
func soldShipment(t *testing.T, e *courier.EasyPost) lost.Shipment {
	t.Helper()
	s := preparedShipment(t, e, umbrella(guest))
	p, err := e.Buy(t.Context(), s, umbrella(guest))
	if err != nil {
		t.Fatal(err)
	}
	s.Postage = p
	return s
}

func expectCode(t *testing.T, err error, code lost.Code) {
	t.Helper()
	if err == nil || lost.CodeOf(err) != code {
		t.Errorf("got %v, want a %s error", err, code)
	}
}

func TestEasyPostOffersTheCheapestOfEachServiceFirst(t *testing.T) {
	server, e := service(t)
	server.Offer(
		easyposttest.Rate{Carrier: "USPS", Service: "Express", Price: "33.10", Currency: "USD", Days: 1},
		easyposttest.Rate{Carrier: "UPSDAP", Service: "Ground", Price: "12.00", Currency: "USD", Days: 4},
		easyposttest.Rate{Carrier: "UPS", Service: "Ground", Price: "9.05", Currency: "USD", Days: 4},
		easyposttest.Rate{Carrier: "USPS", Service: "GroundAdvantage", Price: "5.93", Currency: "USD", Days: 3},
		easyposttest.Rate{Carrier: "FedExDefault", Service: "FEDEX_2_DAY", Price: "21.5", Currency: "USD"},
		easyposttest.Rate{Carrier: "RoyalMail", Service: "Tracked48", Price: "3.00", Currency: "GBP", Days: 2},
		easyposttest.Rate{Carrier: "USPS", Service: "Priority", Price: "40", Currency: "USD", Days: 500},
	)
	want := []lost.Quote{
		{
			Service: "USPS Ground Advantage", Rate: "USPS/GroundAdvantage",
			Price: lost.Price{Postage: 593, Currency: "USD"}, FromDays: 3, ToDays: 3,
		},
		{
			Service: "UPS Ground", Rate: "UPS/Ground", Price: lost.Price{Postage: 905, Currency: "USD"}, FromDays: 4,
			ToDays: 4,
		},
		{Service: "FedEx 2 Day", Rate: "FedExDefault/FEDEX_2_DAY", Price: lost.Price{Postage: 2150, Currency: "USD"}},
		// Rates in another currency are omitted.
		{
			Service: "USPS Express", Rate: "USPS/Express", Price: lost.Price{Postage: 3310, Currency: "USD"},
			FromDays: 1, ToDays: 1,
		},
	}
	got, err := e.Quotes(t.Context(), umbrella(guest))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	c := umbrella(guest)
	c.From.Shipping = &lost.ShippingRules{Offered: true, Currency: "USD", Handling: 200}
	got, err = e.Quotes(t.Context(), c)
	if err != nil || len(got) != lost.MaxOffers ||
		got[0].Price != (lost.Price{Postage: 593, Handling: 200, Currency: "USD"}) || got[3].Service != "USPS Express" {
		t.Errorf("offers for a location with its own currency: %v: %v", got, err)
	}
}

func TestEasyPostIsNotCalledWithoutCompleteAddresses(t *testing.T) {
	server, e := service(t)
	changes := map[string]func(*lost.ParcelOrder){
		"no street to":      func(c *lost.ParcelOrder) { c.To.Address1 = "" },
		"no city to":        func(c *lost.ParcelOrder) { c.To.City = "" },
		"no zip to":         func(c *lost.ParcelOrder) { c.To.ZipCode = "" },
		"no country to":     func(c *lost.ParcelOrder) { c.To.Country = "" },
		"no street from":    func(c *lost.ParcelOrder) { c.From.Address1 = "" },
		"no zip from":       func(c *lost.ParcelOrder) { c.From.ZipCode = "" },
		"no country from":   func(c *lost.ParcelOrder) { c.From.Country = "" },
		"nothing known":     func(c *lost.ParcelOrder) { c.Load = lost.ParcelSize{} },
		"shipping disabled": func(c *lost.ParcelOrder) { c.From.Shipping = &lost.ShippingRules{Currency: "USD"} },
		"no city anywhere":  func(c *lost.ParcelOrder) { c.From.City, c.To.City = "", "" },
	}
	for name, f := range changes {
		c := umbrella(guest)
		f(&c)
		if got, err := e.Quotes(t.Context(), c); lost.CodeOf(err) != lost.Invalid || got != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	c := umbrella(guest)
	c.To.Address1 = ""
	_, _, err := e.Prepare(t.Context(), lost.Shipment{ID: "ship_1"}, c)
	expectCode(t, err, lost.Invalid)
	if n := len(server.Requests()); n != 0 {
		t.Errorf("got %d requests, want none", n)
	}
	// Hong Kong has no postal codes.
	c = umbrella(lost.Recipient{Name: "A", Address1: "1 Queen's Road", City: "Hong Kong", Country: "HK"})
	if got, err := e.Quotes(t.Context(), c); err != nil || len(got) == 0 {
		t.Errorf("%v, %v", got, err)
	}
	if !e.NeedsAddress() || !e.HasTracking() {
		t.Error("NeedsAddress is false")
	}
}

func TestEasyPostGetsSizeWeightAndCustoms(t *testing.T) {
	server, e := service(t)
	preparedShipment(t, e, umbrella(swiss))
	got := server.Declared("ship_1")
	parts := map[string]any{"parcel": got["parcel"], "customs_info": got["customs_info"], "options": got["options"]}
	want := map[string]any{
		"parcel":  map[string]any{"length": 39.4, "width": 7.9, "height": 7.9, "weight": 15.5},
		"options": map[string]any{"label_format": "PDF", "label_size": "4x6"},
		"customs_info": map[string]any{
			"contents_type": "returned_goods", "customs_certify": true, "customs_signer": "Jo Desk",
			"non_delivery_option": "return",
			"restriction_type":    "none", "eel_pfc": "NOEEI 30.37(a)",
			"customs_items": []any{map[string]any{
				"description": "A black umbrella", "quantity": 1.0, "value": "10", "currency": "USD", "weight": 15.5,
				"origin_country": "US",
			}},
		},
	}
	if d := cmp.Diff(want, parts); d != "" {
		t.Error(d)
	}
	if _, err := e.Buy(t.Context(), preparedShipment(t, e, umbrella(swiss)), umbrella(swiss)); err != nil {
		t.Error(err)
	}
	preparedShipment(t, e, umbrella(guest))
	if _, ok := server.Declared("ship_1")["customs_info"]; ok {
		t.Error("a domestic parcel has a customs declaration")
	}
	tests := []struct {
		load                          lost.ParcelSize
		length, width, height, weight float64
	}{
		{lost.ParcelSize{Document: true}, 13, 9.1, 1.2, 8.9},
		{lost.ParcelSize{Box: "shoe"}, 15.8, 7.9, 7.9, 70.6},
		{lost.ParcelSize{Grams: 1}, 13, 9.1, 2.4, 0.1},
		{lost.ParcelSize{Grams: 5000}, 15.8, 7.9, 7.9, 176.4},
		{lost.ParcelSize{Grams: 9000}, 23.7, 15.8, 15.8, 317.5},
	}
	for _, tt := range tests {
		c := umbrella(guest)
		c.Load = tt.load
		preparedShipment(t, e, c)
		if d := cmp.Diff(map[string]any{
			"length": tt.length, "width": tt.width, "height": tt.height, "weight": tt.weight,
		}, server.Declared("ship_1")["parcel"]); d != "" {
			t.Errorf("%+v: %s", tt.load, d)
		}
	}
}

func TestAPreparedParcelKeepsItsServiceAndItsPrice(t *testing.T) {
	server, e := service(t)
	c := umbrella(guest)
	agreed := lost.Quote{
		Service: "USPS Priority", Rate: "USPS/Priority", Price: lost.Price{Postage: 500, Currency: "USD"},
	}
	q, p, err := e.Prepare(t.Context(), lost.Shipment{ID: "ship_1", Quote: agreed}, c)
	if err != nil || q != agreed {
		t.Fatal(q, err)
	}
	if !strings.HasPrefix(p.Shipment, "shp_") || !strings.HasSuffix(p.Rate, "01") || p.ShippingDate != "2026-11-09" ||
		p.LabelURL != "" {
		t.Errorf("%+v", p)
	}
	_, again, err := e.Prepare(t.Context(), lost.Shipment{ID: "ship_1", Quote: agreed, Postage: p}, c)
	if err != nil || again.Shipment == p.Shipment || server.Bought("ship_1") != 0 {
		t.Errorf("%+v, bought %d: %v", again, server.Bought("ship_1"), err)
	}
	q, p, err = e.Prepare(t.Context(), lost.Shipment{ID: "ship_1"}, c)
	if err != nil || q.Rate != "USPS/GroundAdvantage" || q.Price.Postage != 593 || !strings.HasSuffix(p.Rate, "02") {
		t.Error(q, p, err)
	}
	byTariff := lost.Quote{Service: "Standard parcel", Price: lost.Price{Postage: 590, Currency: "EUR"}}
	q, p, err = e.Prepare(t.Context(), lost.Shipment{ID: "ship_1", Quote: byTariff}, c)
	if err != nil || q != byTariff || !strings.HasSuffix(p.Rate, "02") {
		t.Errorf("quote of the tariff: %v %v %v", q, p, err)
	}
	server.Offer(
		easyposttest.Rate{Carrier: "USPS", Service: "Priority", Price: "1.00", Currency: "CAD"},
		easyposttest.Rate{Carrier: "USPS", Service: "Priority", Price: "9.00", Currency: "USD"},
		easyposttest.Rate{Carrier: "USPS", Service: "Priority", Price: "8.00", Currency: "USD"},
	)
	q, p, err = e.Prepare(t.Context(), lost.Shipment{ID: "ship_1", Quote: agreed}, c)
	if err != nil || q != agreed || !strings.HasSuffix(p.Rate, "02") {
		t.Errorf("three rates for one service: %v %v %v", q, p, err)
	}
	server.Offer(easyposttest.Rate{Carrier: "USPS", Service: "Express", Price: "33.10", Currency: "USD"})
	_, _, err = e.Prepare(t.Context(), lost.Shipment{ID: "ship_1", Quote: agreed}, c)
	expectCode(t, err, lost.Invalid)
	if err != nil && !strings.Contains(err.Error(), "USPS Priority is no longer offered") {
		t.Error(err)
	}
}

func TestEveryFailureHasTheRightCode(t *testing.T) {
	server, e := service(t)
	s := soldShipment(t, e)
	calls := map[string]func(context.Context) error{
		"quotes": func(ctx context.Context) error { _, err := e.Quotes(ctx, umbrella(guest)); return err },
		"prepare": func(ctx context.Context) error {
			_, _, err := e.Prepare(ctx, s, umbrella(guest))
			return err
		},
		"buy":   func(ctx context.Context) error { _, err := e.Buy(ctx, s, umbrella(guest)); return err },
		"void":  func(ctx context.Context) error { return e.Void(ctx, s.Postage) },
		"track": func(ctx context.Context) error { _, err := e.Track(ctx, s.Postage); return err },
	}
	kinds := map[int]lost.Code{
		400: lost.Invalid, 402: lost.Invalid, 404: lost.Unavailable, 401: lost.Unavailable, 403: lost.Unavailable,
		408: lost.Unavailable,
		409: lost.Unavailable, 429: lost.Unavailable, 500: lost.Unavailable, 502: lost.Unavailable,
		503: lost.Unavailable, 302: lost.Unavailable,
	}
	for name, call := range calls {
		for status, kind := range kinds {
			server.Fail(status) // 404 and some others have no EasyPost error code
			if err := call(t.Context()); err == nil || lost.CodeOf(err) != kind {
				t.Errorf("%s, %d: got %v, want %s", name, status, err, kind)
			}
		}
		server.Fail(0)
		for _, body := range []string{"", "null", "<html>", `{"id":`, `{"id":7}`, `[]`} {
			server.Garble(body)
			if err := call(t.Context()); lost.CodeOf(err) != lost.Unavailable {
				t.Errorf("%s, response %q: %v", name, body, err)
			}
			server.Ungarble()
		}
		arrived, release := server.Hang()
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-arrived; cancel() }()
		if err := call(ctx); lost.CodeOf(err) != lost.Unavailable || !errors.Is(err, context.Canceled) {
			t.Errorf("%s, interrupted: %v", name, err)
		}
		release()
	}
	if server.Bought("ship_1") != 1 || server.Refunded("ship_1") > 1 {
		t.Errorf("bought %d labels, refunded %d", server.Bought("ship_1"), server.Refunded("ship_1"))
	}
}

func TestCallsHaveATimeout(t *testing.T) {
	server, _ := service(t)
	e := connect(t, courier.Options{Key: server.Key, API: server.URL, Timeout: 50 * time.Millisecond})
	_, release := server.Hang()
	defer release()
	_, err := e.Quotes(t.Context(), umbrella(guest))
	expectCode(t, err, lost.Unavailable)
}

func TestWrongKeyIsNotARefusal(t *testing.T) {
	server, _ := service(t)
	e := connect(t, courier.Options{Key: "another", API: server.URL})
	_, err := e.Quotes(t.Context(), umbrella(guest))
	expectCode(t, err, lost.Unavailable)
	if err != nil && strings.Contains(err.Error(), "another") {
		t.Error(err)
	}
}

func TestSettingsThatCannotWorkAreRefused(t *testing.T) {
	for _, o := range []courier.Options{
		{}, {API: "https://x"}, {Key: "k", API: "x"}, {Key: "k", API: "ftp://x"},
		{Key: "k", API: "https://user:secret@x"}, {Key: "k", API: "https://"},
	} {
		if _, err := courier.NewEasyPost(o); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
