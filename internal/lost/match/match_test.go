package match_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
	"homeward/internal/lost/match/matchtest"
)

var counts = match.Counts{"": 500}

// compare scores a request and a found item that have only descriptions.
func compare(missed, found string) match.Score {
	return match.Compare(match.Read(match.Subject{Description: missed}), match.Read(match.Subject{Description: found}),
		counts)
}

func TestWordsMeanTheSameInFiveLanguages(t *testing.T) {
	for _, same := range [][]string{
		{"mobile phone", "cell phone", "Handy", "téléphone portable", "móvil", "cellulare"},
		{"glasses", "specs", "Brille", "lunettes", "gafas", "occhiali"},
		{"umbrella", "brolly", "Regenschirm", "parapluie", "paraguas", "ombrello"},
		{"wallet", "Geldbeutel", "portefeuille", "cartera", "portafoglio"},
		{"black", "blk", "schwarz", "noir", "negro", "nero"},
		{"charger", "chgr", "Ladegerät", "chargeur", "cargador", "caricabatterie"},
	} {
		for _, one := range same {
			for _, other := range same {
				if with, without := compare("my "+one, other), compare("my zzzz", other); with.Value <= without.Value {
					t.Errorf("%q does not match %q: %.3f, %.3f for nonsense", one, other, with.Value, without.Value)
				}
			}
		}
	}
}

func TestEvidenceForAndAgainst(t *testing.T) {
	for _, c := range []struct{ name, missed, better, worse string }{
		{
			"a product implies its maker and its kind", "I lost my Apple earphones", "AirPods in a white case",
			"Sony headphones in a white case",
		},
		{"colours that are nearly the same", "navy scarf", "dark blue scarf", "orange scarf"},
		{"another model", "iPhone 13 with a cracked screen", "iPhone 13, cracked screen", "iPhone 11, cracked screen"},
		{"a misspelling", "brown lether briefcase", "brown leather briefcase", "brown canvas briefcase"},
		{"a number that is engraved", "watch, engraved 4711", "watch, engraved 4711", "watch, engraved 4712"},
		{"another state", "grey suitcase, brand new", "suitcase, grey, new", "suitcase, grey, worn"},
		{"the other side", "left glove, brown", "glove, brown, left", "glove, brown, right"},
		{"a plural", "two gold earrings", "earring, gold", "bracelet, gold"},
		{"a compound", "Kinderjacke rot", "child's jacket, red", "ladies trousers, red"},
		{"other words", "teddy with a bow tie", "teddy bear, bow tie", "teddy bear, striped jumper"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if better, worse := compare(c.missed, c.better), compare(c.missed, c.worse); better.Value <= worse.Value {
				t.Errorf("%q: %q has %.3f, %q has %.3f", c.missed, c.better, better.Value, c.worse, worse.Value)
			}
		})
	}
}

func TestSizesAreSeparateLetters(t *testing.T) {
	for text, want := range map[string][]string{
		"shirt S, M": {"small", "medium"}, "shirts S M XL": {"small", "medium", "large"},
		"S/M/L": {"small", "medium", "large"}, "shirt (XS; XXL)": {"small", "large"}, "M": {"medium"},
		"embossed K.M.": nil, "S-Bahn ticket": nil, "shirt s, m": nil, "M's shirt": nil, "XLR cable": nil,
	} {
		for _, size := range []string{"small", "medium", "large"} {
			same := slices.Contains(texts(compare(text, "thing, "+size)), "same size")
			if same != slices.Contains(want, size) {
				t.Errorf("%q is %s: %v", text, size, same)
			}
		}
	}
}

func TestRareWordsCountMore(t *testing.T) {
	const term = "quagg" // the index term
	common, rare := match.Counts{"": 1000, term: 900}, match.Counts{"": 1000, term: 1}
	missed, found := match.Read(match.Subject{Description: "towel with a quagga on it"}),
		match.Read(match.Subject{Description: "towel, quagga"})
	if c, r := match.Compare(missed, found, common).Value, match.Compare(missed, found, rare).Value; c >= r {
		t.Errorf("score of a common word %.3f, of a rare one %.3f", c, r)
	}
}

