package app_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store/storetest"
	v1 "homeward/internal/v1"
)

// follower reads events of all types as they happen.
type follower struct {
	s      *service
	since  time.Time
	cursor string
}

// change is an event as a client reads it.
type change struct {
	ID         string `json:"id"`
	EventType  string `json:"eventType"`
	EventTime  string `json:"eventTime"`
	LocationID string `json:"locationId"`
	ItemID     string `json:"itemId"`
	Payload    struct {
		Item           json.RawMessage `json:"item"`
		PreviousStatus string          `json:"previousStatus"`
		ID             string          `json:"id"`
		LocationID     string          `json:"locationId"`
		Deleted        bool            `json:"deleted"`
		UpdatedAt      string          `json:"updatedAt"`
	} `json:"payload"`
}

// page reads the next page, and reports whether there are more.
func (f *follower) page() (events []change, more bool) {
	query := "cursor=" + f.cursor
	if f.cursor == "" {
		query = "since=" + escape(f.since.UTC().Format(time.RFC3339Nano))
	}
	req, err := f.s.request(http.MethodGet, "/v1/events?types=*&limit=100&"+query, nil)
	if err != nil {
		f.s.t.Error(err)
		return nil, false
	}
	got, err := send(f.s.unchecked, req)
	var page struct {
		Data  []change `json:"data"`
		Next  string   `json:"next"`
		Lower bool     `json:"totalIsLowerBound"`
	}
	if err == nil && got.status == http.StatusOK {
		err = json.Unmarshal(got.body, &page)
	}
	if err != nil || got.status != http.StatusOK {
		f.s.t.Errorf("GET %s: status %d, %v: %s", query, got.status, err, got.body)
		return nil, false
	}
	f.cursor = page.Next
	return page.Data, page.Lower
}

// next waits until there are as many new events as wanted, and returns their types, sorted, and the events.
func (f *follower) next(count int) (types []string, events []change) {
	f.s.t.Helper()
	waitUntil(f.s.t, "the events are listed", func() bool {
		for more := true; more; {
			var page []change
			page, more = f.page()
			events = append(events, page...)
		}
		return len(events) >= count
	})
	for _, e := range events {
		types = append(types, e.EventType)
	}
	slices.Sort(types)
	return types, events
}

