package photo

import (
	"strings"
	"unicode"

	"homeward/internal/lost"
	"homeward/internal/lost/category"
)

// maxWords is the maximum number of words of a text that are read one by one.
const maxWords = 120

// Allowed reports whether the photo assistant may see photos of an item. It must not see identity papers and payment
// cards: neither those of such a category, nor items whose words mention one, such as a wallet with a passport.
func Allowed(i lost.Item) bool {
	if i.Category.IsIdentity() || category.SuggestFor(i).IsIdentity() {
		return false
	}
	for _, text := range []string{i.Description, i.Brand, i.Model, i.Notes, i.Claim.Proof} {
		if mentionsIdentity(text, i.Language) {
			return false
		}
	}
	return true
}

// mentionsIdentity reports whether a word, or two words together, name an identity paper or a payment card.
func mentionsIdentity(text, language string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	words = words[:min(len(words), maxWords)]
	for n, word := range words {
		if isIdentity(word, language) || n > 0 && isIdentity(words[n-1]+" "+word, language) ||
			isPartIdentity(word, language) {
			return true
		}
	}
	return false
}

// isPartIdentity reports whether a part of a word names an identity paper, if the word is in a script without spaces.
func isPartIdentity(word, language string) bool {
	const longest, maxRunes = 6, 200
	if !strings.ContainsFunc(word, isUnspaced) {
		return false
	}
	runes := []rune(word)
	runes = runes[:min(len(runes), maxRunes)]
	for from := range runes {
		for to := from + 2; to <= min(len(runes), from+longest); to++ {
			if isIdentity(string(runes[from:to]), language) {
				return true
			}
		}
	}
	return false
}

func isUnspaced(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }

func isIdentity(words, language string) bool {
	return category.Suggest(category.Texts{Description: words, Language: language}).IsIdentity()
}
