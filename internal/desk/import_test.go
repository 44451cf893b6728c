package desk_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/desk"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// importFixture is a hotel into which tests import files.
type importFixture struct {
	t     *testing.T
	db    *store.DB
	clock *storetest.Clock
	desk  *services.Services
	by    lost.Actor
	hotel string
}

func newImportFixture(t *testing.T, db *store.DB, clock *storetest.Clock) *importFixture {
	t.Helper()
	d := testkit.NewServices(db, clock)
	by := testkit.CreateFirstAccount(t, d)
	return &importFixture{
		t, db, clock, d, by,
		testkit.Must(d.Locations.Create(t.Context(), by, testkit.LocationNamed("Hotel"), lost.IdempotencyKey{})).ID,
	}
}

// stage uploads a file without confirming the import.
func (o *importFixture) stage(text string) lost.Import {
	o.t.Helper()
	m, err := o.desk.Imports.Stage(o.t.Context(), o.by, o.hotel, "finds.csv", strings.NewReader(text))
	if err != nil {
		o.t.Fatal(err)
	}
	return m
}

// start uploads a file and confirms the import.
func (o *importFixture) start(text string, tell bool) lost.Import {
	o.t.Helper()
	return testkit.Must(o.desk.Imports.Start(o.t.Context(), o.by, o.hotel, o.stage(text).ID, tell))
}

// run imports at most the given number of batches, and returns the import with its progress.
func (o *importFixture) run(m lost.Import, pieces int) lost.Import {
	o.t.Helper()
	for range pieces {
		if !testkit.Must(o.desk.Imports.RunImport(o.t.Context(), m.Account, m.ID)) {
			break
		}
	}
	return o.get(m)
}

func (o *importFixture) get(m lost.Import) lost.Import {
	o.t.Helper()
	return testkit.Must(o.desk.Imports.Get(o.t.Context(), o.by, o.hotel, m.ID))
}

// items returns the number of items at the hotel.
func (o *importFixture) items() int {
	o.t.Helper()
	return testkit.Must(o.desk.Items.List(o.t.Context(), o.by, o.hotel, lost.ItemFilter{Page: lost.FirstPage()})).Count
}

func (o *importFixture) export(location string, f lost.ItemFilter) string {
	o.t.Helper()
	var b bytes.Buffer
	if err := o.desk.Imports.Export(o.t.Context(), o.by, location, f, desk.Layout{}, &b); err != nil {
		o.t.Fatal(err)
	}
	return b.String()
}

const allBatches = 1000

// finds returns a CSV file with n items, each with an owner.
func finds(n int) string {
	var b strings.Builder
	b.WriteString("description,storagePlace,status,owner.email,color,pickupDate\n")
	for i := range n {
		status, date := "PENDING", ""
		if i%10 == 3 {
			status, date = "PICKUP", "2026-12-24"
		}
		fmt.Fprintf(&b, "Umbrella %d,Shelf %d,%s,guest%d@example.com,\"black, mostly\",%s\n", i, i%7, status, i, date)
	}
	return b.String()
}

