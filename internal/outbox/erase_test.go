package outbox_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// A parcel that is paid keeps its address until it has arrived; then it goes with all papers, and number and amount of the invoice stay.
func TestAPersonWithAParcelIsErasedOnceItHasArrived(t *testing.T) {
	eachQuay(t, func(q *quay) {
		i, token := q.bill("CH", "8001")
		q.pay(token)
		q.settle()
		waits := q.eraseSome(anna)
		early := waits.Erased
		if !waits.DoneAt.IsZero() || early.UnderWay != 1 || early.Items != 0 || q.item(i).Shipping.Recipient.Name == "" || len(q.papers.kept) == 0 {
			t.Fatalf("while it is under way: %+v", early)
		}
		q.move(i, lost.MovePatch{Status: lost.Set("DELIVERED"), TrackingNumber: lost.Set("TRACK123"), Note: lost.Set("Anna called")})
		q.clock.Advance(24 * time.Hour) // it goes on by itself
		q.settle()
		waits, err := q.desk.Erasure(t.Context(), q.admin(), waits.ID)
		if err != nil || waits.DoneAt.IsZero() {
			t.Fatalf("once it has arrived: %+v %v", waits, err)
		}
		done := waits.Erased
		if done.Items != 1 || done.Shipments != 1 || done.Files == 0 || done.UnderWay != 0 || done.Messages == 0 {
			t.Errorf("erased: %+v", done)
		}
		q.settle()
		q.clean(anna, "Anna", "High Street", "8001", "TRACK123")
		if len(q.papers.kept) > 0 {
			t.Errorf("papers are left: %v", q.papers.kept)
		}
		if !strings.Contains(q.dump(), "invoices: ") {
			t.Error("the number of the invoice is gone")
		}
		if again := q.erase(anna); again != (lost.Erased{}) {
			t.Errorf("the second time: %+v", again)
		}
	})
}

