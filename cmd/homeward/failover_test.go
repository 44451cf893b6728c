package main_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The address names two PostgreSQL servers. The primary fails under load and the standby is promoted: every instance
// goes on without a restart, and nothing that was acknowledged is lost.
func TestDrillDatabaseFailover(t *testing.T) {
	t.Parallel()
	t.Run("the primary crashes", func(t *testing.T) {
		t.Parallel()
		newFailover(t, false).run("the PostgreSQL primary crashes, its standby is promoted")
	})
	if !isLong() { // an unreachable host is noticed only after a timeout
		return
	}
	t.Run("the primary falls silent", func(t *testing.T) {
		t.Parallel()
		newFailover(t, true).run("the PostgreSQL primary falls silent, its standby is promoted")
	})
}

// failover is a primary and a synchronous standby.
type failover struct {
	t                *testing.T
	primary, standby *postgresServer
	network          *faultyProxy // between the instances and the primary; nil if they connect directly
	database         string       // the setting
}

func newFailover(t *testing.T, silent bool) *failover {
	t.Helper()
	f := &failover{t: t, primary: newPostgres(t)}
	f.standby = f.primary.newReplica()
	// Only on the primary: the standby must not wait for a standby of its own after its promotion.
	f.primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
	f.primary.sql("SELECT pg_reload_conf()")
	waitWithin(t, time.Minute, "the standby is synchronous", func() bool {
		return f.primary.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1"
	})
	first := fmt.Sprintf("127.0.0.1:%d", f.primary.port)
	if silent {
		f.network, _ = proxyAddress(t, f.primary.address())
		first = f.network.at
	}
	f.database = fmt.Sprintf("postgres://homeward:%s@%s,127.0.0.1:%d/postgres?sslmode=disable&connect_timeout=2",
		f.primary.password, first, f.standby.port)
	if silent { // otherwise it is the default
		f.database += "&target_session_attrs=read-write"
	}
	return f
}

func (f *failover) settings() []string {
	return withAdmin(newWebhookSettings(f.t, f.database, "HOMEWARD_SECRET=the same secret on every instance",
		"HOMEWARD_DATABASE_WAIT=2m"))
}

func (f *failover) run(fault string) {
	t := f.t
	t.Helper()
	outage := 2 * time.Second
	if isLong() {
		outage = 20 * time.Second
	}
	instances := []*process{startService(t, f.settings()...), startService(t, f.settings()...)}
	p := instances[0]
	cookie := logIn(t, p)
	receivers := []*webhookReceiver{newWebhookReceiver(t, p, nil)}
	load := newLoadGenerator(t, p, 4)
	hotel, _, _ := strings.Cut(load.items[0], "/items/")
	probes := probeEveryHandler(load.items[0], p.must(http.StatusOK, "GET", hotel, "")["permalink"].(string))
	var turn atomic.Int64
	end := load.startAt(func() string { return instances[turn.Add(1)%2].url })
	waitWithin(t, time.Minute, "there is load", func() bool { return load.count() >= 50 })

	r := faultReport{fault: fault, load: "2 instances, 4 clients and every handler", injected: 1}
	if f.network != nil {
		f.network.hang()
	}
	f.primary.stop(immediately)
	receivers[0].round.Add(1)
	f.awaitReadiness(instances, http.StatusServiceUnavailable)
	late := launchProgram(t, self(t), f.settings()...) // it must wait, because the standby is read-only
	for deadline := time.Now().Add(outage); ; {
		refused, slowest := checkProbes(t, runProbes(p.url, cookie, probes), true)
		r.requests, r.refused, r.slowest = r.requests+len(probes), r.refused+refused, max(r.slowest, slowest)
		if time.Now().After(deadline) {
			break
		}
	}
	waitWithin(t, time.Minute, "the new instance waits", func() bool {
		return strings.Contains(late.stderr.String(), "waiting for it")
	})

	f.standby.sql("SELECT pg_promote()")
	began, more := time.Now(), load.count()+20
	f.awaitReadiness(instances, http.StatusOK)
	waitWithin(t, time.Minute, "the load goes on", func() bool { return load.count() >= more })
	r.recovered = time.Since(began)
	late.awaitListening()
	checkProbes(t, runProbes(p.url, cookie, probes), false)
	end()
	r.checkLosses(t, p, load, receivers, 1)
	f.returnAsStandby()
	for _, p := range append(instances, late) {
		if code := p.terminate(); code != 0 {
			t.Errorf("exit code %d: %s", code, p.stderr)
		}
	}
}

// awaitReadiness waits until /readyz of every instance has a status.
func (f *failover) awaitReadiness(instances []*process, status int) {
	f.t.Helper()
	for _, p := range instances {
		waitWithin(f.t, time.Minute, fmt.Sprintf("/readyz returns %d", status), func() bool {
			return probe{"GET", "/readyz", "", 200, 503}.send(p.url, nil).status == status
		})
	}
}

// returnAsStandby starts the former primary as a read-only standby. Although it is the first in the address, a new
// instance uses the promoted server.
func (f *failover) returnAsStandby() {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.primary.data, "standby.signal"), nil, 0o644); err != nil {
		f.t.Fatal(err)
	}
	if f.network != nil {
		f.network.resume()
	}
	f.primary.start()
	p := startService(f.t, f.settings()...)
	p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel after the failover"}`)
	if n := f.standby.sql("SELECT count(*) FROM locations WHERE name = 'Hotel after the failover'"); n != "1" {
		f.t.Errorf("the promoted server has %s of the location, want 1", n)
	}
	if code := p.terminate(); code != 0 {
		f.t.Errorf("exit code %d: %s", code, p.stderr)
	}
}
