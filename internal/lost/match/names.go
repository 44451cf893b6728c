package match

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// readInitials reads initials: K.M., K. M. or KM.
func (r reader) readInitials(p *Profile, text string) {
	var letters []rune
	flush := func() {
		if len(letters) == 2 || len(letters) == 3 {
			p.initials[strings.ToLower(string([]rune{letters[0], letters[len(letters)-1]}))] = true
		}
		letters = letters[:0]
	}
	for clause := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return strings.ContainsRune(",;:!?()/|\n", r)
	}) {
		for word := range strings.FieldsSeq(clause) {
			bare := []rune(strings.TrimFunc(word, func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsDigit(r)
			}))
			if hasFigures(word) { // a model number
				bare = nil
			}
			switch {
			case len(bare) == 1 && unicode.IsUpper(bare[0]):
				letters = append(letters, bare[0])
			case r.isMaker(string(bare)):
				flush()
				p.makers[strings.ToLower(string([]rune{bare[0], bare[len(bare)-1]}))] = true
			case strings.Contains(string(bare), ".") || len(bare) <= 3 && len(bare) > 1:
				flush()
				for _, r := range bare {
					if unicode.IsUpper(r) {
						letters = append(letters, r)
					}
				}
				flush()
			default:
				flush()
			}
		}
		flush()
	}
}

// isMaker reports whether letters are the name of a maker, such as VW.
func (r reader) isMaker(letters string) bool {
	return !r.literal && (len(letters) == 2 || len(letters) == 3) && strings.ToUpper(letters) == letters &&
		slices.ContainsFunc(r.dictionary.forms[foldWord(letters)], func(s sense) bool {
			return s.class == Brand
		})
}

// readNames reads inscriptions on the item: name tag "Wendt", au nom de Feldkamp, 'Milo', the letter M.
func readNames(p *Profile, text string) {
	note := func(words string) {
		for _, t := range tokens(words) {
			if !naming[t.text] && len(p.written) < maxWritten {
				p.written[t.text] = true
				if isNumber(t.text) && len(t.text) >= 2 {
					p.signs[t.text] = true
				}
			}
		}
	}
	lower := strings.ToLower(text)
	if mentions(lower, "nam", "nom", "label", "mark", "tiquet", "chrift", "tellt", "intest", "grav", "inscri", "grabad",
		"incis") {
		for _, found := range namings.FindAllStringSubmatch(text, -1) {
			note(found[1])
			p.named = append(p.named, found[1])
		}
	}
	if strings.ContainsAny(text, quoteMarks) {
		for _, found := range quotes.FindAllStringSubmatch(text, -1) {
			note(found[2])
		}
	}
	if mentions(lower, "lett", "letra", "buch", "stamp", "marqu") {
		for _, found := range letters.FindAllStringSubmatch(text, -1) {
			note(found[1])
		}
	}
}

// mentions reports whether a text contains any of the pieces. Most texts contain none, so a slow search can be
// skipped.
func mentions(text string, pieces ...string) bool {
	return slices.ContainsFunc(pieces, func(piece string) bool { return strings.Contains(text, piece) })
}

// quoteMarks are the opening quotation marks in the pattern quotes.
const quoteMarks = `'"‘“„«`

// maxWritten is the maximum number of words that are read as inscriptions.
const maxWritten = 20

var (
	// namings finds the capitalized words after words such as name or engraved.
	namings = regexp.MustCompile(`` +
		`(?i:\b(?:engraved|engraving|inscribed|inscription|gravur|graviert|eingraviert|gravée?|gravure|` +
		`grabad[oa]|incis[oa]|incisione|name[ds]?|namen|nombre|nom|prénom|nome|surname|labell?ed|marked|` +
		`étiquette|etiqueta|beschriftet|ausgestellt auf|intestat[oa] a))(?i:\s+(?:tag|tape|is|on|it|inside|` +
		`of|de|di|label|ist|steht|lautet|grabado|with|mit|avec|con|reads|saying|says|name|the|dem|namen|le|` +
		`nom))*\s*[:=,]?\s*((?:(?:Dr|Mr|Mrs|Ms|Herr|` +
		`Frau)\.?\s+)?\p{Lu}[\p{L}'.-]+(?:,?\s+\p{Lu}[\p{L}'.-]+){0,2})`)
	// quotes finds short texts between quotation marks. An apostrophe is not an opening mark.
	quotes = regexp.MustCompile(`(^|[\s(:=,])['"‘“„«]\s?([\p{L}\p{N}][^'"’“”»\n]{0,30}?)\s?['"’“”»]`)
	// letters finds a single letter as an inscription.
	letters = regexp.MustCompile(`(?i:\b(?:letter|lettre|lettera|letra|buchstabe|stamped|marqué d'un))\s+(\p{Lu})\b`)
)

