package photo

import (
	"slices"
	"strings"
	"unicode"

	"homeward/internal/lost"
	"homeward/internal/lost/category"
)

// These are the bounds of what is read of a text. The assistant may not see photos of items with longer texts, because
// the rest may mention an identity paper.
const (
	maxWords     = 1000
	maxRunes     = 1000 // of a word in a script without spaces
	longestTerm  = 4    // words, such as permesso di soggiorno
	longestRunes = 6    // of a term in a script without spaces
)

// Allowed reports whether nothing says that an item is an identity paper or a payment card, of which nothing may be
// sent or suggested: neither those of such a category, nor items whose words mention one, such as a wallet with a
// passport.
func Allowed(i lost.Item) bool {
	if i.Category.IsIdentity() || category.SuggestFor(i).IsIdentity() {
		return false
	}
	for _, text := range texts(i) {
		if mentionsIdentity(text, i.Language) {
			return false
		}
	}
	return true
}

// MaySend reports whether a photo of an item may be sent to the photo assistant. Somebody must have said what the thing
// is, by a category or by words that have one: a photo of something unknown may show an identity paper.
func MaySend(i lost.Item) bool {
	return (i.Category != "" || category.SuggestFor(i) != "") && Allowed(i)
}

// MayForbid reports whether a change to an item could change the result of Allowed, which takes long.
func MayForbid(before, i lost.Item) bool {
	return i.Category != before.Category || i.Language != before.Language || !slices.Equal(texts(i), texts(before))
}

// texts returns the texts of an item that Allowed reads.
func texts(i lost.Item) []string {
	return []string{i.Description, i.Brand, i.Model, i.Notes, i.Claim.Proof}
}

// mentionsIdentity reports whether up to four words together name an identity paper or a payment card, or whether the
// text is too long to tell.
func mentionsIdentity(text, language string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	if len(words) > maxWords {
		return true
	}
	for n, word := range words {
		for end := n + 1; end <= min(len(words), n+longestTerm); end++ {
			if isIdentity(strings.Join(words[n:end], " "), language) {
				return true
			}
		}
		if isPartIdentity(word, language) {
			return true
		}
	}
	return false
}

// isPartIdentity reports whether a part of a word names an identity paper, if the word is in a script without spaces.
func isPartIdentity(word, language string) bool {
	if !strings.ContainsFunc(word, isUnspaced) {
		return false
	}
	runes := []rune(word)
	if len(runes) > maxRunes {
		return true
	}
	for from := range runes {
		for to := from + 2; to <= min(len(runes), from+longestRunes); to++ {
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