func TestNamesPlacesAndDaysCount(t *testing.T) {
	missed := match.Subject{
		Description: "black wallet", Place: "room 204", Day: lost.Days("2026-09-10"), FirstName: "Manfred",
		LastName: "Krüger",
	}
	value := func(change func(*match.Subject)) float64 {
		found := match.Subject{Description: "wallet, black", Place: "rm 204", Day: lost.Days("2026-09-10")}
		change(&found)
		return match.Compare(match.Read(missed), match.Read(found), counts).Value
	}
	plain := value(func(*match.Subject) {})
	for name, change := range map[string]func(*match.Subject){
		"the name": func(s *match.Subject) { s.More = "ID Krüger, Manfred" },
		"initials": func(s *match.Subject) { s.More = "embossed M.K." },
	} {
		if got := value(change); got <= plain {
			t.Errorf("score with %s %.3f, without %.3f", name, got, plain)
		}
	}
	for name, change := range map[string]func(*match.Subject){
		"another name":      func(s *match.Subject) { s.More = "ID Okafor, Daniel" },
		"one of the family": func(s *match.Subject) { s.More = "ID Krüger, Sabine" },
		"another room":      func(s *match.Subject) { s.Place = "rm 611" },
		"two weeks later":   func(s *match.Subject) { s.Day = lost.Days("2026-09-24") },
	} {
		if got := value(change); got >= plain {
			t.Errorf("score with %s %.3f, without %.3f", name, got, plain)
		}
	}
	for day, possible := range map[string]bool{
		"2026-09-08": false, "2026-09-09": true, "2026-11-09": true, "2026-11-10": false, "": true,
	} {
		if got := value(func(s *match.Subject) { s.Day = lost.Days(day) }); got > 0 != possible {
			t.Errorf("score of an item found on %q: %.3f", day, got)
		}
	}
}

// samePlace reports whether two places match, and returns the score.
func samePlace(missed, found string) (bool, float64) {
	s := match.Compare(match.Read(match.Subject{Description: "scarf", Place: missed}),
		match.Read(match.Subject{Description: "scarf", Place: found}), counts)
	return slices.Contains(texts(s), "same place"), s.Value
}

func TestMisspelledPlacesMatch(t *testing.T) {
	for missed, found := range map[string]string{
		"Brasserie Lumiere": "Braserie Lumière", "Gasthof Rosenkranz": "Rosenkrantz", "Saal Merkator": "Mercator-Saal",
	} {
		same, value := samePlace(missed, found)
		if _, right := samePlace(found, found); !same || value != right {
			t.Errorf("%q and %q are the same: %v, %.6f, want %.6f", missed, found, same, value, right)
		}
	}
	for missed, found := range map[string]string{
		"Hotel Adler": "Hotel Falke", "Saal Mozart": "Foyer Wagner", "Gate B12": "Gate B21", "Bar": "Car",
	} {
		_, value := samePlace(missed, found)
		if _, right := samePlace(found, found); value >= right {
			t.Errorf("place %q matches %q", missed, found)
		}
	}
}

// Adding a word of the found item's place to a request never lowers the score, in any order and next to misspelled
// words.
func TestAddingAWordOfThePlaceNeverLowersTheScore(t *testing.T) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{
		"lumiere", "lumieres", "lumierre", "lumire", "brasserie", "braserie", "gartensaal", "gartensal", "kartensaal",
		"terrasse", "lobby", "bar",
	}), 1, 5)
	rapid.Check(t, func(t *rapid.T) {
		missed, found := words.Draw(t, "request"), words.Draw(t, "find")
		more := rapid.Permutation(append(slices.Clone(missed), rapid.SampledFrom(found).Draw(t, "word"))).Draw(t,
			"order")
		_, before := samePlace(strings.Join(missed, " "), strings.Join(found, " "))
		if _, after := samePlace(strings.Join(more, " "), strings.Join(found, " ")); after < before-1e-12 {
			t.Fatalf("%q and %q have %.6f, %q %.6f", missed, found, before, more, after)
		}
	})
}

