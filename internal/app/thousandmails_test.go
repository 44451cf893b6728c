package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/mailbox/mailboxtest"
	"homeward/internal/message/mailtest"
	"homeward/internal/reply"
	"homeward/internal/reply/replytest"
	"homeward/internal/store/storetest"
)

// A thousand e-mails of all shapes are in the conversations that they belong to, with the right text, and cause no
// e-mails.
func TestAThousandMailsAreInTheirConversations(t *testing.T) {
	const mails, conversations, want = 1000, 61, 98 // want is a percentage
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		c := &correspondence{t: t, mails: mailtest.Start(t)}
		c.mailbox = mailboxtest.New(t, mailboxtest.Options{InsecureLogin: true, Address: replytest.Self.Address})
		cfg := newConfig(t, setting)
		cfg.SMTP, cfg.IMAP, cfg.MailFrom = c.mails.URL(), c.mailbox.URL("imap"), replytest.Self.From
		c.service = startService(t, cfg)
		c.location = "/v1/locations/" + c.newLocation(map[string]any{"name": "Hotel Adler"})
		items, tokens := make([]string, conversations), make([]string, conversations)
		for n := range items {
			l := c.claim(fmt.Sprintf("guest%d@example.com", n))
			c.must(http.StatusCreated, "POST", l.item+"/thread", map[string]any{"text": "Light or dark?"})
			l = c.question(l)
			_, token, _ := strings.Cut(l.replyTo, "+")
			items[n], tokens[n] = l.item, strings.Split(token, "@")[0]
		}
		expected := map[string][]string{} // texts by token
		total := 0
		for _, m := range replytest.Generate(23, mails, tokens...) {
			c.mailbox.Deliver(string(m.Raw))
			if m.Kind == reply.Answer && m.Token != "" && (m.Text != "" || m.Photos > 0) {
				expected[m.Token] = append(expected[m.Token], strings.Join(strings.Fields(m.Text), " "))
				total++
			}
		}
		if !pollFor(5*time.Minute, func() bool { return c.mailbox.Unseen() == 0 }) {
			t.Fatalf("%d e-mails were not read", c.mailbox.Unseen())
		}
		wrong := 0
		for n, item := range items {
			got, want := c.guestTexts(item), expected[tokens[n]]
			if len(got) != len(want) {
				t.Errorf("conversation %d has %d messages, want %d", n, len(got), len(want))
			}
			for _, text := range got {
				at := slices.Index(want, strings.Join(strings.Fields(text), " "))
				if at < 0 {
					wrong++
					t.Logf("conversation %d: %q", n, text)
					continue
				}
				want = slices.Delete(want, at, at+1)
			}
			if sent, _ := c.listAll(strings.Replace(item, "/requests/", "/items/", 1) + "/messages"); len(sent) != 2 {
				t.Errorf("conversation %d: %d e-mails were sent, want the confirmation and the question", n, len(sent))
			}
		}
		t.Logf("%d of %d answers have the right text", total-wrong, total)
		if right := 100 * float64(total-wrong) / float64(total); right < want {
			t.Errorf("%.1f %% of the answers are right, want %d %%", right, want)
		}
	})
}
