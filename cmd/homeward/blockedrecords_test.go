package main_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"homeward/internal/store/storetest"
)

// testBlockedRecords locks one delivery, which prevents the service from recording the outcomes of its attempts. The
// service must then stop sending, because after a crash it would repeat every attempt that is not recorded.
func testBlockedRecords(t *testing.T) {
	const (
		backlog = 1000
		watched = 2 * time.Second
	)
	database := storetest.Postgres(t)
	p := startService(t, newWebhookSettings(t, database)...)
	locked := make(chan struct{})
	m := newWebhookReceiver(t, p, func(r *http.Request, _ string, _ int) int {
		select {
		case <-locked:
		case <-r.Context().Done():
		}
		return http.StatusOK
	})
	account := p.must(http.StatusOK, "GET", "/v1/account", "")["id"].(string)
	addBacklog(t, database, account, m.id, backlog)
	p.must(http.StatusCreated, "POST", "/v1/webhooks/"+m.id+"/test", "")
	sent := func() int { return attempts([]*webhookReceiver{m}) }
	waitWithin(t, time.Minute, "the service has reached its limit", func() bool { return sent() == perEndpoint })
	unlock := lockDelivery(t, database)
	close(locked)
	waitWithin(t, time.Minute, "the service waits to record outcomes", func() bool { return sent() >= perRecord })
	open := func() int { return sent() - countRecorded(t, database) } // some may be recorded before the lock
	enough := time.Now().Add(watched)
	waitWithin(t, time.Minute, "the service was observed for a while", func() bool {
		return open() > atMostDoubled(1) || time.Now().After(enough)
	})
	if n := open(); n > atMostDoubled(1) {
		t.Errorf("%d attempts are not recorded, want at most %d", n, atMostDoubled(1))
	}
	t.Logf("the service made %d attempts before it stopped sending", sent())
	unlock()
	waitUntilSettled(t, p, m)
	m.checkEachOnce(backlog + 1)
}

// countRecorded returns the number of deliveries with a recorded outcome.
func countRecorded(t *testing.T, database string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if err := conn.QueryRow(t.Context(),
		"SELECT count(*) FROM deliveries WHERE state <> 'pending'").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// lockDelivery locks a delivery that the service has claimed, and returns a function that unlocks it.
func lockDelivery(t *testing.T, database string) (unlock func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(),
		"SELECT 1 FROM deliveries WHERE claim > 0 ORDER BY id LIMIT 1 FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
