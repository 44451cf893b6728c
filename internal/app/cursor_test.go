package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"homeward/internal/store/storetest"
)

// A walk by cursor neither repeats nor skips a record, although others are added and deleted meanwhile.
func TestListsAreReadByCursor(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newConfig(t, setting))
		hotel, zoo := s.newLocation(`{"name": "Hotel"}`), s.newLocation(`{"name": "Zoo"}`)
		at := "/v1/locations/" + hotel
		var item string
		for n := range 35 {
			item = s.newItem(hotel, fmt.Sprintf(`{"description": "Leather bag %d", "discoveryDate": "2026-01-02"}`, n))
			if n%5 == 0 {
				s.newItem(zoo, `{"description": "Leather glove"}`)
			}
		}
		for n := range 24 {
			s.newRequest(hotel, `{"description": "Hat", "owner": {"email": "ann@example.com"}}`)
			s.must(http.StatusOK, "PUT", at+"/items/"+item+"/update-status",
				map[string]any{"status": statuses[n%2*7], "note": "moved"})
		}
		for _, path := range []string{
			at + "/items?limit=10", at + "/items?limit=10&status=PENDING&status=DONATE&source=found",
			at + "/items?limit=10&term=leather", at + "/items?limit=10&term=bag+leather",
			at + "/items?limit=10&from=2026-01-01",
			at + "/requests?limit=10", at + "/requests?limit=10&state=PENDING",
			"/v1/items?limit=10", "/v1/items?limit=10&location=" + hotel + "&location=" + zoo,
			"/v1/items?limit=10&term=leather",
			"/v1/items?limit=10&from=2026-01-01", "/v1/requests?limit=10", at + "/items/" + item + "/history?limit=10",
			"/v1/events?limit=10",
		} {
			var want []string
			records, total := s.listAll(strings.Replace(strings.Replace(path, "limit=10&", "", 1), "?limit=10", "", 1))
			for _, r := range records {
				want = append(want, r["id"].(string))
			}
			got := s.listByCursor(path, func() {
				added := s.newItem(hotel, `{"description": "Leather belt", "discoveryDate": "2026-01-02"}`)
				s.must(http.StatusNoContent, "DELETE", at+"/items/"+added, nil)
				s.newRequest(zoo, `{"description": "Glove", "owner": {"email": "ann@example.com"}}`)
			})
			if len(want) < 11 || total != len(want) || !slices.Equal(got, want) {
				t.Errorf("%s: got %d records by cursor, want %d of %d in the same order\n%q\n%q", path, len(got),
					len(want), total, got, want)
			}
		}
	})
}

func TestListsByValueHaveSeveralPages(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newConfig(t, setting))
		hotel := s.newLocation(`{"name": "Hotel", "country": "DE"}`)
		for range 21 {
			s.newItem(hotel, `{"description": "Ring", "value": {"amount": 45000}}`)
		}
		for _, path := range []string{"/v1/locations/" + hotel + "/items", "/v1/items"} {
			for page, want := range []int{10, 10, 1} {
				list := s.must(http.StatusOK, "GET", fmt.Sprintf("%s?minValue=1&page=%d", path, page+1), nil)
				if n := len(list["data"].([]any)); n != want || list["total"] != 21.0 {
					t.Errorf("%s, page %d: got %d of %v, want %d of 21", path, page+1, n, list["total"], want)
				}
			}
		}
	})
}

// A key that is limited to a location sees only its items, in lists across locations and in changes.
func TestListsAcrossLocationsRespectTheKey(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newConfig(t, setting))
		hotel, zoo := s.newLocation(`{"name": "Hotel"}`), s.newLocation(`{"name": "Zoo"}`)
		mine := s.newItem(hotel, `{"description": "Umbrella"}`)
		s.newItem(zoo, `{"description": "Umbrella"}`)
		_, limited := s.newKey(map[string]any{"name": "Hotel", "locations": []string{hotel}})
		_, logger := s.newKey(map[string]any{"name": "Logger", "role": "logger"})
		for _, query := range []string{"", "?term=umbrella", "?location=" + zoo + "&location=" + hotel} {
			var list struct {
				Data  []struct{ ID string }
				Total int
			}
			s.do(limited, "GET", "/v1/items"+query, nil).json(t, &list)
			if len(list.Data) != 1 || list.Data[0].ID != mine || list.Total != 1 {
				t.Errorf("%s: got %+v, want only %s", query, list, mine)
			}
		}
		for _, query := range []string{"?location=" + zoo, "?updatedSince=2026-01-01T00:00:00Z&location=" + zoo} {
			var list struct{ Data []struct{ ID string } }
			s.do(limited, "GET", "/v1/items"+query, nil).json(t, &list)
			if len(list.Data) != 0 {
				t.Errorf("%s: got %+v, want nothing", query, list)
			}
		}
		if got := s.do(logger, "GET", "/v1/items", nil); got.status != http.StatusForbidden {
			t.Errorf("a logger got status %d, want 403", got.status)
		}
	})
}
