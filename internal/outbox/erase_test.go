package outbox_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// TestAPersonWithAParcelIsErasedOnceItHasArrived checks that a paid parcel keeps its address until it arrives. Then
// the address and all documents are erased, but the number and amount of the invoice are kept.
func TestAPersonWithAParcelIsErasedOnceItHasArrived(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		i, token := q.requestPayment("CH", "8001")
		q.pay(token)
		q.runAll()
		erasure := q.startErasure(anna)
		early := erasure.Erased
		if !erasure.DoneAt.IsZero() || early.UnderWay != 1 || early.Items != 0 ||
			q.item(i).Shipping.Recipient.Name == "" || len(q.documents.files) == 0 {
			t.Fatalf("while the parcel is on its way: %+v", early)
		}
		q.move(i,
			lost.MovePatch{
				Status: lost.Set("DELIVERED"), TrackingNumber: lost.Set("TRACK123"), Note: lost.Set("Anna called"),
			})
		q.clock.Advance(24 * time.Hour) // the erasure continues automatically
		q.runAll()
		erasure, err := q.desk.People.Erasure(t.Context(), q.admin(), erasure.ID)
		if err != nil || erasure.DoneAt.IsZero() {
			t.Fatalf("after it has arrived: %+v %v", erasure, err)
		}
		done := erasure.Erased
		if done.Items != 1 || done.Shipments != 1 || done.Files == 0 || done.UnderWay != 0 || done.Messages == 0 {
			t.Errorf("erased: %+v", done)
		}
		q.runAll()
		q.expectAbsent(anna, "Anna", "High Street", "8001", "TRACK123")
		if len(q.documents.files) > 0 {
			t.Errorf("documents remain: %v", q.documents.files)
		}
		if !strings.Contains(q.dump(), "invoices: ") {
			t.Error("the invoice number was erased")
		}
		if again := q.erase(anna); again != (lost.Erased{}) {
			t.Errorf("the second erasure erased %+v, want nothing", again)
		}
	})
}

// TestAPersonIsErasedFromImportsAndViews checks that a person's data is also erased from imported files and saved
// views.
func TestAPersonIsErasedFromImportsAndViews(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		ctx := t.Context()
		owner := n.actor
		owner.Role, owner.Kind = lost.OwnerRole, lost.ByUser
		file := "description,owner.firstName,owner.lastName,owner.email,owner.phone,notes\n" +
			"Hat,Annamaria,Kowalska,anna.k@example.com,+48 22 123 45 67,Kowalska " +
			"rang\nRing,Bob,Builder,bob@example.com,,\nBad,Annamaria,Kowalska,anna.k@example.com and more,,\n"
		m, err := n.desk.Imports.Stage(ctx, owner, n.where.ID, "finds.csv", strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{"term=anna.k%40example.com", "term=bob%40example.com"} {
			if _, err := n.desk.Views.Create(ctx, owner,
				lost.ViewPatch{Name: lost.Set("Mine"), Query: lost.Set(query)}); err != nil {
				t.Fatal(err)
			}
		}
		got := n.erase("anna.k@example.com")
		if got.ImportRows != 1 || got.Views != 1 {
			t.Errorf("erased: %+v", got)
		}
		n.expectAbsent("anna.k", "+48 22 123 45 67")
		if dump := n.dump(); !strings.Contains(dump, "bob@example.com") ||
			!strings.Contains(dump, "term=bob%40example.com") || !strings.Contains(dump, "Ring") {
			t.Error("another person's data was erased")
		}
		if started, err := n.desk.Imports.Start(ctx, owner, n.where.ID, m.ID, false); err != nil || started.Total != 2 {
			t.Errorf("the remaining rows cannot be imported: %+v %v", started, err)
		}
		// The phone number is found in any format.
		if _, err := n.desk.Imports.Stage(ctx, owner, n.where.ID, "more.csv",
			strings.NewReader("description,owner.lastName,owner.phone\nBelt,Nowak,+48 (22) 765-43-21\n")); err != nil {
			t.Fatal(err)
		}
		if got := n.erase("+48227654321"); got.ImportRows != 1 {
			t.Errorf("by phone number: %+v", got)
		}
		n.expectAbsent("Nowak", "765-43-21")
	})
}