func TestAnImportCreatesItemsAndNotifiesOwnersOnlyIfWanted(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		testkit.Must(o.desk.Webhooks.CreateEndpoint(t.Context(), o.by, testkit.EndpointAt("https://hotel.example/"),
			lost.IdempotencyKey{}))
		m := o.stage(finds(230) + ",Shelf 9,,x@example.com,,\n")
		if m.Total != 230 || m.Bad != 1 || m.Owners != 230 || len(m.Problems) != 1 || m.Problems[0].Line != 232 ||
			m.Problems[0].Field != "description" {
			t.Errorf("%+v", m)
		}
		p := testkit.Must(o.desk.Imports.Preview(t.Context(), o.by, o.hotel, m.ID))
		if len(p.First) != 20 || p.First[3].Status != lost.PickUp || p.First[3].Color != "black, mostly" ||
			len(p.Same) != 0 {
			t.Errorf("preview: got %d items, the fourth is %+v", len(p.First), p.First[3])
		}
		if o.items() != 0 || testkit.Must(o.desk.Imports.RunImport(t.Context(), m.Account, m.ID)) {
			t.Error("the import ran before it was confirmed")
		}
		testkit.Must(o.desk.Imports.Start(t.Context(), o.by, o.hotel, m.ID, false))
		if m = o.run(m, 1); m.State != lost.ImportRunning || m.Done != 100 || o.items() != 100 {
			t.Errorf("after one batch: got %s, %d done", m.State, m.Done)
		}
		if m = o.run(m, allBatches); m.State != lost.ImportDone || m.Done != 230 || o.items() != 230 {
			t.Errorf("at the end: got %s, %d done, %d items", m.State, m.Done, o.items())
		}
		i := testkit.Must(o.desk.Items.List(t.Context(), o.by, o.hotel,
			lost.ItemFilter{Term: "Umbrella 229", Page: lost.FirstPage()})).Data[0]
		history := testkit.Must(o.desk.Items.History(t.Context(), o.by, o.hotel, i.ID, lost.FirstPage())).Data
		if len(history) != 1 || history[0].Action != lost.Created || history[0].Actor.ID != o.by.ID {
			t.Errorf("history: %+v", history)
		}
		if n := len(testkit.Must(o.desk.Messages.ListOfItem(t.Context(), o.by, o.hotel, i.ID,
			lost.FirstPage())).Data); n != 0 {
			t.Errorf("got %d messages, want 0", n)
		}
		if n := len(testkit.Must(o.desk.Webhooks.Events(t.Context(), o.by,
			lost.EventFilter{Page: lost.FirstPage()})).Data); n != 0 {
			t.Errorf("got %d events, want 0", n)
		}
		if n := testkit.Must(o.desk.Webhooks.Events(t.Context(), o.by, lost.EventFilter{
			Types: []lost.EventType{lost.ItemCreatedEvent}, Page: lost.FirstPage(),
		})).Count; n != 230 {
			t.Errorf("got %d events about new items, want 230", n)
		}
		if again := testkit.Must(o.desk.Imports.Preview(t.Context(), o.by, o.hotel,
			o.stage(finds(230)+",Shelf 9,,x@example.com,,\n").ID)); len(again.Same) != 1 || again.Same[0].ID != m.ID {
			t.Errorf("imports of the same file: got %+v", again.Same)
		}
	})
}

// The rows may contain data that the items do not have, such as whole numbers of identity papers.
func TestRowsOfAnImportAreDeletedWithItsProgress(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		rows := func(m lost.Import, n int) string {
			t.Helper()
			return testkit.Must(db.ImportChunk(t.Context(), m, n)).Content
		}
		wantKept := func(m lost.Import, when string, want ...bool) {
			t.Helper()
			for n, kept := range want {
				if got := strings.Contains(rows(m, n), "C01X00T478"); got != kept {
					t.Errorf("%s: batch %d has rows: %t, want %t", when, n, got, kept)
				}
			}
		}
		file := "description,category,serialNumber\n" + strings.Repeat("Passport,passport,C01X00T478\n", 250)
		m := o.start(file, false)
		wantKept(m, "confirmed", true, true, true)
		m = o.run(m, 1)
		wantKept(m, "after one batch", false, true, true)
		if m = o.run(m, allBatches); m.State != lost.ImportDone || o.items() != 250 {
			t.Errorf("got %s with %d items", m.State, o.items())
		}
		wantKept(m, "done", false, false, false)

		m = o.run(o.start(file, false), 1)
		testkit.Must(o.desk.Imports.Cancel(t.Context(), o.by, o.hotel, m.ID))
		if m = o.run(m, allBatches); m.State != lost.ImportCancelled || o.items() != 250 {
			t.Errorf("got %s with %d items", m.State, o.items())
		}
		wantKept(m, "cancelled while running", false, false, false)

		m = o.stage(file)
		m = testkit.Must(o.desk.Imports.Cancel(t.Context(), o.by, o.hotel, m.ID))
		wantKept(m, "cancelled before it was confirmed", false, false, false)
	})
}

