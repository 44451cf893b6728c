package store

import (
	"context"
	"crypto/sha256"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"homeward/internal/lost"
)

// Fold returns the form of s used for searching and sorting. It ignores case, accents and Unicode
// compatibility forms. It is implemented in Go because the two databases fold text differently.
func Fold(s string) string {
	if isPlain(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(s) {
		if isAccent(r) || unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			continue // drop accents and invisible characters
		}
		if isToken(r) {
			r += tokenShift
		}
		if plain, ok := expandLetter(r); ok {
			b.WriteString(plain)
			continue
		}
		b.WriteRune(unicode.ToLower(unicode.ToUpper(r))) // maps ς to σ and ı to i
	}
	return norm.NFC.String(b.String()) // recomposes characters such as Korean and Japanese ones
}

// isPlain reports whether s is printable ASCII, like most text.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// isAccent reports whether r is an accent on Latin, Greek or Cyrillic letters. Marks in other
// scripts change the letter, so they are kept.
func isAccent(r rune) bool {
	return r >= 0x0300 && r <= 0x036f || r >= 0x1ab0 && r <= 0x1aff || r >= 0x1dc0 && r <= 0x1dff ||
		r >= 0x20d0 && r <= 0x20ff
}

// expandLetter returns the replacement for a letter that Unicode does not decompose, and whether it
// has one.
func expandLetter(r rune) (string, bool) {
	switch r {
	case 'ß', 'ẞ':
		return "ss", true
	case 'æ', 'Æ':
		return "ae", true
	case 'œ', 'Œ':
		return "oe", true
	case 'ø', 'Ø':
		return "o", true
	case 'ł', 'Ł':
		return "l", true
	case 'đ', 'Đ', 'ð', 'Ð':
		return "d", true
	case 'þ', 'Þ':
		return "th", true
	case 'ħ', 'Ħ':
		return "h", true
	}
	return "", false
}

// Words splits a search term into folded words.
func Words(term string) []string { return strings.Fields(Fold(term)) }

// searchText joins folded fields with line breaks, and replaces those in the fields by spaces. A search word contains
// no line break, so it cannot match across fields.
func searchText(fields ...string) string {
	folded := make([]string, len(fields))
	for i, f := range fields {
		folded[i] = lineBreaks.Replace(Fold(f))
	}
	return strings.Join(folded, "\n")
}

var lineBreaks = strings.NewReplacer("\n", " ", "\r", " ")

// Location tokens consist of private-use characters, which folded text never contains: Fold moves
// them to another private-use plane.
const (
	firstTokenRune = 0xe000
	lastTokenRune  = 0xf8ff
	tokenShift     = 0xf0000 - firstTokenRune
)

func isToken(r rune) bool { return r >= firstTokenRune && r <= lastTokenRune }

// locationToken returns three private-use characters derived from a location's id. They are a
// trigram in the search text of the location's items, which lets the index limit a search to the
// location. Two locations may share a token, so the query must also filter by location.
func locationToken(id string) string {
	sum := sha256.Sum256([]byte(id))
	token := make([]rune, 3)
	for i := range token {
		n := rune(sum[2*i])<<8 | rune(sum[2*i+1])
		token[i] = firstTokenRune + n%(lastTokenRune-firstTokenRune+1)
	}
	return string(token)
}

// SearchText is the text of an item that a search covers.
type SearchText struct {
	Number  int64 // newer items have higher numbers
	Text    string
	Horizon int64 // the position of the last change when it was read, see ChangedTexts
}

// OlderTexts returns the search texts of an account's newest items with numbers below before.
func (r reader) OlderTexts(ctx context.Context, account string, before int64, limit int) ([]SearchText, error) {
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	q.where("i.seq < " + q.arg(before))
	return r.searchTexts(ctx, q, "items_of_account", "i.seq DESC", limit)
}

// ChangedTexts returns the search texts of items that have changed since a position.
func (r reader) ChangedTexts(ctx context.Context, account string, after int64, limit int) ([]SearchText, error) {
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	q.where(itemChange + " >= " + q.arg(after))
	return r.searchTexts(ctx, q, "items_by_change", itemChange, limit)
}

func (r reader) searchTexts(ctx context.Context, q *query, index, order string, limit int) ([]SearchText, error) {
	rs, err := r.h.QueryPlanned(ctx, "SELECT i.seq, i.search, "+r.d.changes.horizon+" FROM items i"+r.d.useIndex(index)+
		q.clause()+" ORDER BY "+order+limitClause(limit), q.args...)
	return collect(rs, err, func(rs rows) (t SearchText, err error) {
		return t, rs.Scan(&t.Number, &t.Text, &t.Horizon)
	})
}

// SearchFields returns the names of the fields that the lines of a search text contain. A name is empty if the line
// has none.
func SearchFields() []string {
	return slices.Concat(termLines(), queryLines())
}

// termLines returns the names of the lines that terms and queries search. Lines are only added at the end, because the
// texts of items that nobody has changed since lack them.
func termLines() []string {
	names := []string{""} // the location's token
	for _, f := range lost.ItemFields() {
		if f.Search == lost.SearchByTerm && !slices.Contains(appendedFields, f.Name) {
			names = append(names, f.Name)
		}
	}
	return append(append(names, "reference", "reference"), appendedFields...)
}

// appendedFields are the fields that terms search whose lines come after the references, because they were added later.
var appendedFields = []string{"serialNumber", "finder.name", "finder.email", "finder.phone"}

// queryLines is like termLines, for the lines that only queries search.
func queryLines() (names []string) {
	for _, f := range lost.ItemFields() {
		if f.Search == lost.SearchByQuery {
			names = append(names, f.Name)
		}
	}
	return append(names, "category")
}

// firstQueryLine is the position of the first name of queryLines in SearchFields.
var firstQueryLine = sync.OnceValue(func() int { return len(termLines()) }) //nolint:gochecknoglobals // a fixed number

// SearchLines returns the lines of a search text, each with the position of its name in SearchFields.
func SearchLines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		n := 0
		for line := range strings.SplitSeq(text, "\n") {
			if rest, first := strings.CutPrefix(line, MoreFields); first {
				n, line = firstQueryLine(), rest
			}
			if !yield(n, line) {
				return
			}
			n++
		}
	}
}
