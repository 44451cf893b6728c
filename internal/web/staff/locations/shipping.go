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
		"shipping.taxRate": {strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(float64(r.TaxRate)/100, 'f',
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
			Name: "shipping.taxRate", Label: lang.Say("locations.shipping.tax"), Type: "text",
			Value: v("shipping.taxRate"), Narrow: true, Keyboard: "decimal",
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

func shippingPatch(values url.Values) (p lost.LocationPatch) {
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
		n, ok := parseAmount(text, currency)
		if !ok {
			p.Problems.Add(name, "not-an-amount", "must be an amount, for example %s", formatAmount(690, currency))
		}
		return lost.Set(n)
	}
	rules.Handling = amount("shipping.handlingFee")
	if text := strings.ReplaceAll(strings.TrimSpace(values.Get("shipping.taxRate")), ",", "."); text != "" {
		rate, ok := frame.Number(text)
		if !ok {
			p.Problems.Add("shipping.taxRate", "not-a-number", "must be a percentage, for example 19 or 8.1")
		}
		rules.TaxRate = lost.Set(rate)
	} else {
		rules.TaxRate = lost.Set(0.0)
	}
	fees := readFees(values, currency, &p.Problems)
	for _, zone := range zones {
		*zone.in(&rules) = lost.Set(lost.ZonePatch{
			Prices:   lost.Set(fees[zone.prices()]),
			Document: amount(zone.name + ".documentPrice"),
			FromDays: wholeNumber[int64](values, zone.name+".fromDays", &p.Problems),
			ToDays:   wholeNumber[int64](values, zone.name+".toDays", &p.Problems),
		})
	}
	p.Shipping = lost.Set(rules)
	return p
}

// formatAmount formats an amount without its currency.
func formatAmount(amount int64, currency string) string {
	text, _, _ := strings.Cut(lost.Price{Postage: amount, Currency: currency}.String(), " ")
	return text
}

// parseAmount parses an amount with a decimal point or comma and returns it in minor units, such as cents. It returns
// false if the text is not an amount.
func parseAmount(text, currency string) (int64, bool) {
	units, part, _ := strings.Cut(strings.ReplaceAll(text, ",", "."), ".")
	places := lost.Places(currency)
	if len(part) > places {
		return 0, false
	}
	n, err := strconv.ParseUint(units+part+strings.Repeat("0", places-len(part)), 10, 40)
	return int64(n), err == nil && units != ""
}
