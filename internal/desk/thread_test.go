package desk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/desk"
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
		if shown := testkit.Must(b.Services.Threads.ListAsGuest(b.T.Context(), visit)); len(shown) != 1 {
			b.T.Errorf("the guest sees %d messages, want 1", len(shown))
		}
		expectThread(b, "opened by somebody", "desk page Is the handle light or dark? false")
		if err := b.Services.Threads.SeeAsGuest(b.T.Context(), token, m.ID); err != nil {
			b.T.Fatal(err)
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

// Messages that arrive while the desk writes are neither seen nor answered.
func TestAnAnswerDoesNotCoverLaterMessages(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		token := b.Token(b.Item)
		fromGuest := func(text string) {
			b.T.Helper()
			b.Clock.Advance(time.Second)
			if err := b.Services.Threads.WriteAsGuest(b.T.Context(), token, draft(text, "")); err != nil {
				b.T.Fatal(err)
			}
		}
		newest := func() string {
			return testkit.Must(b.Services.Threads.See(b.T.Context(), b.Actor, b.Item)).Data[0].ID
		}
		awaitsDesk := func() bool {
			states := testkit.Must(b.DB.ThreadStates(b.T.Context(), b.Item.Account, []string{b.Item.ID}, b.Clock.Now()))
			return !states[b.Item.ID].AwaitsDesk.IsZero()
		}
		fromGuest("One")
		d := draft("Answer", "")
		d.Seen = newest()
		fromGuest("Two")
		b.Clock.Advance(time.Second)
		testkit.Must(b.Services.Threads.Write(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID, d,
			lost.IdempotencyKey{}))
		expectThread(b, "answered", "guest page One true", "guest page Two false", "desk page Answer false")
		if !awaitsDesk() {
			b.T.Error("the later message counts as answered")
		}
		seen := newest()
		fromGuest("Three")
		for _, c := range []struct {
			seen string
			want bool
		}{{seen, true}, {newest(), false}} {
			err := b.Services.Threads.Close(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID, c.seen)
			if err != nil || awaitsDesk() != c.want {
				b.T.Errorf("closed: %v; the guest waits for an answer: %t, want %t", err, awaitsDesk(), c.want)
			}
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
		if shown := testkit.Must(b.Services.Threads.ListAsGuest(b.T.Context(), visit)); len(shown) != 0 {
			b.T.Errorf("the new owner sees %+v", shown)
		}
		rejection, err := b.Services.Threads.ReceiveReply(b.T.Context(),
			desk.Reply{Token: reply, Text: "Hello", ExternalID: "1"})
		if rejection != lost.RejectedUnknown || err != nil {
			b.T.Errorf("reply of the former owner: got %q, %v", rejection, err)
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
			b.Item.ID, ""); lost.CodeOf(err) != lost.Forbidden {
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
		reason := receiveReply(b, desk.Reply{Token: token, Text: "Hi", ExternalID: "1"})
		if reason != lost.RejectedUnknown {
			b.T.Errorf("reply: got %q", reason)
		}
	})
}
