package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"homeward/internal/courier"
	"homeward/internal/desk"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/lost/paper"
	"homeward/internal/payment"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	v1 "homeward/internal/v1"
	"homeward/internal/web/api"
	"homeward/internal/web/api/apitest"
	"homeward/internal/web/respond"
	"homeward/internal/webhook"
)

// testService is an API with all its services, and a client that checks each request and response against the OpenAPI
// document.
type testService struct {
	t       *testing.T
	url     string
	key     string
	checker *apitest.Checker
	client  *http.Client
	doc     dict
	desk    *services.Services
	account string
}

func newService(t *testing.T) *testService {
	t.Helper()
	return newThrottledService(t, 0)
}

// newThrottledService returns a service with a rate limit.
func newThrottledService(t *testing.T, requestsPerSecond float64) *testService {
	t.Helper()
	clock := &storetest.Clock{}
	db := storetest.Open(t, filepath.Join(t.TempDir(), "homeward.db"), clock.Now)
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	wire := v1.Encoder{Base: "https://homeward.example"}
	d := services.New(services.Options{
		DB: db, Wire: wire, Uploads: pictures{}, Hooks: webhooks{}, Messenger: messenger{},
		Carrier: carrier{courier.Tariff{Now: clock.Now}}, PaymentProvider: payment.None{}, Documents: documents{},
		Files: documents{}, Forms: documents{}, Now: clock.Now, Wake: func() {}, WakeMessages: func() {},
		WakeDeliveries: func(...store.EndpointQueue) {}, Hashing: identity.Hashing{Memory: 8, Passes: 1},
	})
	first, _, err := d.Accounts.CreateFirst(t.Context(), identity.FirstSettings{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := api.New(d, wire, requestsPerSecond)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(respond.RequestIDHeader, "req_test")
		a.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	doc := document(t)
	checker, err := apitest.NewChecker(doc)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: checker.Transport(server.Client().Transport, func(err error) { t.Error(err) })}
	return &testService{
		t: t, url: server.URL, key: first.Key.Secret, checker: checker, client: client, doc: decoded(t, doc), desk: d,
		account: first.Key.Account,
	}
}

type response struct {
	status int
	header http.Header
	body   []byte
}

// id returns the identifier of the record in a response.
func (a response) id() string { return a.record()["id"].(string) }

func (a response) record() dict {
	var v dict
	_ = json.Unmarshal(a.body, &v)
	return v
}

func (s *testService) do(req *http.Request) response {
	s.t.Helper()
	if req.Header.Get("svc-api-key") == "" {
		req.Header.Set("svc-api-key", s.key)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response{resp.StatusCode, resp.Header, body}
}

// ask sends a request, with a JSON body unless body is empty. more holds pairs of header names and values.
func (s *testService) ask(method, path, body string, more ...string) response {
	s.t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, s.url+path, r)
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(more); i += 2 {
		req.Header.Set(more[i], more[i+1])
	}
	return s.do(req)
}

// want sends a request and checks the status.
func (s *testService) want(status int, method, path, body string, more ...string) response {
	s.t.Helper()
	got := s.ask(method, path, body, more...)
	if got.status != status {
		s.t.Errorf("%s %s %.200s: %d, want %d: %s", method, path, body, got.status, status, got.body)
	}
	return got
}

// upload sends a file in a form.
func (s *testService) upload(status int, path, part, content string, more ...string) response {
	s.t.Helper()
	form, kind := fileForm(formFile{part, content})
	return s.want(status, http.MethodPost, path, form, append(more, "Content-Type", kind)...)
}

type formFile struct{ part, content string }

// fileForm encodes a form with files and returns its body and content type.
func fileForm(files ...formFile) (body, kind string) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for _, file := range files {
		if file.part == "text" {
			_ = w.WriteField(file.part, file.content)
			continue
		}
		f, _ := w.CreateFormFile(file.part, "photo.jpg")
		_, _ = io.WriteString(f, file.content)
	}
	_ = w.Close()
	return form.String(), w.FormDataContentType()
}

// A form with two files in the same part is refused, because only one would be stored.
func TestAnUploadHasOneFile(t *testing.T) {
	s := newService(t)
	at := s.want(201, "POST", locationsPath, `{"name":"Hotel Adler"}`).header.Get("Location")
	one := s.want(201, "POST", at+"/items", `{"description":"Umbrella"}`).header.Get("Location")
	for part, path := range map[string]string{"image": one + "/upload-image", "logo": at + "/upload-logo"} {
		for name, c := range map[string]struct {
			files  []formFile
			status int
		}{
			"two files":               {[]formFile{{part, "one"}, {part, "two"}}, 422},
			"two, and a part between": {[]formFile{{part, "one"}, {"note", "text"}, {part, "two"}}, 422},
			"a large part after it":   {[]formFile{{part, "one"}, {"note", strings.Repeat("x", 1<<20)}}, 413},
			"a part before and after": {[]formFile{{"note", "text"}, {part, "one"}, {"note", "text"}}, 200},
			"an empty part after it":  {[]formFile{{part, "one"}, {part, ""}}, 200},
		} {
			form, kind := fileForm(c.files...)
			a := s.want(c.status, "POST", path, form, "Content-Type", kind)
			if c.status == 422 && !strings.Contains(string(a.body), `"field":"`+part+`","code":"duplicate"`) {
				t.Errorf("%s: %s", name, a.body)
			}
		}
	}
	if item := string(s.want(200, "GET", one, "").body); strings.Count(item, `"contentType"`) > 2 {
		t.Errorf("a refused upload was stored: %s", item)
	}
}

