package app_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"homeward/internal/mailbox/mailboxtest"
	"homeward/internal/message/mailtest"
	"homeward/internal/store/storetest"
)

// correspondence is a service that reads replies from a mailbox.
type correspondence struct {
	*service
	t        *testing.T
	mailbox  *mailboxtest.Server
	mails    *mailtest.Server
	location string
}

func newCorrespondence(t *testing.T, setting string, change ...func(*mailboxtest.Server)) *correspondence {
	t.Helper()
	return newCorrespondenceFrom(t, setting, "lost@example.com", change...)
}

// newCorrespondenceFrom is like newCorrespondence, with another sender of e-mails.
func newCorrespondenceFrom(t *testing.T, setting, from string, change ...func(*mailboxtest.Server)) *correspondence {
	t.Helper()
	c := &correspondence{
		t: t, mailbox: mailboxtest.New(t, mailboxtest.Options{InsecureLogin: true}), mails: mailtest.Start(t),
	}
	for _, apply := range change {
		apply(c.mailbox)
	}
	cfg := newConfig(t, setting)
	cfg.SMTP, cfg.IMAP, cfg.MailFrom = c.mails.URL(), c.mailbox.URL("imap"), from
	c.service = startService(t, cfg)
	c.location = "/v1/locations/" + c.newLocation(map[string]any{"name": "Hotel Adler"})
	return c
}

// letter is an e-mail from the desk to a guest.
type letter struct{ item, id, replyTo, from, link string }

// ask creates an item, writes to its owner, and returns the e-mail that the owner receives.
func (c *correspondence) ask(owner string) letter {
	c.t.Helper()
	id := c.must(http.StatusCreated, "POST", c.location+"/items", map[string]any{
		"description": "Umbrella", "owner": map[string]any{"email": owner},
	})["id"].(string)
	l := letter{item: c.location + "/items/" + id, from: owner}
	c.mails.Next(c.t, owner) // the notice
	c.must(http.StatusCreated, "POST", l.item+"/thread", map[string]any{"text": "Light or dark?"})
	m := c.mails.Next(c.t, owner)
	replyTo, err := m.Header.AddressList("Reply-To")
	if err != nil || len(replyTo) != 1 || !strings.HasPrefix(replyTo[0].Address, "replies+") {
		c.t.Fatalf("the address for replies is %v, %v", replyTo, err)
	}
	l.replyTo = replyTo[0].Address
	l.id, l.link = m.Header.Get("Message-ID"), m.Link(c.url+"/g/")
	return l
}

// deliver puts an e-mail with a unique Message-ID into the mailbox.
func (c *correspondence) deliver(id, from, to string, lines ...string) {
	c.t.Helper()
	c.mailbox.Deliver(strings.Join(slices.Concat([]string{
		"From: " + from, "To: " + to, "Subject: Re: Umbrella", "Message-ID: <" + id + "@mail.example>",
	}, lines), "\r\n"))
}

// answer delivers a simple answer.
func (c *correspondence) answer(l letter, id, text string) {
	c.deliver(id, l.from, l.replyTo, "In-Reply-To: "+l.id, "", text)
}

// guestTexts returns what the guest wrote about an item, oldest first.
func (c *correspondence) guestTexts(item string) (texts []string) {
	messages, _ := c.listAll(item + "/thread")
	for _, m := range slices.Backward(messages) {
		if m["from"] == "guest" {
			texts = append(texts, m["text"].(string))
		}
	}
	return texts
}

// expectAnswers delivers one more answer to each letter and then compares what the guests wrote. E-mails are read in
// order, so that all former ones have been read by then.
func (c *correspondence) expectAnswers(want map[letter][]string) {
	c.t.Helper()
	for l, texts := range want {
		c.answer(l, "last-"+l.from[:4], "That is all.")
		texts = append(texts, "That is all.")
		waitUntil(c.t, "the last answer of "+l.from+" is read", func() bool {
			return slices.Contains(c.guestTexts(l.item), "That is all.")
		})
		if got := c.guestTexts(l.item); !slices.Equal(got, texts) {
			c.t.Errorf("%s wrote %q, want %q", l.from, got, texts)
		}
	}
}

// expectTasks waits until the desk has tasks of these kinds.
func (c *correspondence) expectTasks(want ...string) {
	c.t.Helper()
	var kinds []string
	isDone := func() bool {
		tasks, _ := c.listAll(c.location + "/tasks")
		kinds = nil
		for _, task := range tasks {
			kinds = append(kinds, fmt.Sprint(task["kind"]))
		}
		slices.Sort(kinds)
		return slices.Equal(kinds, want)
	}
	if !pollFor(time.Minute, isDone) {
		c.t.Errorf("got the tasks %q, want %q", kinds, want)
	}
}

