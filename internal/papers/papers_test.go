package papers_test

import (
	"runtime"
	"sync"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/lost/paper"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// countingForms counts how many papers are printed at once.
type countingForms struct {
	testkit.Forms
	mu        sync.Mutex
	now, most int
	two       chan struct{} // closed when two papers are printed at once
}

func (f *countingForms) Paper(paper.Paper) ([]byte, error) {
	f.mu.Lock()
	f.now++
	if f.most = max(f.most, f.now); f.now == 2 && f.most == 2 {
		select {
		case <-f.two:
		default:
			close(f.two)
		}
	}
	f.mu.Unlock()
	<-f.two
	const turns = 10_000 // in which another paper could begin
	for range turns {
		runtime.Gosched()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now--
	return nil, nil
}

func TestTwoRegistersArePrintedAtOnce(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		forms := &countingForms{two: make(chan struct{})}
		s := testkit.NewServices(db, clock, func(o *services.Options) { o.Forms = forms })
		actor := testkit.CreateFirstAccount(t, s)
		l := testkit.Must(s.Locations.Create(t.Context(), actor, testkit.LocationNamed("Hotel"), lost.IdempotencyKey{}))
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if _, err := s.Papers.Register(t.Context(), actor, l.ID, "2026-11-01", "2026-11-30"); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if forms.most != 2 {
			t.Errorf("%d registers were printed at once, want 2", forms.most)
		}
	})
}
