package frame

import (
	"net/url"
	"slices"
	"strings"

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

// The fields of facts. Text is added to the notes.
const (
	categoryFact    = "category"
	colorFact       = "color"
	textFact        = "text"
	descriptionFact = "description"
)

// SuggestedByPhoto returns what the photo assistant suggests for an item: facts for empty fields, and texts that the
// item does not contain yet. It is nil if there is nothing.
func (c *Call) SuggestedByPhoto(i lost.Item) (*PhotoSuggestions, error) {
	facts, model, err := c.Services.Assistant.Suggested(c.Context(), c.Actor(), i)
	if err != nil || facts.Empty() {
		return nil, err
	}
	s := &PhotoSuggestions{Base: ItemPath(i), Model: model}
	for _, f := range suggestedFacts(c.Locale, facts) {
		if !f.isKnown(i) {
			s.Facts = append(s.Facts, f.SuggestedFact)
		}
	}
	if len(s.Facts) == 0 {
		return nil, nil
	}
	return s, nil
}

// fact is a fact, and what accepting it changes.
type fact struct {
	SuggestedFact
	isKnown func(lost.Item) bool
	accept  func(lost.Item) lost.ItemPatch
}

// suggestedFacts returns the facts that exist, in the order in which pages show them.
func suggestedFacts(l Locale, f photo.Facts) (facts []fact) {
	add := func(field, label, value string, known func(lost.Item) bool, accept func(lost.Item) lost.ItemPatch) {
		if value == "" {
			return
		}
		fill := value
		switch field {
		case categoryFact:
			fill = string(f.Category)
		case textFact, descriptionFact:
			fill = ""
		}
		facts = append(facts, fact{SuggestedFact{field, label, value, fill}, known, accept})
	}
	if f.Category != "" {
		add(categoryFact, l.FieldLabel(categoryFact), l.CategoryName(f.Category),
			func(i lost.Item) bool { return i.Category != "" },
			func(lost.Item) lost.ItemPatch { return lost.ItemPatch{Category: lost.Set(string(f.Category))} })
	}
	colors := make([]string, len(f.Colors))
	for n, c := range f.Colors {
		colors[n] = l.Say("assistant.color." + string(c))
	}
	color := l.Enumerate(colors...)
	add(colorFact, l.FieldLabel(colorFact), color, func(i lost.Item) bool { return i.Color != "" },
		func(lost.Item) lost.ItemPatch { return lost.ItemPatch{Color: lost.Set(color)} })
	add("brand", l.FieldLabel("brand"), f.Brand, func(i lost.Item) bool { return i.Brand != "" },
		func(lost.Item) lost.ItemPatch { return lost.ItemPatch{Brand: lost.Set(f.Brand)} })
	add("model", l.FieldLabel("model"), f.Model, func(i lost.Item) bool { return i.Model != "" },
		func(lost.Item) lost.ItemPatch { return lost.ItemPatch{Model: lost.Set(f.Model)} })
	add(textFact, l.Say("assistant.text"), f.Text,
		func(i lost.Item) bool { return strings.Contains(i.Description+"\n"+i.Notes, f.Text) },
		func(i lost.Item) lost.ItemPatch { return lost.ItemPatch{Notes: lost.Set(addLine(i.Notes, f.Text))} })
	add(descriptionFact, l.FieldLabel(descriptionFact), f.Description,
		func(i lost.Item) bool { return strings.Contains(i.Description, f.Description) },
		func(i lost.Item) lost.ItemPatch {
			return lost.ItemPatch{Description: lost.Set(addLine(i.Description, f.Description))}
		})
	return facts
}

// addLine adds a line to a text that may be empty.
func addLine(text, line string) string {
	return strings.TrimSpace(strings.TrimRight(text, "\n") + "\n" + line)
}

// AcceptByPhoto returns the change that accepts a suggestion of the photo assistant. The form names its field and
// value, which must still be suggested; otherwise it returns a Conflict error.
func (c *Call) AcceptByPhoto(i lost.Item, values url.Values) (lost.ItemPatch, error) {
	facts, _, err := c.Services.Assistant.Suggested(c.Context(), c.Actor(), i)
	if err != nil {
		return lost.ItemPatch{}, err
	}
	all := suggestedFacts(c.Locale, facts)
	n := slices.IndexFunc(all, func(f fact) bool { return f.Field == values.Get("field") })
	if n < 0 || all[n].isKnown(i) || all[n].Value != values.Get("value") {
		return lost.ItemPatch{}, c.NewError(lost.Conflict, "assistant.gone")
	}
	p := all[n].accept(i)
	p.Seen = i.UpdatedAt
	return p, nil
}
