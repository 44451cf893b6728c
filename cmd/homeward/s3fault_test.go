package main_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"homeward/internal/store/storetest"
)

// faultyS3 is an S3 server with configurable faults.
type faultyS3 struct {
	server   http.Handler
	backend  *s3mem.Backend
	fault    atomic.Value // an s3Fault
	requests atomic.Int64 // requests during a fault
	ended    chan struct{}
}

type s3Fault func(s *faultyS3, w http.ResponseWriter, r *http.Request) (done bool)

const bucket = "lost"

func newFaultyS3(t *testing.T) (s *faultyS3, setting string) {
	t.Helper()
	s = &faultyS3{backend: s3mem.New(), ended: make(chan struct{})}
	if err := s.backend.CreateBucket(bucket); err != nil {
		t.Fatal(err)
	}
	s.server = gofakes3.New(s.backend).Server()
	s.setFault(noFault)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Cleanup(sync.OnceFunc(func() { close(s.ended) }))
	return s, "s3://" + bucket + "?access_key=key&secret_key=very-secret&path_style=true&endpoint=" + server.URL
}

func (s *faultyS3) setFault(m s3Fault) { s.fault.Store(m) }

func (s *faultyS3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.fault.Load().(s3Fault)(s, w, r) {
		s.server.ServeHTTP(w, r)
	}
}

// files returns the number of files in the bucket.
func (s *faultyS3) files(t *testing.T) (n int) {
	t.Helper()
	list, err := s.backend.ListBucket(bucket, nil, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list.Contents {
		if !strings.HasPrefix(o.Key, ".check-") {
			n++
		}
	}
	return n
}

// The faults that faultyS3 can simulate.
var (
	noFault s3Fault = func(*faultyS3, http.ResponseWriter, *http.Request) bool { return false }
	slow    s3Fault = func(s *faultyS3, _ http.ResponseWriter, r *http.Request) bool {
		s.requests.Add(1)
		pause(r.Context().Done(), time.Second)
		return false
	}
	overloaded s3Fault = func(s *faultyS3, w http.ResponseWriter, r *http.Request) bool {
		s.requests.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w,
			`<?xml version="1.0"?><Error><Code>SlowDown</Code>`+
				`<Message>Please reduce your request rate.</Message></Error>`)
		return true
	}
	resetting s3Fault = func(s *faultyS3, w http.ResponseWriter, _ *http.Request) bool {
		s.requests.Add(1)
		c, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = c.(*net.TCPConn).SetLinger(0)
			_ = c.Close()
		}
		return true
	}
	hanging s3Fault = func(s *faultyS3, _ http.ResponseWriter, r *http.Request) bool {
		s.requests.Add(1)
		select {
		case <-r.Context().Done():
		case <-s.ended:
		}
		return true
	}
)

// S3 is slow, rejects requests, closes connections or never responds. Uploads succeed late, or return 503 and leave
// no incomplete data. Pages still work, and deleted files are removed once S3 works again.
func TestS3FaultsDoNotAffectOthers(t *testing.T) {
	t.Parallel()
	var running sync.WaitGroup
	defer running.Wait()
	for name, m := range map[string]s3Fault{
		"slow": slow, "overloaded": overloaded, "resetting": resetting, "hanging": hanging,
	} {
		database := storetest.Postgres
		if name == "slow" || name == "resetting" {
			database = func(t testing.TB) string { return t.(*testing.T).TempDir() + "/homeward.db" }
		}
		running.Go(func() { t.Run(name, func(t *testing.T) { testS3Faults(t, name, database(t), m) }) })
	}
}

func testS3Faults(t *testing.T, name, database string, m s3Fault) {
	const bound = 45 * time.Second // enough for three attempts of 8 s each and their pauses, even on a busy machine
	s, setting := newFaultyS3(t)
	p := startService(t, withAdmin(newSettings(t, database, "HOMEWARD_FILES="+setting))...)
	cookie := logIn(t, p)
	hotel := "/v1/locations/" + p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
	newItem := func() string {
		return hotel + "/items/" +
			p.must(http.StatusCreated, "POST", hotel+"/items", `{"description": "Umbrella"}`)["id"].(string)
	}
	item, deletedItem := newItem(), newItem()
	form, contentType := imageForm()
	upload := func(item string) probeResult {
		return probe{"POST", item + "/upload-image", form, 200, 503}.send(p.url,
			http.Header{"Content-Type": {contentType}})
	}
	for _, item := range []string{item, deletedItem} {
		if a := upload(item); a.status != http.StatusOK {
			t.Fatalf("an upload returned %d: %s", a.status, a.body)
		}
	}
	const before, after = 4, 2 // the files of two pictures and of one picture, each with its thumbnail
	waitUntil(t, "the thumbnails exist", func() bool { return s.files(t) == before })

	s.setFault(m)
	f := faultReport{fault: "S3 " + name, load: "uploads, deletions and pages", injected: 1}
	p.must(http.StatusNoContent, "DELETE", deletedItem, "")
	var result probeResult
	var uploading sync.WaitGroup
	uploading.Go(func() { result = upload(item) })
	pages := []probe{
		{"GET", "/healthz", "", 200, 200}, {"GET", item, "", 200, 200}, {"GET", hotel + "/items", "", 200, 200},
		{"PUT", item, `{"notes": "seen"}`, 200, 200},
		{"GET", "/at/" + strings.TrimPrefix(hotel, "/v1/locations/") + "/items", "", 200, 200},
	}
	for range 10 {
		refused, slowest := checkProbes(t, runProbes(p.url, cookie, pages), true)
		f.requests, f.refused, f.slowest = f.requests+len(pages), f.refused+refused, max(f.slowest, slowest)
	}
	if f.slowest > 5*time.Second {
		t.Errorf("a page that needs no files took %v", f.slowest)
	}
	uploading.Wait()
	f.slowest = max(f.slowest, result.took)
	pictures, want := 1, http.StatusServiceUnavailable
	if name == "slow" {
		pictures, want = 2, http.StatusOK
	}
	if result.status != want || result.took > bound || want == http.StatusServiceUnavailable && result.retry == "" {
		t.Errorf("an upload returned %d after %v, want %d: %v %s", result.status, result.took, want, result.err,
			result.body)
	}
	if n := len(p.must(http.StatusOK, "GET", item, "")["images"].([]any)); n != pictures {
		t.Errorf("the item has %d pictures, want %d", n, pictures)
	}

	f.injected = int(s.requests.Load())
	s.setFault(noFault)
	began := time.Now()
	waitWithin(t, 2*time.Minute, "deleted files are removed from S3", func() bool {
		return s.files(t) == after*pictures
	})
	if a := upload(item); a.status != http.StatusOK {
		t.Errorf("after the fault an upload returned %d: %s", a.status, a.body)
	}
	waitWithin(t, time.Minute, "the thumbnail exists", func() bool { return s.files(t) == after*(pictures+1) })
	f.recovered, f.requests = time.Since(began), f.requests+3
	for _, image := range p.must(http.StatusOK, "GET", item, "")["images"].([]any) {
		address := image.(map[string]any)["url"].(string)
		if a, err := sendRequest("GET", p.url+address[strings.Index(address, "/files/"):], ""); err != nil ||
			a.status != http.StatusOK || len(a.body) == 0 {
			f.lost++
			t.Errorf("the acknowledged picture %s returned %d: %v", fmt.Sprint(address), a.status, err)
		}
	}
	f.log(t)
}
