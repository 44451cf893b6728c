package match

// Aspect is a property that can be compared. Like Fit, it is a plain string, so that code that displays it does not
// need to import this package.
type Aspect = string

// The aspects.
const (
	What    Aspect = "what"
	Sort    Aspect = "category"
	Maker   Aspect = "brand"
	Version Aspect = "model"
	Hue     Aspect = "colour"
	Where   Aspect = "place"
	When    Aspect = "day"
)

// Fit is the result of comparing an aspect of a found item with that of a request.
type Fit = string

// The results of a comparison. There is no result if the item or the request does not have the aspect.
const (
	Fits   Fit = "same"
	Nearly Fit = "nearly"
	Differ Fit = "other"
)

// Contrast compares the aspects of a found item with those of a request.
func Contrast(request, found Profile) map[Aspect]Fit {
	e, ok := compare(request, found, Counts{}.rarity)
	if !ok {
		return map[Aspect]Fit{When: Differ}
	}
	fits := map[Aspect]Fit{}
	note := func(a Aspect, same, nearly, other bool) {
		switch {
		case same:
			fits[a] = Fits
		case nearly:
			fits[a] = Nearly
		case other:
			fits[a] = Differ
		}
	}
	note(What, e[sameKind] > 0, e[sameFamily] > 0, e[otherKind] > 0)
	note(Sort, e[sameCategory] > 0, false, e[otherCategory] > 0)
	note(Maker, e[sameBrand] > 0, false, e[otherBrand] > 0)
	note(Version, e[sameModel] > 0, false, e[otherModel] > 0)
	note(Hue, e[sameColour] > 0.85 && e[strayColour] < 0.2, e[otherColour] == 0 && e[sameColour] > 0,
		e[otherColour] > 0)
	// Different rooms are different places, even if both are described with the same words.
	note(Where, e[otherRoom] == 0 && (e[samePlace] >= 0.5 || e[sameRoom] > 0), e[otherRoom] == 0 && e[samePlace] > 0,
		e[otherRoom] > 0)
	if request.day > 0 && found.day > 0 {
		const days = 2
		apart := found.day - request.day
		note(When, apart >= -DaysBefore && apart <= days, true, false)
	}
	return fits
}
