package desk_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// receiveReply receives a reply by e-mail, and returns why it is rejected.
func receiveReply(b *testkit.Fixture, r desk.Reply) lost.Rejection {
	b.T.Helper()
	return testkit.Must(b.Services.Threads.ReceiveReply(b.T.Context(), r))
}

// replyToken returns the token of the address for replies about the fixture's item.
func replyToken(b *testkit.Fixture) string {
	link, _, err := b.DB.LinkForAddress(b.T.Context(), b.Item.Account, b.Item.ID, b.Item.Owner.Address())
	if err != nil {
		b.T.Fatal(err)
	}
	return testkit.Must(b.DB.ReplyToken(link))
}

func TestAReplyBelongsToTheConversationOfItsToken(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		testkit.Must(write(b, "Is it yours?"))
		token := replyToken(b)
		if link := b.Token(b.Item); link == token {
			b.T.Error("the token for replies opens the guest's page")
		}
		receive := func(token, from, id, text string) lost.Rejection {
			b.Clock.Advance(time.Second)
			return receiveReply(b, desk.Reply{
				Token: token, From: from, ExternalID: id, Text: text, Via: lost.ViaEmail,
			})
		}
		for range 2 { // the mailbox is read again after a crash
			if reason := receive(strings.ToUpper(token), b.Item.Owner.Email, "<1@x>", "Yes\x07"); reason != "" {
				b.T.Fatal(reason)
			}
		}
		if reason := receive(token, "office@example.com", "<2@x>", strings.Repeat("ä", 5000)); reason != "" {
			b.T.Fatal(reason)
		}
		list := testkit.Must(b.Services.Threads.List(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
			lost.FirstPage()))
		if len(list.Data) != 3 || list.Data[1].Text != "Yes" || list.Data[1].Sender != "" ||
			list.Data[0].Sender != "office@example.com" || len([]rune(list.Data[0].Text)) != lost.MaxThreadText {
			b.T.Errorf("got %.2000q", thread(b, b.Item))
		}
		for _, wrong := range []string{"", "x", b.Token(b.Item), token[1:]} {
			if reason := receive(wrong, b.Item.Owner.Email, "<3@x>", "No"); reason != lost.RejectedUnknown {
				b.T.Errorf("token %q: got %q", wrong, reason)
			}
		}
		b.Clock.Advance(2 * lost.LinkLife)
		if reason := receive(token, b.Item.Owner.Email, "<4@x>", "Late"); reason != "" {
			b.T.Errorf("a late reply: %s", reason)
		}
		testkit.Must(b.Services.Messages.RevokeLink(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
			lost.IdempotencyKey{}))
		if reason := receive(token, b.Item.Owner.Email, "<5@x>", "Revoked"); reason != lost.RejectedUnknown {
			b.T.Errorf("after the link was revoked: got %q", reason)
		}
	})
}

func TestAReplyToAMessageAboutAnotherItemIsRejected(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		first := b.Item
		testkit.Must(write(b, "Is it yours?"))
		own := testkit.Must(b.DB.RecentMessages(b.T.Context(), first.Account, first.ID))[0].ID
		b.Item = b.NewItem(testkit.ItemOwnedBy("Hat", "bert@example.com"))
		testkit.Must(write(b, "And this?"))
		token := replyToken(b)
		other := testkit.Must(b.DB.RecentMessages(b.T.Context(), b.Item.Account, b.Item.ID))[0].ID
		unknown := lost.NewID(lost.MessageID, b.Clock.Now())
		for n, c := range []struct {
			answers []string
			want    lost.Rejection
		}{
			{[]string{own}, lost.RejectedOtherItem},
			{[]string{unknown, own, other}, lost.RejectedOtherItem},
			{[]string{other}, ""},
			{[]string{unknown}, ""},
			{[]string{unknown, other, own}, ""},
		} {
			b.Clock.Advance(time.Second)
			got := receiveReply(b, desk.Reply{
				Token: token, Answers: c.answers, ExternalID: fmt.Sprint(n), Text: "Yes", Via: lost.ViaEmail,
			})
			if got != c.want {
				b.T.Errorf("case %d: got %q, want %q", n, got, c.want)
			}
		}
		expectThread(b, "after replies", "desk page And this? true", "guest email Yes false",
			"guest email Yes false", "guest email Yes false")
	})
}

