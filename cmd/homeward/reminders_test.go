package main_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/message/mailtest"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// concurrentMessages is the number of messages that an instance sends concurrently.
const concurrentMessages = 8

// sharedSecret is the secret that all instances use.
const sharedSecret = "the same secret on every instance"

// addDueReminders adds items whose owners were notified eight days ago and have not responded. Their reminders are
// overdue, as they would be after a long outage.
func addDueReminders(t *testing.T, database, account string, n int) {
	t.Helper()
	then := time.Now().Add(-8 * 24 * time.Hour)
	db, err := store.Open(t.Context(), database, func() time.Time { return then })
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.UseSecret([]byte(sharedSecret)); err != nil {
		t.Fatal(err)
	}
	err = db.Write(t.Context(), func(tx *store.Tx) error {
		l, err := lost.NewLocation(account, lost.LocationPatch{Name: lost.Set("Hotel Adler")}, then)
		if err != nil {
			return err
		}
		l.Permalink = "hotel-adler-of-the-test"
		return tx.InsertLocation(l)
	})
	if err != nil {
		t.Fatal(err)
	}
	const atOnce = 100
	for done := 0; done < n; done += atOnce {
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			where, _, err := tx.Lookup(t.Context(), store.PermalinkEntry,
				store.DirectoryHash("hotel-adler-of-the-test"))
			for k := done; k < min(done+atOnce, n) && err == nil; k++ {
				err = addNotifiedItem(tx, account, where.Subject, fmt.Sprintf("guest%d@example.com", k))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// addNotifiedItem adds an item whose owner has been notified.
func addNotifiedItem(tx *store.Tx, account, location, address string) error {
	i, err := lost.NewItem(account, location, lost.ItemPatch{
		Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(address)}),
	}, tx.Now())
	if err != nil {
		return err
	}
	if err := tx.InsertItem(i); err != nil {
		return err
	}
	link := lost.NewLink(i, tx.Now())
	if err := tx.InsertLink(link); err != nil {
		return err
	}
	m := lost.NewMessage(lost.NoticeMessage, i, "notice "+address, tx.Now())
	m.LinkID = link.ID
	if err := tx.AddMessage(m); err != nil {
		return err
	}
	m.State, m.SettledAt = lost.MessageSent, tx.Now()
	if err := tx.SaveMessage(m); err != nil {
		return err
	}
	return tx.ScheduleCheck(i.Account, i.ID, tx.Now())
}

// A thousand reminders are due when three instances of the service start, and one of them is killed. Each guest still
// receives exactly one reminder.
func TestRemindersAreSentOnceAlthoughAnInstanceIsKilled(t *testing.T) {
	t.Parallel()
	const reminders = 1000
	database := storetest.Postgres(t)
	settings := func() []string {
		return newSettings(t, database, "HOMEWARD_SECRET="+sharedSecret)
	}
	first := startService(t, settings()...) // creates the schema and the first account
	account := first.must(http.StatusOK, "GET", "/v1/account", "")["id"].(string)
	first.terminate()
	post := mailtest.Start(t)
	// Half of the first messages are delayed before the server accepts them. The other half are delayed after the
	// server has accepted them, but before it confirms this to the sender.
	everyoneIsThere := make(chan struct{})
	var underWay atomic.Int32
	hold := func(odd int) func(string) {
		return func(to string) {
			if n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(to, "guest"), "@example.com")); n%2 == odd {
				underWay.Add(1)
				<-everyoneIsThere
			}
		}
	}
	post.OnReceived = hold(1)
	announced := hold(0)
	post.Refuse = func(to string) error {
		announced(to)
		return nil
	}
	addDueReminders(t, database, account, reminders)
	var instances []*process
	for range 3 {
		instances = append(instances, startService(t, append(settings(), "HOMEWARD_SMTP="+post.URL())...))
	}
	waitWithin(t, time.Minute, "every instance has reached its limit", func() bool {
		return underWay.Load() == 3*concurrentMessages
	})
	instances[1].kill()
	close(everyoneIsThere)
	// The killed instance's claims expire with their leases. Messages that were accepted are not sent again, but the
	// others are.
	waitWithin(t, 3*time.Minute, "nothing is left to send", isSettled(t, database))
	times := map[string]int{}
	for _, m := range post.All() {
		times[m.To]++
	}
	if len(times) != reminders {
		t.Errorf("%d guests were reminded, want %d", len(times), reminders)
	}
	for to, n := range times {
		if n != 1 {
			t.Errorf("%s was reminded %d times", to, n)
		}
	}
	for _, p := range []*process{instances[0], instances[2]} {
		if a, err := sendRequest("GET", p.url+"/healthz", ""); err != nil || a.status != http.StatusOK {
			t.Errorf("/healthz of a surviving instance returned %v: %v", a.status, err)
		}
	}
}

// isSettled reports whether there is no background work left.
func isSettled(t *testing.T, database string) func() bool {
	t.Helper()
	db, err := store.Open(t.Context(), database, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return func() bool {
		jobs, _, err := db.CountJobs(t.Context())
		look, ok, lookErr := db.NextCheck(t.Context())
		return err == nil && lookErr == nil && jobs == 0 && (!ok || look.After(time.Now()))
	}
}
