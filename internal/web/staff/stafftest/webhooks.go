package stafftest

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/outbox"
	"homeward/internal/testkit"
)

// WebhookReceiver is a webhook endpoint that responds with Status.
type WebhookReceiver struct {
	*httptest.Server
	Status atomic.Int64
}

// NewWebhookReceiver starts an endpoint that responds to every request with this status.
func NewWebhookReceiver(t testing.TB, status int) *WebhookReceiver {
	r := &WebhookReceiver{}
	r.Status.Store(int64(status))
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(r.Status.Load()))
		_, _ = io.WriteString(w, "the receiver <b>says</b> so")
	}))
	t.Cleanup(r.Close)
	return r
}

// DeliverWebhooks makes the delivery attempts that are due.
func DeliverWebhooks(h *testkit.Server) {
	outbox.New(outbox.Options{
		DB: h.DB, Hooks: h.Hooks, Log: slog.New(slog.DiscardHandler),
		Observe: func(lost.DeliveryState, time.Duration) {}, KeepDeliveries: time.Hour,
	}).DeliverOnce(context.Background())
}
