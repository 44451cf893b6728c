package browsertest

import (
	"context"
	"fmt"
	"strings"
)

// The limits for one page, not counting its pictures.
const (
	maxRequests = 3
	maxBytes    = 100_000
	maxShift    = 0.01
)

// Requests returns the requests that the page made, starting with the request for the page itself. It waits until
// they have finished.
func (v *Visitor) Requests() (made []Request) {
	v.t.Helper()
	v.must(v.retry(v.ctx, func(context.Context) (err error) {
		made, err = v.recording.ofPage()
		return err
	}))
	return made
}

// CheckWeight fails the test unless the page makes at most three requests and loads less than 100 kB, not counting
// pictures, and loads only from its own origin.
func (v *Visitor) CheckWeight() {
	v.t.Helper()
	var requests, bytes int64
	var list strings.Builder
	for _, r := range v.Requests() {
		fmt.Fprintf(&list, "\n%8d B %-12s %s", r.Bytes, r.Type, r.URL)
		if r.Foreign {
			v.t.Errorf("%s: %s loads from another origin: %s", v.options, v.Location(), r.URL)
		}
		if !r.Picture() {
			requests++
			bytes += r.Bytes
		}
	}
	if requests > maxRequests {
		v.t.Errorf("%s: %s makes %d requests without pictures; at most %d are allowed:%s", v.options, v.Location(),
			requests, maxRequests, &list)
	}
	if bytes >= maxBytes {
		v.t.Errorf("%s: %s loads %d bytes without pictures; fewer than %d are allowed:%s", v.options, v.Location(),
			bytes, maxBytes, &list)
	}
}

// CheckLayoutShift fails the test if content moved after it was shown. It does nothing for a visitor without scripts:
// measuring needs them, and enabling them changes pages that look different without scripts.
func (v *Visitor) CheckLayoutShift() {
	v.t.Helper()
	if v.options.NoScript {
		return
	}
	var shift float64
	// Waiting for two frames ensures that the last change has been measured. All measurements are reported together:
	// when the navigation entry, which always exists, has been reported, the layout shifts have been too.
	v.must(v.eval(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
			let sum = 0
			const add = list => list.getEntries().forEach(e => { if (!e.hadRecentInput) sum += e.value })
			new PerformanceObserver(add).observe({type: 'layout-shift', buffered: true})
			new PerformanceObserver(() => setTimeout(() => done(sum), 0)).observe({type: 'navigation', buffered: true})
		})))`, &shift))
	if shift > maxShift {
		v.t.Errorf("%s: %s has a layout shift of %.4f; at most %.2f is allowed", v.options, v.Location(), shift,
			maxShift)
	}
}

// IgnoreError ignores errors whose message contains text. Use it for errors that the test causes on purpose.
func (v *Visitor) IgnoreError(text string) {
	v.recording.mu.Lock()
	defer v.recording.mu.Unlock()
	v.recording.ignored = append(v.recording.ignored, text)
}

// withScripts enables scripts while do runs, because code that waits for the page needs them. The page's own scripts,
// which were skipped when it loaded, still do not run.
func (v *Visitor) withScripts(do func() error) {
	v.t.Helper()
	if v.options.NoScript {
		v.scripts(true)
		defer v.scripts(false)
	}
	v.must(do())
}

// Overflow returns a line that says by how many pixels the page is wider than the screen, and which elements are. It is
// empty if none is. The window of a phone grows with the page, so it is not compared.
func (v *Visitor) Overflow() (fault string) {
	v.t.Helper()
	v.withScripts(func() error { return v.eval(onPage("overflow"), &fault) })
	return fault
}

// TextFaults returns a line for each text of the page that leaves its box, is cut off or makes a button higher than two
// lines, and one if the page is wider than its window.
func (v *Visitor) TextFaults() (faults []string) {
	v.t.Helper()
	v.withScripts(func() error { return v.eval(onPage("textFaults"), &faults) })
	return faults
}
