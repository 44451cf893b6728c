package match

import (
	"cmp"
	"slices"
	"strings"
)

// Vocabulary holds the words of an account's records. It tells which of them a query may mean, and how frequent they
// are. It need not be complete: a word that it lacks is found if it is typed as it is written.
type Vocabulary struct {
	texts    int
	words    map[string]wordUse
	phrases  map[string]wordUse // terms of the dictionary that have several words
	concepts map[*concept][]string
	keys     map[string][]string // words by spellingKey
	stems    map[string][]string
	lengths  [maxCompared + 1][]string // words that may be misspelled, by length
	trigrams [trigramLetters * trigramLetters * trigramLetters]int32
}

// wordUse counts the texts that contain a word.
type wordUse struct{ texts, last int }

// maxVocabulary is the maximum number of words in a vocabulary. Rare words beyond it are left out.
const maxVocabulary = 40_000

// NewVocabulary creates an empty vocabulary.
func NewVocabulary() *Vocabulary {
	return &Vocabulary{
		words: map[string]wordUse{}, phrases: map[string]wordUse{}, concepts: map[*concept][]string{},
		keys: map[string][]string{}, stems: map[string][]string{},
	}
}

// Texts returns the number of texts that were added.
func (v *Vocabulary) Texts() int { return v.texts }

// Add adds the words of a record's text, which must be folded. Its lines are its fields.
func (v *Vocabulary) Add(text string) {
	d := searchTerms()
	v.texts++
	for line := range strings.SplitSeq(text, "\n") {
		words := textWords(d, line)
		for i, w := range words {
			v.addWord(d, w.text)
			if w.whole {
				continue
			}
			key := w.text
			for _, next := range words[i+1 : min(len(words), i+1+2*d.longest[w.text])] {
				if next.whole || next.begin == w.begin {
					continue
				}
				key += " " + next.text
				if senses := d.forms[key]; len(senses) > 0 {
					v.addPhrase(line[w.begin:next.end], senses)
				}
			}
		}
		for i := 0; i+3 <= len(line); i++ {
			if n := trigramNumber(line[i : i+3]); n >= 0 {
				v.trigrams[n]++
			}
		}
	}
}

func (v *Vocabulary) addWord(d *dictionary, word string) {
	use, known := v.words[word]
	if use.last == v.texts || !known && len(v.words) >= maxVocabulary {
		return
	}
	v.words[strings.Clone(word)] = wordUse{use.texts + 1, v.texts}
	if known {
		return
	}
	word = strings.Clone(word)
	key := spellingKey(word)
	v.keys[key] = append(v.keys[key], word)
	if hasFigures(word) || len(word) > maxCompared {
		return
	}
	root := stem(word)
	v.stems[root] = append(v.stems[root], word)
	for _, s := range d.known(word) {
		v.concepts[s.concept] = merge(v.concepts[s.concept], []string{word})
	}
	if allowedErrors(word) > 0 {
		v.lengths[len(word)] = append(v.lengths[len(word)], word)
	}
}

func (v *Vocabulary) addPhrase(phrase string, senses []sense) {
	use, known := v.phrases[phrase]
	if use.last == v.texts {
		return
	}
	v.phrases[strings.Clone(phrase)] = wordUse{use.texts + 1, v.texts}
	if known {
		return
	}
	for _, s := range senses {
		v.concepts[s.concept] = merge(v.concepts[s.concept], []string{phrase})
	}
}

// textWord is a word of a text.
type textWord struct {
	text       string
	begin, end int  // its position in the text
	number     int  // of the word in the text
	whole      bool // it has punctuation in it, and its parts follow
}

