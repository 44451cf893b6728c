package main_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"homeward/internal/store/storetest"
)

// The limits of the outbox: attempts in progress per endpoint, and outcomes recorded per transaction. While one
// transaction runs, perRecord more outcomes may wait for the next. A claimed delivery belongs to its instance until
// the lease expires.
const (
	perEndpoint = 8
	perRecord   = 64
	lease       = 45 * time.Second

	afterLease = 2 * lease // the longest that all deliveries may take, even on a busy machine
)

// atMostDoubled returns how many attempts may be repeated each time the service is killed: the attempts whose outcome
// was not committed.
func atMostDoubled(endpoints int) int { return perEndpoint*endpoints + 2*perRecord }

// newWebhookSettings returns settings that allow webhooks to this machine and retry quickly.
func newWebhookSettings(t *testing.T, database string, more ...string) []string {
	t.Helper()
	return newSettings(t, database,
		append([]string{"HOMEWARD_WEBHOOK_ALLOW_PRIVATE=true", "HOMEWARD_WEBHOOK_RETRY_UNIT=50ms"}, more...)...)
}

// Every committed event is delivered, even if the service, its database or other instances fail. The subtests spend
// most of their time waiting for leases to expire, so they run in parallel.
func TestDeliveriesSurviveFailures(t *testing.T) {
	t.Parallel()
	var running sync.WaitGroup
	defer running.Wait()
	for name, test := range map[string]func(t *testing.T){
		"killed on sqlite":   func(t *testing.T) { testRepeatedKills(t, filepath.Join(t.TempDir(), "homeward.db")) },
		"killed on postgres": func(t *testing.T) { testRepeatedKills(t, storetest.Postgres(t)) },
		"backlog on sqlite": func(t *testing.T) {
			testKillDuringBacklog(t, filepath.Join(t.TempDir(), "homeward.db"))
		},
		"backlog on postgres": func(t *testing.T) { testKillDuringBacklog(t, storetest.Postgres(t)) },
		"recording waits":     testBlockedRecords,
		"postgres restarted":  restartPostgres,
		"postgres stopped":    testStoppedPostgres,
		"postgres refuses":    testRefusingPostgres,
		"postgres hangs":      testHangingPostgres,
		"full on sqlite":      fullOnSQLite,
		"limited on sqlite":   limitedOnSQLite,
		"full on postgres":    fullOnPostgres,
		"two instances":       func(t *testing.T) { testSharedBacklog(t, 2, false) },
		"three instances":     testThreeInstances,
		"one of three dies":   func(t *testing.T) { testSharedBacklog(t, 3, true) },
	} {
		running.Go(func() { t.Run(name, test) })
	}
}

// configuredRounds returns how many times each service is killed: HOMEWARD_TEST_ROUNDS, or a few times by default.
func configuredRounds(t *testing.T) int {
	t.Helper()
	rounds, set := os.LookupEnv("HOMEWARD_TEST_ROUNDS")
	if !set {
		return 3
	}
	n, err := strconv.Atoi(rounds)
	if err != nil || n < 1 {
		t.Fatalf("HOMEWARD_TEST_ROUNDS=%s is not a number of rounds", rounds)
	}
	return n
}

// testRepeatedKills kills the service at random moments while items change and their events are delivered.
func testRepeatedKills(t *testing.T, database string) {
	settings := newWebhookSettings(t, database)
	p := startService(t, settings...)
	receivers := newReceivers(t, p)
	load := newLoadGenerator(t, p, 6)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	rounds := configuredRounds(t)
	for range rounds {
		end := load.start(p.url)
		waitWithin(t, time.Minute, "a random moment has come", randomMoment(rng, load, receivers))
		p.kill()
		end()
		for _, m := range receivers {
			m.round.Add(1)
		}
		p = startService(t, settings...)
	}
	audit(t, p, load, receivers, rounds)
}

// testKillDuringBacklog kills the service while it delivers a long queue at full speed. If attempts finish faster
// than their outcomes can be recorded, further attempts have to wait.
func testKillDuringBacklog(t *testing.T, database string) {
	const backlog = 1500
	settings := newWebhookSettings(t, database)
	p := startService(t, settings...)
	m := newWebhookReceiver(t, p, nil)
	account := p.must(http.StatusOK, "GET", "/v1/account", "")["id"].(string)
	if code := p.terminate(); code != 0 {
		t.Fatalf("exit code %d: %s", code, p.stderr)
	}
	addBacklog(t, database, account, m.id, backlog)
	p = startService(t, settings...)
	waitWithin(t, time.Minute, "the service is in the middle of the backlog", func() bool {
		return attempts([]*webhookReceiver{m}) >= backlog/2
	})
	p.kill()
	m.round.Add(1)
	p = startService(t, settings...)
	stuck := waitUntilSettled(t, p, m)
	made, again := p.deliveries(m.id, "", 1<<30), make([]int, 2)
	doubled, bound := m.repeated(made, again), atMostDoubled(1)
	if len(made) != backlog || doubled > bound || again[1] > 0 {
		t.Errorf("of %d deliveries %d arrived; %d attempts were repeated, want at most %d; %d of them unnecessarily",
			backlog, len(made), doubled, bound, again[1])
	}
	t.Logf("backlog of %d, repeated attempts %d (allowed %d), still pending %d", backlog, doubled, bound, stuck)
}

