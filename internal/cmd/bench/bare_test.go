package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"homeward/internal/store"
	"homeward/internal/store/storetest"
	v1 "homeward/internal/v1"
)

// TestMain runs the baseline handler if this test binary was started for it.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == bareCommand {
		if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// eachSite runs a test on a small site of every database.
func eachSite(t *testing.T, fn func(t *testing.T, s *site)) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			if engine == "postgres" && os.Getenv(storetest.PostgresVar) == "" && os.Getenv("CI") == "" {
				t.Skipf("%s is not set: run the tests with make test, which starts PostgreSQL", storetest.PostgresVar)
			}
			b := &bench{folder: t.TempDir(), progress: io.Discard}
			s, err := b.open(context.WithoutCancel(t.Context()), engine, 300) // closed by the cleanup
			t.Cleanup(func() {
				if err := s.close(); err != nil {
					t.Error(err)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			fn(t, s)
		})
	}
}

// send sends a request and returns the body of the response.
func send(t *testing.T, method, address, contentType string, body []byte) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+address, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("svc-api-key", apiKey)
	r.Header.Set("Content-Type", contentType)
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Body.Close() }()
	text, err := io.ReadAll(w.Body)
	if err != nil || w.StatusCode >= http.StatusBadRequest {
		t.Fatalf("%s %s: %s %s %v", method, address, w.Status, text, err)
	}
	return string(text)
}

func sendJSON(t *testing.T, method, address, body string) string {
	t.Helper()
	return send(t, method, address, "application/json", []byte(body))
}

// idOf returns the id of an item in a response.
func idOf(t *testing.T, body string) string {
	t.Helper()
	var i struct{ ID string }
	if err := json.Unmarshal([]byte(body), &i); err != nil {
		t.Fatal(err)
	}
	return i.ID
}

func TestTheBaselineHandlerIsComparable(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		t.Run("responses", func(t *testing.T) { compareResponses(t, s) })
		t.Run("search text", func(t *testing.T) { compareSearchTexts(t, s) })
	})
}

var cursorField = regexp.MustCompile(`,"next":"[^"]*"`)

// compareResponses changes items with the service and the baseline handler, and compares all responses.
func compareResponses(t *testing.T, s *site) {
	const awkward = `{"description":"A \"quoted\" \\ text <b>&</b> \u2028 of\ttwo\nlines é 𝄞 leather",
		"notes":"a/b\u007e","discoveryDate":"2026-02-28","owner":{"lastName":"Öztürk"},
		"shipping":{"weight":99999.25,"weightUnit":"kg","isDocument":false}}`
	paths := append(s.sample(40, ""), "/healthz", s.path())
	for _, term := range []string{rareTerm, commonTerm, missingTerm} {
		paths = append(paths, s.path()+"?term="+term)
	}
	for _, address := range []string{s.full, s.bare} {
		for _, body := range append(newItems(true)[:3], newItems(false)[0], awkward) {
			created := sendJSON(t, "POST", address+s.path(), body)
			path := s.path() + "/" + idOf(t, created)
			if got := sendJSON(t, "GET", s.full+path, ""); got != created {
				t.Errorf("the response to a create is\n%s\nbut the item is\n%s", created, got)
			}
			paths = append(paths, path)
		}
		for n, path := range s.sample(20, "") {
			moved := sendJSON(t, "PUT", address+path+"/update-status", moves()[n%len(moves())])
			if got := sendJSON(t, "GET", s.full+path, ""); got != moved {
				t.Errorf("the response to a move is\n%s\nbut the item is\n%s", moved, got)
			}
		}
		upload(t, s, address, s.sample(1, "")[0])
	}
	jobs := &series{site: s, op: operation{writes: true}}
	if err := jobs.finishJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		full, bare := sendJSON(t, "GET", s.full+path, ""), sendJSON(t, "GET", s.bare+path, "")
		full = cursorField.ReplaceAllString(full, "") // the baseline handler has no cursors
		if full != bare {
			t.Errorf("GET %s: the service responds\n%s\nand the baseline handler\n%s", path, full, bare)
		}
	}
}

// upload uploads two photos to an item, and compares the response with the item.
func upload(t *testing.T, s *site, address, path string) {
	t.Helper()
	body, contentType, err := photoForm()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		uploaded := send(t, "POST", address+path+"/upload-image", contentType, body)
		if got := sendJSON(t, "GET", s.full+path, ""); got != uploaded {
			t.Errorf("the response to an upload is\n%s\nbut the item is\n%s", uploaded, got)
		}
		if !strings.Contains(uploaded, fmt.Sprintf(`"width":%d,"height":%d`, photoWidth, photoHeight)) {
			t.Errorf("the size of the photo is missing in %s", uploaded)
		}
	}
}

func TestTextIsEncodedLikeThatOfTheService(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "plain", `"\/<&>`, "\x00\x01\b\f\n\r\t\x1f\x7f", "é 𝄞 \u2028\u2029\ufffd", "\xff\xc3(\xe2\x82",
		"\xf0\x9d\x84",
	} {
		want, err := v1.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := appendText(nil, text); string(got) != string(want) {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
		if got := appendText(nil, []byte(text)); string(got) != string(want) {
			t.Errorf("%q as bytes: got %s, want %s", text, got, want)
		}
	}
}

// compareSearchTexts creates an item with each of them, and compares the texts that are searched.
func compareSearchTexts(t *testing.T, s *site) {
	body := newItems(true)[0]
	var texts [2]string
	for n, address := range []string{s.full, s.bare} {
		var i struct{ ID, Reference string }
		if err := json.Unmarshal([]byte(sendJSON(t, "POST", address+s.path(), body)), &i); err != nil {
			t.Fatal(err)
		}
		text, err := searchTextOf(t.Context(), s, i.ID)
		if err != nil {
			t.Fatal(err)
		}
		reference := strings.ToLower(i.Reference)
		text = strings.ReplaceAll(text, reference, "-")
		texts[n] = strings.ReplaceAll(text, strings.ReplaceAll(reference, "-", ""), "+")
	}
	if texts[0] != texts[1] || !strings.Contains(texts[0], "@example.com") {
		t.Errorf("the service stores\n%s\nand the baseline handler\n%s", texts[0], texts[1])
	}
}

// searchTextOf returns the text that the database searches for an item.
func searchTextOf(ctx context.Context, s *site, id string) (text string, err error) {
	db, err := store.Open(ctx, s.setting, time.Now)
	if err != nil {
		return "", err
	}
	defer db.Close()
	rows, err := db.Raw().Query(ctx, "SELECT search FROM items WHERE account_id = $1 AND id = $2", s.account, id)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(&text); err != nil {
			return "", err
		}
	}
	return text, rows.Err()
}
