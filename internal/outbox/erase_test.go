package outbox_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
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
		if got.ImportRows != 1 || got.Views != 1 || got.Mentions == 0 {
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