// example returns the document's example of an operation's request body.
func (s *testService) example(path, method string) string {
	s.t.Helper()
	op := s.doc["paths"].(dict)[path].(dict)[method].(dict)
	raw, err := json.Marshal(op["requestBody"].(dict)["content"].(dict)["application/json"].(dict)["example"])
	if err != nil {
		s.t.Fatal(err)
	}
	return string(raw)
}

const (
	locationsPath = "/v1/locations"
	locationPath  = "/v1/locations/{id}"
	itemsPath     = "/v1/locations/{lid}/items"
	itemPath      = "/v1/locations/{lid}/items/{id}"
	statusPath    = itemPath + "/update-status"
	refundPath    = itemPath + "/refund"
	requestsPath  = "/v1/locations/{lid}/requests"
	decisionPath  = requestsPath + "/{id}/update-status"
	keysPath      = "/v1/keys"
	hooksPath     = "/v1/webhooks"
	hookPath      = "/v1/webhooks/{id}"
)

func TestExamplesWorkAndResponsesConform(t *testing.T) {
	s := newService(t)
	location := s.want(201, "POST", locationsPath, s.example(locationsPath, "post"), "Idempotency-Key", "one")
	s.want(201, "POST", locationsPath, s.example(locationsPath, "post"), "Idempotency-Key", "one")
	s.want(409, "POST", locationsPath, `{"name":"Another"}`, "Idempotency-Key", "one")
	at := location.header.Get("Location")
	s.want(200, "GET", at, "")
	s.want(200, "HEAD", at, "")
	s.want(200, "PUT", at, s.example(locationPath, "put"))
	s.want(200, "PUT", at, string(location.body))
	s.want(200, "PUT", at,
		`{"contact":null,"pickupTime":{"from":null},"storageDuration":null,"logoUrl":null,`+
			`"reminders":{"afterNotice":[7,3],"beforePickup":[]}}`)
	s.want(200, "PUT", at, `{"language":null,"reminders":null}`)
	s.want(200, "PUT", at, `{"openingHours":[{"days":["sat"],"from":"10:00","to":"24:00"}],"closures":[],`+
		`"slots":{"minutes":60}}`)
	s.want(200, "GET", at+"/slots?from=2027-01-01&to=2027-01-31", "")
	s.want(422, "GET", at+"/slots?from=2027-01-01&to=2027-02-01", "")
	s.want(200, "PUT", at, `{"openingHours":null,"closures":null,"slots":null}`)
	s.want(200, "GET", at+"/slots", "")
	s.want(200, "PUT", at,
		`{"shipping":{"world":{"prices":[],"documentPrice":null},"neighbour":null,"currency":"chf"}}`)
	s.want(200, "PUT", at, string(s.want(200, "GET", at, "").body))
	s.want(200, "PUT", at, `{"shipping":null}`)
	s.upload(200, at+"/upload-logo", "logo", "picture")

	item := s.want(201, "POST", at+"/items", s.example(itemsPath, "post"))
	one := item.header.Get("Location")
	s.want(200, "PUT", one, s.example(itemPath, "put"))
	s.upload(200, one+"/upload-image", "image", "picture", "Idempotency-Key", "photo")
	s.tryStays(at, one)
	s.want(200, "PUT", one+"/update-status", s.example(statusPath, "put"))
	s.want(200, "PUT", one+"/update-status", `{"status":"SHIPPED","trackingNumber":"00340434161094042557","note":null}`)
	whole := s.want(200, "GET", one, "")
	s.want(200, "PUT", one, string(whole.body))
	s.want(200, "PUT", one, `{"pickup":null,"shipping":null,"owner":null}`)
	s.want(200, "GET", one+"/history?limit=10&page=1", "")
	s.want(200, "GET",
		at+"/items?term=umbrella&status=PENDING&status=SHIPPED&source=found&from=2026-11-01&to=2026-11-30", "")
	s.want(200, "GET", at+"/items?page=7", "")
	s.want(200, "GET", locationsPath+"?term=adler", "")
	s.tryRequests(at)
	s.tryImages(at)
	s.tryBulk(at)
	s.tryShipping(at)
	s.tryWebhooks()

	key := s.want(201, "POST", keysPath, s.example(keysPath, "post"))
	s.want(200, "GET", keysPath, "")
	s.want(200, "GET", keysPath+"/"+key.id(), "")
	s.want(200, "PUT", keysPath+"/"+key.id(), s.example(keysPath+"/{id}", "put"))
	s.want(422, "PUT", keysPath+"/"+key.id(), `{"name":null}`)
	s.tryLimitedKey(at, one, location.id())
	s.want(200, "POST", "/v1/persons/export", s.example("/v1/persons/export", "post"))
	erasure := s.want(200, "POST", "/v1/persons/erase", s.example("/v1/persons/erase", "post"))
	s.want(200, "GET", "/v1/persons/erasures/"+erasure.id(), "")
	s.want(204, "DELETE", keysPath+"/"+key.id(), "")
	s.tryAuditLog(key.id())
	s.want(204, "DELETE", one, "")
	s.want(200, "GET", "/v1/items?updatedSince=2026-01-01T00:00:00Z&location="+location.id(), "")
	s.want(200, "GET", "/v1/requests?term=umbrella", "")
	s.want(204, "DELETE", at, "")

	if unseen := s.checker.Unseen(); len(unseen) > 0 {
		t.Errorf("these operations were not called: %v", unseen)
	}
}

