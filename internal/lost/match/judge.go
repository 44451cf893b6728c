package match

import "slices"

// Ingredient is a part of the ranking that can be switched off.
type Ingredient string

// The ingredients. Switching one off shows what it contributes.
const (
	// synonyms, abbreviations, five languages, products that imply kinds and brands
	Meanings       Ingredient = "dictionary"
	Slips          Ingredient = "misspellings" // tolerance of typing errors
	Rarity         Ingredient = "rare words"   // by the location's own statistics
	Brands         Ingredient = "brands, models"
	Colours        Ingredient = "colours"
	Details        Ingredient = "details" // materials, patterns, parts, motifs, states
	Places         Ingredient = "places"
	Days           Ingredient = "days" // within the window: the window stays
	Names          Ingredient = "names, initials"
	Contradictions Ingredient = "contradictions"
	Coverage       Ingredient = "coverage" // what only one of them mentions
)

// Ingredients lists them.
func Ingredients() []Ingredient {
	return []Ingredient{
		Meanings, Slips, Rarity, Brands, Colours, Details, Places, Days, Names, Contradictions, Coverage,
	}
}

// ingredientFeatures lists the features of each ingredient.
var ingredientFeatures = map[Ingredient][]feature{
	Brands:  {sameBrand, otherBrand, sameProduct, sameModel, otherModel},
	Colours: {sameColour, otherColour, strayColour},
	Details: {
		sameMaterial, otherMaterial, samePattern, otherPattern, samePart, sameMotif, otherMotif, unsaidMotif, sameState,
		otherState, sameSize, otherSize, samePerson, otherPerson, sameOrigin, otherOrigin, otherSide,
	},
	Places: {samePlace, sameRoom, otherRoom},
	Days:   {soon, late},
	Names:  {sharedInitials, otherInitials, sharedName, otherName, otherBearer, otherGiven},
	Contradictions: {
		otherKind, otherBrand, otherModel, otherColour, otherPattern, otherSize, otherPerson, otherMaterial, otherMotif,
		otherOrigin, otherState, otherSide, otherNumber, otherInitials, otherName, otherRoom, otherBearer, otherGiven,
		strayColour,
	},
	Coverage: {uncovered, unanswered},
}

// Judge reads and compares subjects, optionally without some ingredients, to measure what they contribute.
type Judge struct{ Without []Ingredient }

func (j Judge) omits(i Ingredient) bool { return slices.Contains(j.Without, i) }

// Read analyses a subject.
func (j Judge) Read(s Subject) Profile {
	return reader{dictionary: terms(), literal: j.omits(Meanings), exact: j.omits(Slips)}.read(s)
}

// Compare returns how well a find matches a request. A pair with incompatible dates has no score.
func (j Judge) Compare(request, found Profile, c Counts) Score {
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
	return Score{Value: weights.value(e), Reasons: reasons(e, request, found)}
}
