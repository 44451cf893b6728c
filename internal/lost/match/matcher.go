package match

import "slices"

// Signal is a part of the ranking that can be switched off.
type Signal string

// The signals. Switching one off shows what it contributes.
const (
	// Meanings are synonyms, abbreviations, five languages, and products that imply kinds and brands.
	Meanings       Signal = "dictionary"
	Related        Signal = "thesaurus"    // similar meanings
	Slips          Signal = "misspellings" // tolerance of typing errors
	Rarity         Signal = "rare words"   // according to the location's statistics
	Brands         Signal = "brands, models"
	Colours        Signal = "colours"
	Details        Signal = "details" // materials, patterns, parts, motifs, states
	Places         Signal = "places"
	Days           Signal = "days" // within the allowed range of days
	Names          Signal = "names, initials"
	Contradictions Signal = "contradictions"
	Coverage       Signal = "coverage" // information that only the request or only the item has
)

// Signals lists all signals.
func Signals() []Signal {
	return []Signal{
		Meanings, Related, Slips, Rarity, Brands, Colours, Details, Places, Days, Names, Contradictions, Coverage,
	}
}

// ingredientFeatures lists the features of each signal.
var ingredientFeatures = map[Signal][]feature{
	Brands:  {sameBrand, otherBrand, sameProduct, sameModel, otherModel, sameSerial, otherSerial},
	Colours: {sameColour, otherColour, strayColour},
	Details: {
		sameMaterial, otherMaterial, samePattern, otherPattern, samePart, sameMotif, otherMotif, unsaidMotif, sameState,
		otherState, sameSize, otherSize, samePerson, otherPerson, sameOrigin, otherOrigin, otherSide,
		sameCategory, otherCategory,
	},
	Places: {samePlace, sameRoom, otherRoom},
	Days:   {soon, late},
	Names:  {sharedInitials, otherInitials, sharedName, otherName, otherBearer, otherGiven, unsaidName, otherProper},
	Contradictions: {
		otherKind, otherBrand, otherModel, otherColour, otherPattern, otherSize, otherPerson, otherMaterial, otherMotif,
		otherOrigin, otherState, otherSide, otherNumber, otherInitials, otherName, otherRoom, otherBearer, otherGiven,
		strayColour, otherSerial, otherCategory, otherFigure, otherProper, unrelatedKind, otherBeing,
	},
	Coverage: {
		uncovered, unanswered, unansweredWords, generic, missingDetails, extraDetails, rivalDetails,
	},
	Related: {relatedKind, unrelatedKind, relatedWords, otherBeing},
}

// Matcher reads and compares subjects, optionally without some signals, to measure their contribution.
type Matcher struct {
	Without []Signal
	// Weights replace the weights of the rules, if they are not nil.
	Weights *Weights
	forgets *dictionary // the dictionary without some words
}

func (j Matcher) omits(i Signal) bool { return slices.Contains(j.Without, i) }

// Forgetting returns a matcher whose dictionary lacks some words: those of a form for which forget returns true. It
// measures how well the rules understand words that nobody has added to the dictionary.
func (j Matcher) Forgetting(forget func(form string) bool) Matcher {
	j.forgets = loadDictionaryWithout(forget, "terms")
	j.forgets.addSenses(theThesaurus())
	return j
}

func (j Matcher) dictionary() *dictionary {
	if j.forgets != nil {
		return j.forgets
	}
	return terms()
}

func (j Matcher) weights() Weights {
	if j.Weights != nil {
		return *j.Weights
	}
	return weights
}

// Read analyses a subject.
func (j Matcher) Read(s Subject) Profile {
	p := reader{
		dictionary: j.dictionary(), literal: j.omits(Meanings), exact: j.omits(Slips), plain: j.omits(Related),
	}.read(s)
	p.serial, p.category = comparableSerial(s.Serial), s.Category
	p.meanings = s.Meanings
	return p
}

// Compare scores how well a found item matches a request. The score is zero if the dates are incompatible.
func (j Matcher) Compare(request, found Profile, c Counts) Score {
	e, ok := j.Evidence(request, found, c)
	if !ok {
		return Score{}
	}
	e[similarMeaning] = compareMeanings(request, found)
	return Score{
		Value: j.weights().withMeaning().Value(e), Reasons: withMeaning(reasons(e, request, found), e), Evidence: e,
	}
}

// Evidence returns the evidence for and against a pair. ok is false if the dates are incompatible.
func (j Matcher) Evidence(request, found Profile, c Counts) (e Evidence, ok bool) {
	rare := c.rarity
	if j.omits(Rarity) {
		rare = func(string) float64 { return 0.7 }
	}
	e, ok = compare(request, found, rare)
	return j.Omit(e), ok
}

// Omit returns evidence without the features of the signals that the matcher omits.
func (j Matcher) Omit(e Evidence) Evidence {
	for _, i := range j.Without {
		for _, f := range ingredientFeatures[i] {
			e[f] = 0
		}
	}
	return e
}