// itemOfPhone returns an item patch whose owner has only a phone number.
func itemOfPhone(text, number string) lost.ItemPatch {
	return lost.ItemPatch{
		Description: lost.Set(text), Owner: lost.Set(lost.OwnerPatch{Phone: lost.Set(number)}),
	}
}

func TestATextBelongsToTheNewestOpenConversationWithItsNumber(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		const number = "+4915112345678"
		receive := func(from, id, text string) lost.Rejection {
			b.Clock.Advance(time.Second)
			return testkit.Must(b.Services.Threads.ReceiveText(b.T.Context(), desk.Reply{
				From: from, ExternalID: id, Text: text, Via: lost.ViaSMS,
			}))
		}
		hat, bag := b.NewItem(itemOfPhone("Hat", number)), b.NewItem(itemOfPhone("Bag", number))
		if reason := receive(number, "SM0", "Hello?"); reason != lost.RejectedUnknown {
			b.T.Errorf("before the desk wrote: got %q", reason)
		}
		for _, i := range []lost.Item{bag, hat} {
			b.Item = i
			testkit.Must(write(b, "Light or dark?"))
		}
		for range 2 {
			if reason := receive(number, "SM1", "Dark."); reason != "" {
				b.T.Fatal(reason)
			}
		}
		expectThread(b, "the newest conversation", "desk page Light or dark? true", "guest sms Dark. false")
		b.Item = bag
		testkit.Must(write(b, "And the bag?"))
		if reason := receive(number, "SM1", "Dark."); reason != "" { // repeated after the desk wrote elsewhere
			b.T.Fatal(reason)
		}
		expectThread(b, "the other conversation", "desk page Light or dark? false", "desk page And the bag? false")
		testkit.Must(b.Services.Items.SetStatus(b.T.Context(), b.Actor, b.Location.ID, bag.ID,
			lost.MovePatch{Status: lost.Set(string(lost.Donate))}))
		if reason := receive(number, "SM2", "Really."); reason != "" {
			b.T.Fatal(reason)
		}
		b.Item = hat
		expectThread(b, "the open conversation", "desk page Light or dark? true", "guest sms Dark. false",
			"guest sms Really. false")
		if reason := receive("+4915112345679", "SM3", "Mine."); reason != lost.RejectedUnknown {
			b.T.Errorf("another number: got %q", reason)
		}

		ours := b.Actor
		b.Actor = identity.Operator(testkit.Must(b.Services.Accounts.Create(b.T.Context(), "Theirs")).ID)
		b.Location = b.NewLocation(testkit.LocationNamed("Museum"))
		b.Item = b.NewItem(itemOfPhone("Glove", number))
		testkit.Must(write(b, "Left or right?"))
		if reason := receive(number, "SM4", "Left."); reason != lost.RejectedAmbiguous {
			b.T.Errorf("conversations with two accounts: got %q", reason)
		}
		if err := b.Services.Items.Delete(b.T.Context(), ours, hat.LocationID, hat.ID); err != nil {
			b.T.Fatal(err)
		}
		if reason := receive(number, "SM5", "Left."); reason != "" {
			b.T.Fatal(reason)
		}
		expectThread(b, "the only open conversation", "desk page Left or right? true", "guest sms Left. false")
	})
}

// A courier's or a hotel's number may belong to many guests.
func TestATextIsAddedHoweverManyConversationsItsNumberHas(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		const number, many = "+4915112345678", 60
		items := make([]lost.Item, many)
		for n := range items {
			items[n] = b.NewItem(itemOfPhone(fmt.Sprint("Hat ", n), number))
		}
		for _, b.Item = range items {
			testkit.Must(write(b, "Light or dark?"))
		}
		receive := func(id string) lost.Rejection {
			b.Clock.Advance(time.Second)
			return testkit.Must(b.Services.Threads.ReceiveText(b.T.Context(), desk.Reply{
				From: number, ExternalID: id, Text: "Dark.", Via: lost.ViaSMS,
			}))
		}
		if reason := receive("SM1"); reason != "" {
			b.T.Fatal(reason)
		}
		expectThread(b, "the newest conversation", "desk page Light or dark? true", "guest sms Dark. false")
		b.Item = items[0]
		testkit.Must(write(b, "And this one?")) // an old link
		if reason := receive("SM2"); reason != "" {
			b.T.Fatal(reason)
		}
		expectThread(b, "the conversation with the newest message", "desk page Light or dark? true",
			"desk page And this one? true", "guest sms Dark. false")

		// Each account has more conversations than are looked at.
		theirs := identity.Operator(testkit.Must(b.Services.Accounts.Create(b.T.Context(), "Theirs")).ID)
		b.Actor = theirs
		b.Location = b.NewLocation(testkit.LocationNamed("Museum"))
		for range many {
			b.Item = b.NewItem(itemOfPhone("Glove", number))
			testkit.Must(write(b, "Left or right?"))
		}
		if reason := receive("SM3"); reason != lost.RejectedAmbiguous {
			b.T.Errorf("older conversations of another account: got %q", reason)
		}
	})
}