func TestRepliesByEmail(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		c := newCorrespondence(t, setting)
		anna, bert := c.ask("anna@example.com"), c.ask("bert@example.com")
		forged := strings.Repeat("a", 32)
		c.deliver("1", "Anna <anna@example.com>", anna.replyTo, "In-Reply-To: "+anna.id,
			`Content-Type: multipart/mixed; boundary="b"`, "",
			"--b", "Content-Type: text/plain; charset=utf-8", "", "Dark, see the photo.", "",
			"On Mon, 16 Nov 2026 at 10:00, Hotel Adler <lost@example.com> wrote:", "> Light or dark?", "> "+anna.link,
			"--b", "Content-Type: image/jpeg", `Content-Disposition: attachment; filename="umbrella.jpg"`,
			"Content-Transfer-Encoding: base64", "", base64.StdEncoding.EncodeToString(noisyPhoto()), "--b--")
		c.answer(bert, "2", "Light.")
		c.deliver("3", anna.from, "replies+"+forged+"@adler.example", "", "Forged token")
		c.deliver("4", anna.from, "replies@adler.example", "In-Reply-To: "+anna.id, "", "No token")
		c.deliver("5", anna.from, bert.replyTo, "In-Reply-To: "+anna.id, "", "Answer to a message about another item")
		c.deliver("6", anna.from, anna.replyTo, "Auto-Submitted: auto-replied", "", "I am out of the office.")
		c.deliver("7", "lost@example.com", anna.replyTo, "", "Our own e-mail")
		c.deliver("8", anna.replyTo, bert.replyTo, "", "A loop of two conversations")
		c.answer(bert, "2", "Light.") // the same Message-ID
		c.expectAnswers(map[letter][]string{anna: {"Dark, see the photo."}, bert: {"Light."}})

		messages, _ := c.listAll(anna.item + "/thread")
		for _, m := range messages {
			if m["text"] != "Dark, see the photo." {
				continue
			}
			if images := m["images"].([]any); len(images) != 1 || m["via"] != "email" {
				t.Errorf("got %v, want an e-mail with one photo", m)
			}
		}
		c.expectTasks("answer-message", "answer-message")
	})
}

// Guests answer whatever they get, also before the desk has written to them, and at a location with its own address.
func TestAnswersToANoticeOrConfirmationAreInTheConversation(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		c := newCorrespondence(t, setting)
		c.location = "/v1/locations/" + c.newLocation(map[string]any{
			"name": "Hotel Adler", "contact": map[string]any{"email": "desk@adler.example"},
		})
		id := c.must(http.StatusCreated, "POST", c.location+"/items", map[string]any{
			"description": "Umbrella", "owner": map[string]any{"email": "anna@example.com"},
		})["id"].(string)
		anna := c.question(letter{item: c.location + "/items/" + id, from: "anna@example.com"})
		id = c.must(http.StatusCreated, "POST", c.location+"/requests", map[string]any{
			"description": "Umbrella", "owner": map[string]any{"email": "bert@example.com"},
		})["id"].(string)
		bert := c.question(letter{item: c.location + "/requests/" + id, from: "bert@example.com"})
		c.answer(anna, "1", "That is mine.")
		c.answer(anna, "1", "That is mine.") // the same Message-ID
		c.answer(bert, "2", "It is green.")
		c.deliver("3", anna.from, bert.replyTo, "In-Reply-To: "+anna.id, "", "Answer to a message about another item")
		c.deliver("4", anna.from, anna.replyTo, "Auto-Submitted: auto-replied", "", "I am out of the office.")
		c.deliver("5", "lost@example.com", anna.replyTo, "", "Our own e-mail")
		c.expectAnswers(map[letter][]string{anna: {"That is mine."}, bert: {"It is green."}})
	})
}

