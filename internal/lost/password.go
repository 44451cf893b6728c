package lost

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a password's length, in characters.
const (
	MinPassword = 10
	MaxPassword = 200
)

// commonPasswords lists common passwords, which attackers try first. Adding a few digits or symbols does not make
// them secure.
var commonPasswords = []string{
	"password", "passwort", "passw0rd", "motdepasse", "contraseña", "contrasena", "senha", "wachtwoord", "parola",
	"haslo", "heslo",
	"letmein", "welcome", "willkommen", "bienvenue", "iloveyou", "ichliebedich", "trustno", "admin", "administrator",
	"login", "master",
	"monkey", "dragon", "football", "baseball", "fussball", "superman", "batman", "princess", "sunshine", "shadow",
	"michael",
	"secret", "geheim", "hallo", "hello", "changeme", "default", "test", "guest", "user", "hotel", "reception",
	"frontdesk", "homeward",
	"lostandfound", "summer", "winter", "spring", "autumn", "sommer",
}

// sequences lists keyboard rows and alphabets, to detect passwords such as qwertz.
var sequences = []string{
	"abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "zxcvbnm",
	"yxcvbnm", "1qaz2wsx3edc4rfv5tgb",
}

// CheckPassword adds a problem if a new password is not acceptable. Passwords must be long and hard to guess. Digits
// and symbols are not required.
func CheckPassword(p *Problems, field, password string, u User) {
	const minPart = 6 // shortest part of the user's name or address that is checked
	n, plain := utf8.RuneCountInString(password), strings.ToLower(strings.TrimSpace(password))
	local, domain, _ := strings.Cut(strings.ToLower(u.Email), "@")
	switch {
	case n < MinPassword || n > MaxPassword:
		p.Add(field, "out-of-range", "must have %d to %d characters", MinPassword, MaxPassword)
	case !utf8.ValidString(password):
		p.Add(field, "control-character", "must be valid UTF-8 text")
	case u.Email != "" && (plain == strings.ToLower(u.Email) || plain == local+domain),
		isMostly(plain, local, minPart), isMostly(plain, domain, minPart),
		isMostly(plain, strings.ToLower(u.Name), minPart):
		p.Add(field, "too-easy",
			"is mostly your e-mail address or name, which is easy to guess; choose something else")
	case isCommon(plain) || isMonotone(plain) || isSequence(plain):
		p.Add(field, "too-easy", "is easy to guess; use three unrelated words, for example")
	}
}

// isMostly reports whether a password consists of a text and only a few other characters. Texts that are shorter than
// minLength are ignored.
func isMostly(password, text string, minLength int) bool {
	const maxRest = 4
	return utf8.RuneCountInString(text) >= minLength && strings.Contains(password, text) &&
		utf8.RuneCountInString(password)-utf8.RuneCountInString(text) <= maxRest
}

// isCommon reports whether a password is a common password, possibly repeated or surrounded by digits and symbols.
func isCommon(password string) bool {
	letters := strings.Map(func(r rune) rune {
		if plain, ok := lookalikes[r]; ok {
			r = plain
		}
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, strings.TrimFunc(password, func(r rune) bool { return !unicode.IsLetter(r) }))
	for _, word := range commonPasswords {
		if letters != "" && strings.ReplaceAll(letters, word, "") == "" {
			return true
		}
	}
	return false
}

// lookalikes maps digits and symbols to the letters that they replace.
var lookalikes = map[rune]rune{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', '$': 's', '!': 'i'}

// isMonotone reports whether a password has very few different characters.
func isMonotone(password string) bool {
	const minDistinct = 4
	seen := map[rune]bool{}
	for _, r := range password {
		seen[r] = true
	}
	return len(seen) < minDistinct
}

// isSequence reports whether a password consists of keyboard sequences, forward or backward.
func isSequence(password string) bool {
	const minLength, maxLength = 3, 27 // length of one sequence
	rest := []rune(password)
	for len(rest) > 0 {
		n := min(len(rest), maxLength)
		for n >= minLength && !inSequence(string(rest[:n])) {
			n--
		}
		if n < minLength {
			return len(rest) < minLength && len(rest) < len([]rune(password))
		}
		rest = rest[n:]
	}
	return true
}

func inSequence(text string) bool {
	reversed := []rune(text)
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	for _, sequence := range sequences {
		if strings.Contains(sequence+sequence[:1], text) || strings.Contains(sequence+sequence[:1], string(reversed)) {
			return true
		}
	}
	return false
}
