package main_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeward/internal/store/storetest"
)

// S3 fails for a while behind each load balancer. Every page and API call without files works, and what needs files
// returns 503 with Retry-After. Instances stay in service and say in /readyz?verbose what fails.
func TestDrillS3OutageBehindLoadBalancers(t *testing.T) {
	t.Parallel()
	s, setting := newFaultyS3(t)
	f := startInstances(t, 3, storetest.Postgres(t), "HOMEWARD_FILES="+setting)
	p := f.current()[0]
	cookie := logIn(t, p)
	hotel := "/v1/locations/" + p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
	item := hotel + "/items/" +
		p.must(http.StatusCreated, "POST", hotel+"/items", `{"description": "Umbrella"}`)["id"].(string)
	form, contentType := imageForm()
	upload := probe{"POST", item + "/upload-image", form, 200, 503}
	ofForm := http.Header{"Content-Type": {contentType}}
	if a := upload.send(p.url, ofForm); a.status != http.StatusOK {
		t.Fatalf("an upload returned %d: %s", a.status, a.body)
	}
	image := p.must(http.StatusOK, "GET", item, "")["images"].([]any)[0].(map[string]any)["url"].(string)
	file := probe{"GET", image[strings.Index(image, "/files/"):], "", 200, 503}
	permalink := p.must(http.StatusOK, "GET", hotel, "")["permalink"].(string)
	// Unknown guest links are throttled, so they are not requested again and again.
	pages := slices.DeleteFunc(probeEveryHandler(item, permalink), func(q probe) bool {
		return strings.HasPrefix(q.path, "/g/")
	})
	pages = append(pages, probe{"GET", "/readyz?verbose", "", 200, 200})
	outage := &s3Outage{t: t, pages: pages, files: []probe{upload, file}, cookie: cookie, form: ofForm}
	urls := map[string]string{}
	for name, start := range balancers {
		urls[name] = start(t, f.addresses())
		outage.checkPages(name, urls[name])
	}

	s.setFault(resetting)
	began := time.Now()
	var running sync.WaitGroup
	for name, url := range urls {
		running.Go(func() { outage.run(name, url, began.Add(outageTime())) })
	}
	running.Wait()
	for _, p := range f.current() {
		waitWithin(t, time.Minute, "an instance notices", func() bool {
			a := probe{"GET", "/readyz?verbose", "", 200, 200}.send(p.url, nil)
			return a.status == http.StatusOK && strings.Contains(string(a.body), `"files":"failing"`)
		})
	}
	s.setFault(noFault)
	for name, url := range urls {
		waitWithin(t, time.Minute, "uploads work again behind "+name, func() bool {
			return upload.send(url, ofForm).status == http.StatusOK
		})
		outage.checkPages(name, url)
	}
	waitWithin(t, time.Minute, "the instance logs that S3 works again", func() bool {
		const storage = `"part":"file storage"`
		return len(p.stderr.lines("a part of the service failed", storage)) > 0 &&
			len(p.stderr.lines("a part of the service works again", storage)) > 0
	})
}

// s3Outage sends requests while S3 fails.
type s3Outage struct {
	t            *testing.T
	pages, files []probe
	cookie, form http.Header
}

// checkPages requests every page once, and returns the number of requests.
func (o *s3Outage) checkPages(name, url string) int {
	if o.t.Failed() {
		return 0
	}
	for _, a := range runProbes(url, o.cookie, o.pages) {
		if a.err != nil || a.status != a.want {
			o.t.Errorf("behind %s, %s %s returned %d, want %d: %v %.300s", name, a.method, a.path, a.status, a.want,
				a.err, a.body)
		}
	}
	return len(o.pages)
}

// run requests pages and files until the given time.
func (o *s3Outage) run(name, url string, until time.Time) {
	const clients = 4 // enough to take every instance out of service, if a 503 counted as a failure of the instance
	sent := 0
	var refused atomic.Int64
	var uploading sync.WaitGroup
	for range clients {
		uploading.Go(func() {
			for time.Now().Before(until) && !o.t.Failed() {
				refused.Add(int64(o.checkFiles(name, url)))
			}
		})
	}
	for time.Now().Before(until) && !o.t.Failed() {
		sent += o.checkPages(name, url)
		pause(o.t.Context().Done(), 50*time.Millisecond)
	}
	uploading.Wait()
	o.t.Logf("drill: S3 outage of %v behind %s | %d requests without files, 0 lost | %d requests for files, all 503 "+
		"with Retry-After", outageTime(), name, sent, refused.Load())
}

// checkFiles sends the requests that need files, and returns their number.
func (o *s3Outage) checkFiles(name, url string) int {
	for _, a := range runProbes(url, o.form, o.files) {
		if !a.isProblem() {
			o.t.Errorf("behind %s, %s %s returned %d with Retry-After %q, want a problem: %v %.300s", name,
				a.method, a.path, a.status, a.retry, a.err, a.body)
		}
	}
	return len(o.files)
}
