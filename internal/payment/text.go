package payment

import (
	"slices"
	"strings"
	"unicode"

	"homeward/internal/lost"
)

// line reduces a text to one line of at most so many characters: without line breaks, control
// characters and characters that change the writing direction, so that no field of a record can
// imitate another part of the page.
func line(s string, most int) string {
	s = strings.Join(strings.Fields(strings.Map(plain, strings.ToValidUTF8(s, "\ufffd"))), " ")
	if len([]rune(s)) <= most {
		return s
	}
	return lost.Shorten(s, most-1)
}

// plain maps characters that are not shown to a space or to nothing. The two joiners stay, because
// scripts and emoji need them.
func plain(r rune) rune {
	const nonJoiner, joiner = '\u200c', '\u200d'
	switch {
	case unicode.IsControl(r) || unicode.IsSpace(r):
		return ' '
	case unicode.Is(unicode.Cf, r) && r != nonJoiner && r != joiner:
		return -1
	default:
		return r
	}
}

// locales are the languages of Stripe's page.
const locales = "bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hr hu id it ja ko lt lv ms mt nb nl pl pt " +
	"pt-BR ro ru sk sl sv th tr vi zh zh-HK zh-TW"

// relatives maps languages to Stripe's code for them.
var relatives = map[string]string{"no": "nb", "nn": "nb", "tl": "fil", "yue": "zh-HK", "zh-Hant": "zh-TW"}

// locale returns Stripe's language for a tag: with its region or script, without it, or "auto" for
// the browser's choice.
func locale(tag string) string {
	parts := strings.Split(tag, "-")
	for n := len(parts) - 1; n >= 0; n-- {
		wanted := parts[0]
		if n > 0 {
			wanted += "-" + parts[n]
		}
		if other, related := relatives[wanted]; related {
			wanted = other
		}
		if slices.Contains(strings.Fields(locales), wanted) {
			return wanted
		}
	}
	return "auto"
}

const maxEmail = 254

// email returns an address that Stripe accepts, or an empty string, with which Stripe asks the
// owner: a refused address would make the whole page fail.
func email(s string) string {
	foreign := func(r rune) bool { return r <= ' ' || r > '~' }
	if len(s) > maxEmail || strings.ContainsFunc(s, foreign) || strings.Count(s, "@") != 1 {
		return ""
	}
	return s
}
