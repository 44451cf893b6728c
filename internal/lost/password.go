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

// worn lists the most common passwords, which attackers try first. Adding a few digits or signs does not make them
// better.
var worn = []string{
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

// rows are keyboard rows and alphabets, for passwords such as qwertz.
var rows = []string{
	"abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "zxcvbnm",
	"yxcvbnm", "1qaz2wsx3edc4rfv5tgb",
}

// CheckPassword adds what is wrong with a password that a person chose. It must be long and not easily guessed; digits
// and signs are not required.
func CheckPassword(p *Problems, field, password string, u User) {
	const worthTrying = 6 // shortest part of a person's own name or address that counts
	n, plain := utf8.RuneCountInString(password), strings.ToLower(strings.TrimSpace(password))
	local, domain, _ := strings.Cut(strings.ToLower(u.Email), "@")
	switch {
	case n < MinPassword || n > MaxPassword:
		p.Add(field, "out-of-range", "must have %d to %d characters", MinPassword, MaxPassword)
	case !utf8.ValidString(password):
		p.Add(field, "control-character", "must be text")
	case u.Email != "" && (plain == strings.ToLower(u.Email) || plain == local+domain),
		restWithout(plain, local, worthTrying), restWithout(plain, domain, worthTrying),
		restWithout(plain, strings.ToLower(u.Name), worthTrying):
		p.Add(field, "too-easy", "is mostly your own address or name, which is easy to guess; choose something else")
	case isWorn(plain) || isMonotone(plain) || isWalk(plain):
		p.Add(field, "too-easy", "is easy to guess; use three unrelated words, for example")
	}
}

// restWithout reports whether a password is a text of at least some length and little else.
func restWithout(password, text string, least int) bool {
	const little = 4
	return utf8.RuneCountInString(text) >= least && strings.Contains(password, text) &&
		utf8.RuneCountInString(password)-utf8.RuneCountInString(text) <= little
}

// isWorn reports whether a password is a common password, perhaps repeated, with digits and signs around it.
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

// lookalikes are digits and signs that replace letters.
var lookalikes = map[rune]rune{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', '$': 's', '!': 'i'}

// isMonotone reports whether a password has very few different characters.
func isMonotone(password string) bool {
	const few = 4
	seen := map[rune]bool{}
	for _, r := range password {
		seen[r] = true
	}
	return len(seen) < few
}

// isWalk reports whether a password consists of keyboard sequences, forward or backward.
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
