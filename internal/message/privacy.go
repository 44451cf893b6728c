package message

import (
	"strings"

	"homeward/internal/lost"
)

// privacy is the location's privacy notice at the end of an e-mail to a guest.
type privacy struct {
	Title      string // names the location
	URL        string // may be empty
	Paragraphs [][]string
}

// privacy returns the privacy notice, or nil if there is none. The desk does not get one.
func (s composer) privacy() *privacy {
	if s.toDesk() || s.Privacy.Empty() {
		return nil
	}
	return &privacy{
		Title: s.mail("message.privacy"), URL: line(s.Privacy.URL, lost.MaxURL),
		Paragraphs: paragraphs(s.Privacy.Text, lost.MaxPrivacyText),
	}
}

// paragraphs splits a text at its blank lines, and each paragraph into lines. Every line is cleaned by the function
// line, which keeps at most limit characters.
func paragraphs(text string, limit int) (all [][]string) {
	var lines []string
	for part := range strings.Lines(text + "\n\n") { // the blank line at the end completes the last paragraph
		if clean := line(part, limit); clean != "" {
			lines = append(lines, clean)
			continue
		}
		if len(lines) > 0 {
			all = append(all, lines)
		}
		lines = nil
	}
	return all
}
