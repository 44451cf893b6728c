package outbox_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
)

func (n *fixture) writeToGuest(i lost.Item, text string) {
	n.t.Helper()
	d := desk.Draft{Via: lost.ViaPage, ThreadPatch: lost.ThreadPatch{Text: lost.Set(text)}}
	_, err := n.desk.Threads.Write(n.t.Context(), n.actor, n.where.ID, i.ID, d, lost.IdempotencyKey{})
	if err != nil {
		n.t.Fatal(err)
	}
}

// replyToken returns the token of the address for replies of an item's owner.
func (n *fixture) replyToken(i lost.Item) string {
	n.t.Helper()
	link, _, err := n.db.LinkForAddress(n.t.Context(), i.Account, i.ID, i.Owner.Address())
	if err != nil {
		n.t.Fatal(err)
	}
	token, err := n.db.ReplyToken(link)
	if err != nil {
		n.t.Fatal(err)
	}
	return token
}

func TestAMessageFromAGuestIsATaskUntilTheDeskAnswers(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned(anna)
		n.expectSent("at creation", "notice to "+anna)
		n.writeToGuest(i, "Light or dark?")
		n.runAll()
		if sent := n.messenger.sent; len(sent) != 1 || sent[0].About.Text != "Light or dark?" ||
			sent[0].ReplyToken != n.replyToken(i) {
			n.t.Errorf("got %+v, want the message with a token for replies", sent)
		}
		n.messenger.taken()
		reply := desk.Reply{Token: n.replyToken(i), From: anna, ExternalID: "<1>", Text: "Dark.", Via: lost.ViaEmail}
		if _, err := n.desk.Threads.ReceiveReply(n.t.Context(), reply); err != nil {
			n.t.Fatal(err)
		}
		n.expectSent("after the reply", "thread-answer to desk@adler.example")
		if got := n.tasks(); !slices.Equal(got, []string{"answer-message"}) {
			n.t.Errorf("tasks: got %q, want the message", got)
		}
		if err := n.desk.Threads.Close(n.t.Context(), n.actor, n.where.ID, i.ID, ""); err != nil {
			n.t.Fatal(err)
		}
		n.runAll()
		if got := n.tasks(); len(got) != 0 {
			n.t.Errorf("tasks: got %q, want none", got)
		}
	})
}

func TestAGuestWhoDoesNotAnswerIsRemindedOnce(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned(anna)
		n.choose(i, lost.ChoicePatch{Choice: lost.ChooseLeave}) // no other reminders
		n.runAll()
		n.writeToGuest(i, "Light or dark?")
		n.runAll()
		n.messenger.taken()
		n.clock.Advance(4 * 24 * time.Hour)
		n.runAll()
		if sent := n.messenger.sent; len(sent) != 1 || sent[0].ReplyToken != n.replyToken(i) {
			n.t.Errorf("got %+v, want a reminder with a token for replies", sent)
		}
		n.expectSent("four days later", "thread-reminder to "+anna)
		n.clock.Advance(10 * 24 * time.Hour)
		n.expectSent("two weeks later")
	})
}

// A guest who does not answer becomes a task after the reminder, until the desk writes again or needs no answer.
func TestAGuestWhoStaysSilentIsATask(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned(anna)
		n.choose(i, lost.ChoicePatch{Choice: lost.ChooseLeave}) // no other reminders
		expect := func(when string, want ...string) {
			n.t.Helper()
			n.runAll()
			if got := n.tasks(); !slices.Equal(got, want) {
				n.t.Errorf("%s: got the tasks %q, want %q", when, got, want)
			}
		}
		day := 24 * time.Hour
		n.clock.Advance(time.Second)
		n.writeToGuest(i, "Light or dark?")
		n.clock.Advance(5 * day) // the reminder is sent after 3 days
		expect("after 5 days")
		n.clock.Advance(day)
		expect("after 6 days", "guest-silent")
		n.writeToGuest(i, "Are you there?")
		expect("after another message")
		n.clock.Advance(6 * day)
		expect("6 days later", "guest-silent")
		reply := desk.Reply{Token: n.replyToken(i), From: anna, ExternalID: "<1>", Text: "Dark.", Via: lost.ViaEmail}
		if _, err := n.desk.Threads.ReceiveReply(n.t.Context(), reply); err != nil {
			n.t.Fatal(err)
		}
		expect("after the reply", "answer-message")
		n.writeToGuest(i, "Thank you.")
		expect("after the answer")
		if err := n.desk.Threads.Close(n.t.Context(), n.actor, n.where.ID, i.ID, ""); err != nil {
			n.t.Fatal(err)
		}
		n.runAll()
		n.messenger.taken()
		n.clock.Advance(10 * day)
		n.expectSent("without an answer that is needed")
		expect("without an answer that is needed")

		n.writeToGuest(i, "Is it yours?")
		n.clock.Advance(time.Second)
		n.choose(i, lost.ChoicePatch{Choice: lost.ChooseDonate})
		n.clock.Advance(6 * day)
		expect("after a choice")
	})
}

