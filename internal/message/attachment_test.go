package message_test

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/message"
	"homeward/internal/message/mailtest"
)

// pdf returns an attachment of size bytes. It contains every byte value, and the line that ends an e-mail in SMTP.
func pdf(name string, size int) lost.Attachment {
	every := []byte("%PDF-1.7\r\n.\r\n")
	for b := range 256 {
		every = append(every, byte(b))
	}
	return lost.Attachment{Name: name, Content: bytes.Repeat(every, size/len(every)+1)[:size]}
}

// deliver sends a message to a real SMTP server and returns the e-mail that the server received.
func deliver(t *testing.T, l lost.MessageData) mailtest.Mail {
	t.Helper()
	s := mailtest.Start(t)
	p := newSender(t, message.Options{SMTP: s.URL()})
	calls := 0
	if _, err := p.Send(t.Context(), l, countCalls(&calls, nil)); err != nil || calls != 1 {
		t.Fatalf("handed over %d times: %v", calls, err)
	}
	return s.Next(t, l.To)
}

func TestAttachmentsArriveUnchanged(t *testing.T) {
	for _, kind := range []lost.MessageKind{lost.ReceiptMessage, lost.LabelMessage} {
		l := newMessage(kind)
		m := deliver(t, l)
		if len(m.Attachments) != len(l.Enclosed) {
			t.Fatalf("%s has %d files", kind, len(m.Attachments))
		}
		for n, a := range m.Attachments {
			if a.Name != strings.TrimSuffix(l.Enclosed[n].Name, ".pdf")+".pdf" || a.Type != "application/pdf" ||
				!bytes.Equal(a.Content, l.Enclosed[n].Content) {
				t.Errorf("%s has %s %q with %d bytes", kind, a.Type, a.Name, len(a.Content))
			}
		}
		if whole, _, err := m.Header.ContentType(); err != nil || whole != "multipart/mixed" {
			t.Errorf("%s is %s %v", kind, whole, err)
		}
		if !strings.Contains(m.Raw, "multipart/alternative") || !strings.Contains(m.Text, "attached") ||
			!strings.Contains(m.HTML, "attached") {
			t.Errorf("%s reads\n%s", kind, m.Text)
		}
	}
	if m := deliver(t, newMessage(lost.ShippedMessage)); len(m.Attachments) != 0 ||
		strings.Contains(m.Raw, "multipart/mixed") {
		t.Errorf("a message without attachments is\n%s", m.Raw)
	}
}

func TestAttachmentsOverTheLimitAreLeftOutAndNotMentioned(t *testing.T) {
	const mega = 1 << 20
	p := newSender(t, message.Options{})
	for name, c := range map[string]struct {
		kind     lost.MessageKind
		enclosed []lost.Attachment
		attached string
		says     bool
	}{
		"an invoice that fits exactly": {lost.ReceiptMessage, []lost.Attachment{pdf("a", 10*mega)}, "a.pdf", true},
		"too large an invoice":         {lost.ReceiptMessage, []lost.Attachment{pdf("a", 10*mega+1)}, "", false},
		"an empty invoice":             {lost.ReceiptMessage, []lost.Attachment{{Name: "a"}}, "", false},
		"too much in all": {
			lost.LabelMessage, []lost.Attachment{pdf("a", 6*mega), pdf("b", 6*mega), pdf("c", mega)}, "a.pdf c.pdf",
			false,
		},
		"too many": {lost.LabelMessage,
			[]lost.Attachment{pdf("a", 9), pdf("b", 9), pdf("c", 9), pdf("d", 9), pdf("e", 9), pdf("f", 9)},
			"a.pdf b.pdf c.pdf d.pdf e.pdf", false},
		"as many as there may be": {lost.LabelMessage,
			[]lost.Attachment{pdf("a", 9), pdf("b", 9), pdf("c", 9), pdf("d", 9), pdf("e", 9)},
			"a.pdf b.pdf c.pdf d.pdf e.pdf", true},
	} {
		t.Run(name, func(t *testing.T) {
			l := newMessage(c.kind)
			l.Enclosed = c.enclosed
			var names []string
			for _, file := range message.Enclosed(l) {
				names = append(names, file.Name)
			}
			if got := strings.Join(names, " "); got != c.attached {
				t.Errorf("attachments %q, want %q", got, c.attached)
			}
			_, text := compose(t, p, l)
			htmlPart, _ := htmlOf(t, p, l)
			claim := map[lost.MessageKind]string{
				lost.ReceiptMessage: "The invoice is attached", lost.LabelMessage: "The documents are attached",
			}[c.kind]
			flat := strings.Join(strings.Fields(text), " ")
			if strings.Contains(flat, claim) != c.says || strings.Contains(htmlPart, claim) != c.says {
				t.Errorf("says that documents are attached: want %t\n%s", c.says, text)
			}
			if listed := strings.ReplaceAll(c.attached, " ", ", "); c.kind == lost.LabelMessage &&
				!strings.Contains(flat, "Attached: "+listed+" ") {
				t.Errorf("%q is not listed\n%s", listed, text)
			}
		})
	}
}

