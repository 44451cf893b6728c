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
	Type    string // what it was for: Document, Stylesheet, Script, Image, Font, Fetch, …
	Bytes   int64  // that came back, with headers, as they were sent
	Foreign bool   // to another origin than the page's

	id    network.RequestID
	page  int  // the number of the page that made it
	top   bool // it asked for the page itself
	ended bool
}

// Picture tells whether the request does not count against a page's weight. The browser asks for the page's icon
// when it likes and calls it Other.
func (r Request) Picture() bool {
	return r.Type == string(network.ResourceTypeImage) || r.Type == string(network.ResourceTypeOther)
}

// notes are what a tab wrote down.
type notes struct {
	writing sync.WaitGroup

	mu       sync.Mutex
	main     cdp.FrameID
	pages    int
	origin   string // of the page
	requests []*Request
	said     []said
	forgiven []string
}

// said is an error that the browser tells of. An error about a request names it.
type said struct {
	text    string
	request network.RequestID
}

// takeNotes follows a tab until its context ends. Every request is held until it is written down: a page that has
// loaded made no request that is not here.
func takeNotes(ctx context.Context) *notes {
	tab := chromedp.FromContext(ctx).Target
	n := &notes{main: cdp.FrameID(tab.TargetID)} // which is how the browser names a tab's own frame
	follow(n, tab, fetch.RequestPaused, func(e fetch.EventRequestPaused) {
		n.ask(e)
		_, _ = cdp.Call(ctx, tab, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: e.RequestID}) // or it was given up
	})
	follow(n, tab, network.LoadingFinished, func(e network.EventLoadingFinished) { n.end(e.RequestID, int64(e.EncodedDataLength)) })
	follow(n, tab, network.LoadingFailed, func(e network.EventLoadingFailed) { n.end(e.RequestID, 0) })
	follow(n, tab, runtime.ExceptionThrown, func(e runtime.EventExceptionThrown) { n.say(said{text: thrown(e.ExceptionDetails)}) })
	follow(n, tab, runtime.ConsoleAPICalled, func(e runtime.EventConsoleAPICalled) {
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			n.say(said{text: "console: " + printed(e.Args)})
		}
	})
	follow(n, tab, log.EntryAdded, func(e log.EventEntryAdded) {
		if e.Entry.Level == log.EntryLevelError {
			n.say(said{text: strings.TrimSpace(e.Entry.Text + " " + e.Entry.URL), request: e.Entry.NetworkRequestID})
		}
	})
	return n
}

// follow hands every event of a kind to fn, in order, until the tab is closed and none is left.
func follow[E any](n *notes, tab *chromedp.Target, kind cdp.Event[E], fn func(E)) {
	events := cdp.Events(context.Background(), tab, kind) // the tab ends it, after the last event
	n.writing.Go(func() {
		for e, err := range events {
			if err != nil {
				n.say(said{text: "what the browser said was not understood: " + err.Error()})
				return
			}
			fn(e)
		}
	})
}

// complete waits until all that the tab said is written down. It has been closed.
func (n *notes) complete() { n.writing.Wait() }

// ask writes a request down. One that follows a redirect has the id of the one before, which thereby has ended.
func (n *notes) ask(e fetch.EventRequestPaused) {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := &Request{URL: e.Request.URL, Type: string(e.ResourceType), id: e.NetworkID}
	if e.ResourceType == network.ResourceTypeDocument {
		r.top = e.FrameID == n.main
		r.ended = !r.top // what becomes of another frame's document may only be told there
	}
	if e.ResourceType == network.ResourceTypeOther {
		r.ended = true // an icon that was asked for late is given up with its page, and nobody tells
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

func (n *notes) end(id network.RequestID, bytes int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, r := range slices.Backward(n.requests) {
		if r.id == id {
			r.ended, r.Bytes = true, bytes
			return
		}
	}
}

func (n *notes) say(s said) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.said = append(n.said, s)
}

// ofPage gives the requests of the present page, or which of them is under way.
func (n *notes) ofPage() (made []Request, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, r := range n.requests {
		if r.page != n.pages {
			continue
		}
		if !r.ended {
			return nil, fmt.Errorf("%s is still under way", r.URL)
		}
		made = append(made, *r)
	}
	return made, nil
}

// faults are the errors, but for those that are forgiven. That a page itself came with an error is for the
// test to judge, and that a site has no icon is no fault of the page.
func (n *notes) faults() (faults []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, s := range n.said {
		about := slices.IndexFunc(n.requests, func(r *Request) bool { return r.id == s.request && s.request != "" })
		if about >= 0 && (n.requests[about].top || n.requests[about].Type == string(network.ResourceTypeOther)) {
			continue
		}
		if !slices.ContainsFunc(n.forgiven, func(text string) bool { return strings.Contains(s.text, text) }) {
			faults = append(faults, s.text)
		}
	}
	return faults
}

// thrown is what is said of an exception.
func thrown(e *runtime.ExceptionDetails) string {
	if e.Exception != nil && e.Exception.Description != "" {
		first, _, _ := strings.Cut(e.Exception.Description, "\n    at ")
		return first
	}
	return e.Text
}

// printed is what was given to the console.
func printed(args []*runtime.RemoteObject) string {
	parts := make([]string, len(args))
	for i, a := range args {
		if parts[i] = a.Description; parts[i] == "" {
			parts[i] = string(a.Value)
		}
	}
	return strings.Join(parts, " ")
}
