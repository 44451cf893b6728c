package desk_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/lost/paper"
	"homeward/internal/testkit"
)

// toPolice is a valid hand-over of items to the police.
func toPolice(items ...lost.Item) paper.HandoverPatch {
	return paper.HandoverPatch{
		Items: ids(items...), Destination: "police", Recipient: "Max Weiß", Organisation: "Station 11", IDChecked: true,
		Signature: []byte("PNG"),
	}
}

func TestSeveralItemsAreHandedOverTogetherAndTheHandoverIsUndone(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t, ctx, hat := s.T, s.T.Context(), s.find("Hat")
		c, err := s.Services.Handovers.HandOverItems(ctx, s.Actor, s.Location.ID, toPolice(s.Item, hat))
		if err != nil || c.Items != 2 || c.State != lost.ClearanceHanded {
			t.Fatalf("got %+v, %v", c, err)
		}
		files := map[string]bool{}
		for _, i := range []lost.Item{s.now(s.Item), s.now(hat)} {
			if i.Status != lost.Discard || i.Destination != lost.Police || i.ClosedAt.IsZero() ||
				i.Handover.Name != "Max Weiß, Station 11" || !i.Handover.IDChecked {
				t.Errorf("got %+v", i)
			}
			protocol := s.files.Stored[i.Handover.ReceiptFile]
			if !strings.HasPrefix(protocol, "protocol Max Weiß, Station 11 3\n") ||
				!strings.Contains(protocol, s.Item.Reference) || !strings.Contains(protocol, hat.Reference) {
				t.Errorf("got protocol %q", protocol)
			}
			files[i.Handover.ReceiptFile] = true
		}
		if len(files) != 2 { // so that one can be deleted without the other
			t.Errorf("got files %v", s.files.Stored)
		}
		entry := testkit.Must(s.Services.Items.History(ctx, s.Actor, s.Location.ID, hat.ID, lost.FirstPage())).Data[0]
		if entry.Action != lost.HandedOver || entry.To != lost.Discard ||
			entry.Note != "Handed to Max Weiß, Station 11. Their ID was checked." {
			t.Errorf("got history entry %+v", entry)
		}
		s.Clock.Advance(lost.UndoTime - time.Second)
		s.work() // the jobs must not delete the files
		if len(s.files.Stored) != 2 {
			t.Errorf("got files %v", s.files.Stored)
		}
		if c, err = s.Services.Storage.UndoDecision(ctx, s.Actor, s.Location.ID, c.ID); err != nil ||
			c.State != lost.ClearanceUndone {
			t.Fatalf("undo: got %+v, %v", c, err)
		}
		s.work()
		for _, i := range []lost.Item{s.now(s.Item), s.now(hat)} {
			if i.Status != lost.Pending || i.Destination != "" || !i.ClosedAt.IsZero() || i.Handover.Known() {
				t.Errorf("after undo: got %+v", i)
			}
		}
		if len(s.files.Stored) > 0 {
			t.Errorf("after undo: got files %v", s.files.Stored)
		}
	})
}

func TestUndoOfAHandoverOfSeveralItemsKeepsALaterHandover(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t, ctx, hat := s.T, s.T.Context(), s.find("Hat")
		h, storage := s.Services.Handovers, s.Services.Storage
		c := testkit.Must(h.HandOverItems(ctx, s.Actor, s.Location.ID, toPolice(s.Item, hat)))
		s.Clock.Advance(time.Minute)
		testkit.Must(h.Undo(ctx, s.Actor, s.Location.ID, hat.ID))
		testkit.Must(h.HandOver(ctx, s.Actor, s.Location.ID, hat.ID, lost.HandoverPatch{Recipient: "Anna"},
			lost.IdempotencyKey{}))
		if _, err := storage.UndoDecision(ctx, s.Actor, s.Location.ID, c.ID); lost.CodeOf(err).Kind() != lost.Conflict {
			t.Errorf("got %v, want a conflict", err)
		}
		if umbrella, hat := s.now(s.Item), s.now(hat); hat.Handover.Name != "Anna" || hat.ClosedAt.IsZero() ||
			umbrella.Destination != lost.Police {
			t.Errorf("got %+v and %+v", umbrella, hat)
		}
	})
}

