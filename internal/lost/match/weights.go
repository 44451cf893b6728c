package match

import "math"

// weighing contains the weight of each feature in log odds, and the base value of a pair without evidence.
type weighing struct {
	of   evidence
	base float64
}

// weights were fitted to a labelled set, except for those of serial numbers and categories, which the set lacks. They
// keep the sign and magnitude of the initial estimates, because a feature that is rare in the set can be common
// elsewhere.
var weights = weighing{
	base: -1.6,
	of: evidence{
		sameKind: 0.98, sameFamily: 0.67, otherKind: -1.00, sameBrand: 0.78, otherBrand: -2.11, sameProduct: 0.50,
		sameModel: 0.60, otherModel: -1.00,
		sameSerial: 6.00, otherSerial: -4.00, sameCategory: 0.40, otherCategory: -0.80,
		sameColour: 1.36, otherColour: -1.00, sameMaterial: 2.15, samePattern: 1.09, otherPattern: -0.67,
		samePart: 0.71, sameMotif: 1.78, sameState: 1.40,
		sameSize: 3.73, otherSize: -2.11, samePerson: 2.29, otherPerson: -0.10, sharedWords: 0.52, alikeWords: 1.42,
		sharedNumbers:  1.21,
		sharedInitials: 1.62, otherInitials: -0.80, sharedName: 2.89, otherName: -2.51, samePlace: 1.51, sameRoom: 0.50,
		otherRoom: -0.40, soon: 0.50,
		late: -2.40, otherMaterial: -0.64, otherMotif: -1.15, unsaidMotif: -0.03, sameOrigin: 1.59, otherOrigin: -1.68,
		otherSide: -2.00, otherState: -0.80,
		otherNumber: -2.85, otherBearer: -1.55, otherGiven: -5.01, strayColour: -1.86, uncovered: -2.12,
		unanswered: -2.79,
	},
}

// value turns evidence into a score from 0 to 1.
func (w weighing) value(e evidence) float64 {
	return 1 / (1 + math.Exp(-w.sum(e)))
}

func (w weighing) sum(e evidence) float64 {
	z := w.base
	for f, x := range e {
		z += w.of[f] * x
	}
	return z
}

// The minimum scores of likely and possible matches. A found item with a lower score is not suggested.
const (
	likelyFrom   = 0.84
	possibleFrom = 0.02
)
