package main_test

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"time"
)

// movers change the status of items at the same time, each of one item, and know what was acknowledged.
type loadGenerator struct {
	t     *testing.T
	items []string // their paths

	mu           sync.Mutex
	acknowledged map[string]bool // changes
	refused      map[int]int     // how often which other status was answered; 0 for no answer
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

// begin has everyone at work. End ends that.
func (l *loadGenerator) start(base string) (end func()) {
	return l.startAt(func() string { return base })
}

// beginAt is begin where each change may be made at another copy of the service.
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

// pauseUnless waits a little, or until it is done.
func pause(done <-chan struct{}, d time.Duration) {
	select {
	case <-done:
	case <-time.After(d):
	}
}

// move sets the next status of an item. What is answered with 200 must be told of, also where the
// item had the status already: then it got it by a change whose answer was lost.
func (l *loadGenerator) move(base, item string, n int) (change, bool) {
	status := []string{"PICKUP", "DONATE", "DISCARD"}[n%3]
	a, err := ask("PUT", base+item+"/update-status", `{"status": "`+status+`"}`)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil || a.status != http.StatusOK {
		l.refused[a.status]++
		return change{}, false
	}
	var c change
	if err := json.Unmarshal(a.body, &c); err != nil || c.ID == "" || c.UpdatedAt == "" {
		l.t.Errorf("a change answered %s: %v", a.body, err)
	}
	l.acknowledged[c.String()] = true
	return c, true
}

// count tells how many changes were acknowledged.
func (l *loadGenerator) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.acknowledged)
}

// missing are the acknowledged changes that a mailbox was not told of.
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
