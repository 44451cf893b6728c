package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/store/storetest"
)

const (
	strangerMark  = "belongs-to-a-stranger"       // part of every text in another account
	elsewhereMark = "belongs-to-another-location" // part of every text in a location that some keys cannot access
	maxDuration   = 15 * time.Second              // the longest that a response may take, even on a busy machine
	minRounds     = 4                             // how often each key calls every operation, even on a busy machine
)

// For every operation in the OpenAPI document, the test generates valid, almost valid and hostile requests, with keys
// of every role. Every response must arrive in time and conform to the document, which the service's client checks.
// It must not be a server error or contain data from another account or an inaccessible location. HOMEWARD_TEST_SEED
// selects other requests, and HOMEWARD_TEST_HOSTILE sets how long the test runs, such as 10m.
func TestGeneratedRequestsConformToTheDocument(t *testing.T) {
	t.Parallel()
	seed, duration := numberFrom(t, "HOMEWARD_TEST_SEED", 20261116), 10*time.Second
	if value, set := os.LookupEnv("HOMEWARD_TEST_HOSTILE"); set {
		var err error
		if duration, err = time.ParseDuration(value); err != nil {
			t.Fatalf("HOMEWARD_TEST_HOSTILE: %v", err)
		}
	}
	t.Logf("HOMEWARD_TEST_SEED=%d HOMEWARD_TEST_HOSTILE=%s", seed, duration)
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		cfg := newConfig(t, setting)
		cfg.AllowPrivate = true
		s := startService(t, cfg)
		doc := readDocument(t, s)
		place := s.newFixture("plain")
		elsewhere := s.newFixture(elsewhereMark)
		stranger := *s
		stranger.key = s.newAccount()
		theirs := stranger.newFixture(strangerMark)
		before := stranger.readFixture(theirs)

		counts := &responseCounts{seen: map[string]map[int]int{}}
		var working sync.WaitGroup
		until := time.Now().Add(duration)
		for n, key := range s.newRoleKeys(place) {
			h := &randomClient{
				mutator: mutator{s: s, rng: rand.New(rand.NewPCG(seed, uint64(n)))}, doc: doc, key: key.secret,
				hidden: key.hidden, hook: newReceiver(t).url, counts: counts,
				ids: [][]string{place.ids, place.ids, place.ids, elsewhere.ids, theirs.ids}, spare: s.keyIDs(),
			}
			working.Go(func() {
				for n := 0; n < minRounds*len(doc.operations) || time.Now().Before(until); n++ {
					h.step(t, doc.operations[n%len(doc.operations)])
				}
			})
		}
		working.Wait()
		if after := stranger.readFixture(theirs); after != before {
			t.Errorf("another account has changed:\n%s\nbefore\n%s", after, before)
		}
		counts.check(t, doc)
	})
}

// openDocument holds the parts of an OpenAPI document from which requests are generated.
type openDocument struct {
	Paths      map[string]map[string]*openOperation
	Components struct{ Schemas map[string]*openSchema }
	operations []*openOperation
}

type openOperation struct {
	ID         string `json:"operationId"`
	Parameters []struct {
		Name, In string
		Schema   *openSchema
	}
	RequestBody struct {
		Content map[string]struct{ Schema *openSchema }
	}
	method, path string
}

type openSchema struct {
	Ref              string `json:"$ref"`
	Type             any
	Format, Pattern  string
	Enum, Examples   []any
	AnyOf            []*openSchema
	Properties       map[string]*openSchema
	Required         []string
	Items            *openSchema
	ReadOnly         bool
	Minimum, Maximum *float64
	MaxLength        *int
}

func readDocument(t *testing.T, s *service) *openDocument {
	t.Helper()
	doc := &openDocument{}
	s.do("", "GET", "/openapi.json", nil).json(t, doc)
	for path, methods := range doc.Paths {
		for method, op := range methods {
			op.method, op.path = strings.ToUpper(method), path
			doc.operations = append(doc.operations, op)
		}
	}
	slices.SortFunc(doc.operations, func(a, b *openOperation) int { return strings.Compare(a.ID, b.ID) })
	return doc
}

// fixture is a location with a record of every kind.
type fixture struct {
	location string
	ids      []string
}

