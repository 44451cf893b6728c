package i18n

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// decimals lists the ISO 4217 currencies whose minor unit is not a hundredth, with their number of decimal places.
// An amount without a currency has none, so that it is never taken for a hundredth.
var decimals = map[string]int{
	"":    0,
	"BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0,
	"RWF": 0, "UGX": 0, "UYI": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
	"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
	"CLF": 4, "UYW": 4,
}

// Money formats an amount that is given in minor units: 1250 and EUR become "€12.50". currency is an ISO 4217 code. If
// the currency has no well-known sign in the language, its code is shown.
func (l *Language) Money(minor int64, currency string) string {
	symbol := currency
	if key := "common.currency." + currency; l.Has(key) {
		symbol = l.Say(key)
	}
	pattern := "common.money.sign"
	if last, _ := utf8.DecodeLastRuneInString(symbol); unicode.IsLetter(last) {
		pattern = "common.money.code" // with a space between the code and the digits
	}
	sign, digits := split(minor)
	return sign + l.Say(pattern, "symbol", symbol, "amount", l.numbers.fraction(digits, places(currency)))
}

// PlainAmount formats an amount that is given in minor units for programs: 123450 and EUR become "1234.50".
func PlainAmount(minor int64, currency string) string {
	sign, digits := split(minor)
	return sign + numbers{decimal: ".", ungroup: len(digits)}.fraction(digits, places(currency))
}

// places returns the number of decimal places of a currency.
func places(currency string) int {
	if n, special := decimals[currency]; special {
		return n
	}
	return 2
}

// Has reports whether there is a text for a key, for keys that are built at run time.
func (l *Language) Has(key string) bool {
	_, _, known := l.message(key)
	return known
}

// Keys returns the keys of the texts that begin with a prefix, in no particular order.
func (l *Language) Keys(prefix string) (keys []string) {
	for key := range l.messages {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	return keys
}

// numbers holds a language's number format.
type numbers struct {
	group   string // the separator between thousands
	decimal string
	ungroup int // numbers with up to this many digits have no separator
}

var likeFive = regexp.MustCompile(`^12(\D*)345(\D+)6$`)

// numbersLike derives the number format from 1234.5 and 12345.6 as the language writes them. Both are needed because
// some languages write four digits without a separator.
func numbersLike(four, five string) numbers {
	signs := likeFive.FindStringSubmatch(five)
	if signs == nil {
		panic("i18n: " + five + " is not a format of 12345.6")
	}
	n := numbers{group: signs[1], decimal: signs[2], ungroup: 3}
	switch four {
	case "1" + n.group + "234" + n.decimal + "5":
	case "1234" + n.decimal + "5":
		n.ungroup = 4
	default:
		panic("i18n: " + four + " is not a format of 1234.5 that matches " + five)
	}
	return n
}

func (n numbers) whole(v int64) string {
	sign, digits := split(v)
	return sign + n.grouped(digits)
}

// fraction formats a number. digits holds all its digits, and places is how many of them are after the decimal point.
func (n numbers) fraction(digits string, places int) string {
	if places == 0 {
		return n.grouped(digits)
	}
	if missing := places + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - places
	return n.grouped(digits[:point]) + n.decimal + digits[point:]
}

func (n numbers) grouped(digits string) string {
	if len(digits) <= n.ungroup {
		return digits
	}
	first := (len(digits)-1)%3 + 1
	text := digits[:first]
	for rest := digits[first:]; rest != ""; rest = rest[3:] {
		text += n.group + rest[:3]
	}
	return text
}

// split returns the sign and the digits of a number.
func split(v int64) (sign, digits string) {
	s := strconv.FormatInt(v, 10)
	if digits, negative := strings.CutPrefix(s, "-"); negative {
		return "-", digits
	}
	return "", s
}
