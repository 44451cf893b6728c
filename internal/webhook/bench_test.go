package webhook_test

import (
	"io"
	"net/http"
	"testing"

	"homeward/internal/webhook"
)

// BenchmarkSend sends to one host from many goroutines, like a burst of deliveries to endpoints on the same host. The
// receiver and the sender share the machine.
func BenchmarkSend(b *testing.B) {
	r := newReceiver(b, false, func(_ http.ResponseWriter, q *http.Request) { _, _ = io.Copy(io.Discard, q.Body) })
	s := newSender(b, webhook.Options{})
	b.SetParallelism(50)
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if o := s.Send(b.Context(), request(r.URL)); !o.OK() {
				b.Errorf("%+v", o)
			}
		}
	})
	b.ReportMetric(float64(r.connections.Load()), "connections")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "attempts/s")
}
