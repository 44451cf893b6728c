package outbox_test

import (
	"testing"

	"homeward/internal/lost"
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