func TestLettersOfAMakerAreNotInitials(t *testing.T) {
	for _, c := range []struct {
		first, last, missed, found string
		fit                        bool
	}{
		{"Marcel", "Schmitz", "VW car key with a bottle opener", "car key VW, bottle opener", false},
		{"Volker", "Wendt", "VW car key with a bottle opener", "car key VW, bottle opener", true},
		{"Manfred", "Krüger", "my wallet", "wallet, embossed MK", true},
		{"Manfred", "Krüger", "my wallet", "wallet, embossed M.K.", true},
		{"Anna", "Schmitz", "wallet of my husband, embossed M.K.", "wallet, M. K. on it", true},
	} {
		s := match.Compare(match.Read(match.Subject{Description: c.missed, FirstName: c.first, LastName: c.last}),
			match.Read(match.Subject{Description: c.found}), counts)
		if fit := slices.Contains(texts(s), "the initials match"); fit != c.fit {
			t.Errorf("%s %s, %q, %q: the initials match: %v, %q", c.first, c.last, c.missed, c.found, fit, s.Reasons)
		}
	}
}

// texts returns the reasons of a score in English.
func texts(s match.Score) (all []string) {
	for _, r := range s.Reasons {
		all = append(all, r.Text)
	}
	return all
}

func TestReasons(t *testing.T) {
	score := match.Compare(
		match.Read(match.Subject{
			Description: "Samsonite cabin case, navy, ribbon on the handle", Place: "lobby",
			Day: lost.Days("2026-09-10"),
		}),
		match.Read(match.Subject{
			Description: "suitcase cabin, ribbon on hdl", Brand: "Samsonite", Color: "navy", Place: "lobby",
			Day: lost.Days("2026-09-11"),
		}), counts)
	reasons := strings.Join(texts(score), "; ")
	for _, want := range []string{"same brand: samsonite", "same colour", "same place", "suitcase"} {
		if !strings.Contains(reasons, want) {
			t.Errorf("got reasons %q, want %q in them", reasons, want)
		}
	}
	if !score.Likely() {
		t.Errorf("score %.3f is not likely", score.Value)
	}
	against := match.Compare(
		match.Read(match.Subject{
			Description: "black Samsonite suitcase, leather, ribbon, sticker, broken wheel, tag 4711", Place: "lobby",
			Day: lost.Days("2026-09-10"),
		}),
		match.Read(match.Subject{
			Description: "black Samsonite suitcase, leather, ribbon, sticker, broken wheel, tag 4712", Place: "lobby",
			Day: lost.Days("2026-09-10"),
		}), counts)
	if !slices.Contains(texts(against), "different number") {
		t.Errorf("got reasons %q, want the different number among them", against.Reasons)
	}
	if s := compare("a quagga", "quagga"); !slices.Contains(texts(s), "both say “quagga”") {
		t.Errorf("a word is not quoted as written: %q", s.Reasons)
	}
	if s := compare("violin", "wet towel"); s.Suggested() {
		t.Errorf("a towel is suggested for a violin: %.3f %q", s.Value, s.Reasons)
	}
}

