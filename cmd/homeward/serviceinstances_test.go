package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// serviceInstances holds instances of the service that share a database and an S3 bucket.
type serviceInstances struct {
	t        *testing.T
	settings [][]string

	mu        sync.Mutex
	instances []*process
}

func newServiceInstances(t *testing.T, n int, database string) *serviceInstances {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("lost"); err != nil {
		t.Fatal(err)
	}
	s3 := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(s3.Close)
	return startInstances(t, n, database,
		"HOMEWARD_FILES=s3://lost?access_key=key&secret_key=very+secret&path_style=true&endpoint="+s3.URL)
}

// startInstances starts instances with the same settings.
func startInstances(t *testing.T, n int, database string, settings ...string) *serviceInstances {
	t.Helper()
	f := &serviceInstances{t: t}
	for range n {
		all := append([]string{"HOMEWARD_SECRET=" + sharedSecret}, settings...)
		f.settings = append(f.settings, withAdmin(newWebhookSettings(t, database, all...)))
		f.instances = append(f.instances, startService(t, f.settings[len(f.settings)-1]...))
	}
	return f
}

// current returns the running instances.
func (f *serviceInstances) current() []*process {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]*process(nil), f.instances...)
}

// anyURL returns the address of a random instance.
func (f *serviceInstances) anyURL() string {
	all := f.current()
	return all[rand.IntN(len(all))].url
}

// restart kills an instance and starts it again.
func (f *serviceInstances) restart(n int) {
	f.t.Helper()
	f.current()[n].kill()
	again := startService(f.t, f.settings[n]...)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.instances[n] = again
}

// recorder creates items with a photo, using random instances. It repeats each request until it is acknowledged.
type recorder struct {
	f     *serviceInstances
	name  string
	hotel string

	made   []string          // ids of the created items
	photos map[string]string // id of the item, by the photo's file name
}

// work creates items until done is closed.
func (r *recorder) work(done <-chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-done:
			return
		default:
		}
		name := fmt.Sprintf("%s-%d", r.name, n)
		id, ok := r.repeatUntil(done, http.StatusCreated, "POST", r.hotel+"/items", `{"description": "`+name+`"}`,
			"Idempotency-Key", name)
		if !ok {
			return
		}
		r.made = append(r.made, id)
		var b bytes.Buffer
		form := multipart.NewWriter(&b)
		part, _ := form.CreateFormFile("image", "a.png") // writing to memory cannot fail
		_, _ = part.Write(pngFile())
		_ = form.Close()
		if a, err := sendRequest("POST", r.f.anyURL()+r.hotel+"/items/"+id+"/upload-image", b.String(), "Content-Type",
			form.FormDataContentType()); err == nil && a.status == http.StatusOK {
			var item struct{ ImageURL string }
			if err := json.Unmarshal(a.body, &item); err != nil {
				r.f.t.Error(err)
			}
			r.photos[path.Base(item.ImageURL)] = id
		}
		pause(done, 20*time.Millisecond) // to limit the disk space that the test uses
	}
}

// repeatUntil repeats a request until an instance returns the given status, and returns the record's id. An
// idempotency key ensures that only one record is created.
func (r *recorder) repeatUntil(done <-chan struct{}, status int, method, path, body string,
	header ...string) (id string, ok bool) {
	for {
		a, err := sendRequest(method, r.f.anyURL()+path, body, header...)
		if err == nil && a.status == http.StatusInternalServerError {
			r.f.t.Errorf("%s %s returned %d: %s", method, path, a.status, a.body)
		}
		if err == nil && a.status == status {
			var record struct{ ID string }
			if err := json.Unmarshal(a.body, &record); err != nil {
				r.f.t.Error(err)
			}
			return record.ID, true
		}
		select {
		case <-done:
			return "", false
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// check checks that an instance returns every acknowledged item and photo exactly once.
func (f *serviceInstances) check(p *process, hotel string, recorders []*recorder) {
	there := map[any]int{}
	for _, i := range p.listAll(hotel + "/items") {
		there[i["id"]]++
		there[i["description"]]++
	}
	for _, r := range recorders {
		for n, id := range r.made {
			if name := fmt.Sprintf("%s-%d", r.name, n); there[id] != 1 || there[name] != 1 {
				f.t.Errorf("%s (%s): %d items with the id, %d with the name", name, id, there[id], there[name])
			}
		}
		for photo := range r.photos {
			if a, err := sendRequest("GET", p.url+"/files/"+photo, ""); err != nil || a.status != http.StatusOK ||
				len(a.body) == 0 {
				f.t.Errorf("the acknowledged photo %s returned %d: %v", photo, a.status, err)
			}
		}
	}
}

// testThreeInstances runs three instances under load while instances are killed and the database is stopped. No
// acknowledged write is lost, and every event arrives. HOMEWARD_TEST_ROUNDS can make the test longer.
func testThreeInstances(t *testing.T) {
	const instances = 3
	db := newPostgres(t)
	f := newServiceInstances(t, instances, db.address())
	first := f.current()[0]
	receivers := newReceivers(t, first)
	load := newLoadGenerator(t, first, 6)
	hotel := "/v1/locations/" +
		first.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Motel"}`)["id"].(string)
	recorders := make([]*recorder, instances)
	done := make(chan struct{})
	var recording sync.WaitGroup
	for n := range recorders {
		recorders[n] = &recorder{f: f, name: fmt.Sprintf("recorder-%d", n), hotel: hotel, photos: map[string]string{}}
		recording.Go(func() { recorders[n].work(done) })
	}
	end := load.startAt(f.anyURL)
	more := func() func() bool {
		changes, sent := load.count()+40, attempts(receivers)+80
		return func() bool { return load.count() >= changes && attempts(receivers) >= sent }
	}
	failures := 0
	fail := func(what string, cause func()) {
		waitWithin(t, time.Minute, "there is load before "+what, more())
		failures++
		cause()
		for _, m := range receivers { // only now: until the failure, an attempt may have to be repeated
			m.round.Add(1)
		}
	}
	rounds := 1
	if _, longer := os.LookupEnv("HOMEWARD_TEST_ROUNDS"); longer {
		rounds = configuredRounds(t)
	}
	for round := range rounds {
		fail("an instance is killed", func() { f.restart(round % instances) })
		fail("PostgreSQL is stopped", func() {
			db.stop([]syscall.Signal{immediately, inOrder}[round%2])
			db.start()
		})
	}
	fail("the last instance is killed", func() { f.restart(instances - 1) })
	waitWithin(t, time.Minute, "there is load afterwards", more())
	close(done)
	end()
	recording.Wait()
	made, photos := 0, 0
	for _, p := range f.current() {
		f.check(p, hotel, recorders)
	}
	for _, r := range recorders {
		made, photos = made+len(r.made), photos+len(r.photos)
	}
	auditWithLimit(t, f.current()[0], load, receivers, failures, instances*atMostDoubled(len(receivers)))
	t.Logf("after %d failures, %d items and %d photos are complete", failures, made, photos)
	for _, p := range f.current() {
		if code := p.terminate(); code != 0 {
			t.Errorf("exit code %d: %s", code, p.stderr)
		}
	}
}