// tryAuditLog lists the audit log with every filter, and by cursor.
func (s *testService) tryAuditLog(key string) {
	s.t.Helper()
	filters := "action=key-revoked&subject=" + key + "&actor=" + s.actor().ID + "&address=127.0.0.1&from=2026-01-01" +
		"&to=2126-01-01T00:00:00Z"
	if found := s.want(200, "GET", "/v1/audit?"+filters, "").record(); found["total"] != 1.0 {
		s.t.Errorf("the revoked key in the audit log: %v", found)
	}
	next, more := s.want(200, "GET", "/v1/audit?limit=10", "").record()["next"].(string)
	if !more {
		s.t.Error("the first page of the audit log has no cursor")
	}
	s.want(200, "GET", "/v1/audit?limit=10&cursor="+next, "")
	s.want(422, "GET", "/v1/audit?page=2&cursor="+next, "")
	s.want(200, "GET", "/v1/reports?from=2026-10-01&to=2026-10-31", "")
	s.want(422, "GET", "/v1/reports?from=2026-10-31&to=2026-10-01", "")
}

// tryLimitedKey calls operations with a read-only key for one location.
func (s *testService) tryLimitedKey(at, one, location string) {
	s.t.Helper()
	created := s.want(201, "POST", keysPath,
		fmt.Sprintf(`{"name":"Limited","readOnly":true,"locations":[%q],"expiresAt":null}`, location))
	limited := created.record()["key"].(string)
	s.want(200, "GET", "/v1/account", "", "svc-api-key", limited)
	s.want(403, "GET", keysPath, "", "svc-api-key", limited)
	s.want(403, "PUT", at, `{"name":"X"}`, "svc-api-key", limited)
	s.want(403, "POST", one+"/notify", "", "svc-api-key", limited)
	s.want(403, "POST", one+"/label", "", "svc-api-key", limited)
	s.want(403, "POST", one+"/refund", `{}`, "svc-api-key", limited)
	s.want(200, "GET", one+"/quotes?country=PL", "", "svc-api-key", limited)
	s.want(200, "GET", one+"/messages", "", "svc-api-key", limited)
	s.want(200, "GET", "/v1/reports", "", "svc-api-key", limited)
	for _, path := range []string{
		hooksPath, hooksPath + "/whk_1", hooksPath + "/whk_1/secret", hooksPath + "/whk_1/deliveries", "/v1/events",
		"/v1/events/evt_1", "/v1/deliveries/dlv_1", "/v1/audit",
	} {
		s.want(403, "GET", path, "", "svc-api-key", limited)
	}
	for _, path := range []string{"/v1/webhooks/whk_1/test", "/v1/webhooks/whk_1/rotate-secret",
		"/v1/deliveries/dlv_1/replay"} {
		s.want(403, "POST", path, "", "svc-api-key", limited)
	}
	for _, path := range []string{"/v1/persons/export", "/v1/persons/erase"} {
		s.want(403, "POST", path, `{"phone":"+48221234567"}`, "svc-api-key", limited)
	}
}

