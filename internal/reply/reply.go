// Package reply reads e-mails that answer our messages.
//
// Parse extracts what a conversation needs from one received e-mail: the token of the reply address, the sender, the
// text that the person wrote, their photos, and whether a person wrote it at all. It does no I/O except for reading
// its argument. It accepts every input: damaged e-mails give as much as can be read, and memory and time are bounded.
//
// An e-mail proves nothing about its sender. Only the token decides which conversation an e-mail belongs to.
package reply

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"homeward/internal/lost"
)

// Kind says who or what wrote an e-mail.
type Kind string

// The kinds of e-mail. Only an Answer belongs in a conversation.
const (
	Answer    Kind = "answer"     // written by a person
	AutoReply Kind = "auto-reply" // an out-of-office notice, a read receipt or another automatic e-mail
	Bounce    Kind = "bounce"     // a mail server's report about one of our e-mails
	List      Kind = "list"       // a newsletter or an e-mail of a mailing list
	Loop      Kind = "loop"       // one of our own e-mails
)

// Limits of what Parse reads and returns.
const (
	MaxSize   = 64 << 20 // bytes of an e-mail; the rest is not read
	MaxPhotos = 10
	MaxPhoto  = 10 << 20 // bytes of one photo
	MaxText   = 20_000   // characters of Text
	MaxWhole  = 60_000   // characters of Whole

	maxSubject = 300 // characters, like those below
	maxFile    = 100
)

// Photo is a picture that came with an e-mail. Its content has not been decoded, only its format is known.
type Photo struct {
	Name    string // may be empty
	Type    string // image/jpeg, image/png, image/webp or image/heic
	Content []byte
}

// Message is a received e-mail.
type Message struct {
	Kind Kind

	// Token is the token of the reply address to which the e-mail was sent, in lower case. It is empty if there is
	// none, or more than one.
	Token string

	// Answers lists our messages that the e-mail refers to, by their lost.MessageID, newest first. If one of them is
	// known, it must belong to the conversation of the token. Answers never replaces the token.
	Answers []string

	From    string // the sender's address; anybody can write anything there
	ID      string // the Message-ID without angle brackets, or a hash of the e-mail if it has none
	Subject string

	// Text is what the person wrote, without quoted text and signature. Whole is the text with them; it usually
	// contains the secret link of our quoted e-mail.
	Text, Whole string
	Photos      []Photo
	// Omitted names the attachments that are not photos, or are beyond a limit, by their file names or media types.
	Omitted []string

	// Unreachable is the address that a bounce reports as permanently unreachable. Anybody can forge a bounce: it must
	// be the address to which the messages of the token's conversation are sent.
	Unreachable string
}

var errNoMessage = errors.New("the data is not an e-mail")

// Parse reads one received e-mail. It fails if reading fails, or if the data has no header of an e-mail.
func Parse(r io.Reader, self Self) (Message, error) {
	top, parts, err := readParts(r)
	if err != nil {
		return Message{}, fmt.Errorf("read an e-mail: %w", err)
	}
	if len(top.fields) == 0 {
		return Message{}, errNoMessage
	}
	m := Message{
		ID:      firstID(top.get("message-id")),
		Subject: lost.Shorten(decodeHeader(top.get("subject")), maxSubject-1),
		Token:   self.tokenOf(top),
		Answers: self.answered(top),
	}
	if from := addresses(top.get("from")); len(from) > 0 {
		m.From = from[0].Address
	}
	lines, pictures := m.addText(parts, self)
	m.addPhotos(parts, pictures)
	if m.Text == "" && len(m.Photos) == 0 { // the person wrote into the signature
		m.Text = lost.Shorten(joinLines(cutQuotes(withoutSignatures(lines))), MaxText-1)
	}
	self.classify(&m, top, parts)
	if m.ID == "" {
		sum := sha256.Sum256([]byte(m.From + "\n" + top.get("date") + "\n" + m.Subject + "\n" + m.Whole))
		m.ID = hex.EncodeToString(sum[:16]) + "@none"
	}
	return m, nil
}

