package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/store/storetest"
)

// mirror is a client that copies an account's items. It knows only cursors and updatedSince.
type mirror struct {
	s       *service
	started time.Time
	cursor  string // empty before the first copy
	items   map[string]string
}

// get reads one page, and returns its records and the cursor of the next one.
func (m *mirror) get(query string) (data []json.RawMessage, next string, more bool) {
	req, err := m.s.request(http.MethodGet, "/v1/items?limit=100&"+query, nil)
	if err != nil {
		m.s.t.Error(err)
		return nil, "", false
	}
	got, err := send(m.s.unchecked, req)
	var page struct {
		Data  []json.RawMessage `json:"data"`
		Next  string            `json:"next"`
		Lower bool              `json:"totalIsLowerBound"`
	}
	if err == nil && got.status == http.StatusOK {
		err = json.Unmarshal(got.body, &page)
	}
	if err != nil || got.status != http.StatusOK {
		m.s.t.Errorf("GET %s: status %d, %v: %s", query, got.status, err, got.body)
	}
	return page.Data, page.Next, page.Lower
}

// apply stores a page of records.
func (m *mirror) apply(data []json.RawMessage) {
	for _, record := range data {
		var head struct {
			ID      string `json:"id"`
			Deleted bool   `json:"deleted"`
		}
		if err := json.Unmarshal(record, &head); err != nil {
			m.s.t.Error(err)
		}
		if head.Deleted {
			delete(m.items, head.ID)
		} else {
			m.items[head.ID] = string(record)
		}
	}
}

// copyAll copies all items by cursor, as they are at some time after started.
func (m *mirror) copyAll() {
	m.started = time.Now().Add(-time.Minute)
	query := ""
	for {
		data, next, _ := m.get(query)
		m.apply(data)
		if next == "" {
			return
		}
		query = "cursor=" + next
	}
}

// poll reads one page of changes. It reports whether there are more.
func (m *mirror) poll() bool {
	query := "cursor=" + m.cursor
	if m.cursor == "" {
		query = "updatedSince=" + escape(m.started.UTC().Format(time.RFC3339Nano))
	}
	data, next, more := m.get(query)
	m.apply(data)
	m.cursor = next
	return more
}

// writer makes random changes at some locations.
type writer struct {
	s         *service
	rand      *rand.Rand
	locations []string
	items     []string // paths
}

func (w *writer) do(method, path string, body any) response {
	req, err := w.s.request(method, path, body)
	if err != nil {
		w.s.t.Error(err)
		return response{}
	}
	got, err := send(w.s.unchecked, req)
	if err != nil || got.status >= 500 {
		w.s.t.Errorf("%s %s: status %d, %v: %s", method, path, got.status, err, got.body)
	}
	return got
}

// write makes one random change.
func (w *writer) write() {
	n := w.rand.IntN(100)
	if n == 99 && w.rand.IntN(10) > 0 { // locations are rarely deleted
		n = 50
	}
	location := w.locations[w.rand.IntN(len(w.locations))]
	if len(w.items) == 0 || n < 30 {
		kind, body := "items", map[string]any{"description": fmt.Sprintf("Item %x", w.rand.Uint64())}
		if n < 8 {
			kind, body["owner"] = "requests", map[string]any{"email": "ann@example.com"}
		}
		path := "/v1/locations/" + location + "/" + kind
		var made struct{ ID string }
		if got := w.do(http.MethodPost, path, body); got.status == http.StatusCreated {
			got.json(w.s.t, &made)
			w.items = append(w.items, "/v1/locations/"+location+"/items/"+made.ID)
		}
		return
	}
	at := w.rand.IntN(len(w.items))
	switch path := w.items[at]; {
	case n < 32:
		w.do(http.MethodPut, "/v1/locations/"+location, map[string]any{"storagePlace": fmt.Sprint(w.rand.IntN(9))})
	case n < 36: // most items are not requests
		w.do(http.MethodPut, strings.Replace(path, "/items/", "/requests/", 1)+"/update-status",
			map[string]any{"type": "reject", "reason": "Not found"})
	case n < 60:
		w.do(http.MethodPut, path, map[string]any{"notes": fmt.Sprint(w.rand.IntN(1000))})
	case n < 85:
		w.do(http.MethodPut, path+"/update-status", map[string]any{"status": statuses[w.rand.IntN(len(statuses))]})
	case n < 99:
		w.do(http.MethodDelete, path, nil)
		w.items = slices.Delete(w.items, at, at+1)
	default: // a location with all its items goes, and another one comes
		i := w.rand.IntN(len(w.locations))
		w.do(http.MethodDelete, "/v1/locations/"+w.locations[i], nil)
		var made struct{ ID string }
		w.do(http.MethodPost, "/v1/locations", `{"name": "Hotel"}`).json(w.s.t, &made)
		w.locations[i] = made.ID
	}
}