// tryRequests calls every operation on requests, messages and tasks.
func (s *testService) tryRequests(at string) {
	s.t.Helper()
	filed := s.want(201, "POST", at+"/requests", s.example(requestsPath, "post"), "Idempotency-Key", "lost")
	s.want(201, "POST", at+"/requests", s.example(requestsPath, "post"), "Idempotency-Key", "lost")
	s.want(409, "POST", at+"/requests", `{"description":"Hat","owner":{"phone":"+48221234567"}}`, "Idempotency-Key",
		"lost")
	request := filed.header.Get("Location")
	s.want(200, "PUT", strings.Replace(request, "/requests/", "/items/", 1),
		string(s.want(200, "GET", request, "").body))
	s.want(200, "GET", at+"/requests?term=umbrella&state=PENDING&state=MATCHED&limit=10&page=1", "")
	s.want(200, "GET", at+"/tasks?limit=10&page=1", "")

	found := s.want(201, "POST", at+"/items", `{"description":"Umbrella","language":"pt-br"}`)
	item := found.header.Get("Location")
	s.want(200, "GET", request+"/matches?limit=10&page=1", "")
	s.want(200, "GET", item+"/matches?limit=10&page=1", "")
	s.want(204, "DELETE", request+"/matches/"+found.id(), "")
	s.want(404, "DELETE", request+"/matches/item_none", "")
	s.want(404, "GET", strings.Replace(item, "/items/", "/requests/", 1)+"/matches", "")
	s.converse(item, request)
	s.want(404, "GET", strings.Replace(request, "/requests/", "/items/", 1)+"/matches", "")
	s.want(409, "POST", item+"/notify", "")
	accept := strings.Replace(s.example(decisionPath, "put"), "item_06f5q2k8h40v3w9d7n1m8x2b4d", found.id(), 1)
	s.want(200, "PUT", request+"/update-status", accept)
	s.want(409, "PUT", request+"/update-status", `{"type":"reject","reason":"Sorry","itemId":null}`)
	s.want(409, "PUT", strings.Replace(request, "/requests/", "/items/", 1)+"/update-status", `{"status":"DONATE"}`)

	s.want(200, "POST", item+"/notify", "", "Idempotency-Key", "again")
	s.want(200, "POST", item+"/notify", "", "Idempotency-Key", "again")
	messages := s.want(200, "GET", item+"/messages?limit=10&page=1", "").record()["data"].([]any)
	if len(messages) != 2 || messages[0].(dict)["text"] == nil {
		s.t.Errorf("the messages: %v", messages)
	}
	s.want(200, "POST", item+"/revoke-link", `{}`, "Idempotency-Key", "revoke")
	s.want(200, "PUT", item+"/update-status", `{"status":"PICKUP","closed":true}`)
	s.want(200, "PUT", item, string(s.want(200, "GET", item, "").body))
}

// tryShipping calls every operation on shipping. The carrier rejects the first label, and the fee is refunded.
func (s *testService) tryShipping(at string) {
	s.t.Helper()
	item := s.want(201, "POST", at+"/items",
		`{"description":"Umbrella","owner":{"email":"anna@example.com"},`+
			`"shipping":{"notShippedBecause":"Too long."}}`).header.Get("Location")
	s.want(422, "GET", item+"/quotes", "")
	if none := s.want(200, "GET", item+"/quotes?country=pl",
		"").body; string(none) != `{"data":[],"reason":"Too long."}` {
		s.t.Errorf("quotes for an item that cannot be shipped: got %s", none)
	}
	s.want(200, "PUT", item, `{"shipping":{"weight":400,"weightUnit":"g","notShippedBecause":null}}`)
	if offers := s.want(200, "GET", item+"/quotes?country=PL", "").record()["data"].([]any); len(offers) != 1 ||
		offers[0].(dict)["price"].(dict)["total"] != 1490.0 {
		s.t.Errorf("the offers are %v", offers)
	}
	s.want(409, "POST", item+"/label", "")
	s.want(409, "POST", item+"/refund", `{}`)
	s.choose(item, refusedCity)
	s.want(200, "GET", item+"/quotes", "")
	s.want(200, "PUT", item+"/update-status", `{"status":"FEE PAID","trackingNumber":"T1"}`)
	s.ship(item)
	s.want(200, "GET", at+"/tasks", "")
	s.want(200, "POST", item+"/label", "", "Idempotency-Key", "label")
	s.want(200, "POST", item+"/label", "", "Idempotency-Key", "label")
	s.want(200, "POST", item+"/refund", s.example(refundPath, "post"), "Idempotency-Key", "refund")
	s.want(409, "POST", item+"/refund", `{"reason":null}`)

	s.choose(item, "Warszawa")
	s.want(200, "PUT", item+"/update-status", `{"status":"FEE PAID"}`)
	s.ship(item)
	whole := s.want(200, "GET", item, "")
	if known, _ := whole.record()["shipping"].(dict); known["payment"] != "none" || known["shippingDate"] == nil ||
		len(known["documents"].([]any)) != 3 {
		s.t.Errorf("the parcel is %v", known)
	}
	s.want(200, "PUT", item, string(whole.body))
	s.want(200, "PUT", item+"/update-status", `{"status":"SHIPPED"}`)
	s.want(409, "DELETE", item, "")
	s.want(409, "DELETE", at, "")
	s.want(200, "PUT", item+"/update-status", `{"status":"DELIVERED"}`)
	s.want(200, "GET", "/v1/events?eventType=shipping-label", "")
	s.want(200, "GET", item+"/history", "")
	s.want(200, "GET", item+"/messages", "")
}

// converse writes to the guests of an item without an owner and of a request.
func (s *testService) converse(item, request string) {
	s.t.Helper()
	s.want(409, "POST", item+"/thread", `{"text":"Is it yours?"}`)
	s.want(200, "GET", item+"/thread", "")
	s.want(201, "POST", request+"/thread", `{"text":"Is it yours?"}`)
	if got := s.want(200, "GET", request+"/thread", "").record(); len(got["data"].([]any)) != 1 {
		s.t.Errorf("got %v, want one message", got)
	}
	s.want(201, "POST", strings.Replace(request, "/requests/", "/items/", 1)+"/thread", `{"text":"Is it blue?"}`)
	s.tryThreadPhotos(request + "/thread")
	s.want(422, "POST", request+"/thread", `{"text":" "}`)
	s.want(422, "POST", request+"/thread", `{"text":"a","from":"guest"}`)
	asRequest := strings.Replace(item, "/items/", "/requests/", 1)
	s.want(404, "GET", asRequest+"/thread", "")
	s.want(404, "POST", asRequest+"/thread", `{"text":"Is it yours?"}`)
}

