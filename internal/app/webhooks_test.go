package app_test

import (
	"bytes"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"homeward/internal/app"
	"homeward/internal/store/storetest"
)

// eventTypes maps each status to the event that a change to it sends.
var eventTypes = map[string]string{
	"PICKUP": "pickup", "DISCARD": "discard", "DONATE": "donate", "FEE PAID": "shipping-label",
}

// newWebhookConfig returns settings that allow webhooks to this machine.
func newWebhookConfig(t *testing.T, database string) app.Config {
	cfg := newConfig(t, database)
	cfg.AllowPrivate = true
	return cfg
}

// addWebhook registers a receiver, and returns the webhook's path and secret.
func (s *service) addWebhook(r *receiver, events ...string) (path, secret string) {
	s.t.Helper()
	made := s.must(http.StatusCreated, "POST", "/v1/webhooks", map[string]any{"url": r.url, "events": events})
	r.reset() // discard the verification request
	return "/v1/webhooks/" + made["id"].(string), made["secret"].(string)
}

// getRaw requests a record and returns the response's body.
func (s *service) getRaw(path string) string {
	s.t.Helper()
	a := s.do(s.key, "GET", path, nil)
	if a.status != http.StatusOK {
		s.t.Fatalf("GET %s returned %d: %s", path, a.status, a.body)
	}
	return strings.TrimSpace(string(a.body))
}

// Every status change that has an event sends it once, with the item as it was at that time. No other change sends an
// event. Later changes to the item do not change the event.
func TestEventContainsTheItemAsItCanBeRead(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newWebhookConfig(t, setting))
		r := newReceiver(t)
		hook, secret := s.addWebhook(r)
		hotel := s.newLocation(`{"name": "Hotel", "storagePlace": "Cellar", "storageDuration": 30,
			"timeZone": "Europe/Berlin"}`)
		path := "/v1/locations/" + hotel + "/items/" + s.newItem(hotel,
			`{"description": "<Black> & \"grün\" \u2028 umbrella", "discoveryDate": "2026-11-14",
			"shipping": {"weight": 0.25, "weightUnit": "kg", "boxType": "long"},
			"owner": {"firstName": "Zoë", "email": "zoe@example.com"}}`)
		var bodies []received
		for _, step := range []struct{ path, body, event, more string }{
			{"/update-status", `{"status": "PENDING", "note": "as it is"}`, "", ""},
			{
				"/update-status", `{"status": "PICKUP", "pickupDate": "2026-11-20", "pickupTime": "14:30"}`, "pickup",
				`,"pickupDate":"2026-11-20","pickupTime":"14:30"`,
			},
			{"/update-status", `{"status": "PICKUP"}`, "", ""},
			{
				"/update-status", `{"status": "PICKUP", "pickupTime": "16:00", "note": "later"}`, "pickup",
				`,"pickupDate":"2026-11-20","pickupTime":"16:00"`,
			},
			{"", `{"brand": "Knirps", "notes": "a\nb"}`, "", ""},
			{"/update-status", `{"status": "INFO COMPLETED"}`, "", ""},
			{
				"/update-status", `{"status": "FEE PAID", "trackingNumber": "00340434161094042557"}`, "shipping-label",
				"",
			},
			{"/update-status", `{"status": "FEE PAID", "trackingNumber": "1"}`, "", ""},
			{"/update-status", `{"status": "SHIPPED"}`, "", ""},
			{"/update-status", `{"status": "DELIVERED"}`, "", ""},
			{"/update-status", `{"status": "DISCARD"}`, "discard", ""},
			{"/update-status", `{"status": "DONATE", "note": "to the mission"}`, "donate", ""},
			{"/update-status", `{"status": "DONATE"}`, "", ""},
			{"", `{"owner": null}`, "", ""},
			{"/update-status", `{"status": "PENDING"}`, "", ""},
			{"/update-status", `{"status": "PICKUP", "pickupTime": "09:00"}`, "pickup", `,"pickupTime":"09:00"`},
		} {
			moved := s.must(http.StatusOK, "PUT", path+step.path, step.body)
			item := s.getRaw(path)
			if step.event != "" {
				got := r.waitForRequests(t, len(bodies)+1)[len(bodies)]
				want := `{"eventType":"` + step.event + `","eventTime":"` + moved["updatedAt"].(string) +
					`","payload":{"item":` + item + step.more + `}}`
				if string(got.body) != want || !got.verified(secret) ||
					got.header.Get("Content-Type") != "application/json" {
					t.Errorf("%s sent, verified: %v\n%s\nwant\n%s", step.body, got.verified(secret), got.body, want)
				}
				bodies = append(bodies, got)
			}
			// The event is created together with the change.
			if events, total := s.listAll("/v1/events"); len(events) != len(bodies) || total != len(bodies) {
				t.Fatalf("after %s there are %d events (total %d), want %d", step.body, len(events), total, len(bodies))
			}
		}
		r.waitForRequests(t, len(bodies)) // fails if there are more requests
		s.must(http.StatusNoContent, "DELETE", "/v1/locations/"+hotel, nil)
		checkReplays(t, s, r, hook, bodies)
	})
}