func TestUndoOfAHandoverOfSeveralItemsIsIdempotent(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t, ctx, hat := s.T, s.T.Context(), s.find("Hat")
		c := testkit.Must(s.Services.Handovers.HandOverItems(ctx, s.Actor, s.Location.ID, toPolice(s.Item, hat)))
		if _, err := s.Services.Items.Update(ctx, s.Actor, s.Location.ID, hat.ID,
			lost.ItemPatch{Notes: lost.Set("Receipt in the folder")}); err != nil {
			t.Fatal(err)
		}
		const clicks = 4
		results := make(chan error, clicks)
		for range clicks {
			go func() {
				undone, err := s.Services.Storage.UndoDecision(ctx, s.Actor, s.Location.ID, c.ID)
				if err == nil && undone.State != lost.ClearanceUndone {
					err = fmt.Errorf("state %s", undone.State)
				}
				results <- err
			}()
		}
		for range clicks {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
		testkit.Must(s.Services.Handovers.HandOver(ctx, s.Actor, s.Location.ID, hat.ID,
			lost.HandoverPatch{Recipient: "Anna"}, lost.IdempotencyKey{}))
		testkit.Must(s.Services.Storage.UndoDecision(ctx, s.Actor, s.Location.ID, c.ID))
		if i := s.now(hat); i.Handover.Name != "Anna" {
			t.Errorf("a later click undid another hand-over: %+v", i.Handover)
		}
	})
}

// The protocol lists all items that were handed over together, so it is deleted when the data of one guest is erased.
func TestTheProtocolIsDeletedWithTheFirstErasure(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t, ctx := s.T, s.T.Context()
		hat, glove := s.find("Hat"), s.find("Glove")
		erase := func(email string) {
			t.Helper()
			testkit.Must(s.Services.People.EraseNow(ctx, s.Person("usr_owner", lost.OwnerRole),
				lost.PersonPatch{Email: lost.Set(email)}))
			s.work()
		}
		testkit.Must(s.Services.Handovers.HandOverItems(ctx, s.Actor, s.Location.ID, toPolice(s.Item, hat)))
		s.Clock.Advance(time.Minute)
		testkit.Must(s.Services.Handovers.HandOverItems(ctx, s.Actor, s.Location.ID, toPolice(glove)))
		erase("hat@example.com")
		if i := s.now(s.Item); i.Handover.ReceiptFile != "" || i.Handover.Name == "" || i.Destination != lost.Police {
			t.Errorf("another item of the hand-over: got %+v", i.Handover)
		}
		kept := s.now(glove).Handover.ReceiptFile
		if kept == "" || len(s.files.Stored) != 1 || s.files.Stored[kept] == "" {
			t.Errorf("got files %v, want that of the other hand-over", s.files.Stored)
		}

		toFinder := toPolice(s.finding("Purse"), s.finding("Ring"))
		toFinder.Destination, toFinder.Recipient = string(lost.ToFinder), "Marta Nowak"
		testkit.Must(s.Services.Handovers.HandOverItems(ctx, s.Actor, s.Location.ID, toFinder))
		erase("marta@example.com")
		if len(s.files.Stored) != 1 {
			t.Errorf("after the erasure of the finder who has signed: got files %v", s.files.Stored)
		}
	})
}

// finding creates an item that a finder handed in, who wants it if no owner comes.
func (s *overdueFixture) finding(what string) lost.Item {
	s.T.Helper()
	return s.NewItem(lost.ItemPatch{Description: lost.Set(what), Finder: lost.Set(lost.FinderPatch{
		Name: lost.Set("Marta Nowak"), Email: lost.Set("marta@example.com"), ClaimsItem: lost.Set(true),
	})})
}

func TestAHandoverOfSeveralItemsIsAllOrNothing(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t, ctx, hat := s.T, s.T.Context(), s.find("Hat")
		var many []lost.Item
		for n := range paper.MaxItems + 1 {
			many = append(many, lost.Item{ID: fmt.Sprintf("itm_%d", n)})
		}
		gone := s.find("Glove")
		testkit.Must(s.Services.Handovers.HandOver(ctx, s.Actor, s.Location.ID, gone.ID,
			lost.HandoverPatch{Recipient: "Anna"}, lost.IdempotencyKey{}))
		stored := len(s.files.Stored)
		for name, tt := range map[string]struct {
			patch func(*paper.HandoverPatch)
			want  lost.Code
		}{
			"no items":            {func(p *paper.HandoverPatch) { p.Items = nil }, lost.Invalid},
			"too many":            {func(p *paper.HandoverPatch) { p.Items = ids(many...) }, lost.Invalid},
			"an unknown item":     {func(p *paper.HandoverPatch) { p.Items = append(p.Items, "itm_x") }, lost.NotFound},
			"a closed item":       {func(p *paper.HandoverPatch) { p.Items = append(p.Items, gone.ID) }, lost.Conflict},
			"no recipient":        {func(p *paper.HandoverPatch) { p.Recipient = " " }, lost.Invalid},
			"another destination": {func(p *paper.HandoverPatch) { p.Destination = "moon" }, lost.Invalid},
			"a JPEG":              {func(p *paper.HandoverPatch) { p.Signature = []byte("JPEG") }, lost.Invalid},
			"an old version": {func(p *paper.HandoverPatch) {
				p.Seen = map[string]time.Time{hat.ID: hat.UpdatedAt.Add(-time.Second)}
			}, lost.Conflict},
		} {
			p := toPolice(s.Item, hat)
			tt.patch(&p)
			if _, err := s.Services.Handovers.HandOverItems(ctx, s.Actor, s.Location.ID, p); lost.CodeOf(err).Kind() !=
				tt.want.Kind() {
				t.Errorf("%s: got %v, want %s", name, err, tt.want)
			}
		}
		viewer := s.Actor
		viewer.Role = lost.ViewerRole
		if _, err := s.Services.Handovers.HandOverItems(ctx, viewer, s.Location.ID,
			toPolice(hat)); lost.CodeOf(err) != lost.Forbidden {
			t.Errorf("a viewer: got %v", err)
		}
		if i := s.now(hat); !i.ClosedAt.IsZero() || len(s.files.Stored) != stored {
			t.Errorf("rejected hand-overs changed %+v, files %v", i, s.files.Stored)
		}
		c := testkit.Must(s.Services.Handovers.HandOverItems(ctx, s.Actor, s.Location.ID, toPolice(s.Item, hat)))
		testkit.Must(s.Services.Items.SetStatus(ctx, s.Actor, s.Location.ID, hat.ID,
			lost.MovePatch{Status: lost.Set("PENDING")}))
		if _, err := s.Services.Storage.UndoDecision(ctx, s.Actor, s.Location.ID, c.ID); err == nil {
			t.Error("a hand-over was undone although an item has changed")
		}
		if i := s.now(s.Item); i.Destination != lost.Police {
			t.Errorf("an undo that failed changed %+v", i)
		}
	})
}

