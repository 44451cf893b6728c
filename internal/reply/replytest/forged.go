package replytest

import (
	"strings"

	"homeward/internal/reply"
)

// forgedShapes have no token that may be accepted.
var forgedShapes = []shape{
	{"token at another domain", "", func(g *generator, m *draft) {
		plain(g, m)
		g.addressTo(m, "fundstelle+"+m.token+"@adler.example.org")
	}},
	{"token of another mailbox", "", func(g *generator, m *draft) {
		plain(g, m)
		g.addressTo(m, "office+"+m.token+"@adler.example")
	}},
	{"token in a name", "", func(g *generator, m *draft) {
		plain(g, m)
		g.addressTo(m, `"`+m.replyTo()+`" <help@adler.example>`)
	}},
	{"token in the name of a damaged field", "", func(g *generator, m *draft) {
		plain(g, m)
		g.addressTo(m, `"`+m.replyTo()+`" <help@adler.example>, <broken`)
	}},
	{"no token, only references", "", func(g *generator, m *draft) {
		gmail(g, m)
		g.addressTo(m, Self.Address)
	}},
	{"token in text, subject and Reply-To", "", func(g *generator, m *draft) {
		plain(g, m)
		g.addressTo(m, Self.Address)
		m.replace("Subject", m.replyTo())
		m.fields = append(m.fields, "Reply-To: "+m.replyTo(), "X-Reply-Token: "+m.token)
	}},
	{"two tokens", "", func(g *generator, m *draft) {
		plain(g, m)
		g.addressTo(m, m.replyTo()+", "+replyAddress(g.token()))
	}},
	{"token with other characters", "", func(g *generator, m *draft) {
		plain(g, m)
		g.addressTo(m, pick(g, []string{
			"fundstelle+" + m.token[:5] + "@adler.example", "fundstelle+" + strings.Repeat(m.token, 2) +
				"@adler.example",
			"fundstelle+" + m.token + "+x@adler.example", "fundstelle+" + m.token + "%@adler.example",
			"\"fundstelle+" + m.token + " \"@adler.example", "fundstelle-" + m.token + "@adler.example",
		}))
	}},
	{"header field inside the body", "", func(g *generator, m *draft) {
		plain(g, m)
		g.addressTo(m, Self.Address)
		m.body = entity{[]string{"Content-Type: text/plain; charset=utf-8"}, "Delivered-To: " + m.replyTo() +
			"\r\n\r\n" +
			strings.Join(m.answer, "\r\n")}
		m.wantText = "Delivered-To: " + m.replyTo() + "\n" + m.wantText
	}},
	{"bounce without our e-mail", "", func(g *generator, m *draft) {
		g.report(m, "MAILER-DAEMON@evil.example", "Undelivered Mail Returned to Sender")
		m.wantToken = ""
		m.unreachable = m.address
		m.body = g.multipart("report; report-type=delivery-status",
			entity{[]string{"Content-Type: message/delivery-status"},
				"Reporting-MTA: dns; evil.example\r\n\r\nFinal-Recipient: rfc822; " + m.address +
					"\r\nAction: failed\r\nStatus: 5.1.1\r\n"})
		m.kind = reply.Bounce
	}},
}

func (g *generator) addressTo(m *draft, to string) {
	m.wantToken = ""
	m.replace("To", to)
}
