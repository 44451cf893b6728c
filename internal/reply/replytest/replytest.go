// Package replytest writes e-mails as mail programs and mail servers send them, for tests. The shapes follow the
// standards and what the programs are known to write; the texts are our own.
package replytest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"mime"
	"mime/quotedprintable"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/encoding/htmlindex"

	"homeward/internal/lost"
	"homeward/internal/reply"
)

// Self is who receives the e-mails.
var Self = reply.Self{Address: "fundstelle@adler.example", From: "lost@adler.example", Host: "lost.adler.example"}

// Case is one e-mail and what must be read from it.
type Case struct {
	Shape, Language string
	Raw             []byte

	Kind        reply.Kind
	Token       string
	Text        string // compared without regard to white space
	Photos      int
	Unreachable string
}

// Generate returns n e-mails: every shape in turn, with languages, texts and encodings chosen at random. They answer
// e-mails with the given tokens in turn, or with random tokens if there are none.
func Generate(seed uint64, n int, tokens ...string) []Case {
	g := &generator{rand.New(rand.NewPCG(seed, 22))}
	shapes := slices.Concat(webmailShapes, programShapes, machineShapes, forgedShapes)
	cases := make([]Case, n)
	for i := range cases {
		s := shapes[i%len(shapes)]
		m := g.mail(s.languages)
		m.number = i
		if len(tokens) > 0 {
			m.token = tokens[i%len(tokens)]
			m.wantToken = m.token
		}
		s.write(g, m)
		cases[i] = Case{
			Shape: s.name, Language: m.lang.code, Raw: m.bytes(),
			Kind: m.kind, Token: m.wantToken, Text: m.wantText, Photos: m.wantPhotos, Unreachable: m.unreachable,
		}
	}
	return cases
}

// Shapes returns how many different shapes there are.
func Shapes() int {
	return len(webmailShapes) + len(programShapes) + len(machineShapes) + len(forgedShapes)
}

type shape struct {
	name      string
	languages string // codes separated by spaces; empty for all
	write     func(*generator, *draft)
}

type generator struct{ *rand.Rand }

func pick[T any](g *generator, values []T) T { return values[g.IntN(len(values))] }

// draft is an e-mail that is being written.
type draft struct {
	number      int
	lang        language
	at          time.Time // of our e-mail
	first, last string    // of the person
	address     string
	token       string
	sentID      string // our Message-ID
	answer      []string
	question    []string

	top         []string // header lines that are above the others
	fields      []string // header lines
	body        entity
	kind        reply.Kind
	wantToken   string
	wantText    string
	wantPhotos  int
	unreachable string
}

// entity is a body part with its header.
type entity struct {
	header []string
	body   string
}

func (g *generator) mail(codes string) *draft {
	lang := pick(g, languages)
	for codes != "" && !slices.Contains(strings.Fields(codes), lang.code) {
		lang = pick(g, languages)
	}
	at := time.Date(2026, time.Month(1+g.IntN(12)), 1+g.IntN(28), 8+g.IntN(12), g.IntN(60), g.IntN(60), 0, time.UTC)
	m := &draft{
		lang: lang, at: at, first: pick(g, lang.first), last: pick(g, lang.last),
		token: g.token(), sentID: lost.NewID(lost.MessageID, at) + "@" + Self.Host,
		answer: pick(g, lang.answers), question: pick(g, lang.questions), kind: reply.Answer,
	}
	m.address = fmt.Sprintf("%s%d@%s", pick(g, []string{"anna", "k.meier", "sole", "yuki", "li-wei"}), g.IntN(1000),
		pick(g, []string{"gmail.example", "firma.example", "post.example", "mail.example.org"}))
	m.wantToken = m.token
	m.wantText = strings.Join(m.answer, "\n")
	if g.IntN(2) == 0 {
		closing := pick(g, lang.closings)
		m.answer = append(slices.Clone(m.answer), "", closing, m.first)
		m.wantText += "\n" + closing + "\n" + m.first
	}
	return m
}

func (g *generator) token() string {
	const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
	b := make([]byte, 26)
	for i := range b {
		b[i] = alphabet[g.IntN(len(alphabet))]
	}
	return string(b)
}

// replyAddress returns the address for replies with a token.
func replyAddress(token string) string { return strings.Replace(Self.Address, "@", "+"+token+"@", 1) }

func (m *draft) replyTo() string { return replyAddress(m.token) }
func (m *draft) person() string  { return m.first + " " + m.last }

// desk is the display name of our sender.
func (m *draft) desk() string { return m.lang.desk }

