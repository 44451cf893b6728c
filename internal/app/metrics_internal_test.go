package app

import (
	"testing"
	"time"

	"homeward/internal/web"
)

// BenchmarkMetrics is what counting costs a request.
func BenchmarkMetrics(b *testing.B) {
	m := newMetrics()
	b.ReportAllocs()
	for b.Loop() {
		m.Begin(web.APIDoor)
		m.End(web.APIDoor, "/v1/locations/{id}", "GET", 200, time.Millisecond)
	}
}
