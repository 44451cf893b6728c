package lost

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// EmailKey returns the form of an e-mail address that identifies a person. Addresses that differ only in the case of
// ASCII letters, in the spelling of an international domain, or in whether letters and their accents are composed have
// the same key. Unicode case folding and the forms for compatibility are not suitable, because they make addresses of
// different people equal.
func EmailKey(email string) string { return EarlierEmailKey(composed(email)) }

// composed returns a text in the Unicode form NFC, but keeps signs that NFC replaces with a letter that looks the same,
// such as the Kelvin sign.
func composed(text string) string {
	var b strings.Builder
	start := 0
	for at, r := range text {
		if isLookAlike(r) {
			b.WriteString(norm.NFC.String(text[start:at]) + string(r))
			start = at + len(string(r))
		}
	}
	return b.String() + norm.NFC.String(text[start:])
}

// isLookAlike reports whether NFC replaces a character with another single one.
func isLookAlike(r rune) bool {
	other := norm.NFC.String(string(r))
	return other != string(r) && utf8.RuneCountInString(other) == 1
}

// EarlierEmailKey returns the key that earlier versions stored for an address. They did not compose letters.
func EarlierEmailKey(email string) string {
	local, domain, found := strings.Cut(email, "@")
	if !found {
		return lowerASCII(email)
	}
	if ascii, err := idna.Lookup.ToASCII(domain); err == nil {
		domain = ascii
	}
	return lowerASCII(local) + "@" + lowerASCII(domain)
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// AddressKey returns the EmailKey of an e-mail address, or the PhoneKey of a phone number in E.164 format.
func AddressKey(address string) string {
	switch {
	case strings.Contains(address, "@"):
		return EmailKey(address)
	case strings.HasPrefix(address, "+"):
		return PhoneKey(address)
	default:
		return address
	}
}

// SameAddress reports whether two e-mail addresses or phone numbers belong to the same person.
func SameAddress(a, b string) bool { return a == b || AddressKey(a) == AddressKey(b) }

// DomainSpellings returns the ASCII and Unicode spellings of the domain of an e-mail address. For most addresses, they
// are equal.
func DomainSpellings(email string) (ascii, unicode string) {
	_, ascii, _ = strings.Cut(EmailKey(email), "@")
	unicode, err := idna.Lookup.ToUnicode(ascii)
	if err != nil {
		unicode = ascii
	}
	return ascii, unicode
}

// emailPattern returns a regular expression for the spellings of an e-mail address. Letters of the local part match
// the other case only if they are ASCII letters. They match composed with their accents, and decomposed. The domain
// matches in every case, as in the Domain Name System.
func emailPattern(email string) string {
	local, _, _ := strings.Cut(composed(email), "@")
	var b strings.Builder
	for _, r := range local {
		lower := lowerASCII(string(r))
		if upper := strings.ToUpper(lower); len(lower) == 1 && upper != lower {
			b.WriteString("[" + lower + upper + "]")
		} else {
			b.WriteString(composedOrNot(lower))
		}
	}
	ascii, unicode := DomainSpellings(email)
	return b.String() + "@(?i:" + composedOrNot(ascii) + "|" + composedOrNot(unicode) + ")"
}

// composedOrNot returns a regular expression for a text in the Unicode forms NFC and NFD.
func composedOrNot(text string) string {
	decomposed := norm.NFD.String(text)
	if decomposed == text || composed(decomposed) != text { // the second is true for a sign that looks like a letter
		return regexp.QuoteMeta(text)
	}
	return "(?:" + regexp.QuoteMeta(text) + "|" + regexp.QuoteMeta(decomposed) + ")"
}
