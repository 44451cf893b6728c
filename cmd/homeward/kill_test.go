package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"homeward/internal/store/storetest"
)

const (
	killRounds  = 5
	killWriters = 6
)

// The service is killed repeatedly during many writes, as in a power failure. After each restart, all acknowledged
// writes are complete. A create request that is repeated because its response was lost creates only one record.
func TestKillingTheServiceLosesNoAcknowledgedWrite(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		settings := newSettings(t, setting)
		p := startService(t, settings...)
		hotel := "/v1/locations/" +
			p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
		var acknowledged atomic.Int64
		writers := make([]*writer, killWriters)
		for n := range writers {
			writers[n] = &writer{
				t: t, name: fmt.Sprintf("writer %d", n), hotel: hotel, rng: rand.New(rand.NewPCG(1, uint64(n))),
				acknowledged: &acknowledged,
			}
		}
		for round := range killRounds {
			enough := acknowledged.Load() + 60 + int64(17*round)
			var working sync.WaitGroup
			for _, w := range writers {
				working.Go(func() { w.work(p.url) })
			}
			waitUntil(t, "enough writes are acknowledged", func() bool { return acknowledged.Load() >= enough })
			p.kill()
			working.Wait()
			p = startService(t, settings...)
			for _, w := range writers {
				w.check(p)
			}
		}
		for _, w := range writers {
			w.finish(p)
		}
		checkOnce(t, p, hotel, writers)
		t.Logf("%d writes were acknowledged in %d rounds", acknowledged.Load(), killRounds)
		if code := p.terminate(); code != 0 {
			t.Errorf("exit code %d: %s", code, p.stderr)
		}
	})
}

// checkOnce checks that the list contains exactly the items that the writers created, each once.
func checkOnce(t *testing.T, p *process, hotel string, writers []*writer) {
	t.Helper()
	made := 0
	for _, w := range writers {
		made += len(w.items)
	}
	seen := map[any]bool{}
	for _, i := range p.listAll(hotel + "/items") {
		if seen[i["description"]] {
			t.Errorf("%v was created twice", i["description"])
		}
		seen[i["description"]] = true
	}
	if len(seen) != made {
		t.Errorf("there are %d items, but %d were acknowledged", len(seen), made)
	}
}

// writer creates and changes items, one request at a time, and records what was acknowledged.
type writer struct {
	t            *testing.T
	name         string
	hotel        string
	rng          *rand.Rand
	acknowledged *atomic.Int64

	next  int // number of the item that is created next or is being created
	items []*savedItem
}

// savedItem is an item and its acknowledged changes.
type savedItem struct {
	path           string
	puts           int // number of changes to the notes; the n-th sets them to "n"
	moves          int // number of status changes; odd ones set DONATE, even ones PENDING
	images         []string
	unacknowledged bool // whether the last request got no response
}

// work writes until the service stops.
func (w *writer) work(base string) {
	for {
		var err error
		switch k := w.pick(); {
		case k == nil:
			err = w.create(base)
		case w.rng.IntN(8) == 0:
			err = w.upload(base, k)
		case w.rng.IntN(3) == 0:
			err = w.move(base, k)
		default:
			err = w.put(base, k)
		}
		if err != nil {
			return
		}
		w.acknowledged.Add(1)
	}
}

// pick returns an item to change, or nil to create one.
func (w *writer) pick() *savedItem {
	if len(w.items) == 0 || w.rng.IntN(4) == 0 {
		return nil
	}
	return w.items[w.rng.IntN(len(w.items))]
}

// create creates an item. The item's name is used as the Idempotency-Key, so that repeating the request does not
// create a second item.
func (w *writer) create(base string) error {
	name := fmt.Sprintf("%s-item-%d", strings.ReplaceAll(w.name, " ", "-"), w.next)
	a, err := sendRequest("POST", base+w.hotel+"/items", `{"description": "`+name+`"}`, "Idempotency-Key", name)
	if err != nil {
		return err
	}
	if a.status != http.StatusCreated {
		w.t.Errorf("create returned %d: %s", a.status, a.body)
		return io.ErrUnexpectedEOF
	}
	var record struct{ ID string }
	if err := json.Unmarshal(a.body, &record); err != nil {
		w.t.Error(err)
	}
	w.next++
	w.items = append(w.items, &savedItem{path: w.hotel + "/items/" + record.ID})
	return nil
}

