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

// write is one of many changes that are made to an item at the same time.
type write struct {
	actor  string // the name of its key: the history tells by it whose line is whose
	key    string
	path   string
	body   map[string]any
	answer answer
}

// Two hundred keys change one item at once, half of them by PUT and half by update-status. The history
// must be an order in which the changes can have been made one after the other: each
// answer shows exactly the state that this order gives after its change.
func TestTwoHundredChangesAtOnceCanBePutInOneOrder(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := start(t, settings(t, setting))
		hotel := s.location(`{"name": "Hotel"}`)
		umbrella := s.item(hotel, `{"description": "Umbrella"}`)
		path := "/v1/locations/" + hotel + "/items/" + umbrella
		writes := map[string]*write{}
		for n := range 200 {
			w := &write{actor: fmt.Sprintf("writer %d", n), path: path, body: map[string]any{"notes": fmt.Sprintf("note %d", n)}}
			if n%2 == 1 {
				w.path, w.body = path+"/update-status", map[string]any{"status": statuses[n/2%len(statuses)], "note": "moved"}
			}
			_, w.key = s.newKey(map[string]any{"name": w.actor})
			writes[w.actor] = w
		}
		var ready, done sync.WaitGroup
		ready.Add(1)
		for _, w := range writes {
			done.Go(func() {
				ready.Wait()
				w.answer = s.do(w.key, "PUT", w.path, w.body)
			})
		}
		ready.Done()
		done.Wait()

		history, total := s.all(path + "/history")
		if total != len(history) || total != 1+len(writes) {
			t.Errorf("the history has %d lines and says %d, want %d", len(history), total, 1+len(writes))
		}
		slices.Reverse(history)
		status, notes := "PENDING", ""
		for n, line := range history {
			if n == 0 {
				if line["action"] != "created" {
					t.Errorf("the history begins with %v", line)
				}
				continue
			}
			w := writes[line["actor"].(map[string]any)["name"].(string)]
			if w == nil || w.answer.status != http.StatusOK {
				t.Fatalf("line %d tells of a change that was not acknowledged: %v", n, line)
			}
			delete(writes, w.actor)
			if line["action"] == "status-changed" {
				if line["from"] != status {
					t.Fatalf("line %d goes on from %v, but the line before left %s: %v", n, line["from"], status, line)
				}
				status = line["to"].(string)
			}
			if to, moved := w.body["status"]; moved && to != status {
				t.Errorf("line %d should have moved the item to %v, it is %s", n, to, status)
			} else if !moved {
				notes = w.body["notes"].(string)
			}
			if got := w.answer.record(t); got["status"] != status || text(got["notes"]) != notes {
				t.Fatalf("line %d, by %s: the answer showed %v and %v, the order gives %s and %s", n, w.actor, got["status"], got["notes"], status, notes)
			}
		}
		for actor, w := range writes {
			t.Errorf("the change of %s was answered %d and is not in the history", actor, w.answer.status)
		}
		final := s.must(http.StatusOK, "GET", path, nil)
		if final["status"] != status || text(final["notes"]) != notes {
			t.Errorf("the item is %v with %v, its history ends at %s with %s", final["status"], final["notes"], status, notes)
		}
		checkItem(t, s, path, final)
		checkCounts(t, s, hotel)
	})
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// checkCounts compares the totals of a location's lists with what is in them.
func checkCounts(t *testing.T, s *service, location string) {
	t.Helper()
	path := "/v1/locations/" + location + "/items"
	items, total := s.all(path)
	if total != len(items) {
		t.Errorf("the list says %d, it has %d", total, len(items))
	}
	for _, status := range statuses {
		of := 0
		for _, i := range items {
			if i["status"] == status {
				of++
			}
		}
		listed, total := s.all(path + "?status=" + escape(status))
		if len(listed) != of || total != of {
			t.Errorf("%d items are %s, their list has %d and says %d", of, status, len(listed), total)
		}
	}
}

// Creates, moves and deletes at one location at once leave the counts right.
func TestCountsStayRightUnderConcurrentCreatesMovesAndDeletes(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := start(t, settings(t, setting))
		hotel := s.location(`{"name": "Hotel"}`)
		path := "/v1/locations/" + hotel + "/items"
		var working sync.WaitGroup
		for n := range 8 {
			working.Go(func() {
				for m := range 12 {
					a := s.do(s.key, "POST", path, fmt.Sprintf(`{"description": "Item %d of %d"}`, m, n))
					if a.status != http.StatusCreated {
						t.Errorf("create answered %d: %s", a.status, a.body)
						return
					}
					one := path + "/" + a.record(t)["id"].(string)
					if a := s.do(s.key, "PUT", one+"/update-status", map[string]string{"status": statuses[(n+m)%len(statuses)]}); a.status != http.StatusOK {
						t.Errorf("move answered %d: %s", a.status, a.body)
					}
					if m%3 == 0 {
						if a := s.do(s.key, "DELETE", one, nil); a.status != http.StatusNoContent {
							t.Errorf("delete answered %d: %s", a.status, a.body)
						}
					}
				}
			})
		}
		working.Wait()
		checkCounts(t, s, hotel)
		if _, total := s.all(path); total != 8*8 {
			t.Errorf("there are %d items, want %d", total, 8*8)
		}
	})
}

func TestOneIdempotencyKeySentByManyAtOnceMakesOneRecord(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := start(t, settings(t, setting))
		hotel := s.location(`{"name": "Hotel"}`)
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
					t.Errorf("create answered %d: %v %s", a.status, err, a.body)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				made[string(a.body)]++
			})
		}
		working.Wait()
		if len(made) != 1 {
			t.Errorf("%d different answers: %v", len(made), made)
		}
		if items, _ := s.all("/v1/locations/" + hotel + "/items"); len(items) != 1 {
			t.Errorf("%d records, want one", len(items))
		}
	})
}
