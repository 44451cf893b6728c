package match

import "math"

// weighing tells how much each feature counts, in log odds, and what a pair with nothing to say for it has.
type weighing struct {
	of   evidence
	base float64
}

var weights = weighing{
	base: -5.0,
	of: evidence{
		sameKind: 1.6, headKind: 1.0, sameFamily: 0.8, otherKind: -2.0, sameBrand: 1.2, otherBrand: -1.4, sameProduct: 0.8, sameModel: 1.0, otherModel: -1.0,
		sameColour: 0.9, otherColour: -0.9, sameMaterial: 0.5, samePattern: 0.8, otherPattern: -0.3, samePart: 0.5, sameMotif: 1.4, sameState: 0.5, sameSize: 0.6, otherSize: -0.3,
		samePerson: 0.3, otherPerson: -0.2, sharedWords: 1.4, alikeWords: 1.1, sharedNumbers: 1.2, sharedInitials: 1.6, otherInitials: -0.4, sharedName: 2.5, otherName: -1.5,
		samePlace: 0.7, sameRoom: 1.0, otherRoom: -0.2, soon: 0.7, late: -0.8, uncovered: -1.2, otherMaterial: -0.2, otherMotif: -0.3, unsaidMotif: -0.3, sameOrigin: 1, otherOrigin: -1.5, otherSide: -1.5, otherNumber: -1.2, unanswered: -0.5,
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

// Likelihood is a score in a word.
type Likelihood string

// What a find is to a request. Whatever is less than possible is not suggested.
const (
	Likely   Likelihood = "likely"
	Possible Likelihood = "possible"
	Unlikely Likelihood = ""
)

// From which scores on.
const (
	likelyFrom   = 0.80
	possibleFrom = 0.10
)

func likelihood(score float64) Likelihood {
	switch {
	case score >= likelyFrom:
		return Likely
	case score >= possibleFrom:
		return Possible
	}
	return Unlikely
}
