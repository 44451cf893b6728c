package v1_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// setRules decodes shipping rules and applies them to a location. It returns the problems, if there are any.
func setRules(t *testing.T, l *lost.Location, shipping string) lost.Problems {
	t.Helper()
	p, err := v1.DecodeLocation([]byte(`{"name":"Hotel Adler","shipping":` + shipping + `}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Update(p, noon)
	return lost.ProblemsOf(err)
}

func TestTariffMergesAndRestoresDefaults(t *testing.T) {
	standard := lost.DefaultShippingRules("DE")
	l := lost.Location{Account: "acc_1", ID: "loc_1", Name: "Hotel Adler", Type: "hotel", Country: "DE"}
	want := standard
	set := func(shipping string, change func(*lost.ShippingRules)) {
		t.Helper()
		if bad := setRules(t, &l, shipping); len(bad) > 0 {
			t.Fatalf("%s was rejected: %v", shipping, bad)
		}
		change(&want)
		if d := cmp.Diff(&want, l.Shipping); d != "" {
			t.Errorf("after %s: %s", shipping, d)
		}
	}
	set(`{"service":"DHL","handlingFee":300.0,"taxRate":8.1,"taxId":"DE1",
		"trackingUrl":"https://c.example/{number}","currency":"eur"}`, func(r *lost.ShippingRules) {
		r.Service, r.Tracking = "DHL", "https://c.example/{number}"
		r.Handling, r.TaxRate, r.TaxID = 300, 810, "DE1"
	})
	set(`{"domestic":{"prices":[{"price":5e2,"upToGrams":1000},{"upToGrams":2000,"price":0}],"documentPrice":null}}`,
		func(r *lost.ShippingRules) {
			r.Domestic.Prices, r.Domestic.Document = []lost.Band{{Grams: 1000, Price: 500}, {Grams: 2000, Price: 0}},
				nil
		})
	set(`{"domestic":{"fromDays":2,"toDays":2},"world":{"prices":[]},"offered":false}`, func(r *lost.ShippingRules) {
		r.Domestic.FromDays, r.Domestic.ToDays = 2, 2
		r.World.Prices, r.Offered = []lost.Band{}, false
	})
	set(`{"domestic":{"prices":null},"world":null,"offered":null,"handlingFee":null,"taxRate":null,
		"taxId":null,"trackingUrl":null,"service":null,"currency":null}`, func(r *lost.ShippingRules) {
		*r = standard
		r.Domestic.FromDays, r.Domestic.ToDays, r.Domestic.Document = 2, 2, nil
	})
	if bad := setRules(t, &l, `null`); len(bad) > 0 || l.Shipping != nil {
		t.Errorf("cleared: %+v %v", l.Shipping, bad)
	}
	if shown := wire.Location(l).Shipping; shown != nil {
		t.Errorf("got the default tariff %+v, want none", shown)
	}
}

func TestAllProblemsOfATariffAreReported(t *testing.T) {
	for shipping, want := range map[string][]string{
		`5`: {"shipping wrong-type"},
		`{"offered":"yes","service":1,"currency":true,"handlingFee":"3","taxRate":"19","taxId":[],
			"trackingUrl":1,"domestic":[],"neighbour":"x","world":0,"africa":{}}`: {
			"shipping.offered wrong-type", "shipping.service wrong-type", "shipping.currency wrong-type",
			"shipping.handlingFee wrong-type", "shipping.taxRate wrong-type",
			"shipping.taxId wrong-type", "shipping.trackingUrl wrong-type", "shipping.domestic wrong-type",
			"shipping.neighbour wrong-type", "shipping.world wrong-type", "shipping.africa unknown-field"},
		`{"handlingFee":0.5,"domestic":{"documentPrice":1.5,"fromDays":2.5,"toDays":1e300}}`: {
			"shipping.handlingFee wrong-type", "shipping.domestic.documentPrice wrong-type",
			"shipping.domestic.fromDays wrong-type", "shipping.domestic.toDays wrong-type"},
		`{"domestic":{"prices":[{"upToGrams":1000,"price":5.5},{"price":5},{"upToGrams":1e16,"price":null,"upto":1},
			7,null,{"upToGrams":"1","upToGrams":2,"price":1e400}]}}`: {
			"shipping.domestic.prices[0].price wrong-type", "shipping.domestic.prices[1].upToGrams required",
			"shipping.domestic.prices[2].upToGrams wrong-type",
			"shipping.domestic.prices[2].price required", "shipping.domestic.prices[2].upto unknown-field",
			"shipping.domestic.prices[3] wrong-type",
			"shipping.domestic.prices[4] wrong-type", "shipping.domestic.prices[5].upToGrams duplicate",
			"shipping.domestic.prices[5].price wrong-type"},
		`{"world":{"prices":{"upToGrams":1}}}`: {"shipping.world.prices wrong-type"},
		`{"world":{"prices":"null"}}`:          {"shipping.world.prices wrong-type"},
		`{"handlingFee":-1,"taxRate":101,"currency":"XAU","world":{
			"prices":[{"upToGrams":2,"price":1},{"upToGrams":2,"price":1}],"documentPrice":100000001,
			"fromDays":121,"toDays":-1}}`: {
			"shipping.currency invalid-currency", "shipping.handlingFee out-of-range", "shipping.taxRate out-of-range",
			"shipping.world.prices out-of-range",
			"shipping.world.documentPrice out-of-range", "shipping.world.fromDays out-of-range",
			"shipping.world.toDays out-of-range"},
		`{"world":{"prices":[` + strings.Repeat(`{"upToGrams":1,"price":1},`, 30) +
			`{"upToGrams":1,"price":1}]}}`: {"shipping.world.prices out-of-range"},
		`{"trackingUrl":"https://c.example/","world":{"fromDays":9,"toDays":8}}`: {"shipping.trackingUrl invalid-url",
			"shipping.world.toDays before-from"},
	} {
		l := lost.Location{Account: "acc_1", ID: "loc_1", Name: "Hotel Adler", Type: "hotel", Country: "DE"}
		got := fieldsOf(setRules(t, &l, shipping))
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%.200s: %s", shipping, d)
		}
	}
}

// If a list is too long, problems are reported only for the allowed number of elements and one more.
func TestTooLongTariffIsNotReadCompletely(t *testing.T) {
	p, err := v1.DecodeLocation([]byte(`{"shipping":{"world":{"prices":[` + strings.Repeat(`{"price":1},`, 80_000) +
		`5]}}}`))
	if err != nil || len(p.Problems) != lost.MaxBands+1 {
		t.Errorf("%d problems, %v", len(p.Problems), err)
	}
}
