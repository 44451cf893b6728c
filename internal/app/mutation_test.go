package app_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/store/storetest"
)

const mutators = 8

// Valid requests are mutated at random. No response may be a server error, and afterwards every record must be
// consistent. HOMEWARD_TEST_SEED selects other mutations, and HOMEWARD_TEST_MUTATIONS sets their number.
func TestMutatedRequestsDoNoHarm(t *testing.T) {
	t.Parallel()
	seed, mutations := numberFrom(t, "HOMEWARD_TEST_SEED", 20261115), numberFrom(t, "HOMEWARD_TEST_MUTATIONS", 1000)
	t.Logf("HOMEWARD_TEST_SEED=%d HOMEWARD_TEST_MUTATIONS=%d", seed, mutations)
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		cfg := newConfig(t, setting)
		cfg.AllowPrivate = true
		s := startService(t, cfg)
		var hooks []string
		for _, events := range [][]string{
			nil, {"donate"}, {"pickup", "discard"}, {"shipping-label"}, {"request"}, {"donate"},
		} {
			body := map[string]any{"url": newReceiver(t).url, "events": events}
			hooks = append(hooks,
				"/v1/webhooks/"+s.must(http.StatusCreated, "POST", "/v1/webhooks", body)["id"].(string))
		}
		var working sync.WaitGroup
		for n := range mutators {
			working.Go(func() {
				m := &mutator{s: s, hooks: hooks, rng: rand.New(rand.NewPCG(seed, uint64(n+mutators*len(t.Name()))))}
				for range mutations / mutators {
					m.step(t)
				}
			})
		}
		working.Wait()
		checkEverything(t, s)
	})
}

// numberFrom returns the number in an environment variable, or a default.
func numberFrom(t *testing.T, variable string, fallback uint64) uint64 {
	t.Helper()
	value, set := os.LookupEnv(variable)
	if !set {
		return fallback
	}
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		t.Fatalf("%s=%s is not a number", variable, value)
	}
	return n
}

// mutator generates valid requests and mutates most of them.
type mutator struct {
	s         *service
	rng       *rand.Rand
	locations []string
	items     []string // paths
	requests  []string // paths
	hooks     []string // paths of the registered webhooks; requests never set another URL for them
	sent      []string // paths of deliveries and events
}

// mutatedRequest is a request before it is sent.
type mutatedRequest struct {
	method, path  string
	query         url.Values
	header        http.Header
	body          []byte
	malformedForm bool // the form is malformed, so the service may respond before it has read the whole body
}

func (m *mutator) step(t *testing.T) {
	r := m.valid()
	intact := m.rng.IntN(10) == 0 || len(m.locations) == 0
	for n := m.rng.IntN(3); n >= 0 && !intact; n-- {
		m.mutate(&r)
	}
	a, err := m.send(r)
	switch {
	case err != nil:
		t.Errorf("%s %s: no response: %v\n%.2000q", r.method, r.path, err, r.body)
	case a.status >= http.StatusInternalServerError:
		t.Errorf("%s %s %v returned %d: %s\nheader %v\nbody %.2000q", r.method, r.path, r.query, a.status, a.body,
			r.header, r.body)
	case intact && a.status >= http.StatusBadRequest && !strings.Contains(string(a.body), "not-found") &&
		a.status != http.StatusConflict:
		t.Errorf("%s %s was valid and returned %d: %s\n%s", r.method, r.path, a.status, a.body, r.body)
	case a.status == http.StatusCreated:
		m.remember(a.header.Get("Location"))
	}
}

func (m *mutator) remember(address string) {
	if strings.Contains(address, "/items/") {
		m.items = append(m.items, address)
	} else if strings.Contains(address, "/requests/") {
		m.requests = append(m.requests, address)
		m.items = append(m.items, strings.Replace(address, "/requests/", "/items/", 1))
	} else if strings.HasPrefix(address, "/v1/deliveries/") {
		m.sent = append(m.sent, address)
	} else if strings.HasPrefix(address, "/v1/locations/") {
		m.locations = append(m.locations, address)
	}
}

// send sends the request, even with a path that no client would send.
func (m *mutator) send(r mutatedRequest) (response, error) {
	target := r.path
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	req, err := http.NewRequest(r.method, m.s.url+target, bytes.NewReader(r.body))
	unusual := err != nil || path.Clean(req.URL.Path) != strings.TrimSuffix(req.URL.Path, "/")
	if unusual {
		if req, err = http.NewRequest(r.method, m.s.url, bytes.NewReader(r.body)); err != nil {
			return response{}, nil // the method is invalid
		}
		req.URL.Opaque = strings.Map(func(c rune) rune {
			if c <= ' ' || c == 0x7f {
				return '_'
			}
			return c
		}, target)
	}
	req.Header = r.header
	if m.rng.IntN(10) == 0 {
		req.ContentLength = -1 // sends a chunked body
	}
	client := m.s.client
	if unusual || r.malformedForm {
		client = m.s.unchecked
	}
	a, err := send(client, req)
	if unusual && err != nil { // the service rejected it and closed the connection before reading the whole body
		return response{}, nil
	}
	return a, err
}

