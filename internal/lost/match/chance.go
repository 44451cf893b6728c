package match

import "math"

// Chances returns how probable it is that each candidate is the item that was lost, given the values of all candidates
// of a request. Only one of them can be it, or none: if several are equally good, none of them is likely.
func Chances(values []float64) []float64 {
	sum := 1.0 // none of them
	odds := make([]float64, len(values))
	for n, v := range values {
		const most = 1 - 1e-12
		v = min(v, most)
		odds[n] = v / (1 - v)
		sum += odds[n]
	}
	for n := range odds {
		odds[n] /= sum
	}
	return odds
}

// logistic turns log odds into a probability.
func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// OthersFit is the reason why a pair is not likely although its texts are: other found items fit as well.
func OthersFit() Reason { return Reason{Code: "others-fit", Text: "other items fit about as well"} }
