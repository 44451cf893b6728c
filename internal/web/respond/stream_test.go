package respond_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"homeward/internal/web/respond"
)

// deadlineRecorder records the size of each write and the deadline that was set before it.
type deadlineRecorder struct {
	*httptest.ResponseRecorder
	set    int // number of deadlines
	latest time.Time
	sizes  []int
}

func (d *deadlineRecorder) SetWriteDeadline(t time.Time) error {
	d.set++
	d.latest = t
	return nil
}

func (d *deadlineRecorder) Write(p []byte) (int, error) {
	d.sizes = append(d.sizes, len(p))
	return d.ResponseRecorder.Write(p)
}

func TestTheDeadlineOfAStreamMovesWithEveryPiece(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 10_000)
	serve := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
	w := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}
	before := time.Now()
	respond.Streaming(serve).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if !bytes.Equal(w.Body.Bytes(), content) {
		t.Errorf("got %d bytes, want %d with the same content", w.Body.Len(), len(content))
	}
	if len(w.sizes) < 10 || w.set != len(w.sizes) {
		t.Errorf("%d deadlines were set for %d pieces, want one for each of at least 10", w.set, len(w.sizes))
	}
	if w.latest.Before(before.Add(respond.PartTime)) {
		t.Errorf("the last deadline is %v, want at least a minute after %v", w.latest, before)
	}
}
