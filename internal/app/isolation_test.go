package app_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"

	"homeward/internal/store/storetest"
)

// A client must not learn whether an inaccessible record exists: the answer is identical to that for an unknown id.
func TestInaccessibleRecordsLookMissing(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		cfg := newConfig(t, setting)
		cfg.AllowPrivate = true
		s := startService(t, cfg)
		hotel, zoo := s.newLocation(`{"name": "Hotel"}`), s.newLocation(`{"name": "Zoo"}`)
		umbrella := s.newItem(hotel, `{"description": "Umbrella", "owner": {"email": "anna@example.com"}}`)
		bear := s.newItem(zoo, `{"description": "Bear"}`)
		scarf := s.newRequest(hotel, `{"description": "Scarf", "owner": {"email": "zoe@example.com"}}`)
		keyID, _ := s.newKey(map[string]any{"name": "A key"})
		_, zooKey := s.newKey(map[string]any{"name": "Zoo only", "locations": []string{zoo}})
		_, zooReader := s.newKey(map[string]any{
			"name": "Zoo only, to read", "locations": []string{zoo}, "readOnly": true,
		})
		hook := s.must(http.StatusCreated, "POST", "/v1/webhooks",
			map[string]any{"url": newReceiver(t).url})["id"].(string)
		test := s.must(http.StatusCreated, "POST", "/v1/webhooks/"+hook+"/test", nil)
		delivery, event := test["id"].(string), test["eventId"].(string)
		waitUntil(t, "the test event is delivered", func() bool {
			return s.must(http.StatusOK, "GET", "/v1/deliveries/"+delivery, nil)["state"] == "delivered"
		})
		everything := func() string {
			return s.snapshot(hotel, umbrella) + s.snapshot(hotel, scarf) + s.ask(s.key, "GET",
				"/v1/locations/"+hotel+"/tasks",
				content{}) + s.ask(s.key, "GET", "/v1/webhooks/"+hook, content{}) + s.ask(s.key, "GET",
				"/v1/webhooks/"+hook+"/deliveries", content{}) +
				s.ask(s.key, "GET", "/v1/webhooks/"+hook+"/secret", content{}) + s.ask(s.key, "GET", "/v1/events",
				content{})
		}
		waitUntil(t, "the messages are sent and the desk has its task", func() bool {
			tasks, _ := s.listAll("/v1/locations/" + hotel + "/tasks")
			return len(tasks) == 1 && s.messagesSettled("/v1/locations/"+hotel+"/items/"+umbrella) &&
				s.messagesSettled("/v1/locations/"+hotel+"/items/"+scarf)
		})
		before := everything()

		hidden := map[string]string{
			hotel: unusedID(hotel), umbrella: unusedID(umbrella), bear: unusedID(bear), scarf: unusedID(scarf),
			keyID: unusedID(keyID), hook: unusedID(hook), delivery: unusedID(delivery), event: unusedID(event),
		}
		paths := func(location, item string) []string {
			one := "/v1/locations/" + location
			return []string{
				one, one + "/upload-logo", one + "/items", one + "/items/" + item,
				one + "/items/" + item + "/update-status",
				one + "/items/" + item + "/upload-image", one + "/items/" + item + "/history",
				one + "/items/" + item + "/messages", one + "/items/" + item + "/notify",
				one + "/items/" + item + "/revoke-link", one + "/items/" + item + "/quotes",
				one + "/items/" + item + "/quotes?country=PL",
				one + "/items/" + item + "/label", one + "/items/" + item + "/refund", one + "/requests",
				one + "/requests/" + scarf, one + "/requests/" + scarf + "/update-status", one + "/tasks",
				"/v1/keys/" + keyID, one + "/things",
				"/v1/webhooks/" + hook, "/v1/webhooks/" + hook + "/secret", "/v1/webhooks/" + hook + "/rotate-secret",
				"/v1/webhooks/" + hook + "/test",
				"/v1/webhooks/" + hook + "/deliveries", "/v1/webhooks/" + hook + "/replay", "/v1/events/" + event,
				"/v1/deliveries/" + delivery, "/v1/deliveries/" + delivery + "/replay",
			}
		}
		for who, c := range map[string]struct {
			key   string
			paths []string
		}{
			"another account":            {s.newAccount(), slices.Concat(paths(hotel, umbrella), paths(zoo, bear))},
			"a key for another location": {zooKey, slices.Concat(paths(hotel, umbrella), paths(hotel, bear))},
			"a key that reaches the rest": {zooKey,
				[]string{"/v1/locations/" + zoo + "/items/" + umbrella,
					"/v1/locations/" + zoo + "/items/" + umbrella + "/history",
					"/v1/locations/" + zoo + "/items/" + umbrella + "/messages",
					"/v1/locations/" + zoo + "/requests/" + scarf,
					"/v1/locations/" + zoo + "/requests/" + scarf + "/update-status"}},
			"a key that may only read": {zooReader, paths(hotel, umbrella)},
		} {
			for _, path := range c.paths {
				for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
					for kind, content := range contents() {
						if content.body != nil && kind != "something unread" && method != "POST" && method != "PUT" {
							continue // other methods do not read a body
						}
						there := s.ask(c.key, method, path, content)
						missing := s.ask(c.key, method, replaceAll(path, hidden), content)
						if a, b := replaceAll(there, hidden), missing; a != b {
							t.Errorf("%s: %s %s with %s reveals that it exists:\n%s\nfor an unknown id:\n%s", who,
								method, path, kind, a, b)
						}
					}
				}
			}
		}
		if after := everything(); after != before {
			t.Errorf("the records changed:\n%s\nbefore\n%s", after, before)
		}
	})
}

