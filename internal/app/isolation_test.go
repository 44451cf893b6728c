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

// isolationFixture is an account with two locations and records in both.
type isolationFixture struct {
	*service
	hotel, zoo, umbrella, bear, scarf string
	keyID, hook, delivery, event      string
	zooKey, zooReader                 string            // keys for the zoo only
	unknown                           map[string]string // for each id, an id that does not exist
}

func newIsolationFixture(t *testing.T, setting string) *isolationFixture {
	t.Helper()
	s := startService(t, newWebhookConfig(t, setting))
	f := &isolationFixture{service: s}
	f.hotel, f.zoo = s.newLocation(`{"name": "Hotel"}`), s.newLocation(`{"name": "Zoo"}`)
	f.umbrella = s.newItem(f.hotel, `{"description": "Umbrella", "owner": {"email": "anna@example.com"}}`)
	f.bear = s.newItem(f.zoo, `{"description": "Bear"}`)
	f.scarf = s.newRequest(f.hotel, `{"description": "Scarf", "owner": {"email": "zoe@example.com"}}`)
	f.keyID, _ = s.newKey(map[string]any{"name": "A key"})
	_, f.zooKey = s.newKey(map[string]any{"name": "Zoo only", "locations": []string{f.zoo}})
	_, f.zooReader = s.newKey(map[string]any{
		"name": "Zoo only, to read", "locations": []string{f.zoo}, "readOnly": true,
	})
	webhook := s.must(http.StatusCreated, "POST", "/v1/webhooks", map[string]any{"url": newReceiver(t).url})
	f.hook = webhook["id"].(string)
	test := s.must(http.StatusCreated, "POST", "/v1/webhooks/"+f.hook+"/test", nil)
	f.delivery, f.event = test["id"].(string), test["eventId"].(string)
	waitUntil(t, "the test event is delivered", func() bool {
		return s.must(http.StatusOK, "GET", "/v1/deliveries/"+f.delivery, nil)["state"] == "delivered"
	})
	items := "/v1/locations/" + f.hotel + "/items/"
	waitUntil(t, "the messages are sent and the desk has its task", func() bool {
		tasks, _ := s.listAll("/v1/locations/" + f.hotel + "/tasks")
		return len(tasks) == 1 && s.messagesSettled(items+f.umbrella) && s.messagesSettled(items+f.scarf)
	})
	f.unknown = map[string]string{}
	for _, id := range []string{f.hotel, f.umbrella, f.bear, f.scarf, f.keyID, f.hook, f.delivery, f.event} {
		f.unknown[id] = unusedID(id)
	}
	return f
}

// everything returns all records as the owner sees them.
func (f *isolationFixture) everything() string {
	all := f.snapshot(f.hotel, f.umbrella) + f.snapshot(f.hotel, f.scarf)
	for _, path := range []string{
		"/v1/locations/" + f.hotel + "/tasks", "/v1/webhooks/" + f.hook, "/v1/webhooks/" + f.hook + "/deliveries",
		"/v1/webhooks/" + f.hook + "/secret", "/v1/events",
	} {
		all += f.visibleResponse(f.key, "GET", path, content{})
	}
	return all
}

// paths returns the API paths for an item and for everything else in the account.
func (f *isolationFixture) paths(location, item string) (paths []string) {
	one := "/v1/locations/" + location
	for _, end := range []string{
		"", "/upload-logo", "/items", "/requests", "/requests/" + f.scarf, "/requests/" + f.scarf + "/update-status",
		"/tasks", "/things", "/items/bulk", "/items/bulk-status",
	} {
		paths = append(paths, one+end)
	}
	for _, end := range []string{
		"", "/update-status", "/upload-image", "/history", "/messages", "/notify", "/revoke-link", "/quotes",
		"/quotes?country=PL", "/label", "/refund", "/hand-over", "/images", "/images/img_1",
	} {
		paths = append(paths, one+"/items/"+item+end)
	}
	for _, end := range []string{"", "/secret", "/rotate-secret", "/test", "/deliveries", "/replay"} {
		paths = append(paths, "/v1/webhooks/"+f.hook+end)
	}
	return append(paths, "/v1/keys/"+f.keyID, "/v1/events/"+f.event,
		"/v1/deliveries/"+f.delivery, "/v1/deliveries/"+f.delivery+"/replay")
}

// checkHidden checks, for every method and body, that the response for a path is the same as for unknown ids.
func (f *isolationFixture) checkHidden(who, key, path string) {
	f.t.Helper()
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		for kind, content := range contents() {
			if content.body != nil && kind != "malformed JSON" && method != "POST" && method != "PUT" {
				continue // other methods do not read a body
			}
			got := replaceAll(f.visibleResponse(key, method, path, content), f.unknown)
			missing := f.visibleResponse(key, method, replaceAll(path, f.unknown), content)
			if got != missing {
				f.t.Errorf("%s: %s %s with %s reveals that it exists:\n%s\nfor an unknown id:\n%s",
					who, method, path, kind, got, missing)
			}
		}
	}
}

// A client must not learn whether an inaccessible record exists: the response is identical to that for an unknown id.
func TestInaccessibleRecordsLookMissing(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		f := newIsolationFixture(t, setting)
		before := f.everything()
		zoo := "/v1/locations/" + f.zoo
		for who, c := range map[string]struct {
			key   string
			paths []string
		}{
			"another account": {
				f.newAccount(), slices.Concat(f.paths(f.hotel, f.umbrella), f.paths(f.zoo, f.bear)),
			},
			"a key for another location": {
				f.zooKey, slices.Concat(f.paths(f.hotel, f.umbrella), f.paths(f.hotel, f.bear)),
			},
			"a key with access to the location only": {f.zooKey, []string{
				zoo + "/items/" + f.umbrella, zoo + "/items/" + f.umbrella + "/history",
				zoo + "/items/" + f.umbrella + "/messages",
				zoo + "/requests/" + f.scarf, zoo + "/requests/" + f.scarf + "/update-status",
			}},
			"a read-only key": {f.zooReader, f.paths(f.hotel, f.umbrella)},
		} {
			for _, path := range c.paths {
				f.checkHidden(who, c.key, path)
			}
		}
		if after := f.everything(); after != before {
			t.Errorf("the records changed:\n%s\nbefore\n%s", after, before)
		}
	})
}

// snapshot returns a location and an item as the owner sees them.
func (s *service) snapshot(location, item string) string {
	get := func(path string) string {
		return s.visibleResponse(s.key, "GET", "/v1/locations/"+location+path, content{})
	}
	item = "/items/" + item
	return get("") + get(item) + get(item+"/history") + get(item+"/messages")
}

// messagesSettled reports whether no messages about an item are waiting to be sent.
func (s *service) messagesSettled(item string) bool {
	s.t.Helper()
	messages, _ := s.listAll(item + "/messages")
	return !slices.ContainsFunc(messages, func(m map[string]any) bool { return m["state"] == "waiting" })
}

// unusedID returns an id of the same kind that belongs to no record.
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

// contents returns request bodies, some of which are valid for some paths.
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
		"malformed JSON":     {"application/json", []byte(`{`)},
		"a logo":             form("logo"),
		"an image":           form("image"),
		"an unfinished form": {"multipart/form-data; boundary=boundary", []byte("--boundary\r\n")},
	}
}

// visibleResponse sends a request and returns everything in the response that a client can see, except values that
// change with every request.
func (s *service) visibleResponse(key, method, path string, c content) string {
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
