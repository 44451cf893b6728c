package message_test

import (
	"strings"
	"testing"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/message"
)

func TestEveryEMailToAGuestEndsWithThePrivacyNotice(t *testing.T) {
	p := newSender(t, message.Options{})
	for name, l := range allMessages() {
		l.Privacy = lost.PrivacyNotice{Text: privacyText, URL: privacyURL}
		for _, tag := range i18n.Tags() {
			l.Item.Language, l.Location.Language = tag, tag
			_, text := compose(t, p, l)
			htmlPart, _ := htmlOf(t, p, l)
			toGuest := !l.Kind.ToDesk()
			if !toGuest && strings.Contains(text+htmlPart, "adler.example/privacy") {
				t.Errorf("%s in %s: the desk gets the privacy notice", name, tag)
			}
			if toGuest && (!strings.Contains(text, privacyURL) ||
				!strings.Contains(text, "\nYou can ask for a copy at any time.\n\n")) {
				t.Errorf("%s in %s: the text has no privacy notice:\n%s", name, tag, text)
			}
			const anchor = `<a class="link" href="https://adler.example/privacy?lang=en&amp;v=2" rel="noopener"`
			if toGuest && (!strings.Contains(htmlPart, anchor) ||
				!strings.Contains(htmlPart, "later.<br>You can ask") ||
				!strings.Contains(htmlPart, "Supervisory authority: &lt;Berlin&gt;</p>")) {
				t.Errorf("%s in %s: the HTML has no privacy notice:\n%s", name, tag, htmlPart)
			}
		}
		if _, sms := compose(t, p, bySMS(l)); strings.Contains(sms, "adler.example") {
			t.Errorf("%s: the SMS contains the privacy notice: %s", name, sms)
		}
	}
}

// A location without a notice sends the same e-mails as before: the golden files of the other messages have none.
func TestWithoutAPrivacyNoticeNothingIsAdded(t *testing.T) {
	p := newSender(t, message.Options{})
	_, text := compose(t, p, newMessage(lost.NoticeMessage))
	htmlPart, _ := htmlOf(t, p, newMessage(lost.NoticeMessage))
	if strings.Contains(text+htmlPart, "Privacy") {
		t.Errorf("a message without a notice mentions privacy:\n%s\n%s", text, htmlPart)
	}
}

func TestEveryLineOfAPrivacyTextIsHarmless(t *testing.T) {
	l := newMessage(lost.NoticeMessage)
	l.Privacy.Text = "One\u202eline\u2028two\rthree\x00four\n \t \nlast"
	_, text := compose(t, newSender(t, message.Options{}), l)
	if !strings.Contains(text, "Oneline two three four\n\nlast\n\n") {
		t.Errorf("got:\n%q", text)
	}
}
