package reply_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/reply"
	"homeward/internal/reply/replytest"
)

// TestTextThatLooksLikeAQuoteRemains lists texts that people write and that must not be cut.
func TestTextThatLooksLikeAQuoteRemains(t *testing.T) {
	for _, text := range []string{
		"From: Berlin\nTo: Hamburg\nDate: 3 May\nTrain: ICE 578",
		"Von: Köln\nNach: Münster\nDatum: 3. Mai",
		"On Monday I wrote:\nplease call me.",
		"I arrived at 15:30, here is what I lost:\n- a bag\n- an umbrella",
		"Am 3. Mai schrieb ich schon einmal, dass die Tasche rot ist.",
		"Two things\n--------\nfirst and second",
		"Sent the parcel back yesterday.",
		"a <b> c & d",
		"Subject: what I lost\nA red bag.",
	} {
		m := parse(t, to+"Content-Type: text/plain; charset=utf-8\r\n\r\n"+strings.ReplaceAll(text, "\n", "\r\n"))
		if m.Text != text {
			t.Errorf("got %q, want %q", m.Text, text)
		}
	}
}

func TestLinesAndParagraphsRemain(t *testing.T) {
	for name, body := range map[string]string{
		"divs":       "<div>one</div><div>two</div><div><br></div><div>three</div>",
		"breaks":     "one<br>two<br><br>three",
		"paragraphs": "<p>one<br>\ntwo</p>\n<p>three</p>",
		"Outlook": `<p class="MsoNormal">one<o:p></o:p></p><p class="MsoNormal">two</p><p class="MsoNormal">` +
			`<o:p>&nbsp;</o:p></p><p class="MsoNormal">three</p>`,
		"pre":   "<pre>one\ntwo\n\nthree</pre>",
		"spans": "<span>o</span><b>ne</b><br><i>two</i>\n<p>&nbsp;</p><div>  three\n</div>",
		"hidden": "one<div style='display: none'>secret<div>x</div></div><br>two<script>alert(1)</script>" +
			"<p><br></p>three",
		"table": "<table><tr><td>one</td></tr><tr><td>two</td></tr></table><br>three",
	} {
		m := parse(t, to+"Content-Type: text/html; charset=utf-8\r\n\r\n<html><body>"+body+"</body></html>")
		if m.Text != "one\ntwo\n\nthree" {
			t.Errorf("%s: got %q", name, m.Text)
		}
	}
}

func TestFlowedTextIsJoined(t *testing.T) {
	m := parse(t, to+"Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\n"+
		"It is a da  \r\nrk blue bag.\r\n From York.\r\n> old \r\n> text\r\n-- \r\nAnna\r\n")
	if want := "It is a da rk blue bag.\nFrom York."; m.Text != want {
		t.Errorf("got %q, want %q", m.Text, want)
	}
}

func TestAnswersNameOnlyOurMessages(t *testing.T) {
	older, newer := lost.NewID(lost.MessageID, time.Unix(1, 0)), lost.NewID(lost.MessageID, time.Unix(2, 0))
	foreign := lost.NewID(lost.MessageID, time.Unix(3, 0))
	host := "@" + replytest.Self.Host
	m := parse(t, to+"In-Reply-To: <"+newer+host+">\r\nReferences: <x@y> <"+older+host+">\r\n <"+newer+host+"> <"+
		foreign+
		"@evil.example> <item_123"+host+">\r\n\r\nYes.\r\n")
	if !slices.Equal(m.Answers, []string{newer, older}) {
		t.Errorf("got %q", m.Answers)
	}
}

func TestAReplyAddressIsReadBack(t *testing.T) {
	self := reply.Self{Address: "Lost+Found@Example.com", Host: "h"}
	m, err := reply.Parse(strings.NewReader("To: LOST+FOUND+AB-CD_1234@EXAMPLE.COM\r\n\r\nYes.\r\n"), self)
	if err != nil || m.Token != "ab-cd_1234" {
		t.Errorf("got %q, %v", m.Token, err)
	}
}

func TestAForwardedMailWithoutAWordIsKept(t *testing.T) {
	m := parse(t, to+"\r\n\r\n---------- Forwarded message ---------\r\nFrom: Shop <shop@example.com>\r\nDate: Mon\r\n"+
		"Subject: Your receipt\r\nTo: a@b.example\r\n\r\nOne umbrella, 20 EUR\r\n")
	if !strings.Contains(m.Text, "One umbrella, 20 EUR") {
		t.Errorf("got %q", m.Text)
	}
}
