package match

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// Group is what a search looks for because of one term of a query: texts that contain any of the phrases.
type Group struct {
	Phrases []Phrase
	Share   float64 // the estimated share of records that contain one of the phrases
	// Indexed is the estimated share of records that have the trigrams of one of the phrases.
	Indexed float64
	term    *queryTerm
}

// IsIn reports whether a folded text certainly contains what the group looks for. Vocabulary.Groups must have been
// called for the query before.
func (g Group) IsIn(text string) bool {
	const certain = oneWrong
	if slices.ContainsFunc(g.term.longer, func(p Phrase) bool {
		return p.quality >= certain && strings.Contains(text, p.Text)
	}) {
		return true
	}
	d := searchTerms()
	words := textWords(d, text)
	if len(g.term.words) > 1 {
		return g.term.isIn([]Line{{Text: text}}, [][]textWord{words})
	}
	return slices.ContainsFunc(words, func(w textWord) bool { return g.term.quality(d, w.text) >= certain })
}

// Phrase is a text to look for, with its rarest trigrams, by which an index can find it. It has no trigrams if it is
// too short.
type Phrase struct {
	Text     string
	Trigrams []string
	quality  float64
}

// maxPhrases is the maximum number of phrases of a group.
const maxPhrases = 12

// Groups returns what to look for because of a query, the rarest first. It also sets how much the terms of the query
// count.
func (v *Vocabulary) Groups(q *Query) []Group {
	d := searchTerms()
	return v.groups(q, func(t *queryTerm) Group {
		g := v.group(v.similar(d, t), t)
		t.weight = t.importance(g.Share)
		return g
	})
}

// TypedGroups is Groups for the words as typed.
func (v *Vocabulary) TypedGroups(q *Query) []Group {
	return v.groups(q, func(t *queryTerm) Group { return v.group(map[string]float64{t.text: sameText}, t) })
}

// UnknownGroups is Groups for the words of the dictionary that the vocabulary does not have, because it is not
// complete. Words whose trigrams are common are left out, because finding them would take long. Groups must have been
// called before.
func (v *Vocabulary) UnknownGroups(q *Query) []Group {
	const rareShare = 0.005
	d := searchTerms()
	return v.groups(q, func(t *queryTerm) Group {
		found := map[string]float64{}
		for _, form := range d.mainForms(t) {
			if v.uses(form) == 0 && v.indexed(form, v.rarest(form)) <= rareShare {
				found[form] = sameMeaning
			}
		}
		return v.group(found, t)
	})
}

func (v *Vocabulary) groups(q *Query, group func(*queryTerm) Group) (groups []Group) {
	for _, t := range q.terms {
		if g := group(t); !t.stop && !t.aspect && len(g.Phrases) > 0 {
			g.term = t
			groups = append(groups, g)
		}
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(a.Share, b.Share) })
	return groups
}

// group returns the group of the texts that match a term, given how well.
func (v *Vocabulary) group(found map[string]float64, t *queryTerm) (g Group) {
	var all []Phrase
	for text, quality := range found {
		if quality < leastQuality {
			continue
		}
		if strings.Contains(text, " ") {
			t.longer = append(t.longer, Phrase{Text: text, quality: quality})
		}
		all = append(all, Phrase{Text: text, quality: quality})
	}
	slices.SortFunc(all, func(a, b Phrase) int {
		return cmp.Or(cmp.Compare(b.quality, a.quality), cmp.Compare(len(a.Text), len(b.Text)),
			cmp.Compare(a.Text, b.Text))
	})
	rows := 0
	for _, p := range all {
		if len(g.Phrases) == maxPhrases {
			break
		}
		if p.quality >= broader {
			rows += v.uses(p.Text)
		}
		if slices.ContainsFunc(g.Phrases, func(other Phrase) bool {
			return len(other.Trigrams) > 0 && strings.Contains(p.Text, other.Text)
		}) {
			continue // is found with the other one
		}
		spelled := v.spell(p)
		g.Phrases = append(g.Phrases, spelled...)
		g.Indexed += v.indexed(p.Text, spelled[0].Trigrams)
	}
	g.Share = min(1, float64(rows)/float64(max(1, v.texts)))
	return g
}

// spell returns what to look for because of a phrase. Short numbers are looked for only at the beginning of words,
// because they occur in most phone numbers.
func (v *Vocabulary) spell(p Phrase) (all []Phrase) {
	if !isShortNumber(p.Text) {
		p.Trigrams = v.rarest(p.Text)
		return []Phrase{p}
	}
	for _, before := range v.mostBefore() {
		number := Phrase{Text: string(before) + p.Text, quality: p.quality}
		if len(p.Text) >= 3 {
			number.Trigrams = []string{string(before) + p.Text[:2], p.Text[:3]}
		}
		all = append(all, number)
	}
	return all
}

