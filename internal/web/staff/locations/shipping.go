package locations

import (
	"net/url"
	"strconv"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// shippingZone is a shipping zone in the form.
type shippingZone struct {
	name, label string // label is a key
	of          func(*lost.ShippingRules) *lost.Zone
	in          func(*lost.ShippingRulesPatch) *lost.Field[lost.ZonePatch]
}

// prices returns the field with the prices of the zone.
func (z shippingZone) prices() string { return z.name + ".prices" }

var zones = []shippingZone{
	{
		"shipping.domestic", "locations.shipping.domestic",
		func(r *lost.ShippingRules) *lost.Zone { return &r.Domestic },
		func(p *lost.ShippingRulesPatch) *lost.Field[lost.ZonePatch] { return &p.Domestic },
	},
	{
		"shipping.neighbour", "locations.shipping.nearby",
		func(r *lost.ShippingRules) *lost.Zone { return &r.Neighbour },
		func(p *lost.ShippingRulesPatch) *lost.Field[lost.ZonePatch] { return &p.Neighbour },
	},
	{
		"shipping.world", "locations.shipping.world",
		func(r *lost.ShippingRules) *lost.Zone { return &r.World },
		func(p *lost.ShippingRulesPatch) *lost.Field[lost.ZonePatch] { return &p.World },
	},
}

func showShipping(l lost.Location) url.Values {
	r := l.Rules()
	values := url.Values{
		"shipping.service": {r.Service}, "shipping.currency": {r.Currency},
		"shipping.handlingFee": {formatAmount(r.Handling, r.Currency)},
		taxRate: {strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(float64(r.TaxRate)/100, 'f',
			2, 64), "0"), ".")}, "shipping.taxId": {r.TaxID}, "shipping.trackingUrl": {r.Tracking},
	}
	if r.Offered {
		values.Set("shipping.offered", "yes")
	}
	for _, zone := range zones {
		z := zone.of(&r)
		if z.Document != nil {
			values.Set(zone.name+".documentPrice", formatAmount(*z.Document, r.Currency))
		}
		values.Set(zone.name+".fromDays", strconv.Itoa(z.FromDays))
		values.Set(zone.name+".toDays", strconv.Itoa(z.ToDays))
	}
	feeValues(r, values)
	values.Set(exampleWeight, "2.3")
	values.Set(exampleCountry, "FR")
	if l.Country == "FR" {
		values.Set(exampleCountry, "DE")
	}
	return values
}

func shippingInputs(lang frame.Locale, values url.Values) []*frame.Input {
	v := values.Get
	return []*frame.Input{
		{
			Name: "shipping.offered", Label: lang.Say("locations.shipping.offered"), Type: "check",
			Value: v("shipping.offered"),
		},
		{
			Name: "shipping.currency", Label: lang.Say("locations.shipping.currency"), Type: "text",
			Value: v("shipping.currency"), Narrow: true, Hint: lang.Say("locations.shipping.currency.hint"),
		},
		{
			Name: "shipping.handlingFee", Label: lang.Say("locations.shipping.fee"), Type: "text",
			Value: v("shipping.handlingFee"), Narrow: true, Keyboard: "decimal",
			Hint: lang.Say("locations.shipping.fee.hint"),
		},
		{
			Name: taxRate, Label: lang.Say("locations.shipping.tax"), Type: "text",
			Value: v(taxRate), Narrow: true, Keyboard: "decimal",
			Hint: lang.Say("locations.shipping.tax.hint"),
		},
		{
			Name: "shipping.taxId", Label: lang.Say("locations.shipping.tax-number"), Type: "text",
			Value: v("shipping.taxId"), Hint: lang.Say("locations.shipping.tax-number.hint"),
		},
		{
			Name: "shipping.service", Label: lang.Say("locations.shipping.service"), Type: "text",
			Value: v("shipping.service"), Hint: lang.Say("locations.shipping.service.hint"),
		},
		{
			Name: "shipping.trackingUrl", Label: lang.Say("locations.shipping.tracking"), Type: "text",
			Value: v("shipping.trackingUrl"), Keyboard: "url",
			Hint: lang.Say("locations.shipping.tracking.hint", "placeholder", "{number}"),
		},
	}
}

// taxRate is the field with the tax rate in per cent.
const taxRate = "shipping.taxRate"

// readTaxRate reads a tax rate in per cent. It reports other text as a problem.
func readTaxRate(lang frame.Locale, text string, problems *lost.Problems) float64 {
	const places = 2
	if strings.TrimSpace(text) == "" {
		return 0
	}
	rate, err := lang.ParseDecimal(text, places)
	if err != nil || rate > 100_00 {
		problems.Add(taxRate, "not-a-percentage", "must be a percentage up to 100, for example 19 or 8.1")
	}
	return float64(rate) / 100
}

func shippingPatch(lang frame.Locale, values url.Values) (p lost.LocationPatch) {
	currency := strings.ToUpper(strings.TrimSpace(values.Get("shipping.currency")))
	rules := lost.ShippingRulesPatch{
		Offered: lost.Set(values.Get("shipping.offered") != ""), Service: frame.FormField(values, "shipping.service"),
		Currency: frame.FormField(values, "shipping.currency"),
		TaxID:    frame.FormField(values, "shipping.taxId"), Tracking: frame.FormField(values, "shipping.trackingUrl"),
	}
	amount := func(name string) lost.Field[int64] {
		text := strings.TrimSpace(values.Get(name))
		if text == "" {
			return lost.Clear[int64]()
		}
		return lost.Set(frame.ReadAmount(lang, text, name, currency, &p.Problems))
	}
	rules.Handling = amount("shipping.handlingFee")
	rules.TaxRate = lost.Set(readTaxRate(lang, values.Get(taxRate), &p.Problems))
	fees := readFees(lang, values, currency, &p.Problems)
	for _, zone := range zones {
		z := lost.ZonePatch{
			Document: amount(zone.name + ".documentPrice"),
			FromDays: wholeNumber[int64](values, zone.name+".fromDays", &p.Problems),
			ToDays:   wholeNumber[int64](values, zone.name+".toDays", &p.Problems),
		}
		if fees != nil {
			z.Prices = lost.Set(fees[zone.prices()])
		}
		if z.ToDays.Value < z.FromDays.Value && z.ToDays.Sent {
			p.Problems.Add(zone.name+".toDays", "less-than-minimum", "must not be less than “%s”",
				frame.English().Say("locations.shipping.from"))
		}
		*zone.in(&rules) = lost.Set(z)
	}
	p.Shipping = lost.Set(rules)
	return p
}

// formatAmount formats an amount without its currency, with a decimal point.
func formatAmount(amount int64, currency string) string {
	return frame.English().FormAmount(amount, currency)
}
