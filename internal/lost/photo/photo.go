// Package photo contains what the photo assistant suggests about the thing in a photo: the rules that its answer must
// satisfy, and the rules that decide which photos it may see at all.
package photo

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"homeward/internal/lost"
)

// Facts are what somebody can see in a photo of a thing. Each may be missing.
type Facts struct {
	Category    lost.Category
	Colors      []Color // the main one first
	Brand       string
	Model       string
	Text        string // what is written on the thing
	Description string
}

// Report is the answer of the photo assistant.
type Report struct {
	Facts
	Face          bool // the photo shows somebody's face
	IdentityPaper bool // the photo shows an identity paper, a payment card or another personal document
}

// Discard reports whether nothing of the report may be stored.
func (r Report) Discard() bool { return r.Face || r.IdentityPaper || r.Category.IsIdentity() }

// Suggestion is what the photo assistant suggests for an item because of one of its photos.
type Suggestion struct {
	Account, LocationID, ItemID string
	ImageID                     string
	Assistant                   string // the name of the model that has seen the photo
	At                          time.Time
	Facts
}

// Color is the name of a colour.
type Color string

// Colors lists the colours that the assistant may name.
func Colors() []Color {
	return []Color{
		"black", "white", "grey", "silver", "gold", "red", "orange", "yellow", "green", "turquoise", "blue", "purple",
		"pink", "brown", "beige", "transparent", "multicoloured",
	}
}

// maxColors is the maximum number of colours of a thing.
const maxColors = 3

// Limits of texts, in characters. A longer text is not used at all, because its end may change its meaning.
const (
	maxBrand       = 60
	maxModel       = 80
	maxText        = 200
	maxDescription = 400
)

// Clean returns the facts without those that are not acceptable.
func (f Facts) Clean() Facts {
	if !slices.Contains(lost.Categories(), f.Category) {
		f.Category = ""
	}
	var colors []Color
	for _, c := range f.Colors {
		c = Color(strings.ToLower(strings.TrimSpace(string(c))))
		if slices.Contains(Colors(), c) && !slices.Contains(colors, c) && len(colors) < maxColors {
			colors = append(colors, c)
		}
	}
	f.Colors = colors
	f.Brand, f.Model = cleanText(f.Brand, maxBrand), cleanText(f.Model, maxModel)
	f.Text, f.Description = cleanText(f.Text, maxText), cleanText(f.Description, maxDescription)
	return f
}

// Empty reports whether there is no fact.
func (f Facts) Empty() bool {
	return f.Category == "" && len(f.Colors) == 0 && f.Brand == "" && f.Model == "" && f.Text == "" &&
		f.Description == ""
}

// emptyAnswers lists how models say that they see nothing.
var emptyAnswers = []string{
	"none", "unknown", "n/a", "na", "null", "nil", "not visible", "not applicable", "unbranded", "no brand", "no text",
	"no visible text", "unclear", "-", "?",
}

// cleanText returns a text on one line, or "" if it is not acceptable.
func cleanText(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	switch {
	case utf8.RuneCountInString(text) > limit, !utf8.ValidString(text), strings.ContainsFunc(text, isForbidden):
		return ""
	case slices.Contains(emptyAnswers, strings.ToLower(strings.Trim(text, ".()[] "))):
		return ""
	case !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }):
		return ""
	case link.MatchString(text) || address.MatchString(text) || number.MatchString(text):
		return ""
	}
	return text
}

// isForbidden reports whether a character has no place in a fact: control characters, invisible characters that change
// the direction or the look of text, and markup.
func isForbidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || r == utf8.RuneError ||
		strings.ContainsRune("<>{}`\\", r)
}

var (
	// link matches the beginning of a URL, and host names with a common ending.
	link = regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*:/|\bwww\.|\bjavascript:|\bdata:|` +
		`[\pL\d-]\.(com|net|org|info|biz|io|app|dev|shop|xyz|top|club|site|online|eu|de|at|ch|fr|it|es|pt|nl|be|pl|` +
		`uk|ie|us|ca|au|jp|cn|ru|me|tv|to|ly|gg)\b`)
	address = regexp.MustCompile(`\S@\S|\S\s*(\(at\)|\[at\])\s*\S`)
	// number matches seven digits or more, whatever is between them: phone numbers, and numbers of cards and papers.
	number = regexp.MustCompile(`(\pN[\s()/.+_-]*){7,}`)
)

// Merge returns the facts of several photos of one thing: each from the first suggestion that has it.
func Merge(all []Suggestion) (f Facts) {
	for _, s := range all {
		if f.Category == "" {
			f.Category = s.Category
		}
		if len(f.Colors) == 0 {
			f.Colors = s.Colors
		}
		for _, text := range []struct {
			to   *string
			from string
		}{{&f.Brand, s.Brand}, {&f.Model, s.Model}, {&f.Text, s.Text}, {&f.Description, s.Description}} {
			if *text.to == "" {
				*text.to = text.from
			}
		}
	}
	return f
}