// TestAPersonIsErasedByTheNumberOnAParcel erases a person by the phone number on a paid parcel. The data is erased
// after the parcel arrives, and the label is still bought with the number.
func TestAPersonIsErasedByTheNumberOnAParcel(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		i, token := q.requestPayment("CH", "8001")
		q.pay(token)
		if e := q.startErasure(annasPhone); e.Erased.UnderWay != 1 || !e.DoneAt.IsZero() {
			t.Fatalf("while the parcel is on its way: %+v", e)
		}
		sent, err := q.db.ShipmentsOfItem(t.Context(), i.Account, i.ID)
		if err != nil || len(sent) != 1 || sent[0].To.Phone != annasPhone {
			t.Errorf("shipments: %+v %v", sent, err)
		}
		found, err := q.desk.People.FindPerson(t.Context(), q.admin(), lost.ParsePerson(annasPhone))
		if err != nil || found.Records.Count != 1 {
			t.Errorf("found: %+v %v", found, err)
		}
		q.runAll()
		q.move(i, lost.MovePatch{Status: lost.Set("DELIVERED"), TrackingNumber: lost.Set("TRACK123")})
		q.clock.Advance(24 * time.Hour)
		q.runAll()
		q.expectAbsent(anna, annasPhone, "High Street")
	})
}

// TestErasingAPersonLeavesOthersUnchanged checks that people who are only mentioned, or who have a similar e-mail
// address, are not erased.
func TestErasingAPersonLeavesOthersUnchanged(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		ctx := t.Context()
		bobs := n.createItem(lost.ItemPatch{
			Description: lost.Set("Hat"), Notes: lost.Set("Ask li@hotel.example, not ali@hotel.example"),
			Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("bob@example.com")}),
		})
		alis := n.createOwned("ali@hotel.example")
		lis := n.createOwned("Li@hotel.example")
		for _, i := range []lost.Item{bobs, alis, lis} {
			n.move(i, lost.MovePatch{Status: lost.Set("PICKUP"), Note: lost.Set("ali@hotel.example rang")})
		}
		if e := n.erase("li@hotel.example"); e.Items != 1 || e.Events != 6 {
			t.Errorf("erased: %+v", e)
		}
		if got := n.item(bobs); got.Notes != "Ask [removed], not ali@hotel.example" ||
			got.Owner.Email != "bob@example.com" {
			t.Errorf("another person's item is %+v", got)
		}
		if got := n.item(alis); got.Owner.Email != "ali@hotel.example" {
			t.Errorf("the item with a similar address is %+v", got)
		}
		events, err := n.db.Events(ctx, n.actor.Account, lost.EventFilter{Page: lost.FirstPage()})
		if err != nil || len(events.Data) != 3 {
			t.Fatal(len(events.Data), err)
		}
		for _, e := range events.Data {
			body := string(e.Body)
			switch e.ItemID {
			case bobs.ID:
				if !strings.Contains(body, "bob@example.com") ||
					!strings.Contains(body, "Ask [removed], not ali@hotel.example") {
					t.Errorf("another person's event is %s", body)
				}
			case alis.ID:
				if !strings.Contains(body, "ali@hotel.example") {
					t.Errorf("the event with a similar address is %s", body)
				}
			default:
				if strings.Contains(body, "@hotel.example") {
					t.Errorf("the person's own event is %s", body)
				}
			}
		}
	})
}

