package browsertest

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Request is a request that a page made.
type Request struct {
	URL     string
	Type    string // its purpose: Document, Stylesheet, Script, Image, Font, Fetch, …
	Bytes   int64  // the transferred size of the response with its headers
	Foreign bool   // it goes to an origin other than the page's

	id    network.RequestID
	page  int  // the number of the page that made it
	top   bool // it requested the page itself
	ended bool
}

// Picture reports whether the request is for a picture or the page's icon, which CheckWeight does not count. The
// browser may request the icon at any time and reports it with the type Other.
func (r Request) Picture() bool {
	return r.Type == string(network.ResourceTypeImage) || r.Type == string(network.ResourceTypeOther)
}

// recording holds the requests and errors that were recorded in a tab.
type recording struct {
	writing sync.WaitGroup

	mu       sync.Mutex
	main     cdp.FrameID
	pages    int
	origin   string // the origin of the page
	requests []*Request
	errors   []browserError
	ignored  []string // texts of errors that the test expects
}

// browserError is an error that the browser reports. An error about a request contains the request's ID.
type browserError struct {
	text    string
	request network.RequestID
}

// record records a tab's requests and errors until ctx ends. Every request is paused until it is recorded, so that
// all requests are known when a page has loaded.
func record(ctx context.Context) *recording {
	tab := chromedp.FromContext(ctx).Target
	n := &recording{main: cdp.FrameID(tab.TargetID)} // the id of a tab is also the id of its main frame
	follow(n, tab, fetch.RequestPaused, func(e fetch.EventRequestPaused) {
		n.add(e)
		// fails if the request was canceled
		_, _ = cdp.Call(ctx, tab, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: e.RequestID})
	})
	follow(n, tab, network.LoadingFinished, func(e network.EventLoadingFinished) {
		n.end(e.RequestID, int64(e.EncodedDataLength))
	})
	follow(n, tab, network.LoadingFailed, func(e network.EventLoadingFailed) { n.end(e.RequestID, 0) })
	follow(n, tab, runtime.ExceptionThrown, func(e runtime.EventExceptionThrown) {
		n.addError(browserError{text: exceptionText(e.ExceptionDetails)})
	})
	follow(n, tab, runtime.ConsoleAPICalled, func(e runtime.EventConsoleAPICalled) {
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			n.addError(browserError{text: "console: " + consoleText(e.Args)})
		}
	})
	follow(n, tab, log.EntryAdded, func(e log.EventEntryAdded) {
		if e.Entry.Level == log.EntryLevelError {
			n.addError(browserError{
				text: strings.TrimSpace(e.Entry.Text + " " + e.Entry.URL), request: e.Entry.NetworkRequestID,
			})
		}
	})
	return n
}

// follow calls fn for every event of a kind, in order, until the tab is closed and all its events are handled.
func follow[E any](n *recording, tab *chromedp.Target, kind cdp.Event[E], fn func(E)) {
	events := cdp.Events(context.Background(), tab, kind) // the events end when the tab is closed
	n.writing.Go(func() {
		for e, err := range events {
			if err != nil {
				n.addError(browserError{text: "cannot decode a browser event: " + err.Error()})
				return
			}
			fn(e)
		}
	})
}

// complete waits until all events of a closed tab are recorded.
func (n *recording) complete() { n.writing.Wait() }

// add records a request. The request after a redirect has the same ID as the redirected request, which has then
// ended.
func (n *recording) add(e fetch.EventRequestPaused) {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := &Request{URL: e.Request.URL, Type: string(e.ResourceType), id: e.NetworkID}
	if e.ResourceType == network.ResourceTypeDocument {
		r.top = e.FrameID == n.main
		r.ended = !r.top // the end of another frame's document may be reported only in that frame
	}
	if e.ResourceType == network.ResourceTypeOther {
		r.ended = true // the end of an icon request that is canceled with its page is not reported
	}
	for _, before := range n.requests {
		before.ended = before.ended || before.id == r.id
	}
	if r.top {
		n.pages++
		n.origin = origin(r.URL)
	}
	r.page, r.Foreign = n.pages, origin(r.URL) != n.origin
	n.requests = append(n.requests, r)
}

func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + u.Host
}

func (n *recording) end(id network.RequestID, bytes int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, r := range slices.Backward(n.requests) {
		if r.id == id {
			r.ended, r.Bytes = true, bytes
			return
		}
	}
}

func (n *recording) addError(e browserError) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.errors = append(n.errors, e)
}

// ofPage returns the requests of the current page, or an error if one is still running.
func (n *recording) ofPage() (made []Request, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, r := range n.requests {
		if r.page != n.pages {
			continue
		}
		if !r.ended {
			return nil, fmt.Errorf("%s is still running", r.URL)
		}
		made = append(made, *r)
	}
	return made, nil
}

// faults returns the recorded errors. It leaves out errors that the test ignores, the status of the page itself,
// which the test checks, and missing icons, which are not errors on the page.
func (n *recording) faults() (faults []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, s := range n.errors {
		about := slices.IndexFunc(n.requests, func(r *Request) bool { return r.id == s.request && s.request != "" })
		if about >= 0 && (n.requests[about].top || n.requests[about].Type == string(network.ResourceTypeOther)) {
			continue
		}
		if !slices.ContainsFunc(n.ignored, func(text string) bool { return strings.Contains(s.text, text) }) {
			faults = append(faults, s.text)
		}
	}
	return faults
}

// exceptionText returns the text of an exception without its stack trace.
func exceptionText(e *runtime.ExceptionDetails) string {
	if e.Exception != nil && e.Exception.Description != "" {
		first, _, _ := strings.Cut(e.Exception.Description, "\n    at ")
		return first
	}
	return e.Text
}

// consoleText returns the text of a console message.
func consoleText(args []*runtime.RemoteObject) string {
	parts := make([]string, len(args))
	for i, a := range args {
		if parts[i] = a.Description; parts[i] == "" {
			parts[i] = string(a.Value)
		}
	}
	return strings.Join(parts, " ")
}
