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

// Large lists, exports and imports are processed in parts: their memory does not grow with their length, and a service
// with a small memory limit keeps to it.
func TestMemoryStaysBounded(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, _, database string) { testMemoryBound(t, database) })
}

func testMemoryBound(t *testing.T, database string) {
	const (
		given     = 64 // MB for the service's heap, by GOMEMLIMIT
		mostTaken = 160
		command   = 200 // MB for a command
		more      = 20  // MB more for lists that are four times as long; held in memory they would take 30 and more
	)
	rows, readers := 2400, 24 // many readers: the memory of each one counts
	if isLong() {
		rows = 30_000
	}
	settings := withAdmin(newSettings(t, database))
	// with a limit, its memory use is what it needs
	p := startService(t, append(settings, fmt.Sprintf("GOMEMLIMIT=%dMiB", given), "GOGC=20")...)
	var served []int
	for _, rows := range []int{rows / 4, rows} {
		hotel := p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
		imported := importItems(t, settings, hotel, rows, 600)
		exported := runMeasured(t, settings, "export", "--location", hotel, filepath.Join(t.TempDir(), "out.csv"))
		readLists(t, p, hotel, rows, readers)
		served = append(served, procStatus(t, p, "VmHWM")>>10)
		t.Logf("%d items of 600 bytes: import used at most %d MB, export %d MB, the service with %d readers %d MB, "+
			"of which GOMEMLIMIT allows %d for its heap", rows, imported, exported, readers, served[len(served)-1],
			given)
		if imported > command || exported > command || served[len(served)-1] > mostTaken {
			t.Errorf("a command may use %d MB, the service %d", command, mostTaken)
		}
	}
	if served[1]-served[0] > more {
		t.Errorf("with four times as much data the service uses %d MB more: it may use %d", served[1]-served[0], more)
	}
}

// readLists has many readers read the items of a location at the same time, half of them the whole list.
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
				t.Errorf("GET %s answered %d with %d lines: %v", path, res.StatusCode, lines, err)
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
