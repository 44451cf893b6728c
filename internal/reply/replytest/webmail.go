package replytest

import (
	"html"
	"strings"
)

var webmailShapes = []shape{
	{"Gmail", "", gmail},
	{"Gmail, inline answers", "", gmailInline},
	{"Gmail, answer below", "", gmailBelow},
	{"Gmail on Android with photos", "", gmailPhotos},
	{"Gmail with signature", "", gmailSignature},
	{"Outlook on the web", "", outlookWeb},
	{"new Outlook", "", outlookNew},
	{"Yahoo", "", yahoo},
	{"Yahoo on Android", "en de fr es it", yahooApp},
	{"GMX", "de en fr es", gmx},
	{"Proton", "en de fr es it nl", proton},
	{"QQ", "zh", qq},
	{"163", "zh", netease},
	{"HTML only", "", onlyHTML},
	{"Roundcube", "", roundcube},
}

func gmail(g *generator, m *draft) {
	m.envelope("gmail")
	attribution := g.fill(m, m.lang.gmail)
	m.body = g.alternative(m,
		wrap(join(m.answer)+"\n"+attribution+"\n\n"+quote(m.sent())),
		`<div dir="ltr">`+divs(m.answer)+`</div><br><div class="gmail_quote gmail_quote_container">`+
			`<div dir="ltr" class="gmail_attr">`+html.EscapeString(attribution)+`<br></div>`+
			`<blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);`+
			`padding-left:1ex">`+m.sentHTML()+`</blockquote></div>`)
}

func gmailInline(g *generator, m *draft) {
	m.envelope("gmail")
	attribution := g.fill(m, m.lang.gmail)
	half := (len(m.answer) + 1) / 2
	quoted := `<blockquote class="gmail_quote" style="margin:0 0 0 .8ex;border-left:1px #ccc solid;padding-left:1ex">`
	m.body = g.alternative(m,
		attribution+"\n\n"+quote(m.sent()[:5])+"\n"+join(m.answer[:half])+"\n"+quote(m.sent()[5:])+"\n"+
			join(m.answer[half:]),
		`<div dir="ltr"><div dir="ltr"></div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">`+
			html.EscapeString(attribution)+`<br></div>`+quoted+divs(m.sent()[:5])+`</blockquote>`+divs(m.answer[:half])+
			quoted+divs(m.sent()[5:])+`</blockquote>`+divs(m.answer[half:])+`</div></div>`)
}

func gmailBelow(g *generator, m *draft) {
	m.envelope("gmail")
	attribution := g.fill(m, m.lang.gmail)
	m.body = g.text(m, "text/plain", wrap(attribution+"\n"+quote(m.sent()))+"\n"+join(m.answer))
}

func gmailPhotos(g *generator, m *draft) {
	gmail(g, m)
	m.wantPhotos = 1 + g.IntN(2)
	parts := []entity{m.body}
	for range m.wantPhotos {
		parts = append(parts, file("image/jpeg", "IMG_20260503.jpg", "attachment", "f_lz1", g.photo()))
	}
	m.body = g.multipart("mixed", parts...)
}

func gmailSignature(g *generator, m *draft) {
	m.envelope("gmail")
	attribution := g.fill(m, m.lang.gmail)
	signature := []string{m.person(), "Tel. +49 170 1234567", "www.firma.example"}
	m.body = g.alternative(m,
		wrap(join(m.answer)+"\n-- \n"+join(signature)+"\n"+attribution+"\n\n"+quote(m.sent())),
		`<div dir="ltr">`+divs(m.answer)+`<div><br></div><span class="gmail_signature_prefix">-- </span><br>`+
			`<div dir="ltr" class="gmail_signature" data-smartmail="gmail_signature"><div dir="ltr">`+divs(signature)+
			`</div></div></div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">`+
			html.EscapeString(attribution)+`<br></div><blockquote class="gmail_quote" style="margin:0 0 0 .8ex;`+
			`border-left:1px #ccc solid">`+m.sentHTML()+`</blockquote></div>`)
}