// TestEventsAboutChangesAreErased checks that the events about every change of a person's item and request are kept
// without the person's data, also if the item was deleted.
func TestEventsAboutChangesAreErased(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		ctx := t.Context()
		kept, deleted, request := n.createOwned(anna), n.createOwned(anna), n.fileRequest(anna)
		for _, i := range []lost.Item{kept, deleted} {
			if _, err := n.desk.Items.Update(ctx, n.actor, n.where.ID, i.ID,
				lost.ItemPatch{Notes: lost.Set("Ask " + anna)}); err != nil {
				t.Fatal(err)
			}
			n.writeToGuest(i, "Are you "+anna+"?")
			reply := desk.Reply{Token: n.replyToken(i), From: anna, Text: "Yes, " + anna, Via: lost.ViaEmail}
			if _, err := n.desk.Threads.ReceiveReply(ctx, reply); err != nil {
				t.Fatal(err)
			}
			n.move(i, lost.MovePatch{Status: lost.Set("DONATE")})
		}
		if _, err := n.desk.Requests.Decide(ctx, n.actor, n.where.ID, request.ID,
			lost.DecisionPatch{Type: lost.Set("reject"), Reason: lost.Set("Sorry")}); err != nil {
			t.Fatal(err)
		}
		if err := n.desk.Items.Delete(ctx, n.actor, n.where.ID, deleted.ID); err != nil {
			t.Fatal(err)
		}
		types := func() (all []string) {
			list, err := n.db.Events(ctx, n.actor.Account, lost.EventFilter{
				Types: lost.ChangeEventTypes(), Page: lost.Page{Number: 1, Limit: lost.MaxLimit},
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range list.Data {
				all = append(all, string(e.Type))
			}
			slices.Sort(all)
			return all
		}
		want := types()
		for _, kind := range lost.ChangeEventTypes() {
			if !slices.Contains(want, string(kind)) {
				t.Errorf("there is no %s", kind)
			}
		}
		n.runAll()
		if !strings.Contains(n.dump(), anna) {
			t.Fatal("nothing has to be erased")
		}
		n.erase(anna)
		n.expectAbsent(anna)
		// The erasure itself changes the item and the request.
		want = append(want, "item-updated", "request-updated")
		slices.Sort(want)
		if got := types(); !slices.Equal(got, want) {
			t.Errorf("got the events %v, want %v", got, want)
		}
	})
}

// TestAnAddressIsFoundInAnyNotation checks that an e-mail address is found regardless of its encoding and of the case
// of ASCII letters.
func TestAnAddressIsFoundInAnyNotation(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		owner := n.admin()
		owner.Kind = lost.ByUser
		asas := n.createOwned("ÅSA.Ö@example.se")
		n.move(asas, lost.MovePatch{Status: lost.Set("PICKUP")})
		if e := n.erase("Åsa.Ö@EXAMPLE.se"); e.Items != 1 || e.Events != 3 || e.Messages == 0 || e.Links == 0 {
			t.Errorf("erased: %+v", e)
		}
		n.expectAbsent("ÅSA", "Åsa")
		mine, err := n.desk.Requests.File(t.Context(), n.actor, n.where.ID, lost.RequestPatch{
			Description: lost.Set("Hat"), Proof: lost.Set("Ask\nR&D@example.com"),
			Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("bob@example.com")}),
		}, lost.IdempotencyKey{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := n.desk.Views.Create(t.Context(), owner,
			lost.ViewPatch{Name: lost.Set("Mine"), Query: lost.Set("term=R%26d%40EXAMPLE.com&page=2")}); err != nil {
			t.Fatal(err)
		}
		if e := n.erase("r&d@example.com"); e.Views != 1 || e.Mentions != 1 {
			t.Errorf("erased: %+v", e)
		}
		if got := n.item(mine).Claim.Proof; got != "Ask\n[removed]" {
			t.Errorf("the proof is %q", got)
		}
		views, err := n.db.Views(t.Context(), owner.Account, owner.ID, 10)
		if err != nil || len(views) != 1 || views[0].Query != "page=2&term=%5Bremoved%5D" {
			t.Errorf("the view is %+v %v", views, err)
		}
	})
}

// TestAnErasureIsInTheHistory checks that an erasure adds a history entry to each item and request that it closes.
func TestAnErasureIsInTheHistory(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		parcel, _ := q.requestPayment("CH", "8001")
		request := q.fileRequest(anna)
		q.erase(anna)
		for id, want := range map[string]lost.Action{parcel.ID: lost.Moved, request.ID: lost.Withdrawn} {
			history, err := q.db.History(t.Context(), parcel.Account, id, lost.FirstPage())
			if err != nil || !slices.ContainsFunc(history.Data, func(e lost.Entry) bool {
				return e.Action == want && (want != lost.Moved || e.From == lost.InfoCompleted && e.To == lost.Pending)
			}) {
				t.Errorf("%s: %+v %v", want, history.Data, err)
			}
		}
	})
}

