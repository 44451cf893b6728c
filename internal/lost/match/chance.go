package match

import "math"

// Chances returns how probable it is that each candidate is the item that was lost, given the values of all candidates
// of a request. Only one of them can be it, or none: if several are equally good, none of them is likely.
func Chances(values []float64) []float64 {
	chances := make([]float64, len(values))
	for n, competing := range CompetingEvidence(values) {
		chances[n] = Chance(values[n], competing)
	}
	return chances
}

// CompetingEvidence returns how much speaks against each candidate of a request, given the values of all of them: the
// other candidates, and that none of them may be the right one. It is in millionths of log odds, and never negative.
func CompetingEvidence(values []float64) []int {
	competing := make([]int, len(values))
	for n := range values {
		sum := 1.0 // none of them
		for other, v := range values {
			if other != n {
				sum += math.Exp(logit(v))
			}
		}
		competing[n] = int(math.Round(math.Log(sum) * million))
	}
	return competing
}

// Chance returns how probable it is that a candidate is the item that was lost. See CompetingEvidence.
func Chance(value float64, competing int) float64 {
	return logistic(logit(value) - float64(competing)/million)
}

const million = 1_000_000

// logit turns a probability into log odds.
func logit(value float64) float64 {
	const least = 1e-12
	value = max(least, min(1-least, value))
	return math.Log(value / (1 - value))
}

// logistic turns log odds into a probability.
func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// OthersFit is the reason why a pair is not likely although its texts are: other found items fit as well.
func OthersFit() Reason { return Reason{Code: "others-fit", Text: "other items fit about as well"} }
