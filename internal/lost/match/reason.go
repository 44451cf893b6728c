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

// reason is a reason and its weight.
type reason struct {
	text   string
	weight float64
}

// reasons explains why a found item may match a request: the strongest reasons first, then those against the match.
func reasons(e evidence, request, found Profile) []string {
	var all []reason
	for f, words := range wording {
		weight := weights.of[f] * e[f]
		if weight == 0 || words == nil {
			continue
		}
		if text := words(e[f], request, found); text != "" {
			all = append(all, reason{text, weight})
		}
	}
	slices.SortFunc(all, func(a, b reason) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.text, b.text))
	})
	var texts []string
	against := false
	for _, r := range strongest(all) {
		if !slices.Contains(texts, r.text) {
			texts = append(texts, r.text)
		}
		against = against || r.weight < 0
	}
	// Without a reason against the match, explain why it is not likely.
	if !against && len(texts) < maxReasons && weights.value(e) < likelyFrom && (e[uncovered] > 0 || e[unanswered] > 0) {
		texts = append(texts, "the descriptions differ in some details")
	}
	return texts
}

// strongest returns at most maxReasons reasons: those with the most weight, and then some reasons against the match.
func strongest(all []reason) []reason {
	if len(all) <= maxReasons {
		return all
	}
	against := 0
	for against < maxAgainst && all[len(all)-1-against].weight < 0 {
		against++
	}
	return slices.Concat(all[:maxReasons-against], all[len(all)-against:])
}

// wording contains a function for each feature that returns its explanation. Some features have no useful
// explanation.
var wording = [features]func(strength float64, request, found Profile) string{
	sameKind:    func(_ float64, r, f Profile) string { return "same kind of item: " + listed(shared(r, f, Kind)) },
	otherKind:   fixed("a different kind of item"),
	sameBrand:   func(_ float64, r, f Profile) string { return "same brand: " + listed(shared(r, f, Brand)) },
	otherBrand:  fixed("different brand"),
	sameProduct: func(_ float64, r, f Profile) string { return "same product: " + listed(shared(r, f, Product)) },
	sameModel: func(share float64, _, _ Profile) string {
		return pick(share == 1, "same model", "nearly the same model")
	},
	otherModel: fixed("different model"),
	sameColour: func(near float64, _, _ Profile) string {
		return pick(near > 0.85, "same colour", "nearly the same colour")
	},
	otherColour:    fixed("different colour"),
	sameMaterial:   func(_ float64, r, f Profile) string { return "same material: " + listed(shared(r, f, Material)) },
	samePattern:    func(_ float64, r, f Profile) string { return "same pattern: " + listed(shared(r, f, Pattern)) },
	otherPattern:   fixed("different pattern"),
	samePart:       func(_ float64, r, f Profile) string { return listed(shared(r, f, Part)) + " in both" },
	sameMotif:      func(_ float64, r, f Profile) string { return listed(shared(r, f, Motif)) + " in both" },
	otherMotif:     fixed("different details"),
	sameState:      func(_ float64, r, f Profile) string { return "same details: " + listed(shared(r, f, State)) },
	otherState:     fixed("different details"),
	sameSize:       fixed("same size"),
	otherSize:      fixed("different size"),
	sameOrigin:     func(_ float64, r, f Profile) string { return "same country: " + listed(shared(r, f, Origin)) },
	otherOrigin:    fixed("from a different country"),
	sharedWords:    func(_ float64, r, f Profile) string { return "both say " + quoted(f.spell(shared(r, f, Word))) },
	alikeWords:     func(_ float64, r, f Profile) string { return nearWords(r, f) },
	sharedNumbers:  func(_ float64, r, f Profile) string { return sharedFigures(shared(r, f, Number)) },
	otherNumber:    fixed("different number"),
	sharedInitials: fixed("the initials match"),
	sharedName:     fixed("the name matches"),
	otherName:      fixed("a different name is on it"),
	samePlace:      fixed("same place"),
	sameRoom:       fixed("same room or number"),
	otherRoom:      fixed("different room or number"),
	otherSide:      fixed("for the other side"),
	otherBearer:    fixed("somebody else's name is on it"),
	otherGiven:     fixed("a different first name is on it"),
	strayColour: func(far float64, _, _ Profile) string {
		return pick(far > 0.5, "one also has another colour", "")
	},
	soon: func(_ float64, r, f Profile) string { return daysApart(f.day - r.day) },
	late: func(_ float64, r, f Profile) string { return daysApart(f.day - r.day) },
}

// nearWords explains similar words. Equal words have a separate reason.
func nearWords(request, found Profile) string {
	for name, class := range found.marks {
		if _, same := request.marks[name]; class == Word && !same && request.likeWord(name) > 0 {
			return "similar words"
		}
	}
	return ""
}

func fixed(text string) func(float64, Profile, Profile) string {
	return func(float64, Profile, Profile) string { return text }
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// daysApart explains when the item was found, relative to the loss.
func daysApart(days int) string {
	switch {
	case days < 0:
		return "found the day before"
	case days == 0:
		return "found the same day"
	case days == 1:
		return "found the day after"
	}
	return fmt.Sprintf("found %d days later", days)
}

// shared returns the terms of a class that both subjects have, sorted.
func shared(request, found Profile, class Class) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(found.marks)) {
		if _, both := request.marks[name]; both && found.marks[name] == class {
			// the names of brands that are also ordinary words have this suffix
			names = append(names, strings.ReplaceAll(strings.TrimSuffix(name, "-brand"), "-", " "))
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
func sharedFigures(figures []string) string {
	for _, named := range [...]string{"date", "age", "strength"} {
		if slices.ContainsFunc(figures, func(figure string) bool { return strings.HasPrefix(figure, named+" ") }) {
			return "same " + named
		}
	}
	return quoted(withoutParts(figures)) + " in both"
}

// withoutParts removes figures that are part of others, such as 1000 in 1000xm4.
func withoutParts(figures []string) []string {
	return slices.DeleteFunc(slices.Clone(figures), func(part string) bool {
		return slices.ContainsFunc(figures, func(all string) bool { return all != part && strings.Contains(all, part) })
	})
}

// listed joins at most three names.
func listed(names []string) string { return strings.Join(names[:min(len(names), 3)], ", ") }

// maxQuoted is the maximum length of a quoted word, in characters.
const maxQuoted = 30

func quoted(names []string) string {
	first := slices.Clone(names[:min(len(names), 3)])
	for i, name := range first {
		if letters := []rune(name); len(letters) > maxQuoted {
			name = string(letters[:maxQuoted]) + "…"
		}
		first[i] = "“" + name + "”"
	}
	return strings.Join(first, ", ")
}
