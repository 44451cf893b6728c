package photo_test

import (
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/photo"
)

var now = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func TestCleanKeepsWhatAFieldMayContain(t *testing.T) {
	want := photo.Facts{
		Category: lost.UmbrellaCategory, Colors: []photo.Color{"blue", "white"}, Brand: "Knirps", Model: "T.200 XM-4",
		Text: "Grand Hôtel 1907 – Zürich", Description: "A blue umbrella with white dots and a wooden handle.",
	}
	got := photo.Facts{
		Category: "umbrella", Colors: []photo.Color{" Blue", "white", "blue", "mauve"}, Brand: " Knirps\n",
		Model: "T.200  XM-4", Text: "Grand Hôtel\n1907 – Zürich", Description: want.Description,
	}.Clean()
	if got.Category != want.Category || len(got.Colors) != 2 || got.Colors[0] != "blue" || got.Colors[1] != "white" ||
		got.Brand != want.Brand || got.Model != want.Model || got.Text != want.Text ||
		got.Description != want.Description || got.Empty() {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestCleanRemovesWhatIsNotAFact(t *testing.T) {
	for _, text := range []string{
		"", "  ", "None", "n/a", "Unknown.", "(no visible text)", "—", "...",
		"see https://evil.example/x", "HTTP://1.2.3.4/", "www.example", "go to evil.com now", "javascript:alert(1)",
		"anna@example.com", "anna (at) example com", "call +49 30 1234567", "0 3 0 / 123 45 67", "٠٣٠١٢٣٤٥٦٧",
		"4111 1111 1111 1111", "<b>bold</b>", "{{.Secret}}", "a\x00b", "a\u202eb", "a\u200bb", "\ufffd", "a\xffb",
		"`rm -rf`", `C:\x`, strings.Repeat("very ", 100) + "long",
	} {
		f := photo.Facts{Brand: text, Model: text, Text: text, Description: text}.Clean()
		if !f.Empty() {
			t.Errorf("%q became %+v", text, f)
		}
	}
	f := photo.Facts{
		Category: "weapon", Colors: []photo.Color{"red", "blue", "green", "black", "see www.example"},
	}.Clean()
	if f.Category != "" || len(f.Colors) != 3 {
		t.Errorf("got %+v", f)
	}
}

func TestReportsAboutFacesAndPapersAreDiscarded(t *testing.T) {
	for _, r := range []photo.Report{
		{Face: true}, {IdentityPaper: true}, {Facts: photo.Facts{Category: lost.PassportCategory}},
		{Facts: photo.Facts{Category: lost.CardCategory}}, {Facts: photo.Facts{Category: lost.DocumentCategory}},
	} {
		if !r.Discard() {
			t.Errorf("%+v is kept", r)
		}
	}
	if (photo.Report{Facts: photo.Facts{Category: lost.MoneyCategory}}).Discard() {
		t.Error("a report about money is discarded")
	}
}

func TestPhotosOfIdentityPapersAreNotAllowed(t *testing.T) {
	for _, description := range []string{
		"Passport", "Wallet with passport", "driving licence", "a visa card", "Key card, room 12", "boarding pass",
		"Geldbörse mit Personalausweis", "Schwarze Jacke, Führerschein in der Tasche", "carte d'identité",
		"Portefeuille et carte bancaire", "cartera con pasaporte", "carta d'identità", "paspoort in hoesje",
		"dowód osobisty", "carteira com passaporte", "パスポート", "黒い財布とパスポート", "护照", "红色钱包和护照",
	} {
		if photo.Allowed(lost.Item{Description: description}) {
			t.Errorf("%q is allowed", description)
		}
	}
	for _, i := range []lost.Item{
		{Description: "Black case", Category: lost.PassportCategory},
		{Description: "Case", Notes: "a passport is inside"},
		{Description: "Bag", Claim: lost.Claim{Proof: "my driving licence is in it"}},
		{Description: "Case", Model: "passport"},
		{Description: "Something", Category: lost.DocumentCategory},
		{Description: "Plastic", Category: lost.CardCategory},
		{Description: "Bag", Notes: strings.Repeat("very ", 900) + "old passport"},
		{Description: "Bag", Notes: strings.Repeat("word ", 2000) + "passport"}, // too long to read
		{Description: "Bag", Notes: strings.Repeat("黒", 2000)},
		{Description: "Sac", Notes: "avec un titre de séjour"}, {Description: "Borsa", Notes: "permesso di soggiorno"},
		{Description: "Bolsa", Claim: lost.Claim{Proof: "mi permiso de residencia"}},
	} {
		if photo.Allowed(i) {
			t.Errorf("%+v is allowed", i)
		}
	}
	for description, may := range map[string]bool{
		"Something": false, "": false, "xyzzy": false, "Umbrella": true, "Wallet with passport": false,
	} {
		if photo.MaySend(lost.Item{Description: description}) != may {
			t.Errorf("%q may be sent: %t", description, !may)
		}
	}
	if !photo.MaySend(lost.Item{Description: "xyzzy", Category: lost.BagCategory}) ||
		photo.MaySend(lost.Item{Description: "xyzzy", Category: lost.PassportCategory}) {
		t.Error("the category does not decide")
	}
	for _, description := range []string{
		"Black umbrella", "Samsung phone with a cracked screen", "Brown leather wallet", "Red paper bag",
		"Blue notebook",
		"room key", "Kinderbuch", "scarf from Burberry", "黒い財布", "红色的雨伞",
	} {
		if !photo.Allowed(lost.Item{Description: description}) {
			t.Errorf("%q is not allowed", description)
		}
	}
}
