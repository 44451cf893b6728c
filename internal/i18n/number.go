package i18n

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// The errors of ParseDecimal.
var (
	ErrNotNumber = errors.New("not a number")
	ErrAmbiguous = errors.New("a number that can be read in two ways")
)

// FormAmount formats an amount that is given in minor units for a form field: with the decimal mark of the language,
// without the currency and without separators between thousands.
func (l *Language) FormAmount(minor int64, currency string) string {
	sign, digits := split(minor)
	plain := numbers{decimal: l.numbers.decimal, ungroup: len(digits)}
	return sign + plain.fraction(digits, places(currency))
}

// ParseAmount parses an amount that a person has typed, and returns it in minor units. See ParseDecimal.
func (l *Language) ParseAmount(text, currency string) (int64, error) {
	return l.ParseDecimal(text, places(currency))
}

var (
	spaced  = regexp.MustCompile(`^\d{1,3}(?:[ \x{a0}\x{202f}'’]\d{3})+(?:[.,]\d*)?$`)
	spaces  = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "'", "", "’", "")
	grouped = regexp.MustCompile(`^[1-9]\d{0,2}(?:\.\d{3})+$|^[1-9]\d{0,2}(?:,\d{3})+$`)
	decimal = regexp.MustCompile(`^(\d+)(?:[.,](\d*))?$`)
	mixed   = regexp.MustCompile(`^(\d{1,3}(?:\.\d{3})+),(\d*)$|^(\d{1,3}(?:,\d{3})+)\.(\d*)$`)
)

// ParseDecimal parses a number that a person has typed, and returns it multiplied by 10 to the power of places. The
// decimal mark can be a point or a comma, whatever the language, and thousands can be separated: 1.234,50 and 1,234.50
// are the same. If one sign could be either, as in 1.234, it returns ErrAmbiguous, unless the number can have no
// decimal places, or it can have three and the sign is the decimal mark of the language. It returns ErrNotNumber for
// other text, negative numbers and numbers with more decimal places.
func (l *Language) ParseDecimal(text string, places int) (int64, error) {
	text = strings.TrimSpace(text)
	if spaced.MatchString(text) {
		text = spaces.Replace(text)
	}
	thousands := strings.NewReplacer(".", "", ",", "")
	if m := mixed.FindStringSubmatch(text); m != nil {
		text = thousands.Replace(m[1]+m[3]) + "." + m[2] + m[4]
	} else if grouped.MatchString(text) {
		once := strings.Count(text, ".")+strings.Count(text, ",") == 1
		switch decimals := places >= 3 && strings.Contains(text, l.DecimalMark()); {
		case once && decimals:
		case once && places > 0:
			return 0, ErrAmbiguous
		default:
			text = thousands.Replace(text)
		}
	}
	m := decimal.FindStringSubmatch(text)
	if m == nil || len(m[2]) > places {
		return 0, ErrNotNumber
	}
	n, err := strconv.ParseInt(m[1]+m[2]+strings.Repeat("0", places-len(m[2])), 10, 64)
	if err != nil {
		return 0, ErrNotNumber
	}
	return n, nil
}
