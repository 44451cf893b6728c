package api_test

import (
	"crypto/rand"
	"net/http"
	"strconv"
	"testing"

	"homeward/internal/lost"
)

// Many wrong keys from one client are paced, and valid keys from the same client keep working.
func TestWrongAPIKeysArePaced(t *testing.T) {
	s := newService(t)
	const path = "/v1/locations"
	valid := func(key string) {
		t.Helper()
		if a := s.ask("GET", path, "", "svc-api-key", key); a.status != http.StatusOK {
			t.Errorf("a valid key: got status %d, want 200: %s", a.status, a.body)
		}
	}
	valid(s.key)
	refused, paced := 0, 0
	for range 100 {
		switch a := s.ask("GET", path, "", "svc-api-key", "hw_"+rand.Text()); a.status {
		case http.StatusUnauthorized:
			refused++
		case http.StatusTooManyRequests:
			paced++
			if seconds, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || seconds < 1 || seconds > 5 {
				t.Errorf("got Retry-After %q, want 1 to 5", a.header.Get("Retry-After"))
			}
		default:
			t.Fatalf("a wrong key: got status %d: %s", a.status, a.body)
		}
		valid(s.key)
	}
	if refused < 30 || refused > 60 || paced == 0 {
		t.Errorf("%d wrong keys were refused and %d were paced, want 30 to 60 and the rest", refused, paced)
	}
	// A key that this instance has never seen works at once, too.
	owner, err := s.desk.Keys.Authenticate(t.Context(), s.key)
	if err != nil {
		t.Fatal(err)
	}
	key, err := s.desk.Keys.Create(t.Context(), owner, lost.KeyPatch{Name: lost.Set("New")}, lost.IdempotencyKey{})
	if err != nil {
		t.Fatal(err)
	}
	valid(key.Secret)
}

// A program with a revoked key sends it again and again, so the answer is remembered for a moment.
func TestAWrongKeyIsLookedUpOnce(t *testing.T) {
	s := newService(t)
	wrong := "hw_" + rand.Text()
	if s.desk.Keys.Remembers(wrong) {
		t.Error("a key that was never sent is remembered")
	}
	for range 3 {
		s.want(http.StatusUnauthorized, "GET", "/v1/locations", "", "svc-api-key", wrong)
	}
	if !s.desk.Keys.Remembers(wrong) {
		t.Error("a wrong key is looked up each time it is sent")
	}
	if use := s.desk.Keys.CacheUse(); use.Misses > 1 {
		t.Errorf("a wrong key was looked up %d times, want once", use.Misses)
	}
}

// Many unknown websites from one client are paced, and known websites of the same client keep working.
func TestUnknownWebsitesArePaced(t *testing.T) {
	s := newService(t)
	owner, err := s.desk.Keys.Authenticate(t.Context(), s.key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.desk.Keys.Create(t.Context(), owner, lost.KeyPatch{
		Name: lost.Set("Website"), Origins: lost.Set([]string{"https://hotel.example"}),
	}, lost.IdempotencyKey{}); err != nil {
		t.Fatal(err)
	}
	ask := func(origin string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, s.url+"/v1/locations/loc_1/requests", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", origin)
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		return a.StatusCode
	}
	count := map[int]int{}
	for n := range 100 {
		count[ask("https://site"+strconv.Itoa(n)+".example")]++
		if status := ask("https://hotel.example"); status != http.StatusNoContent {
			t.Fatalf("a known website: got status %d, want 204", status)
		}
	}
	if n := count[http.StatusMethodNotAllowed]; n < 30 || n > 60 || count[http.StatusTooManyRequests] != 100-n {
		t.Errorf("got the statuses %v, want 405 for 30 to 60 unknown websites and 429 for the rest", count)
	}
}
