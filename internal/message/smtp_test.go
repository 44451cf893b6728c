package message_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"mime"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-message/mail"
	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"homeward/internal/lost"
	"homeward/internal/message"
)

// server is a mail server that records the e-mails that it accepts.
type server struct {
	address  string
	roots    *x509.CertPool
	data     chan struct{} // receives a value when an e-mail begins
	ended    chan struct{} // receives a value when an e-mail ends
	password string        // the expected password; empty for none

	// The replies to MAIL, RCPT and the end of the data; nil means success.
	mail, rcpt, end error
	// refuse returns the reply to a step with a sender; it may be nil.
	refuse func(step, sender string) error

	mu       sync.Mutex
	accepted []string
	senders  []string // of each attempt
	aborted  int      // the number of aborted e-mails
}

func (s *server) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }

type session struct {
	*server
	sender string
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "desk" || password != s.password {
			return &smtp.SMTPError{
				Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "wrong password " + password,
			}
		}
		return nil
	}), nil
}

func (s *session) Mail(sender string, _ *smtp.MailOptions) error {
	s.mu.Lock()
	s.senders = append(s.senders, sender)
	s.mu.Unlock()
	s.sender = sender
	return s.respond("MAIL", s.mail)
}

func (s *session) Rcpt(string, *smtp.RcptOptions) error { return s.respond("RCPT", s.rcpt) }

// respond returns the error that the test wants for this sender, or else the usual one.
func (s *session) respond(step string, usual error) error {
	if s.refuse != nil {
		if err := s.refuse(step, s.sender); err != nil {
			return err
		}
	}
	return usual
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

func (s *session) Data(r io.Reader) error {
	s.server.data <- struct{}{}
	defer func() { s.ended <- struct{}{} }()
	text, err := io.ReadAll(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		s.aborted++
		return err
	case s.respond("DATA", s.end) != nil:
		return s.respond("DATA", s.end)
	}
	s.accepted = append(s.accepted, string(text))
	return nil
}

func (s *server) mails() (accepted []string, aborted int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.accepted), s.aborted
}

// mailServer starts a server. If encrypts is "tls", it supports STARTTLS; if it is "tls first", connections start
// with TLS.
func mailServer(t *testing.T, s *server, encrypts string) *server {
	t.Helper()
	s.data, s.ended = make(chan struct{}, 1000), make(chan struct{}, 1000)
	serving := smtp.NewServer(s)
	serving.Domain, serving.AllowInsecureAuth, serving.ErrorLog = "localhost", true, log.New(io.Discard, "", 0)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = l.Addr().String()
	if encrypts != "" {
		certified := httptest.NewTLSServer(nil) // only for its certificate
		t.Cleanup(certified.Close)
		s.roots = x509.NewCertPool()
		s.roots.AddCert(certified.Certificate())
		serving.TLSConfig = certified.TLS.Clone()
		serving.TLSConfig.NextProtos = nil
	}
	if encrypts == "tls first" {
		l = tls.NewListener(l, serving.TLSConfig)
	}
	go func() { _ = serving.Serve(l) }() // runs until the server is closed
	t.Cleanup(func() { _ = serving.Close() })
	return s
}

func (s *server) sender(t *testing.T) *message.Sender {
	t.Helper()
	return newSender(t, message.Options{SMTP: "smtp://" + s.address, Roots: s.roots})
}

// countCalls returns a handOver function that counts its calls and returns err.
func countCalls(n *int, err error) func() error {
	return func() error { *n++; return err }
}