func TestAnImportNotifiesOwnersOnceAtItsEnd(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		messages := func() (n int) {
			for _, i := range testkit.Must(o.desk.Items.List(t.Context(), o.by, o.hotel,
				lost.ItemFilter{Page: lost.Page{Number: 1, Limit: 100}})).Data {
				n += len(testkit.Must(o.desk.Messages.ListOfItem(t.Context(), o.by, o.hotel, i.ID,
					lost.FirstPage())).Data)
			}
			return n
		}
		m := o.start(strings.Replace(finds(101), "Umbrella 7,Shelf 0,PENDING", "Umbrella 7,Shelf 0,DELIVERED", 1), true)
		if m.Owners != 100 {
			t.Errorf("got %d owners to notify, want 100", m.Owners)
		}
		if m = o.run(m, 2); m.State != lost.ImportNotifying || messages() != 0 {
			t.Errorf("got %s, %d messages", m.State, messages())
		}
		if _, err := o.desk.Imports.Cancel(t.Context(), o.by, o.hotel, m.ID); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("cancel after all items were imported: got %v, want a conflict", err)
		}
		// Of the 101 items, one was already delivered, and one is not on the page that messages reads.
		if m = o.run(m, allBatches); m.State != lost.ImportDone || messages() != 99 {
			t.Errorf("got %s, %d messages", m.State, messages())
		}
	})
}

func TestACanceledImportLeavesNothing(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		existing := testkit.Must(o.desk.Items.Create(t.Context(), o.by, o.hotel, testkit.ItemDescribed("Hat"),
			lost.IdempotencyKey{})).ID
		m := o.run(o.start(finds(250), true), 2)
		all := testkit.Must(o.desk.Items.List(t.Context(), o.by, o.hotel,
			lost.ItemFilter{Page: lost.FirstPage()})).Data
		if err := o.desk.Items.Delete(t.Context(), o.by, o.hotel, all[1].ID); err != nil {
			t.Fatal(err)
		}
		testkit.Must(o.desk.Imports.Cancel(t.Context(), o.by, o.hotel, m.ID))
		testkit.Must(o.desk.Imports.Cancel(t.Context(), o.by, o.hotel, m.ID)) // the second call must change nothing
		if m = o.run(m, allBatches); m.State != lost.ImportCancelled || m.Done != 0 || m.EndedAt.IsZero() ||
			m.Removed != 199 || m.Remaining != 0 {
			t.Errorf("%+v", m)
		}
		if left := testkit.Must(o.desk.Items.List(t.Context(), o.by, o.hotel,
			lost.ItemFilter{Page: lost.FirstPage()})); left.Count != 1 || left.Data[0].ID != existing {
			t.Errorf("got %d items, want 1", left.Count)
		}
		if _, err := o.desk.Imports.Start(t.Context(), o.by, o.hotel, m.ID, false); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("start of a cancelled import: got %v, want a conflict", err)
		}
	})
}

