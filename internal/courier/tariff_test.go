package courier_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"homeward/internal/courier"
	"homeward/internal/lost"
)

// friday is the tests' current time, a Friday. Parcels are not shipped on weekends.
var friday = time.Date(2026, 11, 6, 15, 0, 0, 0, time.UTC)

func clock() time.Time { return friday }

var location = lost.Location{
	Name: "The Hotel", Address1: "Am Markt 1", City: "Berlin", ZipCode: "10115", Country: "DE",
	TimeZone: "Europe/Berlin",
	Contact:  lost.Contact{Name: "Ada Front", Phone: "+493012345"},
}

func consign(load lost.ParcelSize, country string) lost.ParcelOrder {
	return lost.ParcelOrder{From: location, To: lost.Recipient{Country: country}, Load: load}
}

func tariffQuotes(t *testing.T, c lost.ParcelOrder) []lost.Quote {
	t.Helper()
	quotes, err := courier.Tariff{}.Quotes(t.Context(), c)
	if err != nil && (lost.CodeOf(err) != lost.Invalid || c.WhyNoPrice() == "") {
		t.Fatal(err)
	}
	return quotes
}

func ownRules() *lost.ShippingRules {
	price := int64(400)
	return &lost.ShippingRules{
		Offered: true, Service: "DHL Paket", Currency: "EUR", Handling: 250,
		Domestic: lost.Zone{Prices: []lost.Band{{Grams: 2000, Price: 700}}, Document: &price, FromDays: 1, ToDays: 2},
	}
}

