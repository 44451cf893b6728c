package match

import "slices"

// Ingredient is something that ranking is made of.
type Ingredient string

// What ranking can be done without, to see what it adds.
const (
	// synonyms, abbreviations, five languages, products that imply kinds and brands
	Meanings       Ingredient = "dictionary"
	Slips          Ingredient = "misspellings" // letters that are wrong
	Rarity         Ingredient = "rare words"   // by the location's own statistics
	Brands         Ingredient = "brands, models"
	Colours        Ingredient = "colours"
	Details        Ingredient = "details" // materials, patterns, parts, motifs, states
	Places         Ingredient = "places"
	Days           Ingredient = "days" // within the window: the window stays
	Names          Ingredient = "names, initials"
	Contradictions Ingredient = "contradictions"
	Coverage       Ingredient = "coverage" // what one says and the other does not
)

// Ingredients lists them.
func Ingredients() []Ingredient {
	return []Ingredient{
		Meanings, Slips, Rarity, Brands, Colours, Details, Places, Days, Names, Contradictions, Coverage,
	}
}

// made is what an ingredient is looked at by.
var made = map[Ingredient][]feature{
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

// Judge reads and compares, without some ingredients where it is to be seen what they add.
type Judge struct{ Without []Ingredient }

func (j Judge) lacks(i Ingredient) bool { return slices.Contains(j.Without, i) }

// Read understands a subject.
func (j Judge) Read(s Subject) Profile {
	return reader{dictionary: terms(), literal: j.lacks(Meanings), exact: j.lacks(Slips)}.read(s)
}

// Compare returns how well a find answers a request. Pairs whose days do not go together have no score.
func (j Judge) Compare(request, found Profile, c Counts) Score {
	rare := c.rarity
	if j.lacks(Rarity) {
		rare = func(string) float64 { return 0.7 }
	}
	e, ok := compare(request, found, rare)
	if !ok {
		return Score{}
	}
	for _, i := range j.Without {
		for _, f := range made[i] {
			e[f] = 0
		}
	}
	return Score{Value: weights.value(e), Reasons: reasons(e, request, found)}
}