// snapshot returns what the owner sees of a location and an item.
func (s *service) snapshot(location, item string) string {
	return s.ask(s.key, "GET", "/v1/locations/"+location, content{}) + s.ask(s.key, "GET",
		"/v1/locations/"+location+"/items/"+item, content{}) +
		s.ask(s.key, "GET", "/v1/locations/"+location+"/items/"+item+"/history", content{}) + s.ask(s.key, "GET",
		"/v1/locations/"+location+"/items/"+item+"/messages", content{})
}

// messagesSettled reports whether no message about an item is waiting.
func (s *service) messagesSettled(item string) bool {
	s.t.Helper()
	messages, _ := s.listAll(item + "/messages")
	return !slices.ContainsFunc(messages, func(m map[string]any) bool { return m["state"] == "waiting" })
}

// unusedID returns an id of the same kind that does not exist.
func unusedID(id string) string {
	last := "z"
	if strings.HasSuffix(id, last) {
		last = "y"
	}
	return id[:len(id)-1] + last
}

func replaceAll(text string, pairs map[string]string) string {
	for from, to := range pairs {
		text = strings.ReplaceAll(text, from, to)
	}
	return text
}

// content is a body and its content type.
type content struct {
	contentType string
	body        []byte
}

// contents returns bodies, each of which is valid for some or for no path.
func contents() map[string]content {
	form := func(part string) content {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		_ = w.SetBoundary("boundary")
		f, _ := w.CreateFormFile(part, "a.png") // writing to memory cannot fail
		_, _ = f.Write(picture("png"))
		_ = w.Close()
		return content{w.FormDataContentType(), b.Bytes()}
	}
	return map[string]content{
		"no body":           {},
		"an item's fields":  {"application/json", []byte(`{"description": "Mine"}`)},
		"a location's name": {"application/json", []byte(`{"name": "Mine"}`)},
		"a status":          {"application/json", []byte(`{"status": "DONATE"}`)},
		"a request": {"application/json",
			[]byte(`{"description": "Mine", "owner": {"email": "mia@example.com"}}`)},
		"a decision":         {"application/json", []byte(`{"type": "reject"}`)},
		"a switch":           {"application/json", []byte(`{"enabled": false}`)},
		"a time":             {"application/json", []byte(`{"since": "2026-01-01T00:00:00Z"}`)},
		"a wrong field":      {"application/json", []byte(`{"nmae": 1}`)},
		"something unread":   {"application/json", []byte(`{`)},
		"a logo":             form("logo"),
		"an image":           form("image"),
		"an unfinished form": {"multipart/form-data; boundary=boundary", []byte("--boundary\r\n")},
	}
}

// ask returns everything in an answer that a client can see and that does not change from call to call.
func (s *service) ask(key, method, path string, c content) string {
	s.t.Helper()
	var body io.Reader
	if c.body != nil {
		body = bytes.NewReader(c.body)
	}
	r, err := http.NewRequest(method, s.url+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("svc-api-key", key)
	r.Header.Set("X-Request-Id", "the-same")
	if c.contentType != "" {
		r.Header.Set("Content-Type", c.contentType)
	}
	a, err := s.send(r)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	a.header.Del("Date")
	var b strings.Builder
	fmt.Fprintln(&b, a.status)
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		fmt.Fprintln(&b, name, a.header[name])
	}
	b.Write(a.body)
	return b.String()
}
