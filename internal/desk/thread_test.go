package desk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// write writes a message from the desk about the fixture's item.
func write(b *testkit.Fixture, text string) (lost.ThreadMessage, error) {
	b.Clock.Advance(time.Second)
	return b.Services.Threads.Write(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID, draft(text, ""),
		lost.IdempotencyKey{})
}

func draft(text, externalID string) desk.Draft {
	return desk.Draft{
		Via:         lost.ViaPage,
		ThreadPatch: lost.ThreadPatch{Text: lost.Set(text), ExternalID: externalID},
	}
}

// thread returns the conversation about an item as lines, oldest first.
func thread(b *testkit.Fixture, i lost.Item) (lines []string) {
	list := testkit.Must(b.Services.Threads.List(b.T.Context(), b.Actor, i.LocationID, i.ID, lost.FirstPage()))
	for _, m := range slices.Backward(list.Data) {
		lines = append(lines, fmt.Sprintf("%s %s %s %t", m.From, m.Via, m.Text, !m.SeenAt.IsZero()))
	}
	return lines
}

func expectThread(b *testkit.Fixture, when string, want ...string) {
	b.T.Helper()
	if got := thread(b, b.Item); !slices.Equal(got, want) {
		b.T.Errorf("%s: got %q, want %q", when, got, want)
	}
}

// replyToken returns the token of the address for replies about the fixture's item.
func replyToken(b *testkit.Fixture) string {
	link, _, err := b.DB.LinkForAddress(b.T.Context(), b.Item.Account, b.Item.ID, b.Item.Owner.Address())
	if err != nil {
		b.T.Fatal(err)
	}
	return testkit.Must(b.DB.ReplyToken(link))
}

func messageKinds(b *testkit.Fixture) (kinds []string) {
	list := testkit.Must(b.Services.Messages.ListOfItem(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
		lost.FirstPage()))
	for _, m := range list.Data {
		kinds = append(kinds, string(m.Kind)+" to "+m.To)
	}
	return kinds
}

func TestDeskAndGuestWriteToEachOther(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		_, err := b.Services.Locations.Update(b.T.Context(), b.Actor, b.Location.ID, lost.LocationPatch{
			Contact: lost.Set(lost.ContactPatch{Email: lost.Set("desk@adler.example")}),
		})
		if err != nil {
			b.T.Fatal(err)
		}
		m := testkit.Must(write(b, "Is the handle light or dark?"))
		if m.Author.ID != b.Actor.ID {
			b.T.Errorf("got author %+v, want the actor", m.Author)
		}
		if got := messageKinds(b); got[0] != "thread-message to "+b.Item.Owner.Email {
			b.T.Errorf("got messages %q", got)
		}
		token := b.Token(b.Item)
		visit := testkit.Must(b.Services.Guests.Visit(b.T.Context(), token))
		if shown := testkit.Must(b.Services.Threads.SeeAsGuest(b.T.Context(), visit)); len(shown) != 1 {
			b.T.Errorf("the guest sees %d messages, want 1", len(shown))
		}
		expectThread(b, "seen by the guest", "desk page Is the handle light or dark? true")
		for range 2 { // a double click
			b.Clock.Advance(time.Second)
			if err := b.Services.Threads.WriteAsGuest(b.T.Context(), token, draft("Dark.", "form 1")); err != nil {
				b.T.Fatal(err)
			}
		}
		b.Clock.Advance(time.Second)
		if err := b.Services.Threads.WriteAsGuest(b.T.Context(), token, draft("Really.", "form 2")); err != nil {
			b.T.Fatal(err)
		}
		expectThread(b, "answered", "desk page Is the handle light or dark? true", "guest page Dark. false",
			"guest page Really. false")
		if got := messageKinds(b); testkit.Count(got, "thread-answer to desk@adler.example") != 1 {
			b.T.Errorf("the desk must be told once until it answers; got messages %q", got)
		}
		if got := b.ChangeEvents(); testkit.Count(got, "message-received") != 2 {
			b.T.Errorf("got events %q, want two messages", got)
		}
		testkit.Must(b.Services.Threads.See(b.T.Context(), b.Actor, b.Item))
		expectThread(b, "seen by the desk", "desk page Is the handle light or dark? true", "guest page Dark. true",
			"guest page Really. true")
		history := testkit.Must(b.Services.Items.History(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
			lost.FirstPage()))
		written := 0
		for _, e := range history.Data {
			if e.Action == lost.Wrote {
				written++
			}
			if strings.Contains(e.Note, "Dark") || strings.Contains(e.Note, "handle") {
				b.T.Errorf("the history repeats the text: %q", e.Note)
			}
		}
		if written != 3 {
			b.T.Errorf("got %d entries about messages, want 3", written)
		}
	})
}