// address header lines that every answer of a person has.
func (m *draft) envelope(program string) {
	m.fields = append(m.fields,
		"Return-Path: <"+m.address+">",
		"Received: from mail.example.org (mail.example.org [192.0.2.7])\r\n\tby mx.adler.example with ESMTPS id "+
			"4Xq7;\r\n\t"+
			m.at.Add(90*time.Minute).Format(time.RFC1123Z),
		"From: "+mime.QEncoding.Encode("utf-8", m.person())+" <"+m.address+">",
		"To: "+mime.BEncoding.Encode("utf-8", m.desk())+" <"+m.replyTo()+">",
		"Subject: "+mime.BEncoding.Encode("utf-8", m.lang.re+" "+m.lang.subject),
		"Date: "+m.at.Add(80*time.Minute).Format(time.RFC1123Z),
		"Message-ID: <"+strconv.Itoa(m.number)+"."+program+"@mail.example.org>",
		"In-Reply-To: <"+m.sentID+">",
		"References: <"+m.sentID+">",
		"MIME-Version: 1.0",
	)
}

// replace changes a header line, or removes it if the value is empty.
func (m *draft) replace(name, value string) {
	for i, f := range m.fields {
		if strings.HasPrefix(strings.ToLower(f), strings.ToLower(name)+":") {
			if value == "" {
				m.fields = slices.Delete(m.fields, i, i+1)
			} else {
				m.fields[i] = name + ": " + value
			}
			return
		}
	}
	m.fields = append(m.fields, name+": "+value)
}

func (m *draft) bytes() []byte {
	var b bytes.Buffer
	for _, line := range slices.Concat(m.top, m.fields, m.body.header) {
		b.WriteString(line + "\r\n")
	}
	b.WriteString("\r\n" + m.body.body)
	return b.Bytes()
}

// text encodes a text part. Western and Asian programs often use an older character set.
func (g *generator) text(m *draft, media, content string) entity {
	charset := "utf-8"
	if g.IntN(3) == 0 {
		charset = pick(g, m.lang.charsets)
	}
	content = strings.ReplaceAll(content, "\n", "\r\n")
	encoded := []byte(content)
	if set, err := htmlindex.Get(charset); err == nil && charset != "utf-8" {
		if converted, err := set.NewEncoder().Bytes([]byte(content)); err == nil {
			encoded = converted
		} else {
			charset = "utf-8"
		}
	}
	e := entity{header: []string{`Content-Type: ` + media + `; charset="` + charset + `"`}}
	switch {
	case charset == "iso-2022-jp":
		e.header = append(e.header, "Content-Transfer-Encoding: 7bit")
		e.body = string(encoded)
	case g.IntN(2) == 0:
		e.header = append(e.header, "Content-Transfer-Encoding: quoted-printable")
		e.body = quotePrintable(encoded)
	case g.IntN(2) == 0:
		e.header = append(e.header, "Content-Transfer-Encoding: base64")
		e.body = wrapBase64(encoded)
	default:
		e.header = append(e.header, "Content-Transfer-Encoding: 8bit")
		e.body = string(encoded)
	}
	return e
}

func quotePrintable(content []byte) string {
	var b strings.Builder
	w := quotedprintable.NewWriter(&b)
	_, _ = w.Write(content)
	_ = w.Close()
	return b.String()
}

func wrapBase64(content []byte) string {
	encoded := base64.StdEncoding.EncodeToString(content)
	var b strings.Builder
	for len(encoded) > 76 {
		b.WriteString(encoded[:76] + "\r\n")
		encoded = encoded[76:]
	}
	return b.String() + encoded + "\r\n"
}

// multipart joins parts.
func (g *generator) multipart(kind string, parts ...entity) entity {
	boundary := fmt.Sprintf("----=_Part_%d_%x", g.IntN(1000), g.Uint64())
	var b strings.Builder
	for _, p := range parts {
		b.WriteString("--" + boundary + "\r\n" + strings.Join(p.header, "\r\n") + "\r\n\r\n" + p.body + "\r\n")
	}
	b.WriteString("--" + boundary + "--\r\n")
	return entity{[]string{"Content-Type: multipart/" + kind + ";\r\n\tboundary=\"" + boundary + "\""}, b.String()}
}

// alternative joins the plain and the HTML form of a text.
func (g *generator) alternative(m *draft, plain, html string) entity {
	return g.multipart("alternative", g.text(m, "text/plain", plain), g.text(m, "text/html", html))
}

// file is an attached file.
func file(media, name, disposition, id string, content []byte) entity {
	header := []string{
		`Content-Type: ` + media + `; name="` + name + `"`,
		`Content-Disposition: ` + disposition + `; filename="` + name + `"`,
		"Content-Transfer-Encoding: base64",
	}
	if id != "" {
		header = append(header, "Content-ID: <"+id+">")
	}
	return entity{header, wrapBase64(content)}
}

// picture draws noise, so that it does not become tiny when it is compressed.
func (g *generator) picture(width, height int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.Set(x, y, color.RGBA{uint8(g.IntN(256)), uint8(x), uint8(y), 255})
		}
	}
	return img
}

// photo returns a JPEG.
func (g *generator) photo() []byte {
	var b bytes.Buffer
	_ = jpeg.Encode(&b, g.picture(320, 240), nil)
	return b.Bytes()
}

// logo returns a small PNG.
func (g *generator) logo() []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, g.picture(120, 40))
	return b.Bytes()
}