// newFixture creates a location with a record of every kind. Every text in them contains the mark.
func (s *service) newFixture(mark string) (f fixture) {
	s.t.Helper()
	owner := map[string]any{"firstName": mark, "lastName": mark, "email": mark + "@example.com"}
	f.location = s.newLocation(map[string]any{
		"name": mark, "description": mark, "storagePlace": mark, "charity": mark, "city": mark,
		"privacyText": mark,
	})
	item := s.newItem(f.location,
		map[string]any{
			"description": "Umbrella " + mark, "brand": mark, "notes": mark, "storagePlace": mark, "owner": owner,
		})
	claim := s.newRequest(f.location,
		map[string]any{"description": "Umbrella " + mark, "proof": mark, "owner": owner})
	key, _ := s.newKey(map[string]any{"name": mark, "locations": []string{f.location}, "readOnly": true})
	hook := s.must(http.StatusCreated, "POST", "/v1/webhooks",
		map[string]any{
			"url": newReceiver(s.t).url + "/" + mark, "description": mark, "events": []string{"donate"},
		})["id"].(string)
	test := s.must(http.StatusCreated, "POST", "/v1/webhooks/"+hook+"/test", nil)
	at := "/v1/locations/" + f.location
	f.ids = []string{f.location, item, claim, key, hook, test["id"].(string), test["eventId"].(string)}
	waitUntil(s.t, "no work is pending for "+mark, func() bool {
		return s.messagesSettled(at+"/items/"+item) && s.messagesSettled(at+"/items/"+claim) &&
			s.must(http.StatusOK, "GET", "/v1/deliveries/"+f.ids[5], nil)["state"] == "delivered" &&
			s.must(http.StatusOK, "GET", at+"/requests/"+claim+"/matches", nil) != nil &&
			s.must(http.StatusOK, "GET", at+"/tasks", nil)["total"] == 1.0
	})
	return f
}

// readFixture returns everything that the owner can read of a fixture.
func (s *service) readFixture(f fixture) string {
	s.t.Helper()
	var b strings.Builder
	for _, path := range []string{
		"", "/items", "/requests", "/tasks", "/items/" + f.ids[1] + "/history", "/items/" + f.ids[1] + "/messages",
	} {
		b.Write(s.do(s.key, "GET", "/v1/locations/"+f.location+path, nil).body)
	}
	for _, path := range []string{
		"/v1/locations", "/v1/keys/" + f.ids[3], "/v1/webhooks", "/v1/webhooks/" + f.ids[4] + "/secret",
		"/v1/webhooks/" + f.ids[4] + "/deliveries", "/v1/events",
	} {
		b.Write(s.do(s.key, "GET", path, nil).body)
	}
	return regexp.MustCompile(`"lastUsedAt":\s*"[^"]*"`).ReplaceAllString(b.String(), "")
}

// roleKey is an API key and the marks that responses to it must not contain.
type roleKey struct {
	secret string
	hidden []string
}

// newRoleKeys creates keys of every role, for the whole account and for one location.
func (s *service) newRoleKeys(at fixture) (keys []roleKey) {
	s.t.Helper()
	for _, role := range []string{"admin", "admin", "desk", "logger", "viewer"} {
		_, whole := s.newKey(map[string]any{"name": "All " + role, "role": role})
		_, one := s.newKey(map[string]any{"name": "One " + role, "role": role, "locations": []string{at.location}})
		keys = append(keys, roleKey{whole, []string{strangerMark}}, roleKey{one, []string{strangerMark, elsewhereMark}})
	}
	return keys
}

// keyIDs returns the ids of all API keys. The test uses these keys, so it must not delete them.
func (s *service) keyIDs() map[string]bool {
	s.t.Helper()
	ids := map[string]bool{}
	keys, _ := s.listAll("/v1/keys")
	for _, k := range keys {
		ids[k["id"].(string)] = true
	}
	return ids
}

// randomClient generates requests from the document and checks the responses.
type randomClient struct {
	mutator
	doc    *openDocument
	key    string
	hidden []string
	hook   string
	counts *responseCounts
	ids    [][]string // ids in this client's fixture, in an inaccessible location and in another account
	spare  map[string]bool
	valid  bool // the current request should be valid
}

func (h *randomClient) step(t *testing.T, op *openOperation) {
	h.valid = h.rng.IntN(2) == 0
	r := h.make(op)
	for n := h.rng.IntN(3); n > 0 && !h.valid; n-- {
		h.mutate(&r)
	}
	started := time.Now()
	a, err := h.send(r)
	took := time.Since(started)
	exchange := fmt.Sprintf("%s %s %v\nheader %v\nbody %.2000q\nreturned %d %.2000s", r.method, r.path, r.query,
		r.header,
		r.body, a.status, a.body)
	switch {
	case err != nil:
		t.Errorf("no response: %v\n%s", err, exchange)
	case a.status >= http.StatusInternalServerError:
		t.Errorf("server error:\n%s", exchange)
	case took > maxDuration:
		t.Errorf("took %s:\n%s", took, exchange)
	}
	for _, mark := range h.hidden {
		if bytes.Contains(a.body, []byte(mark)) && !bytes.Contains(r.body, []byte(mark)) {
			t.Errorf("contains %s:\n%s", mark, exchange)
		}
	}
	if r.method == op.method {
		h.counts.add(op.ID, a.status)
	}
	h.learn(a)
}