// Files that were imported and views that were saved name the person too.
func TestAPersonIsErasedFromImportsAndViews(t *testing.T) {
	eachInn(t, func(n *inn) {
		ctx := t.Context()
		owner := n.actor
		owner.Role, owner.Kind = lost.OwnerRole, lost.ByUser
		file := "description,owner.firstName,owner.lastName,owner.email,owner.phone,notes\n" +
			"Hat,Annamaria,Kowalska,anna.k@example.com,+48 22 123 45 67,Kowalska rang\nRing,Bob,Builder,bob@example.com,,\nBad,Annamaria,Kowalska,anna.k@example.com and more,,\n"
		m, err := n.desk.StageImport(ctx, owner, n.where.ID, "finds.csv", strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{"term=anna.k%40example.com", "term=bob%40example.com"} {
			if _, err := n.desk.CreateView(ctx, owner, lost.ViewPatch{Name: lost.Set("Mine"), Query: lost.Set(query)}); err != nil {
				t.Fatal(err)
			}
		}
		got := n.erase("anna.k@example.com")
		if got.ImportRows != 1 || got.Views != 1 {
			t.Errorf("erased: %+v", got)
		}
		n.clean("anna.k", "+48 22 123 45 67")
		if dump := n.dump(); !strings.Contains(dump, "bob@example.com") || !strings.Contains(dump, "term=bob%40example.com") || !strings.Contains(dump, "Ring") {
			t.Error("somebody else was erased")
		}
		if started, err := n.desk.StartImport(ctx, owner, n.where.ID, m.ID, false); err != nil || started.Total != 2 {
			t.Errorf("what is left cannot be imported: %+v %v", started, err)
		}
		// By a number, however it was written.
		if _, err := n.desk.StageImport(ctx, owner, n.where.ID, "more.csv", strings.NewReader("description,owner.lastName,owner.phone\nBelt,Nowak,+48 (22) 765-43-21\n")); err != nil {
			t.Fatal(err)
		}
		if got := n.erase("+48227654321"); got.ImportRows != 1 {
			t.Errorf("by a number: %+v", got)
		}
		n.clean("Nowak", "765-43-21")
	})
}

// Who asks by the number on a parcel that is paid is erased when it has arrived, and the label is bought with the number.
func TestAPersonIsErasedByTheNumberOnAParcel(t *testing.T) {
	eachQuay(t, func(q *quay) {
		i, token := q.bill("CH", "8001")
		q.pay(token)
		if e := q.eraseSome(annasPhone); e.Erased.UnderWay != 1 || !e.DoneAt.IsZero() {
			t.Fatalf("while it is under way: %+v", e)
		}
		sent, err := q.db.ShipmentsOf(t.Context(), i.Account, i.ID)
		if err != nil || len(sent) != 1 || sent[0].To.Phone != annasPhone {
			t.Errorf("it goes to %+v %v", sent, err)
		}
		count, err := q.desk.CountPerson(t.Context(), q.admin(), lost.PersonTyped(annasPhone))
		if err != nil || count.Count != 1 {
			t.Errorf("counted are %+v %v", count, err)
		}
		q.settle()
		q.move(i, lost.MovePatch{Status: lost.Set("DELIVERED"), TrackingNumber: lost.Set("TRACK123")})
		q.clock.Advance(24 * time.Hour)
		q.settle()
		q.clean(anna, annasPhone, "High Street")
	})
}

// Whoever is only mentioned, or called alike, takes nobody else along.
func TestErasingAPersonLeavesOthersWhatIsTheirs(t *testing.T) {
	eachInn(t, func(n *inn) {
		ctx := t.Context()
		bobs := n.record(lost.ItemPatch{
			Description: lost.Set("Hat"), Notes: lost.Set("Ask li@hotel.example, not ali@hotel.example"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("bob@example.com")}),
		})
		alis := n.find("ali@hotel.example")
		lis := n.find("Li@hotel.example")
		for _, i := range []lost.Item{bobs, alis, lis} {
			n.move(i, lost.MovePatch{Status: lost.Set("PICKUP"), Note: lost.Set("ali@hotel.example rang")})
		}
		if e := n.erase("li@hotel.example"); e.Items != 1 || e.Events != 2 {
			t.Errorf("erased: %+v", e)
		}
		if got := n.item(bobs); got.Notes != "Ask [removed], not ali@hotel.example" || got.Owner.Email != "bob@example.com" {
			t.Errorf("somebody else's item is %+v", got)
		}
		if got := n.item(alis); got.Owner.Email != "ali@hotel.example" {
			t.Errorf("of somebody called alike it is %+v", got)
		}
		events, err := n.db.Events(ctx, n.actor.Account, lost.EventFilter{Page: lost.FirstPage()})
		if err != nil || len(events.Data) != 3 {
			t.Fatal(len(events.Data), err)
		}
		for _, e := range events.Data {
			body := string(e.Body)
			switch e.ItemID {
			case bobs.ID:
				if !strings.Contains(body, "bob@example.com") || !strings.Contains(body, "Ask [removed], not ali@hotel.example") {
					t.Errorf("somebody else's event is %s", body)
				}
			case alis.ID:
				if !strings.Contains(body, "ali@hotel.example") {
					t.Errorf("of somebody called alike it is %s", body)
				}
			default:
				if strings.Contains(body, "@hotel.example") {
					t.Errorf("their own event is %s", body)
				}
			}
		}
	})
}