// choose chooses shipping to a city, as the guest would.
func (s *testService) choose(item, city string) {
	s.t.Helper()
	var token string
	for _, m := range s.want(200, "GET", item+"/messages", "").record()["data"].([]any) {
		if token == "" {
			text, _ := m.(dict)["text"].(string)
			token = text[strings.LastIndex(text, "/")+1:]
		}
	}
	to := lost.RecipientPatch{
		Name: lost.Set("Anna Kowalska"), Address1: lost.Set("ul. Długa 7"), City: lost.Set(city),
		ZipCode: lost.Set("00-238"), Country: lost.Set("PL"),
	}
	if _, err := s.desk.Guests.Choose(s.t.Context(), token,
		lost.ChoicePatch{Choice: lost.ChooseShip, Recipient: to}); err != nil {
		s.t.Fatal(err)
	}
}

// actor returns the actor for the key of the tests.
func (s *testService) actor() lost.Actor {
	s.t.Helper()
	actor, err := s.desk.Keys.Authenticate(s.t.Context(), s.key)
	if err != nil {
		s.t.Fatal(err)
	}
	return actor
}

// ship runs the background jobs that follow a paid fee.
func (s *testService) ship(item string) {
	s.t.Helper()
	at := strings.Split(item, "/")
	i, err := s.desk.Items.Get(s.t.Context(), s.actor(), at[3], at[5])
	if err != nil {
		s.t.Fatal(err)
	}
	for more := true; more; {
		if more, err = s.desk.Labels.Ship(s.t.Context(), s.account, i.Parcel.ShipmentID); err != nil {
			s.t.Fatal(err)
		}
	}
}

// The text of a message contains the guest's link while the link works, so only keys with write permission may see
// the text.
func TestMessageTextsAreShownToKeysThatMayWrite(t *testing.T) {
	s := newService(t)
	at := s.want(201, "POST", locationsPath, `{"name":"Hotel Adler"}`).header.Get("Location")
	item := s.want(201, "POST", at+"/items",
		`{"description":"Umbrella","owner":{"email":"anna@example.com"}}`).header.Get("Location")
	reader := s.want(201, "POST", keysPath, `{"name":"Reader","readOnly":true}`).record()["key"].(string)
	textsTo := func(key, to string) (texts []string) {
		t.Helper()
		for _, m := range s.want(200, "GET", item+"/messages", "", "svc-api-key", key).record()["data"].([]any) {
			text, _ := m.(dict)["text"].(string)
			if subject, _ := m.(dict)["subject"].(string); (subject == "") != (text == "") {
				t.Errorf("got the subject %q and the text %q, want both or neither", subject, text)
			}
			if m.(dict)["to"] == to {
				texts = append(texts, text)
			}
		}
		return texts
	}
	const anna, greeting = "anna@example.com", "Dear guest, look at "
	first := textsTo(s.key, anna)
	if len(first) != 1 || !strings.HasPrefix(first[0], greeting+"https://homeward.example/g/") {
		t.Fatalf("first messages: got %q", first)
	}
	if texts := textsTo(reader, anna); !slices.Equal(texts, []string{""}) {
		t.Errorf("messages for a read-only key: got %q, want no text", texts)
	}
	s.want(200, "POST", item+"/revoke-link", "")
	if texts := textsTo(s.key, anna); !slices.Equal(texts, []string{greeting}) {
		t.Errorf("messages after the link was revoked: got %q, want no link", texts)
	}
	s.want(200, "POST", item+"/notify", "")
	texts := textsTo(s.key, anna)
	if len(texts) != 2 || texts[0] != texts[1] || texts[0] == first[0] || texts[0] == greeting {
		t.Errorf("messages with a new link: got %q; with the first link: %q", texts, first)
	}
	s.want(200, "PUT", item, `{"owner":{"email":"zoe@example.com"}}`)
	if texts := textsTo(s.key, anna); !slices.Equal(texts, []string{greeting, greeting}) {
		t.Errorf("messages to the previous owner: got %q, want no link", texts)
	}
	if texts := textsTo(s.key, "zoe@example.com"); len(texts) != 1 || texts[0] == greeting {
		t.Errorf("messages to the new owner: got %q, want one with a link", texts)
	}
}

