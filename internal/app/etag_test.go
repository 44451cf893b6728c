package app_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"homeward/internal/store/storetest"
)

// In each round, many clients change the same version of an item at the same time. Exactly one of them succeeds, and
// its change is the next version.
func TestOneChangeWinsEachVersion(t *testing.T) {
	t.Parallel()
	const rounds, clients = 50, 40
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newConfig(t, setting))
		hotel := s.newLocation(`{"name": "Hotel"}`)
		path := "/v1/locations/" + hotel + "/items/" + s.newItem(hotel, `{"description": "Umbrella"}`)
		tag := s.do(s.key, "GET", path, nil).header.Get("ETag")
		seen := map[string]bool{tag: true}
		for round := range rounds {
			responses := make([]response, clients)
			var all sync.WaitGroup
			for n := range clients {
				all.Go(func() { // two values, so that an earlier state comes back
					responses[n] = s.putIfMatch(path, tag, fmt.Sprintf(`{"notes": "%d"}`, round%2))
				})
			}
			all.Wait()
			won := 0
			for _, r := range responses {
				switch r.status {
				case http.StatusOK:
					won++
					tag = r.header.Get("ETag")
				case http.StatusPreconditionFailed:
				default:
					t.Fatalf("got status %d: %s", r.status, r.body)
				}
			}
			if won != 1 {
				t.Fatalf("round %d: %d changes of one version succeeded, want 1", round, won)
			}
			if current := s.do(s.key, "GET", path, nil).header.Get("ETag"); current != tag || seen[tag] {
				t.Fatalf("round %d: the tag is %s, the successful change had %s; seen before: %t", round, current, tag,
					seen[tag])
			}
			seen[tag] = true
		}
	})
}

// putIfMatch changes a record if it has the given entity tag.
func (s *service) putIfMatch(path, tag, body string) response {
	req, err := s.request(http.MethodPut, path, body)
	if err != nil {
		s.t.Error(err)
		return response{}
	}
	req.Header.Set("If-Match", tag)
	got, err := send(s.unchecked, req)
	if err != nil {
		s.t.Error(err)
	}
	return got
}
