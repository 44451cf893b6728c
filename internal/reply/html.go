package reply

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Lines that begin with mark are not text. They carry what HTML says about the lines around them.
const (
	mark            = "\x00"
	markEnd         = mark + "end"       // everything that follows is quoted
	markSignature   = mark + "signature" // a signature follows
	markBorder      = mark + "border"    // the line above the header of a quoted e-mail in Outlook
	markAttribution = mark + "attribution"
	markPicture     = mark + "picture:" // followed by the Content-ID
)

// maxOpen is the number of open HTML elements that are tracked.
const maxOpen = 256

// htmlLines converts HTML into lines of text. Quoted lines begin with ">".
func htmlLines(text string) []string {
	c := &converter{}
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken: // the end; a string gives no other errors
			c.endLine(false)
			return c.lines
		case html.TextToken:
			c.text(z.Token().Data)
		case html.StartTagToken:
			c.start(z.Token())
		case html.SelfClosingTagToken:
			c.start(z.Token())
		case html.EndTagToken:
			c.end(z.Token())
		}
	}
}

// converter collects the lines of an HTML text.
type converter struct {
	lines   []string
	line    strings.Builder
	space   bool // white space before the next word
	open    []element
	quoted  int // open elements that are quotes
	hidden  int // open elements that are not shown
	attribs int // open elements that introduce a quote
	pre     int
}

type element struct {
	name                              atom.Atom
	raw                               string
	quote, hidden, attribution, isPre bool
	tight                             bool // a paragraph without space around it
}

func (c *converter) text(data string) {
	if c.hidden > 0 {
		return
	}
	if c.pre > 0 {
		for i, line := range strings.Split(strings.ReplaceAll(data, "\r\n", "\n"), "\n") {
			if i > 0 {
				c.endLine(true)
			}
			c.line.WriteString(line)
		}
		return
	}
	for i, word := range strings.FieldsFunc(data, isHTMLSpace) {
		if c.line.Len() > 0 && (c.space || i > 0 || isHTMLSpace(rune(data[0]))) {
			c.line.WriteByte(' ')
		}
		c.space = false
		c.line.WriteString(word)
	}
	if data != "" && isHTMLSpace(rune(data[len(data)-1])) {
		c.space = true
	}
}