func pick[T any](m *mutator, from []T) T { return from[m.rng.IntN(len(from))] }

// valid generates a request that the service accepts.
func (m *mutator) valid() mutatedRequest {
	r := mutatedRequest{header: http.Header{"Svc-Api-Key": {m.s.key}, "Content-Type": {"application/json"}}}
	if len(m.locations) == 0 || m.rng.IntN(25) == 0 {
		r.method, r.path, r.body = "POST", "/v1/locations", []byte(m.locationBody())
		return r
	}
	location := pick(m, m.locations)
	if len(m.items) == 0 || m.rng.IntN(8) == 0 {
		r.method, r.path, r.body = "POST", location+"/items", []byte(m.itemBody())
		return r
	}
	if m.rng.IntN(8) == 0 {
		m.webhookRequest(&r)
		return r
	}
	if m.rng.IntN(6) == 0 {
		m.guestRequest(&r, location)
		return r
	}
	item := pick(m, m.items)
	switch m.rng.IntN(12) {
	case 0, 1, 2:
		r.method, r.path, r.body = "PUT", item, []byte(m.itemBody())
	case 3, 4:
		r.method, r.path, r.body = "PUT", item+"/update-status",
			[]byte(`{"status":"`+pick(m, statuses)+`","note":"moved"}`)
	case 5:
		r.method, r.path, r.body = "PUT", location, []byte(m.locationBody())
	case 6:
		r.method, r.path = "GET", location+"/items"
		r.query = url.Values{
			"term": {"umbrella"}, "limit": {"20"}, "page": {"1"}, "status": {pick(m, statuses)}, "from": {"2026-01-01"},
			"to": {"2027-01-01"},
		}
	case 7:
		r.method, r.path, r.query = "GET", "/v1/locations", url.Values{"term": {"hotel"}, "limit": {"10"}}
	case 8:
		r.method, r.path = "GET", item+pick(m, []string{"", "/history"})
	case 9:
		r.method = "POST"
		part := "image"
		r.path = item + "/upload-image"
		if m.rng.IntN(2) == 0 {
			r.path, part = location+"/upload-logo", "logo"
		}
		m.form(&r, part)
	case 10:
		r.method, r.path, r.body = "POST", "/v1/keys",
			[]byte(`{"name":"A key","readOnly":true,"locations":["`+path.Base(location)+`"]}`)
	default:
		r.method, r.path = "GET", location
		if m.rng.IntN(3) == 0 {
			r.method, r.path = "DELETE", item
		}
	}
	return r
}

// guestRequest generates a request about claims, messages or tasks.
func (m *mutator) guestRequest(r *mutatedRequest, location string) {
	item := pick(m, m.items)
	switch m.rng.IntN(9) {
	case 0, 1:
		r.method, r.path, r.body = "POST", location+"/requests",
			[]byte(`{"description":"Scarf","lostPlace":"Bar","lostDate":"2026-02-13","proof":"A hole",
			"brand":"b","model":"m","color":"grün",
			"language":"fr","owner":{"firstName":"Zoë","email":"zoe@example.com"}}`)
	case 2, 3:
		if len(m.requests) > 0 {
			r.method, r.path, r.body = "PUT", pick(m, m.requests)+"/update-status",
				[]byte(pick(m,
					[]string{`{"type":"accept","itemId":"` + path.Base(item) + `"}`,
						`{"type":"reject","reason":"Sorry"}`}))
			return
		}
		r.method, r.path = "GET", location+"/requests"
	case 4:
		r.method, r.path, r.query = "GET", location+"/requests",
			url.Values{"term": {"scarf"}, "state": {"PENDING", "MATCHED"}, "limit": {"20"}}
	case 5:
		r.method, r.path = "POST", item+"/notify"
	case 6:
		r.method, r.path = "POST", item+"/revoke-link"
	case 7:
		r.method, r.path = "GET", item+"/messages"
	default:
		r.method, r.path = "GET", location+"/tasks"
	}
}

