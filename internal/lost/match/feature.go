package match

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
	otherNumber // the request and the item have identifying numbers, but none in common
	otherBearer // a word on the found item is probably somebody else's name
	otherGiven  // the found item has the name of another family member
	strayColour // the request and the item each have a colour that the other does not have
	uncovered   // share of the found item's description that the request does not mention
	unanswered  // share of the request that the found item does not mention
	features
)

// evidence is the strength of each feature for a request and a found item.
type evidence [features]float64