// TestAShownMessageMatchesTheSentOne: the text is the same, although attachments are not read when a message is only
// shown. If a message is sent without reading its attachments, the text does not mention them.
func TestAShownMessageMatchesTheSentOne(t *testing.T) {
	p := newSender(t, message.Options{})
	for _, kind := range []lost.MessageKind{lost.ReceiptMessage, lost.LabelMessage} {
		l := newMessage(kind)
		sent := deliver(t, l)
		for n := range l.Enclosed {
			l.Enclosed[n].File, l.Enclosed[n].Content = "file", nil
		}
		if _, shown := compose(t, p, l); shown != strings.ReplaceAll(sent.Text, "\r\n", "\n") {
			t.Errorf("%s was sent as\n%s\nand is shown as\n%s", kind, sent.Text, shown)
		}
		if m := deliver(t, l); len(m.Attachments) != 0 || strings.Contains(m.Text, "ttached") ||
			strings.Contains(m.HTML, "ttached") {
			t.Errorf("%s has attachments %q and says\n%s", kind, m.Attachments, m.Text)
		}
		if l.Enclosed[0].File != "file" {
			t.Error("sending changed the message")
		}
	}
}

func TestNoAttachmentNameInjectsAHeaderOrAFolder(t *testing.T) {
	for name, want := range map[string]string{
		"Rechnung Müller.pdf":                    "Rechnung Müller.pdf",
		"請求書 17.pdf":                             "請求書 17.pdf",
		"":                                       "document.pdf",
		"...":                                    "document.pdf",
		"../../etc/passwd":                       "-..-etc-passwd.pdf",
		`..\x:y*?"<z>|` + "\r\nBcc: eve@example": `-x-y--'-z-- Bcc- eve@example.pdf`,
		"a\r\n\r\nbody.pdf":                      "a body.pdf",
		`a"; filename="evil.exe`:                 "a'; filename='evil.exe.pdf",
		"fdp\u202e.exe":                          "fdp.exe.pdf",
		"=?utf-8?q?=0D=0ABcc?=":                  "=-utf-8-q-=0D=0ABcc-=.pdf",
		strings.Repeat("ß", 300):                 strings.Repeat("ß", 59) + "….pdf",
		script:                                   "-script-alert('x')--script- & {name}'.pdf",
	} {
		l := newMessage(lost.LabelMessage)
		l.Enclosed = []lost.Attachment{pdf(name, 100)}
		m := deliver(t, l)
		if len(m.Attachments) != 1 || m.Attachments[0].Name != want ||
			!bytes.Equal(m.Attachments[0].Content, l.Enclosed[0].Content) {
			t.Errorf("%q arrives as %q", name, m.Attachments)
		}
		if m.Header.Has("Bcc") || strings.Contains(m.Raw, "\nBcc:") ||
			!strings.Contains(strings.Join(strings.Fields(m.Text), " "), "Attached: "+want) {
			t.Errorf("%q makes\n%s", name, m.Text)
		}
		_, head, _ := strings.Cut(m.Raw, "Content-Disposition: attachment")
		head, _, _ = strings.Cut(head, "\r\n\r\n")
		if strings.Contains(head, "=?") || strings.ContainsFunc(want, func(r rune) bool {
			return r > '~'
		}) && !strings.Contains(head, "filename*=utf-8''") {
			t.Errorf("%q is not encoded as in RFC 2231: %s", name, head)
		}
		for row := range strings.SplitSeq(m.Raw, "\r\n") {
			if len(row) > 998 || strings.ContainsFunc(row, func(r rune) bool {
				return r > '~' || r < ' ' && r != '\t'
			}) {
				t.Errorf("%q makes the line %q", name, row)
			}
		}
	}
}