func TestAMessageArrivesByMail(t *testing.T) {
	s := mailServer(t, &server{}, "")
	p := s.sender(t)
	calls := 0
	for range 2 { // the second is a retry
		receipt, err := p.Send(t.Context(), newMessage(lost.NoticeMessage), countCalls(&calls, nil))
		if err != nil || receipt != (lost.SendResult{State: lost.MessageSent}) {
			t.Fatal(receipt, err)
		}
	}
	got, aborted := s.mails()
	if len(got) != 2 || calls != 2 || aborted != 0 {
		t.Fatalf("%d e-mails, handed over %d times, %d aborted", len(got), calls, aborted)
	}
	m := parse(t, got[0])
	for field, want := range map[string]string{
		"From": "Hotel Adler <lost@homeward.example>", "To": "Anna Müller <anna@example.com>",
		"Reply-To": " <desk@adler.example>",
	} {
		if list, err := m.header.AddressList(field); err != nil || len(list) != 1 ||
			list[0].Name+" <"+list[0].Address+">" != want {
			t.Errorf("%s: %v %v, want %s", field, list, err, want)
		}
	}
	id, _ := m.header.MessageID()
	second := parse(t, got[1])
	again, _ := second.header.MessageID()
	if id != "msg_0123@homeward.example" || again != id {
		t.Errorf("the ids are %q and %q", id, again)
	}
	if at, err := m.header.Date(); err != nil || !at.Equal(now) {
		t.Errorf("the date is %v %v", at, err)
	}
	if m.header.Get("Auto-Submitted") != "auto-generated" || m.header.Get("X-Auto-Response-Suppress") != "All" ||
		m.header.Get("User-Agent") != "" {
		t.Errorf("the header is %v", m.header.Map())
	}
	subject, text := compose(t, p, newMessage(lost.NoticeMessage))
	htmlPart, _ := htmlOf(t, p, newMessage(lost.NoticeMessage))
	if got, _ := m.header.Subject(); got != subject || m.parts["text/plain"] != text ||
		m.parts["text/html"] != htmlPart || len(m.parts) != 2 {
		t.Errorf("%s\n%v", got, m.parts)
	}
}

// parsed is an e-mail as its recipient sees it.
type parsed struct {
	header mail.Header
	parts  map[string]string // by content type
}

func parse(t *testing.T, text string) parsed {
	t.Helper()
	r, err := mail.CreateReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err, text)
	}
	p := parsed{r.Header, map[string]string{}}
	for {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return p
		}
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(part.Body)
		kind, _, _ := mime.ParseMediaType(part.Header.Get("Content-Type"))
		p.parts[kind] = strings.ReplaceAll(string(body), "\r\n", "\n")
	}
}