// The desk hears of a message at once, and then with the digest of each day until it answers.
func TestADeskThatDoesNotAnswerIsRemindedEveryDay(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned(anna)
		n.choose(i, lost.ChoicePatch{Choice: lost.ChooseLeave}) // no other reminders
		n.writeToGuest(i, "Light or dark?")
		n.runAll()
		n.messenger.taken()
		reply := desk.Reply{Token: n.replyToken(i), From: anna, ExternalID: "<1>", Text: "Dark.", Via: lost.ViaEmail}
		if _, err := n.desk.Threads.ReceiveReply(n.t.Context(), reply); err != nil {
			n.t.Fatal(err)
		}
		n.expectSent("at once", "thread-answer to desk@adler.example")
		for range 2 {
			n.clock.Advance(24 * time.Hour)
			n.expectSent("a day later", "digest to desk@adler.example")
		}
		n.writeToGuest(i, "Thank you.")
		n.expectSent("after the answer", "thread-message to "+anna)
		n.clock.Advance(24 * time.Hour)
		n.expectSent("without a task")
	})
}

func TestABounceStopsRemindersAndBecomesATask(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned(anna)
		n.writeToGuest(i, "Light or dark?")
		n.runAll()
		bounce := desk.Bounce{Token: n.replyToken(i), Address: "somebody@example.com", Why: "550 no such user"}
		if err := n.desk.Threads.ReceiveBounce(n.t.Context(), bounce); lost.CodeOf(err) != lost.NotFound {
			n.t.Errorf("a bounce about another address: got %v, want not found", err)
		}
		bounce.Address = anna
		for range 2 { // the mailbox is read again after a crash
			if err := n.desk.Threads.ReceiveBounce(n.t.Context(), bounce); err != nil {
				n.t.Fatal(err)
			}
		}
		n.runAll()
		failed := 0
		sent, err := n.db.RecentMessages(n.t.Context(), i.Account, i.ID)
		if err != nil {
			n.t.Fatal(err)
		}
		for _, m := range sent {
			if m.State == lost.MessageFailed {
				failed++
			}
		}
		if failed != 1 {
			n.t.Errorf("%d messages failed, want 1", failed)
		}
		n.messenger.taken()
		if got := n.tasks(); !slices.Equal(got, []string{"unreachable"}) {
			n.t.Errorf("tasks: got %q, want unreachable", got)
		}
		n.clock.Advance(8 * 24 * time.Hour)
		n.expectSent("a week later, without reminders", "digest to desk@adler.example")
	})
}

// The token of a notice finds the conversation before the desk has written.
func TestABounceOfANoticeBecomesATask(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned(anna)
		n.runAll()
		token := ""
		for _, m := range n.messenger.sent {
			token = m.ReplyToken
		}
		if token == "" || token != n.replyToken(i) {
			n.t.Fatalf("the notice has the token %q", token)
		}
		bounce := desk.Bounce{Token: token, Address: anna, Why: "550 no such user"}
		if err := n.desk.Threads.ReceiveBounce(n.t.Context(), bounce); err != nil {
			n.t.Fatal(err)
		}
		n.runAll()
		n.messenger.taken()
		if got := n.tasks(); !slices.Equal(got, []string{"unreachable"}) {
			n.t.Errorf("tasks: got %q, want unreachable", got)
		}
		n.clock.Advance(8 * 24 * time.Hour)
		n.expectSent("a week later, without reminders", "digest to desk@adler.example")
	})
}

// An erasure removes the entry by which the token finds the conversation.
func TestTheTokenOfANoticeEndsWithItsLink(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned(anna)
		n.runAll()
		token := n.replyToken(i)
		if err := n.desk.Items.Delete(n.t.Context(), n.actor, n.where.ID, i.ID); err != nil {
			n.t.Fatal(err)
		}
		n.runAll()
		_, found, err := n.db.Lookup(n.t.Context(), store.ReplyEntry, store.DirectoryHash(token))
		if err != nil || found {
			n.t.Errorf("the entry exists: %v, %v", found, err)
		}
	})
}