func TestTheTariffHasOnePriceForACountry(t *testing.T) {
	own := location
	own.Shipping = ownRules()
	tests := []struct {
		name string
		c    lost.ParcelOrder
		want []lost.Quote
	}{
		{"domestic", consign(lost.ParcelSize{Grams: 800}, "DE"),
			[]lost.Quote{{
				Service: "Standard parcel", Price: lost.Price{Postage: 590, Currency: "EUR"}, FromDays: 1, ToDays: 3,
			}}},
		{"to a neighbour", consign(lost.ParcelSize{Grams: 800}, "FR"),
			[]lost.Quote{{
				Service: "Standard parcel", Price: lost.Price{Postage: 1490, Currency: "EUR"}, FromDays: 3, ToDays: 6,
			}}},
		{"far away", consign(lost.ParcelSize{Box: "shoe"}, "JP"),
			[]lost.Quote{{
				Service: "Standard parcel", Price: lost.Price{Postage: 4990, Currency: "EUR"}, FromDays: 6, ToDays: 14,
			}}},
		{"a document", consign(lost.ParcelSize{Document: true}, "DE"),
			[]lost.Quote{{
				Service: "Standard letter", Price: lost.Price{Postage: 350, Currency: "EUR"}, FromDays: 1, ToDays: 3,
			}}},
		{"a document in a large box", consign(lost.ParcelSize{Document: true, Box: "shoe"}, "DE"),
			[]lost.Quote{{
				Service: "Standard parcel", Price: lost.Price{Postage: 890, Currency: "EUR"}, FromDays: 1, ToDays: 3,
			}}},
		{"custom rules",
			lost.ParcelOrder{From: own, To: lost.Recipient{Country: "DE"}, Load: lost.ParcelSize{Grams: 2000}},
			[]lost.Quote{{
				Service: "DHL Paket", Price: lost.Price{Postage: 700, Handling: 250, Currency: "EUR"}, FromDays: 1,
				ToDays: 2,
			}}},
		{"too heavy",
			lost.ParcelOrder{From: own, To: lost.Recipient{Country: "DE"}, Load: lost.ParcelSize{Grams: 2001}}, nil},
		{"zone without prices",
			lost.ParcelOrder{From: own, To: lost.Recipient{Country: "FR"}, Load: lost.ParcelSize{Grams: 1}}, nil},
		{"no size or weight", consign(lost.ParcelSize{}, "DE"), nil},
		{"destination not known", consign(lost.ParcelSize{Grams: 1}, ""), nil},
		{"origin not known",
			lost.ParcelOrder{To: lost.Recipient{Country: "DE"}, Load: lost.ParcelSize{Grams: 1}},
			nil},
		{"shipping disabled",
			lost.ParcelOrder{
				From: lost.Location{
					Country: "DE", Shipping: &lost.ShippingRules{Currency: "EUR", Domestic: own.Shipping.Domestic},
				}, To: lost.Recipient{Country: "DE"}, Load: lost.ParcelSize{Grams: 1},
			}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, tariffQuotes(t, tt.c)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestTariffKeepsTheAgreedQuote(t *testing.T) {
	carrier := courier.Tariff{Now: clock}
	c := consign(lost.ParcelSize{Grams: 800}, "DE")
	chosen := lost.Quote{Service: "Agreed service", Price: lost.Price{Postage: 1, Currency: "EUR"}}
	q, p, err := carrier.Prepare(t.Context(), lost.Shipment{ID: "shp1", Quote: chosen}, c)
	if err != nil || q != chosen || p != (lost.Postage{Shipment: "shp1", ShippingDate: "2026-11-09"}) {
		t.Error(q, p, err)
	}
	q, _, err = carrier.Prepare(t.Context(), lost.Shipment{ID: "shp1"}, c)
	if err != nil || q != tariffQuotes(t, c)[0] {
		t.Error(q, err)
	}
	later := courier.Tariff{Now: func() time.Time { return friday.AddDate(0, 1, 0) }}
	for range 2 {
		bought, err := later.Buy(t.Context(), lost.Shipment{ID: "shp1", Postage: p}, c)
		if err != nil || bought != p {
			t.Errorf("bought %v, want %v: %v", bought, p, err)
		}
	}
}

func TestTariffReportsWhyThereIsNoPrice(t *testing.T) {
	_, _, err := courier.Tariff{}.Prepare(t.Context(), lost.Shipment{ID: "shp1"}, consign(lost.ParcelSize{}, "DE"))
	if lost.CodeOf(err) != lost.Invalid {
		t.Error(err)
	}
}

func TestTariffHasNoLabelsTrackingAndEvents(t *testing.T) {
	carrier := courier.Tariff{}
	content, paper, err := carrier.Label(t.Context(), lost.Postage{})
	update, trackErr := carrier.Track(t.Context(), lost.Postage{})
	_, ok, eventErr := carrier.ParseEvent(nil, nil)
	if content != nil || paper != "" || err != nil || carrier.Void(t.Context(), lost.Postage{}) != nil ||
		update != (lost.ParcelUpdate{State: lost.ParcelWaiting}) || trackErr != nil || ok ||
		lost.CodeOf(eventErr) != lost.NotFound || carrier.HasTracking() || carrier.NeedsAddress() {
		t.Error("the tariff must not have labels, tracking or events")
	}
}

func TestHandlingIsAddedExactlyOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		country := rapid.SampledFrom(lost.Countries())
		from, to := country.Draw(t, "from"), country.Draw(t, "to")
		load := lost.ParcelSize{
			Grams: rapid.Int64Range(0, 40_000).Draw(t, "grams"), Document: rapid.Bool().Draw(t, "document"),
			Box: rapid.SampledFrom(append(lost.BoxTypes(), "")).Draw(t, "box"),
		}
		rules := lost.DefaultShippingRules(from)
		without := lost.ParcelOrder{
			From: lost.Location{Country: from, Shipping: &rules}, To: lost.Recipient{Country: to}, Load: load,
		}
		withFee := rules
		withFee.Handling = rapid.Int64Range(0, lost.MaxAmount).Draw(t, "handling")
		with := without
		with.From.Shipping = &withFee
		plain, _ := courier.Tariff{}.Quotes(t.Context(), without)
		all, _ := courier.Tariff{}.Quotes(t.Context(), with)
		if len(plain) != len(all) {
			t.Fatalf("%d offers without handling, %d with", len(plain), len(all))
		}
		for n := range all {
			if got := all[n].Price.Total() - plain[n].Price.Total(); got != withFee.Handling ||
				all[n].Price.Postage != plain[n].Price.Postage {
				t.Fatalf("handling fee of %d adds %d", withFee.Handling, got)
			}
		}
	})
}

func BenchmarkTariffQuote(b *testing.B) {
	c := consign(lost.ParcelSize{Grams: 31_500, Box: "moving"}, "ZW")
	for b.Loop() {
		if quotes, err := (courier.Tariff{}).Quotes(b.Context(), c); err != nil || len(quotes) != 1 {
			b.Fatal(quotes, err)
		}
	}
}
