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

// webhookReceiver receives webhooks and records every complete attempt.
type webhookReceiver struct {
	t     *testing.T
	id    string // id of the webhook
	url   string
	round atomic.Int64 // how many times the service has been killed so far

	// respond returns the response status, possibly after a delay. If it is nil, the receiver returns 200
	// immediately.
	respond func(r *http.Request, delivery string, nth int) int

	mu          sync.Mutex
	secret      string
	check       *http.Request // the verification request sent at registration
	byID        map[string]*receivedDelivery
	deliveredBy map[string]string // delivery id by change
	seen        int               // number of attempts
}

// roundKey is the context key for the round in which a connection was made.
type roundKey struct{}

// receivedDelivery holds all received attempts of one delivery.
type receivedDelivery struct {
	body     []byte
	attempts []receivedAttempt
}

// receivedAttempt is one attempt.
type receivedAttempt struct {
	at     time.Time
	round  int64
	from   string // the sender's address
	status int    // the response status; 0 until there is a response
}

// change identifies one status change of an item, both in the response to the request and in the event.
type change struct{ ID, Status, UpdatedAt string }

func (c change) String() string { return c.ID + " " + c.Status + " " + c.UpdatedAt }

// newWebhookReceiver starts a receiver and registers it as a webhook for the given events, or for all if none are
// given.
func newWebhookReceiver(t *testing.T, p *process, respond func(*http.Request, string, int) int,
	events ...string) *webhookReceiver {
	t.Helper()
	m := &webhookReceiver{
		t: t, respond: respond, byID: map[string]*receivedDelivery{}, deliveredBy: map[string]string{},
	}
	server := httptest.NewUnstartedServer(m)
	// An attempt belongs to the round in which its connection was made, because data from a killed process may be
	// read after the process has ended.
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
		t.Fatal("the webhook was registered without verification")
	}
	body, _ := io.ReadAll(m.check.Body) // reading from memory cannot fail
	if err := webhook.Verify(secret, m.check.Header, body, time.Now()); err != nil {
		t.Errorf("the verification: %v", err)
	}
	return m
}

// register registers a webhook for the given events, or for all if none are given.
func register(p *process, address string, events ...string) (id, secret string) {
	p.t.Helper()
	registration := map[string]any{"url": address}
	if len(events) > 0 {
		registration["events"] = events
	}
	body, _ := json.Marshal(registration) // strings can always be encoded
	made := p.must(http.StatusCreated, "POST", "/v1/webhooks", string(body))
	return made["id"].(string), made["secret"].(string)
}

// event is the part of a webhook's body that tests read.
type event struct {
	EventType string
	Payload   struct{ Item change }
}

// ServeHTTP records an attempt and responds to it.
func (m *webhookReceiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender was killed while sending
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		m.t.Errorf("not an event: %q: %v", body, err)
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
	if m.respond != nil {
		status = m.respond(r, delivery, nth)
	}
	m.mu.Lock()
	m.byID[delivery].attempts[nth-1].status = status
	m.mu.Unlock()
	w.WriteHeader(status)
}

// record records an attempt and returns its number. It checks that all attempts of a delivery are signed and have the
// same body, and that no two deliveries are about the same change.
func (m *webhookReceiver) record(delivery string, r *http.Request, body []byte, e event) (nth int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := webhook.Verify(m.secret, r.Header, body, time.Now()); err != nil {
		m.t.Errorf("delivery %s: %v", delivery, err)
	}
	k := m.byID[delivery]
	if k == nil {
		k = &receivedDelivery{body: body}
		m.byID[delivery] = k
	}
	if !bytes.Equal(k.body, body) {
		m.t.Errorf("delivery %s contained\n%s and then\n%s", delivery, k.body, body)
	}
	if what := e.Payload.Item; what.ID != "" {
		if other := m.deliveredBy[what.String()]; other != "" && other != delivery {
			m.t.Errorf("the deliveries %s and %s are both about %s", other, delivery, what)
		}
		m.deliveredBy[what.String()] = delivery
	}
	m.seen++
	k.attempts = append(k.attempts,
		receivedAttempt{at: time.Now(), round: r.Context().Value(roundKey{}).(int64), from: r.RemoteAddr})
	return len(k.attempts)
}

// arrived returns when the event for a change first arrived, and false if it has not arrived.
func (m *webhookReceiver) arrived(c change) (time.Time, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.byID[m.deliveredBy[c.String()]]
	if k == nil {
		return time.Time{}, false
	}
	return k.attempts[0].at, true
}

// counts returns the number of deliveries and of attempts.
func (m *webhookReceiver) counts() (deliveries, attempts int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.byID), m.seen
}

// senders returns the addresses of the senders that are waiting for a response.
func (m *webhookReceiver) senders() map[string]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	from := map[string]bool{}
	for _, k := range m.byID {
		if last := k.attempts[len(k.attempts)-1]; last.status == 0 {
			from[last.from] = true
		}
	}
	return from
}

// delivery is a delivery as the API returns it.
type delivery struct {
	ID, State string
	Attempts  []struct {
		Status int
		Error  string
	}
}

// deliveries returns a webhook's newest deliveries in the given state, up to the given number.
func (p *process) deliveries(webhook, state string, most int) (list []delivery) {
	p.t.Helper()
	const limit = 100
	for page := 1; len(list) < most; page++ {
		path := fmt.Sprintf("/v1/webhooks/%s/deliveries?limit=%d&page=%d", webhook, limit, page)
		if state != "" {
			path += "&state=" + state
		}
		a, err := sendRequest("GET", p.url+path, "")
		var l struct{ Data []delivery }
		if err != nil || a.status != http.StatusOK || json.Unmarshal(a.body, &l) != nil {
			p.t.Fatalf("GET %s returned %d: %v %s", path, a.status, err, a.body)
		}
		list = append(list, l.Data...)
		if len(l.Data) < limit {
			break
		}
	}
	return list
}

// waitWithin fails the test if the condition does not become true within the limit.
func waitWithin(t *testing.T, limit time.Duration, what string, condition func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(limit)
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("timed out after %v waiting until %s", limit, what)
		}
	}
}
