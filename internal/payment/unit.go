package payment

import "math"

// unit describes how Stripe counts a currency. An amount in ISO 4217 minor units is converted to Stripe's units by
// multiplying it by the field stripe and dividing it by iso. Stripe accepts only multiples of step.
type unit struct{ stripe, iso, step int64 }

// units lists the currencies for which Stripe's units differ from ISO 4217, according to Stripe's documentation.
//
// - The króna and the Ugandan shilling have no minor unit in ISO 4217, but Stripe's amounts are in hundredths.
// - The ariary has a minor unit in ISO 4217 (a fifth, written with two decimals), but none at Stripe.
// - For currencies with three decimals, Stripe requires the last digit to be 0.
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

// toStripe converts an amount to Stripe's units. It returns false if an exact conversion is not possible.
func toStripe(amount int64, currency string) (int64, bool) {
	u := unitOf(currency)
	return exactly(amount, u.stripe, u.iso, u.step)
}

// fromStripe converts an amount from Stripe's units. It returns false if an exact conversion is not possible.
func fromStripe(amount int64, currency string) (int64, bool) {
	u := unitOf(currency)
	return exactly(amount, u.iso, u.stripe, 1)
}

// exactly returns amount * times / by. It returns false if the result is not a whole multiple of step.
func exactly(amount, times, by, step int64) (int64, bool) {
	if amount < 0 || amount > math.MaxInt64/times || amount*times%by != 0 {
		return 0, false
	}
	counted := amount * times / by
	return counted, counted%step == 0
}
