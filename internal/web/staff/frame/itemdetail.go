package frame

import (
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
