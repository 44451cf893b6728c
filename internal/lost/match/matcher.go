package match

import "slices"

// Signal is a part of the ranking that can be switched off.
type Signal string

// The signals. Switching one off shows what it contributes.
const (
	// Meanings are synonyms, abbreviations, five languages, and products that imply kinds and brands.
	Meanings       Signal = "dictionary"
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
		Meanings, Slips, Rarity, Brands, Colours, Details, Places, Days, Names, Contradictions, Coverage,
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
	Names:  {sharedInitials, otherInitials, sharedName, otherName, otherBearer, otherGiven},
	Contradictions: {
		otherKind, otherBrand, otherModel, otherColour, otherPattern, otherSize, otherPerson, otherMaterial, otherMotif,
		otherOrigin, otherState, otherSide, otherNumber, otherInitials, otherName, otherRoom, otherBearer, otherGiven,
		strayColour, otherSerial, otherCategory,
	},
	Coverage: {uncovered, unanswered},
}

// Matcher reads and compares subjects, optionally without some signals, to measure their contribution.
type Matcher struct{ Without []Signal }

func (j Matcher) omits(i Signal) bool { return slices.Contains(j.Without, i) }

// Read analyses a subject.
func (j Matcher) Read(s Subject) Profile {
	p := reader{dictionary: terms(), literal: j.omits(Meanings), exact: j.omits(Slips)}.read(s)
	p.serial, p.category = comparableSerial(s.Serial), s.Category
	p.meanings = s.Meanings
	return p
}

// Compare scores how well a found item matches a request. The score is zero if the dates are incompatible.
func (j Matcher) Compare(request, found Profile, c Counts) Score {
	rare := c.rarity
	if j.omits(Rarity) {
		rare = func(string) float64 { return 0.7 }
	}
	e, ok := compare(request, found, rare)
	if !ok {
		return Score{}
	}
	for _, i := range j.Without {
		for _, f := range ingredientFeatures[i] {
			e[f] = 0
		}
	}
	return Score{Value: weights.value(e), Reasons: reasons(e, request, found)}.withMeaning(request, found)
}
