package replytest

import (
	"strings"

	"homeward/internal/reply"
)

var machineShapes = []shape{
	{"Exchange, out of office", "", exchangeAway},
	{"Gmail, vacation", "", gmailAway},
	{"Sieve, vacation", "", sieveAway},
	{"cPanel, auto-responder", "", cpanelAway},
	{"read receipt", "", readReceipt},
	{"Postfix, unknown user", "", postfixBounce},
	{"Postfix, delayed", "", postfixDelayed},
	{"Exchange, undeliverable", "", exchangeBounce},
	{"Gmail, address not found", "", gmailBounce},
	{"Exim, plain", "", eximBounce},
	{"qmail, plain", "", qmailBounce},
	{"qmail, temporary", "", qmailTemporary},
	{"Exchange, plain", "", exchangePlain},
	{"mailing list", "", mailingList},
	{"newsletter", "", newsletter},
	{"our own e-mail", "", ownMail},
	{"our own e-mail, redirected", "", redirectedMail},
	{"answer to an out-of-office notice", "", answersAway},
}

func (g *generator) away(m *draft) {
	m.kind = reply.AutoReply
	m.answer = pick(g, m.lang.answers)
	m.wantText = strings.Join(m.answer, "\n")
	m.body = g.text(m, "text/plain", join(m.answer))
}

func exchangeAway(g *generator, m *draft) {
	m.envelope("exchange")
	g.away(m)
	m.replace("Subject", "=?utf-8?Q?"+strings.ReplaceAll(strings.TrimSpace(quotePrintable([]byte(m.lang.away))), " ",
		"_")+
		"?= umbrella")
	m.fields = append(m.fields, "X-Auto-Response-Suppress: All", "Auto-Submitted: auto-generated",
		"X-MS-Exchange-Inbox-Rules-Loop: "+m.address)
}

func gmailAway(g *generator, m *draft) {
	m.envelope("gmail")
	g.away(m)
	m.fields = append(m.fields, "Auto-Submitted: auto-replied", "Precedence: bulk", "X-Autoreply: yes")
}

func sieveAway(g *generator, m *draft) {
	m.envelope("dovecot")
	g.away(m)
	m.replace("Return-Path", "<>")
	m.fields = append(m.fields, "Auto-Submitted: auto-replied (vacation)", "X-Sieve: Pigeonhole Sieve 2.3")
}

func cpanelAway(g *generator, m *draft) {
	m.envelope("cpanel")
	g.away(m)
	m.fields = append(m.fields, pick(g, []string{"X-Autorespond: umbrella", "Precedence: auto_reply",
		"X-Autoreply: yes"}))
}

func readReceipt(g *generator, m *draft) {
	m.envelope("outlook")
	g.away(m)
	m.body = g.multipart("report; report-type=disposition-notification", m.body,
		entity{[]string{"Content-Type: message/disposition-notification"},
			"Final-Recipient: rfc822;" + m.address + "\r\nDisposition: manual-action/MDN-sent-manually; displayed\r\n"})
}

// report writes the header of a server's report. Servers send it to the sender, which has no token.
func (g *generator) report(m *draft, from, subject string) {
	m.envelope("server")
	m.kind = reply.Bounce
	m.wantText = "*"
	m.replace("Return-Path", "<>")
	m.replace("From", from)
	m.replace("To", Self.From)
	m.replace("Subject", subject)
	m.replace("In-Reply-To", "")
	m.replace("References", "")
}

// returned is our e-mail as servers return it.
func (g *generator) returned(m *draft) string {
	return "From: Hotel Adler <" + Self.From + ">\r\nTo: " + m.address + "\r\nReply-To: <" + m.replyTo() +
		">\r\nSubject: A question\r\nMessage-ID: <" + m.sentID + ">\r\nAuto-Submitted: auto-generated\r\n"
}

func (g *generator) dsn(m *draft, explanation, recipient string) {
	whole := pick(g, []string{"message/rfc822", "text/rfc822-headers"})
	original := g.returned(m)
	if whole == "message/rfc822" {
		original += "Content-Type: multipart/mixed; boundary=\"zz\"\r\n\r\n--zz\r\n\r\nWhat colour is it?\r\n--zz--\r\n"
	}
	m.body = g.multipart("report; report-type=delivery-status",
		entity{[]string{"Content-Description: Notification", "Content-Type: text/plain; charset=us-ascii"},
			explanation},
		entity{[]string{"Content-Type: message/delivery-status"},
			"Reporting-MTA: dns; mx.example.org\r\nArrival-Date: " + m.at.Format("Mon, 02 Jan 2006 15:04:05 -0700") +
				"\r\n\r\n" + recipient},
		entity{[]string{"Content-Type: " + whole}, original})
}

func postfixBounce(g *generator, m *draft) {
	g.report(m, "MAILER-DAEMON@mx.example.org (Mail Delivery System)", "Undelivered Mail Returned to Sender")
	m.unreachable = m.address
	g.dsn(m, "This is the mail system at host mx.example.org.\r\n\r\n<"+m.address+">: host mail.example.org said:\r\n"+
		"    550 5.1.1 User unknown (in reply to RCPT TO command)\r\n",
		"Final-Recipient: rfc822; "+m.address+"\r\nOriginal-Recipient: rfc822;"+m.address+"\r\nAction: failed\r\n"+
			"Status: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 User unknown\r\n")
}