// hostileNames lists names that try to add headers or recipients.
var hostileNames = []string{
	"Eve\r\nBcc: victim@example.com", "Eve\nSubject: other\n\nbody", "Eve\rX-Evil: 1",
	"\u0085Eve\u2028Bcc: a@example.com",
	`"Eve" <evil@example.com>, x`, "Eve <evil@example.com>,", `Eve\`, `\" <a@b>`, "(comment", "Ève\x00",
	"\u202eevE\u2066",
	"=?utf-8?q?=0D=0ABcc:_victim=40example.com?=", "=?utf-8?b?DQpCY2M6IGE=?=", strings.Repeat("Ü", 300),
	strings.Repeat("x", 2000), strings.Repeat(" \r\n x", 50), "\xff\xfe",
	"昊天 <x@y>; z", "; Bcc: a@example.com", "Eve\r\n\r\n<script>",
}

func TestNoNameInjectsAHeader(t *testing.T) {
	s := mailServer(t, &server{}, "")
	p := s.sender(t)
	wanted := []string{
		"auto-submitted", "content-type", "date", "from", "message-id", "mime-version", "reply-to", "subject", "to",
		"x-auto-response-suppress",
	}
	for _, name := range hostileNames {
		for _, kind := range lost.MessageKinds() {
			l := newMessage(kind)
			texts := []*string{
				&l.Item.Owner.FirstName, &l.Item.Owner.LastName, &l.Item.Description,
				&l.Location.Name, &l.Location.Contact.Name,
			}
			for _, field := range texts {
				*field = name
			}
			l.Item.Reference = name
			if _, err := p.Send(t.Context(), l, func() error { return nil }); err != nil {
				t.Fatalf("%q: %v", name, err)
			}
			got, _ := s.mails()
			text := got[len(got)-1]
			m := parse(t, text)
			var fields []string
			for f := m.header.Fields(); f.Next(); {
				fields = append(fields, strings.ToLower(f.Key()))
			}
			slices.Sort(fields)
			if want := wanted; !slices.Equal(fields, want) &&
				(!kind.ToDesk() ||
					!slices.Equal(fields, slices.DeleteFunc(slices.Clone(want), func(f string) bool {
						return f == "reply-to"
					}))) {
				t.Errorf("%q makes the header fields %q", name, fields)
			}
			for field, address := range map[string]string{"From": "lost@homeward.example", "To": l.To} {
				list, err := m.header.AddressList(field)
				if err != nil || len(list) != 1 || list[0].Address != address ||
					strings.ContainsAny(list[0].Name, "\r\n\x00\u202e\u2066\u0085\u2028") {
					t.Errorf("%q makes %s %v %v", name, field, list, err)
				}
			}
			if subject, err := m.header.Subject(); err != nil || strings.ContainsAny(subject, "\r\n\x00\u202e") {
				t.Errorf("%q makes the subject %q %v", name, subject, err)
			}
			head, _, _ := strings.Cut(text, "\r\n\r\n")
			for row := range strings.SplitSeq(head, "\r\n") {
				if len(row) > 998 || strings.ContainsFunc(row, func(r rune) bool {
					return r > '~' || r < ' ' && r != '\t'
				}) {
					t.Errorf("%q makes the line %q", name, row)
				}
			}
		}
	}
}

func TestNoAddressInjectsARecipient(t *testing.T) {
	s := mailServer(t, &server{}, "")
	for _, to := range []string{
		"anna@example.com\r\nRCPT TO:<eve@example.com>", "anna@example.com, eve@example.com", "Anna <anna@example.com>",
		"anna@example.com>", "", "anna",
	} {
		l := newMessage(lost.NoticeMessage)
		l.To = to
		_, err := s.sender(t).Send(t.Context(), l, func() error { return nil })
		if lost.CodeOf(err) != lost.Invalid {
			t.Errorf("%q: %v", to, err)
		}
	}
	l := newMessage(lost.NoticeMessage)
	l.Location.Contact.Email = "desk@adler.example\r\nBcc: eve@example.com"
	if _, err := s.sender(t).Send(t.Context(), l, func() error { return nil }); err != nil {
		t.Error(err)
	}
	got, _ := s.mails()
	if m := parse(t, got[0]); len(got) != 1 || m.header.Has("Bcc") || m.header.Has("Reply-To") {
		t.Errorf("accepted: %q", got)
	}
}

func TestADomainOfAnyScriptIsEncodedInASCII(t *testing.T) {
	s := mailServer(t, &server{}, "")
	l := newMessage(lost.NoticeMessage)
	l.To = "anna@müller.example"
	if _, err := s.sender(t).Send(t.Context(), l, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	got, _ := s.mails()
	m := parse(t, got[0])
	if list, err := m.header.AddressList("To"); err != nil || list[0].Address != "anna@xn--mller-kva.example" {
		t.Error(list, err)
	}
}

// TestAMailThatIsNotHandedOverIsNotAccepted: an e-mail is sent only after handOver has recorded it, and not at all if
// handOver fails. This prevents reminders from being sent twice.
func TestAMailThatIsNotHandedOverIsNotAccepted(t *testing.T) {
	for _, encrypts := range []string{"", "tls"} {
		s := mailServer(t, &server{}, encrypts)
		claimed := errors.New("claimed by another worker")
		calls := 0
		_, err := s.sender(t).Send(t.Context(), newMessage(lost.ReminderMessage), func() error {
			calls++
			<-s.data // the server knows sender and recipient, and is reading the e-mail
			return claimed
		})
		if !errors.Is(err, claimed) || calls != 1 {
			t.Errorf("handed over %d times: %v", calls, err)
		}
		<-s.ended
		if accepted, aborted := s.mails(); len(accepted) != 0 || aborted != 1 {
			t.Errorf("accepted %q, and %d aborted", accepted, aborted)
		}
	}
}

func TestAMailIsHandedOverOnceAndBeforeItIsAccepted(t *testing.T) {
	s := mailServer(t, &server{}, "")
	calls := 0
	_, err := s.sender(t).Send(t.Context(), newMessage(lost.ReminderMessage), func() error {
		calls++
		<-s.data
		if accepted, _ := s.mails(); len(accepted) != 0 {
			t.Error("the e-mail was accepted too early")
		}
		return nil
	})
	accepted, _ := s.mails()
	if err != nil || calls != 1 || len(accepted) != 1 {
		t.Errorf("handed over %d times, %d accepted: %v", calls, len(accepted), err)
	}
}

func TestAMailThatPanicsWhenItIsHandedOverIsNotAccepted(t *testing.T) {
	s := mailServer(t, &server{}, "")
	func() {
		defer func() { _ = recover() }()
		_, _ = s.sender(t).Send(t.Context(), newMessage(lost.ReminderMessage), func() error { panic("no database") })
	}()
	<-s.ended
	if accepted, _ := s.mails(); len(accepted) != 0 {
		t.Errorf("accepted %q", accepted)
	}
}

func smtpError(code int, words string) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.NoEnhancedCode, Message: words}
}

