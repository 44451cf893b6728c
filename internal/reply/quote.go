package reply

import (
	"slices"
	"strings"
	"unicode"
)

// maxLines is the number of lines of a text that are read.
const maxLines = 5000

// bodyLines returns the lines of the text parts of an e-mail. Of alternatives it takes the HTML one if preferHTML is
// set, because it is what the person wrote: programs wrap the plain one at 80 columns.
func bodyLines(parts []part, preferHTML bool) (lines []string) {
	for i := range parts {
		p := &parts[i]
		if !p.isText() || p.alternative > 0 && !isChosen(parts, p, preferHTML) {
			continue
		}
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, p.lines()...)
	}
	return lines[:min(maxLines, len(lines))]
}

// isChosen reports whether a part is the one to read of its alternatives.
func isChosen(parts []part, p *part, preferHTML bool) bool {
	want := "text/plain"
	if preferHTML {
		want = "text/html"
	}
	if p.media == want {
		return true
	}
	for i := range parts {
		if parts[i].alternative == p.alternative && parts[i].isText() && parts[i].media == want {
			return false
		}
	}
	return true
}

func (p *part) lines() []string {
	text := p.text()
	if p.media == "text/html" {
		return htmlLines(text)
	}
	if strings.EqualFold(p.params["format"], "flowed") {
		text = unwrapFlowed(text, strings.EqualFold(p.params["delsp"], "yes"))
	}
	return strings.Split(text, "\n")
}

// pictureIDs returns the Content-IDs of the pictures in a text.
func pictureIDs(lines []string) (ids []string) {
	for _, line := range lines {
		if id, is := strings.CutPrefix(strings.TrimLeft(line, ">"), markPicture); is {
			ids = append(ids, id)
		}
	}
	return ids
}

// joinLines returns the text of the lines, with at most one empty line between two others.
func joinLines(lines []string) string {
	var out strings.Builder
	blank := false
	for _, line := range lines {
		if strings.HasPrefix(strings.TrimLeft(line, ">"), mark) {
			continue
		}
		line = strings.TrimSpace(strings.Map(visible, line))
		if line == "" {
			blank = out.Len() > 0
			continue
		}
		if blank {
			out.WriteByte('\n')
		}
		blank = false
		out.WriteString(line + "\n")
	}
	return strings.TrimSpace(out.String())
}

// cutQuotes returns the lines that the person wrote: without quoted text and without their signature.
func cutQuotes(lines []string) []string {
	var kept []string
	for i := 0; i < len(lines); {
		line := lines[i]
		switch {
		case line == markEnd || isSeparator(line) || headerBlock(lines, i):
			return trimSignature(kept)
		case isForward(line):
			if !hasText(kept) {
				return trimSignature(lines[i+1:]) // the person forwarded something without a word
			}
			return trimSignature(kept)
		case isQuoted(line):
			if len(kept) == 0 || kept[len(kept)-1] != "" {
				kept = append(kept, "")
			}
			i++
		case line == markAttribution:
			if next := nextText(lines, i+1); next < len(lines) && !isQuoted(lines[next]) &&
				lines[next] != markAttribution {
				return trimSignature(kept)
			}
			i++
		case line == markSignature || isDashes(line):
			end := signatureEnd(lines, i+1)
			if line != markSignature && end == i {
				kept = append(kept, line)
			}
			i = max(i+1, end)
		default:
			n, ends := attribution(lines, i)
			if ends {
				return trimSignature(kept)
			}
			if n == 0 {
				kept = append(kept, unescapeFrom(line))
				n = 1
			}
			i += n
		}
	}
	return trimSignature(kept)
}

// isQuoted reports whether a line is quoted. Mail programs write ">From" for a line that begins with "From".
func isQuoted(line string) bool {
	line = strings.TrimLeft(line, " ")
	return (strings.HasPrefix(line, ">") || strings.HasPrefix(line, "＞")) && !strings.HasPrefix(line, ">From ")
}

func unescapeFrom(line string) string {
	if strings.HasPrefix(line, ">From ") {
		return line[1:]
	}
	return line
}

// nextText returns the index of the first line from i that is not empty.
func nextText(lines []string, i int) int {
	for i < len(lines) && strings.TrimSpace(strings.Map(visible, lines[i])) == "" {
		i++
	}
	return i
}

// isDashes reports whether a line separates the signature from the text.
func isDashes(line string) bool {
	line = strings.TrimRightFunc(line, unicode.IsSpace)
	return line == "--" || line == "- --"
}

// maxSignature is the number of lines of a signature. A longer text below two dashes is not one.
const maxSignature = 25

// signatureEnd returns the index of the line after a signature that begins at i: the end, or where a quote begins. It
// returns i-1 if the lines are too many for a signature.
func signatureEnd(lines []string, i int) int {
	n := 0
	for end := i; ; end++ {
		if end == len(lines) || lines[end] == markEnd || lines[end] == markAttribution || lines[end] == markBorder ||
			isQuoted(lines[end]) || isSeparator(lines[end]) || isForward(lines[end]) || headerBlock(lines, end) {
			return end
		}
		if k, _ := attribution(lines, end); k > 0 {
			return end
		}
		if strings.TrimSpace(lines[end]) != "" {
			n++
		}
		if n > maxSignature {
			return i - 1
		}
	}
}

// attribution reports whether the lines from i on introduce a quote, such as "On Monday, Anna wrote:". It returns how
// many lines that takes, and whether everything that follows is quoted.
func attribution(lines []string, i int) (n int, ends bool) {
	const maxWrapped, maxLength = 4, 500
	if strings.HasPrefix(lines[i], mark) || strings.TrimSpace(lines[i]) == "" {
		return 0, false
	}
	joined := ""
	for k := 0; k < maxWrapped && i+k < len(lines); k++ {
		line := strings.TrimSpace(strings.Map(visible, lines[i+k]))
		if line == "" || len(joined)+len(line) > maxLength || strings.HasPrefix(lines[i+k], mark) ||
			isQuoted(lines[i+k]) {
			return 0, false
		}
		joined = strings.TrimSpace(joined + " " + line)
		strength := introducesQuote(joined)
		if strength == 0 {
			continue
		}
		if k > 0 && laterStrength(lines[i+1:i+k+1]) >= strength {
			return 0, false // the sentence begins in a later line
		}
		next := nextText(lines, i+k+1)
		if next < len(lines) && isQuoted(lines[next]) {
			return k + 1, false
		}
		return k + 1, true
	}
	return 0, false
}

// laterStrength returns how well the sentence would fit if it began in one of these lines.
func laterStrength(lines []string) (strength int) {
	for i := range lines {
		joined := ""
		for _, line := range lines[i:] {
			joined = strings.TrimSpace(joined + " " + strings.TrimSpace(strings.Map(visible, line)))
		}
		strength = max(strength, introducesQuote(joined))
	}
	return strength
}

// trimSignature removes the lines that a program added below the text, such as "Sent from my phone".
func trimSignature(lines []string) []string {
	removed := 0
	for at := len(lines) - 1; at >= 0 && removed < 4; at-- {
		line := strings.TrimSpace(strings.Map(visible, lines[at]))
		if line == "" || strings.HasPrefix(lines[at], mark) {
			continue
		}
		if !isProgramLine(line) {
			break
		}
		lines = slices.Concat(lines[:at], lines[at+1:])
		removed++
	}
	return lines
}