func TestACanceledImportKeepsItemsThatWereChanged(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		ctx, days := t.Context(), lost.LocationPatch{StorageDuration: lost.Set(3)}
		testkit.Must(o.desk.Locations.Update(ctx, o.by, o.hotel, days))
		m := o.run(o.start(datedFinds(250), false), 2)
		all := testkit.Must(o.desk.Items.List(ctx, o.by, o.hotel,
			lost.ItemFilter{Statuses: []lost.Status{lost.Pending}, Page: lost.Page{Number: 1, Limit: 100}})).Data
		testkit.Must(o.desk.Items.SetStatus(ctx, o.by, o.hotel, all[0].ID, lost.MovePatch{Status: lost.Set("DONATE")}))
		testkit.Must(o.desk.Storage.StoreAt(ctx, o.by, o.hotel, "Safe", all[1].Reference))
		testkit.Must(o.desk.Items.SetStatus(ctx, o.by, o.hotel, all[2].ID,
			lost.MovePatch{Status: lost.Set("PENDING"), Note: lost.Set("A guest rang about it.")}))
		testkit.Must(o.desk.Messages.Notify(ctx, o.by, o.hotel, all[3].ID, lost.IdempotencyKey{}))
		claim := testkit.Must(o.desk.Requests.File(ctx, o.by, o.hotel, testkit.RequestFor("Umbrella"),
			lost.IdempotencyKey{}))
		testkit.Must(o.desk.Requests.Decide(ctx, o.by, o.hotel, claim.ID,
			lost.DecisionPatch{Type: lost.Set("accept"), ItemID: lost.Set(all[4].ID)}))
		// This item was imported in an earlier batch.
		if _, _, err := o.desk.Storage.DecideOverdue(ctx, o.by, o.hotel, []string{all[90].ID}, lost.Donated,
			time.Time{}); err != nil {
			t.Fatal(err)
		}
		testkit.Must(o.desk.Imports.Cancel(ctx, o.by, o.hotel, m.ID))
		if m = o.run(m, allBatches); m.State != lost.ImportCancelled || m.Removed != 194 || m.Remaining != 6 ||
			m.Done != 0 {
			t.Errorf("got %s, %d removed, %d remaining", m.State, m.Removed, m.Remaining)
		}
		want := []string{all[0].ID, all[1].ID, all[2].ID, all[3].ID, all[4].ID, all[90].ID}
		slices.Sort(want)
		var left []string
		for _, i := range testkit.Must(o.desk.Imports.Preview(ctx, o.by, o.hotel, m.ID)).Left {
			left = append(left, i.ID)
		}
		if d := cmp.Diff(want, left); d != "" {
			t.Error(d)
		}
		if o.items() != 7 { // including the request
			t.Errorf("got %d items, want 7", o.items())
		}
	})
}

// datedFinds returns a CSV file with n items that were found long ago. Some have no owner.
func datedFinds(n int) string {
	var b strings.Builder
	b.WriteString("description,discoveryDate,owner.email\n")
	for i := range n {
		owner := fmt.Sprintf("guest%d@example.com", i)
		if i%5 == 0 {
			owner = ""
		}
		fmt.Fprintf(&b, "Umbrella %d,2020-01-02,%s\n", i, owner)
	}
	return b.String()
}

// failingContext is a context that is cancelled when Done is called for the n-th time, to simulate a crash.
type failingContext struct {
	context.Context
	end context.CancelFunc
	n   atomic.Int64
}

func (d *failingContext) Done() <-chan struct{} {
	if d.n.Add(-1) == 0 {
		d.end()
	}
	return d.Context.Done()
}

func TestAnImportContinuesAfterAWorkerCrash(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		m := o.start(finds(220), false)
		crashes, n := 0, int64(0)
		for o.get(m).State == lost.ImportRunning {
			ctx, end := context.WithCancel(t.Context())
			d := &failingContext{Context: ctx, end: end}
			n++
			d.n.Store(n)
			if _, err := o.desk.Imports.RunImport(d, m.Account, m.ID); err != nil {
				crashes++
			} else {
				n = 0
			}
			end()
			if done := o.get(m).Done; done != o.items() {
				t.Fatalf("crash at call %d of Done: %d items are recorded as done, but %d exist", n, done, o.items())
			}
		}
		if m = o.run(m, allBatches); m.State != lost.ImportDone || o.items() != 220 {
			t.Errorf("%s, %d items", m.State, o.items())
		}
		if t.Logf("crashed %d times", crashes); crashes < 3 {
			t.Errorf("crashed only %d times, want at least 3", crashes)
		}
	})
}

