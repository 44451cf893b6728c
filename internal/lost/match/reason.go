package match

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxReasons is the maximum number of reasons.
const maxReasons = 6

// maxAgainst is the maximum number of reasons against the match if only maxReasons of all reasons are listed.
const maxAgainst = 2

// Reason explains why a found item may match a request, or why not.
type Reason struct {
	Code  string
	Text  string   // in English
	Terms []string // the names of concepts that both have; see TermIn
	Words []string // words and figures that both contain, in quotation marks
	Days  int      // from the loss to the find
}

// String returns the reason in English.
func (r Reason) String() string { return r.Text }

// weighted is a reason and its weight.
type weighted struct {
	Reason
	weight float64
}

// reasons explains why a found item may match a request: the strongest reasons first, then those against the match.
func reasons(e Evidence, request, found Profile) (chosen []Reason) {
	var all []weighted
	for f, words := range wording {
		weight := weights.Of[f] * e[f]
		if weight == 0 || words == nil || contradicted(e, feature(f)) {
			continue
		}
		if r := words(e[f], request, found); r.Code != "" {
			all = append(all, weighted{r, weight})
		}
	}
	slices.SortFunc(all, func(a, b weighted) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.Text, b.Text))
	})
	against := false
	for _, r := range strongest(all) {
		if !slices.ContainsFunc(chosen, func(c Reason) bool { return c.Text == r.Text }) {
			chosen = append(chosen, r.Reason)
		}
		against = against || r.weight < 0
	}
	// Without a reason against the match, explain why it is not likely.
	if !against && len(chosen) < maxReasons && weights.Value(e) < likelyFrom &&
		(e[uncovered] > 0 || e[unanswered] > 0) {
		chosen = append(chosen, Reason{Code: "some-differ", Text: "the descriptions differ in some details"})
	}
	return chosen
}

// contradicted reports whether the explanation of a feature would contradict that of another. Different rooms are not
// the same place, even if both are described with the same words.
func contradicted(e Evidence, f feature) bool { return f == samePlace && e[otherRoom] > 0 }

// strongest returns at most maxReasons reasons: those with the most weight, and then some reasons against the match.
func strongest(all []weighted) []weighted {
	if len(all) <= maxReasons {
		return all
	}
	against := 0
	for against < maxAgainst && all[len(all)-1-against].weight < 0 {
		against++
	}
	return slices.Concat(all[:maxReasons-against], all[len(all)-against:])
}

// wording contains a function for each feature that returns its explanation, if there is a useful one.
var wording = [features]func(strength float64, request, found Profile) Reason{
	sameKind:      listBoth("same-kind", "same kind of item: %s", Kind),
	otherKind:     fixed("other-kind", "a different kind of item"),
	sameBrand:     listBoth("same-brand", "same brand: %s", Brand),
	otherBrand:    fixed("other-brand", "different brand"),
	sameProduct:   listBoth("same-product", "same product: %s", Product),
	sameModel:     nearly("same-model", "same model", 1),
	otherModel:    fixed("other-model", "different model"),
	sameSerial:    fixed("same-serial", "same serial number"),
	otherSerial:   fixed("other-serial", "different serial number"),
	sameCategory:  fixed("same-category", "same category"),
	otherCategory: fixed("other-category", "different category"),
	sameColour:    nearly("same-colour", "same colour", sameShade),
	otherColour:   fixed("other-colour", "different colour"),
	sameMaterial:  listBoth("same-material", "same material: %s", Material),
	samePattern:   listBoth("same-pattern", "same pattern: %s", Pattern),
	otherPattern:  fixed("other-pattern", "different pattern"),
	samePart:      listBoth("same-part", "%s in both", Part),
	sameMotif:     listBoth("same-part", "%s in both", Motif),
	otherMotif:    fixed("other-details", "different details"),
	sameState:     listBoth("same-details", "same details: %s", State),
	otherState:    fixed("other-details", "different details"),
	sameSize:      fixed("same-size", "same size"),
	otherSize:     fixed("other-size", "different size"),
	sameOrigin:    listBoth("same-country", "same country: %s", Origin),
	otherOrigin:   fixed("other-country", "from a different country"),
	sharedWords: func(_ float64, r, f Profile) Reason {
		words := quoted(f.spell(shared(r, f, Word)))
		return Reason{Code: "same-words", Text: "both say " + strings.Join(words, ", "), Words: words}
	},
	alikeWords:     func(_ float64, r, f Profile) Reason { return nearWords(r, f) },
	sharedNumbers:  func(_ float64, r, f Profile) Reason { return sharedFigures(shared(r, f, Number)) },
	otherNumber:    fixed("other-number", "different number"),
	sharedInitials: fixed("same-initials", "the initials match"),
	sharedName:     fixed("same-name", "the name matches"),
	otherName:      fixed("other-name", "a different name is on it"),
	samePlace:      fixed("same-place", "same place"),
	sameRoom:       fixed("same-room", "same room or number"),
	otherRoom:      fixed("other-room", "different room or number"),
	otherSide:      fixed("other-side", "for the other side"),
	otherBearer:    fixed("other-bearer", "somebody else's name is on it"),
	otherGiven:     fixed("other-given-name", "a different first name is on it"),
	strayColour: func(far float64, _, _ Profile) Reason {
		if far <= 0.5 {
			return Reason{}
		}
		return Reason{Code: "more-colours", Text: "one also has another colour"}
	},
	relatedKind: func(_ float64, r, f Profile) Reason {
		if len(shared(r, f, Kind)) > 0 {
			return Reason{}
		}
		return Reason{Code: "similar-kind", Text: "a similar kind of item"}
	},
	relatedWords: func(_ float64, r, f Profile) Reason { return relatedMeanings(r, f) },
	otherProper:  fixed("other-details", "different details"),
	otherBeing:   fixed("other-details", "different details"),
	soon:         func(_ float64, r, f Profile) Reason { return daysApart(f.day - r.day) },
	late:         func(_ float64, r, f Profile) Reason { return daysApart(f.day - r.day) },
}

