package payment

import "math"

// unit is how Stripe counts a currency where it does not in the minor units of ISO 4217. So many of Stripe's are so many of
// ISO's, and it takes only multiples of the step.
type unit struct{ stripe, iso, step int64 }

// units are Stripe's exceptions, from its page on currencies.
//
//   - The króna and the Ugandan shilling have no minor unit, but Stripe goes on counting hundredths of them.
//   - The ariary has one in ISO 4217 (a fifth, written with two places), and none at Stripe.
//   - Of those with three places the last has to be 0.
//
// All others without a minor unit (yen, won) have none at Stripe either.
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

// toStripe counts an amount in Stripe's units, exactly or not at all.
func toStripe(amount int64, currency string) (int64, bool) {
	u := unitOf(currency)
	return exactly(amount, u.stripe, u.iso, u.step)
}

// fromStripe counts an amount of Stripe's in minor units, exactly or not at all.
func fromStripe(amount int64, currency string) (int64, bool) {
	u := unitOf(currency)
	return exactly(amount, u.iso, u.stripe, 1)
}

// exactly gives amount * times / by, if that is a whole multiple of the step.
func exactly(amount, times, by, step int64) (int64, bool) {
	if amount < 0 || amount > math.MaxInt64/times || amount*times%by != 0 {
		return 0, false
	}
	counted := amount * times / by
	return counted, counted%step == 0
}
