package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"homeward/internal/store/storetest"
)

// The report counts the decisions about suggestions by likelihood.
func TestMatchReportTellsHowOftenSuggestionsWereRight(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		cfg := newConfig(t, setting)
		s := startService(t, cfg)
		t.Setenv("HOMEWARD_DATA", cfg.Data)
		t.Setenv("HOMEWARD_DATABASE", setting)
		if out, stderr, code := runCommand(t, "match", "report"); code != 0 || !strings.Contains(out, "not yet") {
			t.Fatalf("without decisions: exit code %d, %s%s", code, out, stderr)
		}
		at := "/v1/locations/" + idOf(s.create(t, "/v1/locations", map[string]any{"name": "Hotel"}))
		for n, thing := range []string{"Zwirnmeister scarf, initials A.B.", "Quastenberg camera, strap with owls"} {
			found := idOf(s.create(t, at+"/items", map[string]any{
				"description": thing, "discoveryDate": "2026-11-14", "discoveryPlace": "Room 12",
			}))
			request := at + "/requests/" + idOf(s.create(t, at+"/requests", map[string]any{
				"description": thing, "lostDate": "2026-11-14", "lostPlace": "Room 12",
				"owner": map[string]any{"email": "guest@example.com"},
			}))
			s.awaitMatch(t, request+"/matches", found)
			if n == 0 {
				s.call(t, http.MethodPut, request+"/update-status", map[string]any{"type": "accept", "itemId": found})
			} else {
				s.call(t, http.MethodDelete, request+"/matches/"+found, nil)
			}
		}
		out, stderr, code := runCommand(t, "match", "report")
		if want := regexp.MustCompile(`(?m)^likely +all +2 +1 +50%$`); code != 0 || !want.MatchString(out) {
			t.Errorf("exit code %d: %s%s", code, out, stderr)
		}
		if out, _, code := runCommand(t, "match", "report", "--json"); code != 0 ||
			!strings.Contains(out, `"right": "50%"`) || strings.Contains(out, "Zwirnmeister") {
			t.Errorf("exit code %d: %s", code, out)
		}
	})
}

func idOf(resource map[string]any) string {
	id, _ := resource["id"].(string)
	return id
}

// call sends a request to the API and returns the body of the response.
func (s *service) call(t *testing.T, method, path string, body any) string {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Svc-Api-Key", firstKey)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= http.StatusBadRequest {
		t.Fatalf("%s %s: %d %s %v", method, path, res.StatusCode, text, err)
	}
	return string(text)
}

// awaitMatch lists matches, each time waiting for the service, until a found item is one of them.
func (s *service) awaitMatch(t *testing.T, path, found string) {
	t.Helper()
	const most = 50
	for range most {
		if list := s.call(t, http.MethodGet, path, nil); strings.Contains(list, found) {
			return
		} else if !strings.Contains(list, `"pending":true`) {
			t.Fatalf("%s is not a match: %s", found, list)
		}
	}
	t.Fatal("matching does not end")
}