// learn remembers the ids in a response for later requests.
func (h *randomClient) learn(a response) {
	const most = 60
	for _, id := range idInBody.FindAllSubmatch(a.body, 5) {
		if len(h.ids[0]) < most {
			h.ids[0] = append(slices.Clip(h.ids[0]), string(id[1]))
		} else {
			own := slices.Clone(h.ids[0])
			own[h.rng.IntN(most)] = string(id[1])
			h.ids[0] = own
		}
	}
}

var idInBody = regexp.MustCompile(`"id":\s*"([a-z]+_[0-9a-z]{20,})"`)

// kindOf returns the id prefix that a path parameter expects.
func kindOf(path, name string) string {
	switch {
	case name == "lid" || strings.HasPrefix(path, "/v1/locations/{id}"):
		return "loc_"
	case strings.HasPrefix(path, "/v1/webhooks"):
		return "whk_"
	case strings.HasPrefix(path, "/v1/events"):
		return "evt_"
	case strings.HasPrefix(path, "/v1/deliveries"):
		return "dlv_"
	case strings.HasPrefix(path, "/v1/keys"):
		return "key_"
	default:
		return "item_"
	}
}

// id returns an id, usually of the given kind and from the client's own fixture. For a valid request, the location is
// always the fixture's.
func (h *randomClient) id(kind string) string {
	from, candidates := pick(&h.mutator, h.ids), []string{}
	switch {
	case h.valid && (kind == "loc_" || h.rng.IntN(2) == 0):
		from = h.ids[1]
	case h.valid:
		from = h.ids[0]
	}
	for _, id := range from {
		if strings.HasPrefix(id, kind) {
			candidates = append(candidates, id)
		}
	}
	if len(candidates) == 0 || !h.valid && h.rng.IntN(20) == 0 {
		return pick(&h.mutator, pick(&h.mutator, h.ids))
	}
	return pick(&h.mutator, candidates)
}

// make generates a request that the document allows.
func (h *randomClient) make(op *openOperation) mutatedRequest {
	r := mutatedRequest{
		method: op.method, path: op.path, query: url.Values{}, header: http.Header{"Svc-Api-Key": {h.key}},
	}
	for _, p := range op.Parameters {
		switch {
		case p.In == "path":
			id := h.id(kindOf(op.path, p.Name))
			// Do not delete a record that later requests need.
			if op.method == http.MethodDelete && (h.spare[id] || slices.Contains(h.ids[1], id)) {
				id = unusedID(id)
			}
			r.path = strings.Replace(r.path, "{"+p.Name+"}", id, 1)
		case p.In == "query" && h.rng.IntN(3) == 0:
			r.query.Add(p.Name, queryValue(h.value(p.Schema, p.Name, 0)))
		case p.In == "header" && h.rng.IntN(4) == 0:
			r.header.Set(p.Name, fmt.Sprint("once-", h.rng.IntN(20)))
		}
	}
	for mediaType, content := range op.RequestBody.Content {
		if strings.HasPrefix(mediaType, "multipart") {
			for part := range content.Schema.Properties {
				h.form(&r, part)
			}
			continue
		}
		r.header.Set("Content-Type", mediaType)
		r.body, _ = json.Marshal(h.value(content.Schema, "", 0)) // these values can always be encoded
	}
	return r
}

// queryValue formats a value for a query.
func queryValue(v any) string {
	if list, is := v.([]any); is {
		if len(list) == 0 {
			return ""
		}
		v = list[0]
	}
	return fmt.Sprint(v)
}

const maxDepth = 6

