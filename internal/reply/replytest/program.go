package replytest

import (
	"html"
	"strings"
)

var programShapes = []shape{
	{"Outlook for Windows", "", outlookWindows},
	{"Outlook, plain", "", outlookPlain},
	{"Outlook with a logo in the signature", "", outlookLogo},
	{"Apple Mail", "", appleMail},
	{"Apple Mail, inline answers", "", appleInline},
	{"iPhone", "", iPhone},
	{"iPhone with a photo", "", iPhonePhoto},
	{"iPhone with HEIC", "", iPhoneHEIC},
	{"Thunderbird, plain", "", thunderbird},
	{"Thunderbird, HTML", "", thunderbirdHTML},
	{"Thunderbird, inline answers", "", thunderbirdInline},
	{"Samsung", "", samsung},
	{"plain text without a quote", "", plain},
	{"plain text with signature", "", plainSignature},
	{"mutt, signed", "", mutt},
	{"delivered to an alias", "", alias},
}

func outlookWindows(g *generator, m *draft) {
	m.envelope("outlook")
	m.body = g.alternative(m,
		join(m.answer)+"\n"+join(g.headerLines(m))+"\n"+join(m.sent()),
		`<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"><head>`+
			`<meta name="Generator" content="Microsoft Word 15 (filtered medium)"><style><!-- p.MsoNormal `+
			`{margin:0cm} `+
			`--></style></head><body lang="DE" link="#0563C1"><div class="WordSection1">`+outlookParagraphs(m.answer)+
			outlookParagraphs([]string{""})+`<div><div style="border:none;border-top:solid #E1E1E1 `+
			`1.0pt;padding:3.0pt `+
			`0cm 0cm 0cm"><p class="MsoNormal">`+g.headerHTML(m)+`</p></div></div>`+m.sentHTML()+`</div></body></html>`)
}

func outlookPlain(g *generator, m *draft) {
	m.envelope("outlook")
	m.body = g.text(m, "text/plain", join(m.answer)+"\n-----"+m.lang.original+"-----\n"+join(g.headerLines(m))+"\n"+
		join(m.sent()))
}

func outlookLogo(g *generator, m *draft) {
	outlookWeb(g, m)
	quoted := m.sentHTML() + `<img src="cid:photo@homeward">`
	m.body = g.multipart("related",
		g.text(m, "text/html", page(divs(m.answer)+`<div id="Signature"><p>`+m.person()+`<br><img width="120" `+
			`src="cid:image001.png@01DC.A0"></p></div><div id="appendonsend"></div><hr tabindex="-1">`+
			`<div id="divRplyFwdMsg" dir="ltr">`+g.headerHTML(m)+`</div>`+quoted)),
		file("image/png", "image001.png", "inline", "image001.png@01DC.A0", g.logo()),
		file("image/jpeg", "photo.jpg", "inline", "photo@homeward", g.photo()))
}

func appleMail(g *generator, m *draft) {
	m.envelope("apple")
	attribution := g.fill(m, m.lang.apple)
	m.body = g.alternative(m,
		join(m.answer)+"\n> "+attribution+"\n> \n"+quote(m.sent()),
		`<html><head></head><body style="overflow-wrap: break-word; -webkit-nbsp-mode: space;">`+divs(m.answer)+
			`<div><br id="lineBreakAtBeginningOfMessage"><div><br><blockquote type="cite"><div>`+
			html.EscapeString(attribution)+`</div><br class="Apple-interchange-newline"><div>`+m.sentHTML()+
			`</div></blockquote></div><br></div></body></html>`)
}

func appleInline(g *generator, m *draft) {
	m.envelope("apple")
	attribution := g.fill(m, m.lang.apple)
	half := (len(m.answer) + 1) / 2
	m.body = g.alternative(m,
		attribution+"\n\n"+quote(m.sent()[:5])+"\n"+join(m.answer[:half])+"\n"+quote(m.sent()[5:])+
			join(m.answer[half:]),
		`<html><body><blockquote type="cite"><div>`+html.EscapeString(attribution)+`</div><div>`+divs(m.sent()[:5])+
			`</div></blockquote><div><br></div>`+divs(m.answer[:half])+`<br><blockquote type="cite">`+
			divs(m.sent()[5:])+`</blockquote>`+divs(m.answer[half:])+`</body></html>`)
}

func iPhone(g *generator, m *draft) {
	m.envelope("iphone")
	attribution := g.fill(m, m.lang.apple)
	m.body = g.alternative(m,
		join(m.answer)+"\n"+m.lang.iphone+"\n\n> "+attribution+"\n> \n"+quote(m.sent()),
		`<html><body dir="auto">`+divs(m.answer)+`<br id="lineBreakAtBeginningOfSignature"><div dir="ltr">`+
			m.lang.iphone+
			`</div><div dir="ltr"><br><blockquote type="cite">`+html.EscapeString(attribution)+
			`<br><br></blockquote></div>`+
			`<blockquote type="cite"><div dir="ltr">`+m.sentHTML()+`</div></blockquote></body></html>`)
}

