package main_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Lists are read from a replica, yet show the latest writes, even those of another instance of the service. A replica
// that is behind or unavailable is not used until it is up to date again.
func TestReplicaReadsAreNeverStale(t *testing.T) {
	t.Parallel()
	db := newPostgres(t)
	follower := db.newReplica()
	instances := make([]*process, 2)
	for n := range instances {
		instances[n] = startService(t,
			newSettings(t, db.address(), "HOMEWARD_DATABASE_REPLICA="+follower.address(),
				"HOMEWARD_SECRET=the same secret on every instance")...)
	}
	writer, reader := instances[0], instances[1]
	hotel := "/v1/locations/" +
		writer.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
	written := 0
	writeAndRead := func(times int) {
		t.Helper()
		for range times {
			written++
			name := fmt.Sprintf("umbrella%04d", written)
			writer.must(http.StatusCreated, "POST", hotel+"/items", `{"description": "`+name+`"}`)
			for _, list := range []string{"/items?limit=10", "/items?limit=10&term=" + name} {
				data := reader.must(http.StatusOK, "GET", hotel+list, "")["data"].([]any)
				if len(data) == 0 || data[0].(map[string]any)["description"] != name {
					t.Fatalf("after %s was created, %s shows %v", name, list, data)
				}
			}
		}
	}
	usedAgain := func(when string) {
		t.Helper()
		before, _ := listReads(t, reader)
		waitWithin(t, time.Minute, "lists are read from the replica "+when, func() bool {
			writeAndRead(1)
			now, _ := listReads(t, reader)
			return now > before
		})
	}
	usedAgain("at first")
	doctor := exec.CommandContext(t.Context(), self(t), "doctor")
	doctor.Env = environment(newSettings(t, db.address(), "HOMEWARD_DATABASE_REPLICA="+follower.address())...)
	// The exit code is ignored, because the doctor reports that no secret is set.
	if printed, _ := doctor.CombinedOutput(); !regexp.MustCompile(`ok +HOMEWARD_DATABASE_REPLICA `).Match(printed) {
		t.Errorf("the doctor does not report that the replica is ok: %s", printed)
	}
	writeAndRead(30)

	follower.sql("SELECT pg_wal_replay_pause()")
	waitWithin(t, time.Minute, "the replica is paused", func() bool {
		return follower.sql("SELECT pg_get_wal_replay_pause_state()") == "paused"
	})
	doctor = exec.CommandContext(t.Context(), self(t), "doctor")
	doctor.Env = environment(newSettings(t, db.address(), "HOMEWARD_DATABASE_REPLICA="+follower.address())...)
	if printed, _ := doctor.CombinedOutput(); !strings.Contains(string(printed), "replay is paused on the replica") {
		t.Errorf("the doctor does not report that replay is paused: %s", printed)
	}
	before, primary := listReads(t, reader)
	writeAndRead(10)
	if there, here := listReads(t, reader); there != before || here < primary+20 {
		t.Errorf("while the replica was paused, %d lists were read from it and %d from the primary", there-before,
			here-primary)
	}
	follower.sql("SELECT pg_wal_replay_resume()")
	usedAgain("after the replica was resumed")

	follower.stop(immediately)
	writeAndRead(10)
	waitUntilReplicaIs(t, reader, "0")
	follower.start()
	usedAgain("after the replica was restarted")
	waitUntilReplicaIs(t, reader, "1")
	for _, line := range []string{"a part of the service failed", "a part of the service works again"} {
		if len(reader.stderr.lines(line, `"part":"database replica"`)) == 0 {
			t.Errorf("the log does not contain %q", line)
		}
	}

	follower.sql("SELECT pg_promote()")
	writeAndRead(10) // a promoted replica must not be used
	there, here := listReads(t, reader)
	t.Logf("%d lists were read from the replica, %d from the primary", there, here)
}

// waitUntilReplicaIs waits until the metrics of an instance show that its replica works ("1") or not ("0").
func waitUntilReplicaIs(t *testing.T, p *process, value string) {
	t.Helper()
	waitWithin(t, time.Minute, "homeward_replica_up is "+value, func() bool {
		a, err := sendRequest("GET", p.url+"/metrics", "")
		return err == nil && strings.Contains(string(a.body), "\nhomeward_replica_up "+value+"\n")
	})
}

var listReadsPattern = regexp.MustCompile(`homeward_list_reads_total\{from="(replica|primary)"\} (\d+)`)

// listReads returns how many lists an instance has read from the replica and from the primary.
func listReads(t *testing.T, p *process) (replica, primary int) {
	t.Helper()
	a, err := sendRequest("GET", p.url+"/metrics", "")
	found := listReadsPattern.FindAllStringSubmatch(string(a.body), -1)
	if err != nil || len(found) != 2 {
		t.Fatalf("the metrics contain %v: %v", found, err)
	}
	n := map[string]int{}
	for _, f := range found {
		n[f[1]], _ = strconv.Atoi(f[2]) // the pattern matches only digits
	}
	return n["replica"], n["primary"]
}
