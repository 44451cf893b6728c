package main_test

import (
	"bufio"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// addBacklog adds events for a webhook to the database, without waking a service.
func addBacklog(t *testing.T, database, account, webhook string, n int) {
	t.Helper()
	db, err := store.Open(t.Context(), database, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const atOnce = 1000
	for done := 0; done < n; done += atOnce {
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			for i := done; i < min(done+atOnce, n); i++ {
				e := lost.Event{
					Account: account, ID: lost.NewID(lost.EventID, tx.Now()), Type: lost.DonateEvent, At: tx.Now(),
				}
				e.Body = fmt.Appendf(nil, `{"eventType":"donate","number":%d}`, i)
				if _, err := tx.AddEventForEndpoint(e, webhook); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// testSharedBacklog starts several instances of the service that share a database and its backlog of deliveries. Each
// delivery is made once. If an instance is killed, the others take over its claimed deliveries when their leases
// expire, and repeat only those that it was sending.
func testSharedBacklog(t *testing.T, instances int, killOne bool) {
	const backlog = 2000
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows which process has a connection")
	}
	database := storetest.Postgres(t)
	start := func() *process {
		return startService(t, newWebhookSettings(t, database, "HOMEWARD_SECRET=the same secret on every instance")...)
	}
	first := start()
	allConnected := make(chan struct{})
	m := newWebhookReceiver(t, first, func(r *http.Request, _ string, _ int) int {
		select {
		case <-allConnected:
			return http.StatusOK
		case <-r.Context().Done():
			return senderDisconnected
		}
	})
	all := []*process{first}
	for range instances - 1 {
		all = append(all, start())
	}
	account := first.must(http.StatusOK, "GET", "/v1/account", "")["id"].(string)
	addBacklog(t, database, account, m.id, backlog)
	for _, p := range all { // makes each instance notice the backlog immediately
		p.must(http.StatusCreated, "POST", "/v1/webhooks/"+m.id+"/test", "")
	}
	var owners map[string]int
	waitWithin(t, time.Minute, "every instance has reached its limit", func() bool {
		owners = sendersOf(t, m, all)
		return len(owners) == instances*perEndpoint
	})
	if killOne {
		all[instances-1].kill()
		waitWithin(t, time.Minute, "the receiver notices that the sender was killed", func() bool {
			return len(m.senders()) == (instances-1)*perEndpoint
		})
	}
	close(allConnected)
	waitUntilSettled(t, first, m)
	again := m.checkEachOnce(backlog + instances)
	if killOne && again < perEndpoint {
		t.Errorf("%d deliveries were repeated, want at least those that the killed instance was sending", again)
	}
	made := m.attemptsBy(owners)
	if slices.Min(made) == 0 {
		t.Errorf("the instances made %v deliveries", made)
	}
	t.Logf("%d instances made %v of %d deliveries over their first connections; %d repeated", instances, made,
		backlog+instances, again)
}

// sendersOf returns, for the address of each connection that is waiting for a response, the index of its instance.
func sendersOf(t *testing.T, m *webhookReceiver, instances []*process) map[string]int {
	t.Helper()
	waiting, owners := m.senders(), map[string]int{}
	sockets := map[string]int{}
	for n, p := range instances {
		for _, inode := range socketsOf(p.cmd.Process.Pid) {
			sockets[inode] = n
		}
	}
	for from, inode := range connections(t) {
		if n, known := sockets[inode]; known && waiting[from] {
			owners[from] = n
		}
	}
	return owners
}

// socketsOf returns the socket inodes of a process, from /proc.
func socketsOf(pid int) (inodes []string) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // the pattern is valid
	for _, file := range files {
		to, _ := os.Readlink(file) // fails if the file was closed in the meantime
		if inode, ok := strings.CutPrefix(to, "socket:["); ok {
			inodes = append(inodes, strings.TrimSuffix(inode, "]"))
		}
	}
	return inodes
}

// connections returns the socket inode of each of this machine's loopback connections, by local address.
func connections(t *testing.T) map[string]string {
	t.Helper()
	table, err := os.Open("/proc/net/tcp")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = table.Close() }()
	all := map[string]string{}
	for lines := bufio.NewScanner(table); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 {
			continue
		}
		_, hex, _ := strings.Cut(fields[1], ":")
		if port, err := strconv.ParseUint(hex, 16, 16); err == nil && fields[9] != "0" {
			all[fmt.Sprintf("127.0.0.1:%d", port)] = fields[9]
		}
	}
	return all
}

// senderDisconnected is recorded as the status of an attempt if the sender was killed or timed out.
const senderDisconnected = 499

// checkEachOnce checks that the expected number of deliveries arrived, and that a delivery was repeated only if its
// sender had disconnected. It returns the number of repetitions.
func (m *webhookReceiver) checkEachOnce(want int) (again int) {
	m.t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.byID) != want {
		m.t.Errorf("%d deliveries arrived, want %d", len(m.byID), want)
	}
	for id, k := range m.byID {
		times := 1
		for _, a := range k.attempts {
			if a.status == senderDisconnected {
				times++
				again++
			}
		}
		if len(k.attempts) != times {
			m.t.Errorf("%s arrived %d times, want %d", id, len(k.attempts), times)
		}
	}
	return again
}

// attemptsBy counts the attempts made by each instance. Attempts whose sender is unknown are not counted.
func (m *webhookReceiver) attemptsBy(owners map[string]int) []int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := make([]int, 1+slices.Max(slices.Collect(maps.Values(owners))))
	for _, k := range m.byID {
		for _, a := range k.attempts {
			if owner, known := owners[a.from]; known {
				n[owner]++
			}
		}
	}
	return n
}