// isHTMLSpace reports whether HTML collapses a character. A no-break space is not collapsed.
func isHTMLSpace(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\f' }

// endLine ends the current line. An empty one is kept only if it was wanted.
func (c *converter) endLine(wanted bool) {
	text := strings.TrimRight(c.line.String(), " \t")
	c.line.Reset()
	c.space = false
	if text == "" && !wanted {
		return
	}
	if c.attribs > 0 && c.quoted == 0 && text != "" {
		c.lines = append(c.lines, markAttribution)
		return
	}
	c.lines = append(c.lines, strings.Repeat(">", c.quoted)+addSpace(c.quoted)+text)
}

func addSpace(depth int) string {
	if depth > 0 {
		return " "
	}
	return ""
}

// addMark adds a line that is not text, unless the place is quoted or hidden.
func (c *converter) addMark(line string) {
	if c.hidden == 0 {
		c.endLine(false)
	}
	if c.quoted == 0 && c.hidden == 0 {
		c.lines = append(c.lines, line)
	} else if strings.HasPrefix(line, markPicture) {
		c.lines = append(c.lines, ">"+line) // remembered as a picture of the quote
	}
}

func (c *converter) start(t html.Token) {
	if c.startVoid(t) {
		return
	}
	if t.DataAtom == atom.P {
		c.closeParagraph()
	}
	e := describe(t)
	if e.hidden || c.hidden > 0 {
		c.push(e)
		return
	}
	if isBlock(t.DataAtom) {
		c.endLine(false)
	} else if t.DataAtom == atom.Td || t.DataAtom == atom.Th {
		c.space = true
	}
	switch {
	case startsQuotedMail(t):
		c.addMark(markEnd)
	case isSignature(t):
		c.addMark(markSignature)
	case hasBorderAbove(t):
		c.addMark(markBorder)
	}
	if t.DataAtom == atom.Li {
		c.line.WriteString("- ")
	}
	c.push(e)
}

// startVoid handles elements without content, and reports whether this is one.
func (c *converter) startVoid(t html.Token) bool {
	switch t.DataAtom {
	case atom.Br:
		switch {
		case c.hidden > 0:
		case strings.Contains(strings.ToLower(attr(t, "id")), "beginningofsignature"):
			c.addMark(markSignature)
		default:
			c.endLine(true)
		}
	case atom.Hr:
		if c.hidden == 0 {
			c.endLine(false)
		}
	case atom.Img:
		if id, is := strings.CutPrefix(attr(t, "src"), "cid:"); is && len(id) < 250 {
			c.addMark(markPicture + id)
		}
	case atom.Input, atom.Meta, atom.Link, atom.Base, atom.Col, atom.Wbr, atom.Area, atom.Embed, atom.Source:
	default:
		return t.Type == html.SelfClosingTagToken && t.DataAtom != atom.Div // such as <o:p/>
	}
	return true
}

func (c *converter) push(e element) {
	if len(c.open) >= maxOpen {
		return
	}
	c.open = append(c.open, e)
	c.count(e, 1)
}

func (c *converter) count(e element, by int) {
	if e.quote {
		c.quoted += by
	}
	if e.hidden {
		c.hidden += by
	}
	if e.attribution {
		c.attribs += by
	}
	if e.isPre {
		c.pre += by
	}
}

// closeParagraph closes an open paragraph, as browsers do where a new one begins.
func (c *converter) closeParagraph() {
	if last := len(c.open) - 1; last >= 0 && c.open[last].name == atom.P {
		c.end(html.Token{DataAtom: atom.P, Data: "p"})
	}
}

func (c *converter) end(t html.Token) {
	at := len(c.open) - 1
	for at >= 0 && (c.open[at].name != t.DataAtom || c.open[at].raw != t.Data) {
		at--
	}
	if at < 0 {
		return
	}
	if isBlock(t.DataAtom) && c.hidden == 0 {
		c.endLine(false)
	}
	spaced := t.DataAtom == atom.P && !c.open[at].tight && c.hidden == 0
	for len(c.open) > at {
		last := c.open[len(c.open)-1]
		c.open = c.open[:len(c.open)-1]
		c.count(last, -1)
	}
	if spaced && c.attribs == 0 {
		c.endLine(true)
	}
}

func describe(t html.Token) element {
	e := element{name: t.DataAtom, raw: t.Data}
	class, id, name := words(attr(t, "class")), strings.ToLower(attr(t, "id")), strings.ToLower(attr(t, "name"))
	style := strings.ReplaceAll(strings.ToLower(attr(t, "style")), " ", "")
	switch t.DataAtom {
	case atom.Script, atom.Style, atom.Head, atom.Title, atom.Template, atom.Noscript, atom.Svg, atom.Select:
		e.hidden = true
	case atom.Pre, atom.Textarea:
		e.isPre = true
	case atom.Blockquote:
		e.quote = !isIndentation(style, attr(t, "type"))
	}
	e.quote = e.quote || name == "quote" || name == "quoted-content" || slices.Contains(class, "yahoo_quoted") ||
		strings.HasPrefix(id, "yahoo_quoted")
	e.attribution = slices.Contains(class, "moz-cite-prefix") || slices.Contains(class, "gmail_attr")
	e.tight = slices.Contains(class, "msonormal") || strings.Contains(style, "margin:0")
	e.hidden = e.hidden || strings.Contains(style, "display:none") || hasAttr(t, "hidden")
	return e
}

// isIndentation reports whether a blockquote only indents a paragraph, as the button in Gmail and Outlook does.
func isIndentation(style, kind string) bool {
	return kind != "cite" && strings.Contains(style, "border:none") && !strings.Contains(style, "border-left:")
}

// startsQuotedMail reports whether an element is the beginning of a quoted e-mail in Outlook on the web or on a phone.
func startsQuotedMail(t html.Token) bool {
	id := strings.TrimPrefix(strings.ToLower(attr(t, "id")), "x_")
	return id == "divrplyfwdmsg" || id == "mail-editor-reference-message-container"
}

// isSignature reports whether an element is marked as a signature by the program that wrote it.
func isSignature(t html.Token) bool {
	if t.DataAtom != atom.Div && t.DataAtom != atom.Table && t.DataAtom != atom.Span && t.DataAtom != atom.Pre {
		return false
	}
	names := attr(t, "class") + " " + attr(t, "id") + " " + attr(t, "name")
	return strings.Contains(strings.ToLower(names), "signature") || hasAttr(t, "data-signatureblock")
}

// hasBorderAbove reports whether an element has the line that Outlook draws above the header of a quoted e-mail.
func hasBorderAbove(t html.Token) bool {
	style := strings.ToLower(attr(t, "style"))
	return t.DataAtom == atom.Div && strings.Contains(style, "border-top") && strings.Contains(style, "solid")
}

func isBlock(name atom.Atom) bool {
	switch name {
	case atom.Div, atom.P, atom.Blockquote, atom.Table, atom.Tr, atom.Ul, atom.Ol, atom.Li, atom.Pre, atom.H1, atom.H2,
		atom.H3, atom.H4, atom.H5, atom.H6, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Address,
		atom.Dl, atom.Dt, atom.Dd, atom.Body, atom.Html, atom.Form, atom.Center, atom.Fieldset:
		return true
	default:
		return false
	}
}

func words(text string) []string { return strings.Fields(strings.ToLower(text)) }

func attr(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasAttr(t html.Token, name string) bool {
	return slices.ContainsFunc(t.Attr, func(a html.Attribute) bool { return a.Key == name })
}
