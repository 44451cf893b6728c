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
	Base: 0.90,
	Of: Evidence{
		sameKind: 0.84, sameFamily: 0.15, otherKind: -0.75, sameBrand: 0.5, otherBrand: -1.77,
		sameProduct: 0.2, sameModel: 0.4, otherModel: -2.39, sameSerial: 6, otherSerial: -4,
		sameCategory: 0.4, otherCategory: -0.8, sameColour: 0.87, otherColour: -2.12, sameMaterial: 0.55,
		samePattern: 0.61, otherPattern: -0.76, samePart: 0.15, sameMotif: 0.8, sameState: 0.46,
		sameSize: 1.25, otherSize: -1.22, samePerson: 0.96, otherPerson: -0.71, sharedWords: 0.54,
		alikeWords: 0.68, sharedNumbers: 1.01, sharedInitials: 1.86, otherInitials: -1.06, sharedName: 2.24,
		otherName: -4.41, samePlace: 0.82, sameRoom: 0.4, otherRoom: -0.3, soon: 0.15, late: -2.83,
		otherMaterial: -0.89, otherMotif: -0.63, unsaidMotif: -0.06, sameOrigin: 0.93, otherOrigin: -1.52,
		otherState: -0.45, otherSide: -2.4, otherNumber: -3.06, otherBearer: -1.12, otherGiven: -4.17,
		strayColour: -2.8, uncovered: -2.38, unanswered: -3.19, relatedKind: 0.25, unrelatedKind: -0.39,
		relatedWords: 0.47, otherFigure: -0.61, unsaidName: -0.05, otherProper: -0.77, otherBeing: -1.46,
		generic: -1.84,
	},
}

// Value turns evidence into a score from 0 to 1: the probability that a pair belongs together if the request has no other
// candidates.
func (w Weights) Value(e Evidence) float64 {
	return logistic(w.sum(e))
}

// sum returns the log odds.
func (w Weights) sum(e Evidence) float64 {
	z := w.Base
	for f, x := range e {
		z += w.Of[f] * x
	}
	return z
}

// The minimum scores of likely and possible matches. A found item with a lower score is not suggested.
const (
	likelyFrom   = 0.8
	possibleFrom = 0.02
)

// Likely reports whether a probability is that of a likely match.
func Likely(chance float64) bool { return chance >= likelyFrom }

// Possible reports whether a value is that of a possible match.
func Possible(value float64) bool { return value >= possibleFrom }

// CurrentWeights returns the weights of the rules.
func CurrentWeights() Weights { return weights }
