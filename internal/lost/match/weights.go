package match

// Weights contains the weight of each feature in log odds, and the base value of a pair without evidence.
type Weights struct {
	Of   Evidence
	Base float64
}

// weights were fitted to a labelled set, except for those of serial numbers and categories, which the set lacks. They
// keep the sign and magnitude of the initial estimates, because a feature that is rare in the set can be common
// elsewhere.
var weights = Weights{
	Base: 2.33,
	Of: Evidence{
		sameKind: 0.5, sameFamily: 0.15, otherKind: -0.5, sameBrand: 0.5, otherBrand: -1.27, sameProduct: 0.2,
		sameModel: 0.4, otherModel: -2.29, sameSerial: 6, otherSerial: -4, sameCategory: 0.4,
		otherCategory: -0.8, sameColour: 0.74, otherColour: -1.56, sameMaterial: 0.25, samePattern: 0.52,
		otherPattern: -0.91, samePart: 0.15, sameMotif: 0.83, sameState: 0.25, sameSize: 2.04,
		otherSize: -1.72, samePerson: 1.5, otherPerson: -0.63, sharedWords: 0.35, alikeWords: 0.35,
		sharedNumbers: 1.15, sharedInitials: 1.97, otherInitials: -1.5, sharedName: 2.89, otherName: -5.06,
		samePlace: 0.73, sameRoom: 0.4, otherRoom: -0.3, soon: 0.15, late: -3.67, otherMaterial: -1.41,
		otherMotif: -0.43, unsaidMotif: -0.05, sameOrigin: 0.9, otherOrigin: -1.53, otherState: -0.73,
		otherSide: -2.4, otherNumber: -2.74, otherBearer: -1, otherGiven: -4.36, strayColour: -2.79,
		uncovered: -2.35, unanswered: -2.73, relatedKind: 0.25, unrelatedKind: -0.48, relatedWords: 0.96,
		otherFigure: -0.35, unsaidName: -0.05, otherProper: -0.42, otherBeing: -1.24, generic: -1.61,
		unansweredWords: -0.3, missingDetails: -0.79, extraDetails: -0.05, rivalDetails: -0.3,
	},
}

// Value turns evidence into a score from 0 to 1: the probability that a pair belongs together if the request has no
// other candidates.
func (w Weights) Value(e Evidence) float64 {
	const (
		common = 0.6 // generic evidence from which little more than the kind and the colour agrees
		atMost = 0.8 // the value of such a pair: the location may have many things of the kind
		from   = 0.6 // the value of such a pair from which it is lowered
	)
	value := logistic(w.sum(e))
	if e[generic] >= common && value > from {
		return from + (value-from)*(atMost-from)/(1-from) // keeps the order of such pairs
	}
	return value
}

// sum returns the log odds.
func (w Weights) sum(e Evidence) float64 {
	z := w.Base
	for f, x := range e {
		z += w.Of[f] * x
	}
	return z
}

// The minimum probabilities of likely and possible matches. The others are unlikely. A found item is suggested from a
// minimum value, whatever other items there are.
const (
	likelyFrom    = 0.84
	possibleFrom  = 0.2
	suggestedFrom = 0.02
)

// Likely reports whether a probability is that of a likely match.
func Likely(chance float64) bool { return chance >= likelyFrom }

// Possible reports whether a probability is that of a possible match, or of a likely one.
func Possible(chance float64) bool { return chance >= possibleFrom }

// Suggested reports whether an item is suggested, given its value.
func Suggested(value float64) bool { return value >= suggestedFrom }

// CurrentWeights returns the weights of the rules.
func CurrentWeights() Weights { return weights }