func TestTwoWorkersImportEachRowOnce(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		m := o.start(finds(400), false)
		var workers sync.WaitGroup
		for range 2 {
			workers.Go(func() {
				for more := true; more; {
					more = testkit.Must(o.desk.Imports.RunImport(t.Context(), m.Account, m.ID))
				}
			})
		}
		workers.Wait()
		if m = o.get(m); m.State != lost.ImportDone || o.items() != 400 ||
			strings.Count(o.export(o.hotel, lost.ItemFilter{}), "\n") != 401 {
			t.Errorf("%s, %d items", m.State, o.items())
		}
	})
}

func TestDeletingALocationEndsItsImports(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		m := o.run(o.start(finds(250), false), 1)
		if err := o.desk.Locations.Delete(t.Context(), o.by, o.hotel); err != nil {
			t.Fatal(err)
		}
		if m = o.run(m, allBatches); m.State != lost.ImportFailed || m.Why != "The location was deleted." {
			t.Errorf("%s: %s", m.State, m.Why)
		}
	})
}

func TestTheNumberOfStagedImportsIsLimited(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		done := o.run(o.start(finds(1)+",Shelf 9,,x@example.com,,\n", false), allBatches)
		if len(done.Problems) != 1 {
			t.Errorf("%+v", done.Problems)
		}
		var last lost.Import
		for n := range 9 {
			clock.Advance(time.Second)
			last = o.stage(finds(n + 2))
		}
		imports := testkit.Must(o.desk.Imports.List(t.Context(), o.by, o.hotel))
		if len(imports) != 6 || imports[0].ID != last.ID || imports[5].ID != done.ID {
			t.Errorf("got %d imports, want 6", len(imports))
		}
		clock.Advance(4 * 24 * time.Hour)
		write := func(fn func(tx *store.Tx) (int64, error)) {
			if err := db.Write(t.Context(), func(tx *store.Tx) error { _, err := fn(tx); return err }); err != nil {
				t.Fatal(err)
			}
		}
		ago := func(days int) time.Time { return clock.Now().AddDate(0, 0, -days) }
		write(func(tx *store.Tx) (int64, error) { return tx.PruneImportChunks(ago(3), 100) })
		write(func(tx *store.Tx) (int64, error) { return tx.PruneImports(ago(90), ago(3), 100) })
		if imports = testkit.Must(o.desk.Imports.List(t.Context(), o.by, o.hotel)); len(imports) != 1 ||
			imports[0].ID != done.ID || len(imports[0].Problems) != 0 || imports[0].Bad != 1 {
			t.Errorf("after four days: got %d imports, %+v", len(imports), imports)
		}
		if _, err := db.ImportChunk(t.Context(), done, 0); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("rows of the import: got %v, want not found", err)
		}
	})
}

func TestImportErrorsArePrunedInBatches(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		for range 3 {
			clock.Advance(time.Second)
			o.run(o.start(finds(1)+",Shelf 9,,x@example.com,,\n", false), allBatches)
		}
		clock.Advance(4 * 24 * time.Hour)
		for left := 2; left >= -1; left-- { // the last call finds nothing to prune
			var done int64
			if err := db.Write(t.Context(), func(tx *store.Tx) (err error) {
				done, err = tx.PruneImportChunks(tx.Now().AddDate(0, 0, -3), 1)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			imports := testkit.Must(o.desk.Imports.List(t.Context(), o.by, o.hotel))
			withProblems := slices.DeleteFunc(imports, func(m lost.Import) bool { return len(m.Problems) == 0 })
			if len(withProblems) != max(left, 0) || (done == 1) != (left >= 0) {
				t.Errorf("%d imports have problems, want %d; %d were pruned", len(withProblems), left, done)
			}
		}
	})
}

// comparableRows returns the rows of a CSV file, with the columns emptied that are unique to each item.
func comparableRows(file string) [][]string {
	lines := testkit.Must(csv.NewReader(strings.NewReader(file)).ReadAll())
	for n, name := range lines[0] {
		if name != "id" && name != "createdAt" && name != "updatedAt" {
			continue
		}
		for _, cells := range lines {
			cells[n] = ""
		}
	}
	return lines
}