// addText sets the texts. It returns all lines, and the Content-IDs of pictures and whether the person's own text
// contains them.
func (m *Message) addText(parts []part, self Self) (lines []string, pictures map[string]bool) {
	lines = self.endAtHeaders(bodyLines(parts, true))
	kept := cutQuotes(lines)
	if !hasText(kept) { // an HTML part may be empty, or only a quote that the plain part has not
		if plain := self.endAtHeaders(bodyLines(parts, false)); hasText(cutQuotes(plain)) {
			kept = cutQuotes(plain)
		}
	}
	pictures = map[string]bool{}
	for _, id := range pictureIDs(lines) {
		pictures[id] = false
	}
	for _, id := range pictureIDs(kept) {
		pictures[id] = true
	}
	m.Text = lost.Shorten(joinLines(kept), MaxText-1)
	m.Whole = lost.Shorten(joinLines(lines), MaxWhole-1)
	return lines, pictures
}

// withoutSignatures removes the marks of signatures, but not their text.
func withoutSignatures(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return line == markSignature || isDashes(line)
	})
}

func hasText(lines []string) bool { return joinLines(lines) != "" || len(pictureIDs(lines)) > 0 }

// Self describes our own e-mails.
type Self struct {
	Address string // the address that receives replies, such as lost@example.com; replies go to lost+TOKEN@example.com
	From    string // the sender of our e-mails; may be empty if it is Address
	Host    string // the host in our Message-IDs
}

// The lengths of tokens. They consist of letters, digits, hyphens and underscores. Mail servers may change the case of
// letters, so tokens must not differ only in case.
const minToken, maxToken = 8, 40

// token returns the token in an address, or an empty string.
func (s Self) token(address string) string {
	local, domain, _ := splitAddress(strings.ToLower(address))
	ownLocal, ownDomain, ok := splitAddress(strings.ToLower(s.Address))
	token, found := strings.CutPrefix(local, ownLocal+"+")
	if !ok || !found || domain != ownDomain || len(token) < minToken || len(token) > maxToken {
		return ""
	}
	for _, c := range []byte(token) {
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return ""
		}
	}
	return token
}

// tokenOf returns the token of the addresses to which an e-mail was sent. The addresses that mail servers record are
// more reliable than those that the sender wrote. Several different tokens count as none.
func (s Self) tokenOf(h header) string {
	for _, names := range [][]string{
		{"delivered-to", "x-original-to", "envelope-to"},
		{"to", "cc", "resent-to"},
	} {
		var tokens []string
		for _, name := range names {
			for _, value := range h.all(name) {
				tokens = append(tokens, s.tokens(value)...)
			}
		}
		slices.Sort(tokens)
		tokens = slices.Compact(tokens)
		if len(tokens) == 1 {
			return tokens[0]
		}
		if len(tokens) > 1 {
			return ""
		}
	}
	return ""
}

// tokens returns the tokens in the addresses of a header field.
func (s Self) tokens(value string) (tokens []string) {
	for _, a := range addresses(value) {
		if t := s.token(a.Address); t != "" {
			tokens = append(tokens, t)
		}
	}
	return tokens
}

// maxAnswers is the number of Message-IDs that are read from one field.
const maxAnswers = 50

// answered returns the ids of our messages in In-Reply-To and References.
func (s Self) answered(h header) (ids []string) {
	references := messageIDs(h.get("references"))
	slices.Reverse(references)
	all := slices.Concat(messageIDs(h.get("in-reply-to")), references)
	for _, full := range all[:min(maxAnswers, len(all))] {
		if id, ok := s.ownID(full); ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// ownID returns the id of our message with a Message-ID.
func (s Self) ownID(messageID string) (string, bool) {
	id, host, _ := splitAddress(messageID)
	return id, lost.IsID(lost.MessageID, id) && strings.EqualFold(host, s.Host)
}

// isOwn reports whether an address is one of ours, with or without a token.
func (s Self) isOwn(address string) bool {
	return address != "" && (strings.EqualFold(address, s.Address) || strings.EqualFold(address, s.From) ||
		s.token(address) != "")
}

// splitAddress splits an e-mail address or a Message-ID around the last @.
func splitAddress(text string) (local, host string, found bool) {
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+1:], true
}
