package match

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// readFigures reads dates, ages on children's clothes, sizes and lens strengths as a whole, because their figures
// belong together. It returns the text without dates, ages and strengths.
func readFigures(p *Profile, text string) string {
	if !hasFigures(text) && !strings.ContainsAny(text, "SMLX") {
		return text
	}
	text = hyphened.ReplaceAllString(text, "$1$2")
	text = dates.ReplaceAllStringFunc(text, func(date string) string {
		parts := strings.FieldsFunc(date, func(r rune) bool { return !unicode.IsDigit(r) })
		for i := range parts {
			parts[i] = strings.TrimLeft(parts[i], "0")
		}
		slices.Sort(parts[:2]) // day and month may be in either order
		year := parts[2]
		name := "date " + parts[0] + " " + parts[1] + " " + year[max(0, len(year)-2):]
		p.signs[name] = true
		p.mark(name, Number, false)
		return " "
	})
	text = ages.ReplaceAllStringFunc(text, func(age string) string {
		years := strings.FieldsFunc(age, func(r rune) bool { return !unicode.IsDigit(r) })
		name := "age " + strings.Join(years, " ")
		p.signs[name] = true
		p.mark(name, Number, false)
		return " "
	})
	text = serials.ReplaceAllStringFunc(text, func(parts string) string {
		const least = 10 // digits of a serial number, such as an IMEI
		whole := strings.NewReplacer(" ", "", "-", "").Replace(parts)
		if len(whole) < least {
			return parts
		}
		return parts + " " + whole
	})
	for word := range strings.FieldsFuncSeq(text, separatesSizes) {
		if size, is := sizes[word]; is {
			p.mark(size, Size, false)
		}
	}
	if !strings.ContainsAny(text, "+-") {
		return text
	}
	return strengths.ReplaceAllStringFunc(text, func(strength string) string {
		strength = strings.ReplaceAll(strength[strings.IndexAny(strength, "+-"):], ",", ".")
		name := "strength " + strings.TrimRight(strings.TrimRight(strength, "0"), ".")
		p.signs[name] = true
		p.mark(name, Number, false)
		return " "
	})
}

var (
	dates = regexp.MustCompile(`\b\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})\b`)
	ages  = regexp.MustCompile(`(?i)(?:^|\P{L})` +
		`(?:aged?|size|alter|größe|gr\.?|âge|taille|edad|talla|età|taglia) ?\d{1,2} ?[-–/] ?\d{1,2}\b` +
		`|\b\d{1,2} ?[-–/] ?\d{1,2} ?(?:y|yrs?|years|j|jahren?|ans|años|anni)\b`)
	hyphened  = regexp.MustCompile(`\b(\p{L}{1,4})-(\d)`)                        // WH-1000XM4 is WH1000XM4
	serials   = regexp.MustCompile(`\b\d{2,}(?:[ -]\d+){1,5}\b`)                 // 35-209900-176148-1 is one number
	strengths = regexp.MustCompile(`(?:^|[^\p{L}\d+-])[+-]\d(?:[.,]\d{1,2})?\b`) // 4-5 has none
)

// sizes maps the letters on clothes to sizes.
var sizes = map[string]string{
	"XXS": "small", "XS": "small", "S": "small", "M": "medium", "L": "large", "XL": "large", "XXL": "large",
	"XXXL": "large",
}

// separatesSizes reports whether a rune can be next to a size. In K.M. and S-Bahn, no letter is a size.
func separatesSizes(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;()/", r) }

// numbering lists words that introduce a figure that identifies one item, even if it is short.
var numbering = map[string]bool{
	"no": true, "nr": true, "number": true, "tag": true, "num": true, "nummer": true, "numero": true, "n": true,
	"locker": true, "marke": true, "strength": true, "size": true, "gr": true, "sz": true, "taille": true,
	"talla": true, "taglia": true, "grosse": true,
}

// modelReach is the maximum number of words between a product or brand and a figure of its model.
const modelReach = 3

// modelWords lists words that, like figures, distinguish models.
var modelWords = map[string]bool{
	"pro": true, "max": true, "mini": true, "plus": true, "ultra": true, "se": true, "air": true, "lite": true,
	"xs": true, "xr": true, "fe": true, "note": true, "fold": true, "flip": true, "edge": true,
}

// compareNumbers checks whether both subjects have identifying figures, but none in common. Figures of the same form,
// such as two numbers of three digits, are more likely to mean the same than others.
func compareNumbers(e *Evidence, request, found Profile) {
	if len(request.signs) == 0 || len(found.signs) == 0 || found.hasAnyFigure(request.signs) {
		return
	}
	e[otherFigure] = 1
	for mine := range request.signs {
		for theirs := range found.signs {
			if figureForm(mine) == figureForm(theirs) {
				e[otherNumber] = 1
			}
		}
	}
}

// figureForm returns the form of an identifying figure: its kind, or its number of digits.
func figureForm(figure string) string {
	if kind, _, named := strings.Cut(figure, " "); named {
		return kind
	}
	if !isNumber(figure) {
		return "code"
	}
	return strconv.Itoa(len(figure))
}

// hasAnyFigure reports whether a subject mentions any of the figures.
func (p Profile) hasAnyFigure(figures map[string]bool) bool {
	for name := range figures {
		if _, ok := p.marks[name]; ok {
			return true
		}
	}
	return false
}
