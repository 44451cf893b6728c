package desk

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"homeward/internal/lost"
)

// counter is a fake count function that blocks until the test releases it.
type counter struct {
	mu      sync.Mutex
	now     time.Time
	started chan string
	release chan error
}

func newCounter(t *testing.T) (*counter, *statsCache) {
	t.Helper()
	c := &counter{
		now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC), started: make(chan string), release: make(chan error),
	}
	cache := newStatsCache(c.clock, func(ctx context.Context, of statsKey) (*lost.MonthlyCounts, error) {
		select {
		case c.started <- of.location:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		select {
		case err := <-c.release:
			counted := lost.NewMonthlyCounts(of.zone, c.clock())
			if of.location != "empty" {
				counted.Add(lost.FindFacts{CreatedAt: c.clock()})
			}
			return counted, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	t.Cleanup(cache.close)
	return c, cache
}

func (c *counter) clock() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *counter) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func at(ids ...string) (places []lost.LocationName) {
	for _, id := range ids {
		places = append(places, lost.LocationName{ID: id})
	}
	return places
}

func TestOldNumbersAreShownWhileNewOnesAreCounted(t *testing.T) {
	c, cache := newCounter(t)
	cache.maxWait = time.Minute
	var callers sync.WaitGroup
	for range 5 { // all callers share one count
		callers.Go(func() {
			if got, err := cache.get(t.Context(), "acc", at("hotel")); err != nil || got.missing != 0 ||
				got.counts[0] == nil {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	<-c.started
	c.release <- nil
	callers.Wait()
	first := c.clock()
	c.advance(statsLife - 1)
	if got, _ := cache.get(t.Context(), "acc", at("hotel")); !got.asOf.Equal(first) {
		t.Errorf("counted again too soon: as of %v", got.asOf)
	}
	c.advance(1)
	got, _ := cache.get(t.Context(), "acc", at("hotel")) // does not wait for the blocked counter
	if !got.asOf.Equal(first) || <-c.started != "hotel" {
		t.Errorf("got counts as of %v, want the old ones", got.asOf)
	}
	c.release <- errors.New("database unavailable")
	cache.done.Wait()
	if got, err := cache.get(t.Context(), "acc", at("hotel")); err != nil || !got.asOf.Equal(first) {
		t.Errorf("after a failure: %v, %v", got.asOf, err)
	}
	<-c.started
	c.release <- nil
	cache.done.Wait()
	if got, _ := cache.get(t.Context(), "acc", at("hotel")); !got.asOf.After(first) {
		t.Errorf("got counts as of %v, want new ones", got.asOf)
	}
}

func TestTheWaitForTheFirstNumbersIsBounded(t *testing.T) {
	c, cache := newCounter(t)
	cache.maxWait = 0
	got, err := cache.get(t.Context(), "acc", at("hotel", "zoo"))
	if err != nil || got.missing != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	<-c.started
	c.release <- nil
	<-c.started // the second location is counted after the first
	if got, _ := cache.get(t.Context(), "acc", at("hotel", "zoo")); got.missing != 1 || got.counts[0] == nil ||
		got.counts[1] != nil {
		t.Errorf("%+v", got)
	}
	c.release <- errors.New("database unavailable")
	cache.done.Wait()
	if _, err := cache.get(t.Context(), "acc", at("hotel", "zoo")); err == nil {
		t.Error("the error of a failed first count is not returned")
	}
}

func TestUncountedLocationsAreCountedFirst(t *testing.T) {
	c, cache := newCounter(t)
	cache.maxWait = 0
	_, _ = cache.get(t.Context(), "acc", at("a", "b", "c"))
	for range 3 {
		<-c.started
		c.release <- nil
	}
	cache.done.Wait()
	c.advance(statsLife)
	_, _ = cache.get(t.Context(), "acc", at("a", "b", "c"))
	first := <-c.started
	_, _ = cache.get(t.Context(), "acc", at("new"))
	c.release <- nil
	if next := <-c.started; first != "a" || next != "new" {
		t.Errorf("counted %s, then %s", first, next)
	}
}

func TestTheStatsCacheIsBounded(t *testing.T) {
	c, cache := newCounter(t)
	cache.maxWait, cache.maxLocations = 0, 3
	for n := range 5 {
		_, _ = cache.get(t.Context(), "acc", at(fmt.Sprint(n)))
		<-c.started
		c.release <- nil
		cache.done.Wait()
		c.advance(time.Second)
	}
	if len(cache.cached) != 3 || cache.cached[statsKey{"acc", "4", ""}] == nil ||
		cache.cached[statsKey{"acc", "1", ""}] != nil {
		t.Errorf("%d locations are cached, want 3", len(cache.cached))
	}
	_, _ = cache.get(t.Context(), "acc", at("a", "b", "c", "d", "e")) // all wait to be counted, so none is evicted
	if len(cache.cached) != 3 {
		t.Errorf("%d locations are cached, want 3", len(cache.cached))
	}
}

func TestEmptyLocationsAreNotCached(t *testing.T) {
	c, cache := newCounter(t)
	cache.maxWait = time.Minute
	for range 2 {
		done := make(chan counted)
		go func() {
			got, err := cache.get(t.Context(), "acc", at("empty"))
			if err != nil {
				t.Error(err)
			}
			done <- got
		}()
		<-c.started // an empty location is counted on every call
		c.release <- nil
		if got := <-done; got.missing != 0 || got.counts[0] == nil {
			t.Errorf("%+v", got)
		}
	}
}
