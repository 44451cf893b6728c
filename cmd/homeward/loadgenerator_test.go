package main_test

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"time"
)

// loadGenerator changes the status of several items concurrently, and records what was acknowledged.
type loadGenerator struct {
	t     *testing.T
	items []string // paths

	mu           sync.Mutex
	acknowledged map[string]bool // by change
	refused      map[int]int     // number of other responses by status; 0 for no response
}

func newLoadGenerator(t *testing.T, p *process, n int) *loadGenerator {
	t.Helper()
	l := &loadGenerator{t: t, acknowledged: map[string]bool{}, refused: map[int]int{}}
	hotel := "/v1/locations/" + p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
	for range n {
		item := p.must(http.StatusCreated, "POST", hotel+"/items", `{"description": "Umbrella"}`)["id"].(string)
		l.items = append(l.items, hotel+"/items/"+item)
	}
	return l
}

// start starts changing the items. The returned function stops it.
func (l *loadGenerator) start(base string) (end func()) {
	return l.startAt(func() string { return base })
}

// startAt is start with a function that returns the address for each change, so that several instances can be used.
func (l *loadGenerator) startAt(base func() string) (end func()) {
	var working sync.WaitGroup
	done := make(chan struct{})
	for _, item := range l.items {
		working.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				if _, ok := l.move(base(), item, n); !ok {
					pause(done, 10*time.Millisecond)
				}
			}
		})
	}
	return func() {
		close(done)
		working.Wait()
	}
}

// pause waits a while, or until done is closed.
func pause(done <-chan struct{}, d time.Duration) {
	select {
	case <-done:
	case <-time.After(d):
	}
}

// move sets an item's next status. There must be an event for every 200 response. If the response to an earlier change
// was lost, the item may already have that status, and the event is the one for the earlier change.
func (l *loadGenerator) move(base, item string, n int) (change, bool) {
	status := []string{"PICKUP", "DONATE", "DISCARD"}[n%3]
	a, err := sendRequest("PUT", base+item+"/update-status", `{"status": "`+status+`"}`)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil || a.status != http.StatusOK {
		l.refused[a.status]++
		return change{}, false
	}
	var c change
	if err := json.Unmarshal(a.body, &c); err != nil || c.ID == "" || c.UpdatedAt == "" {
		l.t.Errorf("update-status returned %s: %v", a.body, err)
	}
	l.acknowledged[c.String()] = true
	return c, true
}

// count returns the number of acknowledged changes.
func (l *loadGenerator) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.acknowledged)
}

// missing returns the acknowledged changes whose events the receiver did not get.
func (l *loadGenerator) missing(m *webhookReceiver) (changes []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	for c := range l.acknowledged {
		if m.deliveredBy[c] == "" {
			changes = append(changes, c)
		}
	}
	return changes
}