// sameShade is the similarity above which two colours are called the same.
const sameShade = 0.85

// fixed returns a function for a reason without terms.
func fixed(code, text string) func(float64, Profile, Profile) Reason {
	return func(float64, Profile, Profile) Reason { return Reason{Code: code, Text: text} }
}

// listBoth returns a function for a reason that lists the terms of a class that both profiles have.
func listBoth(code, text string, class Class) func(float64, Profile, Profile) Reason {
	return func(_ float64, request, found Profile) Reason {
		names := shared(request, found, class)
		names = names[:min(len(names), maxTerms)]
		return Reason{Code: code, Text: fmt.Sprintf(text, strings.Join(plainNames(names), ", ")), Terms: names}
	}
}

// nearly returns a function for a reason that holds fully from a strength on, and nearly below it.
func nearly(code, text string, from float64) func(float64, Profile, Profile) Reason {
	return func(strength float64, _, _ Profile) Reason {
		if strength >= from {
			return Reason{Code: code, Text: text}
		}
		return Reason{Code: "nearly-" + code, Text: "nearly the " + text}
	}
}

// nearWords explains similar words. Equal words have a separate reason.
func nearWords(request, found Profile) Reason {
	for name, class := range found.marks {
		if _, same := request.marks[name]; class == Word && !same && request.likeWord(name) > 0 {
			return Reason{Code: "similar-words", Text: "similar words"}
		}
	}
	return Reason{}
}

// relatedMeanings explains different words with a similar meaning.
func relatedMeanings(request, found Profile) Reason {
	const similar = 0.5
	t := theThesaurus()
	for _, f := range found.senses {
		if _, same := request.marks[f.mark]; same || f.class == Kind {
			continue
		}
		for _, r := range request.senses {
			if t.related(r.senses, f.senses) >= similar {
				return Reason{Code: "similar-words", Text: "similar words"}
			}
		}
	}
	return Reason{}
}

// daysApart explains when the item was found, relative to the loss.
func daysApart(days int) Reason {
	switch {
	case days < 0:
		return Reason{Code: "found-before", Text: "found the day before"}
	case days == 0:
		return Reason{Code: "found-same-day", Text: "found the same day"}
	case days == 1:
		return Reason{Code: "found-day-after", Text: "found the day after"}
	}
	return Reason{Code: "found-later", Text: fmt.Sprintf("found %d days later", days), Days: days}
}

// shared returns the terms of a class that both subjects have, sorted.
func shared(request, found Profile, class Class) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(found.marks)) {
		if _, both := request.marks[name]; both && found.marks[name] == class {
			names = append(names, name)
		}
	}
	return names
}

// spell returns words as they were written.
func (p Profile) spell(words []string) []string {
	written := slices.Clone(words)
	for n, word := range written {
		written[n] = cmp.Or(p.spelled[word], word)
	}
	return written
}

// sharedFigures explains figures that both subjects have. Dates, ages and strengths are not quoted, because they can
// be written in several ways.
func sharedFigures(figures []string) Reason {
	for _, named := range [...]string{"date", "age", "strength"} {
		if slices.ContainsFunc(figures, func(figure string) bool { return strings.HasPrefix(figure, named+" ") }) {
			return Reason{Code: "same-" + named, Text: "same " + named}
		}
	}
	words := quoted(withoutParts(figures))
	return Reason{Code: "same-part", Text: strings.Join(words, ", ") + " in both", Words: words}
}

// withoutParts removes figures that are part of others, such as 1000 in 1000xm4.
func withoutParts(figures []string) []string {
	return slices.DeleteFunc(slices.Clone(figures), func(part string) bool {
		return slices.ContainsFunc(figures, func(all string) bool { return all != part && strings.Contains(all, part) })
	})
}

// maxTerms is the maximum number of terms in a reason.
const maxTerms = 3

// maxQuoted is the maximum length of a quoted word, in characters.
const maxQuoted = 30

func quoted(names []string) []string {
	first := slices.Clone(names[:min(len(names), maxTerms)])
	for i, name := range first {
		if letters := []rune(name); len(letters) > maxQuoted {
			name = string(letters[:maxQuoted]) + "…"
		}
		first[i] = "“" + name + "”"
	}
	return first
}
