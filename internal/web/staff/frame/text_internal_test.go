package frame

import (
	"fmt"
	"mime"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

func TestEveryActionMessageLikelihoodAndStatusHasAText(t *testing.T) {
	english := English()
	for _, k := range lost.MessageKinds() {
		if !english.Has(messagePrefix + string(k)) {
			t.Errorf("the message %s has no name", k)
		}
	}
	for _, l := range lost.Likelihoods() {
		if describeLikelihood(english, l).Word == "" {
			t.Errorf("the likelihood %s has no text", l)
		}
	}
	for _, action := range lost.Actions() {
		switch action {
		case lost.Moved, lost.Updated, lost.Sent, lost.Kept, lost.Failed: // their texts depend on the entry
		default:
			if !english.Has(actionPrefix + string(action)) {
				t.Errorf("the action %s has no text", action)
			}
		}
	}
	for _, s := range lost.Statuses() {
		if w := english.StatusState(s); w.Word == string(s) || w.Shape == "" {
			t.Errorf("status %s: got %+v", s, w)
		}
	}
	for _, r := range append(lost.Roles(), lost.PublishableRole) {
		if english.RoleText(r).Description == "" {
			t.Errorf("the role %s has no text", r)
		}
	}
	for _, code := range constantsOf(t, "Code") {
		if code != string(lost.Internal) && code != string(lost.InvalidCursor) && !english.Has("frame.problem."+code) {
			t.Errorf("the error %s has no text", code)
		}
	}
}

// TestNotesAreTranslated checks that every note of the service is shown as it is stored in English, and translated in
// other languages, and that the words of people are kept.
func TestNotesAreTranslated(t *testing.T) {
	german := Locale{Language: i18n.Choose("de")}
	for _, k := range lost.NoteKinds() {
		read := 0
		for _, value := range []string{"HW-4K7Q", "12.50 EUR"} { // a note has either words or prices
			stored := lost.Note(k, value, value)
			notes, rest := lost.ReadNotes(stored)
			if len(notes) != 1 || notes[0].Kind != k || rest != "" {
				continue
			}
			read++
			if NoteText(german, stored) == stored {
				t.Errorf("%s: %q is not translated", k, stored)
			}
			if got := strings.ReplaceAll(NoteText(English(), stored), "€12.50", value); got != stored {
				t.Errorf("%s: got %q in English, want %q", k, got, stored)
			}
		}
		if read == 0 {
			t.Errorf("%s: the note is stored and cannot be read", k)
		}
	}
	for stored, want := range map[string]string{
		"Handed to Dr. Meier. Their ID was checked.\nTook it. Thanks.": "Ausgehändigt an Dr. Meier. " +
			"Der Ausweis wurde geprüft.\nTook it. Thanks.",
		"Handed to Dr. Meier.\nTook it.": "Ausgehändigt an Dr. Meier.\nTook it.",
		"Handed to Anna. took it":        "Ausgehändigt an Anna.\ntook it", // an old row
		"12.50 EUR was paid instead of 13.00 EUR. It will be refunded.": "12,50\u00a0€ statt 13,00\u00a0€ bezahlt. " +
			"Sie wird erstattet.",
		"Refused: " + lost.NotOffered:  "Abgelehnt: Der Standort versendet keine Gegenstände.",
		"Refused: no such street":      "Abgelehnt: no such street",
		"The owner called. Refused: x": "The owner called. Refused: x",
		"":                             "",
	} {
		if got := NoteText(german, stored); got != want {
			t.Errorf("%q: got %q, want %q", stored, got, want)
		}
	}
}

func TestTheConfirmationOfADeletionIgnoresCaseAndPunctuation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typed, want string
		is          bool
	}{
		{"hw 4k7q", "HW-4K7Q", true}, {"hotel adler", "Hotel Adler", true}, {"Hotel Adlon", "Hotel Adler", false},
		{"", "Hotel Adler", false}, {"-", "-", true}, {"", "-", false}, {" ", "- -", false},
	} {
		if err := CheckConfirmation(url.Values{"name": {c.typed}}, "name", c.want); (err == nil) != c.is {
			t.Errorf("CheckConfirmation(%q) for %q: got %v", c.typed, c.want, err)
		}
	}
}

