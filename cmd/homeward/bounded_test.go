package main_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Large lists, exports and imports are processed in batches. Memory use does not grow with their length, and the
// service stays within a small memory limit.
func TestMemoryStaysBounded(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, _, database string) { testMemoryBound(t, database) })
}

func testMemoryBound(t *testing.T, database string) {
	const (
		heapLimit    = 64 // MB for the service's heap (GOMEMLIMIT)
		serviceLimit = 160
		commandLimit = 200 // MB for a command
		maxIncrease  = 20  // tolerated growth in MB for lists four times as long; keeping them in memory takes 30
	)
	most, readers := 2400, 24 // many readers, because each one needs memory
	if isLong() {
		most = 30_000
	}
	settings := withAdmin(newSettings(t, database))
	// With this limit, the heap contains little garbage.
	p := startService(t, append(settings, fmt.Sprintf("GOMEMLIMIT=%dMiB", heapLimit), "GOGC=20")...)
	var allocated []int // the peak without the pages of the program's file, which the system counts as it likes
	for _, rows := range []int{most / 4, most} {
		hotel := p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
		imported := importItems(t, settings, hotel, rows, 600)
		exported := runMeasured(t, settings, "export", "--location", hotel, filepath.Join(t.TempDir(), "out.csv"))
		for range most / rows { // the readers of a short list overlap less, so they get several chances
			readLists(t, p, hotel, rows, readers)
		}
		served := procStatus(t, p, "VmHWM") >> 10
		allocated = append(allocated, served-procStatus(t, p, "RssFile")>>10)
		t.Logf("%d items of 600 bytes: import used at most %d MB, export %d MB, the service with %d readers %d MB, "+
			"of which GOMEMLIMIT allows %d for its heap", rows, imported, exported, readers, served, heapLimit)
		if imported > commandLimit || exported > commandLimit || served > serviceLimit {
			t.Errorf("memory use exceeds the limits: %d MB for a command, %d MB for the service",
				commandLimit, serviceLimit)
		}
	}
	if more := allocated[1] - allocated[0]; more > maxIncrease {
		t.Errorf("with four times as much data the service uses %d MB more, want at most %d", more, maxIncrease)
	}
}

// readLists reads the items of a location with many concurrent readers. Half of them read the whole list.
func readLists(t *testing.T, p *process, hotel string, rows, readers int) {
	t.Helper()
	cookie := logIn(t, p)
	var reading sync.WaitGroup
	defer reading.Wait()
	for n := range readers {
		reading.Go(func() {
			path := "/at/" + hotel + "/items.csv"
			if n%2 == 0 {
				path = "/v1/locations/" + hotel + "/items?limit=100"
			}
			r, err := http.NewRequest(http.MethodGet, p.url+path, nil)
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("svc-api-key", apiKey)
			r.Header["Cookie"] = cookie["Cookie"]
			res, err := patientClient.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = res.Body.Close() }()
			lines, err := countLines(res.Body)
			if err != nil || res.StatusCode != http.StatusOK || strings.HasSuffix(path, ".csv") && lines <= rows {
				t.Errorf("GET %s returned %d with %d lines: %v", path, res.StatusCode, lines, err)
			}
		})
	}
}

func countLines(r io.Reader) (n int, err error) {
	b := make([]byte, 32<<10)
	for {
		got, err := r.Read(b)
		n += strings.Count(string(b[:got]), "\n")
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