// changeItems creates items and makes every kind of change to them, except status changes.
func changeItems(o *importFixture) {
	ctx := o.t.Context()
	testkit.Must(o.desk.Locations.Update(ctx, o.by, o.hotel, lost.LocationPatch{StorageDuration: lost.Set(0)}))
	add := func(text string) string {
		p := testkit.ItemDescribed(text)
		p.DiscoveryDate = lost.Set("2020-01-02")
		return testkit.Must(o.desk.Items.Create(ctx, o.by, o.hotel, p, lost.IdempotencyKey{})).ID
	}
	cleared := []string{add("Comb"), add("Knife")}
	for n, to := range []lost.Destination{lost.Donated, lost.Police} {
		c, _, err := o.desk.Storage.DecideOverdue(ctx, o.by, o.hotel, cleared[n:n+1], to, time.Time{})
		if err != nil {
			o.t.Fatal(err)
		}
		o.clock.Advance(lost.UndoTime)
		testkit.Must(o.desk.Storage.CarryOutDecision(ctx, c[0].Account, c[0].ID))
	}
	testkit.Must(o.desk.Storage.Hold(ctx, o.by, o.hotel, []string{add("Passport")}, "The police asked for it"))
	if _, _, err := o.desk.Storage.KeepLonger(ctx, o.by, o.hotel, []string{add("Ring")},
		lost.KeepPatch{Days: 30}); err != nil {
		o.t.Fatal(err)
	}
	testkit.Must(o.desk.Handovers.HandOver(ctx, o.by, o.hotel, add("Phone"),
		lost.HandoverPatch{Recipient: "Ada Kuhn", IDChecked: true}, lost.IdempotencyKey{}))
}

func TestAnExportCanBeImportedAndExportedAgain(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		o.run(o.start(finds(120)+"'=Hat,'+1,DONATE,,\"a \"\"b\"\"\",\n", false), allBatches)
		changeItems(o)
		first := o.export(o.hotel, lost.ItemFilter{})
		for _, text := range []string{
			"donated", "police", "The police asked for it", ",2026-12-15,",
			clock.Now().Format("2006-01-02T15:04:05.000Z,yes"),
		} {
			if !strings.Contains(first, text) {
				t.Errorf("%q is not in the file", text)
			}
		}
		if strings.Contains(first, "Kuhn") {
			t.Error("the file names a person who collected an item")
		}

		other := &importFixture{
			t, db, clock, o.desk, identity.Operator(testkit.Must(o.desk.Accounts.Create(t.Context(), "Theirs")).ID), "",
		}
		other.hotel = testkit.Must(o.desk.Locations.Create(t.Context(), other.by, testkit.LocationNamed("Inn"),
			lost.IdempotencyKey{})).ID
		testkit.Must(o.desk.Locations.Update(t.Context(), other.by, other.hotel,
			lost.LocationPatch{StorageDuration: lost.Set(0)}))
		other.run(other.start(first, false), allBatches)
		if d := cmp.Diff(comparableRows(first),
			comparableRows(other.export(other.hotel, lost.ItemFilter{}))); d != "" {
			t.Errorf("import into another account: %.2000s", d)
		}

		clock.Advance(time.Hour)
		o.run(o.start(first, false), allBatches) // every reference already exists at this location
		again := testkit.Must(o.desk.Items.List(t.Context(), o.by, o.hotel,
			lost.ItemFilter{Term: "Umbrella 119", Page: lost.FirstPage()})).Data
		if len(again) != 2 || again[0].Notes != "Former reference: "+again[1].Reference {
			t.Errorf("got %d items, notes %q", len(again), again[0].Notes)
		}
	})
}