// writeRandomly lets four writers make random changes. The first channel has a value after some of them, and the other
// one is closed after all.
func writeRandomly(s *service, seed uint64) (written, done chan struct{}) {
	const writers = 4
	writes := 600 // for each writer
	if os.Getenv("HOMEWARD_TEST_LONG") != "" {
		writes = 2500
	}
	written, done = make(chan struct{}, 1), make(chan struct{})
	var all sync.WaitGroup
	for n := range uint64(writers) {
		w := &writer{s: s, rand: rand.New(rand.NewPCG(n, seed))}
		for range 2 {
			w.locations = append(w.locations, s.newLocation(`{"name": "Hotel"}`))
		}
		all.Go(func() {
			for n := range writes {
				w.write()
				if n%10 == 0 {
					select {
					case written <- struct{}{}:
					default:
					}
				}
			}
		})
	}
	go func() { all.Wait(); close(done) }()
	return written, done
}

// copier is a client that keeps a copy of the items. poll reads one page and reports whether there are more.
type copier interface {
	poll() bool
	position() *string // the cursor
	copied() map[string]string
}

func (m *mirror) position() *string         { return &m.cursor }
func (m *mirror) copied() map[string]string { return m.items }

// followWrites lets a client follow the changes until all are made. The client is stopped and started again at random,
// with an old cursor. In the end it must have exactly the service's data.
func followWrites(s *service, c copier, seed uint64, written, done chan struct{}) {
	s.t.Helper()
	random := rand.New(rand.NewPCG(7, seed))
	saved, polls := "", 0
	for working := true; working; polls++ {
		c.poll()
		switch random.IntN(10) {
		case 0:
			*c.position() = saved // it was stopped before it could save the newer one
		case 1, 2, 3:
			saved = *c.position()
		}
		select {
		case <-done:
			working = false
		case <-written:
		}
	}
	mustEqualService(s, c, polls)
}

// mustEqualService follows the changes until the copy is equal to the service, whose jobs may still be changing and
// deleting items.
func mustEqualService(s *service, c copier, polls int) {
	s.t.Helper()
	for until := time.Now().Add(time.Minute); ; {
		for c.poll() {
		}
		actual := &mirror{s: s, items: map[string]string{}}
		actual.copyAll()
		if maps.Equal(c.copied(), actual.items) {
			s.t.Logf("%d items are equal after %d polls", len(actual.items), polls)
			return
		}
		if time.Now().After(until) || s.t.Failed() {
			for id, record := range c.copied() {
				if actual.items[id] != record {
					s.t.Errorf("the copy has %s\nthe service %s", record, actual.items[id])
				}
			}
			s.t.Fatalf("the copy has %d items, the service %d", len(c.copied()), len(actual.items))
		}
	}
}

// A client that copies the items by cursor and then follows updatedSince has the service's data.
func TestAMirrorHasTheServicesData(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		const seed = 20
		s := startService(t, newConfig(t, setting))
		written, done := writeRandomly(s, seed)
		m := &mirror{s: s, items: map[string]string{}}
		m.copyAll()
		followWrites(s, m, seed, written, done)
	})
}
