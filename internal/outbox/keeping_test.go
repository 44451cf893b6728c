package outbox_test

import (
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// The owner of an item and the desk are told the end of its storage once, although a change of rules moves it.
func TestAChangeOfRulesTellsNobodyTwice(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		const anna = "anna@example.com"
		update := func(p lost.LocationPatch) {
			n.t.Helper()
			if _, err := n.desk.Locations.Update(n.t.Context(), n.actor, n.where.ID, p); err != nil {
				n.t.Fatal(err)
			}
		}
		update(lost.LocationPatch{Reminders: lost.Set(lost.ReminderSchedulePatch{AfterNotice: lost.Set([]int{})})})
		i := n.createOwned(anna)
		n.expectSent("at creation", "notice to "+anna)
		start := n.where.Day(n.clock.Now())
		n.advanceTo(lost.AddDays(start, 27) + " 11:00")
		n.expectSent("three days before the end", "last-call to "+anna)
		rule := func(days int) {
			n.t.Helper()
			update(lost.LocationPatch{KeepingRules: lost.Set([]lost.KeepingRule{{Days: days, Then: lost.ThenDonate}})})
			n.runAll()
			if got := n.item(i); got.StoreUntil() != lost.AddDays(start, days) || got.ThenDue() != lost.ThenDonate {
				n.t.Errorf("%d days: until %s then %q", days, got.StoreUntil(), got.ThenDue())
			}
		}
		rule(32)
		n.expectSent("the end moves by two days")
		n.advanceTo(lost.AddDays(start, 29) + " 11:00")
		n.expectSent("three days before the new end")
		rule(30)
		n.expectSent("the end moves back")
		rule(60)
		n.expectSent("the end moves by a month")
		n.advanceTo(lost.AddDays(start, 57) + " 11:00")
		n.expectSent("three days before an end much later", "last-call to "+anna)
		rule(56)
		if got := n.tasks(); len(got) != 1 {
			n.t.Errorf("tasks after the storage has ended by a rule: %q", got)
		}
		rule(90)
		if got := n.tasks(); len(got) != 0 {
			n.t.Errorf("tasks after a rule has extended the storage: %q", got)
		}
	})
}

// addJob adds a job as another instance would.
func (n *fixture) addJob(kind, payload string) {
	n.t.Helper()
	err := n.db.Write(n.t.Context(), func(tx *store.Tx) error {
		return tx.AddJob(n.where.Account, kind, payload, tx.Now())
	})
	if err != nil {
		n.t.Fatal(err)
	}
}

// Instances of an earlier version cannot read the jobs that a change of rules adds, and must not claim them. Their jobs
// do not contain the rules, which they do not change.
func TestJobsForTheTermsOfALocationDuringARollingUpdate(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		n.setKeeping(lost.KeepingRule{Days: 10})
		i := n.item(n.createOwned("anna@example.com"))
		before := n.where.Terms()
		earlier := `["` + n.where.ID + `","0","` + before.StoragePlace + `","30","` + before.TimeZone + `"]`
		n.addJob(store.JobTouchItems, earlier)
		n.runAll()
		if got := n.item(i); !got.UpdatedAt.Equal(i.UpdatedAt) {
			t.Error("a job of an earlier version marked an item as changed that looks the same")
		}
		earlier = `["` + n.where.ID + `","0","Cellar","30","` + before.TimeZone + `"]`
		n.addJob(store.JobTouchItems, earlier)
		n.runAll()
		if got := n.item(i); !got.UpdatedAt.After(i.UpdatedAt) {
			t.Error("a job of an earlier version did not mark an item as changed that looks different")
		}

		_, err := n.desk.Locations.Update(t.Context(), n.actor, n.where.ID,
			lost.LocationPatch{KeepingRules: lost.Set([]lost.KeepingRule{{Days: 20}})})
		if err != nil {
			t.Fatal(err)
		}
		err = n.db.Write(t.Context(), func(tx *store.Tx) error {
			jobs, err := tx.ClaimJobs([]string{store.JobTouchItems}, 10, time.Minute)
			if len(jobs) > 0 {
				t.Errorf("an earlier version would perform %+v", jobs)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// Items that instances of an earlier version save during a rolling update are dated an hour and a day later.
func TestItemsAreDatedAgainAfterARollingUpdate(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		other, err := n.desk.Locations.Create(t.Context(), n.actor,
			lost.LocationPatch{Name: lost.Set("Spa"), StorageDuration: lost.Set(5)}, lost.IdempotencyKey{})
		if err != nil {
			t.Fatal(err)
		}
		n.createOwned("anna@example.com")
		_, err = n.desk.Items.Create(t.Context(), n.actor, other.ID,
			lost.ItemPatch{Description: lost.Set("Hat")}, lost.IdempotencyKey{})
		if err != nil {
			t.Fatal(err)
		}
		n.runAll()
		exec := func(statement string, args ...any) {
			t.Helper()
			err := n.db.Write(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Raw().Exec(statement, args...)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		expect := func(when string, want int) {
			t.Helper()
			n.runAll()
			rs, err := n.db.Raw().Query(t.Context(),
				"SELECT count(*) FROM items WHERE account_id = $1 AND store_until <> 'none'", n.where.Account)
			if err != nil {
				t.Fatal(err)
			}
			defer rs.Close()
			got := -1
			if rs.Next() {
				err = rs.Scan(&got)
			}
			if got != want || err != nil {
				t.Errorf("%s: %d items have a date, %v; want %d", when, got, err, want)
			}
		}
		const forget = "UPDATE items SET store_until = 'none' WHERE account_id = $1" // an earlier version saves items
		exec("DELETE FROM schema_migrations WHERE version = 160")
		if _, err := n.db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		expect("after the migration", 2)
		exec(forget, n.where.Account)
		n.clock.Advance(50 * time.Minute)
		expect("after fifty minutes", 0)
		n.clock.Advance(10 * time.Minute)
		expect("after an hour", 2)
		exec(forget, n.where.Account)
		n.clock.Advance(23 * time.Hour)
		expect("after a day", 0)
		n.clock.Advance(time.Hour)
		expect("after a day and an hour", 2)
	})
}

// Instances of an earlier version also save items without the serial_key.
func TestSerialNumbersAreFoundAfterARollingUpdate(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		phone := lost.ItemPatch{Description: lost.Set("Phone"), SerialNumber: lost.Set("\u0416\u20119")}
		i, err := n.desk.Items.Create(t.Context(), n.actor, n.where.ID, phone, lost.IdempotencyKey{})
		if err != nil {
			t.Fatal(err)
		}
		n.runAll()
		err = n.db.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Raw().Exec("UPDATE items SET serial_key = '' WHERE account_id = $1", n.where.Account)
			if err != nil {
				return err
			}
			return tx.AddDateAccountJob(n.where.Account, 1, "", tx.Now()) // as the migration does
		})
		if err != nil {
			t.Fatal(err)
		}
		n.runAll()
		list, err := n.db.Items(t.Context(), n.where.Account, n.where.ID,
			lost.ItemFilter{SerialNumber: "\u04369", Page: lost.FirstPage()})
		if err != nil || list.Count != 1 || list.Data[0].ID != i.ID {
			t.Errorf("got %d items, %v", list.Count, err)
		}
	})
}
