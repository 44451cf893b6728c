package app

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"homeward/internal/web"
)

// BenchmarkRequest measures the overhead that the request id, log line and metrics add to every request.
func BenchmarkRequest(b *testing.B) {
	m := newMetrics()
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	h := web.Handler(web.Options{API: handler, Files: handler, Log: slog.New(slog.DiscardHandler), Observer: m,
		Ready: func(context.Context) error {
			return nil
		}})
	r := httptest.NewRequest(http.MethodGet, "/v1/locations", nil)
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
}
