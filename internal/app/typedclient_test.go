package app_test

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"homeward/internal/store/storetest"
)

var timePattern = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// respellTimes writes every time in a decoded record in a random zone and with a random number of digits, as typed
// clients do.
func respellTimes(v any, r *rand.Rand) (any, int) {
	n := 0
	switch v := v.(type) {
	case string:
		at, err := time.Parse(time.RFC3339, v)
		if err != nil || !timePattern.MatchString(v) {
			return v, 0
		}
		layout := "2006-01-02T15:04:05Z07:00"
		if digits := r.IntN(10); digits > 0 {
			layout = "2006-01-02T15:04:05." + "000000000"[:digits] + "Z07:00"
		} else if r.IntN(2) == 0 {
			layout = time.RFC3339Nano
		}
		const quarterHours = 14 * 4
		zone := time.FixedZone("", 15*60*(r.IntN(2*quarterHours+1)-quarterHours))
		return at.In(zone).Format(layout), 1
	case map[string]any:
		for name := range v {
			respelled, m := respellTimes(v[name], r)
			v[name], n = respelled, n+m
		}
	case []any:
		for i := range v {
			respelled, m := respellTimes(v[i], r)
			v[i], n = respelled, n+m
		}
	}
	return v, n
}

// A client that reads whole records, decodes them, and sends them back with times of any zone and precision is never
// refused, and changes nothing.
func TestTypedClientsSendWholeRecordsBack(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		cfg := newConfig(t, setting)
		cfg.AllowPrivate = true
		s := startService(t, cfg)
		hotel := s.newLocation(`{"name": "Hotel", "storagePlace": "Cellar", "storageDuration": 30, "country": "DE"}`)
		hat := s.newItem(hotel, `{"description": "Hat", "shipping": {"weight": 0.3}, "owner": {"phone": "030 901820"}}`)
		at := "/v1/locations/" + hotel
		s.must(http.StatusOK, "PUT", at+"/items/"+hat+"/update-status",
			`{"status": "PICKUP", "pickupDate": "2026-11-20", "closed": true}`)
		uploaded, err := s.upload(at+"/items/"+hat+"/upload-image", "image", picture("png"))
		if err != nil || uploaded.status != http.StatusOK {
			t.Fatalf("upload: %d %v", uploaded.status, err)
		}
		waitUntil(t, "the colors of the photo are known", func() bool { // a job adds them to the record
			return strings.Contains(string(s.do(s.key, "GET", at+"/items/"+hat, nil).body), `"colors"`)
		})
		request := s.must(http.StatusCreated, "POST", at+"/requests",
			`{"description": "Hat", "owner": {"email": "anna@example.com"}}`)["id"].(string)
		hook := s.must(http.StatusCreated, "POST", "/v1/webhooks",
			map[string]any{"url": newReceiver(t).url, "events": []string{"donate"}})["id"].(string)
		paths := []string{at, at + "/items/" + hat, at + "/items/" + request, "/v1/webhooks/" + hook}
		r := rand.New(rand.NewPCG(1, 2))
		respelled := 0
		for n := range 1000 {
			path := paths[n%len(paths)]
			if n%10 == 0 { // another updatedAt
				s.must(http.StatusOK, "PUT", path, map[string]any{"description": "Version " + strconv.Itoa(n)})
			}
			before := s.do(s.key, "GET", path, nil)
			record, times := respellTimes(before.record(t), r)
			respelled += times
			body, err := json.Marshal(record)
			if err != nil {
				t.Fatal(err)
			}
			after := s.do(s.key, "PUT", path, string(body))
			if after.status != http.StatusOK || string(after.body) != string(before.body) {
				t.Fatalf("%d: PUT %s %s returned %d\n%s\nbefore\n%s", n, path, body, after.status, after.body,
					before.body)
			}
		}
		if respelled < 2000 {
			t.Errorf("only %d times were sent back", respelled)
		}
	})
}
