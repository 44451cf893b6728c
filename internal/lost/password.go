package lost

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How long a password is, in characters.
const (
	MinPassword = 10
	MaxPassword = 200
)

// worn are words that so many people take for a password that they are tried first. With a few digits or signs around
// them they are no better.
var worn = []string{
	"password", "passwort", "passw0rd", "motdepasse", "contraseña", "contrasena", "senha", "wachtwoord", "parola", "haslo", "heslo",
	"letmein", "welcome", "willkommen", "bienvenue", "iloveyou", "ichliebedich", "trustno", "admin", "administrator", "login", "master",
	"monkey", "dragon", "football", "baseball", "fussball", "superman", "batman", "princess", "sunshine", "shadow", "michael",
	"secret", "geheim", "hallo", "hello", "changeme", "default", "test", "guest", "user", "hotel", "reception", "frontdesk", "homeward",
	"lostandfound", "summer", "winter", "spring", "autumn", "sommer",
}

// rows are rows of keys and letters along which fingers walk.
var rows = []string{"abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "zxcvbnm", "yxcvbnm", "1qaz2wsx3edc4rfv5tgb"}

// CheckPassword says what is wrong with a password that a person chose. What is asked for is length: neither digits nor signs are,
// only that it is nothing that is tried first.
func CheckPassword(p *Problems, field, password string, u User) {
	const worthTrying = 6 // characters of a person's own name or address that are no longer a coincidence
	n, plain := utf8.RuneCountInString(password), strings.ToLower(strings.TrimSpace(password))
	local, domain, _ := strings.Cut(strings.ToLower(u.Email), "@")
	switch {
	case n < MinPassword || n > MaxPassword:
		p.Add(field, "out-of-range", "must have %d to %d characters", MinPassword, MaxPassword)
	case !utf8.ValidString(password):
		p.Add(field, "control-character", "must be text")
	case u.Email != "" && (plain == strings.ToLower(u.Email) || plain == local+domain),
		restWithout(plain, local, worthTrying), restWithout(plain, domain, worthTrying), restWithout(plain, strings.ToLower(u.Name), worthTrying):
		p.Add(field, "too-easy", "is mostly your own address or name, which is tried first; choose something else")
	case isWorn(plain) || isMonotone(plain) || isWalk(plain):
		p.Add(field, "too-easy", "is one of those that are tried first; three words that have nothing to do with each other are good")
	}
}

// restWithout tells whether a password is a text of some length and little else.
func restWithout(password, text string, least int) bool {
	const little = 4
	return utf8.RuneCountInString(text) >= least && strings.Contains(password, text) &&
		utf8.RuneCountInString(password)-utf8.RuneCountInString(text) <= little
}

// isWorn tells whether a password is one worn word, or the same one again and again, with digits and signs around it.
func isWorn(password string) bool {
	letters := strings.Map(func(r rune) rune {
		if plain, ok := lookalikes[r]; ok {
			r = plain
		}
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, strings.TrimFunc(password, func(r rune) bool { return !unicode.IsLetter(r) }))
	for _, word := range worn {
		if letters != "" && strings.ReplaceAll(letters, word, "") == "" {
			return true
		}
	}
	return false
}

// lookalikes are digits and signs that stand for letters.
var lookalikes = map[rune]rune{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', '$': 's', '!': 'i'}

// isMonotone tells whether a password has hardly any different characters.
func isMonotone(password string) bool {
	const few = 4
	seen := map[rune]bool{}
	for _, r := range password {
		seen[r] = true
	}
	return len(seen) < few
}

// isWalk tells whether a password is walks along rows of keys, there or back, and nothing else.
func isWalk(password string) bool {
	const least, longest = 3, 27 // of one walk
	left := []rune(password)
	for len(left) > 0 {
		n := min(len(left), longest)
		for n >= least && !onRow(string(left[:n])) {
			n--
		}
		if n < least {
			return len(left) < least && len(left) < len([]rune(password))
		}
		left = left[n:]
	}
	return true
}

func onRow(walk string) bool {
	back := []rune(walk)
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	for _, row := range rows {
		if strings.Contains(row+row[:1], walk) || strings.Contains(row+row[:1], string(back)) {
			return true
		}
	}
	return false
}
