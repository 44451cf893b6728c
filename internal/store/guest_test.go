package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// addNotified adds an item, and a message to its owner that contains a link.
func addNotified(t *testing.T, db *store.DB, l lost.Location) (lost.Item, lost.Link, lost.Message) {
	t.Helper()
	i := addItem(t, db, l,
		lost.ItemPatch{
			Description: lost.Set("Hat"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")}),
		})
	var link lost.Link
	var m lost.Message
	write(t, db, func(tx *store.Tx) error {
		link = lost.NewLink(i, tx.Now())
		m = lost.NewMessage(lost.NoticeMessage, i, "notice", tx.Now())
		m.LinkID = link.ID
		if err := tx.InsertLink(link); err != nil {
			return err
		}
		return tx.AddMessage(m)
	})
	return i, link, m
}

// guestTables maps each table with guest data to its text columns.
var guestTables = map[string]string{
	"links": "account_id id item_id address", "messages": "account_id id item_id link_id kind once address error",
	"tasks": "item_id kind", "directory": "kind hash account_id subject", "jobs": "kind payload error",
}

func TestRequestsLinksAndMessagesAreStoredCompletely(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		i, link, m := addNotified(t, db, l)
		if got, err := db.Link(t.Context(), account, link.ID); err != nil || got != link {
			t.Errorf("%v %s", err, cmp.Diff(link, got))
		}
		if got, err := db.Message(t.Context(), account, m.ID); err != nil || got != m {
			t.Errorf("%v %s", err, cmp.Diff(m, got))
		}
		m.State = lost.MessageFailed
		m.Handovers = 2
		m.ProviderID = "SM1"
		m.Error = "no"
		m.SettledAt = m.CreatedAt.Add(time.Second)
		write(t, db, func(tx *store.Tx) error { return tx.SaveMessage(m) })
		if got, err := db.Messages(t.Context(), account, i.ID, lost.FirstPage()); err != nil || len(got.Data) != 1 ||
			got.Data[0] != m {
			t.Errorf("%v %s", err, cmp.Diff(m, got.Data[0]))
		}
		var r lost.Item
		write(t, db, func(tx *store.Tx) (err error) {
			r, err = lost.NewRequest(account, l.ID, lost.RequestPatch{
				Description: lost.Set("d"), LostPlace: lost.Set("p"), LostDate: lost.Set("2026-01-02"),
				Proof: lost.Set("x"),
				Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("a@b.example")}),
			}, tx.Now())
			if err != nil {
				return err
			}
			r.Claim.Reason = "r"
			r.Claim.MatchedItemID = "m"
			r.MovedBy = lost.ByPublic
			r.MovedAt = tx.Now()
			return tx.InsertItem(r)
		})
		if got, err := db.Item(t.Context(), account, l.ID, r.ID); err != nil || !cmp.Equal(got, r) {
			t.Errorf("%v %s", err, cmp.Diff(r, got))
		}
	})
}

func TestALinkTokenIsNotStoredAndFindsOnlyItsLink(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		_, link, _ := addNotified(t, db, addLocation(t, db, withName("Hotel")))
		token, err := db.LinkToken(link)
		if err != nil || len(token) != 32 {
			t.Fatalf("got token %q, %v, want 32 characters", token, err)
		}
		for table, columns := range guestTables {
			for _, row := range store.TableRows(t, db, table, columns) {
				if strings.Contains(row, token) {
					t.Errorf("the token is stored in %s: %s", table, row)
				}
			}
		}
		lookup := func(token string) string {
			e, _, err := db.Lookup(t.Context(), store.LinkEntry, store.DirectoryHash(token))
			if err != nil {
				t.Fatal(err)
			}
			return e.Subject
		}
		if got := lookup(token); got != link.ID {
			t.Errorf("the token finds %q, want %q", got, link.ID)
		}
		renewed := link
		renewed.Version++
		write(t, db, func(tx *store.Tx) error { return tx.SaveLink(link, renewed) })
		other, err := db.LinkToken(renewed)
		if err != nil || other == token || lookup(other) != link.ID || lookup(token) != "" {
			t.Errorf("after a new version: error %v, the new token finds %q, the old one %q",
				err, lookup(other), lookup(token))
		}
	})
}