// TestAnErasureCancelsAPlannedPickup checks that nobody is expected for the item of an erased person, and that somebody
// else gets the place. An item that was collected stays collected.
func TestAnErasureCancelsAPlannedPickup(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		const day, at = "2026-11-25", "10:00"
		_, err := n.desk.Locations.Update(t.Context(), n.actor, n.where.ID, lost.LocationPatch{
			OpeningHours: lost.Set([]lost.OpeningHours{{Days: []string{"wed"}, From: "10:00", To: "12:00"}}),
			Slots:        lost.Set(lost.SlotsPatch{Minutes: lost.Set(60), Capacity: lost.Set(1)}),
		})
		if err != nil {
			t.Fatal(err)
		}
		planned, collected := n.createOwned(anna), n.createOwned(anna)
		for i, p := range map[string]lost.MovePatch{
			planned.ID:   {PickupDate: lost.Set(day), PickupTime: lost.Set(at)},
			collected.ID: {Closed: lost.Set(true)},
		} {
			p.Status = lost.Set("PICKUP")
			if _, err := n.desk.Items.SetStatus(t.Context(), n.actor, n.where.ID, i, p); err != nil {
				t.Fatal(err)
			}
		}
		free := func() int {
			slots, err := n.desk.Locations.Slots(t.Context(), n.actor, n.where.ID, day, day)
			if err != nil || len(slots) == 0 {
				t.Fatal(slots, err)
			}
			return slots[0].Free()
		}
		if free() != 0 {
			t.Fatal("the slot is not booked")
		}
		n.erase(anna)
		n.runAll()
		if got := free(); got != 1 {
			t.Errorf("%d places are free, want 1", got)
		}
		if i := n.item(planned); i.Status != lost.Pending || i.Pickup != (lost.Pickup{}) || i.Owner.Known() {
			t.Errorf("got %s %+v %+v, want a pending item without a pick-up", i.Status, i.Pickup, i.Owner)
		}
		if i := n.item(collected); i.Status != lost.PickUp || i.ClosedAt.IsZero() || i.Owner.Known() {
			t.Errorf("got %s, closed at %v, want a collected item", i.Status, i.ClosedAt)
		}
		history, err := n.db.History(t.Context(), planned.Account, planned.ID, lost.FirstPage())
		if err != nil || !slices.ContainsFunc(history.Data, func(e lost.Entry) bool {
			return e.Action == lost.Moved && e.From == lost.PickUp && e.To == lost.Pending
		}) {
			t.Errorf("got the history %+v, %v", history.Data, err)
		}
	})
}

// TestAStoredResponseIsErasedWithThePerson checks that erasing a person also erases responses that mention them and
// are stored for an idempotency key.
func TestAStoredResponseIsErasedWithThePerson(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		ctx, once := t.Context(), lost.IdempotencyKey{Key: "again", Request: "r"}
		i := n.createOwned(anna)
		sent, err := n.desk.Messages.Notify(ctx, n.actor, n.where.ID, i.ID, once)
		if err != nil || sent.To != anna {
			t.Fatal(sent, err)
		}
		// The item has another owner now, but the notification was sent to Anna.
		if _, err := n.desk.Items.Update(ctx, n.actor, n.where.ID, i.ID,
			lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("bob@example.com")})}); err != nil {
			t.Fatal(err)
		}
		if e := n.erase(anna); e.Answers != 1 {
			t.Errorf("erased: %+v", e)
		}
		if again, err := n.desk.Messages.Notify(ctx, n.actor, n.where.ID, i.ID, once); err == nil && again.To == anna {
			t.Error("the stored response was not erased")
		}
	})
}

