package app_test

import (
	"net/http"
	"slices"
	"testing"

	"homeward/internal/store/storetest"
)

// listByCursor reads a list by cursor to its end, and calls between before each page except the first.
func (s *service) listByCursor(path string, between func()) (ids []string) {
	s.t.Helper()
	page := s.must(http.StatusOK, "GET", path, nil)
	for n := 1; ; n++ {
		if got := int(page["page"].(float64)); got != n {
			s.t.Errorf("page %d says that it is page %d", n, got)
		}
		for _, record := range page["data"].([]any) {
			ids = append(ids, record.(map[string]any)["id"].(string))
		}
		next, more := page["next"].(string)
		if !more {
			return ids
		}
		between()
		page = s.must(http.StatusOK, "GET", path+"&cursor="+next, nil)
	}
}

// A walk by cursor neither repeats nor skips an entry, although others are written meanwhile.
func TestTheAuditLogIsReadByCursor(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newConfig(t, setting))
		for range 35 {
			s.newLocation(`{"name": "Hotel"}`)
		}
		want, total := s.listAll("/v1/audit?action=location-created")
		if len(want) != 35 || total != 35 {
			t.Fatalf("got %d entries, total %d, want 35", len(want), total)
		}
		got := s.listByCursor("/v1/audit?action=location-created&limit=10", func() {
			s.newLocation(`{"name": "Zoo"}`)
		})
		var ids []string
		for _, entry := range want {
			ids = append(ids, entry["id"].(string))
		}
		if !slices.Equal(got, ids) {
			t.Errorf("got entries %q, want %q", got, ids)
		}
		second := s.must(http.StatusOK, "GET", "/v1/audit?limit=10&page=2", nil)
		if n := len(second["data"].([]any)); n != 10 || second["total"] != 38.0 || second["pages"] != 4.0 {
			t.Errorf("got a second page with %d entries: %v of %v pages", n, second["total"], second["pages"])
		}
		if past := s.must(http.StatusOK, "GET", "/v1/audit?limit=10&page=9", nil); len(past["data"].([]any)) != 0 ||
			past["next"] != nil {
			t.Errorf("got a page past the end: %v", past)
		}
	})
}

// Behind a trusted proxy, an entry has the address that the proxy reports. A client cannot invent one.
func TestAuditEntriesHaveTheAddressThatATrustedProxyReports(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		proxy, sent, want string
	}{
		"IPv4":                 {"127.0.0.1", "203.0.113.7", "203.0.113.7"},
		"IPv6":                 {"127.0.0.1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
		"invented by a client": {"127.0.0.1", "198.51.100.1, 203.0.113.7", "203.0.113.7"},
		"another proxy":        {"192.0.2.1", "203.0.113.7", "127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := newConfig(t, storetest.SQLite(t))
			cfg.Proxies = c.proxy
			s := startService(t, cfg)
			id, _ := s.newKey(map[string]any{"name": "Old"})
			r, err := http.NewRequest(http.MethodDelete, s.url+"/v1/keys/"+id, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header = http.Header{"Svc-Api-Key": {s.key}, "X-Forwarded-For": {c.sent}}
			if res, err := s.send(r); err != nil || res.status != http.StatusNoContent {
				t.Fatalf("got status %d, %v", res.status, err)
			}
			entries, _ := s.listAll("/v1/audit?action=key-revoked&address=" + c.want)
			if len(entries) != 1 || entries[0]["address"] != c.want {
				t.Errorf("got entries %v, want one with the address %s", entries, c.want)
			}
		})
	}
}