func TestAnExportHasTheItemsOfTheList(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		o.run(o.start(strings.Replace(finds(620), "Umbrella 77,", "Umbrella zq,", 1), false), allBatches)
		for name, test := range map[string]struct {
			filter lost.ItemFilter
			want   int
		}{
			"all":        {lost.ItemFilter{}, 620},
			"status":     {lost.ItemFilter{Statuses: []lost.Status{lost.PickUp}}, 62},
			"term":       {lost.ItemFilter{Term: "umbrella black"}, 620},
			"short term": {lost.ItemFilter{Term: "zq"}, 1},
			"both":       {lost.ItemFilter{Term: "mostly", Statuses: []lost.Status{lost.PickUp}}, 62},
			"requests":   {lost.ItemFilter{Source: lost.Request}, 0},
			"dates":      {lost.ItemFilter{From: "2026-01-01"}, 0},
			"invisible":  {lost.ItemFilter{Term: "\u200b"}, 0},
			"search":     {lost.ItemFilter{Query: "zq"}, 1},
			"no match":   {lost.ItemFilter{Query: "xylophone"}, 0},
		} {
			if got := strings.Count(o.export(o.hotel, test.filter), "\n") - 1; got != test.want {
				t.Errorf("%s: got %d items, want %d", name, got, test.want)
			}
		}
		readSlowly(t, o)
	})
}

// readSlowly pauses in the middle of reading an export, and checks that items can be changed meanwhile.
func readSlowly(t *testing.T, o *importFixture) {
	t.Helper()
	from, to := io.Pipe()
	go func() {
		to.CloseWithError(o.desk.Imports.Export(t.Context(), o.by, o.hotel, lost.ItemFilter{}, desk.Layout{}, to))
	}()
	start := make([]byte, 4)
	if _, err := io.ReadFull(from, start); err != nil {
		t.Fatal(err)
	}
	last := testkit.Must(o.desk.Items.List(t.Context(), o.by, o.hotel,
		lost.ItemFilter{Term: "Umbrella 619", Page: lost.FirstPage()})).Data[0]
	if err := o.desk.Items.Delete(t.Context(), o.by, o.hotel, last.ID); err != nil {
		t.Fatal(err)
	}
	testkit.Must(o.desk.Items.Create(t.Context(), o.by, o.hotel, testkit.ItemDescribed("Later"), lost.IdempotencyKey{}))
	rest, err := io.ReadAll(from)
	if err != nil || bytes.Count(rest, []byte("\n")) != 620 || bytes.Contains(rest, []byte("Umbrella 619")) ||
		bytes.Contains(rest, []byte("Later")) {
		t.Errorf("got %v, %d lines", err, bytes.Count(rest, []byte("\n")))
	}
}