// An address is found in every case, also of letters that a database does not fold, and however it is written down.
func TestAnAddressIsFoundHoweverItIsWritten(t *testing.T) {
	eachInn(t, func(n *inn) {
		owner := n.admin()
		owner.Kind = lost.ByUser
		asas := n.find("ÅSA.Ö@example.se")
		n.move(asas, lost.MovePatch{Status: lost.Set("PICKUP")})
		if e := n.erase("åsa.ö@example.se"); e.Items != 1 || e.Events != 1 || e.Messages == 0 || e.Links == 0 {
			t.Errorf("erased: %+v", e)
		}
		n.clean("ÅSA", "åsa")
		mine, err := n.desk.FileRequest(t.Context(), n.actor, n.where.ID, lost.RequestPatch{
			Description: lost.Set("Hat"), Proof: lost.Set("Ask\nR&D@example.com"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("bob@example.com")}),
		}, lost.IdempotencyKey{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := n.desk.CreateView(t.Context(), owner, lost.ViewPatch{Name: lost.Set("Mine"), Query: lost.Set("term=R%26d%40EXAMPLE.com&page=2")}); err != nil {
			t.Fatal(err)
		}
		if e := n.erase("r&d@example.com"); e.Views != 1 || e.Mentions != 1 {
			t.Errorf("erased: %+v", e)
		}
		if got := n.item(mine).Claim.Proof; got != "Ask\n[removed]" {
			t.Errorf("the words are %q", got)
		}
		views, err := n.db.Views(t.Context(), owner.Account, owner.ID, 10)
		if err != nil || len(views) != 1 || views[0].Query != "page=2&term=%5Bremoved%5D" {
			t.Errorf("the view is %+v %v", views, err)
		}
	})
}

// What is ended because nobody is there any more is told in the history.
func TestWhatAnErasureEndsIsInTheHistory(t *testing.T) {
	eachQuay(t, func(q *quay) {
		parcel, _ := q.bill("CH", "8001")
		request := q.ask(anna)
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

// An answer that is kept for a repeated request goes with the person whom it tells of.
func TestAKeptAnswerGoesWithThePersonItTellsOf(t *testing.T) {
	eachInn(t, func(n *inn) {
		ctx, once := t.Context(), lost.IdempotencyKey{Key: "again", Request: "r"}
		i := n.find(anna)
		told, err := n.desk.Notify(ctx, n.actor, n.where.ID, i.ID, once)
		if err != nil || told.To != anna {
			t.Fatal(told, err)
		}
		// It is somebody else's by now, and was written to her all the same.
		if _, err := n.desk.UpdateItem(ctx, n.actor, n.where.ID, i.ID, lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("bob@example.com")})}); err != nil {
			t.Fatal(err)
		}
		if e := n.erase(anna); e.Answers != 1 {
			t.Errorf("erased: %+v", e)
		}
		if again, err := n.desk.Notify(ctx, n.actor, n.where.ID, i.ID, once); err == nil && again.To == anna {
			t.Error("the answer is still there")
		}
	})
}

// While somebody reads a SQLite file as it was, an erasure holds up nobody who writes, is not done, and goes on by itself.
func TestAnErasureWaitsForWhoeverReads(t *testing.T) {
	eachQuay(t, func(q *quay) {
		i := q.find(anna)
		var waits lost.Erasure
		err := q.db.Snapshot(t.Context(), func(*store.Snapshot) error {
			began := time.Now()
			waits = q.eraseSome(anna)
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("it took %v", took)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if file := strings.HasSuffix(q.t.Name(), "sqlite"); q.item(i).Owner.Known() || waits.DoneAt.IsZero() != file {
			t.Errorf("while somebody reads: %+v", waits)
		}
		q.clock.Advance(2 * time.Minute)
		q.settle()
		if done, err := q.desk.Erasure(t.Context(), q.admin(), waits.ID); err != nil || done.DoneAt.IsZero() {
			t.Errorf("%+v %v", done, err)
		}
		q.clean(anna)
	})
}

// A transaction that another overtook is run again from where it began. On SQLite nobody overtakes.
func TestAnErasureThatIsOvertakenLeavesNothingOut(t *testing.T) {
	eachInn(t, func(n *inn) {
		if strings.HasSuffix(n.t.Name(), "sqlite") {
			return
		}
		ctx := t.Context()
		first, second := n.find(anna), n.find(anna)
		if first.ID > second.ID { // as the clock stands
			first, second = second, first
		}
		for _, i := range []lost.Item{first, second} {
			n.move(i, lost.MovePatch{Status: lost.Set("DONATE")})
		}
		erased := make(chan error, 1)
		begin := sync.OnceFunc(func() {
			go func() {
				_, err := n.desk.ErasePersonHere(ctx, n.admin(), lost.PersonTyped(anna))
				erased <- err
			}()
		})
		err := n.db.Write(ctx, func(tx *store.Tx) error {
			if _, err := tx.LockItem(second.Account, second.LocationID, second.ID); err != nil {
				return err
			}
			begin()
			for free := 1; free > 0; { // until the erasure has the first, and waits for the second
				err := n.db.Write(ctx, func(tx *store.Tx) error {
					items, err := tx.ItemsToForget(first.Account, tx.Now().Add(time.Hour), 10)
					free = len(items)
					return err
				})
				if err != nil {
					return err
				}
			}
			_, err := tx.LockItem(first.Account, first.LocationID, first.ID) // each waits for the other
			return err
		})
		if err = errors.Join(err, <-erased); err != nil {
			t.Fatal(err)
		}
		n.clean(anna)
	})
}

func (n *inn) record(p lost.ItemPatch) lost.Item {
	n.t.Helper()
	i, err := n.desk.CreateItem(n.t.Context(), n.actor, n.where.ID, p, lost.IdempotencyKey{})
	if err != nil {
		n.t.Fatal(err)
	}
	return i
}

// erase removes a person as a command would, and gives what that was.
func (n *inn) erase(typed string) lost.Erased {
	n.t.Helper()
	e := n.eraseSome(typed)
	if e.DoneAt.IsZero() {
		n.t.Fatalf("not done: %+v", e)
	}
	return e.Erased
}

func (n *inn) eraseSome(typed string) lost.Erasure {
	n.t.Helper()
	e, err := n.desk.ErasePersonHere(n.t.Context(), n.admin(), lost.PersonTyped(typed))
	if err != nil || strings.Contains(fmt.Sprint(e), typed) {
		n.t.Fatalf("%+v %v", e, err)
	}
	return e
}

func (n *inn) admin() lost.Actor {
	a := n.actor
	a.Role = lost.OwnerRole
	return a
}

// What was removed of a guest does not come back with a page that was left open, nor with a request that is sent once more.
func TestAnErasedPersonDoesNotComeBack(t *testing.T) {
	eachInn(t, func(n *inn) {
		ctx, once := t.Context(), lost.IdempotencyKey{Key: "again", Request: "r"}
		patch := lost.ItemPatch{
			Description: lost.Set("Laptop"), Brand: lost.Set("Lenovo of Annamaria Kowalska"), Model: lost.Set(anna), Color: lost.Set("Kowalska blue"),
			Owner: lost.Set(lost.OwnerPatch{FirstName: lost.Set("Annamaria"), LastName: lost.Set("Kowalska"), Email: lost.Set(anna)}),
		}
		i, err := n.desk.CreateItem(ctx, n.actor, n.where.ID, patch, once)
		if err != nil {
			t.Fatal(err)
		}
		n.clock.Advance(time.Minute)
		if e := n.erase(anna); e.Items != 1 || e.Answers != 1 {
			t.Errorf("erased: %+v", e)
		}
		if _, err := n.desk.CreateItem(ctx, n.actor, n.where.ID, patch, once); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("the same request again: %v", err)
		}
		kept := lost.ItemPatch{Owner: patch.Owner}
		kept.Seen = i.UpdatedAt
		if _, err := n.desk.UpdateItem(ctx, n.actor, n.where.ID, i.ID, kept); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("a page that was left open: %v", err)
		}
		n.clean(anna, "Annamaria", "Kowalska")
	})
}