func TestAFieldThatIsNotInTheFormHasALabel(t *testing.T) {
	for field, want := range map[string]string{
		"discoveryDate": "When it was found", "owner.email": "E-mail address", "brand": "Brand",
		"shippingRules.world.bands[2].upToGrams": "Up to grams", "locations[3]": "Locations", "": "",
	} {
		if got := English().FieldLabel(field); got != want {
			t.Errorf("label of %s: got %q, want %q", field, got, want)
		}
	}
	var p lost.Problems
	p.Add("pickupTime.from", "not-before-to", "must be earlier than pickupTime.to")
	summary, err := English().MarkErrors(nil, p.Err())
	want := "Pick-up from: Must be earlier than “pick-up until”."
	if err != nil || len(summary) != 1 || summary[0].Text != want {
		t.Errorf("got summary %+v, %v", summary, err)
	}
	shown := lost.ProblemsOf(labelFields(English(), p.Err()))
	if shown[0].Message != "Must be earlier than “pick-up until”." {
		t.Errorf("got problems %+v for a script", shown)
	}
	if p[0].Message != "must be earlier than pickupTime.to" {
		t.Errorf("the original problem was changed to %+v", p)
	}
}

func TestTheDrawingOfAnItemIsThatOfItsCategory(t *testing.T) {
	for want, i := range map[lost.Category]lost.Item{
		lost.UmbrellaCategory: {Description: "Black umbrella with a wooden handle"},
		lost.BagCategory:      {Description: "Black umbrella", Category: lost.BagCategory},
		lost.OtherCategory:    {Description: "Something"},
	} {
		if got := ShownCategory(i); got != want {
			t.Errorf("%+v: got %s, want %s", i, got, want)
		}
	}
}

func TestEachCategoryHasAnIconOfItsOwn(t *testing.T) {
	seen := map[string]lost.Category{}
	for _, c := range lost.Categories() {
		icon := CategoryIcon(c)
		if icon == "" || seen[icon] != "" {
			t.Errorf("%s: got icon %q, which %q has too", c, icon, seen[icon])
		}
		seen[icon] = c
	}
}

func TestTheReasonWhyAParcelHasNoPriceIsTranslated(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		"": "", "Box 3 is broken.": "Box 3 is broken.", // a carrier's reason
		lost.NoCountry: lost.NoCountry, lost.NoTariff: strings.ReplaceAll(lost.NoTariff, "'", "’"),
		fmt.Sprintf(lost.TooHeavy, 12000, 5000): "The chargeable weight of the parcel is 12,000 g, but the " +
			"location’s tariff for that country ends at 5,000 g.",
	} {
		i := lost.Item{Parcel: lost.Parcel{Unpriced: reason}}
		if got := English().TaskReason(i, lost.ShippingTask); got != want {
			t.Errorf("%q: got %q, want %q", reason, got, want)
		}
	}
}

func TestAScriptGetsItsTextsByName(t *testing.T) {
	t.Parallel()
	got, err := English().texts("frame.unsent.more", "frame.unsent.keep")
	want := `{"keep":{"one":"Save it and log out","other":"Save them and log out"},"more":"and {n} more"}`
	if got != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestADownloadHasItsExactNameAndAnASCIIOne(t *testing.T) {
	for name, want := range map[string]string{
		"items-hotel-adler-2026-11-15.csv": `attachment; filename="items-hotel-adler-2026-11-15.csv"`,
		"tags-大阪ホテル.pdf": `attachment; filename="tags.pdf"; filename*=UTF-8''` +
			`tags-%E5%A4%A7%E9%98%AA%E3%83%9B%E3%83%86%E3%83%AB.pdf`,
		"a\"b c.pdf": `attachment; filename="a-b-c.pdf"; filename*=UTF-8''a%22b%20c.pdf`,
	} {
		got := disposition("attachment", name)
		if got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		if _, parts, err := mime.ParseMediaType(got); err != nil || want != got || parts["filename"] == "" {
			t.Errorf("%s: %v, %v", name, parts, err)
		}
	}
}
