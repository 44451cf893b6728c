package media

import (
	"testing"
	"time"
)

func TestABurstOfUploadsIsRecognised(t *testing.T) {
	p := newPace(2)
	at := time.Unix(1_000_000, 0)
	if p.isBurst(at) {
		t.Error("without uploads, there is a burst")
	}
	for range 3 {
		p.add(at)
	}
	if p.isBurst(at) {
		t.Error("three uploads are a burst of two cores, want four")
	}
	p.add(at)
	for _, after := range []time.Duration{0, paceWindow} {
		if !p.isBurst(at.Add(after)) {
			t.Errorf("%v after four uploads, there is no burst", after)
		}
	}
	if p.isBurst(at.Add(2 * paceWindow)) {
		t.Error("the burst does not end")
	}
}

func TestBackgroundDecodingWaitsForTheEndOfABurstButNotForever(t *testing.T) {
	l := NewProcessor(t.TempDir())
	stop, stopped := make(chan struct{}), make(chan struct{})
	began := make(chan struct{})
	go func() { // a burst that does not end
		defer close(stopped)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				l.pace.add(time.Now())
			}
			if n == 100*l.pace.limit/10 {
				close(began)
			}
		}
	}()
	<-began
	start := time.Now()
	release, err := l.acquireAfterBurst(t.Context(), StaffLane, 1)
	if err != nil {
		t.Fatal(err)
	}
	release()
	if took := time.Since(start); took < paceWait {
		t.Errorf("during a burst, decoding began after %v, want at least %v", took, paceWait)
	}
	close(stop)
	<-stopped
}
