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
	Base: 1.44,
	Of: Evidence{
		sameKind: 0.5, sameFamily: 0.15, otherKind: -0.5, sameBrand: 0.5, otherBrand: -1.5, sameProduct: 0.2,
		sameModel: 0.4, otherModel: -2.13, sameSerial: 6, otherSerial: -4, sameCategory: 0.4,
		otherCategory: -0.8, sameColour: 0.75, otherColour: -1.61, sameMaterial: 0.28, samePattern: 0.65,
		otherPattern: -0.85, samePart: 0.15, sameMotif: 0.91, sameState: 0.25, sameSize: 1.71,
		otherSize: -1.52, samePerson: 1.33, otherPerson: -0.64, sharedWords: 0.35, alikeWords: 0.35,
		sharedNumbers: 1.3, sharedInitials: 1.85, otherInitials: -1.5, sharedName: 2.81, otherName: -4.73,
		samePlace: 0.75, sameRoom: 0.4, otherRoom: -0.3, soon: 0.15, late: -3.5, otherMaterial: -1.25,
		otherMotif: -0.53, unsaidMotif: -0.08, sameOrigin: 0.96, otherOrigin: -1.53, otherState: -0.73,
		otherSide: -2.42, otherNumber: -2.84, otherBearer: -1, otherGiven: -4.27, strayColour: -2.55,
		uncovered: -2.74, unanswered: -2.85, relatedKind: 0.25, unrelatedKind: -0.54, relatedWords: 0.95,
		otherFigure: -0.35, unsaidName: -0.05, otherProper: -0.58, otherBeing: -1.25, generic: -1.67,
		unansweredWords: -0.38,
	},
}

// Value turns evidence into a score from 0 to 1: the probability that a pair belongs together if the request has no
// other candidates.
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
	likelyFrom   = 0.85
	possibleFrom = 0.02
)

// Likely reports whether a probability is that of a likely match.
func Likely(chance float64) bool { return chance >= likelyFrom }

// Possible reports whether a value is that of a possible match.
func Possible(value float64) bool { return value >= possibleFrom }

// CurrentWeights returns the weights of the rules.
func CurrentWeights() Weights { return weights }