// readBearers reads names on the item, such as Krüger, Manfred and P. Vandenberghe. On documents, cards and purses,
// every capitalized word that is not in the dictionary is a name.
func readBearers(p *Profile, text string) {
	note := func(words string) {
		for _, t := range tokens(words) {
			if len(t.text) >= 3 && p.marks[stem(t.text)] == Word && !naming[t.text] && len(p.bearers) < maxWritten &&
				!isGermanNoun(t.text) {
				p.bearers[t.text] = true
			}
		}
	}
	for _, name := range p.named {
		note(name)
	}
	var patterns []*regexp.Regexp
	if hasCapitals(text) {
		patterns = append(patterns, initialCapitals)
	}
	if strings.Contains(text, ",") {
		patterns = append(patterns, surnameFirst)
	}
	if strings.Contains(text, ".") {
		patterns = append(patterns, initialFirst)
	}
	if p.marks["document"] == Family || p.marks["card-family"] == Family || p.marks["money-holder"] == Family {
		patterns = append(patterns, capitals)
	}
	for _, pattern := range patterns {
		for _, found := range pattern.FindAllStringSubmatch(text, -1) {
			note(found[1])
		}
	}
}

var (
	surnameFirst    = regexp.MustCompile(`((?:^|[\s:(])\p{Lu}[\p{L}'-]{2,},\s*\p{Lu}(?:[\p{L}'-]+|\.))`)
	initialFirst    = regexp.MustCompile(`(?:^|[\s:(])\p{Lu}\.\s?(\p{Lu}[\p{L}'-]{2,})`)
	initialCapitals = regexp.MustCompile(`(?:^|[\s:(])\p{Lu}\s(\p{Lu}{4,})`)
	capitals        = regexp.MustCompile(`[\s:(]['"]?(\p{Lu}[\p{L}'-]{2,})`)
)

// hasCapitals reports whether a text has four capital letters in a row.
func hasCapitals(text string) bool {
	run := 0
	for _, r := range text {
		if run++; !unicode.IsUpper(r) {
			run = 0
		}
		if run == 4 {
			return true
		}
	}
	return false
}

// naming lists words that appear in the position of a name, but are not names.
var naming = map[string]bool{
	"the": true, "mrs": true, "herr": true, "frau": true, "dr": true, "mr": true, "ms": true, "name": true, "tag": true,
	"no": true, "on": true, "inside": true, "and": true,
}

func initial(name string) string {
	for _, r := range foldWord(name) {
		return string(r)
	}
	return ""
}

// compareNames checks whether the claimant's name or initials are on the found item.
func compareNames(e *Evidence, request, found Profile) {
	e[sharedName] = sharedNames(request, found)
	if len(found.written) > 0 && e[sharedName] == 0 && !request.mentionsName(found.written) {
		if len(request.written) > 0 {
			e[otherName] = 1
		} else {
			e[unsaidName] = 1
		}
	}
	compareBearers(e, request, found)
	compareProper(e, request, found)
	switch {
	case overlap(request.initials, found.initials)+overlap(request.initials, found.makers) > 0:
		// VW may be a Volkswagen, or the claimant's initials
		e[sharedInitials] = 1
	case len(request.initials) > 0 && len(found.initials) > 0:
		e[otherInitials] = 1
	}
}

// compareProper checks whether both subjects have proper names, such as those of clubs and makers that are not in the
// dictionary, but none in common.
func compareProper(e *Evidence, request, found Profile) {
	mine, theirs := 0, 0
	for name := range request.proper {
		if slices.Contains(request.names, name) {
			continue
		}
		mine++
		if found.saysLike(name) {
			return
		}
	}
	for name := range found.proper {
		theirs++
		if request.saysLike(name) || slices.Contains(request.names, name) {
			return
		}
	}
	if mine > 0 && theirs > 0 {
		e[otherProper] = 1
	}
}

// saysLike reports whether a subject contains a word, or one that is spelled almost the same.
func (p Profile) saysLike(word string) bool {
	if p.words[word] {
		return true
	}
	for name := range p.words {
		if len(name) > 4 && len(word) > 4 && name[0] == word[0] && alike(name, word) {
			return true
		}
	}
	return false
}

// sharedNames returns how much of the claimant's name is on a found item, from 0 to 1. A name that is also an
// ordinary word counts only together with another name. A last name counts more than a first name, because it is
// rarer.
func sharedNames(request, found Profile) float64 {
	matches, most := 0, 0.0
	names := request.names
	for name := range request.written {
		if len(name) >= 3 && !slices.Contains(names, name) {
			names = append(slices.Clip(names), name)
		}
	}
	for i, name := range names {
		if !found.words[name] {
			continue
		}
		matches++
		switch {
		case request.ordinary[name] || i >= len(request.names):
		case i > 0 || len(request.names) == 1:
			most = 1
		default:
			most = max(most, 0.5)
		}
	}
	if matches > 1 {
		return 1
	}
	return most
}

// compareBearers checks whether the found item has the name of the claimant, of a family member, or of somebody else.
func compareBearers(e *Evidence, request, found Profile) {
	if len(found.bearers) == 0 || len(request.names) == 0 {
		return
	}
	shared, others := 0, map[string]bool{}
	for name := range found.bearers {
		if slices.Contains(request.names, name) {
			shared++
		} else {
			others[name] = true
		}
	}
	if len(others) == 0 || request.mentionsName(others) {
		return
	}
	switch {
	case shared == 0:
		e[otherBearer] = 1
	case shared == 1 && !found.bearers[request.names[0]]:
		e[otherGiven] = 1
	}
}

// mentionsName reports whether a request contains any of the names.
func (p Profile) mentionsName(names map[string]bool) bool {
	for name := range names {
		if _, ok := p.marks[stem(name)]; ok || p.written[name] || slices.Contains(p.names, name) {
			return true
		}
	}
	return false
}
