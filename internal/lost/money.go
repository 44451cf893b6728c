package lost

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Price is the shipping price that the owner of an item pays, in minor units of a currency (ISO 4217).
type Price struct {
	Postage  int64
	Handling int64
	Currency string
}

// Total returns the amount to pay.
func (p Price) Total() int64 { return p.Postage + p.Handling }

// String formats the total as in "12.50 EUR".
func (p Price) String() string {
	digits := fmt.Sprintf("%0*d", Places(p.Currency)+1, p.Total())
	if point := len(digits) - Places(p.Currency); point < len(digits) {
		digits = digits[:point] + "." + digits[point:]
	}
	return digits + " " + p.Currency
}

// ParsePrice parses a price that String has formatted. It returns false for other text.
func ParsePrice(text string) (p Price, ok bool) {
	digits, currency, _ := strings.Cut(text, " ")
	amount, err := strconv.ParseInt(strings.Replace(digits, ".", "", 1), 10, 64)
	p = Price{Postage: amount, Currency: currency}
	return p, err == nil && p.String() == text
}

// Places returns the number of decimal places of a currency.
func Places(currency string) int {
	const (
		none  = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
		three = "BHD IQD JOD KWD LYD OMR TND"
	)
	switch {
	case currency == "" || strings.Contains(none, currency):
		return 0
	case strings.Contains(three, currency):
		return 3
	default:
		return 2
	}
}

// Known reports whether the price is set.
func (p Price) Known() bool { return p.Currency != "" }

// fullTax is a tax rate of 100 per cent. Tax rates are in hundredths of a per cent.
const fullTax = 10_000

// TaxIn returns the tax contained in an amount, at a rate in hundredths of a per cent, rounded half up. Amounts
// include tax.
func TaxIn(amount int64, rate int) int64 {
	if amount <= 0 || rate <= 0 {
		return 0
	}
	whole, part := int64(fullTax+rate), int64(rate)
	// The amount is split so that the products do not overflow an int64.
	times, rest := amount/whole, amount%whole
	return times*part + (rest*part+whole/2)/whole
}

// MaxAmount is the maximum amount of money, in minor units. A larger amount is treated as a mistake.
const MaxAmount = 100_000_000

// currencyCountries lists the countries of each currency other than the US dollar.
var currencyCountries = map[string]string{
	"EUR": "AD AT AX BE BG BL CY DE EE ES FI FR GF GP GR HR IE IT LT LU LV MC ME MF MQ MT NL PM PT RE SI SK SM " +
		"TF VA YT",
	"GBP": "GB GG IM JE", "CHF": "CH LI", "SEK": "SE", "NOK": "NO SJ", "DKK": "DK FO GL", "ISK": "IS", "PLN": "PL",
	"CZK": "CZ", "HUF": "HU", "RON": "RO",
	"CAD": "CA", "MXN": "MX", "BRL": "BR", "AUD": "AU CC CX NF", "NZD": "NZ CK NU TK", "JPY": "JP", "KRW": "KR",
	"CNY": "CN", "HKD": "HK",
	"TWD": "TW", "SGD": "SG", "THB": "TH", "MYR": "MY", "INR": "IN", "AED": "AE", "SAR": "SA", "ILS": "IL", "TRY": "TR",
	"ZAR": "ZA",
}

// defaultCurrency returns the currency of a country, or USD if the country is not in currencyCountries.
func defaultCurrency(country string) string {
	for currency, countries := range currencyCountries {
		if country != "" && strings.Contains(countries, country) {
			return currency
		}
	}
	return "USD"
}

// perEuro maps currencies to approximate exchange rates, in hundredths of the minor unit per euro cent. They are used
// to convert the default tariff, which is in euros. A location should set its own tariff.
var perEuro = map[string]int64{
	"EUR": 100, "USD": 110, "GBP": 90, "CHF": 100, "SEK": 1150, "NOK": 1150, "DKK": 750, "ISK": 150, "PLN": 430,
	"CZK": 2500, "HUF": 40000, "RON": 500,
	"CAD": 150, "MXN": 2000, "BRL": 600, "AUD": 165, "NZD": 180, "JPY": 160, "KRW": 1500, "CNY": 800, "HKD": 850,
	"TWD": 3500, "SGD": 150, "THB": 4000,
	"MYR": 500, "INR": 9000, "AED": 400, "SAR": 410, "ILS": 400, "TRY": 4000, "ZAR": 2000,
}

// fromEuro converts an amount in euro cents to minor units of another currency, rounded up to a multiple of ten. The
// currency must be in perEuro.
func fromEuro(cents int64, currency string) int64 {
	const step = 10
	rate := perEuro[currency]
	minor := (cents*rate + 99) / 100
	return (minor + step - 1) / step * step
}

// Currency returns the currency of amounts of money at the location.
func (l Location) Currency() string { return l.Rules().Currency }

// Value is what an item is worth, in minor units of a currency (ISO 4217). It is zero if nobody has estimated it.
type Value struct {
	Amount   int64
	Currency string
}

