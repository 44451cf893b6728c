package match

// feature is one thing that speaks for or against a pair.
type feature int

// What is looked at. The weights tell how much each counts.
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
	otherName // somebody else's is written on it
	samePlace
	sameRoom
	otherRoom
	soon
	late
	otherMaterial
	otherMotif
	unsaidMotif // the request has one, and the find says of none
	sameOrigin
	otherOrigin
	otherState // each tells of a state, and none of the same
	otherSide
	otherNumber // both are marked with a number, and not the same
	otherBearer // it bears somebody else's name
	otherGiven  // of another of the family
	strayColour // each has a colour that the other has not
	uncovered   // what the find says and the request does not
	unanswered  // what the request says and the find does not
	features
)

type evidence [features]float64