// Every change is an event of the right type, with the record as it can be read then. A webhook that has subscribed to
// all events receives the same events, and one that has not subscribed to anything only those of the specification.
func TestEveryChangeIsAnEvent(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newWebhookConfig(t, setting))
		all, usual := newReceiver(t), newReceiver(t)
		s.addWebhook(all, "*")
		s.addWebhook(usual)
		f := &follower{s: s, since: time.Now().Add(-time.Hour)}
		hotel := "/v1/locations/" + s.newLocation(`{"name": "Hotel", "storagePlace": "Cellar", "storageDuration": 30}`)
		var bodies, usualBodies int
		expect := func(path, want string) []change {
			t.Helper()
			wanted := strings.Fields(want)
			types, events := f.next(len(wanted))
			if !slices.Equal(types, wanted) {
				t.Fatalf("got the events %v, want %v", types, wanted)
			}
			for _, e := range events {
				if path != "" && e.EventType != "item-deleted" && string(e.Payload.Item) != s.getRaw(path) {
					t.Errorf("%s has the item\n%s\nwant\n%s", e.EventType, e.Payload.Item, s.getRaw(path))
				}
				if slices.Contains(lost.DefaultEventTypes(), lost.EventType(e.EventType)) {
					usualBodies++
				}
			}
			bodies += len(wanted)
			all.waitForRequests(t, bodies)
			usual.waitForRequests(t, usualBodies)
			return events
		}
		made := s.must(http.StatusCreated, "POST", hotel+"/items",
			`{"description": "Umbrella", "owner": {"email": "ann@example.com"}}`)
		item := hotel + "/items/" + made["id"].(string)
		expect(item, "item-created")
		s.must(http.StatusOK, "PUT", item, `{"notes": "wet"}`)
		expect(item, "item-updated")
		s.must(http.StatusOK, "PUT", item, `{"notes": "wet"}`) // changes nothing
		s.must(http.StatusOK, "PUT", item+"/update-status", `{"status": "DISCARD"}`)
		events := expect(item, "discard status-changed")
		if n := slices.IndexFunc(events, func(e change) bool { return e.EventType == "status-changed" }); events[n].
			Payload.PreviousStatus != "PENDING" {
			t.Errorf("the previous status is %q", events[n].Payload.PreviousStatus)
		}
		s.must(http.StatusOK, "PUT", item+"/update-status", `{"status": "PICKUP", "pickupTime": "14:30"}`)
		expect(item, "item-updated pickup status-changed")
		s.must(http.StatusOK, "PUT", item+"/update-status", `{"status": "PICKUP", "pickupTime": "15:30"}`)
		expect(item, "item-updated pickup")
		s.must(http.StatusOK, "POST", hotel+"/items/bulk",
			`{"items": [{"description": "Hat"}, {"description": "Cap"}]}`)
		expect("", "item-created item-created")

		request := hotel + "/items/" + s.newRequest(strings.TrimPrefix(hotel, "/v1/locations/"),
			`{"description": "Scarf", "owner": {"email": "ben@example.com"}}`)
		expect(request, "request")
		s.must(http.StatusOK, "PUT", strings.Replace(request, "/items/", "/requests/", 1)+"/update-status",
			`{"type": "reject", "reason": "Not found"}`)
		expect(request, "request-updated")

		s.must(http.StatusOK, "PUT", hotel, `{"storagePlace": "Attic"}`) // of all three found items
		for _, e := range expect("", "item-updated item-updated item-updated") {
			if !strings.Contains(string(e.Payload.Item), `"storagePlace":"Attic"`) {
				t.Errorf("after the storage place changed: %s", e.Payload.Item)
			}
		}
		s.must(http.StatusNoContent, "DELETE", item, nil)
		gone := expect("", "item-deleted")[0]
		if p := gone.Payload; p.ID != made["id"] || p.LocationID != made["locationId"] || !p.Deleted ||
			p.UpdatedAt != gone.EventTime || gone.ItemID != p.ID || gone.LocationID != p.LocationID || p.Item != nil {
			t.Errorf("the event of the deletion is %+v", gone)
		}
		s.must(http.StatusNoContent, "DELETE", hotel, nil)
		expect("", "item-deleted item-deleted item-deleted")
	})
}

// A webhook that is limited to locations receives only their events, until they are deleted.
func TestAWebhookCanBeLimitedToLocations(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newWebhookConfig(t, setting))
		hotel, hostel := s.newLocation(`{"name": "Hotel"}`), s.newLocation(`{"name": "Hostel"}`)
		r := newReceiver(t)
		hook := "/v1/webhooks/" + s.must(http.StatusCreated, "POST", "/v1/webhooks", map[string]any{
			"url": r.url, "events": []string{"item-created"}, "locations": []string{hotel},
		})["id"].(string)
		r.reset()
		s.newItem(hostel, `{"description": "Hat"}`)
		mine := s.newItem(hotel, `{"description": "Umbrella"}`)
		if got := r.waitForRequests(t, 1)[0]; !strings.Contains(string(got.body), mine) {
			t.Errorf("got %s, want an event of %s", got.body, mine)
		}
		refused := s.must(http.StatusUnprocessableEntity, "PUT", hook,
			map[string]any{"locations": []string{hotel, "loc_none"}})
		if errors, _ := refused["errors"].([]any); len(errors) != 1 ||
			errors[0].(map[string]any)["field"] != "locations" {
			t.Errorf("an unknown location: %v", refused)
		}
		s.must(http.StatusNoContent, "DELETE", "/v1/locations/"+hotel, nil)
		kept := s.must(http.StatusOK, "PUT", hook, map[string]any{"locations": []string{hotel}, "description": "Old"})
		if locations, _ := kept["locations"].([]any); len(locations) != 1 {
			t.Errorf("a deleted location does not stay: %v", kept)
		}
		s.must(http.StatusOK, "PUT", hook, `{"locations": null}`)
		s.newItem(hostel, `{"description": "Cap"}`)
		r.waitForRequests(t, 2)
	})
}

