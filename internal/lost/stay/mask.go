package stay

import (
	"strings"
	"unicode/utf8"

	"homeward/internal/lost"
)

const hidden = "***"

// MaskEmail returns an e-mail address of which only the first character and the domain can be read: a***@example.com.
func MaskEmail(address string) string {
	local, domain, ok := strings.Cut(address, "@")
	if !ok || local == "" {
		return ""
	}
	_, size := utf8.DecodeRuneInString(local)
	return local[:size] + hidden + "@" + domain
}

// MaskPhone returns a phone number of which only the calling code and the last three digits can be read: +49 *** 123.
func MaskPhone(number string) string {
	const shown = 3
	e164, ok := lost.ParsePhone(number)
	if !ok {
		return ""
	}
	code := lost.CallingCodeOf(e164)
	return "+" + code + " " + hidden + " " + e164[len(e164)-shown:]
}
