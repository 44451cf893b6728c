package app_test

import (
	"net/http"
	"testing"
	"time"

	"homeward/internal/store/storetest"
)

func TestStoreUntilCountsFromTheLocalDayOfCreation(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newConfig(t, setting))
		hotel := s.newLocation(`{"name": "Hotel", "storageDuration": 30}`)
		umbrella := s.newItem(hotel, `{"description": "Umbrella"}`)
		path := "/v1/locations/" + hotel
		made, err := time.Parse(time.RFC3339,
			s.must(http.StatusOK, "GET", path+"/items/"+umbrella, nil)["createdAt"].(string))
		if err != nil {
			t.Fatal(err)
		}
		// Kiritimati and Pago Pago are 25 hours apart, so their dates always differ.
		for _, name := range []string{"", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin"} {
			zone := time.UTC
			body := map[string]any{"timeZone": nil, "storageDuration": 30}
			if name != "" {
				body["timeZone"] = name
				if zone, err = time.LoadLocation(name); err != nil {
					t.Fatal(err)
				}
			}
			s.must(http.StatusOK, "PUT", path, body)
			want := made.In(zone).AddDate(0, 0, 30).Format(time.DateOnly)
			if got := s.must(http.StatusOK, "GET", path+"/items/"+umbrella, nil)["storeUntil"]; got != want {
				t.Errorf("in %q storeUntil is %v, want %s", name, got, want)
			}
		}
		s.must(http.StatusOK, "PUT", path+"/items/"+umbrella, `{"discoveryDate": "2028-02-28"}`)
		s.must(http.StatusOK, "PUT", path, `{"storageDuration": 2}`)
		if got := s.must(http.StatusOK, "GET", path+"/items/"+umbrella, nil)["storeUntil"]; got != "2028-03-01" {
			t.Errorf("with a day of discovery storeUntil is %v, want 2028-03-01", got)
		}
		s.must(http.StatusOK, "PUT", path, `{"storageDuration": null}`)
		if got, there := s.must(http.StatusOK, "GET", path+"/items/"+umbrella, nil)["storeUntil"]; there {
			t.Errorf("without a storage duration storeUntil is %v, want none", got)
		}
	})
}