// webhookRequest generates a request about webhooks, events or deliveries.
func (m *mutator) webhookRequest(r *mutatedRequest) {
	r.method, r.path = "POST", pick(m, m.hooks)
	switch m.rng.IntN(9) {
	case 0, 1:
		r.method, r.body = "PUT",
			[]byte(`{"enabled":true,"description":"Desk","headers":{"X-Desk":"12","Authorization":"Bearer 3k9f"}}`)
	case 2:
		r.method, r.path = "GET", r.path+pick(m, []string{"", "/secret"})
	case 3:
		r.path += "/rotate-secret"
	case 4:
		r.path += "/test"
	case 5:
		r.path, r.body = r.path+"/replay", []byte(`{"since":"2026-01-01T00:00:00Z"}`)
	case 6:
		r.method, r.path = "GET", r.path+"/deliveries"
		r.query = url.Values{
			"state": {"failed", "delivered"}, "eventType": {"donate"}, "eventId": {"evt_0"}, "limit": {"20"},
		}
	case 7:
		r.method, r.path = "GET", "/v1/events"
		r.query = url.Values{"eventType": {"donate", "pickup"}, "itemId": {path.Base(pick(m, m.items))}}
	default:
		if len(m.sent) > 0 {
			r.path = pick(m, m.sent) + "/replay"
		} else {
			r.method, r.path = "GET", "/v1/webhooks"
		}
	}
}

func (m *mutator) locationBody() string {
	return fmt.Sprintf(`{"name":"Hotel %d","website":"https://example.com","type":"zoo","storageDuration":%d,
		"storagePlace":"Cellar","country":"de",
		"contact":{"name":"Jana","email":"jana@example.com","phone":"+49 30 901820"},
		"pickupTime":{"from":"09:00","to":"17:00"},
		"openingHours":[{"days":["mon","fri"],"from":"09:00","to":"17:00"}],
		"slots":{"minutes":30,"capacity":2},
		"closures":[{"from":"2026-12-24","to":"2026-12-26","reason":"Christmas"}],
		"timeZone":"Europe/Berlin","language":"de",
		"reminders":{"afterNotice":[3,7],"beforePickup":[]},
		"shipping":{"offered":true,"currency":"EUR","handlingFee":300,"taxRate":19,
		"domestic":{"prices":[{"upToGrams":2000,"price":690}],"documentPrice":350,"fromDays":1,"toDays":3}}}`,
		m.rng.IntN(1000), m.rng.IntN(100))
}

func (m *mutator) itemBody() string {
	return fmt.Sprintf(`{"description":"Umbrella %d","discoveryDate":"2026-05-%02d","brand":"Knirps","color":"grün",
		"storagePlace":"Shelf","notes":"a\nb","language":"pl",
		"imageUrl":"https://example.com/a.jpg",
		"shipping":{"weight":%g,"weightUnit":"kg","boxType":"long","isDocument":false},
		"owner":{"firstName":"Zoë","lastName":"Łukasz","email":"zoe@example.com","phone":"+48 22 123 45 67"}}`,
		m.rng.IntN(1000), 1+m.rng.IntN(31), 0.25+m.rng.Float64())
}

func (m *mutator) form(r *mutatedRequest, part string) {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	f, _ := form.CreateFormFile(part, "a") // writing to memory cannot fail
	_, _ = f.Write(picture(pick(m, []string{"jpeg", "png", "gif", "webp"})))
	_ = form.Close()
	r.body = b.Bytes()
	r.header.Set("Content-Type", form.FormDataContentType())
}

// mutate changes one aspect of a request.
func (m *mutator) mutate(r *mutatedRequest) {
	switch m.rng.IntN(10) {
	case 0, 1, 2, 3:
		if t, err := parseJSON(r.body); err == nil && m.rng.IntN(4) > 0 {
			m.mutateJSON(t)
			r.body = []byte(t.encode())
		} else {
			m.mutateBytes(r)
		}
	case 4:
		m.mutateBytes(r)
	case 5:
		parts := strings.Split(r.path, "/")
		parts[1+m.rng.IntN(len(parts)-1)] = pick(m, nastyPaths)
		r.path = strings.Join(parts, "/")
	case 6:
		r.path += pick(m,
			[]string{
				"/", "/x", "/history", "/upload-image", "/upload-logo", "/items", "/update-status", "/requests",
				"/messages", "/notify", "/revoke-link", "/tasks", "/test", "/replay", "/secret", "/deliveries", "%2f",
				"%00", "%ff", "?",
			})
	case 7:
		if r.query == nil {
			r.query = url.Values{}
		}
		r.query[pick(m,
			[]string{
				"term", "limit", "page", "status", "source", "from", "to", "state", "eventType", "eventId", "itemId",
				"Term", "\x00", "ß",
			})] = []string{pick(m, nastyTexts), pick(m, nastyTexts)}[:1+m.rng.IntN(2)]
	case 8:
		name := pick(m,
			[]string{
				"Content-Type", "Svc-Api-Key", "Authorization", "Idempotency-Key", "X-Request-Id", "Accept", "Range",
				"If-None-Match", "Content-Encoding",
			})
		r.header[name] = []string{pick(m, nastyHeaders)}
	default:
		r.method = pick(m,
			[]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "QUERY"})
	}
}

