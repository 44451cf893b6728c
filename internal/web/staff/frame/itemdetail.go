package frame

import (
	"net/url"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// DetailField is a text field that describes an item.
type DetailField struct {
	Name        string
	Suggestions string // the ID of the list of suggestions in the form to record a found item; empty if there is none
}

// DetailFields lists the fields that describe an item in addition to its description, in the order of the forms. The
// form to record a found item, the item's page, its form and the labels in its history are generated from this list.
var DetailFields = []DetailField{
	{"brand", "brands"},
	{"model", "models"},
	{"color", "colors"},
	{"serialNumber", ""},
}

// Value returns the field's value in an item.
func (f DetailField) Value(i lost.Item) string { return *f.field().Text(&i) }

// Set sets the field's value in a patch.
func (f DetailField) Set(p *lost.ItemPatch, value lost.Field[string]) { *f.field().Patch(p) = value }

func (f DetailField) field() *lost.ItemField {
	all := lost.ItemFields()
	for n := range all {
		if all[n].Name == f.Name {
			return &all[n]
		}
	}
	panic("lost.Item has no field " + f.Name)
}

// CategoryName returns the name of a category, or an empty string if none was chosen.
func (l Locale) CategoryName(c lost.Category) string {
	if c == "" {
		return ""
	}
	return l.Say("common.category." + string(c))
}

// CategoryInput returns the list to choose an item's category from.
func (l Locale) CategoryInput(value string) *Input {
	return &Input{
		Name: "category", Label: l.FieldLabel("category"), Type: "list", Value: value,
		Options: []Option{{"", l.Say("frame.category.none")}}, Groups: groupCategories(l),
	}
}

// groupCategories lists all categories in groups. The groups have the order of lost.Categories.
func groupCategories(l Locale) (groups []OptionGroup) {
	headings := map[lost.Category]string{ // by the first category of the group
		lost.PhoneCategory:   l.Say("frame.category.electronics"),
		lost.WalletCategory:  l.Say("frame.category.valuables"),
		lost.WatchCategory:   l.Say("frame.category.clothes"),
		lost.BagCategory:     l.Say("frame.category.bags"),
		lost.MedicalCategory: l.Say("frame.category.more"),
	}
	var members [][]lost.Category
	for _, c := range lost.Categories() {
		if name, first := headings[c]; first {
			groups = append(groups, OptionGroup{Name: name})
			members = append(members, nil)
		}
		last := len(members) - 1
		members[last] = append(members[last], c)
	}
	for n := range groups {
		groups[n].Options = categoryOptions(l, members[n])
	}
	return groups
}

// CategoryOptions lists all categories by name, without groups.
func (l Locale) CategoryOptions() []Option { return categoryOptions(l, lost.Categories()) }

func categoryOptions(l Locale, categories []lost.Category) (options []Option) {
	for _, c := range i18n.SortCategories(l.Language, categories) {
		options = append(options, Option{string(c), l.CategoryName(c)})
	}
	return options
}

// ValueInput returns the input for what an item is worth, in a currency.
func (l Locale) ValueInput(value, currency string) *Input {
	return &Input{
		Name: "value", Label: l.FieldLabel("value"), Type: "text", Value: value, Narrow: true, Keyboard: "decimal",
		Autocomplete: "off", Hint: l.Say("frame.value.hint", "currency", currency),
	}
}

// FinderInputs returns the inputs for the person who handed an item in.
func (l Locale) FinderInputs(values url.Values) []*Input {
	input := func(name, kind string) *Input {
		return &Input{
			Name: name, Label: l.FieldLabel(name), Type: kind, Value: values.Get(name), Autocomplete: "off",
		}
	}
	inputs := []*Input{
		input("finder.name", "text"), input("finder.email", "email"), input("finder.phone", "tel"),
		input("finder.wantsReward", "check"), input("finder.claimsItem", "check"),
	}
	inputs[0].Hint = l.Say("frame.finder.hint")
	return inputs
}

// FinderValues returns what FinderInputs shows for a finder.
func FinderValues(f lost.Finder) url.Values {
	values := url.Values{"finder.name": {f.Name}, "finder.email": {f.Email}, "finder.phone": {f.Phone}}
	if f.WantsReward {
		values.Set("finder.wantsReward", "yes")
	}
	if f.ClaimsItem {
		values.Set("finder.claimsItem", "yes")
	}
	return values
}

// ReadFinder reads the inputs for the finder from a form. Empty inputs clear the fields.
func ReadFinder(values url.Values) lost.FinderPatch {
	text := func(name string) lost.Field[string] { return FormField(values, name) }
	return lost.FinderPatch{
		Name: text("finder.name"), Email: text("finder.email"), Phone: text("finder.phone"),
		WantsReward: lost.Set(values.Get("finder.wantsReward") != ""),
		ClaimsItem:  lost.Set(values.Get("finder.claimsItem") != ""),
	}
}

// ReadValue reads what an item is worth from a form. An empty input clears the value.
func (l Locale) ReadValue(values url.Values, currency string, problems *lost.Problems) lost.Field[lost.ValuePatch] {
	text := values.Get("value")
	if text == "" {
		return lost.Clear[lost.ValuePatch]()
	}
	before := len(*problems)
	amount := ReadAmount(l, text, "value", currency, problems)
	if len(*problems) > before {
		return lost.Field[lost.ValuePatch]{}
	}
	return lost.Value{Amount: amount, Currency: currency}.Patch()
}
