package app_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"homeward/internal/store/storetest"
)

// Large responses of the API are compressed on request. Secret keys never get headers for other websites.
func TestResponsesOfTheAPIAreCompressedOnRequest(t *testing.T) {
	t.Parallel()
	s := startService(t, newConfig(t, storetest.SQLite(t)))
	hotel := s.newLocation(map[string]any{"name": "Hotel", "description": strings.Repeat("Quiet rooms. ", 200)})
	small := s.newLocation(`{"name": "Zoo"}`)
	ask := func(path, encoding string) response {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, s.url+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("svc-api-key", s.key)
		r.Header.Set("Accept-Encoding", encoding)
		r.Header.Set("Origin", "https://hotel.example")
		a, err := send(s.unchecked, r)
		if err != nil || a.status != http.StatusOK {
			t.Fatalf("%s: %d, %v", path, a.status, err)
		}
		if a.header.Get("Access-Control-Allow-Origin") != "" && !strings.HasPrefix(path, "/openapi") {
			t.Errorf("%s may be read by scripts on another website", path)
		}
		return a
	}
	for _, path := range []string{"/v1/locations/" + hotel, "/openapi.json", "/openapi.yaml"} {
		plain, zipped := ask(path, "identity"), ask(path, "br, gzip;q=0.8")
		if plain.header.Get("Content-Encoding") != "" || zipped.header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: got the encodings %q and %q", path, plain.header.Get("Content-Encoding"),
				zipped.header.Get("Content-Encoding"))
			continue
		}
		r, err := gzip.NewReader(bytes.NewReader(zipped.body))
		if err != nil {
			t.Fatal(err)
		}
		if content, err := io.ReadAll(r); err != nil || !bytes.Equal(content, plain.body) {
			t.Errorf("%s: the compressed response differs, %v", path, err)
		}
		for _, a := range []response{plain, zipped} {
			if !strings.Contains(a.header.Get("Vary"), "Accept-Encoding") {
				t.Errorf("%s: got Vary %q", path, a.header.Get("Vary"))
			}
		}
	}
	if a := ask("/v1/locations/"+small, "gzip"); a.header.Get("Content-Encoding") != "" {
		t.Error("a small response is compressed")
	}
}
