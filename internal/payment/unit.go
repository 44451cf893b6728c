package payment

import "math"

// unit is the ratio of Stripe's unit of a currency to the minor unit of ISO 4217. Stripe only accepts multiples of
// step.
type unit struct{ stripe, iso, step int64 }

// units has the currencies for which Stripe differs from ISO 4217, from its documentation on currencies.
//
// - The króna and the Ugandan shilling have no minor unit, but Stripe still counts hundredths.
// - The ariary has one in ISO 4217 (a fifth, written with two decimals), and none at Stripe.
// - For currencies with three decimals the last one must be 0.
//
// All other currencies without a minor unit (yen, won) have none at Stripe either.
var units = map[string]unit{
	"ISK": {100, 1, 1}, "UGX": {100, 1, 1},
	"MGA": {1, 100, 1},
	"BHD": {1, 1, 10}, "JOD": {1, 1, 10}, "KWD": {1, 1, 10}, "OMR": {1, 1, 10}, "TND": {1, 1, 10},
}

func unitOf(currency string) unit {
	if u, special := units[currency]; special {
		return u
	}
	return unit{1, 1, 1}
}

// toStripe converts an amount to Stripe's units. It reports whether an exact conversion is possible.
func toStripe(amount int64, currency string) (int64, bool) {
	u := unitOf(currency)
	return exactly(amount, u.stripe, u.iso, u.step)
}

// fromStripe converts an amount from Stripe's units. It reports whether an exact conversion is possible.
func fromStripe(amount int64, currency string) (int64, bool) {
	u := unitOf(currency)
	return exactly(amount, u.iso, u.stripe, 1)
}

// exactly returns amount * times / by, and whether the result is a whole multiple of step.
func exactly(amount, times, by, step int64) (int64, bool) {
	if amount < 0 || amount > math.MaxInt64/times || amount*times%by != 0 {
		return 0, false
	}
	counted := amount * times / by
	return counted, counted%step == 0
}