func outlookWeb(g *generator, m *draft) {
	m.envelope("outlook")
	style := `style="font-family: Aptos, Calibri, Helvetica, sans-serif; font-size: 12pt; color: rgb(0, 0, 0);"`
	var body strings.Builder
	for _, line := range m.answer {
		if line == "" {
			line = "<br>"
		} else {
			line = html.EscapeString(line)
		}
		body.WriteString(`<div class="elementToProof" ` + style + `>` + line + "</div>\n")
	}
	m.body = g.alternative(m,
		join(m.answer)+"\n________________________________\n"+join(g.headerLines(m))+"\n"+join(m.sent()),
		page(body.String()+`<div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1">`+
			`<div id="divRplyFwdMsg" dir="ltr"><font face="Calibri, sans-serif" style="font-size:11pt" `+
			`color="#000000">`+
			g.headerHTML(m)+`</font><div>&nbsp;</div></div><div>`+m.sentHTML()+`</div>`))
}

func outlookNew(g *generator, m *draft) {
	m.envelope("outlook")
	app := m.lang.outlookApp
	appText, _, _ := strings.Cut(app, "<")
	m.body = g.alternative(m,
		join(m.answer)+"\n"+app+"\n________________________________\n"+join(g.headerLines(m))+"\n"+join(m.sent()),
		page(`<div dir="ltr">`+divs(m.answer)+`</div><div id="ms-outlook-mobile-signature"><div><br></div>`+
			`<div><a href="https://aka.ms/o0ukef">`+appText+`</a></div></div>`+
			`<div id="mail-editor-reference-message-container"><hr style="display:inline-block;width:98%">`+
			`<div id="divRplyFwdMsg">`+g.headerHTML(m)+`</div>`+m.sentHTML()+`</div>`))
}

func yahoo(g *generator, m *draft) {
	m.envelope("yahoo")
	attribution := g.fill(m, m.lang.yahoo)
	m.body = g.alternative(m,
		" "+strings.Join(m.answer, "\n ")+"\n    "+attribution+"  \n \n   "+strings.Join(m.sent(), "\n   ")+"\n",
		`<div class="yahoo-style-wrap" style="font-family:Helvetica Neue, Helvetica, sans-serif;font-size:13px;">`+
			`<div dir="ltr" data-setdir="false">`+divs(m.answer)+`</div><div><br></div></div>`+
			`<div id="yahoo_quoted_1234567" class="yahoo_quoted"><div style="font-size:13px;color:#26282a;"><div>`+
			html.EscapeString(attribution)+`</div><div><br></div><div><br></div><div>`+m.sentHTML()+
			`</div></div></div>`)
}

func yahooApp(g *generator, m *draft) {
	m.envelope("yahoo")
	line := map[string]string{
		"en": "Sent from Yahoo Mail on Android", "de": "Gesendet von Yahoo Mail auf Android",
		"fr": "Envoyé depuis Yahoo Mail pour Android", "es": "Enviado desde Yahoo Mail con Android",
		"it": "Inviato da Yahoo Mail su Android",
	}[m.lang.code]
	attribution := g.fill(m, m.lang.yahoo)
	m.body = g.alternative(m,
		join(m.answer)+"\n"+line+" \n \n  "+attribution+"   "+strings.Join(m.sent(), "\n")+"  \n",
		divs(m.answer)+`<br><br><div id="ymail_android_signature"><a href="https://mail.example">`+line+
			`</a></div><br>`+
			`<blockquote style="margin: 0 0 20px 0;"><div style="font-family:Roboto, sans-serif; color:#6D00F6;"><div>`+
			html.EscapeString(attribution)+`</div></div><div>`+m.sentHTML()+`</div></blockquote>`)
}