// checkReplays replays all deliveries and events, and compares each body with the one that was sent first.
func checkReplays(t *testing.T, s *service, r *receiver, hook string, bodies []received) {
	t.Helper()
	deliveries, _ := s.listAll(hook + "/deliveries")
	if len(deliveries) != len(bodies) {
		t.Fatalf("there are %d deliveries of %d events", len(deliveries), len(bodies))
	}
	for n, first := range bodies {
		d := deliveries[len(deliveries)-1-n] // newest first
		event := d["eventId"].(string)
		if d["id"] != first.header.Get("Webhook-Id") {
			t.Errorf("delivery %v was sent as %s", d["id"], first.header.Get("Webhook-Id"))
		}
		if payload := s.getRaw("/v1/events/" + event); !strings.HasSuffix(payload,
			string(first.body[bytes.Index(first.body, []byte(`"payload":`)):])) {
			t.Errorf("the event is\n%s\nbut was sent as\n%s", payload, first.body)
		}
		waitUntil(t, "the delivery is recorded", func() bool {
			return s.must(http.StatusOK, "GET", "/v1/deliveries/"+d["id"].(string), nil)["state"] == "delivered"
		})
		r.reset()
		s.must(http.StatusOK, "POST", "/v1/deliveries/"+d["id"].(string)+"/replay", nil)
		if again := r.waitForRequests(t, 1)[0]; !bytes.Equal(again.body, first.body) ||
			again.header.Get("Webhook-Id") != d["id"] {
			t.Errorf("replayed as %s:\n%s\nfirst sent as %s:\n%s", again.header.Get("Webhook-Id"), again.body, d["id"],
				first.body)
		}
		r.reset()
		s.must(http.StatusOK, "POST", hook+"/replay", map[string]any{"eventId": event})
		if again := r.waitForRequests(t, 1)[0]; !bytes.Equal(again.body, first.body) ||
			again.header.Get("Webhook-Id") == d["id"] {
			t.Errorf("a new delivery of the event, %s, sent\n%s\nthe first sent\n%s", again.header.Get("Webhook-Id"),
				again.body, first.body)
		}
	}
}

func TestRetriesSendTheSameBytesAndID(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		cfg := newWebhookConfig(t, setting)
		cfg.RetryUnit = time.Millisecond
		s := startService(t, cfg)
		r := newReceiver(t)
		hook, secret := s.addWebhook(r)
		r.respondWith(http.StatusBadGateway, "no")
		hotel := s.newLocation(`{"name": "Hotel"}`)
		path := "/v1/locations/" + hotel + "/items/" + s.newItem(hotel, `{"description": "Umbrella"}`)
		s.must(http.StatusOK, "PUT", path+"/update-status", `{"status": "DONATE"}`)
		s.must(http.StatusOK, "PUT", path, `{"description": "Parasol"}`)
		waitUntil(t, "the delivery has failed", func() bool {
			_, failed := s.listAll(hook + "/deliveries?state=failed")
			return failed == 1
		})
		got := r.waitForRequests(t, 6)
		for n, g := range got {
			if !bytes.Equal(g.body, got[0].body) || g.header.Get("Webhook-Id") != got[0].header.Get("Webhook-Id") ||
				!g.verified(secret) {
				t.Errorf("attempt %d: %v\n%s\nthe first: %v\n%s", n+1, g.header, g.body, got[0].header, got[0].body)
			}
		}
		if !bytes.Contains(got[0].body, []byte("Umbrella")) {
			t.Errorf("the body is %s", got[0].body)
		}
	})
}

