package match

import "math"

// feature is one kind of evidence for or against a match.
type feature int

// The features. The weights determine how much each one counts.
const (
	sameKind feature = iota
	sameFamily
	otherKind
	sameBrand
	otherBrand
	sameProduct
	sameModel
	otherModel
	sameSerial
	otherSerial
	sameCategory
	otherCategory
	sameColour
	otherColour
	sameMaterial
	samePattern
	otherPattern
	samePart
	sameMotif
	sameState
	sameSize
	otherSize
	samePerson
	otherPerson
	sharedWords
	alikeWords
	sharedNumbers
	sharedInitials
	otherInitials
	sharedName
	otherName // the inscription on the found item has somebody else's name
	samePlace
	sameRoom
	otherRoom
	soon
	late
	otherMaterial
	otherMotif
	unsaidMotif // the request mentions a motif, but the found item has none
	sameOrigin
	otherOrigin
	otherState // the request and the item mention states, but none in common
	otherSide
	otherNumber     // the request and the item have identifying numbers, but none in common
	otherBearer     // a word on the found item is probably somebody else's name
	otherGiven      // the found item has the name of another family member
	strayColour     // the request and the item each have a colour that the other does not have
	uncovered       // share of the found item's description that the request does not mention
	unanswered      // share of the request that the found item does not mention
	relatedKind     // how similar the things are, according to the thesaurus
	unrelatedKind   // how different they are
	relatedWords    // how similar the other words are
	otherFigure     // the request and the item have figures, but none in common
	unsaidName      // the inscription on the found item has a name, and the request has none
	otherProper     // the request and the item have proper names, but none in common
	otherBeing      // the request and the item have different animals or plants on them
	generic         // little more than the kind and the colour agrees, which many things have in common
	unansweredWords // share of the request's words for things that the found item does not mention
	missingDetails  // details of the request that the found item lacks
	extraDetails    // details of the found item that the request lacks
	rivalDetails    // details that each of the two has and the other lacks
	similarMeaning  // how similar the meanings of the texts are, according to a model; usually not known
	features
)

// Evidence is the strength of each feature for a request and a found item.
type Evidence [features]float64

// Named returns the features that are not zero by name, rounded. They contain nothing of the texts.
func (e Evidence) Named() map[string]float64 {
	const precision = 1000
	named := map[string]float64{}
	for f, x := range e {
		if x = math.Round(x*precision) / precision; x != 0 {
			named[featureNames[f]] = x
		}
	}
	return named
}

// FeatureNames lists the names of the features, in the order of Evidence.
func FeatureNames() []string { return featureNames[:] }

// featureNames are used where evidence is stored or printed.
var featureNames = [features]string{
	sameKind:        "sameKind",
	sameFamily:      "sameFamily",
	otherKind:       "otherKind",
	sameBrand:       "sameBrand",
	otherBrand:      "otherBrand",
	sameProduct:     "sameProduct",
	sameModel:       "sameModel",
	otherModel:      "otherModel",
	sameSerial:      "sameSerial",
	otherSerial:     "otherSerial",
	sameCategory:    "sameCategory",
	otherCategory:   "otherCategory",
	sameColour:      "sameColour",
	otherColour:     "otherColour",
	sameMaterial:    "sameMaterial",
	samePattern:     "samePattern",
	otherPattern:    "otherPattern",
	samePart:        "samePart",
	sameMotif:       "sameMotif",
	sameState:       "sameState",
	sameSize:        "sameSize",
	otherSize:       "otherSize",
	samePerson:      "samePerson",
	otherPerson:     "otherPerson",
	sharedWords:     "sharedWords",
	alikeWords:      "alikeWords",
	sharedNumbers:   "sharedNumbers",
	sharedInitials:  "sharedInitials",
	otherInitials:   "otherInitials",
	sharedName:      "sharedName",
	otherName:       "otherName",
	samePlace:       "samePlace",
	sameRoom:        "sameRoom",
	otherRoom:       "otherRoom",
	soon:            "soon",
	late:            "late",
	otherMaterial:   "otherMaterial",
	otherMotif:      "otherMotif",
	unsaidMotif:     "unsaidMotif",
	sameOrigin:      "sameOrigin",
	otherOrigin:     "otherOrigin",
	otherState:      "otherState",
	otherSide:       "otherSide",
	otherNumber:     "otherNumber",
	otherBearer:     "otherBearer",
	otherGiven:      "otherGiven",
	strayColour:     "strayColour",
	uncovered:       "uncovered",
	unanswered:      "unanswered",
	relatedKind:     "relatedKind",
	unrelatedKind:   "unrelatedKind",
	relatedWords:    "relatedWords",
	otherFigure:     "otherFigure",
	unsaidName:      "unsaidName",
	otherProper:     "otherProper",
	otherBeing:      "otherBeing",
	generic:         "generic",
	unansweredWords: "unansweredWords",
	missingDetails:  "missingDetails",
	extraDetails:    "extraDetails",
	rivalDetails:    "rivalDetails",
	similarMeaning:  "similarMeaning",
}
