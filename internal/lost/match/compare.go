package match

import (
	"math"
	"strings"
	"unicode"
)

// Score is the result of comparing a found item with a request.
type Score struct {
	Value    float64 // 0 to 1
	Reasons  []Reason
	Evidence Evidence
}

// Likely reports whether the found item is a likely match.
func (s Score) Likely() bool { return Likely(s.Value) }

// Suggested reports whether the found item is suggested.
func (s Score) Suggested() bool { return Suggested(s.Value) }

// DaysBefore and DaysAfter limit the number of days between the reported loss and the discovery of an item. An item
// can be found before the reported day, because people make mistakes.
const (
	DaysBefore = 1
	DaysAfter  = 60
)

// Compare scores how well a found item matches a request. The score is zero if the dates are incompatible.
func Compare(request, found Profile, c Counts) Score { return Matcher{}.Compare(request, found, c) }

func compare(request, found Profile, rare func(string) float64) (e Evidence, ok bool) {
	if !compareDays(&e, request.day, found.day) {
		return e, false
	}
	compareKinds(&e, request, found, rare)
	compareBrands(&e, request, found, rare)
	compareFacts(&e, request, found)
	mine, theirs := request.ownColours(found, found.mentions), found.ownColours(request, request.has)
	compareColours(&e, mine, theirs)
	comparePhotoColours(&e, mine, request.shown, theirs, found.shown)
	compareNames(&e, request, found)
	near := compareSenses(&e, request, found, rare)
	compareMarks(&e, request, found, rare, near)
	compareDetails(&e, request, found, rare, near)
	comparePlaces(&e, request, found)
	compareSpecific(&e)
	return e, true
}

// specific tells how much a feature shows that a pair has more in common than many others of its kind. A sum of 1 is
// enough.
var specific = map[feature]float64{
	sameSerial: 1, sharedName: 1, sharedInitials: 0.8, sharedNumbers: 0.8, sameBrand: 0.5, sameModel: 0.6,
	sameProduct: 0.3, sameMotif: 0.7, samePart: 0.3, samePattern: 0.5, sameOrigin: 0.6, sameState: 0.3, sameSize: 0.3,
	sameMaterial: 0.3, sharedWords: 0.3, alikeWords: 0.3, relatedWords: 0.3, samePlace: 0.6, sameRoom: 0.5,
}

// compareSpecific checks whether only the kind, the colour and other common properties agree.
func compareSpecific(e *Evidence) {
	sum := 0.0
	for f, x := range e {
		sum += specific[feature(f)] * x
	}
	e[generic] = max(0, 1-sum)
}

// compareFacts compares serial numbers and categories, if both are known. People may know only the end of a serial
// number.
func compareFacts(e *Evidence, request, found Profile) {
	switch a, b := request.serial, found.serial; {
	case a == "" || b == "":
	case a == b, len(a) >= minSerialEnd && strings.HasSuffix(b, a),
		len(b) >= minSerialEnd && strings.HasSuffix(a, b):
		e[sameSerial] = 1
	default:
		e[otherSerial] = 1
	}
	switch a, b := request.category, found.category; {
	case a == "" || b == "" || a == OtherCategory || b == OtherCategory:
	case a == b:
		e[sameCategory] = 1
	default:
		e[otherCategory] = 1
	}
}

// minSerialEnd is the minimum number of characters at the end of a serial number that identify an item.
const minSerialEnd = 6

// comparableSerial returns a serial number without what people write in different ways: case, spaces and punctuation.
// It returns an empty string for a masked number, whose few characters prove nothing.
func comparableSerial(text string) string {
	if strings.HasPrefix(text, "•") {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, text)
}

// compareDays returns false for an item that was found too early or too late.
func compareDays(e *Evidence, lost, found int) bool {
	if lost == 0 || found == 0 {
		return true
	}
	days := found - lost
	if days < -DaysBefore || days > DaysAfter {
		return false
	}
	e[soon] = math.Exp(-math.Abs(float64(days)) / 3)
	e[late] = math.Log1p(max(0, float64(days)-5)) / math.Log1p(DaysAfter-5)
	return true
}

func compareKinds(e *Evidence, request, found Profile, rare func(string) float64) {
	var known, same, asked bool
	for name, class := range found.marks {
		_, shared := request.marks[name]
		switch {
		case class == Kind:
			known = true
			same = same || request.has(name, found)
			if shared {
				e[sameKind] = max(e[sameKind], 0.5+rare(name)/2)
			}
		case class == Family && shared:
			e[sameFamily] = 1
		}
	}
	for name, class := range request.marks {
		asked = asked || class == Kind && !found.mentions(name, request)
	}
	if known && asked && !same && e[sameFamily] == 0 {
		e[otherKind] = 1
	}
}

func compareBrands(e *Evidence, request, found Profile, rare func(string) float64) {
	mine, theirs, same := false, false, false
	for name, class := range found.marks {
		if class == Word && request.marks[name] == Brand { // the word is a brand in the request
			class = Brand
		}
		if class != Brand && class != Product {
			continue
		}
		mine, same = mine || class == Brand, same || class == Brand && request.has(name, found)
		if _, shared := request.marks[name]; !shared {
			continue
		}
		if class == Brand {
			e[sameBrand] = max(e[sameBrand], 0.5+rare(name)/2)
		} else {
			e[sameProduct] = max(e[sameProduct], 0.5+rare(name)/2)
		}
	}
	for _, class := range request.marks {
		theirs = theirs || class == Brand
	}
	if mine && theirs && !same {
		if near := similarBrands(request, found); near > 0 {
			e[sameBrand] = max(e[sameBrand], near)
		} else {
			e[otherBrand] = 1
		}
	}
	compareModels(e, request, found)
}

// similarBrands returns how much two misspelled brands count as the same.
func similarBrands(request, found Profile) float64 {
	const least, misspelled = 4, 0.8
	for theirs, class := range found.marks {
		if class != Brand || len(theirs) < least || found.exact {
			continue
		}
		for mine, class := range request.marks {
			if class == Brand && len(mine) >= least && mine[0] == theirs[0] && alike(mine, theirs) {
				return misspelled
			}
		}
	}
	return 0
}

func compareModels(e *Evidence, request, found Profile) {
	shared := 0
	for name := range found.models {
		// a shoe size such as 42 is not a model
		if request.models[name] && (e[sameProduct] > 0 || !isNumber(name) || len(name) >= 3) {
			shared++
		}
	}
	switch {
	case len(request.types) > 0 && len(found.types) > 0 && overlap(request.types, found.types) == 0:
		e[otherModel] = 1
	case shared > 0:
		e[sameModel] = float64(shared) / float64(len(found.models))
		e[sameModel] = 0.5 + e[sameModel]/2
	case len(request.models) > 0 && len(found.models) > 0 && e[sameProduct] > 0 && !found.hasAnyFigure(request.models):
		const confused = 0.5 // people know less well whether it is the 12 or the 13
		e[otherModel] = confused
	}
}

// overlap returns the number of names that two sets share.
func overlap(a, b map[string]bool) (n int) {
	for name := range a {
		if b[name] {
			n++
		}
	}
	return n
}