// tryWebhooks calls every operation on webhooks, events and deliveries. At least one event must exist.
func (s *testService) tryWebhooks() {
	s.t.Helper()
	made := s.want(201, "POST", hooksPath, s.example(hooksPath, "post"), "Idempotency-Key", "hook")
	s.want(201, "POST", hooksPath, s.example(hooksPath, "post"), "Idempotency-Key", "hook")
	hook := made.header.Get("Location")
	s.want(200, "PUT", hook, s.example(hookPath, "put"))
	s.want(200, "PUT", hook, `{"events":null,"description":null,"headers":null,"enabled":true}`)
	s.want(200, "PUT", hook, string(s.want(200, "GET", hook, "").body))
	s.want(200, "PUT", hook, fmt.Sprintf(`{"id":%q,"secret":%q}`, made.id(), made.record()["secret"]))
	s.want(200, "GET", hooksPath+"?limit=10&page=1", "")
	s.want(200, "POST", hook+"/rotate-secret", "", "Idempotency-Key", "rotate")
	s.want(200, "GET", hook+"/secret", "")

	test := s.want(201, "POST", hook+"/test", "", "Idempotency-Key", "test")
	s.want(201, "POST", hook+"/test", "", "Idempotency-Key", "test")
	delivery := test.header.Get("Location")
	s.want(409, "POST", delivery+"/replay", "")
	s.want(200, "PUT", hook, `{"enabled":false}`)
	s.want(409, "POST", hook+"/test", "")
	s.want(409, "POST", hook+"/replay", s.example(hookPath+"/replay", "post"))
	s.want(200, "PUT", hook, `{"enabled":true}`)
	s.want(200, "POST", delivery+"/replay", "")
	s.want(200, "GET", delivery, "")
	s.want(200, "POST", hook+"/replay", s.example(hookPath+"/replay", "post"))
	event := test.record()["eventId"].(string)
	s.want(200, "POST", hook+"/replay", fmt.Sprintf(`{"eventId":%q,"since":null}`, event))
	s.want(200, "GET", hook+"/deliveries?state=pending&state=failed&eventType=test&eventId="+event, "")
	s.want(200, "GET", "/v1/events?eventType=pickup&eventType=test&limit=10", "")
	s.want(200, "GET", "/v1/events/"+event, "")
	events := s.want(200, "GET", "/v1/events?eventType=pickup", "").record()["data"].([]any)
	if len(events) == 0 {
		s.t.Error("no event about an item was checked")
	}
	s.want(204, "DELETE", hook, "")
	s.want(404, "GET", hook+"/deliveries", "")
	s.want(404, "POST", hook+"/test", "")
}

func TestProblemsConform(t *testing.T) {
	const budget = 100
	s := newThrottledService(t, budget)
	at := s.want(201, "POST", locationsPath, `{"name":"Hotel Adler"}`).header.Get("Location")
	one := s.want(201, "POST", at+"/items", `{"description":"Umbrella"}`).header.Get("Location")

	s.want(401, "GET", locationsPath, "", "svc-api-key", "hw_wrong")
	s.want(404, "GET", "/v1/nothing", "")
	s.want(404, "GET", locationsPath+"/loc_none", "")
	s.want(404, "GET", one+"0", "")
	s.want(405, "PATCH", at, `{}`)
	s.want(400, "POST", locationsPath, `{"name":`)
	s.want(400, "POST", locationsPath, `[]`)
	s.want(400, "GET", locationsPath+"?term=%zz", "")
	s.want(413, "POST", locationsPath, `{"name":"`+strings.Repeat("x", 1<<20)+`"}`)
	s.want(415, "POST", locationsPath, `{"name":"X"}`, "Content-Type", "text/plain")
	s.want(415, "POST", locationsPath, "")
	s.want(422, "POST", locationsPath, `{"nmae":"X"}`)
	s.want(422, "POST", locationsPath, `{"name":"X"}`, "Idempotency-Key", "not visible")
	s.want(422, "PUT", at, `{"id":"loc_other"}`)
	s.want(422, "GET", locationsPath+"?limit=9", "")
	s.want(422, "GET", at+"/items?status=LOST", "")
	s.want(422, "PUT", one+"/update-status", `{"status":"LOST"}`)
	s.want(422, "PUT", one+"/update-status", `{"status":"SHIPPED","closed":true}`)
	s.want(422, "POST", at+"/requests", `{"description":"Hat"}`)
	s.want(422, "GET", at+"/requests?state=LOST", "")
	s.want(404, "GET", strings.Replace(one, "/items/", "/requests/", 1), "")
	s.want(404, "PUT", at+"/requests/item_none/update-status", `{"type":"reject"}`)
	s.want(404, "GET", locationsPath+"/loc_none/tasks", "")
	s.want(422, "GET", one+"/messages?limit=9", "")
	s.want(422, "POST", one+"/notify", `{"to":"anna@example.com"}`)
	s.want(422, "GET", one+"/quotes?country=XX", "")
	s.want(422, "GET", one+"/quotes?land=PL", "")
	s.want(404, "GET", one+"0/quotes?country=PL", "")
	s.want(422, "POST", one+"/label", `{"again":true}`)
	s.want(422, "POST", one+"/refund", `{"reason":5,"amount":1}`)
	s.want(415, "POST", one+"/refund", "")
	s.want(404, "POST", one+"0/refund", `{}`)
	s.want(404, "POST", one+"0/label", "")
	s.want(422, "PUT", at, `{"shipping":{"domestic":{"prices":[{"upToGrams":1000}]}}}`)
	s.want(422, "POST", keysPath, `{"name":"X","locations":["loc_none"]}`)
	s.want(415, "POST", one+"/upload-image", `{}`)
	s.tryInvalidWebhooks()
	s.upload(422, one+"/upload-image", "picture", "picture")
	s.upload(413, one+"/upload-image", "image", "large")
	s.upload(415, one+"/upload-image", "image", "text")
	s.exceedRateLimit(budget)
}