func TestARejectedEmailIsCountedAndAnswered(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		c := newCorrespondence(t, setting)
		anna, bert := c.ask("anna@example.com"), c.ask("bert@example.com")
		c.must(http.StatusOK, "PUT", anna.item+"/update-status", map[string]any{"status": "DONATE"})
		c.deliver("1", anna.from, anna.replyTo, "Auto-Submitted: auto-replied", "", "I am out of the office.")
		c.answer(anna, "2", "Please wait.")
		c.answer(anna, "3", "Please!")
		c.deliver("4", bert.from, "replies+"+strings.Repeat("a", 32)+"@adler.example", "", "Unknown token")
		c.expectAnswers(map[letter][]string{bert: nil})
		answer := c.mails.Next(t, anna.from)
		if answer.Header.Get("Subject") == "" || answer.Header.Get("Auto-Submitted") != "auto-generated" ||
			!strings.Contains(answer.Text, "no longer accepts messages") {
			t.Errorf("got the answer %v %s", answer.Header, answer.Text)
		}
		rejected := map[string]string{"closed": "2", "unknown": "1", "full": "0"}
		for reason, n := range rejected {
			want := `homeward_replies_rejected_total{reason="` + reason + `",via="email"} ` + n
			if !strings.Contains(c.metrics(), want) {
				t.Errorf("the metrics do not contain %s", want)
			}
		}
		answers := 0
		sent, _ := c.listAll(anna.item + "/messages")
		for _, m := range sent {
			if m["kind"] == "thread-rejected" {
				answers++
			}
		}
		if answers != 1 {
			t.Errorf("the guest got %d automatic answers, want 1", answers)
		}
	})
}

func TestABounceByEmailBecomesATask(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		c := newCorrespondence(t, setting)
		anna, bert := c.ask("anna@example.com"), c.ask("bert@example.com")
		for n, unreachable := range []string{"anna@example.com", "somebody@example.com"} { // the second is forged
			l := []letter{anna, bert}[n]
			c.deliver(fmt.Sprint("bounce-", n), "MAILER-DAEMON@mail.example", "lost@example.com",
				`Content-Type: multipart/report; report-type=delivery-status; boundary="b"`, "",
				"--b", "Content-Type: text/plain", "", "Your message could not be delivered.",
				"--b", "Content-Type: message/delivery-status", "",
				"Reporting-MTA: dns; mail.example", "", "Final-Recipient: rfc822; "+unreachable, "Action: failed",
				"Status: 5.1.1", "",
				"--b", "Content-Type: message/rfc822", "",
				"From: lost@example.com", "To: "+unreachable, "Reply-To: "+l.replyTo, "Message-ID: "+l.id, "",
				"Light or dark?", "--b--")
		}
		c.expectAnswers(map[letter][]string{bert: nil})
		c.expectTasks("answer-message", "unreachable")
	})
}

// Not only messages of the desk can bounce: a notice to a mistyped address does. The report does not contain the
// e-mail, but the sender's address has the token.
func TestABounceOfANoticeOrConfirmationBecomesATask(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		c := newCorrespondenceFrom(t, setting, "replies@adler.example")
		for owner, kind := range map[string]string{"anna@example.com": "items", "bert@example.com": "requests"} {
			id := c.must(http.StatusCreated, "POST", c.location+"/"+kind, map[string]any{
				"description": "Umbrella", "owner": map[string]any{"email": owner},
			})["id"].(string)
			m := c.mails.Next(t, owner)
			waitUntil(t, "the message counts as sent", func() bool {
				sent, _ := c.listAll(c.location + "/items/" + id + "/messages")
				return len(sent) == 1 && sent[0]["state"] == "sent"
			})
			c.deliver("bounce-"+owner[:4], "MAILER-DAEMON@mail.example", m.Sender,
				`Content-Type: multipart/report; report-type=delivery-status; boundary="b"`, "",
				"--b", "Content-Type: text/plain", "", "Your message could not be delivered.",
				"--b", "Content-Type: message/delivery-status", "",
				"Reporting-MTA: dns; mail.example", "", "Final-Recipient: rfc822; "+owner, "Action: failed",
				"Status: 5.1.1", "", "--b--")
		}
		c.expectTasks("answer-request", "unreachable", "unreachable")
	})
}

// The service stops after it has added an answer and before it has marked the e-mail.
func TestAnAnswerThatIsReadTwiceIsAddedOnce(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		var marks atomic.Int32
		c := newCorrespondence(t, setting, func(s *mailboxtest.Server) {
			s.BeforeMark = func() error {
				if marks.Add(1) > 1 {
					return nil
				}
				s.DropConnections()
				return errors.New("the connection is lost")
			}
		})
		anna := c.ask("anna@example.com")
		c.answer(anna, "1", "Dark.")
		waitUntil(t, "the e-mail is read again", func() bool { return marks.Load() > 1 })
		c.expectAnswers(map[letter][]string{anna: {"Dark."}})
	})
}
