package app

import (
	"math"
	"strings"
	"unicode"
)

// guessableAdvice says what a secret must be, and how to replace one that was accepted by an earlier version.
const guessableAdvice = "harder to guess, such as the output of openssl rand -base64 32; if the database uses this " +
	"secret, set it as HOMEWARD_SECRET_OLD, then run homeward secret rotate"

// CheckSecret returns an error if HOMEWARD_SECRET is too short or too easy to guess.
func (c *Config) CheckSecret() error {
	switch {
	case c.Secret == "":
		return nil
	case len(c.Secret) < minSecret:
		return InvalidSetting("HOMEWARD_SECRET", "at least 16 characters")
	case isGuessable(c.Secret):
		return InvalidSetting("HOMEWARD_SECRET", guessableAdvice)
	}
	return nil
}

// minSecretBits is the estimated entropy below which a secret is refused. Sixteen random letters and digits have more.
const minSecretBits = 40

// isGuessable reports whether a secret is estimated to have too little entropy.
func isGuessable(secret string) bool { return secretBits(secret) < minSecretBits }

// commonInSecrets are words that people write where a secret belongs. Each counts as a single character.
var commonInSecrets = []string{
	"changeme", "change", "password", "passwort", "secret", "homeward", "example", "default", "please", "qwerty",
	"letmein", "admin", "test",
}

// secretBits estimates the entropy of a secret in bits. Repetitions, sequences such as 1234 or aaaa, and common words
// add nothing. Text that consists only of words is worth 2.5 bits per letter, because words are easier to guess than
// random letters. Other text is worth the logarithm of the number of different characters, for each character.
func secretBits(secret string) float64 {
	text := strings.ToLower(secret)
	for _, word := range commonInSecrets {
		text = strings.ReplaceAll(text, word, "\x00")
	}
	runes := dropPredictable([]rune(text))
	different := map[rune]bool{}
	onlyWords := true
	for _, r := range runes {
		different[r] = true
		onlyWords = onlyWords && !unicode.IsDigit(r) && !strings.ContainsRune("+/=", r)
	}
	perRune := math.Log2(float64(max(len(different), 1)))
	if onlyWords && !mixesCase(secret) {
		perRune = min(perRune, 2.5)
	}
	return perRune * float64(len(runes))
}

// dropPredictable returns the characters that follow neither from the previous two, as in aaa, 1234 or cba, nor from an
// earlier occurrence of the same four characters.
func dropPredictable(text []rune) (rest []rune) {
	const repeated = 4
	seen := map[string]bool{}
	for i, r := range text {
		if i >= 2 {
			step := r - text[i-1]
			if step == text[i-1]-text[i-2] && step >= -1 && step <= 1 {
				continue
			}
		}
		if i >= repeated-1 {
			last := string(text[i-repeated+1 : i+1])
			if seen[last] {
				continue
			}
			seen[last] = true
		}
		rest = append(rest, r)
	}
	return rest
}

// mixesCase reports whether capital letters occur elsewhere than at the beginning of words, as in random text.
func mixesCase(secret string) bool {
	before := ' '
	for _, r := range secret {
		if unicode.IsUpper(r) && unicode.IsLetter(before) && unicode.IsLower(before) {
			return true
		}
		before = r
	}
	return false
}