// change sends a request that changes an item. If there is no response, it is unknown whether the item has changed.
func (w *writer) change(k *savedItem, request func() (response, error)) (response, error) {
	k.unacknowledged = true
	a, err := request()
	if err != nil {
		return a, err
	}
	k.unacknowledged = false
	if a.status != http.StatusOK {
		w.t.Errorf("a change of %s returned %d: %s", k.path, a.status, a.body)
		return a, io.ErrUnexpectedEOF
	}
	return a, nil
}

func (w *writer) put(base string, k *savedItem) error {
	_, err := w.change(k, func() (response, error) {
		return sendRequest("PUT", base+k.path, fmt.Sprintf(`{"notes": "%d"}`, k.puts+1))
	})
	if err == nil {
		k.puts++
	}
	return err
}

func (w *writer) move(base string, k *savedItem) error {
	_, err := w.change(k, func() (response, error) {
		return sendRequest("PUT", base+k.path+"/update-status", `{"status": "`+statusAfter(k.moves+1)+`"}`)
	})
	if err == nil {
		k.moves++
	}
	return err
}

func statusAfter(moves int) string { return []string{"PENDING", "DONATE"}[moves%2] }

func (w *writer) upload(base string, k *savedItem) error {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, _ := form.CreateFormFile("image", "a.png") // writing to memory cannot fail
	_, _ = part.Write(pngFile())
	_ = form.Close()
	a, err := w.change(k, func() (response, error) {
		return sendRequest("POST", base+k.path+"/upload-image", b.String(), "Content-Type", form.FormDataContentType())
	})
	if err != nil {
		return err
	}
	var record struct{ ImageURL string }
	if err := json.Unmarshal(a.body, &record); err != nil {
		w.t.Error(err)
	}
	k.images = append(k.images, path.Base(record.ImageURL))
	return nil
}

// check compares every item with what was acknowledged, and records its actual state for the next round.
func (w *writer) check(p *process) {
	w.t.Helper()
	for _, k := range w.items {
		item := p.must(http.StatusOK, "GET", k.path, "")
		puts, moves, images := countHistory(w.t, p, k.path)
		if notes, _ := item["notes"].(string); puts == 0 && notes != "" || puts > 0 && notes != fmt.Sprint(puts) {
			w.t.Errorf("%s has the notes %q, but its history has %d changes", k.path, notes, puts)
		}
		if item["status"] != statusAfter(moves) {
			w.t.Errorf("%s is %v, but its history has %d status changes", k.path, item["status"], moves)
		}
		if there := len(item["images"].([]any)); there != images {
			w.t.Errorf("%s has %d images, but its history has %d", k.path, there, images)
		}
		extra := puts + moves + images - k.puts - k.moves - len(k.images)
		if puts < k.puts || moves < k.moves || images < len(k.images) || extra > 1 || extra == 1 && !k.unacknowledged {
			w.t.Errorf("%s has %d changes of notes, %d of the status and %d images; %d, %d and %d were acknowledged",
				k.path, puts, moves, images, k.puts, k.moves, len(k.images))
		}
		for _, name := range k.images {
			if a, err := sendRequest("GET", p.url+"/files/"+name, ""); err != nil || a.status != http.StatusOK ||
				len(a.body) == 0 {
				w.t.Errorf("the acknowledged file %s of %s returned %d: %v", name, k.path, a.status, err)
			}
		}
		k.puts, k.moves, k.unacknowledged = puts, moves, false
		k.images = nil
		for _, image := range item["images"].([]any) {
			k.images = append(k.images, path.Base(image.(map[string]any)["url"].(string)))
		}
		slices.Reverse(k.images)
	}
}

// countHistory counts the changes in an item's history, and checks that the history is complete.
func countHistory(t *testing.T, p *process, item string) (puts, moves, images int) {
	t.Helper()
	history := p.listAll(item + "/history")
	if len(history) == 0 || history[len(history)-1]["action"] != "created" {
		t.Fatalf("the history of %s does not begin with its creation: %v", item, history)
	}
	slices.Reverse(history)
	for _, line := range history[1:] {
		switch line["action"] {
		case "updated":
			puts++
		case "status-changed":
			if line["from"] != statusAfter(moves) {
				t.Errorf("%s: the history has an entry from the wrong status %v", item, line["from"])
			}
			moves++
		case "image-added":
			images++
		default:
			t.Errorf("%s: the history contains %v", item, line)
		}
	}
	return puts, moves, images
}

// finish repeats the last create request, which may not have received a response.
func (w *writer) finish(p *process) {
	w.t.Helper()
	if err := w.create(p.url); err != nil {
		w.t.Error(err)
	}
}
