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

// counter counts when the test allows it.
type counter struct {
	mu    sync.Mutex
	now   time.Time
	begun chan string
	let   chan error
}

func newCounter(t *testing.T) (*counter, *statsCache) {
	t.Helper()
	c := &counter{now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC), begun: make(chan string), let: make(chan error)}
	kept := newStatsCache(c.clock, func(ctx context.Context, of tallyKey) (*lost.MonthlyCounts, error) {
		select {
		case c.begun <- of.location:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		select {
		case err := <-c.let:
			counted := lost.NewMonthlyCounts(of.zone, c.clock())
			if of.location != "empty" {
				counted.Add(lost.FindFacts{CreatedAt: c.clock()})
			}
			return counted, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	t.Cleanup(kept.close)
	return c, kept
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
	c, kept := newCounter(t)
	kept.patience = time.Minute
	var asking sync.WaitGroup
	for range 5 { // concurrent callers share one count
		asking.Go(func() {
			if got, err := kept.get(t.Context(), "acc", at("hotel")); err != nil || got.missing != 0 ||
				got.tallies[0] == nil {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	<-c.begun
	c.let <- nil
	asking.Wait()
	first := c.clock()
	c.advance(tallyLife - 1)
	if got, _ := kept.get(t.Context(), "acc", at("hotel")); !got.asOf.Equal(first) {
		t.Errorf("counted again too soon: %v", got.asOf)
	}
	c.advance(1)
	got, _ := kept.get(t.Context(), "acc", at("hotel")) // does not wait: the counter is still blocked
	if !got.asOf.Equal(first) || <-c.begun != "hotel" {
		t.Errorf("as of %v", got.asOf)
	}
	c.let <- errors.New("the database is away")
	kept.done.Wait()
	if got, err := kept.get(t.Context(), "acc", at("hotel")); err != nil || !got.asOf.Equal(first) {
		t.Errorf("after a failure: %v, %v", got.asOf, err)
	}
	<-c.begun
	c.let <- nil
	kept.done.Wait()
	if got, _ := kept.get(t.Context(), "acc", at("hotel")); !got.asOf.After(first) {
		t.Errorf("still as of %v", got.asOf)
	}
}

func TestTheWaitForTheFirstNumbersIsBounded(t *testing.T) {
	c, kept := newCounter(t)
	kept.patience = 0
	got, err := kept.get(t.Context(), "acc", at("hotel", "zoo"))
	if err != nil || got.missing != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	<-c.begun
	c.let <- nil
	<-c.begun // one after the other
	if got, _ := kept.get(t.Context(), "acc", at("hotel", "zoo")); got.missing != 1 || got.tallies[0] == nil ||
		got.tallies[1] != nil {
		t.Errorf("%+v", got)
	}
	c.let <- errors.New("the database is away")
	kept.done.Wait()
	if _, err := kept.get(t.Context(), "acc", at("hotel", "zoo")); err == nil {
		t.Error("a first count that failed is passed over")
	}
}

func TestUncountedLocationsAreCountedFirst(t *testing.T) {
	c, kept := newCounter(t)
	kept.patience = 0
	_, _ = kept.get(t.Context(), "acc", at("a", "b", "c"))
	for range 3 {
		<-c.begun
		c.let <- nil
	}
	kept.done.Wait()
	c.advance(tallyLife)
	_, _ = kept.get(t.Context(), "acc", at("a", "b", "c"))
	first := <-c.begun
	_, _ = kept.get(t.Context(), "acc", at("new"))
	c.let <- nil
	if next := <-c.begun; first != "a" || next != "new" {
		t.Errorf("first %s, then %s", first, next)
	}
}

func TestTheStatsCacheIsBounded(t *testing.T) {
	c, kept := newCounter(t)
	kept.patience, kept.most = 0, 3
	for n := range 5 {
		_, _ = kept.get(t.Context(), "acc", at(fmt.Sprint(n)))
		<-c.begun
		c.let <- nil
		kept.done.Wait()
		c.advance(time.Second)
	}
	if len(kept.known) != 3 || kept.known[tallyKey{"acc", "4", ""}] == nil ||
		kept.known[tallyKey{"acc", "1", ""}] != nil {
		t.Errorf("%d are remembered", len(kept.known))
	}
	_, _ = kept.get(t.Context(), "acc", at("a", "b", "c", "d", "e")) // all of them wait to be counted
	if len(kept.known) != 3 {
		t.Errorf("%d are remembered", len(kept.known))
	}
}

func TestEmptyLocationsAreNotCached(t *testing.T) {
	c, kept := newCounter(t)
	kept.patience = time.Minute
	for range 2 {
		done := make(chan counted)
		go func() {
			got, err := kept.get(t.Context(), "acc", at("empty"))
			if err != nil {
				t.Error(err)
			}
			done <- got
		}()
		<-c.begun // whenever somebody asks
		c.let <- nil
		if got := <-done; got.missing != 0 || got.tallies[0] == nil {
			t.Errorf("%+v", got)
		}
	}
}
