package message

import (
	"embed"
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed message.html
var files embed.FS

var messageHTML = template.Must(template.ParseFS(files, "message.html"))

// Outlook ignores max-width, so conditional comments put a table of fixed width around the message. They are passed
// to the template as values, because templates remove HTML comments.
const (
	outlookBegin template.HTML = `<!--[if mso]><table role="presentation" width="600" align="center" ` +
		`cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->`
	outlookEnd template.HTML = `<!--[if mso]></td></tr></table><![endif]-->`
)

// html renders a page for e-mail programs: with tables, with styles on every element, without scripts, and without
// external resources except for the logo on our server.
func (p page) html() (string, error) {
	var b strings.Builder
	err := messageHTML.Execute(&b, struct {
		page
		OutlookBegin, OutlookEnd template.HTML
	}{p, outlookBegin, outlookEnd})
	return b.String(), err
}

// Dial returns the phone number for a tel: link.
func (h help) Dial() string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '+' {
			return r
		}
		return -1
	}, h.Phone)
}

// text renders a page as plain text.
func (p page) text(factLine func(label, value string) string) string {
	var parts []string // paragraphs, separated by an empty line
	add := func(lines ...string) {
		var wrapped []string
		for _, l := range lines {
			if l != "" {
				wrapped = append(wrapped, wrap(l))
			}
		}
		if len(wrapped) > 0 {
			parts = append(parts, strings.Join(wrapped, "\n"))
		}
	}
	add(p.Place)
	add(p.Title)
	add(p.Hello)
	for _, lead := range p.Lead {
		add(lead)
	}
	for _, paragraph := range p.Said {
		add(paragraph...)
	}
	var facts []string
	for _, f := range p.Facts {
		facts = append(facts, factLine(f.Label, strings.Join(f.Lines, ", ")))
	}
	add(facts...)
	for _, t := range p.Tasks {
		add(strings.TrimSpace(t.Reference+"  "+t.Item), t.What)
	}
	add(p.More)
	for _, next := range p.Next {
		add(next)
	}
	if l := p.Link; l != nil {
		add(l.Button, l.URL)
		add(l.Private)
	}
	if h := p.Help; h != nil {
		add(h.Lead, h.Name, h.Phone, h.Email, h.Reply)
	}
	if n := p.Privacy; n != nil {
		add(n.Title, n.URL)
		for _, paragraph := range n.Paragraphs {
			add(paragraph...)
		}
	}
	if l := p.Stop; l != nil {
		add(l.Button, l.URL)
	}
	add(p.Footer, "Homeward")
	return strings.Join(parts, "\n\n") + "\n"
}

const columns = 72

// wrap breaks a line between words, so that it has at most columns characters. Words that are longer, such as links,
// stay whole, and spaces within a line are kept. A text in Chinese or Japanese is not wrapped, because its few spaces
// are inside names.
func wrap(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
	}) {
		return s
	}
	var b strings.Builder
	width := 0
	for n, word := range strings.Split(s, " ") {
		size := utf8.RuneCountInString(word)
		switch {
		case n == 0:
		case width+1+size > columns && word != "":
			b.WriteByte('\n')
			width = 0
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += size
	}
	return b.String()
}
