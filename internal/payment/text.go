package payment

import (
	"slices"
	"strings"
	"unicode"

	"homeward/internal/lost"
)

// line converts a text to a single line of limited length. It removes line breaks, control characters and characters
// that change the writing direction, so that user input cannot imitate other parts of the page.
func line(s string, most int) string {
	s = strings.Join(strings.Fields(strings.Map(plain, strings.ToValidUTF8(s, "\ufffd"))), " ")
	if len([]rune(s)) <= most {
		return s
	}
	return lost.Shorten(s, most-1)
}

// plain replaces invisible characters with a space or removes them. It keeps the zero-width joiner and non-joiner,
// because some scripts and emoji need them.
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

// locales lists the language codes that Stripe's checkout page supports.
const locales = "bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hr hu id it ja ko lt lv ms mt nb nl pl pt " +
	"pt-BR ro ru sk sl sv th tr vi zh zh-HK zh-TW"

// relatives maps language tags to Stripe's code for the same or a similar language.
var relatives = map[string]string{"no": "nb", "nn": "nb", "tl": "fil", "yue": "zh-HK", "zh-Hant": "zh-TW"}

// locale returns Stripe's code for a language tag, with the region or script if Stripe supports it. If Stripe does
// not support the language, it returns "auto", and Stripe uses the browser's language.
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

// email returns the address if Stripe accepts it, and "" otherwise. Stripe would not open a page with an address that
// it does not accept. On a page without an address, it asks the guest for one.
func email(s string) string {
	foreign := func(r rune) bool { return r <= ' ' || r > '~' }
	if len(s) > maxEmail || strings.ContainsFunc(s, foreign) || strings.Count(s, "@") != 1 {
		return ""
	}
	return s
}
