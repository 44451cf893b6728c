package lost

import (
	"slices"
	"strings"
	"time"
	"unicode"
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

// Category tells what kind of thing an item is, such as an umbrella. It is empty if nobody has chosen one.
type Category string

// The categories. OtherCategory is for items that no other category fits.
const (
	PhoneCategory       Category = "phone"
	LaptopCategory      Category = "laptop"
	TabletCategory      Category = "tablet"
	HeadphonesCategory  Category = "headphones"
	ChargerCategory     Category = "charger"
	CameraCategory      Category = "camera"
	ElectronicsCategory Category = "electronics"
	WalletCategory      Category = "wallet"
	KeysCategory        Category = "keys"
	CardCategory        Category = "card"
	DocumentCategory    Category = "document"
	PassportCategory    Category = "passport"
	MoneyCategory       Category = "money"
	JewelleryCategory   Category = "jewellery"
	WatchCategory       Category = "watch"
	GlassesCategory     Category = "glasses"
	ClothingCategory    Category = "clothing"
	ShoesCategory       Category = "shoes"
	HatCategory         Category = "hat"
	ScarfCategory       Category = "scarf"
	GlovesCategory      Category = "gloves"
	BagCategory         Category = "bag"
	SuitcaseCategory    Category = "suitcase"
	UmbrellaCategory    Category = "umbrella"
	ToyCategory         Category = "toy"
	BookCategory        Category = "book"
	MedicalCategory     Category = "medical"
	CosmeticsCategory   Category = "cosmetics"
	BottleCategory      Category = "bottle"
	SportCategory       Category = "sport"
	BicycleCategory     Category = "bicycle"
	InstrumentCategory  Category = "instrument"
	ToolCategory        Category = "tool"
	FoodCategory        Category = "food"
	OtherCategory       Category = "other"
)

// Categories lists all categories in the order in which people choose one.
func Categories() []Category {
	return []Category{
		PhoneCategory, LaptopCategory, TabletCategory, HeadphonesCategory, ChargerCategory, CameraCategory,
		ElectronicsCategory, WalletCategory, KeysCategory, CardCategory, DocumentCategory, PassportCategory,
		MoneyCategory, JewelleryCategory, WatchCategory, GlassesCategory, ClothingCategory, ShoesCategory, HatCategory,
		ScarfCategory, GlovesCategory, BagCategory, SuitcaseCategory, UmbrellaCategory, ToyCategory, BookCategory,
		MedicalCategory, CosmeticsCategory, BottleCategory, SportCategory, BicycleCategory, InstrumentCategory,
		ToolCategory, FoodCategory, OtherCategory,
	}
}

// IsIdentity reports whether items of the category are identity papers or payment cards. Their numbers and photos are
// hidden where they are not needed.
func (c Category) IsIdentity() bool {
	return c == PassportCategory || c == CardCategory || c == DocumentCategory
}

// maskedDigits is how many characters at the end of a number are not masked.
const maskedDigits = 4

// SerialKey returns a serial number as it is compared with others: without spaces, dashes and invisible characters, in
// lower case. It is stored, so a change needs a migration.
func SerialKey(number string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.In(r, unicode.Pd, unicode.Cf) || r == '\u2212' { // U+2212 is the minus sign
			return -1
		}
		return r
	}, number))
}

// MaskNumber hides all characters of a number but the last four. A shorter number is hidden altogether.
func MaskNumber(number string) string {
	const mask = "••••"
	var plain []rune
	for _, r := range number {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			plain = append(plain, r)
		}
	}
	switch {
	case number == "":
		return ""
	case strings.HasPrefix(number, mask) && len(plain) <= maskedDigits: // it is masked already
		return number
	case len(plain) <= maskedDigits:
		return mask
	default:
		return mask + string(plain[len(plain)-maskedDigits:])
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

// CategoryRun is a background run that gives items without a category the suggested one.
type CategoryRun struct {
	Account   string
	ID        string
	State     CategoryRunState
	Position  string // id of the last item that was read, or whose category was undone
	Total     int    // number of items without a category when it began, up to MaxBoundedTotal
	Checked   int
	Changed   int
	Undone    int // number of items that have no category again; the others were changed since
	By        Actor
	CreatedAt time.Time
	EndedAt   time.Time
}

// CategoryRunState is the progress of a CategoryRun.
type CategoryRunState string

// The states of a CategoryRun.
const (
	CategoriesRunning CategoryRunState = "running"
	CategoriesSet     CategoryRunState = "done"
	CategoriesUndoing CategoryRunState = "undoing"
	CategoriesUndone  CategoryRunState = "undone"
)

// Active reports whether the run, or its undoing, is in progress.
func (r CategoryRun) Active() bool {
	return r.State == CategoriesRunning || r.State == CategoriesUndoing
}

// NewCategoryRun returns a new run.
func NewCategoryRun(by Actor, total int, now time.Time) CategoryRun {
	return CategoryRun{
		Account: by.Account, ID: NewID(CategoryRunID, now), State: CategoriesRunning, Total: total, By: by,
		CreatedAt: now,
	}
}

// Undo begins to undo a run. A run that is in progress stops.
func (r *CategoryRun) Undo() error {
	if r.State != CategoriesRunning && r.State != CategoriesSet {
		return E(WrongState, "These categories were already undone.")
	}
	r.State, r.Position, r.EndedAt = CategoriesUndoing, "", time.Time{}
	return nil
}