// TestAStoredResponseAboutADeletedItemIsErased checks that a response that outlives its item is erased with the person
// it mentions, and only with that person.
func TestAStoredResponseAboutADeletedItemIsErased(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		ctx := t.Context()
		create := func(email, key string) (lost.Item, error) {
			return n.desk.Items.Create(ctx, n.actor, n.where.ID, lost.ItemPatch{
				Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(email)}),
			}, lost.IdempotencyKey{Key: key, Request: key})
		}
		for _, email := range []string{anna, "bob@example.com"} {
			i, err := create(email, "key of "+email)
			if err != nil {
				t.Fatal(err)
			}
			if err := n.desk.Items.Delete(ctx, n.actor, n.where.ID, i.ID); err != nil {
				t.Fatal(err)
			}
			if again, err := create(email, "key of "+email); err != nil || again.ID != i.ID {
				t.Fatalf("repeating the request returned %+v %v, want the deleted item", again, err)
			}
		}
		if e := n.erase(anna); e.Answers != 1 {
			t.Errorf("erased: %+v", e)
		}
		if again, err := create(anna, "key of "+anna); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("repeating the request returned %+v %v, want a conflict", again, err)
		}
		if again, err := create("bob@example.com", "key of bob@example.com"); err != nil ||
			again.Owner.Email != "bob@example.com" {
			t.Errorf("the response about another person is gone: %+v %v", again, err)
		}
	})
}

// TestAnErasureWaitsForReaders checks that an erasure does not block writers while an old SQLite snapshot is being
// read. The erasure stays unfinished and continues automatically.
func TestAnErasureWaitsForReaders(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		i := q.createOwned(anna)
		var erasure lost.Erasure
		err := q.db.Snapshot(t.Context(), func(*store.Snapshot) error {
			began := time.Now()
			erasure = q.startErasure(anna)
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("the erasure took %v", took)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if file := strings.HasSuffix(q.t.Name(), "sqlite"); q.item(i).Owner.Known() || erasure.DoneAt.IsZero() != file {
			t.Errorf("during the read: %+v", erasure)
		}
		q.clock.Advance(2 * time.Minute)
		q.runAll()
		if done, err := q.desk.People.Erasure(t.Context(), q.admin(), erasure.ID); err != nil || done.DoneAt.IsZero() {
			t.Errorf("%+v %v", done, err)
		}
		q.expectAbsent(anna)
	})
}

// TestARetriedErasureLeavesNothingOut checks an erasure whose transaction runs again from the start after a
// serialization failure. SQLite has no such failures.
func TestARetriedErasureLeavesNothingOut(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		if strings.HasSuffix(n.t.Name(), "sqlite") {
			return
		}
		ctx := t.Context()
		first, second := n.createOwned(anna), n.createOwned(anna)
		if first.ID > second.ID { // IDs created at the same time are in random order
			first, second = second, first
		}
		for _, i := range []lost.Item{first, second} {
			n.move(i, lost.MovePatch{Status: lost.Set("DONATE")})
		}
		erased := make(chan error, 1)
		begin := sync.OnceFunc(func() {
			go func() {
				_, err := n.desk.People.EraseNow(ctx, n.admin(), lost.ParsePerson(anna))
				erased <- err
			}()
		})
		err := n.db.Write(ctx, func(tx *store.Tx) error {
			if _, err := tx.LockItem(second.Account, second.LocationID, second.ID); err != nil {
				return err
			}
			begin()
			for free := 1; free > 0; { // loop until the erasure has locked the first item and waits for the second
				err := n.db.Write(ctx, func(tx *store.Tx) error {
					items, err := tx.LockItemsToErase(first.Account, tx.Now().Add(time.Hour), 10)
					free = len(items)
					return err
				})
				if err != nil {
					return err
				}
			}
			_, err := tx.LockItem(first.Account, first.LocationID, first.ID) // causes a deadlock
			return err
		})
		if err = errors.Join(err, <-erased); err != nil {
			t.Fatal(err)
		}
		n.expectAbsent(anna)
	})
}