func iPhonePhoto(g *generator, m *draft) {
	m.envelope("iphone")
	m.wantPhotos = 1
	attribution := g.fill(m, m.lang.apple)
	m.body = g.multipart("mixed",
		g.text(m, "text/plain", join(m.answer)+"\n"),
		file("image/jpeg", "IMG_0815.jpeg", "inline", "", g.photo()),
		g.text(m, "text/plain", "\n\n"+m.lang.iphone+"\n\n> "+attribution+"\n> \n"+quote(m.sent())))
}

func iPhoneHEIC(g *generator, m *draft) {
	m.envelope("iphone")
	m.wantPhotos = 1
	heic := append([]byte("\x00\x00\x00\x24ftypheic\x00\x00\x00\x00mif1heic"), make([]byte, 20<<10)...)
	m.body = g.multipart("mixed",
		g.text(m, "text/html", `<html><body dir="auto">`+divs(m.answer)+`<br><br><div dir="ltr">`+m.lang.iphone+
			`</div></body></html>`),
		file(pick(g, []string{"image/heic", "application/octet-stream"}), "IMG_0816.HEIC", "attachment", "", heic))
}

func thunderbird(g *generator, m *draft) {
	m.envelope("thunderbird")
	var flowed strings.Builder
	for _, line := range m.answer {
		for len(line) > 60 { // a space at the end of a line continues the paragraph
			at := strings.LastIndexByte(line[:60], ' ')
			if at <= 0 {
				break
			}
			flowed.WriteString(line[:at+1] + "\n")
			line = line[at+1:]
		}
		flowed.WriteString(line + "\n")
	}
	m.body = g.text(m, "text/plain", flowed.String()+"\n"+g.fill(m, m.lang.thunder)+"\n"+quote(m.sent()))
	m.body.header[0] += "; format=flowed"
}

func thunderbirdHTML(g *generator, m *draft) {
	m.envelope("thunderbird")
	m.body = g.alternative(m,
		wrap(join(m.answer)+"\n"+g.fill(m, m.lang.thunder)+"\n"+quote(m.sent())+"\n-- \n"+m.person()+"\n"),
		`<!DOCTYPE html><html><head></head><body>`+paragraphs(m.answer)+`<div class="moz-cite-prefix">`+
			html.EscapeString(g.fill(m, m.lang.thunder))+`<br></div><blockquote type="cite" cite="mid:`+m.sentID+`">`+
			m.sentHTML()+`</blockquote><p><br></p><pre class="moz-signature" cols="72">-- `+"\n"+m.person()+
			`</pre></body></html>`)
}

func thunderbirdInline(g *generator, m *draft) {
	m.envelope("thunderbird")
	half := (len(m.answer) + 1) / 2
	m.body = g.text(m, "text/plain", g.fill(m, m.lang.thunder)+"\n"+quote(m.sent()[:5])+"\n"+join(m.answer[:half])+"\n"+
		quote(m.sent()[5:])+"\n"+join(m.answer[half:])+"\n-- \n"+m.person()+"\n+49 170 1234567\n")
}

func samsung(g *generator, m *draft) {
	m.envelope("samsung")
	m.body = g.alternative(m,
		join(m.answer)+"\n"+m.lang.android+"\n\n-------- "+m.lang.original+" --------\n"+join(g.headerLines(m))+"\n"+
			join(m.sent()),
		page(`<div dir="auto">`+divs(m.answer)+`</div><div dir="auto"><br></div><div id="composer_signature" `+
			`dir="auto">`+
			`<div style="font-size:12px;color:#575757" dir="auto">`+m.lang.android+`</div></div><div><br></div>`+
			`<div align="left" dir="auto" style="font-size:100%;color:#000000"><div>-------- `+m.lang.original+
			` --------</div><div>`+strings.ReplaceAll(g.headerHTML(m), "<br>", "</div><div>")+`</div></div>`+
			m.sentHTML()))
}

func plain(g *generator, m *draft) {
	m.envelope("mail")
	m.body = g.text(m, "text/plain", join(m.answer))
}

func plainSignature(g *generator, m *draft) {
	m.envelope("mail")
	m.body = g.text(m, "text/plain", join(m.answer)+"\n-- \n"+m.person()+"\nBahnhofstr. 1, 10115 Berlin\n"+m.address+
		"\n")
}

func mutt(g *generator, m *draft) {
	m.envelope("mutt")
	m.body = g.multipart("signed; micalg=pgp-sha512; protocol=\"application/pgp-signature\"",
		g.text(m, "text/plain", g.fill(m, "On Mon, Jan 05, 2026 at {t}:05PM +0100, {n} wrote:")+"\n"+quote(m.sent())+
			"\n"+
			join(m.answer)+"\n-- \n"+m.person()+"\n"),
		entity{[]string{"Content-Type: application/pgp-signature; name=\"signature.asc\""},
			"-----BEGIN PGP SIGNATURE-----\r\n\r\niQIzBAEBCgAdFiEE\r\n-----END PGP SIGNATURE-----\r\n"})
}

// alias is an e-mail whose visible recipient is another address: only the server's record has the token.
func alias(g *generator, m *draft) {
	gmail(g, m)
	m.replace("To", "lost property <help@adler.example>")
	m.top = append(m.top, pick(g, []string{"Delivered-To: ", "X-Original-To: ", "Envelope-To: "})+m.replyTo())
}