func own(t testing.TB) matchtest.Set {
	t.Helper()
	set, err := matchtest.Default()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Adding a word of the found item to a request never lowers the score.
func TestAddingAWordOfTheFindNeverLowersTheScore(t *testing.T) {
	set := own(t)
	rapid.Check(t, func(t *rapid.T) {
		missed, found := rapid.SampledFrom(set.Requests).Draw(t, "request").Subject(),
			rapid.SampledFrom(set.Finds).Draw(t, "find").Subject()
		missed.Day, found.Day = 0, 0
		words := strings.Fields(found.Description)
		word := rapid.SampledFrom(words).Draw(t, "word")
		more := missed
		more.Description += " ; " + word
		before, after := match.Compare(match.Read(missed), match.Read(found), counts),
			match.Compare(match.Read(more), match.Read(found), counts)
		if after.Value < before.Value-1e-12 {
			t.Fatalf("%q and %q have %.6f, with %q %.6f\n%q\n%q", missed.Description, found.Description, before.Value,
				word, after.Value, before.Reasons, after.Reasons)
		}
	})
}

// The order of the words does not matter.
func TestWordOrderDoesNotMatter(t *testing.T) {
	set := own(t)
	rapid.Check(t, func(t *rapid.T) {
		missed, found := rapid.SampledFrom(set.Requests).Draw(t, "request").Subject(),
			rapid.SampledFrom(set.Finds).Draw(t, "find").Subject()
		parts := []string{missed.Description, found.Description, missed.More, found.Brand}
		missed.Description = strings.Join(parts, " ; ")
		one := match.Compare(match.Read(missed), match.Read(found), counts)
		missed.Description = strings.Join(rapid.Permutation(parts).Draw(t, "order"), " ; ")
		other := match.Compare(match.Read(missed), match.Read(found), counts)
		if one.Value != other.Value || !slices.Equal(texts(one), texts(other)) {
			t.Fatalf("%.9f %q became %.9f %q", one.Value, one.Reasons, other.Value, other.Reasons)
		}
	})
}

// The longest texts and words are read in bounded time; an unbounded pattern would take minutes.
func TestHostileTextsAreReadInBoundedTime(t *testing.T) {
	var many strings.Builder
	for n := range 1000 {
		fmt.Fprintf(&many, "sch%dwort%s ", n, strings.Repeat("x", n%7))
	}
	for _, text := range []string{
		strings.Repeat("a", 5000), strings.Repeat("schlüssel", 600), strings.Repeat("Name: A. ", 600), many.String(),
	} {
		p := match.Read(match.Subject{Description: text, More: text})
		for range 80 {
			match.Compare(p, p, counts)
		}
		const most = 400
		if n := len(p.Terms()); n > most {
			t.Errorf("%d terms", n)
		}
	}
}

// The labelled set is large enough to judge a ranking, and the rules rank it well.
func TestLabelledSetIsRankedWell(t *testing.T) {
	set := own(t)
	withoutMatch := 0
	languages := map[string]int{}
	for _, r := range set.Requests {
		languages[r.Language]++
		if r.Item == "" {
			withoutMatch++
		}
	}
	if len(set.Requests) < 150 || len(set.Finds) < 600 || withoutMatch < 15 ||
		min(languages["en"], languages["de"], languages["fr"], languages["es"], languages["it"]) < 10 {
		t.Errorf("%d requests, %d without a match, over %d found items, in %v", len(set.Requests), withoutMatch,
			len(set.Finds), languages)
	}
	all := match.Counts{"": len(set.Finds)}
	profiles := make([]match.Profile, len(set.Finds))
	for n, f := range set.Finds {
		profiles[n] = match.Read(f.Subject())
		for _, term := range profiles[n].Terms() {
			all[term]++
		}
	}
	var first, withMatch, likely, misled int // docs/develop/matching.md defines these counts
	for _, r := range set.Requests {
		request := match.Read(r.Subject())
		values := make([]float64, len(set.Finds))
		for n := range set.Finds {
			values[n] = match.Compare(request, profiles[n], all).Value
		}
		chances := match.Chances(values)
		best := 0
		for n, f := range set.Finds {
			if chances[n] > chances[best] {
				best = n
			}
			if f.ID == r.Item && match.Likely(chances[n]) {
				likely++
			}
		}
		switch {
		case r.Item == "" && match.Likely(chances[best]):
			misled++
		case r.Item != "" && set.Finds[best].ID == r.Item:
			first++
		}
		if r.Item != "" {
			withMatch++
		}
	}
	if 100*first < 90*withMatch || 100*likely < 55*withMatch || 100*misled > 8*withoutMatch {
		t.Errorf("of %d requests with a match, %d rank it first and %d as likely; of %d others, %d have a likely match",
			withMatch, first, likely, withoutMatch, misled)
	}
}

// A page that shows both reasons would contradict itself.
func TestAnotherRoomIsNotTheSamePlace(t *testing.T) {
	missed := match.Read(match.Subject{Description: "silver ring", Place: "Room 214, bedside table"})
	for place, want := range map[string]string{
		"Room 326, bedside table": "different room or number", "Room 214, bedside table": "same place",
	} {
		s := match.Compare(missed, match.Read(match.Subject{Description: "silver ring", Place: place}), counts)
		if got := texts(s); !slices.Contains(got, want) ||
			slices.Contains(got, "same place") != (want == "same place") {
			t.Errorf("%s: got reasons %q, want %q", place, got, want)
		}
	}
}

func TestContrast(t *testing.T) {
	missed := match.Subject{
		Description: "iPhone 13 in a red cover", Brand: "Apple", Color: "black", Place: "room 204, bed",
		Day: lost.Days("2026-09-10"), Category: "phone",
	}
	for name, c := range map[string]struct {
		found match.Subject
		want  map[match.Aspect]match.Fit
	}{
		"the same": {missed,
			map[match.Aspect]match.Fit{
				match.What: match.Fits, match.Maker: match.Fits, match.Version: match.Fits, match.Hue: match.Fits,
				match.Where: match.Fits, match.When: match.Fits,
			}},
		"something else": {match.Subject{
			Description: "Samsung phone", Color: "yellow", Place: "room 611", Day: lost.Days("2026-10-10"),
		},
			map[match.Aspect]match.Fit{
				match.What: match.Fits, match.Maker: match.Differ, match.Hue: match.Differ, match.When: match.Nearly,
			}},
		"the same words for another room": {match.Subject{Description: "iPhone 13", Place: "room 611, under the bed"},
			map[match.Aspect]match.Fit{match.Where: match.Differ}},
		"the same category": {match.Subject{Description: "iPhone", Category: "phone"},
			map[match.Aspect]match.Fit{match.Sort: match.Fits}},
		"another category": {match.Subject{Description: "iPhone", Category: "toy"},
			map[match.Aspect]match.Fit{match.Sort: match.Differ}},
		"a word": {match.Subject{Description: "box"}, map[match.Aspect]match.Fit{}},
		"too early": {match.Subject{Description: "iPhone 13", Day: lost.Days("2026-08-01")},
			map[match.Aspect]match.Fit{match.When: match.Differ}},
	} {
		t.Run(name, func(t *testing.T) {
			got := match.Contrast(match.Read(missed), match.Read(c.found))
			for aspect, fit := range c.want {
				if got[aspect] != fit {
					t.Errorf("%s is %q, want %q", aspect, got[aspect], fit)
				}
			}
			if len(c.want) == 0 && got[match.Maker] != "" {
				t.Errorf("%v", got)
			}
		})
	}
}

func TestTermsHaveWordsInTheirLanguages(t *testing.T) {
	for _, c := range []struct{ language, term, want string }{
		{"en", "umbrella", "umbrella"},
		{"de", "passport", "reisepass"},
		{"fr", "passport", "passeport"},
		{"ja", "passport", ""}, // not a language of the dictionary
		{"ja", "samsonite", "samsonite"},
		{"de", "no-such-term", ""},
	} {
		if got := match.TermIn(c.language, c.term); got != c.want {
			t.Errorf("%s in %s is %q, want %q", c.term, c.language, got, c.want)
		}
	}
}
