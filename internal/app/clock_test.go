package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeward/internal/message/mailtest"
	"homeward/internal/store/storetest"
)

// steppedClock is the system clock with an adjustable offset.
type steppedClock struct{ off atomic.Int64 }

func (c *steppedClock) now() time.Time { return time.Now().Add(time.Duration(c.off.Load())) }

func (c *steppedClock) step(d time.Duration) { c.off.Add(int64(d)) }

// countingReceiver rejects the first attempt of every third delivery, and responds slowly.
type countingReceiver struct {
	mu       sync.Mutex
	accepted map[string]int // accepted attempts by delivery
	nth      map[string]int
}

func (r *countingReceiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil || strings.Contains(string(body), `"verification"`) {
		return
	}
	select {
	case <-req.Context().Done():
	case <-time.After(20 * time.Millisecond):
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	id := req.Header.Get("Webhook-Id")
	r.nth[id]++
	if r.nth[id] == 1 && id[len(id)-1]%3 == 0 {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	r.accepted[id]++
}

func (r *countingReceiver) counts() (arrived, doubled int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.accepted {
		arrived++
		doubled += n - 1
	}
	return arrived, doubled
}

// changeStatuses changes the status of an item repeatedly until done is closed, and counts the acknowledged changes.
func (s *service) changeStatuses(item string, acknowledged *atomic.Int64, done <-chan struct{}) {
	for i := 0; ; i++ {
		select {
		case <-done:
			return
		case <-time.After(10 * time.Millisecond):
		}
		body := `{"status": "` + []string{"PICKUP", "DONATE", "DISCARD"}[i%3] + `"}`
		if a := s.do(s.key, "PUT", item+"/update-status", body); a.status != http.StatusOK {
			s.t.Errorf("update-status returned %d: %s", a.status, a.body)
			continue
		}
		acknowledged.Add(1)
	}
}

// The clock jumps forward and back by an hour or more while items change, events are delivered, e-mails are sent and
// a user is logged in. Nothing is lost, only work in progress may be repeated, no work is delayed by more than the
// jump, and histories keep their order.
func TestClockStepsForwardAndBack(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		// atMostDoubled is the number of deliveries that one clock change may repeat: the attempts in progress to one
		// endpoint, plus the attempts whose result is not yet recorded.
		const clients, atMostDoubled = 3, 8 + 64
		clock, posts := &steppedClock{}, mailtest.Start(t)
		hooks := &countingReceiver{accepted: map[string]int{}, nth: map[string]int{}}
		server := httptest.NewServer(hooks)
		t.Cleanup(server.Close)
		cfg := newWebhookConfig(t, setting)
		cfg.Clock, cfg.SMTP, cfg.RetryUnit = clock.now, posts.URL(), 20*time.Millisecond
		s := startService(t, cfg)
		s.must(http.StatusCreated, "POST", "/v1/webhooks", map[string]any{"url": server.URL})
		hotel := "/v1/locations/" +
			s.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
		session := logIn(t, s)

		var acknowledged, mails atomic.Int64
		var working sync.WaitGroup
		done := make(chan struct{})
		items := make([]string, clients)
		for n := range items {
			items[n] = hotel + "/items/" +
				s.must(http.StatusCreated, "POST", hotel+"/items", `{"description": "Umbrella"}`)["id"].(string)
			working.Go(func() { s.changeStatuses(items[n], &acknowledged, done) })
		}
		enough := func() {
			t.Helper()
			wanted := acknowledged.Load() + 20
			waitUntil(t, "there is enough load", func() bool { return acknowledged.Load() >= wanted })
		}
		steps := []time.Duration{time.Hour, -2 * time.Hour, 90 * time.Minute, -40 * time.Minute, 10 * time.Minute}
		for _, d := range steps {
			enough()
			clock.step(d)
			who := fmt.Sprintf("guest%d@example.com", mails.Add(1))
			s.must(http.StatusCreated, "POST", hotel+"/items", `{"description": "Hat", "owner": {"email": "`+who+`"}}`)
			if code := session("/"); code != http.StatusOK {
				t.Errorf("after a step of %v a logged-in user gets %d", d, code)
			}
		}
		enough()
		close(done)
		working.Wait()
		// Work that was postponed while the clock was ahead is due now: no work is delayed by more than the jump.
		clock.step(61 * time.Minute)

		waitUntil(t, "every event has arrived", func() bool {
			arrived, _ := hooks.counts()
			return arrived >= int(acknowledged.Load())
		})
		waitUntil(t, "every e-mail has arrived", func() bool { return len(posts.All()) >= int(mails.Load()) })
		if _, doubled := hooks.counts(); doubled > atMostDoubled*len(steps) {
			t.Errorf("%d deliveries were repeated", doubled)
		}
		for _, item := range items {
			checkHistoryOrder(t, s, item)
		}
		arrived, doubled := hooks.counts()
		t.Logf("fault: clock steps forward and back | load: %d clients | injected: %d | requests: %d | lost: %d | "+
			"doubled: %d | mails %d of %d",
			clients, len(steps), acknowledged.Load()+mails.Load(), max(0, int(acknowledged.Load())-arrived), doubled,
			len(posts.All()), mails.Load())
		if len(posts.All()) > int(mails.Load())+len(steps) {
			t.Errorf("%d e-mails arrived, want %d", len(posts.All()), mails.Load())
		}
	})
}

