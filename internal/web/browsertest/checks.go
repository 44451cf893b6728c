package browsertest

import (
	"context"
	"fmt"
	"strings"
)

// What a page may take. Pictures are not counted.
const (
	mostRequests = 3
	mostBytes    = 100_000
	mostShift    = 0.01
)

// Requests are those that the page has made, from the one for the page itself on; it waits for those under way.
func (v *Visitor) Requests() (made []Request) {
	v.t.Helper()
	v.must(v.until(v.ctx, func(context.Context) (err error) {
		made, err = v.notes.ofPage()
		return err
	}))
	return made
}

// Light fails unless the page takes at most three requests and less than 100 kB, pictures aside, and asks
// nobody but its own origin.
func (v *Visitor) Light() {
	v.t.Helper()
	var requests, bytes int64
	var list strings.Builder
	for _, r := range v.Requests() {
		fmt.Fprintf(&list, "\n%8d B %-12s %s", r.Bytes, r.Type, r.URL)
		if r.Foreign {
			v.t.Errorf("%s: %s asks another origin: %s", v.options, v.Location(), r.URL)
		}
		if !r.Picture() {
			requests++
			bytes += r.Bytes
		}
	}
	if requests > mostRequests {
		v.t.Errorf("%s: %s takes %d requests beside pictures, at most %d are allowed:%s", v.options, v.Location(), requests, mostRequests, &list)
	}
	if bytes >= mostBytes {
		v.t.Errorf("%s: %s weighs %d bytes without pictures, less than %d are allowed:%s", v.options, v.Location(), bytes, mostBytes, &list)
	}
}

// NoShift fails when what the page showed has moved after it was shown.
func (v *Visitor) NoShift() {
	v.t.Helper()
	var shift float64
	v.withScripts(func() error {
		// Two frames are drawn first, so that the last change has been measured. What was measured is told in one go: when
		// the navigation has been told, which there always is, so have the shifts, if any.
		return v.eval(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
			let sum = 0
			const add = list => list.getEntries().forEach(e => { if (!e.hadRecentInput) sum += e.value })
			new PerformanceObserver(add).observe({type: 'layout-shift', buffered: true})
			new PerformanceObserver(() => setTimeout(() => done(sum), 0)).observe({type: 'navigation', buffered: true})
		})))`, &shift)
	})
	if shift > mostShift {
		v.t.Errorf("%s: %s moved by %.4f after it was shown, at most %.2f is allowed", v.options, v.Location(), shift, mostShift)
	}
}

// Forgive says that an error whose text contains this belongs to the test.
func (v *Visitor) Forgive(text string) {
	v.notes.mu.Lock()
	defer v.notes.mu.Unlock()
	v.notes.forgiven = append(v.notes.forgiven, text)
}

// withScripts runs what has to wait for the page, which only a page with scripts lets it do. The page's own, that were
// passed over when it loaded, stay where they are.
func (v *Visitor) withScripts(do func() error) {
	v.t.Helper()
	if v.options.NoScript {
		v.scripts(true)
		defer v.scripts(false)
	}
	v.must(do())
}
