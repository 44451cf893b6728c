package frame

import (
	"net/url"
	"slices"

	"homeward/internal/lost"
	"homeward/internal/lost/photo"
)

// PhotoSuggestions are the facts that the photo assistant suggests for an item, one button each.
type PhotoSuggestions struct {
	Base  string // the path of the item's page
	Model string // what has seen the photo
	Back  string // the page to return to; empty for the item's page
	Facts []SuggestedFact
}

// SuggestedFact is one fact that the photo assistant suggests.
type SuggestedFact struct {
	Field, Label, Value string

	// Fill is the value of the field in a form. It is empty if the fact is added to what the field contains.
	Fill string
}

// Suggests reports whether there is a fact for a field.
func (s *PhotoSuggestions) Suggests(field string) bool {
	return s != nil && slices.ContainsFunc(s.Facts, func(f SuggestedFact) bool { return f.Field == field })
}

// RemoveField returns the suggestions without the fact for a field. It is nil if there is no other fact.
func (s *PhotoSuggestions) RemoveField(field string) *PhotoSuggestions {
	if !s.Suggests(field) {
		return s
	}
	rest := *s
	rest.Facts = slices.DeleteFunc(slices.Clone(s.Facts), func(f SuggestedFact) bool { return f.Field == field })
	if len(rest.Facts) == 0 {
		return nil
	}
	return &rest
}

// Chips returns the facts that can be written into the fields of a form.
func (s *PhotoSuggestions) Chips(l Locale) (chips []PhotoChip) {
	if s == nil {
		return nil
	}
	for _, f := range s.Facts {
		if f.Fill != "" {
			text := l.Say("frame.photo-fact.chip", "field", f.Label, "value", f.Value)
			chips = append(chips, PhotoChip{f.Field, f.Fill, text})
		}
	}
	return chips
}

// SuggestedByPhoto returns what the photo assistant suggests for an item: facts for empty fields, and texts that the
// item does not contain yet. It is nil if there is nothing.
func (c *Call) SuggestedByPhoto(i lost.Item) (*PhotoSuggestions, error) {
	facts, model, err := c.Services.Assistant.Suggested(c.Context(), c.Actor(), i)
	if err != nil {
		return nil, err
	}
	missing := facts.MissingFrom(i)
	if len(missing) == 0 {
		return nil, nil //nolint:nilnil // most items have no suggestions
	}
	s := &PhotoSuggestions{Base: ItemPath(i), Model: model}
	for _, field := range missing {
		s.Facts = append(s.Facts, suggestedFact(c.Locale, facts, field))
	}
	return s, nil
}

// suggestedFact returns the fact for a field as pages show it.
func suggestedFact(l Locale, f photo.Facts, field photo.Field) SuggestedFact {
	fact := SuggestedFact{Field: string(field), Label: l.FieldLabel(string(field))}
	switch field {
	case photo.CategoryField:
		fact.Value, fact.Fill = l.CategoryName(f.Category), string(f.Category)
	case photo.ColorField:
		fact.Value = colorNames(l, f.Colors)
		fact.Fill = fact.Value
	case photo.BrandField:
		fact.Value, fact.Fill = f.Brand, f.Brand
	case photo.ModelField:
		fact.Value, fact.Fill = f.Model, f.Model
	case photo.TextField:
		fact.Label, fact.Value = l.Say("assistant.text"), f.Text
	case photo.DescriptionField:
		fact.Value = f.Description
	}
	return fact
}

func colorNames(l Locale, colors []photo.Color) string {
	names := make([]string, len(colors))
	for n, c := range colors {
		names[n] = l.Say("assistant.color." + string(c))
	}
	return l.Enumerate(names...)
}

// AcceptByPhoto returns the change that accepts a suggestion of the photo assistant. The form names its field and
// value, which must still be suggested; otherwise it returns a Conflict error.
func (c *Call) AcceptByPhoto(i lost.Item, values url.Values) (lost.ItemPatch, error) {
	facts, _, err := c.Services.Assistant.Suggested(c.Context(), c.Actor(), i)
	if err != nil {
		return lost.ItemPatch{}, err
	}
	field := photo.Field(values.Get("field"))
	if !slices.Contains(facts.MissingFrom(i), field) ||
		suggestedFact(c.Locale, facts, field).Value != values.Get("value") {
		return lost.ItemPatch{}, c.NewError(lost.Conflict, "assistant.gone")
	}
	return facts.Accept(field, i, colorNames(c.Locale, facts.Colors)), nil
}