// tryInvalidWebhooks sends requests about webhooks, events and deliveries that must be rejected.
func (s *testService) tryInvalidWebhooks() {
	s.t.Helper()
	s.want(422, "POST", hooksPath, `{"url":"http://hotel.example/","events":[]}`)
	s.want(422, "POST", hooksPath, `{"url":"https://refuses.example/"}`)
	s.want(422, "GET", "/v1/events?eventType=verification", "")
	s.want(404, "GET", "/v1/events/evt_none", "")
	s.want(404, "GET", "/v1/deliveries/dlv_none", "")
	s.want(404, "PUT", hooksPath+"/whk_none", `{"enabled":false}`)
	s.want(404, "POST", hooksPath+"/whk_none/replay", `{"since":"2026-11-15T00:00:00Z"}`)
	s.want(422, "POST", hooksPath+"/whk_none/replay", `{}`)
}

// exceedRateLimit sends requests until the rate limit is reached.
func (s *testService) exceedRateLimit(budget int) {
	s.t.Helper()
	for range 100 * budget { // enough even on a slow machine, where the limit partly resets in the meantime
		if s.ask("GET", "/v1/account", "").status == http.StatusTooManyRequests {
			return
		}
	}
	s.t.Error("the rate limit was never reached")
}

// Every field is sent with many kinds of values. The checker reports accepted requests, and responses, that the
// document does not allow.
func TestTheServiceAcceptsNoValueThatTheDocumentForbids(t *testing.T) {
	s := newService(t)
	at := s.want(201, "POST", locationsPath, `{"name":"Hotel Adler"}`).header.Get("Location")
	one := s.want(201, "POST", at+"/items", `{"description":"Umbrella"}`).header.Get("Location")
	request := s.want(201, "POST", at+"/requests",
		`{"description":"Umbrella","owner":{"email":"anna@example.com"}}`).header.Get("Location")
	hook := s.want(201, "POST", hooksPath, `{"url":"https://hotel.example/"}`).header.Get("Location")
	for _, c := range []struct{ schema, method, path, base string }{
		{"LocationInput", "POST", locationsPath, `{"name":"X"}`},
		{"LocationPatch", "PUT", at, `{}`},
		{"ItemInput", "POST", at + "/items", `{"description":"X"}`},
		{"ItemPatch", "PUT", one, `{}`},
		{"MoveInput", "PUT", one + "/update-status", `{"status":"PICKUP"}`},
		{"RefundInput", "POST", one + "/refund", `{}`},
		{"RequestInput", "POST", at + "/requests", `{"description":"X","owner":{"email":"anna@example.com"}}`},
		{"DecisionInput", "PUT", request + "/update-status", `{"type":"accept"}`},
		{"KeyInput", "POST", keysPath, `{"name":"X"}`},
		{"WebhookInput", "POST", hooksPath, `{"url":"https://hotel.example/"}`},
		{"WebhookPatch", "PUT", hook, `{}`},
		{"ReplayInput", "POST", hook + "/replay", `{}`},
	} {
		for _, path := range s.fieldsOf(c.schema, nil) {
			for _, value := range values {
				var body dict
				_ = json.Unmarshal([]byte(c.base), &body)
				put(body, path, value)
				raw, _ := json.Marshal(body)
				if status := s.ask(c.method, c.path, string(raw)).status; status >= 500 {
					t.Errorf("%s %s %.200s: %d", c.method, c.path, raw, status)
				}
			}
		}
	}
}

var values = []any{
	nil, true, []any{1, 365, 7.0}, []any{0}, []any{366}, []any{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, "pt-br",
	"zh-Hant-TW", "x-private", "de_DE", "accept", "reject", "chf", "XAU", 8.1, 120, 121, 100000001,
	[]any{dict{"upToGrams": 1000, "price": 500}}, []any{dict{"upToGrams": 1000}},
	[]any{dict{"upToGrams": 0, "price": 1}},
	[]any{dict{"upToGrams": 1000, "price": 100000001}}, dict{"prices": []any{}}, 0, -1, 0.5, 36501, 1e9, "", " x ",
	[]any{}, []any{"x"}, []any{nil}, dict{}, dict{"x": 1},
	strings.Repeat("x", 200), strings.Repeat("ü", 201), strings.Repeat("x", 10001), "a\nb", "a\x00b",
	"hotel", " kg", "long", []any{"pickup", " donate "}, []any{"pickup", "test"}, dict{"X-Desk": "12"},
	dict{"X-Desk": nil}, "SHIPPED", "de", "DEU", "Europe/Berlin",
	"2026-11-14", "2026-02-30", "9999-12-31", "23:59", "24:00", "1:00",
	"2027-01-31T12:00:00.5+02:00", "2027-01-31T12:00:00", "9999-12-31T23:59:59-12:00",
	"https://example.com/ä?q=1#f", "ftp://example.com", "https://[::1]:80/", "https://user@example.com/%zz",
	"anna@example.com", "änna@müller.example", "anna@localhost", "Anna <anna@example.com>", "+48 22 123 45 67",
	"0048221234567",
}

// fieldsOf lists the paths of a schema's fields, including the fields of nested objects. If a schema has
// alternatives, it uses the first.
func (s *testService) fieldsOf(schema string, within []string) [][]string {
	var out [][]string
	seen := map[string]bool{}
	properties := s.doc["components"].(dict)["schemas"].(dict)[schema].(dict)["properties"].(dict)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		path := append(slices.Clone(within), name)
		out = append(out, path)
		f := properties[name].(dict)
		if either, is := f["anyOf"].([]any); is {
			f["$ref"] = either[0].(dict)["$ref"]
		}
		text, _ := f["description"].(string)
		sentBack := strings.Contains(text, "Set by the service") // as a whole
		if ref, is := f["$ref"].(string); is && !sentBack && !seen[ref] {
			seen[ref] = true
			out = append(out, s.fieldsOf(strings.TrimPrefix(ref, "#/components/schemas/"), path)...)
		}
	}
	return out
}

