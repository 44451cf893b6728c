package photo_test

import (
	"slices"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/lost/photo"
)

func TestFactsAreSuggestedForWhatAnItemLacks(t *testing.T) {
	facts := photo.Facts{
		Category: lost.UmbrellaCategory, Colors: []photo.Color{"blue"}, Brand: "Knirps", Model: "T.200", Text: "Adler",
		Description: "A blue umbrella.",
	}
	all := []photo.Field{
		photo.CategoryField, photo.ColorField, photo.BrandField, photo.ModelField, photo.TextField,
		photo.DescriptionField,
	}
	i := lost.Item{Description: "Umbrella", Notes: "Wet\n"}
	if got := facts.MissingFrom(i); !slices.Equal(got, all) {
		t.Errorf("an item without facts lacks %v", got)
	}
	if got := (photo.Facts{}).MissingFrom(i); got != nil {
		t.Errorf("without facts, %v are missing", got)
	}
	for len(all) > 0 {
		p := facts.Accept(all[0], i, "bleu")
		if _, err := i.Update(p, now); err != nil {
			t.Fatal(err)
		}
		if all = all[1:]; !slices.Equal(facts.MissingFrom(i), all) {
			t.Errorf("the item lacks %v, want %v", facts.MissingFrom(i), all)
		}
	}
	if i.Category != lost.UmbrellaCategory || i.Color != "bleu" || i.Brand != "Knirps" || i.Model != "T.200" ||
		i.Notes != "Wet\nAdler" || i.Description != "Umbrella\nA blue umbrella." {
		t.Errorf("the item is %+v", i)
	}
}

func TestCodesAndColorsAreSuggestedForEmptyFields(t *testing.T) {
	serial := lost.PhotoCode{Format: lost.Code128, Text: "SN-1"}
	product := lost.PhotoCode{Format: lost.EAN13, Text: "4006381333931"}
	site := lost.PhotoCode{Format: lost.QRCode, Text: "https://example.com/p/1"}
	facts := []lost.PhotoFacts{
		{Colors: []lost.Color{lost.Red, lost.Blue}, Codes: []lost.PhotoCode{serial, product}},
		{Colors: []lost.Color{lost.Red, lost.Green, lost.Black}, Codes: []lost.PhotoCode{serial, site}},
	}
	red, blue, green := photo.Value{Field: photo.ColorField, Color: lost.Red},
		photo.Value{Field: photo.ColorField, Color: lost.Blue}, photo.Value{Field: photo.ColorField, Color: lost.Green}
	as := func(field photo.Field, c lost.PhotoCode) photo.Value { return photo.Value{Field: field, Code: c.Text} }
	external := []photo.Value{as(photo.ExternalIDField, product), as(photo.ExternalIDField, site)}
	for name, c := range map[string]struct {
		item lost.Item
		want []photo.Value
	}{
		"empty": {lost.Item{}, []photo.Value{
			red, blue, green, as(photo.SerialNumberField, serial), external[0], external[1],
		}},
		"colour and serial number": {lost.Item{Color: "mauve", SerialNumber: "X"}, []photo.Value{
			as(photo.ExternalIDField, serial), external[0], external[1],
		}},
		"same serial number": {lost.Item{Color: "mauve", SerialNumber: "SN-1"}, external},
		"both numbers":       {lost.Item{Color: "mauve", SerialNumber: "X", ExternalID: "Y"}, nil},
		"identity paper":     {lost.Item{Color: "mauve", Category: lost.PassportCategory}, nil},
	} {
		if got := photo.ValuesFor(c.item, facts...); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

func TestAValueIsWrittenOnlyToAnEmptyField(t *testing.T) {
	for field, filled := range map[photo.Field]lost.Item{
		photo.ColorField: {Color: "red"}, photo.SerialNumberField: {SerialNumber: "red"},
		photo.ExternalIDField: {ExternalID: "red"},
	} {
		p, stillEmpty, ok := photo.Fill(field, "blue")
		i := lost.Item{Description: "Umbrella", Source: lost.Found, Status: lost.Pending}
		if !ok || stillEmpty(i) != nil || lost.CodeOf(stillEmpty(filled)) != lost.PreconditionFailed {
			t.Errorf("%s: %t, %v, %v", field, ok, stillEmpty(i), stillEmpty(filled))
		}
		_, err := i.Update(p, now)
		if err != nil || i.Color+i.SerialNumber+i.ExternalID != "blue" || stillEmpty(i) != nil {
			t.Errorf("%s: the item is %+v, %v", field, i, err)
		}
	}
	if _, _, ok := photo.Fill(photo.BrandField, "x"); ok {
		t.Error("a code is written to the brand")
	}
}

func TestOnlyChangesOfWhatAllowedReadsAreChecked(t *testing.T) {
	before := lost.Item{Description: "Bag"}
	for name, i := range map[string]lost.Item{
		"Category": {Description: "Bag", Category: lost.BagCategory}, "Description": {Description: "Case"},
		"Brand": {Description: "Bag", Brand: "x"}, "Model": {Description: "Bag", Model: "x"},
		"Notes": {Description: "Bag", Notes: "x"}, "Language": {Description: "Bag", Language: "de"},
		"Claim.Proof": {Description: "Bag", Claim: lost.Claim{Proof: "x"}},
	} {
		if !photo.MayForbid(before, i) {
			t.Errorf("a change of %s is not checked", name)
		}
	}
	if photo.MayForbid(before, lost.Item{Description: "Bag", StoragePlace: "Shelf", Color: "red"}) {
		t.Error("a change of the storage place is checked")
	}
}
