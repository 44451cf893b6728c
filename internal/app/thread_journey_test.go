package app_test

import (
	"net/http"
	"strings"
	"testing"

	"homeward/internal/store/storetest"
	"homeward/internal/web/browsertest"
)

// claim files a request, and returns it as a letter without a message of the desk yet.
func (c *correspondence) claim(owner string) letter {
	c.t.Helper()
	id := c.must(http.StatusCreated, "POST", c.location+"/requests", map[string]any{
		"description": "Umbrella", "owner": map[string]any{"email": owner},
	})["id"].(string)
	c.mails.Next(c.t, owner) // the confirmation
	return letter{item: c.location + "/requests/" + id, from: owner}
}

// question reads the desk's message that the claimant got by e-mail.
func (c *correspondence) question(l letter) letter {
	c.t.Helper()
	m := c.mails.Next(c.t, l.from)
	replyTo, err := m.Header.AddressList("Reply-To")
	if err != nil {
		c.t.Fatal(err)
	}
	l.replyTo, l.id, l.link = replyTo[0].Address, m.Header.Get("Message-ID"), m.Link(c.url+"/g/")
	return l
}

// deskPage opens the page of a request in the dashboard.
func (c *correspondence) deskPage(t *testing.T, o browsertest.Options, l letter) *browsertest.Visitor {
	v := browsertest.New(t, o)
	v.Visit(c.url + "/login")
	v.Fill("E-mail", c.cfg.AdminEmail)
	v.Fill("Password", adminPassword)
	v.Follow("Log in")
	v.Visit(c.url + strings.Replace(l.item, "/v1/locations/", "/at/", 1))
	return v
}

// The desk asks two claimants. One of them answers on their page, the other one by e-mail.
func TestClaimantsAnswerTheDesk(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		c := newCorrespondence(t, setting)
		browsertest.Each(t, func(t *testing.T, o browsertest.Options) {
			c.t = t
			name := strings.NewReplacer(" ", "-", ",", "").Replace(o.String())
			c.answerOnThePage(t, o, c.claim("anna-"+name+"@example.com"))
			c.answerByEmail(t, o, c.claim("bert-"+name+"@example.com"))
		})
	})
}

func (c *correspondence) answerOnThePage(t *testing.T, o browsertest.Options, l letter) {
	desk := c.deskPage(t, o, l)
	desk.Fill("Your message", "Is the handle light or dark?")
	desk.Follow("Send message")
	desk.See("Your message was sent.", "Is the handle light or dark?", "Not seen by the guest yet")
	desk.CheckAccessibility()

	guest := browsertest.New(t, o)
	guest.Visit(c.question(l).link)
	guest.See("Is the handle light or dark?")
	guest.CheckAccessibility()
	guest.Fill("Your message", "Dark, with a scratch.")
	guest.Follow("Send message")
	guest.See("Your message was sent.", "Dark, with a scratch.")
	guest.CheckAccessibility()
	guest.Screenshot("claimant-answered")

	if o.NoScript { // otherwise the open page follows, so that the message may already have been seen
		guest.See("Not seen yet")
		desk.Reload()
	}
	desk.See("Dark, with a scratch.", "Seen by the guest")
	desk.CheckAccessibility()
	desk.Screenshot("desk-sees-answer")
	if n := strings.Count(desk.Text(), "Dark, with a scratch."); n != 1 {
		t.Errorf("the page shows the answer %d times, want once: the history has no texts", n)
	}
	guest.Reload()
	guest.SeeNot("Not seen yet")
	guest.See("Seen")
}

func (c *correspondence) answerByEmail(t *testing.T, o browsertest.Options, l letter) {
	desk := c.deskPage(t, o, l)
	desk.Fill("Your message", "Which colour is it?")
	desk.Follow("Send message")
	c.answer(c.question(l), "by-mail-"+l.from, "It is green.")
	if o.NoScript {
		waitUntil(t, "the answer by e-mail is read", func() bool { return len(c.guestTexts(l.item)) == 1 })
		desk.Reload()
	}
	desk.See("It is green.")
	desk.CheckAccessibility()
	desk.Visit(c.url + "/")
	desk.See("Messages to answer")
}