func put(body dict, path []string, value any) {
	if len(path) == 1 {
		body[path[0]] = value
		return
	}
	inner := dict{}
	body[path[0]] = inner
	put(inner, path[1:], value)
}

// webhooks is a fake sender. It checks addresses and headers like the service, and every delivery succeeds except
// those to refuses.example.
type webhooks struct{}

func (webhooks) Check(e lost.Endpoint) lost.Problems {
	return append(webhook.CheckURL(e.URL, false), webhook.CheckHeaders(e.Headers)...)
}
func (webhooks) NewSecret() string { return webhook.NewSecret() }
func (webhooks) Send(_ context.Context, e lost.Endpoint, _ lost.Delivery, _ []byte) lost.Attempt {
	if strings.Contains(e.URL, "refuses") {
		return lost.Attempt{Status: 500, Error: "answered 500 Internal Server Error", Response: "no"}
	}
	return lost.Attempt{Status: 200}
}

// messenger is a fake that composes messages containing only their kind and link.
type messenger struct{}

func (messenger) Sends(lost.Channel) bool { return true }

func (messenger) Compose(l lost.MessageData) (subject, text string, err error) {
	return string(l.Kind), "Dear guest, look at " + l.URL, nil
}

// refusedCity is a city to which the carrier does not ship.
const refusedCity = "Nowhere"

// carrier is the built-in tariff, but rejects parcels to refusedCity.
type carrier struct{ courier.Tariff }

func (c carrier) Buy(ctx context.Context, s lost.Shipment, to lost.ParcelOrder) (lost.Postage, error) {
	if s.To.City == refusedCity {
		return lost.Postage{}, lost.E(lost.Invalid, "The carrier does not deliver there.")
	}
	return c.Tariff.Buy(ctx, s, to)
}

// documents is a fake that prints empty documents and stores nothing.
type documents struct{}

func (documents) Print(lost.DocumentKind, lost.Shipment, lost.ParcelOrder) (content []byte, paper string, err error) {
	return []byte("%PDF-1.7"), "A6", nil
}
func (documents) Receipt(lost.HandoverReceipt) ([]byte, error) { return []byte("%PDF-1.7"), nil }
func (documents) PickList(lost.PickList) ([]byte, error)       { return []byte("%PDF-1.7"), nil }
func (documents) Paper(paper.Paper) ([]byte, error)            { return []byte("%PDF-1.7"), nil }
func (documents) NewName() string                              { return "paper.pdf" }
func (documents) Save(context.Context, string, []byte) error   { return nil }

// pictures is a fake that accepts every upload except for certain contents.
type pictures struct{}

func (pictures) Receive(_ context.Context, in desk.IncomingPicture) (desk.Upload, error) {
	content, err := io.ReadAll(in.Content)
	switch {
	case err != nil:
		return nil, err
	case string(content) == "large":
		return nil, lost.E(lost.TooLarge, "An image may have at most 10 MiB.")
	case string(content) == "text":
		return nil, lost.E(lost.Unsupported, "The file is not a JPEG, PNG, WebP or GIF picture.")
	}
	if in.BeforeDecode == nil {
		return picture(content), nil
	}
	return picture(content), in.BeforeDecode(string(content))
}

// Blurred returns no picture.
func (pictures) Blurred(context.Context, string) ([]byte, error) { return nil, nil }

func (pictures) Verify(context.Context, string, bool) (desk.Verified, error) {
	return desk.Verified{Facts: &lost.PhotoFacts{Colors: []lost.Color{lost.Black}}}, nil
}

func (pictures) FindFacts(context.Context, string, io.Reader, int64) (lost.PhotoFacts, error) {
	return lost.PhotoFacts{}, nil
}

func (pictures) Delete(context.Context, ...string) error { return nil }

type picture []byte

func (p picture) Image() lost.Image {
	return lost.Image{
		File: string(p) + ".jpg", Thumbnail: string(p) + "-640.jpg", ContentType: "image/jpeg",
		Width: 3, Height: 4, Size: int64(len(p)),
	}
}
func (p picture) Save(context.Context) error { return nil }
func (p picture) Close()                     {}