func gmx(g *generator, m *draft) {
	m.envelope("gmx")
	l := m.lang
	header := "<b>" + l.sent + ":</b>&nbsp;" + m.at.Format(dates[l.code][0]) + " 15:04<br/>\n<b>" + l.from +
		":</b>&nbsp;&quot;" +
		m.desk() + "&quot; &lt;" + m.replyTo() + "&gt;<br/>\n<b>" + l.to + ":</b>&nbsp;" + m.address + "<br/>\n<b>" +
		l.about + ":</b>&nbsp;" + l.subject
	m.body = g.text(m, "text/html", `<html><head></head><body><div style="font-family: Verdana;font-size: 12.0px;">`+
		divs(m.answer)+"<div>&nbsp;\n<div>&nbsp;\n"+
		`<div name="quote" style="margin:10px 5px 5px 10px; padding: 10px 0 10px 10px; border-left:2px solid `+
		`#C3D9E5;">`+
		`<div style="margin:0 0 10px 0;">`+header+`</div><div name="quoted-content">`+m.sentHTML()+
		`</div></div></div></div></div></body></html>`)
}

func proton(g *generator, m *draft) {
	m.envelope("proton")
	attribution := g.fill(m, m.lang.apple)
	m.body = g.text(m, "text/html", `<div style="font-family: Arial, sans-serif; font-size: 14px;">`+divs(m.answer)+
		`</div><div class="protonmail_signature_block" style="font-size: 14px;"><div `+
		`class="protonmail_signature_block-user `+
		`protonmail_signature_block-empty"></div><div class="protonmail_signature_block-proton">Sent with `+
		`<a href="https://proton.example" target="_blank">Proton Mail</a> secure email.</div></div><div><br></div>`+
		`<div class="protonmail_quote">`+html.EscapeString(attribution)+`<br><br><blockquote class="protonmail_quote" `+
		`type="cite">`+m.sentHTML()+`<br></blockquote><br></div>`)
}

func qq(g *generator, m *draft) {
	m.envelope("qq")
	m.body = g.text(m, "text/html", `<div class="qmbox">`+divs(m.answer)+`<div><br></div><div><includetail>`+
		`<div style="font:Verdana normal 14px;color:#000;"><div style="font-size:12px;padding:2px 0;">`+
		`------------------&nbsp;原始邮件&nbsp;------------------</div><div style="font-size: 12px;background:#efefef;">`+
		g.headerHTML(m)+`</div><div>`+m.sentHTML()+`</div></div></includetail></div></div>`)
}

func netease(g *generator, m *draft) {
	m.envelope("163")
	attribution := g.fill(m, `在 2026-05-03 {t}:05，"{n}" <{a}> 写道：`)
	m.body = g.alternative(m, strings.Join(m.answer, "\n")+"\n\n\n\n\n"+attribution+"\n"+quote(m.sent()),
		`<div style="line-height:1.7;color:#000000;font-size:14px">`+divs(m.answer)+`<p style="margin:0;"><br></p>`+
			`<div style="position:relative;zoom:1"></div><div id="divNeteaseMailCard"></div><p>`+
			html.EscapeString(attribution)+`</p><blockquote id="isReplyContent" style="PADDING-LEFT: 1ex; MARGIN: `+
			`0px 0px `+
			`0px 0.8ex; BORDER-LEFT: #ccc 1px solid">`+m.sentHTML()+`</blockquote></div>`)
}

func onlyHTML(g *generator, m *draft) {
	m.envelope("webmail")
	m.body = g.text(m, "text/html", page(`<div style="display:none">preview text</div>`+paragraphs(m.answer)+
		`<p>`+html.EscapeString(g.fill(m, m.lang.thunder))+`</p><blockquote>`+m.sentHTML()+`</blockquote>`))
}

func roundcube(g *generator, m *draft) {
	m.envelope("roundcube")
	m.body = g.alternative(m, join(m.answer)+"\n"+g.fill(m, m.lang.thunder)+"\n"+quote(m.sent()),
		page(paragraphs(m.answer)+`<p><br /></p><p id="reply-intro">`+html.EscapeString(g.fill(m, m.lang.thunder))+
			`</p><blockquote type="cite" style="padding: 0 0.4em; border-left: #1010ff 2px solid; margin: 0">`+
			m.sentHTML()+`</blockquote>`))
}
