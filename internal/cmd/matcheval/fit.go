package main

import (
	"math"

	"homeward/internal/lost/match"
)

// fixed lists the features that the labelled set lacks. Their weights are not fitted.
var fixed = map[string]bool{"sameSerial": true, "otherSerial": true, "sameCategory": true, "otherCategory": true}

// problem is a set of samples in a form that is fast to fit: for each sample and candidate, the features that are not
// zero.
type problem struct {
	samples []problemSample
	size    int // number of features; the base is the last parameter
}

type problemSample struct {
	candidates [][]part
	right      int
}

type part struct {
	feature int
	value   float64
}

func newProblem(samples []sample) problem {
	p := problem{size: len(match.FeatureNames())}
	for _, s := range samples {
		if s.request.Item != "" && s.right < 0 { // nothing can be learned from it
			continue
		}
		one := problemSample{right: s.right}
		for _, c := range s.candidates {
			var parts []part
			for f, x := range c.evidence {
				if x != 0 {
					parts = append(parts, part{f, x})
				}
			}
			one.candidates = append(one.candidates, append(parts, part{p.size, 1}))
		}
		p.samples = append(p.samples, one)
	}
	return p
}

// Parameters of the fit. The penalty keeps the weights of features small that are rare in the set.
const (
	penalty = 2.0
	rounds  = 300
	step    = 0.05
)

// fit returns the weights that make the right answers of the samples most probable: one of the candidates, or none of
// them.
func fit(samples []sample, from match.Weights) match.Weights {
	p := newProblem(samples)
	w := make([]float64, p.size+1)
	copy(w, from.Of[:])
	w[p.size] = from.Base
	names := match.FeatureNames()
	mean, square := make([]float64, len(w)), make([]float64, len(w))
	for round := 1; round <= rounds; round++ { // the method is Adam
		gradient := p.gradient(w)
		for f := range w {
			if f < p.size {
				if fixed[names[f]] {
					continue
				}
				gradient[f] -= penalty * (w[f] - expected[names[f]])
			}
			const keepMean, keepSquare, tiny = 0.9, 0.99, 1e-9
			mean[f] = keepMean*mean[f] + (1-keepMean)*gradient[f]
			square[f] = keepSquare*square[f] + (1-keepSquare)*gradient[f]*gradient[f]
			change := mean[f] / (1 - math.Pow(keepMean, float64(round))) /
				(math.Sqrt(square[f]/(1-math.Pow(keepSquare, float64(round)))) + tiny)
			w[f] += step * change * (1 - 0.9*float64(round)/rounds)
			if f < p.size {
				w[f] = bounded(names[f], w[f])
			}
		}
	}
	var fitted match.Weights
	copy(fitted.Of[:], w)
	fitted.Base = w[p.size]
	return fitted
}

// bounded returns a weight that is neither much smaller nor much larger than what is expected of its feature. So it has
// the right sign, and a feature that is rare in the set still counts.
func bounded(name string, weight float64) float64 {
	const least, most = 0.5, 3
	a, b := least*expected[name], most*expected[name]
	return max(min(a, b), min(max(a, b), weight))
}

// gradient returns the gradient of the log likelihood.
func (p problem) gradient(w []float64) []float64 {
	g := make([]float64, len(w))
	for _, s := range p.samples {
		for n, chance := range s.chances(w) {
			toward := -chance
			if n == s.right {
				toward++
			}
			for _, part := range s.candidates[n] {
				g[part.feature] += toward * part.value
			}
		}
	}
	return g
}

func (s problemSample) chances(w []float64) []float64 {
	odds := make([]float64, len(s.candidates))
	most := 0.0
	for n, parts := range s.candidates {
		for _, part := range parts {
			odds[n] += w[part.feature] * part.value
		}
		most = max(most, odds[n])
	}
	sum := math.Exp(-most)
	for n := range odds {
		odds[n] = math.Exp(odds[n] - most)
		sum += odds[n]
	}
	for n := range odds {
		odds[n] /= sum
	}
	return odds
}

// expected are the weights that are assumed as long as the samples say nothing else, as most features are rare in them.
var expected = map[string]float64{
	"sameKind": 1, "sameFamily": 0.3, "otherKind": -1, "sameBrand": 1, "otherBrand": -2, "sameProduct": 0.4,
	"sameModel": 0.8, "otherModel": -4.2, "sameColour": 0.8, "otherColour": -1.5, "sameMaterial": 0.5,
	"samePattern": 0.5, "otherPattern": -0.7, "samePart": 0.3, "sameMotif": 1, "sameState": 0.5, "sameSize": 0.7,
	"otherSize": -1, "samePerson": 0.5, "otherPerson": -0.7, "sharedWords": 0.7, "alikeWords": 0.7,
	"sharedNumbers": 1.2, "sharedInitials": 1.5, "otherInitials": -3, "sharedName": 2.5, "otherName": -4,
	"samePlace": 1, "sameRoom": 0.8, "otherRoom": -0.6, "soon": 0.3, "late": -2, "otherMaterial": -0.7,
	"otherMotif": -0.7, "unsaidMotif": -0.1, "sameOrigin": 1, "otherOrigin": -1.5, "otherState": -0.7,
	"otherSide": -2.5, "otherNumber": -3, "otherBearer": -2, "otherGiven": -4, "strayColour": -1.5,
	"uncovered": -2, "unanswered": -2, "relatedKind": 0.5, "unrelatedKind": -0.7, "relatedWords": 0.7,
	"otherFigure": -0.7, "unsaidName": -0.1, "otherProper": -0.7, "otherBeing": -1, "generic": -2,
	"unansweredWords": -0.6, "missingDetails": -0.3, "extraDetails": -0.1, "rivalDetails": -0.6,
}