// checkHistoryOrder checks that each entry in an item's history starts from the status that the previous entry set,
// and is not older than the previous entry.
func checkHistoryOrder(t *testing.T, s *service, item string) {
	t.Helper()
	lines, _ := s.listAll(item + "/history")
	slices.Reverse(lines)
	for n, line := range lines[1:] {
		if before := lines[n]; n > 0 && line["from"] != before["to"] ||
			fmt.Sprint(line["createdAt"]) < fmt.Sprint(before["createdAt"]) {
			t.Errorf("%s: %v follows %v", item, line, before)
		}
	}
}

// logIn logs in to the dashboard and returns a function that requests pages.
func logIn(t *testing.T, s *service) (visit func(path string) int) {
	t.Helper()
	res, err := s.unchecked.PostForm(s.url+"/login",
		url.Values{"email": {s.cfg.AdminEmail}, "password": {s.cfg.AdminPassword}})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return func(path string) int {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, s.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range res.Cookies() {
			r.AddCookie(c)
		}
		a, err := send(s.unchecked, r)
		if err != nil {
			t.Fatal(err)
		}
		return a.status
	}
}

// When the clock is set back, throttled users wait longer by at most that amount, and newer items are still listed
// before older ones.
func TestClockSetBackKeepsLoginsAndListOrder(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		const step = time.Hour
		clock := &steppedClock{}
		cfg := newConfig(t, setting)
		cfg.Clock = clock.now
		s := startService(t, cfg)
		logIn := func(password string) int {
			res, err := s.unchecked.PostForm(s.url+"/login",
				url.Values{"email": {s.cfg.AdminEmail}, "password": {password}})
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			return res.StatusCode
		}
		tries := 0
		for tries < 50 && logIn("a wrong password") != http.StatusTooManyRequests {
			tries++
		}
		if tries == 50 {
			t.Fatal("nobody is throttled")
		}
		hotel := s.newLocation(map[string]any{"name": "Hotel"})
		first := s.newItem(hotel, map[string]any{"description": "Hat"})
		clock.step(-step)
		second := s.newItem(hotel, map[string]any{"description": "Scarf"})
		if code := logIn(s.cfg.AdminPassword); code != http.StatusTooManyRequests {
			t.Errorf("a throttled user gets %d", code)
		}
		clock.step(step + time.Hour)
		if code := logIn(s.cfg.AdminPassword); code != http.StatusSeeOther {
			t.Errorf("after the wait a login gets %d", code)
		}
		items, _ := s.listAll("/v1/locations/" + hotel + "/items")
		if len(items) != 2 || items[0]["id"] != second || items[1]["id"] != first {
			t.Errorf("the list is %v, want %s before %s", items, second, first)
		}
	})
}
