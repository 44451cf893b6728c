package lost

import (
	"slices"
	"strings"
)

// LocationType is the type of a location, such as hotel.
type LocationType string

// DefaultLocationType is the type of a location that was created without one.
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

// The weight units. DefaultWeightUnit is used if a shipment has no unit.
const (
	Pound    WeightUnit = "lb"
	Kilogram WeightUnit = "kg"
	Ounce    WeightUnit = "oz"
	Gram     WeightUnit = "g"

	DefaultWeightUnit = Kilogram
)

// WeightUnits lists the allowed units.
func WeightUnits() []WeightUnit { return []WeightUnit{Pound, Kilogram, Ounce, Gram} }

// Grams converts a weight in this unit to grams.
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

// Boxes lists all packaging boxes.
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

// Source tells whether an item was found or reported as lost.
type Source string

// The sources of an item: found at the location, or reported lost by a claimant.
const (
	Found   Source = "found"
	Request Source = "request"
)

// Sources lists the allowed sources.
func Sources() []Source { return []Source{Found, Request} }

// oneOf sets a field that must have one of the allowed values, or adds a problem. Null and an empty string clear the
// field.
func oneOf[T ~string](c *check, f Field[string], field string, allowed []T, dst *T) {
	if !f.Sent || c.Has(field) {
		return
	}
	if isEmpty(f) {
		*dst = ""
		return
	}
	if !slices.Contains(allowed, T(f.Value)) {
		c.Add(field, "not-allowed", "must be one of %s", Quoted(allowed))
		return
	}
	*dst = T(f.Value)
}

// Quoted returns a quoted, comma-separated list of values for a message.
func Quoted[T ~string](values []T) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = `"` + string(v) + `"`
	}
	return strings.Join(parts, ", ")
}