// TestAMailWithAttachmentsThatIsNotHandedOverIsNotAccepted: the server does not accept even a large e-mail before
// handOver has recorded it.
func TestAMailWithAttachmentsThatIsNotHandedOverIsNotAccepted(t *testing.T) {
	l := newMessage(lost.LabelMessage)
	l.Enclosed = []lost.Attachment{pdf("Label", 300_000), pdf("Invoice", 200_000)}
	for _, encrypts := range []string{"", "tls"} {
		for _, handOverErr := range []error{nil, errors.New("claimed by another worker")} {
			s := mailServer(t, &server{}, encrypts)
			calls := 0
			_, err := s.sender(t).Send(t.Context(), l, func() error {
				calls++
				<-s.data
				if accepted, _ := s.mails(); len(accepted) != 0 {
					t.Error("the e-mail was accepted too early")
				}
				return handOverErr
			})
			<-s.ended
			accepted, aborted := s.mails()
			if !errors.Is(err, handOverErr) || calls != 1 {
				t.Errorf("handed over %d times: %v", calls, err)
			}
			if handOverErr == nil && (len(accepted) != 1 || aborted != 0) ||
				handOverErr != nil && (len(accepted) != 0 || aborted != 1) {
				t.Errorf("with %v, accepted %d, and %d aborted", handOverErr, len(accepted), aborted)
			}
		}
	}
}

func TestAServerMayRefuseAMailForItsAttachments(t *testing.T) {
	s := mailServer(t, &server{end: smtpError(552, "5.3.4 message too big")}, "")
	calls := 0
	_, err := s.sender(t).Send(t.Context(), newMessage(lost.LabelMessage), countCalls(&calls, nil))
	if lost.CodeOf(err) != lost.Invalid || calls != 1 {
		t.Errorf("handed over %d times: %v", calls, err)
	}
}

func TestAnSMSHasNoAttachments(t *testing.T) {
	l := bySMS(newMessage(lost.ReceiptMessage))
	if _, text := compose(t, newSender(t, message.Options{}), l); strings.Contains(text, "ttached") {
		t.Error(text)
	}
}

// An e-mail about a found item shows its photo, small enough for every screen. A discreet one does not.
func TestANoticeShowsThePhotoOfTheItem(t *testing.T) {
	var content bytes.Buffer
	if err := jpeg.Encode(&content, image.NewGray(image.Rect(0, 0, 640, 480)), nil); err != nil {
		t.Fatal(err)
	}
	for _, discreet := range []bool{false, true} {
		l := newMessage(lost.NoticeMessage)
		plain := deliver(t, l)
		l.Photo = lost.InlinePhoto{Image: lost.Image{Width: 4000, Height: 3000}, Content: content.Bytes()}
		s := mailtest.Start(t)
		p := newSender(t, message.Options{SMTP: s.URL(), Discreet: discreet})
		if _, err := p.Send(t.Context(), l, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		m := s.Next(t, l.To)
		const tag = `<img src="cid:photo@homeward" alt="Photo of the item" width="533" height="400"`
		if shows := strings.Contains(m.HTML, tag); shows == discreet || shows != bytes.Equal(m.Photo, content.Bytes()) {
			t.Errorf("discreet %t: the photo has %d bytes, the e-mail is\n%s", discreet, len(m.Photo), m.HTML)
		}
		if len(m.Attachments) != 0 || !discreet && m.Text != plain.Text {
			t.Errorf("discreet %t: %d attachments, the text is\n%s", discreet, len(m.Attachments), m.Text)
		}
	}
}
