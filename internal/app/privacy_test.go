package app_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// storedBytes returns every byte that the service stores: the database with its write-ahead log, and the files.
func (s *service) storedBytes(database string) string {
	s.t.Helper()
	var all strings.Builder
	db := storetest.Open(s.t, database, storetest.Now)
	all.WriteString(storetest.Dump(s.t, db))
	names := s.listFiles()
	if !store.IsPostgres(database) {
		names = append(names, database, database+"-wal")
	}
	for _, name := range names {
		if !filepath.IsAbs(name) {
			name = filepath.Join(s.cfg.Files, name)
		}
		data, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			s.t.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}

// findWords returns the words that a text contains, ignoring case.
func findWords(text string, words ...string) (found []string) {
	text = strings.ToLower(text)
	for _, w := range words {
		if n := strings.Index(text, strings.ToLower(w)); n >= 0 {
			found = append(found, fmt.Sprintf("%s in …%q…", w, text[max(0, n-60):min(len(text), n+60)]))
		}
	}
	return found
}

// erasedPerson is a guest who appears in many records. The words are texts that identify the guest.
type erasedPerson struct {
	*service
	words                   []string
	wallet, request, former string // paths of records
}

// newErasedPerson creates records that contain the guest's data.
func newErasedPerson(s *service) erasedPerson {
	t := s.t
	t.Helper()
	hotel := s.newLocation(`{"name": "Hotel"}`)
	items := "/v1/locations/" + hotel + "/items"
	const owner = `"owner": {"firstName": "Annamaria", "lastName": "Kowalska", ` +
		`"email": "Anna.K@example.com", "phone": "+48221234567"}`
	req, err := s.request("POST", items,
		`{"description": "Wallet of Annamaria", "notes": "Mrs Kowalska rang", `+owner+`}`)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Idempotency-Key", "once")
	made, err := s.send(req)
	if err != nil || made.status != http.StatusCreated {
		t.Fatalf("%v %s", err, made.body)
	}
	wallet := items + "/" + made.record(t)["id"].(string)
	if a, err := s.upload(wallet+"/upload-image", "image", picture("png")); err != nil ||
		a.status != http.StatusOK {
		t.Fatal(err)
	}
	s.must(http.StatusOK, "PUT", wallet+"/update-status", `{"status": "DONATE", "note": "Kowalska said so"}`)
	request := "/v1/locations/" + hotel + "/requests/" + s.newRequest(hotel,
		`{"description": "The scarf of Annamaria", "proof": "Kowalska is sewn into it", `+
			`"lostPlace": "Room of Kowalska", `+owner+`}`)
	// Items that do not belong to the guest: one that used to, one that mentions the guest, and one that is deleted.
	former := items + "/" + s.newItem(hotel, `{"description": "Umbrella", `+owner+`}`)
	s.must(http.StatusOK, "PUT", former+"/update-status", `{"status": "DISCARD"}`)
	s.must(http.StatusOK, "PUT", former,
		`{"owner": {"firstName": "Bob", "lastName": "Builder", "email": "bob@example.com", "phone": null}}`)
	mention := items + "/" + s.newItem(hotel,
		`{"description": "Hat", "notes": "Ask ANNA.K@example.com too", "owner": {"email": "bob@example.com"}}`)
	s.must(http.StatusOK, "PUT", mention+"/update-status",
		`{"status": "PICKUP", "note": "anna.k@example.com fetches it"}`)
	deleted := items + "/" + s.newItem(hotel, `{"description": "Ring", `+owner+`}`)
	s.must(http.StatusOK, "PUT", deleted+"/update-status", `{"status": "DISCARD"}`)
	s.must(http.StatusNoContent, "DELETE", deleted, nil)
	return erasedPerson{
		service: s, words: []string{"annamaria", "kowalska", "anna.k@", "48221234567"},
		wallet: wallet, request: request, former: former,
	}
}

// checkExport checks that the export contains everything about the guest and nothing about others.
func (s erasedPerson) checkExport() {
	t := s.t
	t.Helper()
	export := s.do(s.key, "POST", "/v1/persons/export", `{"email": "anna.k@EXAMPLE.com"}`)
	if got := export.record(t); export.status != http.StatusOK || len(got["records"].([]any)) != 2 ||
		!got["complete"].(bool) || len(findWords(string(export.body), s.words...)) != len(s.words) {
		t.Errorf("the export returned %d: %s", export.status, export.body)
	}
	if sent := export.record(t)["messages"].([]any); len(sent) == 0 {
		t.Error("the export lacks messages to the guest about an item that now has another owner")
	}
	if strings.Contains(string(export.body), "bob@") {
		t.Error("the export contains another person")
	}
}

// erase erases the guest and checks the counts.
func (s erasedPerson) erase() {
	t := s.t
	t.Helper()
	begun := time.Now()
	erasure := s.must(http.StatusOK, "POST", "/v1/persons/erase", `{"email": "anna.k@example.com"}`)
	waitUntil(t, "the erasure is done", func() bool {
		erasure = s.must(http.StatusOK, "GET", "/v1/persons/erasures/"+erasure["id"].(string), nil)
		return erasure["state"] == "done"
	})
	t.Logf("erased in %v", time.Since(begun))
	waitUntil(t, "files are deleted", func() bool { return len(s.listFiles()) == 0 })
	counts := erasure["erased"].(map[string]any)
	for kind, minimum := range map[string]float64{
		"items": 1, "requests": 1, "messages": 3, "links": 3, "events": 4, "deliveries": 4, "files": 1,
		"answers": 1, "mentions": 2, "history": 1,
	} {
		if counts[kind].(float64) < minimum {
			t.Errorf("%v %s were erased, want at least %v", counts[kind], kind, minimum)
		}
	}
}

// checkRecords checks that the records still exist, without the guest's data.
func (s erasedPerson) checkRecords() {
	t := s.t
	t.Helper()
	if got := s.must(http.StatusOK, "GET", s.wallet, nil); got["owner"] != nil || got["status"] != "DONATE" ||
		got["description"] != "Wallet of [removed]" {
		t.Errorf("the wallet is %v", got)
	}
	if got := s.must(http.StatusOK, "GET", s.request, nil); got["request"].(map[string]any)["state"] != "WITHDRAWN" {
		t.Errorf("the request is %v", got)
	}
	if got := s.must(http.StatusOK, "GET", s.former,
		nil); got["owner"].(map[string]any)["email"] != "bob@example.com" {
		t.Errorf("somebody else's item is %v", got)
	}
}

// After an erasure, the guest's name, e-mail address and phone number no longer appear in the database's files, in a
// dump of the database or in the stored files.
func TestErasureLeavesNoPersonalData(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newWebhookConfig(t, setting))
		r := newReceiver(t)
		hook, _ := s.addWebhook(r)
		r.respondWith(http.StatusInternalServerError, "Cannot find Kowalska, anna.k@example.com")
		person := newErasedPerson(s)
		waitUntil(t, "deliveries were attempted", func() bool { return len(r.listAll()) >= 4 })
		waitUntil(t, "the attempts are recorded", func() bool {
			return strings.Count(s.getRaw(hook+"/deliveries"), "Cannot find") >= 4
		})
		words := person.words
		if found := findWords(s.storedBytes(setting), words...); len(found) != len(words) {
			t.Fatalf("the test searches the wrong place: it finds only %q", found)
		}
		person.checkExport()
		person.erase()
		// An erasure cannot find texts in other people's records that mention the guest only by name. This test has no
		// such texts.
		if found := findWords(s.storedBytes(setting), words...); len(found) > 0 {
			t.Errorf("still stored: %q", found)
		}
		if found := findWords(s.log.String(), words...); len(found) > 0 {
			t.Errorf("the log contains %q", found)
		}
		person.checkRecords()
		r.respondWith(http.StatusOK, "")
		r.reset()
		s.must(http.StatusOK, "POST", hook+"/replay", `{"since": "2020-01-01T00:00:00Z"}`)
		again := s.must(http.StatusOK, "POST", "/v1/persons/erase", `{"email": "anna.k@example.com"}`)
		for kind, n := range again["erased"].(map[string]any) {
			if n.(float64) != 0 {
				t.Errorf("the second erasure removed %v %s", n, kind)
			}
		}
		for _, got := range r.listAll() {
			if found := findWords(string(got.body), words...); len(found) > 0 {
				t.Errorf("a delivery still contains %q", found)
			}
		}
	})
}