// newReceivers returns a receiver that responds immediately, a slow one and one that sometimes fails.
func newReceivers(t *testing.T, p *process) []*webhookReceiver {
	t.Helper()
	slow := func(r *http.Request, _ string, _ int) int {
		pause(r.Context().Done(), 30*time.Millisecond)
		return http.StatusOK
	}
	unreliable := func(_ *http.Request, delivery string, nth int) int {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(delivery)) // never fails
		if nth == 1 && sum.Sum32()%5 == 0 {
			return http.StatusInternalServerError
		}
		return http.StatusOK
	}
	return []*webhookReceiver{newWebhookReceiver(t, p, nil), newWebhookReceiver(t, p, slow),
		newWebhookReceiver(t, p, unreliable)}
}

// randomMoment returns a condition that becomes true after a random number of changes or attempts.
func randomMoment(rng *rand.Rand, load *loadGenerator, receivers []*webhookReceiver) func() bool {
	if rng.IntN(2) == 0 {
		enough := load.count() + 1 + rng.IntN(150)
		return func() bool { return load.count() >= enough }
	}
	enough := attempts(receivers) + 1 + rng.IntN(400)
	return func() bool { return attempts(receivers) >= enough }
}

func attempts(receivers []*webhookReceiver) (n int) {
	for _, m := range receivers {
		_, attempts := m.counts()
		n += attempts
	}
	return n
}

// waitUntilSettled waits until no delivery is pending. It returns how many deliveries are still pending after the
// time limit.
func waitUntilSettled(t *testing.T, p *process, receivers ...*webhookReceiver) (stuck int) {
	t.Helper()
	deadline := time.After(afterLease)
	for _, m := range receivers {
		for len(p.deliveries(m.id, "pending", 1)) > 0 {
			select {
			case <-time.After(100 * time.Millisecond):
				continue
			case <-deadline:
			}
			left := len(p.deliveries(m.id, "pending", 1<<30))
			t.Errorf("%d deliveries to %s are still pending after %v", left, m.url, afterLease)
			stuck += left
			break
		}
	}
	return stuck
}

// audit waits until all deliveries have finished, and compares what was received with the acknowledged changes and
// with the service's records.
func audit(t *testing.T, p *process, load *loadGenerator, receivers []*webhookReceiver, failures int) {
	t.Helper()
	auditWithLimit(t, p, load, receivers, failures, atMostDoubled(len(receivers)))
}

// auditWithLimit is audit with a given limit on the number of repeated attempts per failure.
func auditWithLimit(t *testing.T, p *process, load *loadGenerator, receivers []*webhookReceiver, failures, bound int) {
	t.Helper()
	stuck := waitUntilSettled(t, p, receivers...)
	missing, again, worst := 0, 0, make([]int, failures+1)
	for _, m := range receivers {
		lost := load.missing(m)
		for _, c := range lost[:min(len(lost), 5)] {
			t.Errorf("%s never received %s", m.url, c)
		}
		missing += len(lost)
		again += m.repeated(p.deliveries(m.id, "", 1<<30), worst)
	}
	most := 0
	for round, n := range worst {
		most = max(most, n)
		if n > bound || round == failures && n > 0 {
			t.Errorf("after failure %d of %d, %d attempts were repeated that had returned 200, want at most %d",
				round+1, failures, n, bound)
		}
	}
	if again > failures*bound {
		t.Errorf("%d attempts were repeated, want at most %d", again, failures*bound)
	}
	if n := load.refused[http.StatusInternalServerError]; n > 0 {
		t.Errorf("%d changes returned 500, want 503 for an unavailable database", n)
	}
	t.Logf("rounds %d, events committed %d, missing %d, attempts %d, repeated %d (at most %d in a round, allowed %d), "+
		"still pending %d, not acknowledged %v",
		failures, load.count(), missing, attempts(receivers), again, most, bound, stuck, load.refused)
}

// repeated checks that every recorded delivery arrived and is finished. It returns how many attempts were repeated
// because they had not been recorded. If such an attempt had returned 200, it also increments the count for its
// round.
func (m *webhookReceiver) repeated(recorded []delivery, rounds []int) (again int) {
	m.t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(recorded) != len(m.byID) {
		m.t.Errorf("%s received %d deliveries, the service recorded %d", m.url, len(m.byID), len(recorded))
	}
	for _, d := range recorded {
		k := m.byID[d.ID]
		switch {
		case k == nil:
			m.t.Errorf("%s %s never arrived", d.State, d.ID)
			continue
		case d.State != "delivered" || len(d.Attempts) > len(k.attempts):
			m.t.Errorf("%s is %s after %v, %d attempts arrived", d.ID, d.State, d.Attempts, len(k.attempts))
		}
		again += len(k.attempts) - len(d.Attempts)
		for _, a := range k.attempts[:len(k.attempts)-1] {
			if a.status == http.StatusOK {
				rounds[a.round]++
			}
		}
	}
	return again
}

// restartPostgres restarts the database twice, once after a simulated crash and once cleanly. The service keeps
// running.
func restartPostgres(t *testing.T) {
	db := newPostgres(t)
	p := startService(t, newWebhookSettings(t, db.address())...)
	receivers := newReceivers(t, p)
	load := newLoadGenerator(t, p, 6)
	end := load.start(p.url)
	more := func() func() bool {
		changes, sent := load.count()+50, attempts(receivers)+100
		return func() bool { return load.count() >= changes && attempts(receivers) >= sent }
	}
	waitWithin(t, time.Minute, "there is load", more())
	for _, stop := range []syscall.Signal{immediately, inOrder} {
		db.stop(stop)
		for _, m := range receivers {
			m.round.Add(1)
		}
		db.start()
		waitWithin(t, time.Minute, fmt.Sprintf("the service recovers after %v", stop), more())
	}
	end()
	audit(t, p, load, receivers, 2)
	if code := p.terminate(); code != 0 {
		t.Errorf("exit code %d: %s", code, p.stderr)
	}
}