// mostBefore returns the most frequent characters before short numbers: a space, or the last letter of a word that is
// written together with a number.
func (v *Vocabulary) mostBefore() []rune {
	const most = 6
	all := slices.SortedFunc(maps.Keys(v.before), func(a, b rune) int {
		return cmp.Or(cmp.Compare(v.before[b], v.before[a]), cmp.Compare(a, b))
	})
	return all[:min(len(all), most)]
}

// isShortNumber reports whether a word is a number like that of a room.
func isShortNumber(word string) bool {
	const most = 4
	return len(word) <= most && isNumber(word)
}

// indexed returns the estimated share of texts that have the trigrams of a text.
func (v *Vocabulary) indexed(text string, trigrams []string) float64 {
	uses := v.uses(text)
	if len(trigrams) > 0 && !isShortNumber(text) {
		uses = max(uses, int(v.frequency(trigrams[0])))
	}
	return min(1, float64(uses)/float64(max(1, v.texts)))
}

// similar returns the words and phrases that match a term, and how well.
func (v *Vocabulary) similar(d *dictionary, t *queryTerm) map[string]float64 {
	found := map[string]float64{t.text: sameText}
	add := func(words []string) {
		for _, w := range words {
			found[w] = max(found[w], t.quality(d, w))
		}
	}
	for _, also := range t.also {
		found[also] = sameSpelling
		for _, half := range halves(also) {
			found[half] = leastQuality
		}
	}
	if len(t.words) > 1 {
		for _, key := range v.keys[spellingKey(strings.Join(t.words, ""))] { // also written as one word
			found[key] = sameSpelling
		}
	}
	for _, word := range t.ownWords(d) {
		add(v.keys[spellingKey(word)])
		add(v.stems[stem(word)])
		for off := -2; off <= 2; off++ {
			if n := len(word) + off; allowedErrors(word) > 0 && n > 0 && n <= maxCompared {
				v.addMisspelled(found, word, v.lengths[n])
			}
		}
	}
	if t.category != "" {
		add([]string{t.category})
	}
	for c, words := range v.concepts {
		quality := t.relation(d, c)
		if quality < leastQuality {
			continue
		}
		for _, w := range words {
			if strings.Contains(w, " ") {
				found[w] = max(found[w], quality)
			} else {
				found[w] = max(found[w], t.quality(d, w))
			}
		}
	}
	return found
}

// addMisspelled adds the words that are like a word of a term apart from wrong letters.
func (v *Vocabulary) addMisspelled(found map[string]float64, word string, candidates []letterWord) {
	letters, most := lettersOf(word), 2*allowedErrors(word) // a wrong letter changes two letters of the set at most
	for _, c := range candidates {
		if bits.OnesCount32(letters^c.letters) > most {
			continue
		}
		if q := compareLetters(word, c.text); q > 0 {
			found[c.text] = max(found[c.text], q)
		}
	}
}

// halves returns the parts of a reference around its hyphen, one of which is right if one character is wrong.
func halves(reference string) []string {
	before, after, ok := strings.Cut(reference, "-")
	if !ok {
		return nil
	}
	return []string{before + "-", "-" + after}
}

// uses returns the number of texts that contain a word or phrase.
func (v *Vocabulary) uses(text string) int { return max(v.words[text].texts, v.phrases[text].texts) }

// rarest returns the two rarest trigrams of a text. Trigrams of letters and digits are preferred, because an index may
// not have others.
func (v *Vocabulary) rarest(text string) []string {
	const most = 2
	letters := []rune(text)
	var all []string
	for i := 0; i+3 <= len(letters); i++ {
		if t := string(letters[i : i+3]); !strings.ContainsFunc(t, func(r rune) bool { return !inWord(r) }) {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(v.frequency(a), v.frequency(b)) })
	return all[:min(most, len(all))]
}

const trigramLetters = 36 // digits and the letters a to z

// trigramNumber returns the number of a trigram of letters and digits, or -1 for another one.
func trigramNumber(trigram string) (n int) {
	if len(trigram) != 3 {
		return -1
	}
	for _, c := range []byte(trigram) {
		switch {
		case c >= 'a' && c <= 'z':
			n = n*trigramLetters + int(c-'a')
		case isDigit(c):
			n = n*trigramLetters + int(c-'0') + 26
		default:
			return -1
		}
	}
	return n
}

// frequency returns how often a trigram occurs, or 0 if it is not counted.
func (v *Vocabulary) frequency(trigram string) int32 {
	if n := trigramNumber(trigram); n >= 0 {
		return v.trigrams[n]
	}
	return 0
}

// mainForms returns a few words for the meanings of a term, in each language.
func (d *dictionary) mainForms(t *queryTerm) (forms []string) {
	const most, ofLanguage, least = 10, 2, 4
	for _, s := range t.senses {
		count := map[languages]int{}
		for _, f := range d.words[s.concept] {
			covered := slices.ContainsFunc(forms, func(other string) bool { return strings.Contains(f.text, other) })
			if len(f.text) < least || len(forms) >= most || covered || count[f.in] >= ofLanguage {
				continue
			}
			count[f.in]++
			forms = append(forms, f.text)
		}
	}
	return forms
}