func TestABulkChangeReportsEachItem(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		add := func(text, email string) lost.Item {
			p := testkit.ItemDescribed(text)
			if email != "" {
				p.Owner = lost.Set(lost.OwnerPatch{Email: lost.Set(email)})
			}
			return testkit.Must(o.desk.Items.Create(t.Context(), o.by, o.hotel, p, lost.IdempotencyKey{}))
		}
		hat, scarf, sent := add("Hat", "anna@example.com"), add("Scarf", ""), add("Bag", "ben@example.com")
		testkit.Must(o.desk.Items.SetStatus(t.Context(), o.by, o.hotel, sent.ID,
			lost.MovePatch{Status: lost.Set("SHIPPED")}))
		claim := testkit.Must(o.desk.Requests.File(t.Context(), o.by, o.hotel, testkit.RequestFor("Keys"),
			lost.IdempotencyKey{}))
		ids := []string{scarf.ID, hat.ID, hat.ID, sent.ID, claim.ID, "item_gone"}

		plan := testkit.Must(o.desk.Items.PlanStatus(t.Context(), o.by, o.hotel, ids, lost.Shipped))
		if plan.Moves != 2 || plan.Stay != 1 || plan.Refuse != 2 || plan.Owners != 1 || plan.Event != "" {
			t.Errorf("%+v", plan)
		}
		if plan := testkit.Must(o.desk.Items.PlanStatus(t.Context(), o.by, o.hotel, ids,
			lost.FeePaid)); plan.Moves != 0 ||
			plan.Skipped != 3 || plan.Refuse != 2 {
			t.Errorf("%+v", plan)
		}
		if done := testkit.Must(o.desk.Items.BulkStatus(t.Context(), o.by, o.hotel, ids, lost.FeePaid,
			nil)); done.Count(desk.ItemRefused) != 5 {
			t.Errorf("items without an address were marked as paid: %+v", done)
		}
		if plan := testkit.Must(o.desk.Items.PlanStatus(t.Context(), o.by, o.hotel, ids,
			lost.Donate)); plan.Moves != 3 ||
			plan.Owners != 0 || plan.Event != lost.DonateEvent {
			t.Errorf("%+v", plan)
		}
		clock.Advance(time.Second)
		done := testkit.Must(o.desk.Items.BulkStatus(t.Context(), o.by, o.hotel, ids, lost.Shipped, nil))
		var got []string
		for _, one := range done {
			got = append(got, one.Item.Description+" "+string(one.Result)+" "+one.Why)
		}
		want := []string{
			"Scarf done ", "Hat done ", "Bag unchanged ",
			"Keys refused This is a request and has no status to change. Accept or reject it.",
			" refused There is no such item.",
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		if done.Count(desk.ItemDone) != 2 || done.Count(desk.ItemRefused) != 2 {
			t.Errorf("%+v", done)
		}
		clock.Advance(time.Second)
		if done := testkit.Must(o.desk.Items.BulkPlace(t.Context(), o.by, o.hotel, ids[:3],
			"Shelf 4")); done.Count(desk.ItemDone) != 2 || done[0].Item.StoragePlace != "Shelf 4" {
			t.Errorf("%+v", done)
		}
		var b bytes.Buffer
		if err := o.desk.Imports.ExportItems(t.Context(), o.by, o.hotel, ids, desk.Layout{Mark: true},
			&b); err != nil ||
			strings.Count(b.String(), "\n") != 5 ||
			strings.Index(b.String(), "Scarf") > strings.Index(b.String(), "Hat") {
			t.Errorf("%v: %s", err, &b)
		}
	})
}

func TestAtMostTwoImportFilesAreReadConcurrently(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		stage := func(ctx context.Context, file io.Reader) error {
			_, err := o.desk.Imports.Stage(ctx, o.by, o.hotel, "finds.csv", file)
			return err
		}
		var files []*io.PipeWriter
		ended := make(chan error)
		for range 2 {
			from, to := io.Pipe()
			files = append(files, to)
			go func() { ended <- stage(t.Context(), from) }()
			testkit.Must(to.Write([]byte("description\n"))) // returns once the import reads the file
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if err := stage(ctx, strings.NewReader("description\nHat\n")); testkit.Code(err) != lost.Unavailable {
			t.Errorf("third file: got %v, want unavailable", err)
		}
		for _, to := range files {
			testkit.Must(to.Write([]byte("Hat\n")))
			testkit.Must(0, to.Close())
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		testkit.Must(0, stage(t.Context(), strings.NewReader("description\nHat\n")))
	})
}

func TestABulkChangeNeedsOneItemAndHasALimit(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		many := slices.Collect(func(yield func(string) bool) {
			for n := range lost.MaxSelected + 1 {
				if !yield(fmt.Sprintf("item_%d", n)) {
					return
				}
			}
		})
		for _, ids := range [][]string{nil, {""}, many} {
			if _, err := o.desk.Items.BulkStatus(t.Context(), o.by, o.hotel, ids, lost.Donate,
				nil); lost.CodeOf(err) != lost.Invalid {
				t.Errorf("%d ids: got %v, want invalid", len(ids), err)
			}
		}
		if _, err := o.desk.Items.BulkStatus(t.Context(), o.by, o.hotel, many[:1], "LOST",
			nil); len(lost.ProblemsOf(err)) != 1 {
			t.Errorf("unknown status: got %v, want one problem", err)
		}
		if _, err := o.desk.Items.BulkPlace(t.Context(), o.by, o.hotel, many[:1],
			strings.Repeat("x", 501)); len(lost.ProblemsOf(err)) != 1 {
			t.Errorf("long place: got %v, want one problem", err)
		}
	})
}