// mutateBytes changes some bytes of the body.
func (m *mutator) mutateBytes(r *mutatedRequest) {
	b := bytes.Clone(r.body)
	for n := 1 + m.rng.IntN(4); n > 0 && len(b) > 0; n-- {
		at := m.rng.IntN(len(b))
		switch m.rng.IntN(5) {
		case 0:
			b[at] ^= byte(1 << m.rng.IntN(8))
		case 1:
			b = slices.Delete(b, at, min(len(b), at+1+m.rng.IntN(8)))
		case 2:
			b = slices.Insert(b, at, []byte(pick(m, nastyTexts))...)
		case 3:
			b = slices.Insert(b, at, b[at:min(len(b), at+m.rng.IntN(64))]...)
		default:
			b = b[:at]
		}
	}
	r.body, r.malformedForm = b, strings.HasPrefix(r.header.Get("Content-Type"), "multipart")
}

// mutateJSON changes a value somewhere in an object.
func (m *mutator) mutateJSON(t *jsonNode) {
	for len(t.children) > 0 {
		n := m.rng.IntN(len(t.children))
		if child := t.children[n]; len(child.children) > 0 && m.rng.IntN(2) == 0 {
			t = child
			continue
		}
		switch m.rng.IntN(6) {
		case 0:
			t.children = slices.Delete(t.children, n, n+1)
			if t.kind == '{' {
				t.names = slices.Delete(t.names, n, n+1)
			}
		case 1:
			t.children = append(t.children, t.children[n])
			if t.kind == '{' {
				t.names = append(t.names, t.names[n])
			}
		case 2:
			if t.kind == '{' {
				t.names[n] = pick(m,
					append([]string{
						"id", "status", "images", "createdAt", "locationId", "shipping", "owner", "contact",
					}, nastyTexts...))
			}
		case 3:
			t.children[n] = &jsonNode{kind: '[', children: []*jsonNode{t.children[n]}}
		case 4:
			t.children[n] = &jsonNode{text: pick(m, nastyValues)}
		default:
			t.children[n] = &jsonNode{kind: '"', text: pick(m, nastyTexts)}
		}
		return
	}
}

