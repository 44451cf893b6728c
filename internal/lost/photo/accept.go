package photo

import (
	"slices"
	"strings"

	"homeward/internal/lost"
)

// Field is a field of an item for which photos suggest values. Its name is that in the API; TextField is added to the
// notes.
type Field string

// The fields.
const (
	CategoryField     Field = "category"
	ColorField        Field = "color"
	BrandField        Field = "brand"
	ModelField        Field = "model"
	TextField         Field = "text"
	DescriptionField  Field = "description"
	SerialNumberField Field = "serialNumber"
	ExternalIDField   Field = "externalId"
)

// MissingFrom returns the fields of the facts that an item lacks, in the order in which pages show them: those that are
// empty, and texts that the item does not contain.
func (f Facts) MissingFrom(i lost.Item) (fields []Field) {
	for _, fact := range []struct {
		field  Field
		exists bool
		known  bool
	}{
		{CategoryField, f.Category != "", i.Category != ""},
		{ColorField, len(f.Colors) > 0, i.Color != ""},
		{BrandField, f.Brand != "", i.Brand != ""},
		{ModelField, f.Model != "", i.Model != ""},
		{TextField, f.Text != "", strings.Contains(i.Description+"\n"+i.Notes, f.Text)},
		{DescriptionField, f.Description != "", strings.Contains(i.Description, f.Description)},
	} {
		if fact.exists && !fact.known {
			fields = append(fields, fact.field)
		}
	}
	return fields
}

// Accept returns the change that accepts the fact for a field of an item. A text is added to what the field contains.
// The names of the colours depend on the language.
func (f Facts) Accept(field Field, i lost.Item, colors string) (p lost.ItemPatch) {
	switch field {
	case CategoryField:
		p.Category = lost.Set(string(f.Category))
	case ColorField:
		p.Color = lost.Set(colors)
	case BrandField:
		p.Brand = lost.Set(f.Brand)
	case ModelField:
		p.Model = lost.Set(f.Model)
	case TextField:
		p.Notes = lost.Set(addLine(i.Notes, f.Text))
	case DescriptionField:
		p.Description = lost.Set(addLine(i.Description, f.Description))
	}
	p.Seen = i.UpdatedAt
	return p
}

// addLine adds a line to a text that may be empty.
func addLine(text, line string) string {
	return strings.TrimSpace(strings.TrimRight(text, "\n") + "\n" + line)
}

// Value is a value that a photo shows for a field: a colour, or the text of a code.
type Value struct {
	Field Field
	Color lost.Color
	Code  string
}

// ValuesFor returns what photos show for the empty fields of an item, without repetitions. The first photo is the main
// photo.
func ValuesFor(i lost.Item, photos ...lost.PhotoFacts) (values []Value) {
	add := func(v Value, limit int) {
		if len(values) < limit && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	for _, p := range photos {
		for _, color := range p.Colors {
			if i.Color == "" {
				add(Value{Field: ColorField, Color: color}, lost.MaxPhotoColors)
			}
		}
	}
	limit := len(values) + lost.MaxPhotoCodes
	for _, p := range photos {
		for _, code := range p.Codes {
			if field := fieldOfCode(i, code); field != "" {
				add(Value{Field: field, Code: code.Text}, limit)
			}
		}
	}
	return values
}

// fieldOfCode returns the empty field of an item that a code may be written to: its serial number or, for a product
// code, a web address and a second code, the id in another system. Codes of identity papers are not written anywhere.
func fieldOfCode(i lost.Item, code lost.PhotoCode) Field {
	switch {
	case i.Category.IsIdentity(), code.Text == i.SerialNumber, code.Text == i.ExternalID:
		return ""
	case i.SerialNumber == "" && !code.Format.IsProduct() && !strings.Contains(code.Text, "://"):
		return SerialNumberField
	case i.ExternalID == "":
		return ExternalIDField
	}
	return ""
}

// Fill returns the change that writes a value that a photo shows into a field of an item, and the condition that the
// field is still empty. It returns false for other fields than those of ValuesFor.
func Fill(field Field, value string) (p lost.ItemPatch, stillEmpty lost.Condition[lost.Item], ok bool) {
	var current func(lost.Item) string
	switch field {
	case ColorField:
		p.Color, current = lost.Set(value), func(i lost.Item) string { return i.Color }
	case SerialNumberField:
		p.SerialNumber, current = lost.Set(value), func(i lost.Item) string { return i.SerialNumber }
	case ExternalIDField:
		p.ExternalID, current = lost.Set(value), func(i lost.Item) string { return i.ExternalID }
	default:
		return p, nil, false
	}
	return p, func(i lost.Item) error {
		if has := current(i); has != "" && has != value {
			return lost.E(lost.PreconditionFailed, "The field has a value.")
		}
		return nil
	}, true
}
