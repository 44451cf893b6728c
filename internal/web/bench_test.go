package web_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"homeward/internal/web"
)

// uncounted is a watcher that does nothing: what it costs to be watched at all.
type uncounted struct{}

func (uncounted) Begin(web.Door)                                   {}
func (uncounted) End(web.Door, string, string, int, time.Duration) {}

// BenchmarkAround is what every request pays for its id, log line and numbers.
func BenchmarkAround(b *testing.B) {
	for name, watch := range map[string]web.Watcher{"alone": nil, "watched": uncounted{}} {
		b.Run(name, func(b *testing.B) {
			answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
			h := web.Handler(web.Doors{API: answer, Files: answer, Log: slog.New(slog.DiscardHandler), Watch: watch, Ready: func(context.Context) error { return nil }})
			r := httptest.NewRequest(http.MethodGet, "/v1/locations", nil)
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
}
