package lost

import "strings"

// MaxLanguage is the maximum length of a language tag.
const MaxLanguage = 35

func (c *check) language(f Field[string], field string, dst *string) {
	c.formatted(f, field, "invalid-language", "a language tag, such as de or pt-BR", MaxLanguage, ParseLanguage, dst)
}

// ParseLanguage accepts a well-formed BCP 47 tag: a language of two or three letters, optionally with a script, a
// region and more. The service need not support the language. The result has the usual case, such as zh-Hant-TW. It
// returns false for other input.
func ParseLanguage(s string) (string, bool) {
	parts := strings.Split(s, "-")
	if n := len(parts[0]); n < 2 || n > 3 || !lettersOnly(parts[0]) || len(s) > MaxLanguage {
		return "", false
	}
	parts[0] = strings.ToLower(parts[0])
	for i, p := range parts[1:] {
		if len(p) == 0 || len(p) > 8 || strings.ContainsFunc(p, func(r rune) bool {
			return !isLetter(r) && (r < '0' || r > '9')
		}) {
			return "", false
		}
		p = strings.ToLower(p)
		switch {
		case len(p) == 4 && lettersOnly(p):
			p = strings.ToUpper(p[:1]) + p[1:]
		case len(p) == 2:
			p = strings.ToUpper(p)
		}
		parts[i+1] = p
	}
	return strings.Join(parts, "-"), true
}

func lettersOnly(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !isLetter(r) })
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
