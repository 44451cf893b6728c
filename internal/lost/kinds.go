package lost

import (
	"slices"
	"strings"
)

// LocationType says what sort of place a location is.
type LocationType string

// DefaultLocationType is that of a location created without one.
const DefaultLocationType LocationType = "hotel"

// LocationTypes lists the allowed types.
func LocationTypes() []LocationType {
	return []LocationType{
		"airline", "airport", "amusement-park", "event", "city-government", "golf-course", "hospital",
		"hotel", "transportation", "restaurant", "shopping-mall", "zoo", "other",
	}
}

// WeightUnit is the unit of a weight.
type WeightUnit string

// The weight units. DefaultWeightUnit is used where a shipment names none.
const (
	Pound    WeightUnit = "lb"
	Kilogram WeightUnit = "kg"
	Ounce    WeightUnit = "oz"
	Gram     WeightUnit = "g"

	DefaultWeightUnit = Kilogram
)

// WeightUnits lists the allowed units.
func WeightUnits() []WeightUnit { return []WeightUnit{Pound, Kilogram, Ounce, Gram} }

// Grams converts a weight in this unit.
func (u WeightUnit) Grams(weight float64) float64 {
	switch u {
	case Pound:
		return weight * 453.59237
	case Ounce:
		return weight * 28.349523125
	case Gram:
		return weight
	default:
		return weight * 1000
	}
}

// BoxType names a packaging box.
type BoxType string

// Box is a packaging box and its outer size in centimetres.
type Box struct {
	Type                 BoxType
	Name                 string
	Length, Width, Depth int
}

// Boxes lists the packaging boxes; there are no others.
func Boxes() []Box {
	return []Box{
		{"letter", "Letter", 33, 23, 3},
		{"flat", "Flat box", 33, 23, 6},
		{"shoe", "Shoe box", 40, 20, 20},
		{"moving", "Moving box", 60, 40, 40},
		{"long", "Long box", 100, 20, 20},
	}
}

// BoxTypes lists the allowed values of an item's box.
func BoxTypes() []BoxType {
	var types []BoxType
	for _, b := range Boxes() {
		types = append(types, b.Type)
	}
	return types
}

// Source says whether an item was found or reported lost.
type Source string

// An item was found by the location, or is reported lost by a claimant.
const (
	Found   Source = "found"
	Request Source = "request"
)

// Sources lists the allowed sources.
func Sources() []Source { return []Source{Found, Request} }

// oneOf checks an enumeration.
func oneOf[T ~string](c *check, f Field[string], field string, allowed []T, dst *T) {
	if !f.Sent || c.Has(field) {
		return
	}
	if f.Null {
		*dst = ""
		return
	}
	if !slices.Contains(allowed, T(f.Value)) {
		c.Add(field, "not-allowed", "must be one of %s", Quoted(allowed))
		return
	}
	*dst = T(f.Value)
}

// Quoted lists values for a message.
func Quoted[T ~string](values []T) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = `"` + string(v) + `"`
	}
	return strings.Join(parts, ", ")
}
