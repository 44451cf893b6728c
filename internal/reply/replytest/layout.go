package replytest

import (
	"html"
	"strings"
	"time"
)

// fill writes an attribution.
func (g *generator) fill(m *draft, pattern string) string {
	at := m.at.Add(time.Hour)
	return strings.NewReplacer(
		"{d}", at.Format(pick(g, dates[m.lang.code])), "{t}", at.Format("15:04"),
		"{n}", m.desk(), "{a}", m.replyTo(),
	).Replace(pattern)
}

// sent returns the text of our e-mail.
func (m *draft) sent() []string {
	lines := []string{m.desk(), "", m.lang.subject, ""}
	lines = append(lines, m.question...)
	return append(lines, "", "https://lost.adler.example/g/q7m2kx9v4tz8rj3hw6np5cd1fg", "",
		"Jana Berg", "Tel. +49 30 12345678", "desk@adler.example", "Homeward")
}

// quote prefixes lines with ">".
func quote(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimRight("> "+line, " ") + "\n")
	}
	return b.String()
}

// wrap breaks lines at 76 columns, as the plain form of Gmail does. Asian texts have no spaces to break at.
func wrap(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		for len(line) > 76 {
			at := strings.LastIndexByte(line[:76], ' ')
			if at <= 0 {
				break
			}
			out = append(out, line[:at])
			line = line[at+1:]
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n") + "\n"
}

// divs writes lines as Gmail does: a div for each, with a line break in empty ones.
func divs(lines []string) string { return tagged("div", "<br>", lines) }

// outlookParagraphs writes lines as Outlook for Windows does.
func outlookParagraphs(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		if line == "" {
			line = "\u00a0"
		}
		b.WriteString(`<p class="MsoNormal"><span lang="DE">` + html.EscapeString(line) + "<o:p></o:p></span></p>\n")
	}
	return b.String()
}

// paragraphs writes lines as paragraphs, and line breaks inside them.
func paragraphs(lines []string) string {
	var b strings.Builder
	for block := range strings.SplitSeq(strings.Join(lines, "\n"), "\n\n") {
		b.WriteString("<p>" + strings.ReplaceAll(html.EscapeString(block), "\n", "<br />\n") + "</p>\n")
	}
	return b.String()
}

func tagged(tag, empty string, lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		text := html.EscapeString(line)
		if line == "" {
			text = empty
		}
		b.WriteString("<" + tag + ">" + text + "</" + tag + ">")
	}
	return b.String()
}

// sentHTML is the HTML form of our e-mail, with tables as in real ones.
func (m *draft) sentHTML() string {
	return `<table role="presentation" width="100%"><tr><td class="sheet" style="padding:32px;">` +
		`<h1 style="font-size:24px">` + html.EscapeString(m.lang.subject) + `</h1>` + paragraphs(m.question) +
		`<a href="https://lost.adler.example/g/q7m2kx9v4tz8rj3hw6np5cd1fg">https://lost.adler.example/g/…</a>` +
		`</td></tr><tr><td>Homeward</td></tr></table>`
}

func page(body string) string {
	return "<html><head><meta http-equiv=\"Content-Type\" content=\"text/html; charset=utf-8\">" +
		"<style>p { margin: 0 } .x > y {}</style></head><body>" + body + "</body></html>"
}

// headerLines are the lines that Outlook writes above a quoted e-mail.
func (g *generator) headerLines(m *draft) []string {
	l := m.lang
	colon := ": "
	if l.code == "fr" {
		colon = " : "
	}
	return []string{
		l.from + colon + m.desk() + " <" + m.replyTo() + ">",
		l.sent + colon + m.at.Format(pick(g, dates[l.code])) + " " + m.at.Format("15:04"),
		l.to + colon + m.person() + " <" + m.address + ">",
		l.about + colon + l.subject,
	}
}

// headerHTML are the same lines in HTML.
func (g *generator) headerHTML(m *draft) string {
	var b strings.Builder
	for _, line := range g.headerLines(m) {
		label, value, _ := strings.Cut(line, ":")
		b.WriteString("<b>" + label + ":</b>" + html.EscapeString(value) + "<br>\n")
	}
	return b.String()
}

func join(lines []string) string { return strings.Join(lines, "\n") + "\n" }
