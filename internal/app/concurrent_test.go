package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"homeward/internal/store/storetest"
)

var statuses = []string{"PENDING", "INFO COMPLETED", "FEE PAID", "SHIPPED", "DELIVERED", "DISCARD", "PICKUP", "DONATE"}

// write is one of many concurrent changes to an item.
type write struct {
	actor    string // the name of its API key, which identifies the change in the history
	key      string
	path     string
	body     map[string]any
	response response
}

// Two hundred API keys change one item at the same time, half with PUT and half with update-status. The history must
// be a serial order of the changes, in which each response contains exactly the state after its change.
func TestConcurrentChangesAreSerializable(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newConfig(t, setting))
		hotel := s.newLocation(`{"name": "Hotel"}`)
		umbrella := s.newItem(hotel, `{"description": "Umbrella"}`)
		path := "/v1/locations/" + hotel + "/items/" + umbrella
		writes := map[string]*write{}
		for n := range 200 {
			w := &write{
				actor: fmt.Sprintf("writer %d", n), path: path,
				body: map[string]any{"notes": fmt.Sprintf("note %d", n)},
			}
			if n%2 == 1 {
				w.path, w.body = path+"/update-status",
					map[string]any{"status": statuses[n/2%len(statuses)], "note": "moved"}
			}
			_, w.key = s.newKey(map[string]any{"name": w.actor})
			writes[w.actor] = w
		}
		var ready, done sync.WaitGroup
		ready.Add(1)
		for _, w := range writes {
			done.Go(func() {
				ready.Wait()
				w.response = s.do(w.key, "PUT", w.path, w.body)
			})
		}
		ready.Done()
		done.Wait()

		status, notes := checkSerial(t, s, path, writes)
		final := s.must(http.StatusOK, "GET", path, nil)
		if final["status"] != status || text(final["notes"]) != notes {
			t.Errorf("the item is %v with %v, its history ends with %s and %s", final["status"], final["notes"], status,
				notes)
		}
		checkItem(t, s, path, final)
		checkCounts(t, s, hotel)
	})
}

// checkSerial replays an item's history and compares each response with the state after its change. It returns the
// final status and notes.
func checkSerial(t *testing.T, s *service, path string, writes map[string]*write) (status, notes string) {
	t.Helper()
	history, total := s.listAll(path + "/history")
	if total != len(history) || total != 1+len(writes) {
		t.Errorf("the history has %d entries and a total of %d, want %d", len(history), total, 1+len(writes))
	}
	slices.Reverse(history)
	status = "PENDING"
	for n, line := range history {
		if n == 0 {
			if line["action"] != "created" {
				t.Errorf("the first entry is %v", line)
			}
			continue
		}
		w := writes[line["actor"].(map[string]any)["name"].(string)]
		if w == nil || w.response.status != http.StatusOK {
			t.Fatalf("entry %d is about a change that was not acknowledged: %v", n, line)
		}
		delete(writes, w.actor)
		if line["action"] == "status-changed" {
			if line["from"] != status {
				t.Fatalf("entry %d continues from %v, but the previous one ended with %s: %v", n, line["from"],
					status, line)
			}
			status = line["to"].(string)
		}
		if to, moved := w.body["status"]; moved && to != status {
			t.Errorf("entry %d should have set the status %v, it is %s", n, to, status)
		} else if !moved {
			notes = w.body["notes"].(string)
		}
		if got := w.response.record(t); got["status"] != status || text(got["notes"]) != notes {
			t.Fatalf("entry %d, by %s: the response has %v and %v, the history %s and %s", n, w.actor, got["status"],
				got["notes"], status, notes)
		}
	}
	for actor, w := range writes {
		t.Errorf("the change of %s returned %d and is not in the history", actor, w.response.status)
	}
	return status, notes
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// checkCounts compares the total of each of a location's lists with the number of items in it.
func checkCounts(t *testing.T, s *service, location string) {
	t.Helper()
	path := "/v1/locations/" + location + "/items"
	items, total := s.listAll(path)
	if total != len(items) {
		t.Errorf("total %d, but %d items", total, len(items))
	}
	for _, status := range statuses {
		of := 0
		for _, i := range items {
			if i["status"] == status {
				of++
			}
		}
		listed, total := s.listAll(path + "?status=" + escape(status))
		if len(listed) != of || total != of {
			t.Errorf("%d items are %s, but their list has %d with total %d", of, status, len(listed), total)
		}
	}
}

func TestCountsStayCorrectUnderConcurrentChanges(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newConfig(t, setting))
		hotel := s.newLocation(`{"name": "Hotel"}`)
		path := "/v1/locations/" + hotel + "/items"
		var working sync.WaitGroup
		for n := range 8 {
			working.Go(func() {
				for m := range 12 {
					a := s.do(s.key, "POST", path, fmt.Sprintf(`{"description": "Item %d of %d"}`, m, n))
					if a.status != http.StatusCreated {
						t.Errorf("create returned %d: %s", a.status, a.body)
						return
					}
					one := path + "/" + a.record(t)["id"].(string)
					if a := s.do(s.key, "PUT", one+"/update-status",
						map[string]string{"status": statuses[(n+m)%len(statuses)]}); a.status != http.StatusOK {
						t.Errorf("move returned %d: %s", a.status, a.body)
					}
					if m%3 == 0 {
						if a := s.do(s.key, "DELETE", one, nil); a.status != http.StatusNoContent {
							t.Errorf("delete returned %d: %s", a.status, a.body)
						}
					}
				}
			})
		}
		working.Wait()
		checkCounts(t, s, hotel)
		if _, total := s.listAll(path); total != 8*8 {
			t.Errorf("there are %d items, want %d", total, 8*8)
		}
	})
}

func TestConcurrentRequestsWithOneIdempotencyKeyCreateOneRecord(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newConfig(t, setting))
		hotel := s.newLocation(`{"name": "Hotel"}`)
		var mu sync.Mutex
		made := map[string]int{}
		var working sync.WaitGroup
		for range 20 {
			working.Go(func() {
				r, err := s.request("POST", "/v1/locations/"+hotel+"/items", `{"description": "Umbrella"}`)
				if err != nil {
					t.Error(err)
					return
				}
				r.Header.Set("Idempotency-Key", "once")
				a, err := s.send(r)
				if err != nil || a.status != http.StatusCreated {
					t.Errorf("create returned %d: %v %s", a.status, err, a.body)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				made[string(a.body)]++
			})
		}
		working.Wait()
		if len(made) != 1 {
			t.Errorf("%d different responses: %v", len(made), made)
		}
		if items, _ := s.listAll("/v1/locations/" + hotel + "/items"); len(items) != 1 {
			t.Errorf("%d records, want one", len(items))
		}
	})
}