func TestWebhooksGetTheirEventsSignedWithTheirSecret(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newWebhookConfig(t, setting))
		everything, donations, pickups := newReceiver(t), newReceiver(t), newReceiver(t)
		_, secret := s.addWebhook(everything)
		_, donationSecret := s.addWebhook(donations, "donate")
		off, _ := s.addWebhook(pickups, "pickup")
		s.must(http.StatusOK, "PUT", off, `{"enabled": false}`)
		hotel := s.newLocation(`{"name": "Hotel"}`)
		path := "/v1/locations/" + hotel + "/items/" + s.newItem(hotel, `{"description": "Umbrella"}`)
		for _, status := range []string{"PICKUP", "DONATE"} {
			s.must(http.StatusOK, "PUT", path+"/update-status", map[string]any{"status": status})
		}
		all, donated := everything.waitForRequests(t, 2), donations.waitForRequests(t, 1)[0]
		for _, g := range all {
			if !g.verified(secret) || g.verified(donationSecret) {
				t.Errorf("%s is signed with the wrong secret", g.body)
			}
			if bytes.Equal(g.body, donated.body) && g.header.Get("Webhook-Id") == donated.header.Get("Webhook-Id") {
				t.Error("two deliveries have the same id")
			}
		}
		if !donated.verified(donationSecret) || donated.verified(secret) ||
			!bytes.HasPrefix(donated.body, []byte(`{"eventType":"donate"`)) {
			t.Errorf("the receiver of donations got %s", donated.body)
		}
		s.must(http.StatusOK, "PUT", off, `{"enabled": true}`)
		if deliveries, _ := s.listAll(off + "/deliveries"); len(deliveries) != 0 || len(pickups.listAll()) != 0 {
			t.Errorf("a disabled webhook got %v", deliveries)
		}
	})
}

// Deliveries that are pending when the service stops are made after the next start.
func TestPendingDeliveriesSurviveARestart(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		cfg := newWebhookConfig(t, setting)
		cfg.RetryUnit = 300 * time.Millisecond
		s := startService(t, cfg)
		r := newReceiver(t)
		hook, secret := s.addWebhook(r)
		r.respondWith(http.StatusServiceUnavailable, "")
		s.must(http.StatusCreated, "POST", hook+"/test", nil)
		first := r.waitForRequests(t, 1)[0]
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		r.respondWith(http.StatusOK, "")
		r.reset()
		s = startService(t, cfg)
		if again := r.waitForRequests(t, 1)[0]; !bytes.Equal(again.body, first.body) ||
			again.header.Get("Webhook-Id") != first.header.Get("Webhook-Id") || !again.verified(secret) {
			t.Errorf("after the restart the receiver got %v\n%s", again.header, again.body)
		}
		waitUntil(t, "the delivery is recorded", func() bool {
			_, delivered := s.listAll(hook + "/deliveries?state=delivered")
			return delivered == 1
		})
	})
}

// Signing secrets and extra headers must be stored encrypted and never logged.
func TestWebhookSecretsAreNeitherStoredNorLoggedInPlainText(t *testing.T) {
	t.Parallel()
	database := storetest.SQLite(t)
	cfg := newWebhookConfig(t, database)
	cfg.RetryUnit = time.Millisecond
	s := startService(t, cfg)
	r := newReceiver(t)
	req, err := s.request("POST", "/v1/webhooks",
		map[string]any{"url": r.url, "headers": map[string]string{"Authorization": "Bearer for-the-receiver-alone"}})
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Idempotency-Key", "once") // the response is then stored too
	made, err := s.send(req)
	if err != nil || made.status != http.StatusCreated {
		t.Fatalf("%v: %s", err, made.body)
	}
	hook := "/v1/webhooks/" + made.record(t)["id"].(string)
	rotated := s.must(http.StatusOK, "POST", hook+"/rotate-secret", nil)
	r.respondWith(http.StatusInternalServerError, "no")
	s.must(http.StatusCreated, "POST", hook+"/test", nil)
	waitUntil(t, "the delivery has failed", func() bool {
		_, failed := s.listAll(hook + "/deliveries?state=failed")
		return failed == 1
	})
	if got := r.listAll()[1]; got.header.Get("Authorization") != "Bearer for-the-receiver-alone" ||
		!got.verified(rotated["secret"].(string)) {
		t.Fatalf("the receiver got %v", got.header)
	}
	searched := s.log.String()
	for _, file := range []string{database, database + "-wal"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		searched += string(data)
	}
	if !strings.Contains(searched, r.url) {
		t.Error("the webhook is not in the searched files")
	}
	for _, secret := range []string{rotated["secret"].(string),
		rotated["oldSecrets"].([]any)[0].(map[string]any)["secret"].(string), "for-the-receiver-alone"} {
		if strings.Contains(searched, secret) || strings.Contains(searched, strings.TrimPrefix(secret, "whsec_")) {
			t.Errorf("%s is in the database or the log", secret)
		}
	}
}