func TestAThreadIsNotShownToAnotherOwner(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		testkit.Must(write(b, "Dear Anna"))
		reply := replyToken(b)
		b.Item = testkit.Must(b.Services.Items.Update(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
			lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("bert@example.com")})}))
		visit := testkit.Must(b.Services.Guests.Visit(b.T.Context(), b.Token(b.Item)))
		if shown := testkit.Must(b.Services.Threads.SeeAsGuest(b.T.Context(), visit)); len(shown) != 0 {
			b.T.Errorf("the new owner sees %+v", shown)
		}
		err := b.Services.Threads.ReceiveReply(b.T.Context(), desk.Reply{Token: reply, Text: "Hello", ExternalID: "1"})
		if lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("reply of the former owner: got %v, want not found", err)
		}
	})
}

func TestAReplyBelongsToTheConversationOfItsToken(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		testkit.Must(write(b, "Is it yours?"))
		token := replyToken(b)
		if link := b.Token(b.Item); link == token {
			b.T.Error("the token for replies opens the guest's page")
		}
		receive := func(token, from, id, text string) error {
			b.Clock.Advance(time.Second)
			return b.Services.Threads.ReceiveReply(b.T.Context(), desk.Reply{
				Token: token, From: from, ExternalID: id, Text: text, Via: lost.ViaEmail,
			})
		}
		for range 2 { // the mailbox is read again after a crash
			if err := receive(strings.ToUpper(token), b.Item.Owner.Email, "<1@x>", "Yes\x07"); err != nil {
				b.T.Fatal(err)
			}
		}
		if err := receive(token, "office@example.com", "<2@x>", strings.Repeat("ä", 5000)); err != nil {
			b.T.Fatal(err)
		}
		list := testkit.Must(b.Services.Threads.List(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
			lost.FirstPage()))
		if len(list.Data) != 3 || list.Data[1].Text != "Yes" || list.Data[1].Sender != "" ||
			list.Data[0].Sender != "office@example.com" || len([]rune(list.Data[0].Text)) != lost.MaxThreadText {
			b.T.Errorf("got %.2000q", thread(b, b.Item))
		}
		for _, wrong := range []string{"", "x", b.Token(b.Item), token[1:]} {
			if err := receive(wrong, b.Item.Owner.Email, "<3@x>", "No"); lost.CodeOf(err) != lost.NotFound {
				b.T.Errorf("token %q: got %v, want not found", wrong, err)
			}
		}
		b.Clock.Advance(2 * lost.LinkLife)
		if err := receive(token, b.Item.Owner.Email, "<4@x>", "Late"); err != nil {
			b.T.Errorf("a late reply: %v", err)
		}
		testkit.Must(b.Services.Messages.RevokeLink(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
			lost.IdempotencyKey{}))
		if err := receive(token, b.Item.Owner.Email, "<5@x>", "Revoked"); lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("after the link was revoked: got %v, want not found", err)
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
			want    lost.Code
		}{
			{[]string{own}, lost.NotFound},
			{[]string{unknown, own, other}, lost.NotFound},
			{[]string{other}, ""},
			{[]string{unknown}, ""},
			{[]string{unknown, other, own}, ""},
		} {
			b.Clock.Advance(time.Second)
			err := b.Services.Threads.ReceiveReply(b.T.Context(), desk.Reply{
				Token: token, Answers: c.answers, ExternalID: fmt.Sprint(n), Text: "Yes", Via: lost.ViaEmail,
			})
			if c.want == "" && err != nil || c.want != "" && lost.CodeOf(err) != c.want {
				b.T.Errorf("case %d: got %v, want %q", n, err, c.want)
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
		receive := func(from, id, text string) error {
			b.Clock.Advance(time.Second)
			return b.Services.Threads.ReceiveText(b.T.Context(), desk.Reply{
				From: from, ExternalID: id, Text: text, Via: lost.ViaSMS,
			})
		}
		hat, bag := b.NewItem(itemOfPhone("Hat", number)), b.NewItem(itemOfPhone("Bag", number))
		if err := receive(number, "SM0", "Hello?"); lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("before the desk wrote: got %v, want not found", err)
		}
		for _, i := range []lost.Item{bag, hat} {
			b.Item = i
			testkit.Must(write(b, "Light or dark?"))
		}
		for range 2 {
			if err := receive(number, "SM1", "Dark."); err != nil {
				b.T.Fatal(err)
			}
		}
		expectThread(b, "the newest conversation", "desk page Light or dark? true", "guest sms Dark. false")
		b.Item = bag
		testkit.Must(write(b, "And the bag?"))
		if err := receive(number, "SM1", "Dark."); err != nil { // repeated after the desk wrote elsewhere
			b.T.Fatal(err)
		}
		expectThread(b, "the other conversation", "desk page Light or dark? false", "desk page And the bag? false")
		testkit.Must(b.Services.Items.SetStatus(b.T.Context(), b.Actor, b.Location.ID, bag.ID,
			lost.MovePatch{Status: lost.Set(string(lost.Donate))}))
		if err := receive(number, "SM2", "Really."); err != nil {
			b.T.Fatal(err)
		}
		b.Item = hat
		expectThread(b, "the open conversation", "desk page Light or dark? true", "guest sms Dark. false",
			"guest sms Really. false")
		if err := receive("+4915112345679", "SM3", "Mine."); lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("another number: got %v, want not found", err)
		}

		ours := b.Actor
		b.Actor = identity.Operator(testkit.Must(b.Services.Accounts.Create(b.T.Context(), "Theirs")).ID)
		b.Location = b.NewLocation(testkit.LocationNamed("Museum"))
		b.Item = b.NewItem(itemOfPhone("Glove", number))
		testkit.Must(write(b, "Left or right?"))
		if err := receive(number, "SM4", "Left."); lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("conversations with two accounts: got %v, want not found", err)
		}
		if err := b.Services.Items.Delete(b.T.Context(), ours, hat.LocationID, hat.ID); err != nil {
			b.T.Fatal(err)
		}
		if err := receive(number, "SM5", "Left."); err != nil {
			b.T.Fatal(err)
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
		receive := func(id string) error {
			b.Clock.Advance(time.Second)
			return b.Services.Threads.ReceiveText(b.T.Context(), desk.Reply{
				From: number, ExternalID: id, Text: "Dark.", Via: lost.ViaSMS,
			})
		}
		if err := receive("SM1"); err != nil {
			b.T.Fatal(err)
		}
		expectThread(b, "the newest conversation", "desk page Light or dark? true", "guest sms Dark. false")
		b.Item = items[0]
		testkit.Must(write(b, "And this one?")) // an old link
		if err := receive("SM2"); err != nil {
			b.T.Fatal(err)
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
		if err := receive("SM3"); lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("older conversations of another account: got %v, want not found", err)
		}
	})
}