// value generates a value that a schema allows, and sometimes one that it does not allow.
func (h *randomClient) value(s *openSchema, name string, depth int) any {
	for s.Ref != "" {
		s = h.doc.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	if s.AnyOf != nil {
		return h.value(pick(&h.mutator, s.AnyOf), name, depth+1)
	}
	switch {
	case name == "url":
		return h.hook + pick(&h.mutator, []string{"", "/", "/ä?b=c", "/#x"})
	case strings.HasSuffix(name, "Id") && h.rng.IntN(2) == 0:
		return h.id("item_")
	case name == "locations":
		return []any{h.id("loc_")}
	case name == "headers" && h.valid:
		return map[string]any{"X-Desk": "12"}
	case !h.valid && h.rng.IntN(40) == 0:
		return pick(&h.mutator, invalidValues)
	case s.Enum != nil:
		return pick(&h.mutator, s.Enum)
	}
	switch h.kind(s) {
	case "object":
		return h.object(s, depth)
	case "array":
		out := []any{}
		for n := h.rng.IntN(4); n > 0 && depth < maxDepth; n-- {
			out = append(out, h.value(s.Items, name, depth+1))
		}
		return out
	case "integer":
		return int64(h.number(s))
	case "number":
		return h.number(s)
	case "boolean":
		return h.rng.IntN(2) == 0
	case "null":
		return nil
	}
	return h.text(s)
}

// invalidValues are values that no schema allows.
var invalidValues = []any{
	nil, true, -1, 1e300, "", []any{}, map[string]any{}, map[string]any{"$ref": "#"}, []any{[]any{[]any{nil}}}, "\x00",
	"a\u0000b", "\u202eabc", "👩‍👩‍👧‍👦", "ﬀ", "Ａ", "\ufeff", strings.Repeat("💥", 5001),
	strings.Repeat("A", 100_000), "' OR 1=1 --", "{{.}}", "${jndi:ldap://x}", "=cmd|' /C calc'!A0",
	"../../../etc/passwd", "<script>alert(1)</script>", "%00", "\r\nSet-Cookie: a=b", "9223372036854775808", 9.3e18,
	0.1,
}

// kind chooses one of a schema's types.
func (h *randomClient) kind(s *openSchema) string {
	switch kind := s.Type.(type) {
	case string:
		return kind
	case []any:
		if h.rng.IntN(4) == 0 {
			return fmt.Sprint(pick(&h.mutator, kind))
		}
		return fmt.Sprint(kind[0])
	}
	return "string"
}

func (h *randomClient) object(s *openSchema, depth int) any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if needed := slices.Contains(s.Required, name); !needed && (depth >= maxDepth || h.rng.IntN(4) > 0) ||
			s.Properties[name].ReadOnly || needed && !h.valid && h.rng.IntN(60) == 0 {
			continue
		}
		out[name] = h.value(s.Properties[name], name, depth+1)
	}
	if !h.valid && h.rng.IntN(40) == 0 {
		out[pick(&h.mutator, []string{"accountId", "account_id", "id", "__proto__", "", "constructor"})] = h.id("acc_")
	}
	return out
}

// number generates a number within a schema's bounds, often one of the bounds.
func (h *randomClient) number(s *openSchema) float64 {
	low, high := 0.0, 1000.0
	if s.Minimum != nil {
		low = *s.Minimum
	}
	if s.Maximum != nil {
		high = *s.Maximum
	}
	switch h.rng.IntN(6) {
	case 0:
		return low
	case 1:
		return high
	case 2:
		if !h.valid {
			return high + 1
		}
	}
	return low + float64(h.rng.IntN(max(1, min(100, int(high-low)))))
}

func (h *randomClient) text(s *openSchema) string {
	if s.Examples != nil && (h.valid || h.rng.IntN(3) > 0 || s.Pattern != "" || s.Format != "") {
		return fmt.Sprint(pick(&h.mutator, s.Examples))
	}
	if s.MaxLength != nil && !h.valid && h.rng.IntN(4) == 0 {
		return strings.Repeat(pick(&h.mutator, []string{"x", "ü", "語", "💥"}), *s.MaxLength+h.rng.IntN(2))
	}
	if h.valid {
		return "Umbrella"
	}
	return pick(&h.mutator, nastyTexts)
}

// responseCounts counts responses by operation and status.
type responseCounts struct {
	mu   sync.Mutex
	seen map[string]map[int]int // number of responses by operation and status
}

func (c *responseCounts) add(op string, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[op] == nil {
		c.seen[op] = map[int]int{}
	}
	c.seen[op][status]++
}

// check checks that each operation was called, and that most of them succeeded at least once.
func (c *responseCounts) check(t *testing.T, doc *openDocument) {
	t.Helper()
	total, never := 0, []string{}
	statuses := map[int]int{}
	for _, op := range doc.operations {
		good, all := 0, 0
		for status, n := range c.seen[op.ID] {
			all += n
			statuses[status] += n
			if status < http.StatusMultipleChoices {
				good += n
			}
		}
		total += all
		if all == 0 {
			t.Errorf("%s was never called", op.ID)
		}
		if good == 0 {
			never = append(never, op.ID)
		}
	}
	t.Logf("%d requests for %d operations returned %v; never successful: %v", total, len(doc.operations), statuses,
		never)
	if len(never) > len(doc.operations)/4 {
		t.Errorf("too many operations were never successful: %v", never)
	}
}