// TestOnlyTheExactAddressIsErased checks that an erasure, a count and an export find every spelling of an e-mail
// address, but not similar addresses of other people.
func TestOnlyTheExactAddressIsErased(t *testing.T) {
	for _, c := range []struct{ address, same, other string }{
		{"karl@example.com", "KARL@Example.COM", "\u212aarl@example.com"}, // the Kelvin sign
		{"\u212aarl@example.com", "\u212aARL@example.com", "karl@example.com"},
		{"sam@example.com", "Sam@example.com", "\u017fam@example.com"}, // the long s
		{"straße@example.com", "STRAßE@example.com", "strasse@example.com"},
		{"strasse@example.com", "Strasse@example.com", "straße@example.com"},
		{"jürgen@example.com", "JüRGEN@example.com", "jurgen@example.com"},
		{"jurgen@example.com", "JURGEN@example.com", "jürgen@example.com"},
		{"jürgen@example.com", "jürgen@EXAMPLE.com", "JÜRGEN@example.com"},
		{"anna@bücher.example", "anna@xn--bcher-kva.example", "anna@bucher.example"},
		{"anna@xn--bcher-kva.example", "Anna@BÜCHER.example", "anna@bucher.example"},
		{"anna@bücher.example", "ANNA@BÜCHER.example", "anna@xn--bcher-kvb.example"},
	} {
		t.Run(c.address+" "+c.same, func(t *testing.T) {
			eachFixture(t, func(n *fixture) { expectExact(n, c.address, c.same, c.other) })
		})
	}
}

func expectExact(n *fixture, address, same, other string) {
	t, ctx := n.t, n.t.Context()
	n.createOwned(same)
	others := n.createOwned(other)
	n.move(others, lost.MovePatch{Status: lost.Set("PICKUP"), Note: lost.Set("ask " + same + " or " + other)})
	noted := n.createItem(lost.ItemPatch{
		Description: lost.Set("Hat"), Notes: lost.Set("Ask " + same + ", not " + other + "."),
	})
	marked := n.createItem(lost.ItemPatch{
		Description: lost.Set("Tie"),
		Metadata:    lost.Set(lost.MetadataPatch{"of " + same: lost.Set("yes"), "of " + other: lost.Set("no")}),
	})
	found, err := n.desk.People.FindPerson(ctx, n.admin(), lost.ParsePerson(address))
	if err != nil || found.Records.Count != 1 {
		t.Errorf("found: %+v %v, want 1", found, err)
	}
	var export strings.Builder
	err = n.desk.People.ExportPerson(ctx, n.admin(), lost.ParsePerson(address), &export)
	if err != nil || !strings.Contains(export.String(), `"email":"`+same) ||
		strings.Contains(export.String(), `"email":"`+other) {
		t.Errorf("export: %s %v", export.String(), err)
	}
	if e := n.erase(address); e.Items != 1 || e.Links != 1 || e.Messages != 1 || e.Mentions != 3 {
		t.Errorf("erased: %+v", e)
	}
	if got := n.item(noted).Notes; got != "Ask [removed], not "+other+"." {
		t.Errorf("notes: %q", got)
	}
	if got := n.item(marked).Metadata; len(got) != 1 || got["of "+other] != "no" {
		t.Errorf("metadata: %q", got)
	}
	if got := n.item(others).Owner.Email; got != other {
		t.Errorf("another person's address is %q", got)
	}
}

// TestOneNotificationPerAddress checks that an owner is not notified again when their e-mail address is spelled
// differently, that their link still works, and that a similar address is another person.
func TestOneNotificationPerAddress(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned("Karl@bücher.example")
		update := func(email string, wantMessages int) {
			t.Helper()
			if _, err := n.desk.Items.Update(t.Context(), n.actor, n.where.ID, i.ID,
				lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(email)})}); err != nil {
				t.Fatal(err)
			}
			sent, err := n.db.Messages(t.Context(), i.Account, i.ID, lost.FirstPage())
			if err != nil || sent.Count != wantMessages {
				t.Errorf("%s: %d messages, want %d: %v", email, sent.Count, wantMessages, err)
			}
			link, found, err := n.db.LinkForAddress(t.Context(), i.Account, i.ID, email)
			if err != nil || !found || link.CheckAccess(n.item(i), n.clock.Now()) != nil {
				t.Errorf("%s: link %+v %t %v", email, link, found, err)
			}
		}
		update("karl@XN--BCHER-KVA.example", 1)
		n.runAll()
		sent, err := n.db.Messages(t.Context(), i.Account, i.ID, lost.FirstPage())
		if err != nil || len(sent.Data) != 1 || sent.Data[0].State == lost.MessageCanceled {
			t.Errorf("messages: %+v %v", sent.Data, err)
		}
		update("\u212aarl@bücher.example", 2)
		update("KARL@bücher.example", 2)
	})
}