// rejections returns the notes of the history entries about rejected replies, oldest first.
func rejections(b *testkit.Fixture) (notes []string) {
	b.T.Helper()
	history := testkit.Must(b.Services.Items.History(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
		lost.Page{Number: 1, Limit: lost.MaxLimit}))
	for _, e := range slices.Backward(history.Data) {
		if e.Action == lost.ReplyRejected {
			notes = append(notes, e.Note)
		}
	}
	return notes
}

func TestARejectedReplyIsShownToTheDeskAndAnsweredOnceADay(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		testkit.Must(write(b, "Is it yours?"))
		token, guest := replyToken(b), b.Item.Owner.Email
		n := 0
		receive := func(from, text string) lost.Rejection {
			n++
			b.Clock.Advance(time.Second)
			return receiveReply(b, desk.Reply{
				Token: token, From: from, ExternalID: fmt.Sprint(n), Text: text, Via: lost.ViaEmail,
				NextPhoto: func() (io.Reader, error) {
					if text != "" {
						b.T.Error("the photos of a rejected message are read")
					}
					return nil, nil
				},
			})
		}
		expect := func(what string, got, want lost.Rejection, answers int, notes ...string) {
			b.T.Helper()
			sent := testkit.Count(messageKinds(b), "thread-rejected to "+guest)
			if got != want || sent != answers || !slices.Equal(rejections(b), notes) {
				b.T.Errorf("%s: got %q, %d answers and the history %q; want %q, %d, %q", what, got, sent, rejections(b),
					want, answers, notes)
			}
		}
		const empty, closed = "The message had no text and no usable photo.", "The conversation is closed."
		expect("without text", receive(guest, ""), lost.RejectedEmpty, 1, empty)
		expect("again", receive(guest, ""), lost.RejectedEmpty, 1, empty)
		testkit.Must(b.Services.Items.SetStatus(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
			lost.MovePatch{Status: lost.Set(string(lost.Donate))}))
		expect("for another reason", receive(guest, "Wait"), lost.RejectedClosed, 1, empty)
		b.Clock.Advance(25 * time.Hour)
		expect("from somebody else", receive("office@example.com", "Wait"), lost.RejectedClosed, 1, empty, closed)
		b.Clock.Advance(25 * time.Hour)
		expect("the next day", receive(guest, "Wait"), lost.RejectedClosed, 2, empty, closed, closed)
		e, found, err := b.Services.Threads.LastRejection(b.T.Context(), b.Actor, b.Item, nil)
		if !found || err != nil || e.Note != closed {
			b.T.Errorf("the desk sees %+v, %v", e, err)
		}
		outsider := b.Actor
		outsider.Locations = []string{"loc_elsewhere"}
		if _, _, err := b.Services.Threads.LastRejection(b.T.Context(), outsider, b.Item,
			nil); lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("somebody of another location: got %v, want not found", err)
		}
		b.Clock.Advance(2 * lost.LinkLife)
		expect("after the link expired", receive(guest, "Wait"), lost.RejectedClosed, 2, empty, closed, closed, closed)
	})
}

func TestTooManyRepliesAreRejected(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		testkit.Must(write(b, "Is it yours?"))
		token := replyToken(b)
		var last lost.Rejection
		for n := range lost.MaxGuestMessages + 1 {
			last = receiveReply(b, desk.Reply{
				Token: token, From: b.Item.Owner.Email, ExternalID: fmt.Sprint(n), Text: "Yes", Via: lost.ViaEmail,
			})
			if (last != "") != (n == lost.MaxGuestMessages) {
				b.T.Fatalf("reply %d: got %q", n, last)
			}
		}
		want := []string{"The guest has sent the maximum number of messages for a day."}
		if last != lost.RejectedTooMany || !slices.Equal(rejections(b), want) {
			b.T.Errorf("got %q and the history %q", last, rejections(b))
		}
	})
}
