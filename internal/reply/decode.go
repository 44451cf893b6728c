package reply

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// decodeBase64 decodes as much as possible and ignores characters that are not part of the encoding.
func decodeBase64(encoded []byte) []byte {
	clean := make([]byte, 0, len(encoded))
	for _, c := range encoded {
		switch {
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '+', c == '/':
			clean = append(clean, c)
		}
	}
	if len(clean)%4 == 1 {
		clean = clean[:len(clean)-1]
	}
	n, _ := base64.RawStdEncoding.Decode(clean, clean) // the decoder never writes ahead of what it reads
	return clean[:n]
}

// decodeQuotedPrintable keeps what is not encoded correctly, as mail programs do.
func decodeQuotedPrintable(encoded []byte) []byte {
	out := make([]byte, 0, len(encoded))
	for line := range bytes.Lines(encoded) {
		text := bytes.TrimRight(line, " \t\r\n")
		end := "\r\n"
		if !bytes.HasSuffix(line, []byte("\n")) {
			end = ""
		}
		if bytes.HasSuffix(text, []byte("=")) {
			text, end = text[:len(text)-1], ""
		}
		for len(text) > 0 {
			if text[0] == '=' && len(text) >= 3 {
				if high, low := unhex(text[1]), unhex(text[2]); high >= 0 && low >= 0 {
					out = append(out, byte(high<<4|low))
					text = text[3:]
					continue
				}
			}
			out = append(out, text[0])
			text = text[1:]
		}
		out = append(out, end...)
	}
	return out
}

func unhex(c byte) int { return strings.IndexByte("0123456789abcdef", c|' ') }

// toUTF8 decodes a text. If the character set is missing or wrong, it is UTF-8 or else the one of Western Europe.
func toUTF8(text []byte, charset string) string {
	charset = strings.ToLower(strings.Trim(strings.TrimSpace(charset), `"'`))
	switch charset {
	case "", "utf-8", "utf8", "us-ascii", "ascii", "unknown-8bit", "default":
		if utf8.Valid(text) {
			return string(text)
		}
		if strings.HasPrefix(charset, "utf") && isMostlyUTF8(text) {
			return strings.ToValidUTF8(string(text), "\ufffd")
		}
		charset = "windows-1252"
	}
	if set, err := htmlindex.Get(charset); err == nil {
		if decoded, err := set.NewDecoder().Bytes(text); err == nil {
			return strings.ToValidUTF8(string(decoded), "\ufffd")
		}
	}
	if utf8.Valid(text) {
		return string(text)
	}
	decoded, err := charmap.Windows1252.NewDecoder().Bytes(text)
	if err != nil {
		return strings.ToValidUTF8(string(text), "\ufffd")
	}
	return string(decoded)
}

// isMostlyUTF8 reports whether a text is damaged UTF-8 and not in another character set.
func isMostlyUTF8(text []byte) bool {
	good, bad := 0, 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			bad++
		case size > 1:
			good++
		}
		text = text[size:]
	}
	return good > bad
}

// charsetReader decodes the words of a header.
func charsetReader(charset string, input io.Reader) (io.Reader, error) {
	text, err := io.ReadAll(io.LimitReader(input, maxFieldValue))
	if err != nil {
		return nil, fmt.Errorf("decode a header: %w", err)
	}
	return strings.NewReader(toUTF8(text, charset)), nil
}

// unwrapFlowed joins the lines of a text with format=flowed, RFC 3676.
func unwrapFlowed(text string, deleteSpace bool) string {
	var out strings.Builder
	joining, depth := false, 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		rest := strings.TrimLeft(line, ">")
		quotes := len(line) - len(rest)
		rest = strings.TrimPrefix(rest, " ") // added by the sender to protect the line
		if joining && quotes != depth {
			out.WriteByte('\n')
			joining = false
		}
		if !joining && quotes > 0 {
			out.WriteString(strings.Repeat(">", quotes) + " ")
		}
		depth = quotes
		joining = strings.HasSuffix(rest, " ") && rest != "-- "
		if joining && deleteSpace {
			rest = rest[:len(rest)-1]
		}
		out.WriteString(rest)
		if !joining {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// visible maps control characters to a space and removes characters that change the writing direction or are
// invisible. It keeps the joiners, because some scripts and emoji need them.
func visible(r rune) rune {
	switch {
	case r == '\n' || r == '\u200c' || r == '\u200d':
		return r
	case unicode.IsControl(r), unicode.Is(unicode.Zs, r):
		return ' '
	case unicode.Is(unicode.Cf, r):
		return -1
	default:
		return r
	}
}

// isVisible reports whether a text is valid and has no characters that visible changes.
func isVisible(text string) bool { return strings.Map(visible, text) == text }

// stripNUL removes the character that marks lines, see mark.
func stripNUL(r rune) rune {
	if r == 0 {
		return -1
	}
	return r
}