// TestAPhoneNumberIsErasedInEverySpelling checks that an erasure by phone number finds the spellings that people write
// into notes, events, history and imports.
func TestAPhoneNumberIsErasedInEverySpelling(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		ctx, owner := t.Context(), n.admin()
		owner.Kind = lost.ByUser
		spellings := []string{
			"+49 (0)30 901820", "0049(0)30 901820", "030 – 90 18 20", "030.901820", "(030) 901820", "030/901820",
			"０３０－９０１８２０", "+49\u00a030\u00a0901820", "030 12345", "+49 30 123 45",
		}
		var items []lost.Item
		for _, written := range spellings {
			i := n.createItem(lost.ItemPatch{
				Description: lost.Set("Hat"), Notes: lost.Set("Call " + written + " first"),
			})
			n.move(i, lost.MovePatch{Status: lost.Set("DONATE"), Note: lost.Set("rang " + written)})
			items = append(items, i)
		}
		file := "description,notes\nBelt,Call 0049 (0) 30 901820\nTie,Call 030 901821\n"
		if _, err := n.desk.Imports.Stage(ctx, owner, n.where.ID, "finds.csv", strings.NewReader(file)); err != nil {
			t.Fatal(err)
		}
		if e := n.erase("0049 (0)30-901820"); e.Mentions != 16 || e.Events != 24 || e.ImportRows != 1 {
			t.Errorf("erased: %+v", e)
		}
		if e := n.erase("+493012345"); e.Mentions != 4 || e.Events != 6 {
			t.Errorf("erased a short number: %+v", e)
		}
		for n2, i := range items {
			if got := n.item(i).Notes; got != "Call [removed] first" {
				t.Errorf("%s: notes %q", spellings[n2], got)
			}
		}
		n.expectAbsent(append(spellings, "0049 (0) 30 901820")...)
		if !strings.Contains(n.dump(), "030 901821") {
			t.Error("another number was erased")
		}
	})
}

// TestANationalNumberBelongsToTheCountryOfTheLocations checks that a person can be found by a national phone number
// if all locations are in one country, and that a number that was stored with a trunk zero is found.
func TestANationalNumberBelongsToTheCountryOfTheLocations(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		ctx := t.Context()
		i := n.createItem(lost.ItemPatch{
			Description: lost.Set("Hat"), Owner: lost.Set(lost.OwnerPatch{Phone: lost.Set("+49 030 901820")}),
		})
		set := func(country string) {
			t.Helper()
			if _, err := n.desk.Locations.Update(ctx, n.admin(), n.where.ID,
				lost.LocationPatch{Country: lost.Set(country)}); err != nil {
				t.Fatal(err)
			}
		}
		set("AT")
		if e := n.erase("030 901820"); e != (lost.Erased{}) {
			t.Errorf("an Austrian number: erased %+v", e)
		}
		set("DE")
		if e := n.erase("030 901820"); e.Items != 1 || e.Messages != 1 || n.item(i).Owner.Known() {
			t.Errorf("a German number: erased %+v", e)
		}
	})
}