func TestAConversationIsBounded(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		token := b.Token(b.Item)
		for n := range lost.MaxGuestMessages {
			if err := b.Services.Threads.WriteAsGuest(b.T.Context(), token,
				draft("Hello", fmt.Sprint("form ", n))); err != nil {
				b.T.Fatal(err)
			}
		}
		err := b.Services.Threads.WriteAsGuest(b.T.Context(), token, draft("Hello", "one more"))
		if lost.ReasonOf(err) != lost.LimitReached {
			b.T.Errorf("got %v, want a limit", err)
		}
		b.Clock.Advance(25 * time.Hour)
		if err := b.Services.Threads.WriteAsGuest(b.T.Context(), token, draft("Hello", "next day")); err != nil {
			b.T.Errorf("the next day: %v", err)
		}
		for what, text := range map[string]string{"empty": " ", "long": strings.Repeat("x", lost.MaxThreadText+1)} {
			if _, err := write(b, text); lost.CodeOf(err) != lost.Invalid {
				b.T.Errorf("%s text: got %v, want invalid", what, err)
			}
		}
		testkit.Must(b.Services.Items.SetStatus(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
			lost.MovePatch{Status: lost.Set(string(lost.Donate))}))
		err = b.Services.Threads.WriteAsGuest(b.T.Context(), token, draft("Hello", "too late"))
		if lost.ReasonOf(err) != lost.WrongState {
			b.T.Errorf("a donated item: got %v, want wrong state", err)
		}
	})
}

func TestOnlyWhoMayHandleItemsOfALocationWritesThere(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		elsewhere := b.NewLocation(testkit.LocationNamed("Elsewhere"))
		outsider := b.Actor
		outsider.Locations = []string{elsewhere.ID}
		if _, err := b.Services.Threads.List(b.T.Context(), outsider, b.Location.ID, b.Item.ID,
			lost.FirstPage()); lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("list: got %v, want not found", err)
		}
		if _, err := b.Services.Threads.Write(b.T.Context(), outsider, b.Location.ID, b.Item.ID, draft("Hello", ""),
			lost.IdempotencyKey{}); lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("write: got %v, want not found", err)
		}
		claim := draft("Hello", "")
		claim.ToClaimant = true
		if _, err := b.Services.Threads.Write(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID, claim,
			lost.IdempotencyKey{}); lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("writing about a found item as about a request: got %v, want not found", err)
		}
		reader := b.Actor
		reader.ReadOnly = true
		if _, err := b.Services.Threads.Write(b.T.Context(), reader, b.Location.ID, b.Item.ID, draft("Hello", ""),
			lost.IdempotencyKey{}); lost.CodeOf(err) != lost.Forbidden {
			b.T.Errorf("read-only key: got %v, want forbidden", err)
		}
		if err := b.Services.Threads.Close(b.T.Context(), reader, b.Location.ID,
			b.Item.ID); lost.CodeOf(err) != lost.Forbidden {
			b.T.Errorf("close: got %v, want forbidden", err)
		}
	})
}

func TestDeletingAnItemDeletesItsConversation(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		testkit.Must(write(b, "Hello"))
		token := replyToken(b)
		if err := b.Services.Items.Delete(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID); err != nil {
			b.T.Fatal(err)
		}
		list := testkit.Must(b.DB.Thread(b.T.Context(), b.Item.Account, b.Item.ID, lost.FirstPage()))
		if len(list.Data) != 0 {
			b.T.Errorf("got %+v, want nothing", list.Data)
		}
		err := b.Services.Threads.ReceiveReply(b.T.Context(), desk.Reply{Token: token, Text: "Hi", ExternalID: "1"})
		if lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("reply: got %v, want not found", err)
		}
	})
}