// Known reports whether the value is set.
func (v Value) Known() bool { return v != Value{} }

// String formats the value as in "1200.00 EUR". It returns an empty string if it is not set.
func (v Value) String() string {
	if !v.Known() {
		return ""
	}
	return Price{Postage: v.Amount, Currency: v.Currency}.String()
}

// ValueFilter selects items that are worth at least an amount, in the currency of their location. It is zero for all
// items.
type ValueFilter struct {
	Amount int64 // in minor units, such as cents
	Whole  bool  // Amount is in whole units instead, such as euros
	// Bounds are the least values at the locations; see Resolve. Without any, the filter selects no items.
	Bounds []ValueBound
}

// ValueBound is the least value of items at locations that have its currency.
type ValueBound struct {
	Value
	Locations []string // nil for all, if they have the same currency
}

// LocationCurrency is the id and the currency of a location.
type LocationCurrency struct{ ID, Currency string }

// Resolve sets the bounds of the filter for the locations of a list.
func (f *ValueFilter) Resolve(locations []LocationCurrency) {
	at := map[string]int{}
	for _, l := range locations {
		n, known := at[l.Currency]
		if !known {
			n = len(f.Bounds)
			at[l.Currency], f.Bounds = n, append(f.Bounds, ValueBound{Value: f.in(l.Currency)})
		}
		f.Bounds[n].Locations = append(f.Bounds[n].Locations, l.ID)
	}
	if len(f.Bounds) == 1 {
		f.Bounds[0].Locations = nil
	}
}

// in returns the least value in a currency.
func (f *ValueFilter) in(currency string) Value {
	v := Value{Amount: f.Amount, Currency: currency}
	if f.Whole {
		for range Places(currency) {
			v.Amount *= 10
		}
	}
	return v
}

var (
	valueText   = regexp.MustCompile(`^([A-Za-z]{3}|[€£])?\s*([0-9][0-9.,'’\s]*)\s*([A-Za-z]{3}|[€£])?$`)
	wholeAmount = regexp.MustCompile(`^[0-9]{1,3}(?:[.,'’\s][0-9]{3})+$|^[0-9]+$`)
)

// ParseValue parses an amount of money as people write it: 45, 45.00, 1.234,50 or EUR 45. An amount without a currency
// is in the given one. It returns false for other text, and for an amount that is 0 or too large.
func ParseValue(text, currency string) (v Value, ok bool) {
	found := valueText.FindStringSubmatch(strings.TrimSpace(text))
	if found == nil || found[1] != "" && found[3] != "" {
		return v, false
	}
	switch unit := strings.ToUpper(found[1] + found[3]); unit {
	case "":
		v.Currency = currency
	case "€":
		v.Currency = "EUR"
	case "£":
		v.Currency = "GBP"
	default:
		v.Currency = unit
	}
	whole, fraction := strings.TrimSpace(found[2]), ""
	at := strings.LastIndexAny(whole, ".,")
	if places := Places(v.Currency); at >= 0 && places > 0 && len(whole)-at-1 <= places {
		whole, fraction = whole[:at], whole[at+1:]
	}
	if !wholeAmount.MatchString(whole) || !isCurrency(v.Currency) {
		return Value{}, false
	}
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, whole)
	digits += fraction + strings.Repeat("0", Places(v.Currency)-len(fraction))
	var err error
	v.Amount, err = strconv.ParseInt(digits, 10, 64)
	if err != nil || v.Amount < 1 || v.Amount > MaxAmount {
		return Value{}, false
	}
	return v, true
}

// Patch returns the patch that sets the value.
func (v Value) Patch() Field[ValuePatch] {
	return Set(ValuePatch{Amount: Set(v.Amount), Currency: Set(v.Currency)})
}

// ValuePatch changes the amount or the currency of a Value.
type ValuePatch struct {
	Amount   Field[int64]
	Currency Field[string]
}

// value sets what an item is worth, or adds a problem. The currency is the location's if neither the patch nor the
// item has one.
func (c *check) value(f Field[ValuePatch], currency string, dst *Value) {
	const amount, unit = "value.amount", "value.currency"
	v := *dst
	switch {
	case !f.Sent || c.Has("value"):
		return
	case f.Null || f.Value.Amount.Null:
		*dst = Value{}
		return
	}
	c.currency(f.Value.Currency, unit, &v.Currency)
	switch sent := f.Value.Amount; {
	case c.Has(amount):
	case !sent.Sent && v.Amount == 0 && f.Value.Currency.Sent:
		c.Add(amount, "required", "is required with a currency")
	case sent.Sent && (sent.Value < 1 || sent.Value > MaxAmount):
		c.Add(amount, "out-of-range", "must be an amount in minor units (cents) from 1 to %d", MaxAmount)
	case sent.Sent:
		v.Amount = sent.Value
	}
	if v.Currency == "" {
		v.Currency = currency
	}
	if v.Amount > 0 && !c.Has(amount) && !c.Has(unit) {
		*dst = v
	}
}