func postfixDelayed(g *generator, m *draft) {
	g.report(m, "MAILER-DAEMON@mx.example.org (Mail Delivery System)", "Delayed Mail (still being retried)")
	g.dsn(m, "THIS IS A WARNING ONLY. YOU DO NOT NEED TO RESEND YOUR MESSAGE.\r\n",
		"Final-Recipient: rfc822; "+m.address+"\r\nAction: delayed\r\nStatus: 4.4.1\r\nWill-Retry-Until: tomorrow\r\n")
}

func exchangeBounce(g *generator, m *draft) {
	g.report(m, "Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@firma.example>",
		"Undeliverable: A question about your umbrella")
	m.unreachable = m.address
	g.dsn(m, "Delivery has failed to these recipients or groups:\r\n\r\n"+m.address+"\r\nThe address wasn't found.\r\n",
		"Final-Recipient: rfc822;forwarded@other.example\r\nAction: failed\r\nStatus: 5.1.10\r\n"+
			"Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found\r\n")
}

func gmailBounce(g *generator, m *draft) {
	g.report(m, "Mail Delivery Subsystem <mailer-daemon@googlemail.example>", "Delivery Status Notification (Failure)")
	m.unreachable = m.address
	m.fields = append(m.fields, "X-Failed-Recipients: "+m.address, "Auto-Submitted: auto-replied")
	g.dsn(m, "** Address not found **\r\n\r\nYour message wasn't delivered to "+m.address+".\r\n",
		"Final-Recipient: rfc822; "+m.address+"\r\nAction: failed\r\nStatus: 5.1.1\r\n")
}

func eximBounce(g *generator, m *draft) {
	g.report(m, "Mail Delivery System <Mailer-Daemon@mx.example.org>",
		"Mail delivery failed: returning message to sender")
	m.unreachable = m.address
	m.fields = append(m.fields, "X-Failed-Recipients: "+m.address, "Auto-Submitted: auto-replied")
	m.body = entity{[]string{"Content-Type: text/plain; charset=us-ascii"},
		"This message was created automatically by mail " +
			"delivery software.\r\n\r\nA message that you sent could not be delivered to one or more of " +
			"its\r\nrecipients. " +
			"This is a permanent error. The following address(es) failed:\r\n\r\n  " + m.address +
			"\r\n    Unrouteable address\r\n\r\n------ This is a copy of the message, including all the headers. " +
			"------\r\n\r\n" +
			g.returned(m) + "\r\nWhat colour is the lining?\r\n"}
}

func qmailBounce(g *generator, m *draft) {
	g.report(m, "MAILER-DAEMON@mx.example.org", "failure notice")
	m.unreachable = m.address
	m.body = entity{nil, "Hi. This is the qmail-send program at mx.example.org.\r\nI'm afraid I wasn't able to " +
		"deliver your " +
		"message to the following addresses.\r\nThis is a permanent error; I've given up. Sorry it didn't work " +
		"out.\r\n\r\n<" +
		m.address + ">:\r\nSorry, no mailbox here by that name. (#5.1.1)\r\n\r\n--- Below this line is a copy of the " +
		"message." +
		"\r\n\r\nReturn-Path: <" + Self.From + ">\r\n" + g.returned(m) + "\r\nWhat colour is the lining?\r\n"}
}

func qmailTemporary(g *generator, m *draft) {
	qmailBounce(g, m)
	m.unreachable = ""
	m.body.body = strings.Replace(strings.Replace(m.body.body, "Sorry, no mailbox here by that name. (#5.1.1)",
		"Connected to 192.0.2.9 but connection died. (#4.4.2)", 1), "This is a permanent error; I've given up.",
		"I will keep trying.", 1)
}

func exchangePlain(g *generator, m *draft) {
	g.report(m, "postmaster@firma.example", "Unzustellbar: Eine Frage zu Ihrem Schirm")
	m.unreachable = m.address
	m.body = g.text(m, "text/html", page("<p>Delivery has failed to these recipients or groups:</p><p><a "+
		"href=\"mailto:"+
		m.address+"\">"+m.address+"</a></p><p>Remote Server returned '550 5.1.10 RESOLVER.ADR.RecipientNotFound'</p>"+
		"<p>Original message headers:</p><pre>"+strings.NewReplacer("<", "&lt;", ">", "&gt;", "\r",
		"").Replace(g.returned(m))+
		"</pre>"))
}

func mailingList(g *generator, m *draft) {
	plain(g, m)
	m.kind = reply.List
	m.fields = append(m.fields, "List-Id: Travellers <travel.lists.example>", "Precedence: list",
		"List-Post: <mailto:travel@lists.example>")
}

func newsletter(g *generator, m *draft) {
	plain(g, m)
	m.kind = reply.List
	m.fields = append(m.fields, "List-Unsubscribe: <https://news.example/u/1>", "Precedence: bulk")
}

func ownMail(g *generator, m *draft) {
	plain(g, m)
	m.kind = reply.Loop
	m.replace("From", "Hotel Adler <"+pick(g, []string{Self.From, Self.Address, m.replyTo()})+">")
}

func redirectedMail(g *generator, m *draft) {
	plain(g, m)
	m.kind = reply.Loop
	m.replace("Message-ID", "<"+m.sentID+">")
	m.fields = append(m.fields, "Auto-Submitted: auto-generated")
}

// answersAway is written by a person, although the subject says otherwise.
func answersAway(g *generator, m *draft) {
	gmail(g, m)
	m.replace("Subject", "Re: Out of office: your umbrella")
}
