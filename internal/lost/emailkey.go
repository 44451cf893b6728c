package lost

import (
	"regexp"
	"strings"

	"golang.org/x/net/idna"
)

// EmailKey returns the form of an e-mail address that identifies a person. Addresses that differ only in the case of
// ASCII letters, or in the spelling of an international domain, have the same key. Unicode case folding is not
// suitable, because it makes addresses of different people equal.
func EmailKey(email string) string {
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
// the other case only if they are ASCII letters. The domain matches in every case, as in the Domain Name System.
func emailPattern(email string) string {
	local, _, _ := strings.Cut(email, "@")
	var b strings.Builder
	for _, r := range local {
		lower := lowerASCII(string(r))
		if upper := strings.ToUpper(lower); len(lower) == 1 && upper != lower {
			b.WriteString("[" + lower + upper + "]")
		} else {
			b.WriteString(regexp.QuoteMeta(lower))
		}
	}
	ascii, unicode := DomainSpellings(email)
	return b.String() + "@(?i:" + regexp.QuoteMeta(ascii) + "|" + regexp.QuoteMeta(unicode) + ")"
}