// TestAnErasureByEmailAlsoErasesThePhoneNumber checks that the phone numbers on a person's records are erased
// everywhere, unless a record with another e-mail address has the same number.
func TestAnErasureByEmailAlsoErasesThePhoneNumber(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		create := func(email, phone, notes string) lost.Item {
			p := lost.OwnerPatch{Phone: lost.Set(phone)}
			if email != "" {
				p.Email = lost.Set(email)
			}
			return n.createItem(lost.ItemPatch{
				Description: lost.Set("Hat"), Notes: lost.Set(notes), Owner: lost.Set(p),
			})
		}
		create(anna, "+4930901820", "")
		create(anna, "+4930555000", "")
		byPhone := create("", "+4930901820", "")
		bobs := create("bob@example.com", "+4930555000", "call 030 / 90 18 20 or 030 555000")
		found, err := n.desk.People.FindPerson(t.Context(), n.admin(), lost.ParsePerson(anna))
		if err != nil || !slices.Equal(found.Phones, []string{"+4930901820"}) ||
			!slices.Equal(found.SharedPhones, []string{"+4930555000"}) {
			t.Errorf("found: %+v %v", found, err)
		}
		if e := n.erase(anna); e.Items != 3 || e.Mentions != 1 || e.SharedPhones != 1 ||
			!strings.Contains(e.String(), "other people's records have too (erase them separately): 1") {
			t.Errorf("erased: %s", e)
		}
		if n.item(byPhone).Owner.Known() {
			t.Error("the record with only the phone number was not erased")
		}
		if got := n.item(bobs); got.Owner.Phone != "+4930555000" || got.Notes != "call [removed] or 030 555000" {
			t.Errorf("another person's record is %+v", got)
		}
		n.expectAbsent("4930901820", "90 18 20", anna)
	})
}

func (n *fixture) createItem(p lost.ItemPatch) lost.Item {
	n.t.Helper()
	i, err := n.desk.Items.Create(n.t.Context(), n.actor, n.where.ID, p, lost.IdempotencyKey{})
	if err != nil {
		n.t.Fatal(err)
	}
	return i
}

// erase erases a person and returns how much data was erased.
func (n *fixture) erase(typed string) lost.Erased {
	n.t.Helper()
	e := n.startErasure(typed)
	if e.DoneAt.IsZero() {
		n.t.Fatalf("not done: %+v", e)
	}
	return e.Erased
}

func (n *fixture) startErasure(typed string) lost.Erasure {
	n.t.Helper()
	e, err := n.desk.People.EraseNow(n.t.Context(), n.admin(), lost.ParsePerson(typed))
	if err != nil || strings.Contains(fmt.Sprint(e), typed) {
		n.t.Fatalf("%+v %v", e, err)
	}
	return e
}

func (n *fixture) admin() lost.Actor {
	a := n.actor
	a.Role = lost.OwnerRole
	return a
}

// TestErasedDataIsNotRestored checks that neither a page that was left open nor a repeated request restores erased
// data.
func TestErasedDataIsNotRestored(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		ctx, once := t.Context(), lost.IdempotencyKey{Key: "again", Request: "r"}
		patch := lost.ItemPatch{
			Description: lost.Set("Laptop"), Brand: lost.Set("Lenovo of Annamaria Kowalska"), Model: lost.Set(anna),
			Color: lost.Set("Kowalska blue"),
			Owner: lost.Set(lost.OwnerPatch{
				FirstName: lost.Set("Annamaria"), LastName: lost.Set("Kowalska"), Email: lost.Set(anna),
			}),
		}
		i, err := n.desk.Items.Create(ctx, n.actor, n.where.ID, patch, once)
		if err != nil {
			t.Fatal(err)
		}
		n.clock.Advance(time.Minute)
		if e := n.erase(anna); e.Items != 1 || e.Answers != 1 {
			t.Errorf("erased: %+v", e)
		}
		if _, err := n.desk.Items.Create(ctx, n.actor, n.where.ID, patch, once); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("repeating the request returned %v, want a conflict", err)
		}
		stale := lost.ItemPatch{Owner: patch.Owner}
		stale.Seen = i.UpdatedAt
		if _, err := n.desk.Items.Update(ctx, n.actor, n.where.ID, i.ID, stale); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("an update with a stale version returned %v, want a conflict", err)
		}
		n.expectAbsent(anna, "Annamaria", "Kowalska")
	})
}
