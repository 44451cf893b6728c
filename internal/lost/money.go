package lost

import (
	"fmt"
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
