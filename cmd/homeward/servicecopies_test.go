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

// serviceCopies are copies of the service that share a database and S3.
type serviceCopies struct {
	t        *testing.T
	settings [][]string

	mu     sync.Mutex
	copies []*process
}

func newServiceCopies(t *testing.T, n int, database string) *serviceCopies {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("lost"); err != nil {
		t.Fatal(err)
	}
	s3 := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(s3.Close)
	f := &serviceCopies{t: t}
	for range n {
		f.settings = append(f.settings, newWebhookSettings(t, database, "HOMEWARD_SECRET=the same secret on every copy",
			"HOMEWARD_FILES=s3://lost?access_key=key&secret_key=very+secret&path_style=true&endpoint="+s3.URL))
		f.copies = append(f.copies, startService(t, f.settings[len(f.settings)-1]...))
	}
	return f
}

// current returns the running copies.
func (f *serviceCopies) current() []*process {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]*process(nil), f.copies...)
}

// anyURL returns the address of a random copy.
func (f *serviceCopies) anyURL() string {
	all := f.current()
	return all[rand.IntN(len(all))].url
}

// restart kills a copy and starts it again.
func (f *serviceCopies) restart(n int) {
	f.t.Helper()
	f.current()[n].kill()
	again := startService(f.t, f.settings[n]...)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.copies[n] = again
}

// recorder creates items with a photo at random copies. It repeats each request until it is acknowledged.
type recorder struct {
	f     *serviceCopies
	name  string
	hotel string

	made   []string          // ids of the created items
	photos map[string]string // item by file name of the photo
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
		if a, err := ask("POST", r.f.anyURL()+r.hotel+"/items/"+id+"/upload-image", b.String(), "Content-Type",
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

// repeatUntil repeats a request until a copy answers with the status, and returns the record's id. Idempotency keys
// make sure that only one record is created.
func (r *recorder) repeatUntil(done <-chan struct{}, status int, method, path, body string,
	header ...string) (id string, ok bool) {
	for {
		a, err := ask(method, r.f.anyURL()+path, body, header...)
		if err == nil && a.status == http.StatusInternalServerError {
			r.f.t.Errorf("%s %s answered %d: %s", method, path, a.status, a.body)
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

// check compares the items and photos of a copy with what was acknowledged: each exists exactly once.
func (f *serviceCopies) check(p *process, hotel string, recorders []*recorder) {
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
			if a, err := ask("GET", p.url+"/files/"+photo, ""); err != nil || a.status != http.StatusOK ||
				len(a.body) == 0 {
				f.t.Errorf("the acknowledged photo %s answers %d: %v", photo, a.status, err)
			}
		}
	}
}

// testThreeCopies runs three copies under load, while copies are killed and the database is stopped: no acknowledged
// write is lost, and every event arrives. HOMEWARD_TEST_ROUNDS makes it longer.
func testThreeCopies(t *testing.T) {
	const copies = 3
	db := newPostgres(t)
	f := newServiceCopies(t, copies, db.address())
	first := f.current()[0]
	receivers := newReceivers(t, first)
	load := newLoadGenerator(t, first, 6)
	hotel := "/v1/locations/" +
		first.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Motel"}`)["id"].(string)
	recorders := make([]*recorder, copies)
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
		for _, m := range receivers {
			m.round.Add(1)
		}
		cause()
	}
	rounds := 1
	if _, longer := os.LookupEnv("HOMEWARD_TEST_ROUNDS"); longer {
		rounds = configuredRounds(t)
	}
	for round := range rounds {
		fail("a copy is killed", func() { f.restart(round % copies) })
		fail("PostgreSQL is stopped", func() {
			db.stop([]syscall.Signal{immediately, inOrder}[round%2])
			db.start()
		})
	}
	fail("the last copy is killed", func() { f.restart(copies - 1) })
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
	auditWithLimit(t, f.current()[0], load, receivers, failures, copies*atMostDoubled(len(receivers)))
	t.Logf("after %d failures, %d items and %d photos are complete", failures, made, photos)
	for _, p := range f.current() {
		if code := p.terminate(); code != 0 {
			t.Errorf("exit code %d: %s", code, p.stderr)
		}
	}
}
