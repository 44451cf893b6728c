package respond

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

func TestGzipIsUsedOnlyIfTheClientPrefersIt(t *testing.T) {
	for header, want := range map[string]bool{
		"gzip": true, "GZIP": true, "deflate, gzip;q=1.0, *;q=0.5": true, "br;q=1.0, gzip;q=0.8": true, "*": true,
		"x-gzip": true, "gzip;q=0.5, identity;q=0.5": true, "gzip; q=0.001": true,
		"": false, "gzip;q=0": false, "identity": false, "br": false, "*;q=0": false, "gzip;q=0, *": false,
		"gzip;q=0.5, identity": false, "gzip;q=x": false, "gzip;q=2": false, "gzipped": false,
	} {
		if got := AcceptsGzip(http.Header{"Accept-Encoding": {header}}); got != want {
			t.Errorf("%q: got %t, want %t", header, got, want)
		}
	}
	if AcceptsGzip(http.Header{}) {
		t.Error("a request without the header gets a compressed response")
	}
}

func TestLargeResponsesToProgramsAreCompressed(t *testing.T) {
	large, small := strings.Repeat("a", 2000), strings.Repeat("a", 900)
	for name, c := range map[string]struct {
		text               string
		may, accepts, want bool
		vary               string
	}{
		"large":               {large, true, true, true, "Origin, Accept-Encoding"},
		"small":               {small, true, true, false, "Origin"},
		"large, not accepted": {large, true, false, false, "Origin, Accept-Encoding"},
		"a page":              {large, false, true, false, "Origin"},
	} {
		w := httptest.NewRecorder()
		w.Header().Set("Vary", "Origin")
		recorder := &Recorder{ResponseWriter: w, MayCompress: c.may, AcceptsGzip: c.accepts}
		if err := JSON(recorder, http.StatusOK, c.text); err != nil {
			t.Fatal(err)
		}
		body := w.Body.Bytes()
		if length := w.Header().Get("Content-Length"); length != strconv.Itoa(len(body)) {
			t.Errorf("%s: Content-Length %s for %d bytes", name, length, len(body))
		}
		zipped := w.Header().Get("Content-Encoding") == "gzip"
		if zipped != c.want || w.Header().Get("Vary") != c.vary {
			t.Errorf("%s: compressed %t, Vary %q", name, zipped, w.Header().Get("Vary"))
		}
		if zipped {
			r, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
		if string(body) != `"`+c.text+`"` {
			t.Errorf("%s: got %.50s", name, body)
		}
	}
}