func TestDeletingAnItemDeletesItsGuestData(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		i, _, _ := addNotified(t, db, l)
		other, _, _ := addNotified(t, db, l)
		for _, item := range []lost.Item{i, other} {
			write(t, db, func(tx *store.Tx) error { return tx.SetTasks(item, []lost.TaskKind{lost.ShipTask}) })
		}
		write(t, db, func(tx *store.Tx) error { return tx.DeleteItem(i) })
		for table, columns := range guestTables {
			if table == "jobs" { // the job stays, but has nothing to send
				continue
			}
			rows := slices.DeleteFunc(store.TableRows(t, db, table, columns), func(row string) bool {
				return strings.HasPrefix(row, "permalink ")
			})
			if len(rows) != 1 {
				t.Errorf("%s: got rows %q, want only that of the other item", table, rows)
			}
		}
	})
}

func TestAMessageOfTheSameNameIsAddedOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		i, _, m := addNotified(t, db, addLocation(t, db, withName("Hotel")))
		again := m
		again.ID = lost.NewID(lost.MessageID, db.Now())
		write(t, db, func(tx *store.Tx) error { return tx.AddMessage(again) })
		list, err := db.Messages(t.Context(), account, i.ID, lost.FirstPage())
		if err != nil || list.Count != 1 || list.Data[0].ID != m.ID {
			t.Errorf("got %+v, %v, want only the first message", list, err)
		}
	})
}

func TestNothingIsStoredForAnItemThatDoesNotExist(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		write(t, db, func(tx *store.Tx) error {
			i, err := lost.NewItem(account, l.ID,
				lost.ItemPatch{
					Description: lost.Set("Hat"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")}),
				}, tx.Now())
			if err != nil {
				return err
			}
			if err := tx.InsertLink(lost.NewLink(i, tx.Now())); err != nil {
				return err
			}
			return tx.AddMessage(lost.NewMessage(lost.NoticeMessage, i, "notice", tx.Now()))
		})
		for _, table := range []string{"links", "messages"} {
			if rows := store.TableRows(t, db, table, guestTables[table]); len(rows) != 0 {
				t.Errorf("%s: got rows %q, want none", table, rows)
			}
		}
		if rows := store.TableRows(t, db, "directory", guestTables["directory"]); len(rows) != 1 { // the permalink
			t.Errorf("directory: got rows %q, want only the permalink", rows)
		}
	})
}

func TestAReminderIsSubmittedOnceByTheWorkerThatHasTheJob(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		i, _, notice := addNotified(t, db, addLocation(t, db, withName("Hotel")))
		reminder := lost.NewMessage(lost.ReminderMessage, i, "reminder", db.Now())
		write(t, db, func(tx *store.Tx) error { return tx.AddMessage(reminder) })
		var jobs []store.Job
		write(t, db, func(tx *store.Tx) (err error) {
			jobs, err = tx.ClaimJobs([]string{store.JobSendMail}, 10, time.Minute)
			return err
		})
		handOver := func(m lost.Message, attempt int) (ok bool) {
			t.Helper()
			j := jobs[slices.IndexFunc(jobs, func(j store.Job) bool { return j.Payload == m.ID })]
			j.Attempt += attempt
			write(t, db, func(tx *store.Tx) (err error) {
				ok, err = tx.RecordSubmission(m, j)
				return err
			})
			return ok
		}
		if handOver(reminder, 1) {
			t.Error("RecordSubmission succeeded for a worker that had lost the job")
		}
		if !handOver(reminder, 0) || handOver(reminder, 0) {
			t.Error("RecordSubmission did not succeed exactly once for a reminder")
		}
		for n := range 4 {
			if ok := handOver(notice, 0); ok != (n < 3) {
				t.Errorf("submission %d of a notice: got %t", n+1, ok)
			}
		}
	})
}

func TestTasksKeepTheirAgeUntilTheyAreDone(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		i := addItem(t, db, l, withDescription("Hat"))
		set := func(kinds ...lost.TaskKind) lost.List[lost.Task] {
			t.Helper()
			write(t, db, func(tx *store.Tx) error { return tx.SetTasks(i, kinds) })
			list, err := db.Tasks(t.Context(), account, l.ID, lost.FirstPage())
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		first := set(lost.ShipTask)
		clock.Advance(time.Hour)
		if second := set(lost.ShipTask, lost.DisownedTask); second.Count != 2 ||
			!second.Data[0].Since.Equal(first.Data[0].Since) || second.Data[0].Item.ID != i.ID {
			t.Errorf("tasks after a second one was added: got %+v", second)
		}
		if remaining := set(lost.DisownedTask); remaining.Count != 1 || remaining.Data[0].Kind != lost.DisownedTask {
			t.Errorf("remaining tasks: got %+v, want only %s", remaining, lost.DisownedTask)
		}
		if none := set(); none.Count != 0 {
			t.Errorf("tasks at the end: got %+v, want none", none)
		}
	})
}
