package reply

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// Limits of one e-mail. What exceeds them is skipped.
const (
	maxDepth     = 12  // multiparts inside each other
	maxParts     = 300 // including multiparts
	maxTextPart  = 2 << 20
	maxStatus    = 64 << 10             // a report, or the beginning of a returned e-mail
	maxImagePart = MaxPhoto*11/8 + 4096 // base64, with line ends
	maxKept      = 48 << 20
)

// part is a part of an e-mail that is not a multipart.
type part struct {
	header      header
	media       string
	params      map[string]string
	disposition string // inline, attachment or empty
	name        string // the file name
	alternative int    // which multipart/alternative it is in; 0 if in none
	body        []byte // encoded
	cut         bool   // the body was longer than the limit
	open        bool   // the e-mail ended before the part did
}

// reader splits an e-mail into its parts in one pass.
type reader struct {
	open         []multipart
	parts        []part
	seen         int // parts, including multiparts
	alternatives int
	kept         int

	top      header
	inHeader bool
	fields   bytes.Buffer // the lines of the current header
	current  *part        // the part whose body is being read; nil if the body is skipped
	limit    int          // of the body
}

type multipart struct {
	boundary    []byte
	alternative int
	digest      bool
}

// readParts reads an e-mail.
func readParts(r io.Reader) (header, []part, error) {
	p := &reader{inHeader: true}
	in := bufio.NewReaderSize(io.LimitReader(r, MaxSize), 64<<10)
	start := true // line is the start of a line, not a later piece of a very long one
	for {
		line, err := in.ReadSlice('\n')
		if len(line) > 0 {
			p.line(line, start)
		}
		start = !errors.Is(err, bufio.ErrBufferFull)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && start {
			return header{}, nil, err
		}
	}
	if p.inHeader {
		p.endHeader()
	}
	if p.current != nil {
		p.current.open = len(p.open) > 0
	}
	p.endBody()
	return p.top, p.parts, nil
}

func (p *reader) line(line []byte, start bool) {
	if start && len(p.open) > 0 && bytes.HasPrefix(line, []byte("--")) && p.isBoundary(line) {
		return
	}
	if p.inHeader {
		if start && len(bytes.TrimRight(line, "\r\n")) == 0 {
			if p.seen == 0 && p.fields.Len() == 0 {
				return // an empty line before the header
			}
			p.endHeader()
			return
		}
		if p.fields.Len()+len(line) <= maxHeaderBytes {
			p.fields.Write(line)
		}
		return
	}
	if p.current == nil {
		return
	}
	if len(p.current.body)+len(line) > p.limit || p.kept+len(line) > maxKept {
		p.current.cut = true
		return
	}
	p.kept += len(line)
	p.current.body = append(p.current.body, line...)
}

// isBoundary reports whether a line separates two parts. If so, it ends the current part.
func (p *reader) isBoundary(line []byte) bool {
	text := bytes.TrimRight(line[2:], " \t\r\n")
	for i := len(p.open) - 1; i >= 0; i-- {
		rest, found := bytes.CutPrefix(text, p.open[i].boundary)
		if !found || len(rest) > 0 && string(rest) != "--" {
			continue
		}
		if p.inHeader { // the part has no body
			p.endHeader()
		}
		p.endBody()
		p.open = p.open[:min(i+1, len(p.open))]
		if len(rest) > 0 {
			p.open = p.open[:i]
			return true
		}
		p.inHeader = true
		return true
	}
	return false
}

func (p *reader) endHeader() {
	p.inHeader = false
	p.seen++
	if p.seen > maxParts {
		p.fields.Reset()
		return
	}
	h := parseHeader(p.fields.Bytes())
	p.fields.Reset()
	if p.seen == 1 {
		p.top = h
	}
	inside := multipart{}
	if len(p.open) > 0 {
		inside = p.open[len(p.open)-1]
	}
	media, params := mediaType(h.get("content-type"))
	if media == "" {
		media = "text/plain"
		if inside.digest {
			media = "message/rfc822"
		}
	}
	if kind, is := strings.CutPrefix(media, "multipart/"); is && params["boundary"] != "" {
		if len(p.open) >= maxDepth {
			return
		}
		m := multipart{[]byte(params["boundary"]), inside.alternative, kind == "digest"}
		if kind == "alternative" {
			p.alternatives++
			m.alternative = p.alternatives
		}
		p.open = append(p.open, m)
		return
	}
	leaf := part{header: h, media: media, params: params, alternative: inside.alternative}
	disposition, about := mediaType(h.get("content-disposition"))
	leaf.disposition = disposition
	leaf.name = decodeHeader(about["filename"])
	if leaf.name == "" {
		leaf.name = decodeHeader(params["name"])
	}
	p.limit = leaf.limit()
	p.current = &leaf
}

func (p *reader) endBody() {
	if p.current == nil {
		return
	}
	p.current.body = bytes.TrimSuffix(bytes.TrimSuffix(p.current.body, []byte("\n")), []byte("\r"))
	p.parts = append(p.parts, *p.current)
	p.current = nil
}

// limit returns how many bytes of a part's body are kept.
func (p *part) limit() int {
	switch {
	case p.isText():
		return maxTextPart
	case p.mayBePhoto():
		return maxImagePart
	case p.isReport():
		return maxStatus
	default:
		return 0
	}
}

// isText reports whether a part is text that the person wrote, and not an attached file.
func (p *part) isText() bool {
	return (p.media == "text/plain" || p.media == "text/html") && p.disposition != "attachment" && p.name == ""
}

// isReport reports whether a part is about an e-mail that was sent before.
func (p *part) isReport() bool {
	switch p.media {
	case "message/delivery-status", "message/global-delivery-status", "message/rfc822", "message/global",
		"text/rfc822-headers", "message/global-headers":
		return true
	default:
		return false
	}
}

// isReturned reports whether a part is an e-mail, or the header of one.
func (p *part) isReturned() bool {
	return p.isReport() && !strings.HasSuffix(p.media, "delivery-status")
}

// decoded returns the body without its transfer encoding.
func (p *part) decoded() []byte {
	switch strings.ToLower(strings.TrimSpace(p.header.get("content-transfer-encoding"))) {
	case "base64":
		return decodeBase64(p.body)
	case "quoted-printable":
		return decodeQuotedPrintable(p.body)
	default:
		return p.body
	}
}

// text returns the body of a text part.
func (p *part) text() string {
	return strings.Map(stripNUL, strings.ReplaceAll(toUTF8(p.decoded(), p.params["charset"]), "\r\n", "\n"))
}
