package demo

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"homeward/internal/lost"
)

// Receivers simulates the programs that receive a demo's webhooks. These programs do not exist: host names that end
// in .example are reserved.
type Receivers struct {
	// Clock is set while the demo data is created. During that time, the receivers sometimes fail.
	Clock *Clock

	mu         sync.Mutex
	calls      int
	down       bool            // an attempt has failed since the last call to wereDown
	alwaysFail map[string]bool // deliveries that are never accepted
}

// Answers reports whether the receiver at a URL is simulated.
func (r *Receivers) Answers(address string) bool {
	u, err := url.Parse(address)
	return r != nil && err == nil && (u.Hostname() == "example" || strings.HasSuffix(u.Hostname(), ".example"))
}

// Send simulates one delivery attempt.
func (r *Receivers) Send(_ context.Context, e lost.Endpoint, d lost.Delivery, _ []byte) lost.Attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	took := time.Duration(48+r.calls*37%160) * time.Millisecond
	if r.Clock == nil || d.EventID == "" { // the demo is complete, or this is a test request
		return lost.Attempt{Status: http.StatusOK, Took: took, Response: `{"received":true}`}
	}
	switch r.status(e, d) {
	case http.StatusServiceUnavailable:
		r.down = true
		return lost.Attempt{
			Status: http.StatusServiceUnavailable, Took: took, Error: "answered 503 Service Unavailable",
			Response: "<h1>Down for maintenance</h1>",
		}
	case 0:
		r.down = true
		return lost.Attempt{Took: 10 * time.Second, Error: "no response within 10 s"}
	default:
		return lost.Attempt{Status: http.StatusOK, Took: took, Response: `{"received":true}`}
	}
}

// status returns the HTTP status of an endpoint's response, or 0 if the endpoint does not respond. One endpoint is
// down for a whole day on three occasions. Every endpoint sometimes fails to respond, and a few deliveries fail on
// every attempt.
func (r *Receivers) status(e lost.Endpoint, d lost.Delivery) int {
	if r.alwaysFail == nil {
		r.alwaysFail = map[string]bool{}
	}
	if len(d.Attempts) == 0 && r.calls%37 == 9 {
		r.alwaysFail[d.ID] = true
	}
	day := int(r.Clock.Now().Sub(r.Clock.Start()).Hours() / 24)
	switch {
	case r.alwaysFail[d.ID] || strings.Contains(e.URL, "firth") && (day == Days-2 || day == Days-19 || day == Days-52):
		return http.StatusServiceUnavailable
	case r.calls%17 == 5 && len(d.Attempts) < 2:
		return 0
	default:
		return http.StatusOK
	}
}

// wereDown reports whether an attempt has failed since the last call.
func (r *Receivers) wereDown() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	down := r.down
	r.down = false
	return down
}

// createWebhooks creates webhooks and API keys.
func (f *filler) createWebhooks(ctx context.Context) error {
	for _, p := range []lost.EndpointPatch{
		{
			URL:         lost.Set("https://pms.kaikante.example/hooks/lost-and-found"),
			Description: lost.Set("Hotel system: adds notes to guests' bookings"),
		},
		{
			URL: lost.Set("https://crm.firth-airport.example/events"), Description: lost.Set("Customer service"),
			Events: lost.Set([]string{"request", "pickup", "shipping-label"}),
		},
		{
			URL: lost.Set("https://warehouse.example/in"), Description: lost.Set("Former warehouse"),
			Enabled: lost.Set(false),
		},
	} {
		if _, err := f.Services.Webhooks.CreateEndpoint(ctx, f.owner, p, lost.IdempotencyKey{}); err != nil {
			return err
		}
	}
	_, err := f.Services.Keys.Create(ctx, f.owner,
		lost.KeyPatch{
			Name: lost.Set("Hotel system"), Locations: lost.Set([]string{f.places[0].ID}),
			Role: lost.Set(string(lost.DeskRole)),
		}, lost.IdempotencyKey{})
	if err != nil {
		return err
	}
	_, err = f.Services.Keys.Create(ctx, f.owner,
		lost.KeyPatch{Name: lost.Set("Monthly report"), ReadOnly: lost.Set(true)}, lost.IdempotencyKey{})
	return err
}
