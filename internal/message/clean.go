package message

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"homeward/internal/lost"
)

// line makes one line of a text, at most so many characters long: without line breaks, control characters and characters that
// turn the direction of what follows, so that no field of a record can pretend to be another part of a message.
func line(s string, most int) string {
	s = strings.Join(strings.Fields(strings.Map(plain, strings.ToValidUTF8(s, "\ufffd"))), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	cut := []rune(s)[:most-1]
	for at := len(cut) - 1; at > most*2/3; at-- { // between words, if there is a gap near the end
		if cut[at] == ' ' {
			cut = cut[:at]
			break
		}
	}
	return strings.TrimRight(string(cut), " ,;:.-") + "…"
}

// plain maps what is not shown to a space or to nothing. The two joiners stay: scripts and emoji need them.
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

const (
	maxPerson  = 60
	maxPlace   = 80
	maxItem    = 200
	maxReason  = 1000
	maxWhy     = 120
	maxPaper   = 60
	maxSubject = 160
)

// persuasive finds in a name what a mail program would make a link of. Whoever files a report names anybody's
// address: their name must not be an advertisement.
var persuasive = regexp.MustCompile(`[\pL\pN-]{2,}\.\pL{2,}|[/@:\\]`)

// person makes a name fit for a greeting or an address line; empty where it is none.
func person(names ...string) string {
	name := line(strings.Join(names, " "), maxPerson)
	if persuasive.MatchString(name) {
		return ""
	}
	return name
}

// owner names the owner of an item in full.
func owner(o lost.Owner) string { return person(o.FirstName, o.LastName) }

// header makes a text fit for a header. What looks like an encoded word would be decoded by the receiver into anything at all.
func header(s string, most int) string {
	return strings.ReplaceAll(line(s, most), "=?", "= ?")
}

// ascii is what SMS are cheaper without: one other character halves what a message holds.
var ascii = strings.NewReplacer("…", "...", "’", "'", "‘", "'", "“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`,
	"–", "-", "—", "-", "\u00a0", " ", "\u202f", " ", "•", "-", "·", "-")

const maxQuoted = 200

var (
	address = regexp.MustCompile(`(?i)\b(https?:|www\.)\S*`)
	secret  = regexp.MustCompile(`[A-Za-z0-9_~+=-]{20,}`)
)

// quote gives what a server said, for staff and for the log: short, and without anything that opens a door. Servers quote what they were sent, so
// the secrets go by name, and whatever looks like a link or a token goes too.
func quote(said string, secrets ...string) string {
	for _, s := range secrets {
		if s != "" {
			said = strings.ReplaceAll(said, s, "…")
		}
	}
	said = strings.Join(strings.Fields(strings.Map(plain, strings.ToValidUTF8(said, "\ufffd"))), " ")
	return line(secret.ReplaceAllString(address.ReplaceAllString(said, "…"), "…"), maxQuoted)
}

// doors lists what is secret in a letter: its link, and the token alone.
func doors(l lost.Letter) []string {
	return []string{l.URL, l.URL[strings.LastIndexByte(l.URL, '/')+1:]}
}
