package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"homeward/internal/store/storetest"
)

// E-mails with an attachment of 25 MB are in their conversations, with their text and the name of the attachment.
func TestMailsOf25MegabytesAreInTheirConversations(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		c := newCorrespondence(t, setting)
		line := strings.Repeat("QUJD", 19) + "\r\n"
		content := strings.Repeat(line, 25<<20/len(line))
		for n, kind := range []string{"video/mp4", "application/pdf", "video/quicktime"} {
			l, id := c.ask(fmt.Sprintf("guest%d@example.com", n)), fmt.Sprint("large-", n)
			text, name := fmt.Sprint("Here is file ", n), fmt.Sprint("file", n, ".bin")
			parts := []string{
				"Content-Type: text/plain; charset=utf-8\r\n\r\n" + text,
				"Content-Type: " + kind + "\r\nContent-Transfer-Encoding: base64\r\n" +
					`Content-Disposition: attachment; filename="` + name + "\"\r\n\r\n" + content,
			}
			if n == 2 { // the text comes last
				slices.Reverse(parts)
			}
			c.deliver(id, l.from, l.replyTo, "In-Reply-To: "+l.id, "MIME-Version: 1.0",
				`Content-Type: multipart/mixed; boundary="part"`, "", "--part", parts[0], "--part", parts[1],
				"--part--")
			waitUntil(t, l.from+" is read", func() bool { return len(c.guestTexts(l.item)) > 0 })
			messages, _ := c.listAll(l.item + "/thread")
			m := messages[0] // newest first
			if m["from"] != "guest" || m["text"] != text || fmt.Sprint(m["omitted"]) != "["+name+"]" {
				t.Errorf("%s: got the text %q without the attachments %v, want %q without %s", kind, m["text"],
					m["omitted"], text, name)
			}
			if len(messages) != 2 {
				t.Errorf("%s: the conversation has %d messages, want the question and the answer", kind, len(messages))
			}
		}
	})
}
