package message

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"homeward/internal/lost"
)

// line reduces a text to one line of at most limit characters. It removes line breaks, control characters and
// characters that change the writing direction, so that no field of a record can imitate another part of a message.
func line(s string, limit int) string {
	s = strings.Join(strings.Fields(strings.Map(plain, strings.ToValidUTF8(s, "\ufffd"))), " ")
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	cut := []rune(s)[:limit-1]
	for at := len(cut) - 1; at > limit*2/3; at-- { // cut at a space if there is one near the end
		if cut[at] == ' ' {
			cut = cut[:at]
			break
		}
	}
	return strings.TrimRight(string(cut), " ,;:.-") + "…"
}

// plain maps white space and control characters to a space, and removes other invisible characters. It keeps the two
// joiners, because some scripts and emoji need them.
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
	maxPerson   = 60
	maxPlace    = 80
	maxItem     = 200
	maxReason   = 1000
	maxSaid     = 300 // of a message in an SMS
	maxWhy      = 120
	maxFileName = 60
	maxSubject  = 160
)

// linkLike finds text in a name that a mail program would turn into a link. Anybody can file a report with somebody
// else's e-mail address, so the name could be used to advertise a site.
var linkLike = regexp.MustCompile(`[\pL\pN-]{2,}\.\pL{2,}|[/@:\\]`)

// personName joins names into one that is safe in a greeting or an address line. It returns an empty string if the
// name contains something like a link.
func personName(names ...string) string {
	name := line(strings.Join(names, " "), maxPerson)
	if linkLike.MatchString(name) {
		return ""
	}
	return name
}

// headerText makes a text safe for an e-mail header. It changes texts that look like a MIME encoded word, which mail
// programs would decode.
func headerText(s string, limit int) string {
	return strings.ReplaceAll(line(s, limit), "=?", "= ?")
}

// ascii replaces common characters that are not in the SMS alphabet: one such character more than halves the number
// of characters that fit into an SMS.
var ascii = strings.NewReplacer("…", "...", "’", "'", "‘", "'", "“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`,
	"–", "-", "—", "-", "\u00a0", " ", "\u202f", " ", "•", "-", "·", "-")

const maxQuoted = 200

var (
	address = regexp.MustCompile(`(?i)\b(https?:|www\.)\S*`)
	secret  = regexp.MustCompile(`[A-Za-z0-9_~+=-]{20,}`)
)

// quote shortens a server's reply for staff and the log. Servers may quote parts of the message, so quote removes the
// given secrets and everything that looks like a link or a token.
func quote(reply string, secrets ...string) string {
	for _, s := range secrets {
		if s != "" {
			reply = strings.ReplaceAll(reply, s, "…")
		}
	}
	reply = strings.Join(strings.Fields(strings.Map(plain, strings.ToValidUTF8(reply, "\ufffd"))), " ")
	return line(secret.ReplaceAllString(address.ReplaceAllString(reply, "…"), "…"), maxQuoted)
}

// secretsOf returns the secrets in a message: its link, the token in the link, and the token for replies.
func secretsOf(l lost.MessageData) []string {
	return []string{l.URL, l.URL[strings.LastIndexByte(l.URL, '/')+1:], l.ReplyToken}
}
