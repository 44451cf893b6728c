package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeward/internal/webhook"
)

// mailbox is the far end of a webhook: a client program that keeps every attempt which arrives whole.
type webhookReceiver struct {
	t      *testing.T
	id     string // of the webhook
	url    string
	answer func(r *http.Request, delivery string, nth int) int // the status, in its own time; nil: 200 at once
	round  atomic.Int64                                        // how often the service was killed so far

	mu          sync.Mutex
	secret      string
	check       *http.Request // the one that was made when it was registered
	parcels     map[string]*receivedDelivery
	deliveredBy map[string]string // which delivery told of a change
	seen        int               // attempts
}

// roundOf marks the context of a connection.
type roundKey struct{}

// parcel is all that arrived of one delivery.
type receivedDelivery struct {
	body     []byte
	attempts []receivedAttempt
}

// arrival is one attempt.
type receivedAttempt struct {
	at     time.Time
	round  int64
	from   string // the sender's end of the connection
	status int    // what was answered; 0 while it is not
}

// change names one change of an item's status, as the answer to it and the event of it both do.
type change struct{ ID, Status, UpdatedAt string }

func (c change) String() string { return c.ID + " " + c.Status + " " + c.UpdatedAt }

// newMailbox serves a mailbox and registers it as a webhook, for some events or for all.
func newWebhookReceiver(t *testing.T, p *process, answer func(*http.Request, string, int) int, events ...string) *webhookReceiver {
	t.Helper()
	m := &webhookReceiver{t: t, answer: answer, parcels: map[string]*receivedDelivery{}, deliveredBy: map[string]string{}}
	server := httptest.NewUnstartedServer(m)
	// An attempt belongs to the round in which its connection was made: what a killed process has sent may be read after its end.
	server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, roundKey{}, m.round.Load())
	}
	server.Start()
	t.Cleanup(server.Close)
	m.url = server.URL
	id, secret := register(p, server.URL, events...)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.id, m.secret = id, secret
	if m.check == nil {
		t.Fatal("the address was registered without a check")
	}
	body, _ := io.ReadAll(m.check.Body) // from memory
	if err := webhook.Verify(secret, m.check.Header, body, time.Now()); err != nil {
		t.Errorf("the check of the address: %v", err)
	}
	return m
}

// register has an address told of events, or of all.
func register(p *process, address string, events ...string) (id, secret string) {
	p.t.Helper()
	wish := map[string]any{"url": address}
	if len(events) > 0 {
		wish["events"] = events
	}
	body, _ := json.Marshal(wish) // texts always encode
	made := p.must(http.StatusCreated, "POST", "/v1/webhooks", string(body))
	return made["id"].(string), made["secret"].(string)
}

// event is what is read of a webhook's body.
type event struct {
	EventType string
	Payload   struct{ Item change }
}

// ServeHTTP keeps an attempt and answers it.
func (m *webhookReceiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender died in the middle of it
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		m.t.Errorf("no event arrived but %q: %v", body, err)
	}
	if e.EventType == "verification" {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.check = r.Clone(m.t.Context())
		m.check.Body = io.NopCloser(bytes.NewReader(body))
		return
	}
	delivery := r.Header.Get("Webhook-Id")
	nth := m.record(delivery, r, body, e)
	status := http.StatusOK
	if m.answer != nil {
		status = m.answer(r, delivery, nth)
	}
	m.mu.Lock()
	m.parcels[delivery].attempts[nth-1].status = status
	m.mu.Unlock()
	w.WriteHeader(status)
}

// keep notes an attempt, and tells the how manieth it is. All attempts of a delivery are signed and bring the same bytes,
// and no change is told of by two deliveries.
func (m *webhookReceiver) record(delivery string, r *http.Request, body []byte, e event) (nth int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := webhook.Verify(m.secret, r.Header, body, time.Now()); err != nil {
		m.t.Errorf("delivery %s: %v", delivery, err)
	}
	k := m.parcels[delivery]
	if k == nil {
		k = &receivedDelivery{body: body}
		m.parcels[delivery] = k
	}
	if !bytes.Equal(k.body, body) {
		m.t.Errorf("delivery %s brought\n%s and then\n%s", delivery, k.body, body)
	}
	if what := e.Payload.Item; what.ID != "" {
		if other := m.deliveredBy[what.String()]; other != "" && other != delivery {
			m.t.Errorf("both %s and %s tell of %s", other, delivery, what)
		}
		m.deliveredBy[what.String()] = delivery
	}
	m.seen++
	k.attempts = append(k.attempts, receivedAttempt{at: time.Now(), round: r.Context().Value(roundKey{}).(int64), from: r.RemoteAddr})
	return len(k.attempts)
}

// arrived tells when a change was first told of.
func (m *webhookReceiver) arrived(c change) (time.Time, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.parcels[m.deliveredBy[c.String()]]
	if k == nil {
		return time.Time{}, false
	}
	return k.attempts[0].at, true
}

// counts tells how many deliveries there were, and how many attempts.
func (m *webhookReceiver) counts() (deliveries, attempts int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.parcels), m.seen
}

// senders tells from where attempts came that are not answered yet.
func (m *webhookReceiver) senders() map[string]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	from := map[string]bool{}
	for _, k := range m.parcels {
		if last := k.attempts[len(k.attempts)-1]; last.status == 0 {
			from[last.from] = true
		}
	}
	return from
}

// delivery is one as the service shows it.
type delivery struct {
	ID, State string
	Attempts  []struct {
		Status int
		Error  string
	}
}

// deliveries lists a webhook's deliveries, at most so many, newest first.
func (p *process) deliveries(webhook, state string, most int) (list []delivery) {
	p.t.Helper()
	const limit = 100
	for page := 1; len(list) < most; page++ {
		path := fmt.Sprintf("/v1/webhooks/%s/deliveries?limit=%d&page=%d", webhook, limit, page)
		if state != "" {
			path += "&state=" + state
		}
		a, err := ask("GET", p.url+path, "")
		var l struct{ Data []delivery }
		if err != nil || a.status != http.StatusOK || json.Unmarshal(a.body, &l) != nil {
			p.t.Fatalf("GET %s answered %d: %v %s", path, a.status, err, a.body)
		}
		list = append(list, l.Data...)
		if len(l.Data) < limit {
			break
		}
	}
	return list
}

// within waits for something that happens elsewhere, for as long as it may take.
func waitWithin(t *testing.T, limit time.Duration, what string, happened func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(limit)
	for !happened() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited %v in vain until %s", limit, what)
		}
	}
}
