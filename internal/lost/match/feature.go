package match

// feature is one kind of evidence for or against a pair.
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
	otherName // somebody else's name is written on it
	samePlace
	sameRoom
	otherRoom
	soon
	late
	otherMaterial
	otherMotif
	unsaidMotif // the request has one, and the find does not mention any
	sameOrigin
	otherOrigin
	otherState // both mention states, but none in common
	otherSide
	otherNumber // both have identifying numbers, but none in common
	otherBearer // it has somebody else's name
	otherGiven  // it has the name of another family member
	strayColour // each has a colour that is not in the other
	uncovered   // share of the find that the request does not mention
	unanswered  // share of the request that the find does not mention
	features
)

// evidence is the strength of each feature of a pair.
type evidence [features]float64