func TestOnlyAccountAdminsExportAndErase(t *testing.T) {
	t.Parallel()
	s := startService(t, newConfig(t, ""))
	hotel := s.newLocation(`{"name": "Hotel"}`)
	s.newItem(hotel, `{"description": "Hat", "owner": {"email": "anna@example.com"}}`)
	for _, key := range []string{`{"name": "d", "role": "desk"}`, `{"name": "v", "role": "viewer"}`,
		`{"name": "l", "locations": ["` + hotel + `"]}`} {
		secret := s.must(http.StatusCreated, "POST", "/v1/keys", key)["key"].(string)
		for _, path := range []string{"/v1/persons/export", "/v1/persons/erase"} {
			if a := s.do(secret, "POST", path, `{"email": "anna@example.com"}`); a.status != http.StatusForbidden {
				t.Errorf("%s with %s returned %d: %s", path, key, a.status, a.body)
			}
		}
	}
	secret := s.must(http.StatusCreated, "POST", "/v1/keys", `{"name": "r", "readOnly": true}`)["key"].(string)
	if a := s.do(secret, "POST", "/v1/persons/erase",
		`{"email": "anna@example.com"}`); a.status != http.StatusForbidden {
		t.Errorf("a read-only key erased: %d", a.status)
	}
	if a := s.do(secret, "POST", "/v1/persons/export", `{"email": "anna@example.com"}`); a.status != http.StatusOK {
		t.Errorf("a read-only key could not export: %d", a.status)
	}
}