func TestPermanentAndTemporaryRefusalsOfMailAreDistinguished(t *testing.T) {
	for name, c := range map[string]struct {
		server *server
		want   lost.Code
		calls  int
		text   string
	}{
		"no such mailbox": {
			&server{rcpt: smtpError(550, "5.1.1 no such mailbox")}, lost.Invalid, 0, "550 5.1.1 no such mailbox",
		},
		"a bad address":  {&server{rcpt: smtpError(501, "5.1.3 bad address")}, lost.Invalid, 0, ""},
		"a full mailbox": {&server{rcpt: smtpError(552, "5.2.2 mailbox full")}, lost.Invalid, 0, ""},
		"an unknown user behind a relay": {
			&server{rcpt: smtpError(550, "5.1.1 User unknown in relay recipient table")}, lost.Invalid, 0, "",
		},
		"a greylisted recipient": {
			&server{rcpt: smtpError(451, "4.7.1 greylisted")}, lost.Unavailable, 0, "451 4.7.1 greylisted",
		},
		"a refused text": {
			&server{end: smtpError(554, "5.6.0 looks like spam")}, lost.Invalid, 1, "554 5.6.0 looks like spam",
		},
		"a text refused for now": {&server{end: smtpError(452, "4.3.1 disk full")}, lost.Unavailable, 1, ""},
		"our sender": {
			&server{mail: smtpError(553, "5.1.8 sender unknown")}, lost.Unavailable, 0, "553 5.1.8 sender unknown",
		},
		"our missing log-in": {&server{rcpt: smtpError(530, "5.7.0 log in first")}, lost.Unavailable, 0, ""},
		"our relaying": {
			&server{rcpt: smtpError(554, "5.7.1 anna@example.com: Relay access denied")}, lost.Unavailable, 0, "",
		},
		"our relaying, in words": {
			&server{rcpt: smtpError(550, "5.7.54 Unable to relay recipient")}, lost.Unavailable, 0, "",
		},
		"our missing signature": {&server{end: smtpError(550, "5.7.26 unsigned mail")}, lost.Unavailable, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := mailServer(t, c.server, "")
			calls := 0
			receipt, err := s.sender(t).Send(t.Context(), newMessage(lost.NoticeMessage), countCalls(&calls, nil))
			if lost.CodeOf(err) != c.want || calls != c.calls || receipt != (lost.SendResult{}) {
				t.Errorf("handed over %d times: %v %v", calls, receipt, err)
			}
			if e, ok := errors.AsType[*lost.Error](err); !ok || !strings.Contains(e.Detail, c.text) {
				t.Errorf("error %v, want %q", err, c.text)
			}
			if accepted, _ := s.mails(); len(accepted) > 0 {
				t.Error("the e-mail was accepted")
			}
		})
	}
}