var (
	nastyTexts = []string{
		"", " ", "\x00", "\u2028", "a\u0301", "💥", "%", "_", "'", `"`, `\`, "';DROP TABLE items;--", "null", "0", "-1",
		"1e309", "NaN", "9223372036854775808",
		"2026-02-30", "9999-12-31", "0001-01-01", "+1", "a@b", "https://", "http://[::1", "javascript:x",
		"Europe/../Berlin", "../../etc/passwd", "DE", "PENDING", "found",
		strings.Repeat("ä", 300), strings.Repeat("x ", 150), strings.Repeat("W", 20000), "\ufffd", "\xff\xfe", "İ", "ﬁ",
		"\u200d", "\ue000", "OR NOT NEAR(", "*", "^",
	}
	nastyValues = []string{
		"null", "true", "0", "-0", "-1", "1.5", "1e308", "1e-320", "1e999", "9007199254740993", "[]", "{}", "[[[[]]]]",
		`{"a":{"a":{}}}`, `"\ud800"`, `"\u0000"`, "tru",
		strings.Repeat("[", 2000) + strings.Repeat("]", 2000),
	}
	nastyPaths = []string{
		"", ".", "..", "%2e%2e", "%00", "%ff", "%", "loc_0", "item_0", "v2", "LOCATIONS", "*", "{id}", "a%2fb",
		strings.Repeat("x", 3000), "ß", "\"", "'",
	}
	nastyHeaders = []string{
		"", "a", "application/json", "application/json; charset=utf-16", "text/html", "multipart/form-data",
		"multipart/form-data; boundary=x", "multipart/mixed; boundary=x",
		"Bearer x", "bytes=0-1", "*", "gzip", "once", "once more", "\xff", strings.Repeat("k", 300), "\"", ";;;",
		"application/json;;",
	}
)

// encode formats a value as JSON.
func (t *jsonNode) encode() string {
	parts := make([]string, len(t.children))
	for n, child := range t.children {
		parts[n] = child.encode()
		if t.kind == '{' {
			parts[n] = quote(t.names[n]) + ":" + parts[n]
		}
	}
	switch t.kind {
	case '{':
		return "{" + strings.Join(parts, ",") + "}"
	case '[':
		return "[" + strings.Join(parts, ",") + "]"
	case '"':
		return quote(t.text)
	default:
		return t.text
	}
}

// checkEverything checks all records for consistency.
func checkEverything(t *testing.T, s *service) {
	t.Helper()
	locations, total := s.listAll("/v1/locations")
	if total != len(locations) || total == 0 {
		t.Errorf("%d locations, but total %d", len(locations), total)
	}
	files := map[string]bool{}
	records := 0
	for _, l := range locations {
		one := "/v1/locations/" + l["id"].(string)
		same(t, one, l, s.must(http.StatusOK, "GET", one, nil))
		noteFile(files, l["logoUrl"])
		items, _ := s.listAll(one + "/items")
		checkCounts(t, s, l["id"].(string))
		for _, i := range items {
			checkItem(t, s, one+"/items/"+i["id"].(string), i)
			for _, image := range i["images"].([]any) {
				noteFile(files, image.(map[string]any)["url"])
				noteFile(files, image.(map[string]any)["thumbnailUrl"])
			}
			records++
		}
	}
	t.Logf("%d locations, %d items, %d files", len(locations), records, len(files))
	var unreferenced, missing []string
	if !pollFor(time.Minute, func() bool {
		unreferenced, missing = compareFiles(files, s.listFiles())
		return len(unreferenced)+len(missing) == 0
	}) {
		t.Errorf("files without a record: %v\nrecords without a file: %v", unreferenced, missing)
	}
}

// compareFiles returns the stored files that no record refers to, and the files that records refer to but that do not
// exist. A damaged picture may have no thumbnail.
func compareFiles(referenced map[string]bool, stored []string) (unreferenced, missing []string) {
	existing := map[string]bool{}
	for _, file := range stored {
		name := filepath.Base(file)
		name = strings.NewReplacer("-160.", "-640.", "-320.", "-640.").Replace(name) // records name only the largest
		existing[name] = true
		if !referenced[name] {
			unreferenced = append(unreferenced, name)
		}
	}
	for name := range referenced {
		if !existing[name] && !strings.Contains(name, "-640.") {
			missing = append(missing, name)
		}
	}
	return unreferenced, missing
}

func noteFile(files map[string]bool, address any) {
	if _, name, ok := strings.Cut(text(address), "/files/"); ok {
		files[name] = true
	}
}

func same(t *testing.T, what string, a, b map[string]any) {
	t.Helper()
	if x, y := fmt.Sprint(a), fmt.Sprint(b); x != y {
		t.Errorf("%s is\n%s\nin the list and\n%s\nwhen it is read alone", what, x, y)
	}
}

// checkItem compares an item with its history.
func checkItem(t *testing.T, s *service, path string, item map[string]any) {
	t.Helper()
	same(t, path, item, s.must(http.StatusOK, "GET", path, nil))
	waitUntil(t, "the messages about "+path+" are sent", func() bool { return s.messagesSettled(path) })
	history, total := s.listAll(path + "/history")
	if total != len(history) || total == 0 {
		t.Fatalf("%s: the history has %d entries and total %d", path, len(history), total)
	}
	slices.Reverse(history)
	if first := history[0]; first["action"] != "created" || first["at"] != item["createdAt"] {
		t.Errorf("%s was created at %v, its history begins with %v", path, item["createdAt"], first)
	}
	status, images, withEvent := "PENDING", 0, 0
	if item["source"] == "request" {
		withEvent++
	}
	for _, line := range history {
		switch line["action"] {
		case "status-changed":
			if line["from"] != status {
				t.Errorf("%s: an entry continues from %v, but the status was %s", path, line["from"], status)
			}
			status = text(line["to"])
			if eventTypes[status] != "" {
				withEvent++
			}
		case "image-added":
			images++
		case "image-removed": // because it is damaged
			images--
		}
	}
	if item["status"] != status || len(item["images"].([]any)) != images {
		t.Errorf("%s is %v with %d images, its history ends with %s and %d", path, item["status"],
			len(item["images"].([]any)), status, images)
	}
	if events, total := s.listAll("/v1/events?itemId=" + text(item["id"])); len(events) != withEvent ||
		total != withEvent {
		t.Errorf("%s: the history has %d changes with an event, but there are %d events (total %d)", path, withEvent,
			len(events), total)
	}
}