// A sample has the documented body and the header svc-test. It is not listed as an event of its type.
func TestSamplesOfEventsAreSent(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newWebhookConfig(t, setting))
		r := newReceiver(t)
		hook, secret := s.addWebhook(r, "donate")
		for n, kind := range lost.EventTypes() {
			s.must(http.StatusCreated, "POST", hook+"/test", map[string]any{"eventType": kind})
			want, err := v1.SampleEvent(kind)
			if err != nil {
				t.Fatal(err)
			}
			got := r.waitForRequests(t, n+1)[n]
			if !bytes.Equal(got.body, want) || got.header.Get("svc-test") != "true" || !got.verified(secret) {
				t.Errorf("%s: got %v\n%s\nwant\n%s", kind, got.header, got.body, want)
			}
			if events, _ := s.listAll("/v1/events?types=" + string(kind)); len(events) > 0 {
				t.Errorf("the sample of %s is listed as an event: %v", kind, events)
			}
		}
		s.must(http.StatusCreated, "POST", hook+"/test", nil)
		if got := r.waitForRequests(t, len(lost.EventTypes())+1); got[len(got)-1].header.Get("svc-test") != "true" ||
			!strings.HasPrefix(string(got[len(got)-1].body), `{"eventType":"test"`) {
			t.Errorf("a test without a body: %s", got[len(got)-1].body)
		}
		s.must(http.StatusUnprocessableEntity, "POST", hook+"/test", `{"eventType": "verification"}`)
		s.newItem(s.newLocation(`{"name": "Hotel"}`), `{"description": "Hat"}`)
		for query, want := range map[string]int{
			"": len(lost.EventTypes()) + 1, "?types=test": len(lost.EventTypes()) + 1, "?types=pickup": 0,
			"?types=item-created": 1, "?types=item-created&types=pickup": 1, "?eventType=item-created": 1,
			"?types=*": len(lost.EventTypes()) + 2,
		} {
			if events, total := s.listAll("/v1/events" + query); len(events) != want || total != want {
				t.Errorf("%q lists %d events (total %d), want %d", query, len(events), total, want)
			}
		}
		if a := s.do(s.key, "GET", "/v1/events?types=birthday", nil); a.status != http.StatusUnprocessableEntity {
			t.Errorf("an unknown type: status %d", a.status)
		}
	})
}

// eventMirror is a client that copies an account's items. It knows only events.
type eventMirror struct {
	follower
	items   map[string]string // records by id
	times   map[string]string // when they were changed
	deleted map[string]bool
}

// apply changes the copy as an event says, unless it already knows a later version.
func (m *eventMirror) apply(e change) {
	id := e.ItemID
	switch {
	case e.Payload.Deleted:
		m.deleted[id] = true
		delete(m.items, id)
	case e.Payload.Item == nil || m.deleted[id]:
	default:
		var head struct {
			UpdatedAt string `json:"updatedAt"`
		}
		if err := json.Unmarshal(e.Payload.Item, &head); err != nil {
			m.s.t.Error(err)
		}
		if head.UpdatedAt >= m.times[id] {
			m.items[id], m.times[id] = string(e.Payload.Item), head.UpdatedAt
		}
	}
}

// poll applies one page of events. It reports whether there are more.
func (m *eventMirror) poll() bool {
	events, more := m.page()
	for _, e := range events {
		m.apply(e)
	}
	return more
}

func (m *eventMirror) position() *string         { return &m.cursor }
func (m *eventMirror) copied() map[string]string { return m.items }

// A client that only polls the events of all types has the service's data.
func TestAMirrorByEventsHasTheServicesData(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		const seed = 21
		s := startService(t, newConfig(t, setting))
		m := &eventMirror{
			follower: follower{s: s, since: time.Now().Add(-time.Hour)},
			items:    map[string]string{}, times: map[string]string{}, deleted: map[string]bool{},
		}
		written, done := writeRandomly(s, seed)
		followWrites(s, m, seed, written, done)
	})
}