// sendWithToken sends two messages with a token for replies, and returns the senders of all attempts.
func (s *server) sendWithToken(t *testing.T, replies string) (senders []string, err error) {
	t.Helper()
	p := newSender(t, message.Options{SMTP: "smtp://" + s.address, Roots: s.roots, Replies: replies})
	l := newMessage(lost.NoticeMessage)
	l.ReplyToken = replyToken
	calls := 0
	for range 2 {
		if _, sendErr := p.Send(t.Context(), l, countCalls(&calls, nil)); sendErr != nil {
			err = sendErr
		}
	}
	if calls > 2 {
		t.Errorf("handed over %d times, want once for each message", calls)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.senders, err
}

func TestServersReportToAnAddressWithTheToken(t *testing.T) {
	for replies, want := range map[string]string{
		"lost@homeward.example":    "lost+" + replyToken + "@homeward.example",
		"replies@Homeward.example": "replies+" + replyToken + "@Homeward.example",
		"replies@adler.example":    "lost@homeward.example", // the mail server would probably reject this domain
		"":                         "lost@homeward.example",
	} {
		s := mailServer(t, &server{}, "")
		senders, err := s.sendWithToken(t, replies)
		if err != nil || !slices.Equal(senders, []string{want, want}) {
			t.Errorf("replies to %q: got the senders %q, %v, want %s", replies, senders, err, want)
		}
	}
}

func TestRepliesGoToTheConversationOrToTheLocation(t *testing.T) {
	const desk, conversation = "desk@adler.example", "lost+" + replyToken + "@homeward.example"
	s := mailServer(t, &server{}, "")
	p := newSender(t, message.Options{SMTP: "smtp://" + s.address, Replies: "lost@homeward.example"})
	plain := s.sender(t)
	expect := func(p *message.Sender, l lost.MessageData, want string) {
		t.Helper()
		if _, err := p.Send(t.Context(), l, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		all, _ := s.mails()
		m := parse(t, all[len(all)-1])
		list, err := m.header.AddressList("Reply-To")
		got := ""
		for _, a := range list {
			got += a.Address
		}
		if err != nil || got != want {
			t.Errorf("%s: got the address for replies %q, %v, want %q", l.Kind, got, err, want)
		}
	}
	for _, kind := range lost.MessageKinds() {
		l := newMessage(kind)
		if kind.ToDesk() {
			expect(p, l, "")
			continue
		}
		expect(p, l, desk)
		if kind.ToFinder() {
			continue
		}
		l.ReplyToken = replyToken
		expect(p, l, conversation)
		expect(plain, l, desk)
		l.ThreadClosed = true
		expect(p, l, desk)
		l.Location.Contact.Email = ""
		expect(p, l, conversation)
		expect(plain, l, "")
	}
}

// Many servers accept only the address of their user as the sender. They find out at different steps.
func TestAServerThatAcceptsOnlyOneSenderGetsIt(t *testing.T) {
	const plain, withToken = "lost@homeward.example", "lost+" + replyToken + "@homeward.example"
	for _, step := range []string{"MAIL", "RCPT", "DATA"} {
		s := mailServer(t, &server{refuse: func(at, sender string) error {
			if at == step && sender == withToken {
				return smtpError(553, "5.7.1 sender "+sender+" is not owned by user lost")
			}
			return nil
		}}, "")
		senders, err := s.sendWithToken(t, "lost@homeward.example")
		if accepted, _ := s.mails(); err != nil || len(accepted) != 2 {
			t.Errorf("%s: %d e-mails were accepted: %v", step, len(accepted), err)
		}
		if !slices.Equal(senders, []string{withToken, plain, plain}) {
			t.Errorf("%s: got the senders %q", step, senders)
		}
	}
}

func TestARejectionIsNotTheSendersFaultIfEverySenderIsRejected(t *testing.T) {
	for name, c := range map[string]struct {
		server *server
		want   lost.Code
		tries  int
	}{
		"no such mailbox": {&server{rcpt: smtpError(550, "5.1.1 no such mailbox")}, lost.Invalid, 4},
		"spam":            {&server{end: smtpError(554, "5.6.0 looks like spam")}, lost.Invalid, 4},
		"greylisted":      {&server{rcpt: smtpError(451, "4.7.1 greylisted")}, lost.Unavailable, 2},
	} {
		s := mailServer(t, c.server, "")
		senders, err := s.sendWithToken(t, "lost@homeward.example")
		if lost.CodeOf(err) != c.want || len(senders) != c.tries || strings.Contains(fmt.Sprint(err), replyToken) {
			t.Errorf("%s: got %v and the senders %q", name, err, senders)
		}
	}
}

func TestNoErrorContainsTheLinkOrThePassword(t *testing.T) {
	for _, code := range []int{451, 550} {
		for _, echo := range []string{
			link, "found " + link + " in the text", token, strings.ToUpper(token),
			strings.Repeat("so much to say ", 40) + link,
			"https://elsewhere.example/x?y=" + token, "line\none " + link, strings.ReplaceAll(link, ":", "=3A"),
		} {
			for _, s := range []*server{
				{end: smtpError(code, echo)}, {rcpt: smtpError(code, echo)}, {mail: smtpError(code, echo)},
			} {
				mailServer(t, s, "")
				_, err := s.sender(t).Send(t.Context(), newMessage(lost.NoticeMessage), func() error { return nil })
				if err == nil || strings.Contains(strings.ToLower(err.Error()), token) ||
					strings.Contains(err.Error(), "://") || len(err.Error()) > 400 {
					t.Errorf("%q: %v", echo, err)
				}
			}
		}
	}
	s := mailServer(t, &server{password: "right"}, "tls")
	p := newSender(t, message.Options{SMTP: "smtp://desk:s3cr3t@" + s.address, Roots: s.roots})
	_, err := p.Send(t.Context(), newMessage(lost.NoticeMessage), func() error { return nil })
	if lost.CodeOf(err) != lost.Unavailable || strings.Contains(err.Error(), "s3cr3t") ||
		!strings.Contains(err.Error(), "535") {
		t.Error(err)
	}
}

func TestAPasswordIsSentOnlyEncrypted(t *testing.T) {
	for encrypts, scheme := range map[string]string{"": "smtp", "tls": "smtp", "tls first": "smtps"} {
		s := mailServer(t, &server{password: "p@ss"}, encrypts)
		p := newSender(t, message.Options{SMTP: scheme + "://desk:p%40ss@" + s.address, Roots: s.roots})
		err := p.MailUser(t.Context(), "anna@example.com", "Hello", "Text")
		accepted, _ := s.mails()
		if wanted := encrypts != ""; (err == nil) != wanted || (len(accepted) == 1) != wanted {
			t.Errorf("%q: %d e-mails, %v", encrypts, len(accepted), err)
		}
	}
}

func TestAnUntrustedServerGetsNothing(t *testing.T) {
	s := mailServer(t, &server{}, "tls")
	p := newSender(t, message.Options{SMTP: "smtp://" + s.address})
	if err := p.MailUser(t.Context(), "anna@example.com", "Hello", "Text"); err == nil ||
		lost.CodeOf(err) == lost.Invalid {
		t.Error(err)
	}
	if accepted, _ := s.mails(); len(accepted) > 0 {
		t.Error("the e-mail was sent")
	}
}

func TestAUserGetsAPlainMail(t *testing.T) {
	s := mailServer(t, &server{}, "")
	p := s.sender(t)
	if err := p.MailUser(t.Context(), "anna@example.com", "Grüße\r\nBcc: eve@example.com",
		"Line one\nLine two\n"); err != nil || !p.Sends(lost.ByEmail) {
		t.Fatal(err)
	}
	got, _ := s.mails()
	m := parse(t, got[0])
	if subject, _ := m.header.Subject(); subject != "Grüße Bcc: eve@example.com" || m.header.Has("Bcc") ||
		m.parts["text/plain"] != "Line one\nLine two\n" || len(m.parts) != 1 {
		t.Errorf("%q\n%s", subject, got[0])
	}
	none := newSender(t, message.Options{})
	if err := none.MailUser(t.Context(), "anna@example.com", "Hello", "Text"); err == nil || none.Sends(lost.ByEmail) {
		t.Error("an e-mail was sent without a server")
	}
}

func TestADiscreetMailHasADiscreetSender(t *testing.T) {
	s := mailServer(t, &server{}, "")
	p := newSender(t, message.Options{SMTP: "smtp://" + s.address, Discreet: true})
	if _, err := p.Send(t.Context(), newMessage(lost.NoticeMessage), func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	got, _ := s.mails()
	m := parse(t, got[0])
	list, err := m.header.AddressList("From")
	if err != nil || list[0].Name != "Lost and found" {
		t.Error(list, err)
	}
}

func TestAMessageWithoutAChannelIsStored(t *testing.T) {
	p := newSender(t, message.Options{})
	calls := 0
	for _, l := range []lost.MessageData{newMessage(lost.NoticeMessage), bySMS(newMessage(lost.NoticeMessage))} {
		receipt, err := p.Send(t.Context(), l, countCalls(&calls, nil))
		if err != nil || receipt != (lost.SendResult{State: lost.MessageSaved}) || calls != 0 {
			t.Errorf("%s: %v %v, handed over %d times", l.Channel, receipt, err, calls)
		}
	}
}

func TestACanceledContextEndsTheWaitForAServer(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		if _, err := l.Accept(); err == nil {
			cancel()
		}
	}()
	p := newSender(t, message.Options{SMTP: "smtp://" + l.Addr().String()})
	result := make(chan error, 1)
	go func() { result <- p.MailUser(ctx, "anna@example.com", "Hello", "Text") }()
	select {
	case err := <-result:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(20 * time.Second): // shorter than the sender's own timeout of 30 s
		t.Error("the sender ignores the canceled context")
	}
}

func TestAServerWithEndlessRepliesIsAborted(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		for err == nil {
			_, err = fmt.Fprintf(conn, "220-%s\r\n", strings.Repeat("x", 1000))
		}
	}()
	p := newSender(t, message.Options{SMTP: "smtp://" + l.Addr().String()})
	if err := p.MailUser(t.Context(), "anna@example.com", "Hello", "Text"); err == nil ||
		lost.CodeOf(err) == lost.Invalid {
		t.Error(err)
	}
}

func TestWrongSettingsAreRefused(t *testing.T) {
	for _, o := range []message.Options{
		{SMTP: "smtp://", From: "x@y.example"}, {SMTP: "http://host", From: "x@y.example"},
		{SMTP: "smtp://host:port:secret", From: "x@y.example"},
		{SMTP: "smtp://host", From: "nobody"}, {Twilio: message.Twilio{Account: "AC1"}},
		{Twilio: message.Twilio{Account: "AC1", Token: "t", From: "+1", API: "nowhere"}},
	} {
		if _, err := message.New(o); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