// textWords returns the words of a folded text. A word with punctuation in it, such as a name or a model, is followed
// by its parts.
func textWords(d *dictionary, text string) (words []textWord) {
	at, number := 0, 0
	for field := range strings.FieldsSeq(text) {
		begin := at + strings.Index(text[at:], field)
		at = begin + len(field)
		trimmed := strings.TrimLeftFunc(field, func(r rune) bool { return !inWord(r) })
		begin += len(field) - len(trimmed)
		trimmed = strings.TrimRightFunc(trimmed, func(r rune) bool { return !inWord(r) })
		if trimmed == "" {
			continue
		}
		parts := splitWord(d, trimmed)
		if len(parts) != 1 || parts[0] != trimmed {
			words = append(words, textWord{trimmed, begin, begin + len(trimmed), number, true})
		}
		for _, part := range parts {
			begin += strings.Index(text[begin:], part)
			words = append(words, textWord{part, begin, begin + len(part), number, false})
			begin += len(part)
			number++
		}
	}
	return words
}

// Group is what a search looks for because of one term of a query: texts that contain any of the phrases.
type Group struct {
	Phrases []Phrase
	Share   float64 // the estimated share of records that contain one of the phrases
	// Indexed is the estimated share of records that have the trigrams of one of the phrases.
	Indexed float64
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
// complete. Groups must have been called before.
func (v *Vocabulary) UnknownGroups(q *Query) []Group {
	d := searchTerms()
	return v.groups(q, func(t *queryTerm) Group {
		found := map[string]float64{}
		for _, form := range d.mainForms(t) {
			if v.uses(form) == 0 {
				found[form] = sameMeaning
			}
		}
		return v.group(found, t)
	})
}

func (v *Vocabulary) groups(q *Query, group func(*queryTerm) Group) (groups []Group) {
	for _, t := range q.terms {
		if g := group(t); !t.stop && !t.aspect && len(g.Phrases) > 0 {
			groups = append(groups, g)
		}
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(a.Share, b.Share) })
	return groups
}

// group returns the group of the texts that match a term, given how well.
func (v *Vocabulary) group(found map[string]float64, t *queryTerm) (g Group) {
	if t.longer == nil {
		t.longer = map[string]float64{}
	}
	var all []Phrase
	for text, quality := range found {
		if quality < leastQuality {
			continue
		}
		if strings.Contains(text, " ") {
			t.longer[text] = quality
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
		for _, p := range v.spell(p) {
			g.Phrases = append(g.Phrases, p)
			g.Indexed += v.indexed(p)
		}
	}
	g.Share = min(1, float64(rows)/float64(max(1, v.texts)))
	return g
}

// spell returns what to look for because of a phrase. Short numbers are looked for only at the beginning of words,
// because they occur in most phone numbers.
func (v *Vocabulary) spell(p Phrase) []Phrase {
	const short = 4
	if !isNumber(p.Text) || len(p.Text) > short {
		p.Trigrams = v.rarest(p.Text)
		return []Phrase{p}
	}
	if len(p.Text) < 3 {
		return []Phrase{{Text: " " + p.Text, quality: p.quality}, {Text: "\n" + p.Text, quality: p.quality}}
	}
	return []Phrase{
		{Text: " " + p.Text, Trigrams: []string{" " + p.Text[:2], p.Text[:3]}, quality: p.quality},
		{Text: "\n" + p.Text, Trigrams: []string{"\n" + p.Text[:2], p.Text[:3]}, quality: p.quality},
	}
}

// indexed returns the estimated share of texts that have the trigrams of a phrase.
func (v *Vocabulary) indexed(p Phrase) float64 {
	uses := v.uses(strings.TrimSpace(p.Text))
	if len(p.Trigrams) > 0 && !isNumber(strings.TrimSpace(p.Text)) {
		uses = max(uses, int(v.frequency(p.Trigrams[0])))
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
				v.addMisspelled(found, t, word, v.lengths[n])
			}
		}
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
func (v *Vocabulary) addMisspelled(found map[string]float64, t *queryTerm, word string, candidates []string) {
	for _, c := range candidates {
		if q := compareLetters(word, c); q > 0 {
			found[c] = max(found[c], q, t.known[c])
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
