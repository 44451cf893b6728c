package outbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// savingMessenger makes the fixture's messenger only save messages.
func (n *fixture) savingMessenger() {
	n.messenger.send = func(lost.MessageData, func() error) (lost.SendResult, error) {
		return lost.SendResult{State: lost.MessageSaved}, nil
	}
}

// saveWithoutJobs makes the database save messages without jobs, as the service does if no channel is set up. It
// returns a function that lists the kinds of messages that were saved.
func (n *fixture) saveWithoutJobs() func() []string {
	var saved []string
	n.db.UseChannels(store.Channels{
		Sends:   func(lost.Channel) bool { return false },
		OnSaved: func(kind lost.MessageKind, _ time.Time) { saved = append(saved, string(kind)) },
	})
	return func() []string { return saved }
}

// describe lists what users see of an item: its history and messages, newest first, and the tasks of the location.
func (n *fixture) describe(i lost.Item) []string {
	n.t.Helper()
	history, err := n.desk.Items.History(n.t.Context(), n.actor, n.where.ID, i.ID, lost.FirstPage())
	if err != nil {
		n.t.Fatal(err)
	}
	var all []string
	for _, e := range history.Data {
		all = append(all, fmt.Sprintf("history: %s by %s: %s", e.Action, e.Actor.Kind, e.Note))
	}
	messages, err := n.desk.Messages.ListOfItem(n.t.Context(), n.actor, n.where.ID, i.ID, lost.FirstPage())
	if err != nil {
		n.t.Fatal(err)
	}
	for _, m := range messages.Data {
		if m.IsResend() {
			m.Once = "again" // otherwise it contains a random id
		}
		all = append(all, fmt.Sprintf("message: %s to %s is %s, link: %t, settled: %t, handovers: %d, %s", m.Kind, m.To,
			m.State, m.LinkID != "", !m.SettledAt.IsZero(), m.Handovers, m.Once))
	}
	return append(all, n.tasks()...)
}

// runItemUntilOverdue creates items and describes them at each step, until they are overdue.
func (n *fixture) runItemUntilOverdue() (steps [][]string) {
	n.t.Helper()
	n.createOwned(bert) // the location's schedule is unknown now, and known later
	n.runAll()
	i := n.createOwned(anna)
	n.runAll()
	steps = append(steps, n.describe(i))
	n.clock.Advance(time.Second)
	if _, err := n.desk.Messages.Notify(n.t.Context(), n.actor, n.where.ID, i.ID, lost.IdempotencyKey{}); err != nil {
		n.t.Fatal(err)
	}
	for _, at := range []string{
		"2026-11-18 09:59", "2026-11-18 10:00", "2026-11-22 10:00", "2026-12-12 10:00", "2026-12-16 00:00",
		"2026-12-16 08:00",
	} {
		n.advanceTo(at)
		n.runAll()
		steps = append(steps, n.describe(i))
	}
	return steps
}

func TestAMessageSavedWithoutAJobReadsAsIfAJobHadSavedIt(t *testing.T) {
	var byJobs [][][]string
	eachFixture(t, func(n *fixture) {
		n.savingMessenger()
		byJobs = append(byJobs, n.runItemUntilOverdue())
	})
	eachFixture(t, func(n *fixture) {
		saved := n.saveWithoutJobs()
		n.messenger.send = func(l lost.MessageData, _ func() error) (lost.SendResult, error) {
			n.t.Errorf("a job sent the message %s", l.Kind)
			return lost.SendResult{State: lost.MessageSaved}, nil
		}
		got := n.runItemUntilOverdue()
		if len(byJobs) == 0 {
			n.t.Fatal("there is nothing to compare with")
		}
		want := byJobs[0]
		byJobs = byJobs[1:]
		if diff := cmp.Diff(want, got); diff != "" {
			n.t.Errorf("saved by a job (-), without one (+):\n%s", diff)
		}
		kinds := []string{
			"notice", "notice", "notice", "reminder", "reminder", "reminder", "reminder", "last-call", "last-call",
			"digest",
		}
		if got := saved(); !slices.Equal(got, kinds) {
			n.t.Errorf("saved %q, want %q", got, kinds)
		}
	})
}

func TestACreatedItemWhoseMessageIsSavedNeedsNoWork(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		n.saveWithoutJobs()
		n.createOwned(bert) // from here on, the location's schedule is known
		n.runAll()
		i := n.createOwned(anna)
		if due, failed := countJobs(n.t, n.db); due+failed != 0 {
			n.t.Errorf("creating an item added %d jobs", due+failed)
		}
		at, found, err := n.db.NextCheck(n.t.Context())
		if first := time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC); err != nil || !found || !at.Equal(first) {
			n.t.Errorf("the next check is at %s, %v, want %s, the first reminder", at, err, first)
		}
		want := []string{"message-kept: notice by email to " + anna}
		if got := n.history(i); !slices.Equal(got, want) {
			n.t.Errorf("history: %q, want %q", got, want)
		}
	})
}

func TestAnOutdatedScheduleIsNotUsed(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		n.saveWithoutJobs()
		n.createOwned(bert)
		n.runAll()
		// Another instance changes the location, so this one does not notice.
		other := n.newServices()
		if _, err := other.Locations.Update(n.t.Context(), n.actor, n.where.ID, lost.LocationPatch{
			Reminders: lost.Set(lost.ReminderSchedulePatch{AfterNotice: lost.Set([]int{1})}),
		}); err != nil {
			n.t.Fatal(err)
		}
		n.runAll()
		i := n.createOwned(anna)
		n.runAll()
		n.advanceTo("2026-11-16 10:00")
		n.runAll()
		if got := n.history(i); len(got) != 2 || got[0] != "message-kept: reminder by email to "+anna {
			n.t.Errorf("history after a day: %q", got)
		}
	})
}

func TestAnItemThatIsOverdueWhenItIsCreatedBecomesATask(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		n.saveWithoutJobs()
		for _, email := range []string{anna, bert} { // with an unknown and a known schedule
			if _, err := n.desk.Items.Create(n.t.Context(), n.actor, n.where.ID, lost.ItemPatch{
				Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(email)}),
				DiscoveryDate: lost.Set("2026-01-02"),
			}, lost.IdempotencyKey{}); err != nil {
				n.t.Fatal(err)
			}
			n.runAll()
		}
		if got := n.tasks(); !slices.Equal(got, []string{"store-until", "store-until"}) {
			n.t.Errorf("tasks: %q", got)
		}
	})
}

func TestCreatingAnItemTakesFewStatements(t *testing.T) {
	// Item, event, count, link, its directory entry, message, history, deliveries and, on SQLite, the counter of
	// changes.
	const limit = 9
	eachFixture(t, func(n *fixture) {
		n.saveWithoutJobs()
		n.createOwned(bert) // the first item adds the counter
		ctx, statements := storetest.RecordStatements(n.t.Context())
		if _, err := n.desk.Items.Create(ctx, n.actor, n.where.ID, lost.ItemPatch{
			Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(anna)}),
		}, lost.IdempotencyKey{}); err != nil {
			n.t.Fatal(err)
		}
		if got := statements(); len(got) == 0 || len(got) > limit {
			n.t.Errorf("got %d statements, want at most %d:\n%s", len(got), limit, strings.Join(got, "\n"))
		}
	})
}