func TestAnIdentityPaperIsForwardedToItsIssuer(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t, ctx, hat := s.T, s.T.Context(), s.find("Hat")
		card := testkit.Must(s.Services.Items.Create(ctx, s.Actor, s.Location.ID, lost.ItemPatch{
			Description: lost.Set("Bank card"), Category: lost.Set("card"),
			SerialNumber: lost.Set("4111 1111 1111 1234"),
		}, lost.IdempotencyKey{}))
		if card = s.now(card); card.SerialNumber != "••••1234" {
			t.Errorf("stored number: got %q", card.SerialNumber)
		}
		h := s.Services.Handovers
		if _, err := h.Inform(ctx, s.Actor, s.Location.ID, card.ID, desk.InformedPatch{
			Who: "neighbour", On: "yesterday",
		}); len(lost.ProblemsOf(err)) != 2 {
			t.Errorf("got %v, want two problems", err)
		}
		testkit.Must(h.Inform(ctx, s.Actor, s.Location.ID, card.ID,
			desk.InformedPatch{Who: "bank", On: "2026-11-12"}))
		request := testkit.Must(s.Services.Requests.File(ctx, s.Actor, s.Location.ID, lost.RequestPatch{
			Description: lost.Set("Bank card"), Category: lost.Set("card"),
			Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")}),
		}, lost.IdempotencyKey{}))
		about := desk.InformedPatch{Who: "bank", On: "2026-11-12"}
		for _, err := range []error{
			second(h.Inform(ctx, s.Actor, s.Location.ID, request.ID, about)),
			second(h.Forward(ctx, s.Actor, s.Location.ID, request.ID, desk.ForwardPatch{To: "Bank"})),
			second(h.Inform(ctx, s.Actor, s.Location.ID, hat.ID, about)),
			second(h.Forward(ctx, s.Actor, s.Location.ID, hat.ID, desk.ForwardPatch{To: "Bank"})),
		} {
			if lost.CodeOf(err) != lost.Conflict {
				t.Errorf("a hat or a request: got %v", err)
			}
		}
		if _, err := h.Forward(ctx, s.Actor, s.Location.ID, card.ID,
			desk.ForwardPatch{}); lost.CodeOf(err) != lost.Invalid {
			t.Errorf("no office: got %v", err)
		}
		card = testkit.Must(h.Forward(ctx, s.Actor, s.Location.ID, card.ID,
			desk.ForwardPatch{To: "Bank, Main Street 1"}))
		if card.Status != lost.Discard || card.Destination != lost.ToIssuer || card.ClosedAt.IsZero() {
			t.Errorf("got %+v", card)
		}
		history := testkit.Must(s.Services.Items.History(ctx, s.Actor, s.Location.ID, card.ID, lost.FirstPage())).Data
		if history[0].Note != "Forwarded to the issuer: Bank, Main Street 1." ||
			history[1].Note != "The bank was informed on 2026-11-12" {
			t.Errorf("got history %+v", history)
		}
		if card = testkit.Must(h.Undo(ctx, s.Actor, s.Location.ID, card.ID)); card.Status != lost.Pending ||
			card.Destination != "" {
			t.Errorf("after undo: got %+v", card)
		}
	})
}

// second returns the error of a call.
func second[T any](_ T, err error) error { return err }
